"""Layers between conversions to bytes compute with bytes."""

import pytest
import torch
import torch.nn.functional as F
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the operations)

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.graph import dtype_of
from hexagon_mlir.frontend.torch.kernels.integers import integer_product
from hexagon_mlir.frontend.torch.passes import run_passes

pytestmark = pytest.mark.only_values

_quantized = torch.ops.quantized_decomposed
UNSIGNED, SIGNED = (0, 255, torch.uint8), (-128, 127, torch.int8)


def to_bytes(x, scale, zero, kind=UNSIGNED):
    return _quantized.quantize_per_tensor.default(x, scale, zero, *kind)


def from_bytes(q, scale, zero, kind=UNSIGNED):
    return _quantized.dequantize_per_tensor.default(q, scale, zero, *kind)


class Layer(torch.nn.Module):
    """Weights of bytes with a scale for each channel; ``real`` is f64."""

    def __init__(self, *shape, bias=True):
        super().__init__()
        channels = torch.arange(shape[0])
        self.register_buffer("weight", torch.randint(-127, 128, shape).to(torch.int8))
        self.register_buffer("scale", 0.01 / (1.0 + channels))
        self.register_buffer("zero", torch.zeros(shape[0], dtype=torch.int64))
        self.register_buffer("bias", torch.randn(shape[0]) if bias else None)

    def weights(self):
        return _quantized.dequantize_per_channel.default(self.weight, self.scale, self.zero, 0, -127, 127, torch.int8)

    def real(self):
        return self.weight.double() * self.scale.double().reshape(-1, *[1] * (self.weight.dim() - 1))


def nearest(real, scale, zero, kind=UNSIGNED):
    """The bytes for ``real``, f64."""
    return torch.floor(real / scale + zero + 0.5).clamp(*kind[:2]).to(kind[2])


def calls(model, *inputs):
    graph = from_exported(torch.export.export(model, inputs))
    run_passes(graph)
    return [node for node in graph.graph.nodes if node.op == "call_function"]


def difference(got, expected):
    return (got.to(torch.int32) - expected.to(torch.int32)).abs()


CLAMPS = (
    (lambda x: x, -1e9, 1e9), (torch.relu, 0.0, 1e9), (F.relu6, 0.0, 6.0),
    (lambda x: torch.clamp(x, -3.0, -2.0), -3.0, -2.0), (lambda x: torch.relu(F.hardtanh(x, -2.0, 7.0)), 0.0, 7.0),
)


def test_a_clamp_is_that_of_the_conversion():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer(40, 19)

        def forward(self, q):
            x, results = from_bytes(q, 0.05, 131), []
            for clamp, _, _ in CLAMPS:
                results.append(to_bytes(clamp(F.linear(x, self.layer.weights(), self.layer.bias)), 0.06, 77, SIGNED))
            return results

    torch.manual_seed(1)
    model, q = Model(), torch.randint(0, 256, (7, 19), dtype=torch.uint8)
    q[0] = 255
    real = ((q.double() - 131) * 0.05) @ model.layer.real().T + model.layer.bias.double()
    results = hx.compile(torch.export.export(model, (q,)))(q)
    for got, (_, low, high) in zip(results, CLAMPS, strict=True):
        assert got.dtype == torch.int8 and torch.equal(got, nearest(real.clamp(low, high), 0.06, 77, SIGNED))
    assert not [node for node in calls(model, q) if dtype_of(node) == torch.float32]


@pytest.mark.ieee_arithmetic
def test_a_network_stays_in_bytes():
    """Convolution, ReLU6, pooling, depthwise convolution, sum, table, concatenation, mean, product."""

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.deep, self.last = Layer(24, 3, 3, 3), Layer(24, 1, 3, 3), Layer(10, 48)

        def forward(self, image):
            x = from_bytes(to_bytes(image, 0.03, 120), 0.03, 120)
            x = F.relu6(F.conv2d(x, self.first.weights(), self.first.bias, 2, 1))
            x = from_bytes(to_bytes(x, 6 / 255, 0), 6 / 255, 0)
            x = from_bytes(to_bytes(F.max_pool2d(x, 3, 2, 1), 6 / 255, 0), 6 / 255, 0)
            y = F.conv2d(x, self.deep.weights(), self.deep.bias, padding=1, groups=24)
            y = from_bytes(to_bytes(y, 0.05, 130), 0.05, 130)
            x = from_bytes(to_bytes(x + y, 0.04, 60), 0.04, 60)
            y = from_bytes(to_bytes(torch.sigmoid(x), 0.04, 60), 0.04, 60)
            x = from_bytes(to_bytes(torch.cat([x, y], 1), 0.04, 60), 0.04, 60)
            x = from_bytes(to_bytes(x.mean((2, 3)), 0.02, 100), 0.02, 100)
            return to_bytes(F.linear(x, self.last.weights(), self.last.bias), 0.03, 128)

        def real(self, image):
            x = (nearest(image.double(), 0.03, 120).double() - 120) * 0.03
            x = F.relu6(F.conv2d(x, self.first.real(), self.first.bias.double(), 2, 1))
            x = F.max_pool2d(nearest(x, 6 / 255, 0).double(), 3, 2, 1) * (6 / 255)
            y = F.conv2d(x, self.deep.real(), self.deep.bias.double(), padding=1, groups=24)
            y = (nearest(y, 0.05, 130).double() - 130) * 0.05
            x = (nearest(x + y + 1e-9, 0.04, 60).double() - 60) * 0.04  # many sums are halves
            y = (nearest(torch.sigmoid(x), 0.04, 60).double() - 60) * 0.04
            x = (nearest(torch.cat([x, y], 1).mean((2, 3)), 0.02, 100).double() - 100) * 0.02
            return nearest(x @ self.last.real().T + self.last.bias.double(), 0.03, 128)

    torch.manual_seed(3)
    model, image = Network(), torch.randn(1, 3, 21, 18)
    got = hx.compile(torch.export.export(model, (image,)))(image)
    expected = model.real(image)
    assert got.float().std() > 20  # not all clamped
    apart = difference(got, expected)  # an intermediate number within 2^-11 of the middle of two bytes may be either
    assert apart.max() <= 1 and apart.sum() <= 2
    kinds = [dtype_of(node) for node in calls(model, image)]
    assert torch.float32 not in kinds[kinds.index(torch.uint8):]


@pytest.mark.parametrize("kind", [UNSIGNED, SIGNED])
def test_largest_bytes(kind):
    """What is outside the image is no byte of it; the first bit of a byte is its sign or not."""

    class Pool(torch.nn.Module):
        def forward(self, q):
            return to_bytes(F.max_pool2d(from_bytes(q, 0.5, 3, kind), 3, 2, 1), 0.5, 3, kind)

    q = torch.randint(kind[0], kind[1] + 1, (1, 5, 7, 9)).to(kind[2])
    q[0, 0] = kind[0]
    expected = F.max_pool2d(q.float(), 3, 2, 1).to(kind[2])
    assert torch.equal(hx.compile(torch.export.export(Pool(), (q,)))(q), expected)


@pytest.mark.parametrize("kind", [pytest.param(UNSIGNED, marks=pytest.mark.full), SIGNED])
def test_averages_of_windows(kind):
    """Of four bytes, every fourth average is in the middle between two bytes: it becomes the upper one."""
    poolings = [((2,), 4), ((3, 2, 1), 9), (((1, 3), 1), 3), ((2, 2, 0, False, True, 3), 3)]

    class Model(torch.nn.Module):
        def forward(self, q):
            x = from_bytes(q, 0.05, 71, kind)
            return [to_bytes(F.avg_pool2d(x, *arguments), 0.05, 71, kind) for arguments, _ in poolings] + [
                to_bytes(torch.relu(F.avg_pool2d(x, 2)), 0.0317, 5, kind),
                F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)]

    q = torch.randint(kind[0], kind[1] + 1, (2, 33, 7, 10)).to(kind[2])
    real = (q.double() - 71) * 0.05
    *got, wider, floats = hx.compile(torch.export.export(Model(), (q,)))(q)
    for (arguments, count), result in zip(poolings, got, strict=True):
        sums = F.avg_pool2d(q.double() - 71, *arguments[:3], divisor_override=1)  # whole numbers: the middle is exact
        assert result.equal(nearest(sums / count, 1.0, 71, kind))
    assert wider.equal(nearest(F.avg_pool2d(real, 2).relu(), 0.0317, 5, kind))
    torch.testing.assert_close(floats.double(), F.avg_pool2d(real, 3, 2, 1, count_include_pad=False), rtol=0, atol=1e-5)


def test_a_layer_that_needs_more_than_32_bits_is_f32():
    """A factor of more than one step for each unit of the sums."""

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer(8, 4)

        def forward(self, q):
            return to_bytes(F.linear(from_bytes(q, 9e9, 0), self.layer.weights(), self.layer.bias), 1.0, 5)

    model, q = Model(), torch.zeros(3, 4, dtype=torch.uint8)
    assert any(dtype_of(node) == torch.float32 for node in calls(model, q))
    expected = to_bytes(model.layer.bias, 1.0, 5).expand(3, 8)
    assert torch.equal(hx.compile(torch.export.export(model, (q,)))(q), expected)


def test_weights_with_zero_points():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer(8, 4)
            self.layer.zero += 1

        def forward(self, q):
            return to_bytes(F.linear(from_bytes(q, 0.5, 0), self.layer.weights(), self.layer.bias), 0.5, 100)

    torch.manual_seed(0)
    model, q = Model(), torch.randint(0, 256, (3, 4), dtype=torch.uint8)
    assert not any(dtype_of(node) == torch.float32 for node in calls(model, q))
    weights = (model.layer.weight.double() - 1) * model.layer.scale.double().unsqueeze(1)
    expected = nearest(q.double() * 0.5 @ weights.T + model.layer.bias.double(), 0.5, 100)
    assert torch.equal(hx.compile(torch.export.export(model, (q,)))(q), expected)


@pytest.mark.parametrize("factors", [{"beta": 3.0}, {"alpha": 2.0}])
def test_factors_of_a_sum_are_kept(factors):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer(19, 40)

        def forward(self, q):
            return torch.addmm(self.layer.bias, from_bytes(q, 0.02, 10), self.layer.weights().t(), **factors)

    torch.manual_seed(5)
    model, q = Model().eval(), torch.randint(0, 256, (3, 40), dtype=torch.uint8)
    torch.testing.assert_close(hx.compile(torch.export.export(model, (q,)))(q), model(q), atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize(("depth", "fits"), [(66_000, True), (67_000, False)])
def test_sums_of_bytes_fit_words(depth, fits):
    """255 * 127 * 67,000 is more than 2^31, and so may a sum of bytes be whose weights are all 127."""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer(2, depth, bias=False)
            self.layer.weight[1] = 127

        def forward(self, q):
            return F.linear(from_bytes(q, 0.02, 0), self.layer.weights())

    found = calls(Model().eval(), torch.zeros(1, depth, dtype=torch.uint8))
    assert any(node.target == integer_product for node in found) == fits
