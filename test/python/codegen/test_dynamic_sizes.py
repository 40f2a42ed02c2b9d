"""Sizes that are known when a kernel is called: from the arrays, checked against each other, vector code with tails."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.codegen.artifacts.c_interface import example, function_of
from hexagon_mlir.ir import HexError

CHAIN = """func.func @chain(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %b = linalg.broadcast ins(%w : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [0]
  %1 = arith.mulf %0, %b : tensor<?x?xf32>
  %f = tensor.empty(%n, %m) : tensor<?x?xf32>
  %t = linalg.transpose ins(%1 : tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) permutation = [1, 0]
  %h = arith.truncf %t : tensor<?x?xf32> to tensor<?x?xf16>
  return %1, %h : tensor<?x?xf32>, tensor<?x?xf16>
}
"""
PRODUCT = """func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x20xf32>, %c: tensor<?x20xf32>) -> tensor<?x20xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x20xf32>) outs(%c : tensor<?x20xf32>) -> tensor<?x20xf32>
  return %0 : tensor<?x20xf32>
}
"""
ROWS = """func.func @rows(%x: tensor<?x70xi16>, %y: tensor<70xi16>) -> tensor<70xi16> {
  %0 = linalg.reduce {arith.maxsi} ins(%x : tensor<?x70xi16>) outs(%y : tensor<70xi16>) dimensions = [0]
  return %0 : tensor<70xi16>
}
"""


@pytest.mark.parametrize("pipeline", ["default", "scalar"])
def test_softmax_transpose_and_broadcast(pipeline):
    kernel = hx.compile(CHAIN, pipeline=pipeline)
    assert ("vmem" in kernel.asm) == (pipeline == "default")
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (3, 33), (5, 100), (40, 64), (0, 5)):
        x, w = rng.normal(size=shape).astype(np.float32), rng.normal(size=shape[1]).astype(np.float32)
        e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True, initial=-1e9))
        expected = e / e.sum(axis=1, keepdims=True) * w
        plain, turned = kernel.run(x, w).outputs
        np.testing.assert_allclose(plain, expected, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(turned, expected.T, rtol=1e-3, atol=1e-6)


def test_product_and_reduction():
    product, rows = hx.compile(PRODUCT), hx.compile(ROWS)
    rng = np.random.default_rng(1)
    for m, k in ((1, 1), (9, 40), (4, 0), (0, 3)):
        a, b, c = (rng.normal(size=s).astype(np.float32) for s in ((m, k), (k, 20), (m, 20)))
        np.testing.assert_allclose(product.run(a, b, c).outputs[0], a.astype(np.float64) @ b + c, atol=1e-4)
    for m in (0, 1, 33):
        x, y = (rng.integers(-300, 300, s).astype(np.int16) for s in ((m, 70), (70,)))
        np.testing.assert_array_equal(rows.run(x, y).outputs[0], np.concatenate([x, y[None]]).max(axis=0))


@pytest.mark.ieee_arithmetic
def test_sizes_are_checked():
    kernel = hx.compile(PRODUCT)
    a, b, c = np.zeros((3, 4), np.float32), np.zeros((4, 20), np.float32), np.zeros((3, 20), np.float32)
    assert kernel.run(a, b, c).outputs[0].shape == (3, 20)
    with pytest.raises(HexError, match="sizes that are equal: dimension 1 of argument 0 is 4, dimension 0 of argument"):
        kernel.run(a, b[:3], c)
    with pytest.raises(HexError, match="sizes that are equal"):
        kernel.run(a, b, c[:2])
    with pytest.raises(HexError, match=r"argument 1 of product has shape \(4, 19\), compiled for \(\?, 20\)"):
        kernel.run(a, b[:, :19].copy(), c)
    fixed = hx.compile("func.func @f(%x: tensor<?xf32>, %y: tensor<8xf32>) -> tensor<?xf32> {\n"
                       "  %z = tensor.cast %y : tensor<8xf32> to tensor<?xf32>\n"
                       "  %0 = arith.addf %x, %z : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n")
    assert fixed.run(np.ones(8, np.float32), np.ones(8, np.float32)).outputs[0].tolist() == [2.0] * 8
    with pytest.raises(HexError, match="all 8"):
        fixed.run(np.ones(9, np.float32), np.ones(8, np.float32))


def test_a_result_of_unknown_size():
    with pytest.raises(HexError, match="dimension 0 of result 0 of f is not the size of an argument"):
        hx.compile("func.func @f(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {\n  %c = arith.constant 1.0 : f32\n"
                   "  %0 = tensor.splat %c[%n] : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n")


def test_the_c_function_takes_sizes_last():
    function = function_of(hx.compile(ROWS).interface, "v75")
    assert function.prototype == ("void rows(const int16_t *arg0, const int16_t *arg1, int16_t *result0, "
                                  "int32_t arg0_size0)")
    assert [p.remark for p in function.parameters] == ["arg0_size0 x 70 i16", "70 i16", "70 i16, written", "i32"]
    text = example(function, 128, "rows.h")
    assert "enum { arg0_size0 = 8 };" in text and "int16_t arg0[arg0_size0 * 70];" in text
    assert "rows(arg0, arg1, result0, arg0_size0);" in text
