"""`fold-factor-casts`: PyTorch's product of widened matrices is the matrix engine's, and as exact as on HVX."""

import numpy as np
import torch
from batch import after, on_host

import hexagon_mlir as hx
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry

STEPS = [PassStep(registry.get("fold-factor-casts")(always=True))]
PRODUCT = """
  #same = affine_map<(i, j) -> (i, j)>
  func.func @f(%a: tensor<5x7xf16>, %b: tensor<7x3xf16>) -> (tensor<5x3xf32>, tensor<5x7xf32>) {
    %z = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<5x7xf32>
    %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<5x7xf16>) outs(%0 : tensor<5x7xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
    } -> tensor<5x7xf32>
    %2 = tensor.empty() : tensor<7x3xf32>
    %3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
        ins(%b : tensor<7x3xf16>) outs(%2 : tensor<7x3xf32>) {
    ^bb0(%x: f16, %old: f32):
      %w = arith.extf %x : f16 to f32
      linalg.yield %w : f32
    } -> tensor<7x3xf32>
    %c = tensor.empty() : tensor<5x3xf32>
    %start = linalg.fill ins(%z : f32) outs(%c : tensor<5x3xf32>) -> tensor<5x3xf32>
    %4 = linalg.matmul ins(%1, %3 : tensor<5x7xf32>, tensor<7x3xf32>) outs(%start : tensor<5x3xf32>) -> tensor<5x3xf32>
    return %4, %1 : tensor<5x3xf32>, tensor<5x7xf32>
  }"""


class Product(torch.nn.Module):
    def forward(self, a, b):
        return a.float() @ b.float()


def test_a_widened_factor_that_is_also_a_result_stays():
    module, _ = after(PRODUCT, STEPS)
    assert "ins(%arg0, %arg1 : tensor<5x7xf16>, tensor<7x3xf16>)" in to_text(module)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((5, 7), (7, 3)))
    product, wide = on_host(module, ["f"])("f", [a, b])
    np.testing.assert_array_equal(wide, a.astype(np.float32))
    np.testing.assert_allclose(product, a.astype(np.float64) @ b.astype(np.float64), atol=1e-6)


def test_torch_product():
    torch.manual_seed(0)
    a, b = (torch.randn(shape).half() for shape in ((100, 130), (130, 90)))
    model = hx.compile(torch.export.export(Product(), (a, b)))
    assert any("hexmlir_engine_hf_pieces" in kernel.asm for kernel in model.schedule.kernels)
    found = model(a, b)
    exact = a.double() @ b.double()
    assert found.dtype == torch.float32
    assert ((found - exact).abs() <= 2**-22 * (a.double().abs() @ b.double().abs())).all()


def test_a_factor_that_is_transposed_as_it_is_widened_is_read_transposed():
    """Nothing is copied; values of a matrix that is no square."""
    start, end = PRODUCT.split("%2 = ")
    end = end.replace("#same, #same", "affine_map<(i, j) -> (j, i)>, #same")
    end = end.replace("%b : tensor<7x3", "%b : tensor<3x7")
    text = start.replace("%b: tensor<7x3", "%b: tensor<3x7") + "%2 = " + end
    module, _ = after(text, STEPS)
    assert "ins(%arg0, %arg1 : tensor<5x7xf16>, tensor<3x7xf16>)" in to_text(module)
    assert to_text(module).count("linalg.generic") == 2  # the product, and the factor that is a result
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((5, 7), (3, 7)))
    product, _ = on_host(module, ["f"])("f", [a, b])
    np.testing.assert_allclose(product, a.astype(np.float64) @ b.T.astype(np.float64), atol=1e-6)


def test_torch_product_of_bf16_by_a_transposed_matrix():
    """On the engine, which rounds to f16; then rounded to bf16."""
    torch.manual_seed(0)
    a, b = (torch.randn(shape).bfloat16() for shape in ((128, 200), (160, 200)))

    class Transposed(torch.nn.Module):
        def forward(self, a, b):
            return a @ b.mT

    model = hx.compile(torch.export.export(Transposed(), (a, b)))
    found, exact = model(a, b).double(), a.double() @ b.double().mT
    assert model.last_run.launches[-1].result.matrix.macs > 0
    sizes = a.double().abs() @ b.double().mT.abs()
    assert ((found - exact).abs() <= (2**-8 + 2**-11) * exact.abs() + 2**-20 * sizes).all()
