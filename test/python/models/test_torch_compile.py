"""``torch.compile(model, backend="hexagon")`` in ordinary use: sizes, weights that change, threads, modes."""

import copy
import threading
from functools import partial

import numpy as np
import pytest
import torch
from models.zoo import mlp
from torch import nn
from torch.utils._python_dispatch import _get_current_dispatch_mode

import hexagon_mlir as hx
from hexagon_mlir.exec.sim import SESSION
from hexagon_mlir.frontend.torch import forward
from hexagon_mlir.frontend.torch.dynamo import models
from hexagon_mlir.ir import HexError

pytestmark = pytest.mark.only_values

STRICT = {"fallback": "error"}


@pytest.fixture
def compilations(monkeypatch):
    """Its length is how often the compiler has run."""
    done = []

    def counted(function, *args, **options):
        model = function(*args, **options)
        done.append(model)
        return model

    for name in ("compile_graph", "compile_examples"):
        monkeypatch.setattr(forward, name, partial(counted, getattr(forward, name)))
    return done


def compiled(module, **options):
    return torch.compile(module, backend="hexagon", options=STRICT, **options)


def same(got, expected, atol=1e-5):
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=atol, equal_nan=True)


@torch.no_grad()
def check(got, expected, *inputs, atol=1e-5):
    same(got(*inputs), expected(*inputs), atol)


def test_the_compiler_runs_outside_dispatch_modes(monkeypatch):
    """PyTorch looks at each operation of a graph's first call: thousands, where the compiler looks at weights."""
    modes = []

    def compiled_outside(*args, **options):
        modes.append(_get_current_dispatch_mode())
        return forward_compile(*args, **options)

    forward_compile = forward.compile_graph
    monkeypatch.setattr(forward, "compile_graph", compiled_outside)
    module = nn.Linear(5, 3)
    check(compiled(module), module, torch.randn(2, 5))
    assert modes == [None]


# -- sizes ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("dynamic", "sizes"), [(None, (5, 3, 1)), (True, (7, 0))])
def test_a_size_met_before_is_not_compiled_again(compilations, dynamic, sizes):
    """PyTorch traces again when it learns that a size changes (None), and for other strides."""
    module = nn.Sequential(nn.Linear(20, 5), nn.ReLU())
    fast = compiled(module, dynamic=dynamic)
    for rows in sizes:
        for x in (torch.randn(rows, 20), torch.randn(20, rows).t()):
            check(fast, module, x)
    for rows in sizes:
        check(fast, module, torch.randn(2 * rows, 40)[::2, ::2])
    assert len(compilations) == len(sizes)


def joined(x, y):
    """Sizes made of sizes: a sum, a square mask, a product, a range; and a size as a result."""
    z = torch.cat((x, y), 1)
    size = z.shape[1]
    kept = (z[:, :, None] * z[:, None]).masked_fill(~torch.ones(size, size).tril().bool(), -1.0)
    return kept.view(x.shape[0], -1) + torch.arange(size * size), size


def test_sizes_made_of_sizes(compilations):
    fast = compiled(joined, dynamic=True)
    for batch, left, right in ((2, 3, 4), (1, 1, 7), (2, 3, 4)):
        x, y = torch.randn(batch, left), torch.randn(batch, right)
        (got, size), (expected, _) = fast(x, y), joined(x, y)
        same(got, expected)
        assert size == left + right
    assert len(compilations) == 2


def test_line_of_what_has_no_code_for_dynamic_sizes():
    with pytest.raises(Exception, match=r"test_torch_compile\.py:\d+.*special_airy_ai"):
        compiled(lambda x: torch.special.airy_ai(x) + x.shape[0], dynamic=True)(torch.randn(3, 4))


# -- weights -------------------------------------------------------------------------------------------------------
class Net(nn.Module):
    """Every module of this class runs the same code of PyTorch's, with its own weights."""

    def __init__(self):
        super().__init__()
        self.norm, self.layer = nn.BatchNorm1d(8), nn.Linear(8, 4)
        self.norm.running_mean.normal_()

    def forward(self, x):
        return self.layer(self.norm(x)).relu()


def test_modules_of_one_class(compilations):
    modules = [Net().eval() for _ in range(2)]
    fast = [compiled(module) for module in modules]
    modules.append(copy.deepcopy(modules[0]))
    fast.append(copy.deepcopy(fast[0]))
    with torch.no_grad():
        for module in (modules[2], fast[2]):
            module.load_state_dict({key: value + 1 for key, value in module.state_dict().items()})
    x = torch.randn(3, 8)
    for _ in range(2):
        for ours, theirs in zip(fast, modules, strict=True):
            check(ours, theirs, x)
    assert len(compilations) == 3


def through_numpy(tensor):
    array = tensor.detach().numpy()
    array *= np.float32(1.5)


@pytest.mark.each_value
@pytest.mark.parametrize("change", [
    lambda t: t.data.mul_(2), through_numpy, lambda t: t.detach().add_(1), lambda t: setattr(t, "data", t.data + 1)],
    ids=["data", "numpy", "in place", "another tensor"])
@pytest.mark.parametrize("place", ["norm.running_mean", "norm.weight", "layer.weight"])
def test_changed_weights(place, change):
    """What is folded (the norm) and what is not."""
    module = Net().eval()
    fast, x = compiled(module), torch.randn(3, 8)
    for _ in range(3):
        check(fast, module, x)
        change(module.state_dict(keep_vars=True)[place])
    check(fast, module, x)


def test_training(compilations):
    """Gradients as in eager PyTorch; an optimizer's steps need no new code."""
    module = mlp()
    other = copy.deepcopy(module)
    fast = compiled(module)
    optimizers = [torch.optim.AdamW(one.parameters(), lr=0.1) for one in (module, other)]
    for _ in range(3):
        x = torch.randn(3, 20)
        results = fast(x), other(x)
        same(*results)
        for result, optimizer in zip(results, optimizers, strict=True):
            result.square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    for ours, theirs in zip(module.parameters(), other.parameters(), strict=True):
        same(ours, theirs)
    assert len(compilations) == 2 and models[-1].last_run.cycles > 0  # forward and backward


def test_types_and_modes():
    def made():
        return nn.Sequential(nn.Linear(20, 7), nn.Softmax(-1)).eval()

    module = made()
    fast, x = compiled(module), torch.randn(3, 20)
    with torch.inference_mode():
        made_here = made()  # whose weights have no version counters
        for one in (module, made_here):
            check(compiled(one), one, x)
            one[0].weight.mul_(2)
            check(compiled(one), one, x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        check(fast, module, x, atol=3e-2)
    check(fast, module, x)
    module.half()
    check(fast, module, x.half(), atol=4e-3)


# -- threads -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("options", "reason"), [
    ({"threads": -1}, "-1 threads"), ({"accuracy": "sloppy"}, "unknown accuracy 'sloppy'"),
    ({"tcm_bytes": -5}, "-5 bytes of TCM"), ({"fallback": "never"}, "unknown fallback 'never'"),
    ({"target": "v99"}, "unknown target 'v99'"), ({"pipeline": "best"}, "unknown pipeline 'best'"),
    ({"numerics": "f8"}, "unknown numerics 'f8'"), ({"executor": "phone"}, "unknown executor 'phone'"),
    ({"executor": "qemu", "arithmetic": "ieee"}, "one of the simulator, not of qemu"),
    ({"tcm_bytes": 1 << 30}, "bytes of TCM, v75 has"), ({"threads": "x"}, "threads is a whole number, not 'x'"),
    ({"qfloat": "no"}, "qfloat is True or False, not 'no'")])
def test_wrong_options_are_errors(options, reason):
    """Not a reason to run eagerly."""
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=reason):
        torch.compile(nn.Linear(3, 2), backend="hexagon", options=options)(torch.randn(1, 3))


class Recurrent(nn.Module):
    """A recurrent layer and what uses its results."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        y, state = self.layer(x)
        return y.relu(), state


@pytest.mark.parametrize(("module", "shape"), [
    pytest.param(Recurrent(nn.GRU(9, 7, batch_first=True)), (3, 4, 9), marks=pytest.mark.full),
    (Recurrent(nn.LSTM(9, 7, bias=False, bidirectional=True)), (4, 3, 9)),
    (nn.PReLU(5), (2, 5, 3))], ids=["GRU", "LSTM", "PReLU"])
def test_what_dynamo_makes_of_layers(module, shape):
    """Dynamo runs functions with recurrent layers in eager PyTorch unless told otherwise: nothing would be launched."""
    with torch.no_grad(), SESSION.recording() as launches:
        x = torch.randn(shape)
        same(compiled(module.eval())(x), module(x))
    assert launches


def test_threads():
    module = nn.Linear(20, 5).eval()
    fast, errors = compiled(module), []

    def call(rows):
        try:
            for _ in range(2):
                check(fast, module, torch.randn(rows, 20))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=call, args=(rows,)) for rows in (3, 4, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


# -- arguments and results -----------------------------------------------------------------------------------------
def shared(x, y):
    """Inputs and views of them as results, an input written to, no result."""
    y[1:].mul_(2)
    return {"x": x, "views": [x.view(-1), (x.t(), None)], "y": y, "sum": x.sum() + y.sum()}


def test_results_that_share_memory_with_inputs():
    x, y = torch.randn(3, 4), torch.randn(5)
    expected = shared(x, mine := y.clone())
    got = compiled(shared)(x, y)
    same(y, mine)
    assert got["x"] is x and got["y"] is y and got["views"][1][1] is None
    assert {t.data_ptr() for t in (got["views"][0], got["views"][1][0])} == {x.data_ptr()}
    same(got["sum"], expected["sum"])
    same(got["views"][1][0], expected["views"][1][0])


def equal_numbers(x):
    """Two results that simplify to one value, a single number each."""
    n = (x.mean(1).var(0, correction=0).tanh() * 40).round().to(torch.int32)
    return torch.maximum(n, n), n


def test_one_value_as_two_results():
    x = torch.randn(1, 4)
    first, second = compiled(equal_numbers)(x)
    expected = equal_numbers(x)[1]
    assert torch.equal(first, expected)
    assert torch.equal(second, expected)
    assert first.data_ptr() != second.data_ptr()


class Lookup(nn.Module):
    """Rows of a table by index, of a tensor by an index that counts from the end too, elements along a dimension."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 8)

    def forward(self, rows, places, columns, scores):
        return self.table(rows.view(-1)), scores[places], scores.gather(1, columns)


RIGHT = {"rows": [[0, 9]], "places": [-5, 4], "columns": [[0], [2], [1], [0], [2]]}


@pytest.mark.parametrize(("name", "index", "hint"), [
    ("rows", 10, "0 to 9"), ("rows", -1, "0 to 9"), ("rows", 1 << 40, "0 to 9"), ("places", 5, "-5 to 4"),
    ("places", -6, "-5 to 4"), ("columns", 3, "0 to 2")])
@torch.no_grad()
def test_indices_out_of_range(lookup, name, index, hint):
    """An error as in eager PyTorch, not what is behind the table."""
    wrong = {**RIGHT, name: [index, index] if name == "places" else [[index]] * len(RIGHT[name])}
    scores = torch.randn(5, 3)
    if name == "rows":
        wrong["rows"] = [[3, index]]
    with pytest.raises(HexError, match=rf"index {index} in '{name}' is out of range\n  hint: {hint} are in it"):
        lookup[1](*map(torch.tensor, wrong.values()), scores)
    right = (*map(torch.tensor, RIGHT.values()), scores)
    for ours, theirs in zip(lookup[1](*right), lookup[0](*right), strict=True):
        assert torch.equal(ours, theirs)


@pytest.fixture(scope="module")
def lookup(tmp_path_factory):
    """A module, and what was compiled from it, saved and loaded."""
    module = Lookup().eval()
    folder = tmp_path_factory.mktemp("lookup")
    hx.compile(torch.export.export(module, (*map(torch.tensor, RIGHT.values()), torch.randn(5, 3)))).save(folder)
    return module, hx.load(folder)
