"""Models that quantize their rows while they run multiply bytes."""

import pytest
import torch
import torchao.quantization as torchao
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.graph import dtype_of
from hexagon_mlir.frontend.torch.kernels.integers import integer_product
from hexagon_mlir.frontend.torch.passes import run_passes
from hexagon_mlir.quantization.quantizer import HexagonQuantizer

pytestmark = pytest.mark.only_values

ROWS, WIDTH, HIDDEN = 5, 70, 41


def layers():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(WIDTH, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 19)).eval()


def exported(model, x):
    with torch.no_grad():
        prepared = prepare_pt2e(torch.export.export(model, (x,)).module(), HexagonQuantizer(dynamic=True))
        prepared(x)
        return torch.export.export(convert_pt2e(prepared), (x,))


def of_torchao(model, x):
    torchao.quantize_(model, torchao.Int8DynamicActivationInt8WeightConfig())
    return torch.export.export(model, (x,))


def rows():
    x = torch.randn(ROWS, WIDTH, generator=torch.Generator().manual_seed(1))
    x[1], x[2] = 0, x[2].abs() + 3
    x[3, 4] = 50.0
    return x


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("quantize", [exported, of_torchao])
def test_values(quantize):
    """A number within a rounding of the middle of two bytes may be either: of torchao, the largest of a row always."""
    x = rows()
    program = quantize(layers(), x)
    got, expected = hx.compile(program)(x), program.module()(x)
    bound = 1e-5 if quantize is exported else 0.5 * 50 / 127  # half a step of the widest row
    assert (got - expected).abs().max() < bound
    assert (got - expected).abs().median() < 1e-6
    graph = from_exported(program)
    run_passes(graph)
    products = [node for node in graph.graph.nodes if node.target == integer_product]
    assert len(products) == 2
    assert all(dtype_of(node.args[1]) == torch.int8 and dtype_of(node.args[0]) in (torch.int8, torch.uint8)
               for node in products)


def test_rounding_under_the_arithmetic_of_the_chip():
    """Zero points are added to integers: a sum of floats would be rounded once more."""
    x = torch.randn(16, 128, generator=torch.Generator().manual_seed(2))

    class Bytes(nn.Module):
        def forward(self, x):
            scale = (x.amax() - x.amin()).reshape(1) / 255
            return torch.ops.quantized_decomposed.quantize_per_tensor.tensor(
                x, scale, torch.tensor([117]), 0, 255, torch.uint8)

    program = torch.export.export(Bytes(), (x,))
    got, expected = hx.compile(program)(x), program.module()(x)
    assert (got.int() - expected.int()).abs().max() <= 1 and (got != expected).sum() <= 2


def test_products_of_bytes():
    class Product(nn.Module):
        def forward(self, x, y):
            return torch._int_mm(x, y)

    generator = torch.Generator().manual_seed(3)
    x, y = (torch.randint(-128, 128, shape, generator=generator).to(torch.int8) for shape in ((21, 48), (48, 40)))
    x[0], y[:, 0] = -128, -128
    assert torch.equal(hx.compile(torch.export.export(Product(), (x, y)))(x, y), x.int() @ y.int())
