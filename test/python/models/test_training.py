"""Forward and backward passes through torch.compile: values and gradients as in eager PyTorch, nothing of it eager."""

import copy
import gc
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._pytree import tree_leaves as leaves

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.dynamo import models

pytestmark = pytest.mark.only_values

R = torch.randn
STRICT = {"fallback": "error"}


def gradients(function, inputs, **options):
    """Results, and the gradients of inputs and parameters for a random gradient of the results."""
    inputs = [x.clone().requires_grad_() for x in inputs]
    parameters = list(function.parameters()) if isinstance(function, nn.Module) else []
    for parameter in parameters:
        parameter.grad = None
    torch._dynamo.reset()
    run = torch.compile(function, backend="hexagon", options=options) if options else function
    results = leaves(run(*inputs))
    generator = torch.Generator().manual_seed(1)
    torch.autograd.backward(results, [torch.randn(y.shape, generator=generator) for y in results])
    return results, [x.grad for x in (*inputs, *parameters)]


def check(function, *inputs, **options):
    torch.testing.assert_close(gradients(function, inputs, **options or STRICT), gradients(function, inputs),
                               rtol=1e-4, atol=2e-5)


def check_together(operations):
    """One compilation for all of them; an error names the operation."""
    cases = [(name, function, [R(shape) for shape in shapes]) for name, (function, shapes) in operations.items()]

    def together(*inputs):
        rest = iter(inputs)
        return [function(*[next(rest) for _ in given]) for _, function, given in cases]

    inputs = [x for _, _, given in cases for x in given]
    names = ([name for name, function, given in cases for _ in leaves(function(*given))],
             [name for name, _, given in cases for _ in given])
    for kind, *values in zip(names, gradients(together, inputs, **STRICT), gradients(together, inputs), strict=True):
        for name, got, wanted in zip(kind, *values, strict=True):
            torch.testing.assert_close(got, wanted, rtol=1e-4, atol=2e-5, msg=lambda text, name=name: f"{name}: {text}")


CONVOLUTIONS = {
    "edges": (lambda x, w, b: F.conv2d(x, w, b, padding=1), [(2, 3, 7, 6), (5, 3, 3, 3), (5,)]),
    "stride": (lambda x, w: F.conv2d(x, w, None, stride=2, padding=1), [(1, 4, 8, 7), (6, 4, 3, 3)]),
    "dilation": (lambda x, w: F.conv2d(x, w, None, dilation=2), [(1, 2, 9, 8), (3, 2, 3, 2)]),
    "groups": (lambda x, w: F.conv2d(x, w, None, padding=(1, 0), groups=2), [(1, 4, 5, 5), (6, 2, 3, 3)]),
    "one dimension": (lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1), [(2, 3, 11), (5, 3, 3), (5,)]),
    "transposed": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1),
                   [(1, 3, 5, 4), (3, 6, 3, 3), (6,)])}


def test_convolutions():
    check_together(CONVOLUTIONS)


OPERATIONS = {
    "average pool": (lambda x: F.avg_pool2d(x, 3, 2, 1), [(2, 3, 8, 6)]),
    "adaptive average pool": (lambda x: F.adaptive_avg_pool2d(x, (2, 1)), [(2, 3, 6, 5)]),
    "max pool": (lambda x: F.max_pool2d(x, 3, 2, 1), [(2, 3, 7, 6)]),
    "layer norm": (lambda x, w, b: F.gelu(F.layer_norm(x, (9,), w, b)), [(3, 5, 9), (9,), (9,)]),
    "batch norm": (lambda x, w, b: F.silu(F.batch_norm(x, torch.zeros(4), torch.ones(4), w, b, training=True)),
                   [(2, 4, 5, 3), (4,), (4,)]),
    "embedding": (lambda w: F.embedding(torch.tensor([[1, 4, 1], [0, 6, 6]]), w).tanh(), [(7, 5)]),
    "cross entropy": (lambda x: F.cross_entropy(x, torch.tensor([1, 0, 3, -100])), [(4, 5)]),
    "rows": (lambda x: (x[:, torch.tensor([0, 2, 2])], x.cumsum(1).logsumexp(1), F.logsigmoid(8 * x)), [(4, 5)])}


def test_operations():
    check_together(OPERATIONS)


@pytest.mark.full
def test_recurrent_layer():
    """A second one that trains; the first ones are in `test_recurrent_layers`."""
    check(nn.LSTM(5, 4), R(3, 2, 5))


BEFORE = torch.arange(9)[None] < torch.arange(7)[:, None]  # no key for the first query
MASKS = {"none": {}, "causal": {"is_causal": True}, "bool": {"attn_mask": BEFORE}, "scale": {"scale": 0.7},
         "added": {"attn_mask": torch.where(BEFORE, 0.5, float("-inf"))}}


@pytest.mark.full_except("bool")
@pytest.mark.parametrize("options", MASKS.values(), ids=MASKS)
def test_attention(options):
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options), R(2, 2, 7, 8), R(2, 2, 9, 8),
          R(2, 2, 9, 8))


def test_attention_with_shared_keys():
    check(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), R(1, 4, 6, 8), R(1, 2, 6, 8),
          R(1, 2, 6, 8))


def test_gradients_are_f32_in_mixed_numerics():
    """Gradients below the smallest f16 number are not zero."""
    x, w = R(4, 8), R(8, 6)
    _, (dx, dw) = gradients(lambda x, w: (x @ w) * 1e-12, [x, w], numerics="mixed", **STRICT)
    _, wanted = gradients(lambda x, w: (x @ w) * 1e-12, [x, w])
    torch.testing.assert_close([dx, dw], wanted, rtol=1e-4, atol=1e-17)
    assert dx.abs().min() > 0


@pytest.mark.full
def test_losses_of_three_steps():
    """A second convolution that trains; the first one is in `test_training_steps`."""
    torch.manual_seed(5)
    module = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                           nn.Linear(8 * 16, 10))
    other, x, y = copy.deepcopy(module), R(4, 3, 8, 8), torch.tensor([1, 7, 0, 3])
    fast = torch.compile(module, backend="hexagon", options=STRICT)
    optimizers = [torch.optim.Adam(one.parameters(), lr=0.01) for one in (module, other)]
    for _ in range(3):
        losses = [F.cross_entropy(run(x), y) for run in (fast, other)]
        torch.testing.assert_close(losses[0], losses[1], rtol=0, atol=1e-4)
        for loss, optimizer in zip(losses, optimizers, strict=True):
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()


# -- Dynamo's settings ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_other_backends_are_as_before(backend):
    """PyTorch's own ``aot_eager`` fails on gradients of an LSTM that is traced."""
    check(nn.Linear(3, 2), R(4, 3))  # this backend has been imported
    torch._dynamo.reset()
    settings = torch._dynamo.config.get_config_copy()
    assert not settings["allow_rnn"]
    layer, other, x = nn.LSTM(5, 4), nn.LSTM(5, 4), R(3, 2, 5)
    other.load_state_dict(layer.state_dict())
    fast = torch.compile(layer, backend=backend)
    steps = [torch.optim.SGD(one.parameters(), 0.1) for one in (layer, other)]
    for _ in range(2):
        losses = [run(x)[0].square().sum() for run in (fast, other)]
        torch.testing.assert_close(*losses)
        for loss, step in zip(losses, steps, strict=True):
            step.zero_grad()
            loss.backward()
            step.step()
    assert torch._dynamo.config.get_config_copy() == settings


def test_settings_are_restored_after_an_error():
    def refused(x):
        return torch.special.airy_ai(nn.functional.relu(x))

    with pytest.raises(hx.HexError, match="special_airy_ai"), torch.no_grad():
        torch.compile(refused, backend="hexagon", options=STRICT)(R(3))
    assert not torch._dynamo.config.allow_rnn and torch._C._get_mkldnn_enabled()


@pytest.mark.parametrize(("backend", "collects"), [("hexagon", False), ("eager", True)])
def test_reference_cycles_are_not_collected_while_this_backend_traces(backend, collects):
    seen = []

    def watch(_):
        seen.append(gc.isenabled())

    torch._dynamo.callback_handler.register_start_callback(watch)
    try:
        with torch.no_grad():
            torch.compile(lambda x: x * 3, backend=backend)(R(2))
    finally:
        torch._dynamo.callback_handler.remove_start_callback(watch)
    assert (seen, gc.isenabled()) == ([collects], True)


def test_recurrent_layers_are_compiled_after_a_reset():
    layer = nn.GRU(5, 4)
    for _ in range(2):
        torch._dynamo.reset()
        del models[:]
        x = R(3, 2, 5)
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")
            torch.testing.assert_close(torch.compile(layer, backend="hexagon", options=STRICT)(x), layer(x))
        assert models
