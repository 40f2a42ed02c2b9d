"""Which types integers are multiplied in."""

import pytest
import torch
import torch.nn.functional as F

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.graph import dtype_of
from hexagon_mlir.frontend.torch.kernels.convolution import convolution
from hexagon_mlir.frontend.torch.kernels.integers import integer_product
from hexagon_mlir.frontend.torch.passes import run_passes

pytestmark = pytest.mark.only_values

GENERATOR = torch.Generator().manual_seed(9)
BYTE, UNSIGNED, SHORT, WORD, LONG = torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64


class Product(torch.nn.Module):
    """Both factors widened to ``wide``, less ``zero``."""

    def __init__(self, wide, zero=0, weight=None):
        super().__init__()
        self.wide, self.zero = wide, zero
        self.register_buffer("weight", weight)

    def forward(self, x, weight=None):
        weight = self.weight if weight is None else weight
        return (x.to(self.wide) - self.zero) @ weight.to(self.wide)


def graph_of(module, *inputs):
    graph = from_exported(torch.export.export(module, inputs))
    run_passes(graph)
    return graph


@pytest.mark.parametrize(("wide", "zero", "x", "weight", "multiplied"), [
    (WORD, 0, BYTE, BYTE, BYTE),
    (WORD, 0, UNSIGNED, BYTE, UNSIGNED),
    (WORD, 255, UNSIGNED, BYTE, UNSIGNED),
    (WORD, 256, UNSIGNED, BYTE, WORD),  # -256 .. -1: shown by no byte
    (WORD, -128, BYTE, BYTE, BYTE),
    (WORD, 128, BYTE, BYTE, WORD),
    (WORD, 0, BYTE, UNSIGNED, SHORT),
    (WORD, 0, SHORT, BYTE, SHORT),
    (LONG, 0, BYTE, BYTE, BYTE),
    (LONG, 0, SHORT, SHORT, None),  # sums may need 64 bits
    (LONG, 0, WORD, BYTE, None),
])
def test_width_of_the_factors(wide, zero, x, weight, multiplied):
    graph = graph_of(Product(wide, zero), torch.zeros(5, 9).to(x), torch.zeros(9, 7).to(weight))
    found = [node for node in graph.graph.nodes if node.target is integer_product]
    assert [dtype_of(node.args[0]) for node in found] == ([multiplied] if multiplied else [])


@pytest.mark.parametrize(("value", "width"), [(-128, BYTE), (127, BYTE), (128, SHORT), (-32768, SHORT), (32768, WORD)])
def test_constants_are_as_narrow_as_their_values(value, width):
    weight = torch.zeros(9, 7, dtype=LONG)
    weight[3, 3] = value
    graph = graph_of(Product(WORD, weight=weight), torch.zeros(5, 9).to(BYTE))
    (node,) = [node for node in graph.graph.nodes if node.target is integer_product]
    assert [dtype_of(factor) for factor in node.args[:2]] == [width, width]


@pytest.mark.parametrize(("shape", "left"), [
    ((33,), 0), pytest.param((1, 33), 0, marks=pytest.mark.full), pytest.param((5, 1), 1, marks=pytest.mark.full),
    ((5, 33), 1)])
def test_a_constant_is_subtracted_before_the_sums(shape, left):
    """One for each column, unless something else reads the sums; ``left``: subtractions beside the product."""
    generator = torch.Generator().manual_seed(3)
    weight = torch.randint(-128, 128, (40, 33), generator=generator, dtype=BYTE)
    constant = torch.randint(-(1 << 31), 1 << 31, shape, generator=generator).to(WORD)
    x = torch.randint(-128, 128, (5, 40), generator=generator, dtype=BYTE)

    class Model(torch.nn.Module):
        def __init__(self, both):
            super().__init__()
            self.both = both
            self.register_buffer("weight", weight)
            self.register_buffer("constant", constant)

        def forward(self, x):
            sums = x.to(WORD) @ self.weight.to(WORD)
            return (sums - self.constant, sums) if self.both else sums - self.constant

    for both in (False, True):
        graph = from_exported(torch.export.export(Model(both), (x,)))
        run_passes(graph)
        found = [node for node in graph.graph.nodes if node.target == torch.ops.aten.sub.Tensor]
        assert len(found) == max(left, both)
        torch.testing.assert_close(hx.compile(torch.export.export(Model(both), (x,)))(x), Model(both)(x))


@pytest.mark.ieee_arithmetic
def test_a_quantized_layer_multiplies_bytes():
    """Rounding and clamping stay with the channels last, so that nothing is transposed between two layers."""

    class Layers(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("weights", torch.randint(-128, 128, (2, 16, 16, 3, 3), dtype=BYTE))

        def forward(self, x):
            for weight in self.weights:
                q = torch.clamp(torch.round(x * 16), -128, 127).to(BYTE)
                x = F.conv2d(q.to(WORD), weight.to(WORD), padding=1).to(torch.float32) * 1e-3
            return x

    model, x = Layers(), torch.randn(1, 16, 6, 5)
    graph = graph_of(model, x)
    found = [node for node in graph.graph.nodes if node.target is convolution]
    assert [dtype_of(factor) for node in found for factor in node.args[:2]] == [BYTE] * 4
    assert sum(node.target == torch.ops.aten.permute.default for node in graph.graph.nodes) == 2  # into and out of it
    compiled = hx.compile(torch.export.export(model, (x,)))
    torch.testing.assert_close(compiled(x), model(x), rtol=0, atol=0)


@pytest.mark.full_except("given4-dtype0", "given5-dtype1")
@pytest.mark.parametrize("dtype", (BYTE, UNSIGNED))
@pytest.mark.parametrize("given", (torch.bool, UNSIGNED, BYTE, SHORT, LONG, torch.float32))
def test_sums_that_are_bytes(given, dtype):
    """They wrap around at 8 bits; torch-mlir crashes where a sum of another type is to be of bytes."""
    x = torch.randint(0 if given in (torch.bool, UNSIGNED) else -9, 100, (5, 33), generator=GENERATOR).to(given)
    module = Sums(dtype)
    for ours, theirs in zip(hx.compile(torch.export.export(module, (x,)))(x), module(x), strict=True):
        assert torch.equal(ours, theirs) and ours.dtype == dtype


class Sums(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        return x.sum(1, dtype=self.dtype), x.sum(dtype=self.dtype), x.sum(0, keepdim=True, dtype=self.dtype)
