"""Products of bytes on several threads: each still multiplies four at a time (vrmpy)."""

import numpy as np
import pytest

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.registry import get
from hexagon_mlir.pass_infra.runner import RunOptions, run_steps
from hexagon_mlir.passes.virtual_threads.byte_products import ByteProduct
from hexagon_mlir.settings import Settings

V75 = targets.get("v75")
PRODUCT = """func.func @f(%a: tensor<{m}x{k}x{factor}>, %b: tensor<{k}x{n}x{factor}>) -> tensor<{m}x{n}x{sum}> {{
  %zero = arith.constant 0{point} : {sum}
  %e = tensor.empty() : tensor<{m}x{n}x{sum}>
  %s = linalg.fill ins(%zero : {sum}) outs(%e : tensor<{m}x{n}x{sum}>) -> tensor<{m}x{n}x{sum}>
  %y = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{factor}>, tensor<{k}x{n}x{factor}>)
      outs(%s : tensor<{m}x{n}x{sum}>) -> tensor<{m}x{n}x{sum}>
  return %y : tensor<{m}x{n}x{sum}>
}}
"""


def module_of(m, k, n, factor="i8"):
    """The product as a module."""
    sums = {"i8": ("i32", ""), "f32": ("f32", ".0")}[factor]
    module = parse(PRODUCT.format(m=m, k=k, n=n, factor=factor, sum=sums[0], point=sums[1]))
    set_index_bits(module)
    return module


@pytest.mark.parametrize(("m", "k", "n", "most"), [
    (11, 234, 29, 8000),  # 16,950 cycles with the reduction split, whose parts have no known length
    (139, 4, 185, 20000),  # 61,507 with one word in straight-line code
    (157, 13, 354, 20000),  # 75,963 with four words in straight-line code
    (8, 260, 1000, 45000),  # 92,777 with columns in unequal chunks whose bytes are multiplied one by one
    (3, 5, 9, 2500),
])
def test_values_and_cycles(m, k, n, most):
    module = module_of(m, k, n)
    run_steps(module, pipelines.get("default", V75, Settings(matrix_engine=False)), PassContext(V75), RunOptions())
    random = np.random.default_rng(0)
    left, right = (random.integers(-128, 128, shape, np.int8) for shape in ((m, k), (k, n)))
    left[0], right[:, 0] = -128, -128
    result = np.zeros((m, n), np.int32)
    cycles = launch(emit(translate_to_llvm_ir(module), V75), "f", [left, right, result], None).cycles
    np.testing.assert_array_equal(result, left.astype(np.int32) @ right.astype(np.int32))
    assert cycles < most


def test_reductions_of_bytes_stay_whole():
    """Those of floats are split."""
    for factor, is_whole in (("i8", True), ("f32", False)):
        module = module_of(11, 234, 29, factor)
        run_steps(module, [PassStep(get("form-virtual-threads")())], PassContext(V75))
        assert ("tensor<?x29x" not in str(module)) == is_whole


def test_chunks_of_a_reduction_are_equal_or_none():
    product = ByteProduct(100.0, frozenset({2}))
    assert product.allows((2,), (4,), (8, 8, 12))
    assert not product.allows((2,), (8,), (8, 8, 12))
    assert product.allows((0, 1), (3, 5), (8, 8, 12))
