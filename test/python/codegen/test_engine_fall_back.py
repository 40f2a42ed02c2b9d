"""Programs whose tiles do not fit TCM together are compiled without the matrix engine."""

import numpy as np

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.settings import Settings

SIZE, STEPS = 128, 3


def products(count):
    """``count`` products in a row of each iteration of a loop, whose buffers all live as long as the loop."""
    matrix, whole = f"tensor<{SIZE}x{SIZE}xf16>", f"tensor<{STEPS}x{SIZE}x{SIZE}xf16>"
    slices = f"[%i, 0, 0] [1, {SIZE}, {SIZE}] [1, 1, 1]"
    lines = [f"%0 = tensor.extract_slice %a{slices} : {whole} to {matrix}"]
    for number in range(count):
        lines.append(f"%{number + 1} = linalg.matmul ins(%{number}, %b : {matrix}, {matrix}) outs(%zeros : {matrix}) "
                     f"-> {matrix}")
    body = "\n    ".join(lines)
    return f"""
func.func @f(%a: {whole}, %b: {matrix}) -> {whole} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant {STEPS} : index
  %zero = arith.constant 0.0 : f16
  %none = tensor.empty() : {matrix}
  %zeros = linalg.fill ins(%zero : f16) outs(%none : {matrix}) -> {matrix}
  %start = tensor.empty() : {whole}
  %result = scf.for %i = %c0 to %steps step %c1 iter_args(%out = %start) -> {whole} {{
    {body}
    %next = tensor.insert_slice %{count} into %out{slices} : {matrix} into {whole}
    scf.yield %next : {whole}
  }}
  return %result : {whole}
}}
"""


def run(tcm_bytes):
    compiled = compile_module(parse(products(3)), settings=Settings(tcm_bytes=tcm_bytes))
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, (STEPS, SIZE, SIZE)).astype(np.float16), rng.normal(0, 0.1, (SIZE, SIZE)).astype(np.float16)
    out = np.zeros_like(a)
    result = launch(compiled.asm, "f", [a, b, out], None)
    exact = a.astype(np.float64)
    for _ in range(3):
        exact = exact @ b.astype(np.float64)
    np.testing.assert_allclose(out, exact, rtol=0, atol=2e-2)
    return result, [str(remark) for remark in compiled.remarks]


def test_tiles_that_fit_are_multiplied_by_the_engine():
    result, remarks = run(0)
    assert result.matrix is not None
    assert not any("compiled again" in remark for remark in remarks)


def test_tiles_that_do_not_fit_are_not():
    """Each product fits, all that the loop holds does not."""
    result, remarks = run(300 << 10)
    assert result.matrix is None
    found = [remark for remark in remarks if "compiled again without the engine" in remark]
    assert len(found) == 1
    assert "16384 bytes do not fit together with the live buffers into 305152 bytes of TCM" in found[0]


def test_smaller_blocks_are_tried_before():
    """Blocks that fit the estimate, but leave gaps that no buffer fits into: the result is extended to f32."""
    left, right, wide = "tensor<512x768xf16>", "tensor<128x24x16x32x2xf16>", "tensor<512x4096xf32>"
    compiled = compile_module(parse(f"""func.func @f(%a: {left}, %p: {right}) -> {wide} {{
      %zero = arith.constant 0.0 : f32
      %b = "hexagon.weight_matrix"(%p) : ({right}) -> tensor<768x4096xf16>
      %none = tensor.empty() : {wide}
      %zeros = linalg.fill ins(%zero : f32) outs(%none : {wide}) -> {wide}
      %0 = linalg.matmul ins(%a, %b : {left}, tensor<768x4096xf16>) outs(%zeros : {wide}) -> {wide}
      %1 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
          iterator_types = ["parallel", "parallel"]}} ins(%0 : {wide}) outs(%none : {wide}) {{
        ^bb0(%x: f32, %old: f32):
          %r = arith.truncf %x : f32 to f16
          %y = arith.extf %r : f16 to f32
          linalg.yield %y : f32
      }} -> {wide}
      return %1 : {wide}
    }}"""))
    assert "activation.hf" in compiled.asm
    assert not any("compiled again" in str(remark) for remark in compiled.remarks)
