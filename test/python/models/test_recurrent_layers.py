"""Recurrent layers as loops over time: every option against eager PyTorch, and what is not unrolled."""

import pytest
import torch
from models.test_models import compile_and_compare
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch import registry
from hexagon_mlir.frontend.torch.dynamo import models
from hexagon_mlir.frontend.torch.kernels.recurrence import GATES, recurrence

pytestmark = pytest.mark.only_values

aten = torch.ops.aten


class Stated(nn.Module):
    """A layer with an initial state, and what reads its results."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, *state):
        y, last = self.layer(x, state[0] if len(state) == 1 else state)
        return y + 1, last


class Chain(nn.Module):
    """A layer of each kind."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(kind(4, 4) for kind in (nn.LSTM, nn.GRU, nn.RNN))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)[0]
        return x


def loops(model):
    return sum("recurrence" in model.schedule.kernels[call.kernel].name for call in model.schedule.calls)


def test_both_ways_batch_first():
    layer = nn.LSTM(5, 7, bidirectional=True, batch_first=True)
    model = compile_and_compare(Stated(layer), torch.randn(3, 4, 5), torch.randn(2, 3, 7), torch.randn(2, 3, 7))
    assert loops(model) == 2


def test_projections():
    model = compile_and_compare(Stated(nn.LSTM(5, 35, proj_size=3, bias=False)), torch.randn(1, 1, 5),
                                torch.randn(1, 1, 3), torch.randn(1, 1, 35))
    assert loops(model) == 1


def test_gated_units():
    model = compile_and_compare(Stated(nn.GRU(5, 33)), torch.randn(3, 2, 5), torch.randn(1, 2, 33))
    assert loops(model) == 1


@pytest.mark.ieee_arithmetic
def test_relu_keeps_nan():
    x = torch.randn(3, 2, 5)
    x[1, 0, 0] = float("nan")
    model = compile_and_compare(nn.RNN(5, 33, nonlinearity="relu"), x)
    assert loops(model) == 1


def test_halves():
    """Computed in f32 and rounded, with PyTorch's rounding of each step as the bound."""
    layer, x = nn.GRU(8, 16).half().eval(), torch.randn(4, 2, 8).half()
    model = hx.compile(torch.export.export(layer, (x,)))
    y, last = model(x)
    assert loops(model) == 1 and y.dtype == last.dtype == torch.float16
    torch.testing.assert_close(y, layer(x)[0], rtol=0, atol=4e-3)


@pytest.mark.only_values(False)
def test_more_steps_are_no_more_code():
    """256 steps; the weights of the state are read from DDR once."""
    model = compile_and_compare(nn.RNN(16, 64, bias=False), torch.randn(256, 1, 16), atol=1e-4)
    assert loops(model) == 1 and len(model.schedule.kernels) <= 3
    read = max(record.result.ddr_read_bytes for record in model.last_run.launches)
    assert 4 * 64 * 64 < read < 4 * (64 * 64 + 256 * 3 * 64)  # and inputs of the steps, with rows of results


def test_dynamo_makes_loops():
    """Also with gradients enabled, where nothing requires them."""
    module, x = Chain().requires_grad_(False), torch.randn(3, 2, 4)
    torch._dynamo.reset()
    got = torch.compile(module, backend="hexagon", options={"fallback": "error"})(x)
    torch.testing.assert_close(got, module(x))
    assert loops(models[-1]) == 3


@pytest.mark.each_value
@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("reverse", [False, True])
def test_the_operation_is_the_layer(kind, reverse):
    layer = {"lstm": nn.LSTM, "gru": nn.GRU}.get(kind, nn.RNN)
    layer = layer(5, 4, **({"nonlinearity": kind} if layer is nn.RNN else {}))
    x, h, c = torch.randn(3, 2, 5), torch.randn(1, 2, 4), torch.randn(1, 2, 4)
    lstm = kind == "lstm"
    y, last = layer(x.flip(0) if reverse else x, (h, c) if lstm else h)
    w, u, b, d = layer.parameters()
    got, state, _ = recurrence(kind, x @ w.t() + b, u.t(), d, h[0], c[0] if lstm else None, None, reverse, False)
    torch.testing.assert_close(got.flip(0) if reverse else got, y)
    torch.testing.assert_close(state, last[1][0] if lstm else last[0])


LAYERS = {"lstm": (nn.LSTM, {}), "projected": (nn.LSTM, {"proj_size": 3}), "gru": (nn.GRU, {}), "tanh": (nn.RNN, {}),
          "relu": (nn.RNN, {"nonlinearity": "relu"})}


@pytest.mark.each_value
@pytest.mark.parametrize(("layer", "options"), LAYERS.values(), ids=LAYERS)
@pytest.mark.parametrize("bias", [False, True])
def test_gradients_of_the_operation(layer, options, bias):
    """Two layers in both directions: of all results, by all that they depend on, as PyTorch's own."""
    layer = layer(5, 4, num_layers=2, bidirectional=True, bias=bias, **options)
    size = options.get("proj_size", 4)
    state = [torch.randn(4, 2, size), *([torch.randn(4, 2, 4)] if isinstance(layer, nn.LSTM) else [])]
    inputs = [one.requires_grad_() for one in (torch.randn(6, 2, 5), *state)]
    given = inputs[1:] if isinstance(layer, nn.LSTM) else inputs[1]
    op = getattr(aten, layer.mode.lower())
    wanted, last = layer(inputs[0], given if isinstance(given, torch.Tensor) else tuple(given))
    got = registry.OURS[op.input](inputs[0], given, list(layer.parameters()), bias, 2, 0.0, True, True, False)
    results = [wanted, *(last if isinstance(last, tuple) else [last])]
    torch.testing.assert_close(list(got), results)
    weights = [torch.randn_like(one) for one in results]
    torch.testing.assert_close(*(torch.autograd.grad(list(ours), [*inputs, *layer.parameters()], weights)
                                 for ours in (got, results)), rtol=1e-5, atol=1e-5)


TRAINED = {"LSTM": lambda: (nn.LSTM(5, 6, bidirectional=True, proj_size=3),),
           "GRU, RNN": lambda: (nn.GRU(5, 33), nn.RNN(33, 4, nonlinearity="relu", bias=False))}


class Trained(nn.Module):
    """Layers whose last states count too."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        total = 0.0
        for layer in self.layers:
            x, last = layer(x)
            total = total + sum(one.square().sum() for one in (last if isinstance(last, tuple) else (last,)))
        return x.sum() + total


def gradients(run, module, x):
    module.zero_grad()
    loss = run(x)
    loss.backward()
    return [loss.detach(), x.grad.clone(), *(one.grad.clone() for one in module.parameters())]


@pytest.mark.full_except("LSTM")
@pytest.mark.parametrize("layers", TRAINED.values(), ids=TRAINED)
def test_training_makes_loops(layers):
    """Each direction of a layer is one loop forward and one backward. Gradients of all kinds, as operations, are those
    of `test_gradients_of_the_operation`.
    """
    torch._dynamo.reset()
    del models[:]
    module = Trained(layers())
    found = [gradients(run, module, torch.ones(3, 2, 5).cumsum(0).sin().requires_grad_())
             for run in (torch.compile(module, backend="hexagon", options={"fallback": "error"}), module)]
    torch.testing.assert_close(*found, rtol=1e-4, atol=1e-5)
    assert [loops(model) for model in models] == [2, 2]


def test_more_steps_are_no_more_code_in_training():
    torch._dynamo.reset()
    del models[:]
    layer = nn.LSTM(4, 4)
    torch.compile(layer, backend="hexagon", options={"fallback": "error"})(torch.randn(300, 1, 4))[0].sum().backward()
    assert [loops(model) for model in models] == [1, 1]
    assert all(len(model.schedule.kernels) < 16 for model in models)
