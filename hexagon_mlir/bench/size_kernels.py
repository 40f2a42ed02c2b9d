"""Kernels as linalg on tensors whose sizes are numbers or known at run time, with numpy inputs and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import erf

import numpy as np

Sizes = Sequence[int | None]
"""None: known at run time."""


@dataclass(frozen=True)
class SizeKernel:
    """``text`` writes the kernel of ``rank`` sizes, each at most ``most``; ``shapes`` are those of its arguments."""

    name: str
    rank: int
    most: int
    text: Callable[[Sizes], str]
    shapes: Callable[[Sequence[int]], Sequence[tuple[int, ...]]]
    reference: Callable[..., np.ndarray]
    """In f64."""

    def inputs(self, sizes: Sequence[int], rng: np.random.Generator) -> list[np.ndarray]:
        """Arrays of f32 of the kernel's arguments."""
        return [rng.standard_normal(shape).astype(np.float32) for shape in self.shapes(sizes)]


def _type(sizes: Sizes) -> str:
    return f"tensor<{'x'.join(['?' if size is None else str(size) for size in sizes])}xf32>"


def _dims(value: str, sizes: Sizes, prefix: str) -> tuple[str, list[str]]:
    """Lines that read the sizes of ``value`` that are known at run time, and their names."""
    names = [f"%{prefix}{at}" for at, size in enumerate(sizes) if size is None]
    lines = [f"%i{prefix}{at} = arith.constant {at} : index\n"
             f"%{prefix}{at} = tensor.dim {value}, %i{prefix}{at} : {_type(sizes)}"
             for at, size in enumerate(sizes) if size is None]
    return "\n".join(lines), names


def elementwise(body: str, inputs: int) -> Callable[[Sizes], str]:
    """The text of a kernel of ``inputs`` tensors of the same sizes: ``body`` computes %r of the elements %a0, ..."""
    def text(sizes: Sizes) -> str:
        type_, loops = _type(sizes), ", ".join(f"d{at}" for at in range(len(sizes)))
        dims, names = _dims("%x0", sizes, "n")
        values = [f"%x{at}" for at in range(inputs)]
        return f"""func.func @kernel({', '.join(f'{value}: {type_}' for value in values)}) -> {type_} {{
          {dims}
          %e = tensor.empty({', '.join(names)}) : {type_}
          %0 = linalg.generic {{
              indexing_maps = [{', '.join([f'affine_map<({loops}) -> ({loops})>'] * (inputs + 1))}],
              iterator_types = [{', '.join(['"parallel"'] * len(sizes))}]}}
              ins({', '.join(values)} : {', '.join([type_] * inputs)}) outs(%e : {type_}) {{
            ^bb0({', '.join(f'%a{at}: f32' for at in range(inputs))}, %old: f32):
              {body}
              linalg.yield %r : f32
          }} -> {type_}
          return %0 : {type_}
        }}"""
    return text


def _softmax(sizes: Sizes) -> str:
    type_, (dims, names) = _type(sizes), _dims("%x", sizes, "n")
    return f"""func.func @kernel(%x: {type_}) -> {type_} {{
      {dims}
      %e = tensor.empty({', '.join(names)}) : {type_}
      %0 = linalg.softmax dimension({len(sizes) - 1}) ins(%x : {type_}) outs(%e : {type_}) -> {type_}
      return %0 : {type_}
    }}"""


def _start_of_norm(sizes: Sizes) -> str:
    """What norms of the rows of %x begin with: the length of a row, %n; room for the result, %e; zeros, %f."""
    type_, row, (dims, names) = _type(sizes), _type(sizes[:1]), _dims("%x", sizes, "n")
    count = "%in1 = arith.constant 1 : index\n%n1 = tensor.dim %x, %in1 : " + type_ if sizes[1] is not None else ""
    return f"""{dims}
      {count}
      %z = arith.constant 0.0 : f32
      %little = arith.constant 1.0e-5 : f32
      %i = arith.index_cast %n1 : index to i32
      %n = arith.sitofp %i : i32 to f32
      %e = tensor.empty({', '.join(names)}) : {type_}
      %r = tensor.empty({', '.join(names[:sizes[0] is None])}) : {row}
      %f = linalg.fill ins(%z : f32) outs(%r : {row}) -> {row}"""


def _rms_norm(sizes: Sizes) -> str:
    type_, row = _type(sizes), _type(sizes[:1])
    return f"""func.func @kernel(%x: {type_}) -> {type_} {{
      {_start_of_norm(sizes)}
      %s = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
                            iterator_types = ["parallel", "reduction"]}} ins(%x : {type_}) outs(%f : {row}) {{
        ^bb0(%a: f32, %old: f32):
          %q = arith.mulf %a, %a : f32
          %t = arith.addf %q, %old : f32
          linalg.yield %t : f32
      }} -> {row}
      %0 = linalg.generic {{
          indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
          iterator_types = ["parallel", "parallel"]}} ins(%x, %s : {type_}, {row}) outs(%e : {type_}) {{
        ^bb0(%a: f32, %sum: f32, %old: f32):
          %m = arith.divf %sum, %n : f32
          %p = arith.addf %m, %little : f32
          %k = math.rsqrt %p : f32
          %y = arith.mulf %a, %k : f32
          linalg.yield %y : f32
      }} -> {type_}
      return %0 : {type_}
    }}"""


def _matmul(sizes: Sizes) -> str:
    m, k, n = sizes
    a, b, c = _type((m, k)), _type((k, n)), _type((m, n))
    rows, row = _dims("%a", (m, 1 if k is None else k), "m")
    columns, column = _dims("%b", (1 if k is None else k, n), "n")
    rows, columns = rows.replace(_type((m, 1)), a), columns.replace(_type((1, n)), b)
    return f"""func.func @kernel(%a: {a}, %b: {b}) -> {c} {{
      {rows}
      {columns}
      %z = arith.constant 0.0 : f32
      %e = tensor.empty({', '.join([*row, *column])}) : {c}
      %f = linalg.fill ins(%z : f32) outs(%e : {c}) -> {c}
      %0 = linalg.matmul ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
      return %0 : {c}
    }}"""


def _layer_norm(sizes: Sizes) -> str:
    type_, row = _type(sizes), _type(sizes[:1])
    whole, of_row = "affine_map<(a, b) -> (a, b)>", "affine_map<(a, b) -> (a)>"
    return f"""func.func @kernel(%x: {type_}) -> {type_} {{
      {_start_of_norm(sizes)}
      %s = linalg.generic {{indexing_maps = [{whole}, {of_row}], iterator_types = ["parallel", "reduction"]}}
          ins(%x : {type_}) outs(%f : {row}) {{
        ^bb0(%a: f32, %old: f32):
          %t = arith.addf %a, %old : f32
          linalg.yield %t : f32
      }} -> {row}
      %q = linalg.generic {{indexing_maps = [{whole}, {of_row}, {of_row}], iterator_types = ["parallel", "reduction"]}}
          ins(%x, %s : {type_}, {row}) outs(%f : {row}) {{
        ^bb0(%a: f32, %sum: f32, %old: f32):
          %m = arith.divf %sum, %n : f32
          %d = arith.subf %a, %m : f32
          %p = arith.mulf %d, %d : f32
          %t = arith.addf %p, %old : f32
          linalg.yield %t : f32
      }} -> {row}
      %0 = linalg.generic {{indexing_maps = [{whole}, {of_row}, {of_row}, {whole}],
                            iterator_types = ["parallel", "parallel"]}}
          ins(%x, %s, %q : {type_}, {row}, {row}) outs(%e : {type_}) {{
        ^bb0(%a: f32, %sum: f32, %squares: f32, %old: f32):
          %m = arith.divf %sum, %n : f32
          %d = arith.subf %a, %m : f32
          %v = arith.divf %squares, %n : f32
          %p = arith.addf %v, %little : f32
          %k = math.rsqrt %p : f32
          %y = arith.mulf %d, %k : f32
          linalg.yield %y : f32
      }} -> {type_}
      return %0 : {type_}
    }}"""


_WIDTH = 64
"""Elements of a query."""


def _attention(sizes: Sizes) -> str:
    tokens, scores = _type((sizes[0], _WIDTH)), _type((sizes[0], sizes[0]))
    dims, names = _dims("%q", (sizes[0], _WIDTH), "n")
    return f"""func.func @kernel(%q: {tokens}, %k: {tokens}, %v: {tokens}) -> {tokens} {{
      {dims}
      %z = arith.constant 0.0 : f32
      %scale = arith.constant {_WIDTH ** -0.5} : f32
      %e = tensor.empty({', '.join(names * 2)}) : {scores}
      %f = linalg.fill ins(%z : f32) outs(%e : {scores}) -> {scores}
      %s = linalg.generic {{
          indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>,
                           affine_map<(m, n, d) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"]}} ins(%q, %k : {tokens}, {tokens})
          outs(%f : {scores}) {{
        ^bb0(%a: f32, %b: f32, %old: f32):
          %p = arith.mulf %a, %b : f32
          %r = arith.mulf %p, %scale : f32
          %t = arith.addf %old, %r : f32
          linalg.yield %t : f32
      }} -> {scores}
      %p = linalg.softmax dimension(1) ins(%s : {scores}) outs(%e : {scores}) -> {scores}
      %o = tensor.empty({', '.join(names)}) : {tokens}
      %g = linalg.fill ins(%z : f32) outs(%o : {tokens}) -> {tokens}
      %0 = linalg.matmul ins(%p, %v : {scores}, {tokens}) outs(%g : {tokens}) -> {tokens}
      return %0 : {tokens}
    }}"""


def _attention_rows(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    return _softmax_rows(q @ k.T * _WIDTH ** -0.5) @ v


_CHANNELS = 16


def _convolution_shapes(sizes: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    height, width = sizes
    return ((1, height + 2, width + 2, _CHANNELS), (3, 3, _CHANNELS, _CHANNELS), (1, height, width, _CHANNELS))


def _convolution(sizes: Sizes) -> str:
    image = _type((1, *(None if size is None else size + 2 for size in sizes), _CHANNELS))
    result, filters = _type((1, *sizes, _CHANNELS)), _type((3, 3, _CHANNELS, _CHANNELS))
    return f"""func.func @kernel(%x: {image}, %w: {filters}, %out: {result}) -> {result} {{
      %z = arith.constant 0.0 : f32
      %f = linalg.fill ins(%z : f32) outs(%out : {result}) -> {result}
      %0 = linalg.conv_2d_nhwc_hwcf {{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}}
          ins(%x, %w : {image}, {filters}) outs(%f : {result}) -> {result}
      return %0 : {result}
    }}"""


def _convolved(x: np.ndarray, w: np.ndarray, out: np.ndarray) -> np.ndarray:
    height, width = x.shape[1] - 2, x.shape[2] - 2
    return sum((x[:, i:i + height, j:j + width] @ w[i, j] for i in range(3) for j in range(3)), 0 * out)


_GELU = """%h = arith.constant 0.5 : f32
              %one = arith.constant 1.0 : f32
              %q = arith.constant 0.70710678 : f32
              %u = arith.mulf %a0, %q : f32
              %v = math.erf %u : f32
              %w = arith.addf %v, %one : f32
              %y = arith.mulf %a0, %w : f32
              %r = arith.mulf %y, %h : f32"""


def _gelu(x: np.ndarray) -> np.ndarray:
    return x * 0.5 * (1 + np.vectorize(erf, otypes=[float])(x * 0.70710678))


def _softmax_rows(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


KERNELS = (
    SizeKernel("vector add", 2, 700, elementwise("%r = arith.addf %a0, %a1 : f32", 2), lambda s: (tuple(s),) * 2,
               np.add),
    SizeKernel("GELU", 2, 600, elementwise(_GELU, 1), lambda s: (tuple(s),), _gelu),
    SizeKernel("softmax", 2, 600, _softmax, lambda s: (tuple(s),), _softmax_rows),
    SizeKernel("RMS norm", 2, 600, _rms_norm, lambda s: (tuple(s),),
               lambda x: x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5)),
    SizeKernel("layer norm", 2, 600, _layer_norm, lambda s: (tuple(s),),
               lambda x: (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)),
    SizeKernel("attention", 1, 600, _attention, lambda s: ((s[0], _WIDTH),) * 3, _attention_rows),
    SizeKernel("convolution 3x3", 2, 64, _convolution, _convolution_shapes, _convolved),
    SizeKernel("matmul", 3, 300, _matmul, lambda s: ((s[0], s[1]), (s[1], s[2])), np.matmul),
)
