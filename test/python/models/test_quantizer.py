"""PyTorch's export flow for quantized models, with the project's quantizer."""

import pytest
import torch
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.graph import dtype_of
from hexagon_mlir.frontend.torch.passes import run_passes
from hexagon_mlir.quantization.quantizer import HexagonQuantizer


class Block(nn.Module):
    """A residual block, pooling and a head."""

    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.body, self.head = nn.Conv2d(8, 8, 3, padding=1), nn.Linear(16, 5)

    def forward(self, x):
        x = torch.relu(self.norm(self.stem(x)))
        x = torch.relu(x + self.body(x))
        x = torch.cat([nn.functional.max_pool2d(x, 2), torch.sigmoid(self.body(x))[:, :, ::2, ::2]], 1)
        return self.head(nn.functional.adaptive_avg_pool2d(x, 1).flatten(1))


def quantized(model, x, **options):
    with torch.no_grad():
        prepared = prepare_pt2e(torch.export.export(model, (x,)).module(), HexagonQuantizer(**options))
        prepared(x)
        return torch.export.export(convert_pt2e(prepared), (x,))


def conversions(program, kind):
    return sum(str(node.target).startswith(f"quantized_decomposed.{kind}") for node in program.graph.nodes)


def test_a_quantized_model():
    torch.manual_seed(0)
    model, x = Block().eval(), torch.randn(2, 3, 8, 8)
    program = quantized(model, x)
    graph = from_exported(program)
    run_passes(graph)
    kinds = [dtype_of(node) for node in graph.graph.nodes if node.op == "call_function"]
    between = kinds[kinds.index(torch.uint8):-2]  # the last calls convert the result
    assert torch.float32 not in between
    got, expected = hx.compile(program)(x), program.module()(x)
    step = max(node.args[1] for node in program.graph.nodes
               if str(node.target).startswith("quantized_decomposed.dequantize_per_tensor") and node.args[0].users)
    assert (got - expected).abs().max() < 1.01 * step
    with torch.no_grad():
        exact = model(x)
    assert (got - exact).norm() < 0.03 * exact.norm()


@pytest.mark.parametrize(("options", "products"), [({}, 4), ({"skip": ("stem", "head")}, 2), ({"skip": ("",)}, 0)])
def test_modules_that_stay_f32(options, products):
    torch.manual_seed(0)
    program = quantized(Block().eval(), torch.randn(2, 3, 8, 8), **options)
    assert conversions(program, "dequantize_per_channel") == products
