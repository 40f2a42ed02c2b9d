"""A scheme for each layer of a model: chosen, made, compiled."""

from importlib import import_module

import pytest
import torch
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.narrow_weights import narrowed
from hexagon_mlir.quantization.bytes import BytesLayer, FromBytes, Range, ToBytes
from hexagon_mlir.quantization.layers import copy_of, observe
from hexagon_mlir.quantization.links import Neighbours, neighbours
from hexagon_mlir.quantization.measure import Costs
from hexagon_mlir.quantization.program import exported
from hexagon_mlir.quantization.schemes import Scheme, four_bits, replaced, schemes_of, weight_bytes

pytestmark = pytest.mark.only_values


class Net(nn.Module):
    """Two linear layers with a ReLU between them, then softmax and another one."""

    def __init__(self):
        super().__init__()
        self.first, self.body = nn.Linear(40, 64), nn.Sequential(nn.Linear(64, 64), nn.ReLU())
        self.last = nn.Linear(64, 5)

    def forward(self, x):
        return self.last(torch.softmax(self.body(torch.relu(self.first(x))), -1) * 8)


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Net()


@pytest.fixture
def batches():
    torch.manual_seed(1)
    return [(torch.randn(3, 40),) for _ in range(3)]


@pytest.fixture(scope="module")
def known():
    """Cycles of layers, by all that determines them but their weights."""
    return {}


@pytest.fixture(autouse=True)
def measured_once(request, known, monkeypatch):
    """Tests choose for one network: its layers are compiled and run for the first that needs no exact cycles."""
    if False in request.node.get_closest_marker("only_values").args:
        return

    def costs(cycles):
        made = Costs(cycles)
        made._known = known
        return made

    monkeypatch.setattr(import_module("hexagon_mlir.quantization.quantize"), "Costs", costs)


def ratio(got, expected):
    return float((got - expected).norm() / expected.norm())


@pytest.mark.full_except("f16-0.002", "int4-0.2")
@pytest.mark.parametrize(("scheme", "error"), [("f32", 1e-6), ("f16", 2e-3), ("int8", 0.03), ("int4", 0.2)])
def test_each_scheme_of_a_model(net, batches, scheme, error):
    model = copy_of(net)
    layers, _ = observe(model, batches)
    program = exported(model, batches, layers, dict.fromkeys(layers, Scheme(scheme)))
    x = torch.randn(3, 40)
    compiled = hx.compile(program)
    with torch.no_grad():
        assert ratio(compiled(x), program.module()(x)) < 2e-3
        assert 0 <= ratio(program.module()(x), net(x)) < error
    targets = [str(node.target) for node in program.graph.nodes]
    assert targets.count("quantized_decomposed.dequantize_per_channel.default") == (3 if scheme == "int8" else 0)
    assert (program.state_dict["first.layer.weight"].dtype == torch.float16) if scheme == "f16" else True
    if scheme == "int4":
        assert narrowed(program.state_dict["first.weight"].T) is not None
        assert compiled.result.saved_bytes > 0


@pytest.mark.only_values(False)
def test_a_budget_of_error(net, batches):
    before = {name: value.clone() for name, value in net.state_dict().items()}
    found = hx.quantize(net, (batch for (batch,) in batches), budget=hx.Budget(sqnr=45.0))
    assert found.sqnr >= 45
    schemes = {option.scheme for option in found.choice.values()}
    assert schemes <= {Scheme.F32, Scheme.F16}  # bytes have less than 45 dB
    with torch.no_grad():
        (x,) = batches[0]
        assert ratio(hx.compile(found.program)(x), net(x)) < 10 ** (-45 / 20) * 2
    assert all(torch.equal(before[name], value) for name, value in net.state_dict().items())
    assert net.training and list(dict(net.named_modules())) == ["", "first", "body", "body.0", "body.1", "last"]
    text = found.report()
    assert f"chosen: {found.cycles:,} cycles" in text
    for name in found.choice:
        assert name in text


def test_a_budget_of_bytes(net, batches):
    found = hx.quantize(net, batches, budget=hx.Budget(nbytes=8000))
    assert found.weight_bytes <= 8000 < 4 * (40 * 64 + 64 * 64 + 5 * 64)
    assert {option.scheme for option in found.choice.values()} & {Scheme.INT8, Scheme.INT4}
    (x,) = batches[0]
    assert ratio(hx.compile(found.program)(x), found.program.module()(x)) < 1e-2


def test_a_budget_of_loss(net, batches):
    with torch.no_grad():
        wanted = {id(batch): net(*batch).argmax(-1) for batch in batches}

    def loss(result, batch):
        return nn.functional.cross_entropy(result, wanted[id(batch)])

    with torch.no_grad():
        before = sum(float(loss(net(*batch), batch)) for batch in batches) / len(batches)
        found = hx.quantize(net, batches, budget=hx.Budget(loss=1e-3), loss=loss)
        after = sum(float(loss(found.program.module()(*batch), batch)) for batch in batches) / len(batches)
    assert after - before < 2e-3
    assert sum(option.loss for option in found.choice.values()) <= 1e-3
    assert found.cycles == min(found.problem.cycles({**found.choice, name: option})
                               for name, option in found.choice.items())


def test_a_model_that_is_a_layer():
    torch.manual_seed(0)
    model, x = nn.Linear(33, 7), torch.randn(3, 33)
    found = hx.quantize(model, [x], budget=hx.Budget(nbytes=4 * 33 * 7 - 1))
    assert found.weight_bytes < 4 * 33 * 7
    with torch.no_grad():
        assert ratio(hx.compile(found.program)(x), model(x)) < 0.2


def test_a_plot(net, batches, tmp_path):
    pytest.importorskip("matplotlib", reason="of the extra bench")
    found = hx.quantize(net, batches, budget=hx.Budget(sqnr=20.0))
    found.plot(str(tmp_path / "frontier.png"))
    assert (tmp_path / "frontier.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(("calibration", "budget", "message"), [
    ([], hx.Budget(sqnr=20), "the calibration has no inputs"),
    ([torch.full((3, 40), float("nan"))], hx.Budget(sqnr=20),
     "layer 'first' gets or gives numbers that are not finite"),
    ([torch.zeros(3, 40)], hx.Budget(loss=0.1), "limits the loss, and there is none"),
    ([torch.zeros(3, 40), torch.zeros(3, 39)], hx.Budget(sqnr=20), "does not take input 1 of the calibration: mat1"),
    ("abc", hx.Budget(sqnr=20), "does not take input 0 of the calibration"),
    ([torch.zeros(3, 40)], None, "the budget is None"),
    ([torch.zeros(3, 40)], 30, "the budget is 30"),
])
def test_refused(net, calibration, budget, message):
    with pytest.raises(hx.HexError, match=message):
        hx.quantize(net, calibration, budget=budget)


def test_a_model_without_layers():
    with pytest.raises(hx.HexError, match="no linear layer or convolution"):
        hx.quantize(nn.ReLU(), [torch.zeros(3)], budget=hx.Budget(sqnr=20))


def test_neighbours(net, batches):
    graph = torch.export.export(net.eval(), batches[0]).graph
    first, middle = frozenset({"first"}), frozenset({"body.0"})
    assert neighbours(graph, {"first", "body.0", "last"}) == {
        "first": Neighbours(None, middle), "body.0": Neighbours(first, None), "last": Neighbours(None, None)}
    assert neighbours(graph, {"body.0"}) == {"body.0": Neighbours(None, None)}


def test_neighbours_of_a_sum():
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = (nn.Conv2d(3, 3, 1) for _ in range(3))
            self.norm = nn.BatchNorm2d(3)

        def forward(self, x):
            y = self.norm(self.a(x))
            return self.c(torch.relu(y + self.b(y)))

    graph = torch.export.export(Residual().eval(), (torch.zeros(1, 3, 4, 4),)).graph
    found = neighbours(graph, {"a", "b", "c"})
    assert found == {"a": Neighbours(None, frozenset({"b", "c"})), "b": Neighbours(frozenset({"a"}), frozenset({"c"})),
                     "c": Neighbours(frozenset({"a", "b"}), None)}


@pytest.mark.parametrize("shape", [(1, 1), (5, 32), (3, 45), (2, 100)])
def test_weights_of_four_bits(shape):
    torch.manual_seed(0)
    weight = torch.randn(shape) * torch.rand(shape[0], 1)
    rounded = four_bits(weight)
    assert rounded.shape == weight.shape
    assert narrowed(rounded.T.contiguous()) is not None
    for row, other in zip(weight, rounded, strict=True):
        for group, codes in zip(row.split(32), other.split(32), strict=True):
            assert (group - codes).abs().max() <= group.abs().max() / 7 * 0.5 * (1 + 2**-9) + 1e-9 \
                or (group - codes).square().sum() <= group.abs().max() ** 2 / 49 / 4 * len(group)


@pytest.mark.parametrize("value", [0.0, 1e-9, 2.0**-14, 60000.0])
def test_extreme_weights_of_four_bits(value):
    weight = torch.zeros(2, 64)
    weight[1, 3], weight[1, 40] = value, -value
    rounded = four_bits(weight)
    assert (rounded - weight).abs().max() <= max(value * 2**-10, 2.0**-15)
    assert narrowed(rounded.T.contiguous()) is not None


def test_bytes_of_weights():
    linear, convolution = nn.Linear(48, 10), nn.Conv2d(6, 10, 3)
    assert [weight_bytes(linear, scheme) for scheme in schemes_of(linear)] == [1920, 960, 520, 10 * 2 * 18]
    assert [weight_bytes(convolution, scheme) for scheme in schemes_of(convolution)] == [2160, 1080, 580]


@pytest.mark.parametrize("of", [Range(-1.0, 2.0), Range(0.0, 0.0), Range(3.0, 7.0), Range(-5.0, -1.0)])
def test_ranges_of_bytes(of):
    x = torch.linspace(min(of.low, 0.0), max(of.high, 0.0), 77)
    scale, zero = of.affine
    assert 0 <= zero <= 255
    back = FromBytes(of)(ToBytes(of)(x))
    assert (back - x).abs().max() <= scale / 2 * (1 + 1e-4)
    assert float(FromBytes(of)(ToBytes(of)(torch.zeros(1)))) == 0


def test_layers_of_bytes_and_halves_are_near():
    torch.manual_seed(0)
    layer, x = nn.Conv2d(4, 6, 3), torch.randn(2, 4, 7, 7)
    with torch.no_grad():
        assert 1e-4 < ratio(BytesLayer(layer)(x), layer(x)) < 0.02
        assert 1e-6 < ratio(replaced(layer, Scheme.F16)(x), layer(x)) < 2e-3
