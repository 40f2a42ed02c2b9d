"""Graphs with operations that cannot be compiled: these run in eager PyTorch, all others are compiled."""

import operator
import re
import warnings

import pytest
import torch
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch import forward
from hexagon_mlir.frontend.torch.dynamo import models
from hexagon_mlir.frontend.torch.partition import FAILURES, between, computing, halves, split, work

pytestmark = pytest.mark.only_values

_aten = torch.ops.aten


def compiled(module, *inputs):
    """What the backend computes, the warnings of ours, and the models it compiled."""
    del models[:]
    torch._dynamo.reset()
    with warnings.catch_warnings(record=True) as caught, torch.no_grad():
        warnings.simplefilter("always")
        got = torch.compile(module, backend="hexagon", dynamic=False)(*inputs)
    return got, [str(one.message) for one in caught if str(one.message).startswith("hexagon:")], list(models)


class Network(nn.Module):
    """Products before and after ``function``, whose result is added too."""

    def __init__(self, function):
        super().__init__()
        torch.manual_seed(3)
        self.function, self.first, self.last = function, nn.Linear(20, 33), nn.Linear(33, 20)

    def forward(self, x):
        y = self.function(self.first(x).relu())
        return self.last(y) + x, y * 2


def volume(x):
    return torch.special.airy_ai(x + 1.5)


def singular(x):
    _, s, v = torch.linalg.svd(x, full_matrices=False)
    return x + s.sum() + v[0, 0] ** 2


def eigenvalues(x):
    """Complex numbers from an operation without code; what follows computes with two tensors."""
    return x + torch.linalg.eigvals(x @ x.T).abs().sum()


@pytest.mark.parametrize(("function", "operations", "reason"), [
    (volume, 1, "no lowering for 'aten.special_airy_ai.default'"),
    pytest.param(singular, 1, "no lowering for 'aten._linalg_svd.default'", marks=pytest.mark.full),
    (eigenvalues, 3, "has elements of type torch.complex64")])
def test_what_has_no_code_runs_eagerly_and_the_rest_compiled(function, operations, reason):
    module, x = Network(function).eval(), torch.randn(5, 20)
    got, said, made = compiled(module, x)
    torch.testing.assert_close(got, module(x), rtol=1e-4, atol=1e-5)
    assert len(said) == 1 and re.search(rf"{operations} of \d+ operations run in eager PyTorch, \d\.\d% of the work: "
                                        rf"\S*test_partition\.py:\d+: .*{re.escape(reason)}", said[0])
    assert len(made) == 2 and all(model.last_run.cycles > 0 for model in made)


def test_attention_beside_an_eager_operation_is_compiled():
    """It has two results, of which one has no code and nobody reads it."""
    class Layer(nn.Module):
        def forward(self, x):
            heads = x.reshape(1, 2, 5, 16)
            return torch.special.airy_ai(nn.functional.scaled_dot_product_attention(heads, heads, heads) + 1.5)

    module, x = Layer(), torch.randn(5, 32)
    got, said, made = compiled(module, x)
    torch.testing.assert_close(got, module(x), rtol=1e-4, atol=1e-5)
    assert len(said) == 1 and said[0].startswith("hexagon: 1 of ") and len(made) == 1


def counts(x):
    """Random numbers of a distribution that has no rule of ours."""
    return torch.poisson(x.abs())


def test_random_numbers_are_drawn_by_pytorch():
    module, x = Network(counts), torch.randn(5, 20)
    torch.manual_seed(11)
    wanted = module(x)
    torch.manual_seed(11)
    got, said, made = compiled(module, x)
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)
    assert "draws random numbers" in said[0] and len(made) == 2


def test_changed_weights_and_other_sizes_are_noticed():
    module = Network(volume).eval()
    run = torch.compile(module, backend="hexagon")
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for rows in (4, 4, 6, 9):
            x = torch.randn(rows, 20)
            torch.testing.assert_close(run(x), module(x), rtol=1e-4, atol=1e-5)
            module.first.weight.mul_(0.5)
            module.last.bias.add_(1)


def test_nothing_but_views_is_not_compiled():
    def viewed(x):
        return torch.special.airy_ai(x.reshape(-1)[2:])

    x = torch.rand(3, 7) + 1
    got, said, made = compiled(viewed, x)
    torch.testing.assert_close(got, viewed(x))
    assert len(said) == 1 and not made


def test_strict_settings_refuse_as_before():
    with pytest.raises(hx.HexError, match=r"test_partition\.py:\d+: error: .*special_airy_ai"), torch.no_grad():
        torch.compile(Network(volume).eval(), backend="hexagon", options={"fallback": "error"})(torch.randn(5, 20))


# -- failures after the operations are known to have code ----------------------------------------------------------
def failing(monkeypatch, fails):
    """Compilation raises an error of our own making for graphs for which ``fails`` is true of a node."""
    compile_graph, tried = forward.compile_graph, []

    def compile_or_fail(graph, *args, **kwargs):
        tried.append(graph)
        if any(fails(node) for node in computing(graph.module)):
            raise KeyError("a mistake in the compiler")
        return compile_graph(graph, *args, **kwargs)

    monkeypatch.setattr(forward, "compile_graph", compile_or_fail)
    return tried


def test_a_mistake_of_the_compiler_is_narrowed_to_its_operation(monkeypatch):
    failing(monkeypatch, lambda node: node.target == _aten.tanh.default)
    module, x = Network(torch.tanh).eval(), torch.randn(5, 20)
    got, said, made = compiled(module, x)
    torch.testing.assert_close(got, module(x), rtol=1e-4, atol=1e-5)
    assert len(said) == 1 and "1 of " in said[0] and "'aten.tanh.default': internal error: KeyError" in said[0]
    assert len(made) >= 2


def test_a_mistake_with_everything_ends(monkeypatch):
    tried = failing(monkeypatch, lambda node: True)

    def long(x):
        for number in range(60):
            x = torch.sin(x) + number % 3
        return x

    x = torch.randn(4)
    got, said, made = compiled(long, x)
    torch.testing.assert_close(got, long(x))
    assert "120 of 120 operations run in eager PyTorch, 100.0% of the work" in said[0] and not made
    assert len(tried) <= 2 * FAILURES + 1


def test_a_mistake_is_an_error_with_strict_settings(monkeypatch):
    failing(monkeypatch, lambda node: node.target == _aten.tanh.default)
    with pytest.raises(hx.HexError, match="internal error: KeyError: 'a mistake in the compiler'"), torch.no_grad():
        torch.compile(torch.tanh, backend="hexagon", options={"fallback": "error"})(torch.randn(5))


# -- the groups ----------------------------------------------------------------------------------------------------
def traced(function, *inputs):
    return make_fx(function, tracing_mode="fake", _allow_non_fake_inputs=True)(*inputs)


def names(group):
    return sorted(node.name for node in group)


def diamond(x):
    a = torch.sin(x)
    b = torch.special.airy_ai(a)
    c = torch.cos(a)
    d = torch.topk(b, 2)
    return c + d[0].sum(), torch.special.airy_ai(torch.exp(d[0]))


def test_groups_are_few_and_in_order():
    module = traced(diamond, torch.rand(5) + 1)
    eager = {node: None for node in computing(module) if node.target == _aten.special_airy_ai.default}
    groups = between(module, eager)
    assert [names(group) for group in groups] == [
        ["cos", "sin"], ["add", "exp", "getitem", "getitem_1", "sum_1", "topk"]]
    x = torch.rand(5) + 1
    wanted = module(x)
    parts = split(module, groups)
    assert [node.target for node in parts.graph.nodes if node.op == "call_module"] == ["compiled_0", "compiled_1"]
    torch.testing.assert_close(parts(x), wanted)


def test_parts_of_an_eager_result_are_eager():
    module = traced(diamond, torch.rand(5) + 1)
    topk = next(node for node in computing(module) if node.target == _aten.topk.default)
    grouped = set().union(*between(module, {topk: None}))
    assert not any(node.target is operator.getitem for node in grouped)


def test_halves_keep_results_with_their_operation():
    module = traced(lambda x: torch.topk(x, 2)[0], torch.rand(5))
    assert [len(group) for group in halves(module)] == [len(computing(module))]
    module = traced(diamond, torch.rand(5))
    first, second = halves(module)
    assert first.isdisjoint(second) and first | second == set(computing(module))
    assert all(node.args[0] in second for node in second if node.target is operator.getitem)


def test_constants_belong_to_their_groups():
    table = torch.arange(5.0)
    module = traced(lambda x: torch.special.airy_ai(x * table) + table, torch.rand(5))
    eager = {node: None for node in computing(module) if node.target == _aten.special_airy_ai.default}
    parts = split(module, between(module, eager))
    calls = [node for node in parts.graph.nodes if node.op == "call_module"]
    assert [len(call.args) for call in calls] == [1, 1]  # no table among the inputs
    x = torch.rand(5) + 1
    torch.testing.assert_close(parts(x), torch.special.airy_ai(x * table) + table)


def test_work_counts_products_and_elements():
    module = traced(lambda x, w: (x @ w).relu().reshape(-1), torch.rand(3, 5), torch.rand(5, 7))
    assert [work(node) for node in computing(module)] == [2 * 3 * 5 * 7, 3 * 7, 0]
