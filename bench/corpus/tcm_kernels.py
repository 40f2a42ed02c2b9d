"""The kernels of `bench/kernels.py`: linalg on operands in TCM, with their values in numpy and the packets aimed at."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

NUMPY = {"f32": np.float32, "f16": np.float16}
TOLERANCE = {"f32": 2e-6, "f16": 2e-3}  # relative to 1 + |value|: a few units in the last place of the result
FAST_FACTOR = 8
ROWS, COLUMNS = 32, 1024


@dataclass(frozen=True)
class Kernel:
    """One row. ``goal`` is packets per vector (0: none set); ``text`` has a function ``kernel`` with ``count`` operands
    of ``shape`` and one output.
    """

    name: str
    element: str
    shape: tuple[int, ...]
    count: int
    goal: float
    text: str
    reference: Callable[..., np.ndarray]
    level: str = "accurate"

    @property
    def dtype(self) -> type:
        """numpy's name for the element type."""
        return NUMPY[self.element]

    @property
    def fast(self) -> Kernel:
        """The same with every function and division free to be approximate (``fastmath<afn>``)."""
        text = re.sub(r"((?:math\.\w+|arith\.divf) %[^:]*) : ", r"\1 fastmath<afn> : ", self.text)
        return replace(self, text=text, level="fast")

    @property
    def tolerance(self) -> float:
        """Error allowed, relative to 1 + |value|."""
        return TOLERANCE[self.element] * (1 if self.level == "accurate" else FAST_FACTOR)

    @property
    def vectors(self) -> float:
        """Vectors of 128 bytes in the output."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize / 128

    def inputs(self) -> list[np.ndarray]:
        """The operands, from a fixed seed; |x| of a divisor stays away from 0."""
        rng = np.random.default_rng(0)
        return [(rng.standard_normal(self.shape) * 3).astype(self.dtype) for _ in range(self.count)]


def _elementwise(name: str, element: str, count: int, goal: float, body: str, reference: Callable[..., np.ndarray],
                 size: int = 1 << 15, compute: str = "f32") -> Kernel:
    """``body`` maps %a (and %b), of type ``compute``, to %r."""
    buffers = ", ".join(f"%m{i}: memref<{size}x{element}, 1>" for i in range(count))
    tensor = f"tensor<{size}x{element}>"
    buffer = f"memref<{size}x{element}, 1>"
    reads = "\n".join(f"  %v{i} = memref.assume_alignment %m{i}, 128 : {buffer}\n"
                      f"  %t{i} = bufferization.to_tensor %v{i} restrict : {buffer} to {tensor}" for i in range(count))
    names = ", ".join(f"%t{i}" for i in range(count))
    letters = "ab"[:count]
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (count + 1))
    widen = [f"    %{c} = arith.extf %{c}0 : {element} to f32" for c in letters] if element != compute else []
    narrow = ["    %y = arith.truncf %r : f32 to " + element] if element != compute else []
    suffix = "0" if widen else ""
    arguments = ", ".join(f"%{c}{suffix}: {element}" for c in letters)
    lines = [*widen, *(f"    {line.strip()}" for line in body.strip().splitlines()), *narrow]
    text = "\n".join([
        f"func.func @kernel({buffers}, %out: memref<{size}x{element}, 1>) {{", reads,
        f"  %v = memref.assume_alignment %out, 128 : {buffer}",
        f"  %e = bufferization.to_tensor %v restrict writable : {buffer} to {tensor}",
        f"  %z = linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\"]}}",
        f"    ins({names} : {', '.join([tensor] * count)}) outs(%e : {tensor}) {{",
        f"  ^bb0({arguments}, %o: {element}):", *lines,
        f"    linalg.yield {'%y' if narrow else '%r'} : {element}", f"  }} -> {tensor}",
        f"  bufferization.materialize_in_destination %z in restrict writable %v : ({tensor}, {buffer}) -> ()",
        "  return", "}", ""])
    return Kernel(name, element, (size,), count, goal, text, reference)


_GELU = """
    %k = arith.constant 0.044715 : f32
    %c = arith.constant -1.5957691216057308 : f32
    %one = arith.constant 1.0 : f32
    %s = arith.mulf %a, %a : f32
    %ks = arith.mulf %k, %s : f32
    %k1 = arith.addf %ks, %one : f32
    %ca = arith.mulf %c, %a : f32
    %i = arith.mulf %ca, %k1 : f32
    %x = math.exp %i : f32
    %d = arith.addf %x, %one : f32
    %r = arith.divf %a, %d : f32
"""
_SILU = """
    %one = arith.constant 1.0 : f32
    %n = arith.negf %a : f32
    %x = math.exp %n : f32
    %d = arith.addf %x, %one : f32
    %r = arith.divf %a, %d : f32
"""


def _gelu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-1.5957691216057308 * (x + 0.044715 * x ** 3)))


def _rows(name: str, goal: float, body: str, reference: Callable[..., np.ndarray], rows: int = ROWS,
          columns: int = COLUMNS, element: str = "f32") -> Kernel:
    """``body`` computes tensor %r from tensor %x, both rows x columns; TYPE, ROW and E stand for their types."""
    matrix, row = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{element}>"
    buffer = f"memref<{rows}x{columns}x{element}, 1>"
    text = f"""
#m = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
func.func @kernel(%in: {buffer}, %out: {buffer}) {{
  %aligned = memref.assume_alignment %in, 128 : {buffer}
  %x = bufferization.to_tensor %aligned restrict : {buffer} to {matrix}
  %v = memref.assume_alignment %out, 128 : {buffer}
  %empty = bufferization.to_tensor %v restrict writable : {buffer} to {matrix}
  %row = tensor.empty() : {row}
  %zero = arith.constant 0.0 : {element}
  %zeros = linalg.fill ins(%zero : {element}) outs(%row : {row}) -> {row}
{body}
  bufferization.materialize_in_destination %r in restrict writable %v : ({matrix}, {buffer}) -> ()
  return
}}
"""
    text = text.replace("MATRIX", matrix).replace("ROW", row).replace("COLUMNS", f"{columns}.0")
    return Kernel(name, element, (rows, columns), 1, goal, text, reference)


_REDUCE = '{indexing_maps = [#m, #r], iterator_types = ["parallel", "reduction"]}'
_SCALE = '{indexing_maps = [#m, #r, #m], iterator_types = ["parallel", "parallel"]}'
_SHIFT_SCALE = '{indexing_maps = [#m, #r, #r, #m], iterator_types = ["parallel", "parallel"]}'
_SOFTMAX = f"""
  %low = arith.constant 0xFF800000 : f32
  %lows = linalg.fill ins(%low : f32) outs(%row : ROW) -> ROW
  %max = linalg.generic {_REDUCE} ins(%x : MATRIX) outs(%lows : ROW) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maxnumf %a, %o : f32
    linalg.yield %0 : f32
  }} -> ROW
  %exp = linalg.generic {_SCALE} ins(%x, %max : MATRIX, ROW) outs(%empty : MATRIX) {{
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.subf %a, %m : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  }} -> MATRIX
  %sum = linalg.generic {_REDUCE} ins(%exp : MATRIX) outs(%zeros : ROW) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }} -> ROW
  %r = linalg.generic {_SCALE} ins(%exp, %sum : MATRIX, ROW) outs(%empty : MATRIX) {{
  ^bb0(%a: f32, %m: f32, %o: f32):
    %0 = arith.divf %a, %m : f32
    linalg.yield %0 : f32
  }} -> MATRIX
"""
_RMS = f"""
  %n = arith.constant COLUMNS : f32
  %eps = arith.constant 1.0e-6 : f32
  %sum = linalg.generic {_REDUCE} ins(%x : MATRIX) outs(%zeros : ROW) {{
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  }} -> ROW
  %r = linalg.generic {_SCALE} ins(%x, %sum : MATRIX, ROW) outs(%empty : MATRIX) {{
  ^bb0(%a: f32, %s: f32, %o: f32):
    %0 = arith.divf %s, %n : f32
    %1 = arith.addf %0, %eps : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %a, %2 : f32
    linalg.yield %3 : f32
  }} -> MATRIX
"""
_LAYER = f"""
  %n = arith.constant COLUMNS : f32
  %eps = arith.constant 1.0e-5 : f32
  %sum = linalg.generic {_REDUCE} ins(%x : MATRIX) outs(%zeros : ROW) {{
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %o : f32
    linalg.yield %1 : f32
  }} -> ROW
  %squares = linalg.generic {{indexing_maps = [#m, #r, #r], iterator_types = ["parallel", "reduction"]}}
      ins(%x, %sum : MATRIX, ROW) outs(%zeros : ROW) {{
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.divf %s, %n : f32
    %0 = arith.subf %a, %m : f32
    %1 = arith.mulf %0, %0 : f32
    %2 = arith.addf %1, %o : f32
    linalg.yield %2 : f32
  }} -> ROW
  %r = linalg.generic {_SHIFT_SCALE} ins(%x, %sum, %squares : MATRIX, ROW, ROW) outs(%empty : MATRIX) {{
  ^bb0(%a: f32, %s: f32, %q: f32, %o: f32):
    %m = arith.divf %s, %n : f32
    %0 = arith.subf %a, %m : f32
    %1 = arith.divf %q, %n : f32
    %2 = arith.addf %1, %eps : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.mulf %0, %3 : f32
    linalg.yield %4 : f32
  }} -> MATRIX
"""


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _rms_norm(x: np.ndarray) -> np.ndarray:
    return x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6)


def _layer_norm(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)


KERNELS = (
    _elementwise("vec-add", "f32", 2, 2.2, "%r = arith.addf %a, %b : f32", lambda a, b: a + b),
    _elementwise("vec-add", "f16", 2, 2.2, "%r = arith.addf %a, %b : f16", lambda a, b: a + b, compute="f16"),
    _elementwise("exp", "f32", 1, 11, "%r = math.exp %a : f32", np.exp),
    _elementwise("division", "f32", 2, 8, "%r = arith.divf %a, %b : f32", lambda a, b: a / b),
    _elementwise("gelu", "f32", 1, 30, _GELU, _gelu),
    _elementwise("gelu", "f16", 1, 22, _GELU, _gelu),
    _elementwise("silu", "f32", 1, 16, _SILU, lambda x: x / (1 + np.exp(-x))),
    _elementwise("silu", "f16", 1, 0, _SILU, lambda x: x / (1 + np.exp(-x))),
    _rows("softmax", 22, _SOFTMAX, _softmax),
    _rows("softmax short", 0, _SOFTMAX, _softmax, rows=64, columns=781),
    _rows("rms-norm", 5, _RMS, _rms_norm),
    _rows("rms-norm short", 0, _RMS, _rms_norm, rows=127, columns=513),
    _rows("layer-norm", 8, _LAYER, _layer_norm),
)
