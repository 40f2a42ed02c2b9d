"""Weights of 4 bits with activations of bytes: static and dynamic layers multiply them two in a byte."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the operations)
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.packed_weights import are_nibbles
from hexagon_mlir.quantization.quantizer import HexagonQuantizer

pytestmark = pytest.mark.only_values

_quantized = torch.ops.quantized_decomposed
KINDS = {"u8": (0, 255, torch.uint8, 131), "s8": (-128, 127, torch.int8, 3)}


class Layer(nn.Module):
    """A linear layer, or a convolution where ``shape`` has four sizes: weights from ``low`` to 7, powers of two as
    scales; results are bytes with signs."""

    def __init__(self, shape, kind, low):
        super().__init__()
        weight = torch.randint(low, 8, shape).to(torch.int8)
        weight[0], weight[-1] = low, 7
        self.register_buffer("weight", weight)
        self.register_buffer("scale", torch.full(shape[:1], 2.0**-10))
        self.register_buffer("zero", torch.zeros(shape[0], dtype=torch.int64))
        self.register_buffer("bias", torch.arange(shape[0]) * 2.0**-14)
        *self.kind, self.point = KINDS[kind]

    def layer(self, x, weight, bias):
        return F.conv2d(x, weight, bias, padding=1) if weight.ndim == 4 else F.linear(x, weight, bias)

    def forward(self, q):
        w = _quantized.dequantize_per_channel.default(self.weight, self.scale, self.zero, 0, -128, 127, torch.int8)
        x = _quantized.dequantize_per_tensor.default(q, 0.0625, self.point, *self.kind)
        return _quantized.quantize_per_tensor.default(self.layer(x, w, self.bias), 2.0**-2, 5, -128, 127, torch.int8)

    def exact(self, q):
        x = (q.double() - self.point) * 0.0625
        real = self.layer(x, self.weight.double() * 2.0**-10, self.bias.double())
        return torch.floor(real * 4 + 5 + 0.5).clamp(-128, 127).to(torch.int8)

    def image(self, *shape):
        low, high, dtype = self.kind
        q = torch.randint(low, high + 1, shape).to(dtype)
        q[0, 0], q[-1, -1] = low, high
        return q


@pytest.mark.each_value
@pytest.mark.parametrize("requantization", ["exact", "engine"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("shape", "image", "tiles"), [
    ((230, 300), (150, 300), (8, 10, 4, 32, 4)), ((70, 64, 3, 3), (1, 64, 13, 11), (4, 18, 4, 32, 4))])
def test_static_layers(shape, image, tiles, kind, requantization):
    torch.manual_seed(0)
    module = Layer(shape, kind, -8)
    q = module.image(*image)
    model = hx.compile(torch.export.export(module, (q,)), requantization=requantization)
    assert tiles in [tuple(tensor.shape) for tensor in model.signature.constants.values()]
    assert torch.equal(model(q), module.exact(q))
    assert model.last_run.launches[0].result.matrix.macs > 0


def test_sums_of_columns_are_constants():
    """The weights' tiles come with the sums of their columns, of bytes too; zero points of u8 are those of s8."""
    for kind, low in (("s8", -8), ("s8", -9), ("u8", -8)):
        torch.manual_seed(1)
        module = Layer((256, 256), kind, low)
        q = module.image(256, 256)
        model = hx.compile(torch.export.export(module, (q,)))
        found = [tensor for name, tensor in zip(model.signature.names, (
            model.signature.constants.get(i) for i in range(len(model.signature.names))), strict=True)
            if name.endswith("_sums")]
        assert [tensor.tolist() for tensor in found] == [(-128 * module.weight.sum(1)).tolist()]
        assert torch.equal(model(q), module.exact(q))


@pytest.mark.only_values(False)
def test_half_the_bytes_move():
    read = {}
    for low in (-8, -9):
        torch.manual_seed(2)
        module = Layer((512, 512), "s8", low)
        q = module.image(512, 512)
        model = hx.compile(torch.export.export(module, (q,)))
        assert torch.equal(model(q), module.exact(q))
        read[low] = model.last_run.ddr_bytes, model.last_run.cycles
    assert read[-9][0] - read[-8][0] == pytest.approx(512 * 512 // 2, rel=0.01)
    assert read[-8][1] < 0.95 * read[-9][1]


@pytest.mark.parametrize("dynamic", [pytest.param(False, marks=pytest.mark.full), True])
def test_the_quantizer(dynamic):
    torch.manual_seed(3)
    module, x = nn.Sequential(nn.Linear(256, 320), nn.ReLU(), nn.Linear(320, 500)).eval(), torch.randn(256, 256)
    with torch.no_grad():
        prepared = prepare_pt2e(torch.export.export(module, (x,)).module(),
                                HexagonQuantizer(dynamic=dynamic, weight_bits=4))
        prepared(x)
        program = torch.export.export(convert_pt2e(prepared), (x,))
        expected, exact = program.module()(x), module(x)
    model = hx.compile(program)
    shapes = [tuple(tensor.shape) for tensor in model.signature.constants.values()]
    assert (12, 8, 4, 32, 4) in shapes and (16, 10, 4, 32, 4) in shapes
    got = model(x)
    assert (got - expected).abs().max() < 0.02 * expected.abs().max()
    assert (got - exact).norm() < 0.2 * exact.norm()


def test_other_bits_are_an_error():
    with pytest.raises(ValueError, match="weights have 8 or 4 bits, not 5"):
        HexagonQuantizer(weight_bits=5)


@pytest.mark.parametrize(("weight", "expected"), [
    (torch.tensor([[-8, 7]], dtype=torch.int8), True), (torch.tensor([[8]], dtype=torch.int8), False),
    (torch.tensor([[-9]], dtype=torch.int8), False), (torch.tensor([1], dtype=torch.int8), False),
    (torch.zeros(0, 4, dtype=torch.int8), False), (torch.ones(2, 2, dtype=torch.uint8), False)])
def test_what_has_four_bits(weight, expected):
    assert are_nibbles(weight) == expected
