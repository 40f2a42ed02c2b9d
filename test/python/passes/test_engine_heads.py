"""`hexagon-matrix-engine`: results that are cut into heads go to where they are read, block by block."""

import numpy as np
import pytest
from batch import after, on_host

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.matrix_engine.heads import Heads, read_heads
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_matmul

pytestmark = pytest.mark.only_values


def projected(rows: int, width: int, first: tuple[int, ...], count: int, steps: int = 70, read: str = "(m, h, w)",
              written: str = "(h, m, w)", returned: bool = False) -> str:
    """A linear layer of ``rows`` whose columns from each of ``first`` on are copied as ``count`` heads."""
    columns = max(first) + count * width
    order = [{"m": rows, "h": count, "w": width}[name] for name in written[1:-1].split(", ")]
    shape = "x".join(map(str, order))
    cuts = "".join(f"""
      %s{n} = tensor.extract_slice %g[0, 0, {start}] [1, {rows}, {count * width}] [1, 1, 1]
          : tensor<1x{rows}x{columns}xf16> to tensor<{rows}x{count * width}xf16>
      %x{n} = tensor.expand_shape %s{n} [[0], [1, 2]] output_shape [{rows}, {count}, {width}]
          : tensor<{rows}x{count * width}xf16> into tensor<{rows}x{count}x{width}xf16>
      %o{n} = tensor.empty() : tensor<{shape}xf16>
      %r{n} = linalg.generic {{indexing_maps = [affine_map<{written} -> {read}>, affine_map<{written} -> {written}>],
          iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%x{n} : tensor<{rows}x{count}x{width}xf16>) outs(%o{n} : tensor<{shape}xf16>) {{
        ^bb0(%v: f16, %old: f16):
          linalg.yield %v : f16
      }} -> tensor<{shape}xf16>""" for n, start in enumerate(first))
    types = [f"tensor<{shape}xf16>"] * len(first) + [f"tensor<{rows}x{columns}xf16>"] * returned
    values = [f"%r{n}" for n in range(len(first))] + ["%b"] * returned
    return f"""
    func.func @f(%p: tensor<{rows}x{steps}xf16>, %q: tensor<{steps}x{columns}xf16>, %c: tensor<{columns}xf16>)
        -> ({", ".join(types)}) {{
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<{rows}x{columns}xf32>
      %h = tensor.empty() : tensor<{rows}x{columns}xf16>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
      %0 = linalg.matmul ins(%p, %q : tensor<{rows}x{steps}xf16>, tensor<{steps}x{columns}xf16>)
          outs(%i : tensor<{rows}x{columns}xf32>) -> tensor<{rows}x{columns}xf32>
      %b = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
          affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
          ins(%0, %c : tensor<{rows}x{columns}xf32>, tensor<{columns}xf16>) outs(%h : tensor<{rows}x{columns}xf16>) {{
        ^bb0(%x: f32, %y: f16, %old: f16):
          %t = arith.truncf %x : f32 to f16
          %u = arith.addf %t, %y : f16
          linalg.yield %u : f16
      }} -> tensor<{rows}x{columns}xf16>
      %g = tensor.expand_shape %b [[0, 1], [2]] output_shape [1, {rows}, {columns}]
          : tensor<{rows}x{columns}xf16> into tensor<1x{rows}x{columns}xf16>{cuts}
      return {", ".join(values)} : {", ".join(types)}
    }}"""


def operands(rows: int, columns: int, steps: int = 70) -> list[np.ndarray]:
    rng = np.random.default_rng(columns)
    return [rng.normal(0, 1, shape).astype(np.float16) for shape in ((rows, steps), (steps, columns), (columns,))]


def expected(arrays: list[np.ndarray], first: int, count: int, width: int) -> np.ndarray:
    left, right, bias = (array.astype(np.float64) for array in arrays)
    cut = (left @ right + bias)[:, first:first + count * width]
    return cut.reshape(len(left), count, width).transpose(1, 0, 2)


CASES = [(45, 64, (0, 128, 256), 2), (200, 64, (0, 192), 3), (64, 32, (64, 0), 4), (33, 128, (128,), 2)]
"""Rows, width, first columns, heads: blocks of several and of one, heads that overlap, columns that nothing reads."""
ALWAYS = PassStep(registry.get("hexagon-matrix-engine")(always=True))


@pytest.mark.parametrize(("rows", "width", "first", "count"), CASES)
def test_on_the_host(rows, width, first, count):
    """No copy of the whole result is left."""
    text = projected(rows, width, first, count)
    arrays = operands(rows, max(first) + count * width)
    module, _ = after(text, [ALWAYS])
    assert f"into tensor<{count}x{rows}x{width}xf16>" in to_text(module)
    assert f"tensor<{rows}x{count}x{width}xf16>" not in to_text(module)
    for got, start in zip(on_host(module, ["f"])("f", arrays), first, strict=True):
        np.testing.assert_allclose(got.astype(np.float64), expected(arrays, start, count, width), 2.0**-11, 2.0**-10)


def test_on_the_simulator():
    """A block of several heads goes to two results."""
    rows, width, first, count = 200, 64, (0, 192), 3
    steps = list(pipelines.get("default", targets.get("v75")))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    module, _ = after(projected(rows, width, first, count), [*steps[:place], ALWAYS, *steps[place + 1:]])
    asm = emit(translate_to_llvm_ir(module), targets.get("v75"))
    arrays = operands(rows, 384)
    results = [np.full((count, rows, width), 99, np.float16) for _ in first]
    launch(asm, "f", [*arrays, *results], None)
    for got, start in zip(results, first, strict=True):
        np.testing.assert_allclose(got.astype(np.float64), expected(arrays, start, count, width), 2.0**-11, 2.0**-10)


@pytest.mark.parametrize(("text", "found"), [
    (projected(40, 64, (0,), 2), True), (projected(40, 48, (0,), 2), False),
    (projected(40, 64, (64, 0), 2), True), (projected(40, 64, (32,), 2), False),
    (projected(40, 64, (0,), 2, written="(h, w, m)"), False), (projected(40, 64, (0,), 2, returned=True), False)])
def test_what_are_heads(text, found):
    """Heads of whole tiles from a multiple of their width on, in rows, that alone read the result."""
    module, _ = after(text, [])
    op, = ops_named(module, "linalg.matmul")
    with module.context:
        matmul = read_matmul(op)
        assert isinstance(matmul, Matmul)
        assert (read_heads(matmul) is not None) == found


def test_columns_of_a_block_that_a_head_has():
    heads = Heads(None, 128, 3, 64, ())  # columns 128 to 319
    assert [heads.cut(*block) for block in ((0, 128), (0, 192), (128, 64), (256, 256), (320, 64))] == [
        None, (128, 192), (128, 192), (256, 320), None]
