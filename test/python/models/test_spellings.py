"""Attention is recognised however a model spells it, with eager's values: also in rows that read no key."""

import warnings
from math import prod

import pytest
import torch
from models.spellings import SPELLINGS, Spelled
from torch import nn

import hexagon_mlir as hx
from hexagon_mlir.frontend.torch.capture import from_exported
from hexagon_mlir.frontend.torch.graph import shape_of
from hexagon_mlir.frontend.torch.kernels.attention import attention
from hexagon_mlir.frontend.torch.passes import run_passes

pytestmark = pytest.mark.only_values

BATCH, HEADS, QUERIES, KEYS, DEPTH = 2, 4, 9, 13, 16
SCORES = BATCH * HEADS * QUERIES * KEYS


def inputs():
    """Queries, keys, values, and masks by query and by key; one hides all from a row, the other the first keys."""
    generator = torch.Generator().manual_seed(7)
    q, k, v = (torch.randn(BATCH, HEADS, length, DEPTH, generator=generator) * 2 for length in (QUERIES, KEYS, KEYS))
    seen = torch.rand(BATCH, 1, QUERIES, KEYS, generator=generator) > 0.3
    seen[0, 0, 2], seen[:, :, 0, 0] = False, False
    padding = torch.ones(BATCH, 1, 1, KEYS, dtype=torch.bool)
    padding[1, :, :, :4] = False
    return (q, k, v), (seen, padding)


def rewritten(module, arguments):
    """The graph after our passes, and what PyTorch makes of it."""
    graph = from_exported(torch.export.export(module.eval(), arguments))
    records = {record.name: record for record in run_passes(graph)}
    given = dict(zip(graph.inputs, (arguments[i] for i in graph.input_positions), strict=True))
    placeholders = [node.name for node in graph.graph.nodes if node.op == "placeholder"]
    values = [graph.constants[name] if name in graph.constants else given[name] for name in placeholders]
    return graph, records, torch.fx.Interpreter(graph.module).run(*values)[0]


def fused(graph):
    return [node for node in graph.graph.nodes if node.target is attention]


@pytest.mark.each_value
@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("mask", [0, 1], ids=["by query", "by key"])
def test_each_spelling_is_one_operation(name, mask):
    tensors, masks = inputs()
    arguments, module = (*tensors, masks[mask]), Spelled(name)
    graph, records, got = rewritten(module, arguments)
    (node,) = fused(graph)
    torch.testing.assert_close(got, module(*arguments), rtol=0, atol=2e-5, equal_nan=True)
    sizes = [prod(shape_of(n)) for n in graph.graph.nodes if n.op == "call_function"]
    biased = name in ("t5", "deberta", "transformer_xl")
    assert biased or SCORES not in sizes, "a tensor as large as the scores"
    left = ("aten.softmax", "aten._softmax", *(() if biased else ("aten.bmm", "aten.matmul")))
    assert not any(str(n.target).startswith(left) for n in graph.graph.nodes)
    assert records["dead-code"].nodes_after < records["attention"].nodes_after
    if name in ("llama", "grouped_by_einsum"):
        assert [shape_of(x)[0] for x in node.args[:3]] == [BATCH * HEADS, BATCH * HEADS // 2, BATCH * HEADS // 2]


def test_a_row_without_keys_is_eagers():
    """NaN where the fill is -inf, the mean of all values where it is a number."""
    tensors, (seen, _) = inputs()
    for name, wanted in (("filled_with_infinity", float("nan")), ("where_lowest", None),
                         ("filled_with_thousands", None)):
        _, _, got = rewritten(Spelled(name), (*tensors, seen))
        mean = tensors[2].mean(2)[0] if wanted is None else torch.full((HEADS, DEPTH), wanted)
        torch.testing.assert_close(got[0, :, 2], mean, rtol=0, atol=1e-6, equal_nan=True)


class Several(nn.Module):
    """Spellings that take masks differently, in one program."""

    names = ("where_lowest", "filled_with_infinity", "filled_with_thousands", "bias_by_baddbmm", "gemma2",
             "sinks_and_infinity")

    def forward(self, q, k, v, seen):
        return tuple(SPELLINGS[name](q, k, v, seen) for name in self.names)


@pytest.mark.ieee_arithmetic
def test_spellings_simulated():
    """Masks added and filled in, by query and (the bias of positions) by key, in rows that read no key too."""
    tensors, (seen, _) = inputs()
    arguments, module = (*tensors, seen), Several()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = hx.compile(torch.export.export(module, arguments))
    for name, got, want in zip(module.names, model(*arguments), module(*arguments), strict=True):
        torch.testing.assert_close(got, want, rtol=0, atol=2e-5, equal_nan=True,
                                   msg=lambda text, n=name: f"{n}: {text}")
    assert sum(record.kernel.startswith("attention") for record in model.last_run.launches) == len(module.names)
    assert SCORES not in [prod(buffer.shape) for buffer in model.schedule.buffers]




LOWEST = torch.finfo(torch.float32).min
ORDERED = {
    "infinity": (lambda s, order, m: s.masked_fill(~order, float("-inf")), True),
    "lowest": (lambda s, order, m: torch.where(order, s, LOWEST), True),
    "added": (lambda s, order, m: s + torch.where(order, 0.0, LOWEST), True),
    "infinity, then padding": (lambda s, order, m: s.where(order, -torch.inf) + torch.where(m, 0.0, LOWEST), True),
    "lowest, then padding": (lambda s, order, m: torch.where(order, s, LOWEST) + torch.where(m, 0.0, LOWEST), False),
    "infinity, then lowest": (lambda s, order, m: torch.where(m, torch.where(order, s, -torch.inf), LOWEST), False),
    "lowest, then infinity": (lambda s, order, m: torch.where(m, torch.where(order, s, LOWEST), -torch.inf), False),
    "added after thousands": (lambda s, order, m: torch.where(m, s, -1e4) * 2 + torch.where(order, 0.0, -1e4), False),
}


class Ordered(nn.Module):
    """Causal attention of one of `ORDERED`."""

    def __init__(self, name):
        super().__init__()
        self.apply_masks = ORDERED[name][0]

    def forward(self, q, k, v, seen):
        order = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril()
        return self.apply_masks(q @ k.mT / 4, order, seen).softmax(-1) @ v


@pytest.mark.full_except("added", "lowest, then padding", "infinity, then padding", "added after thousands")
@pytest.mark.parametrize("name", ORDERED)
def test_causal_masks_among_others(name):
    """The order of keys needs no mask where later masks cannot tell; elsewhere it becomes a part of them."""
    tensors, (seen, padding) = inputs()
    for mask in (seen, padding):
        module = Ordered(name)
        graph, _, got = rewritten(module, (*tensors, mask))
        (node,) = fused(graph)
        assert node.args[4] is ORDERED[name][1]
        torch.testing.assert_close(got, module(*tensors, mask), rtol=0, atol=2e-5, equal_nan=True)


class Other(nn.Module):
    """Alike, and not attention as one operation has it."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def forward(self, q, k, v, seen):
        scores = q @ k.mT
        if self.kind == "bounded behind a mask":
            scores = torch.tanh((scores + torch.where(seen, 0.0, -9.0)) / 50) * 50
        if self.kind == "sinks of queries":
            return torch.cat([scores, q[..., :1]], -1).softmax(-1)[..., :-1] @ v
        if self.kind == "first weight dropped":
            return torch.cat([q[..., :1], scores], -1).softmax(-1)[..., 1:] @ v
        if self.kind == "negative factor":
            return (torch.where(seen, scores, torch.inf) * -1).softmax(-1) @ v
        if self.kind == "over queries":
            return scores.softmax(-2) @ v
        if self.kind == "weights returned":
            weights = scores.softmax(-1)
            return torch.cat([weights @ v, weights], -1)
        if self.kind == "scores returned":
            return torch.cat([scores.softmax(-1) @ v, scores], -1)
        return scores.softmax(-1) @ v


@pytest.mark.parametrize("kind", ["bounded behind a mask", "negative factor", "over queries", "weights returned",
                                  "scores returned", "sinks of queries", "first weight dropped"])
def test_what_is_no_attention_stays(kind):
    tensors, (seen, _) = inputs()
    graph, _, got = rewritten(Other(kind), (*tensors, seen))
    assert not fused(graph)
    torch.testing.assert_close(got, Other(kind)(*tensors, seen), rtol=0, atol=2e-5, equal_nan=True)


class QueriesFirst(nn.Module):
    """Heads are joined after attention; ``turned`` says how their dimension goes behind that of the queries."""

    def __init__(self, turned):
        super().__init__()
        self.turned = turned

    def forward(self, q, k, v):
        return self.turned(nn.functional.scaled_dot_product_attention(q, k, v))


@pytest.mark.parametrize(("turned", "moves"), [
    (lambda y: y.transpose(1, 2).reshape(BATCH, QUERIES, -1), 0), (lambda y: y.permute(0, 2, 1, 3) * 2, 0),
    (lambda y: y.reshape(BATCH * HEADS, QUERIES, DEPTH).view(BATCH, HEADS, QUERIES, DEPTH).transpose(2, 1) + 1, 0),
    (lambda y: y.transpose(1, 2) + y.transpose(1, 2).flip(1), 1), (lambda y: y.permute(0, 3, 1, 2) + 1, 1),
    (lambda y: y.reshape(HEADS, BATCH, QUERIES, DEPTH).transpose(1, 2) + 1, 0)])
def test_queries_before_heads(turned, moves):
    """Attention writes queries before heads where its only reader permutes them so; other permutations stay."""
    arguments, _ = inputs()
    module = QueriesFirst(turned)
    graph, _, value = rewritten(module, arguments)
    targets = [node.target for node in graph.graph.nodes]
    permutations = (torch.ops.aten.permute.default, torch.ops.aten.transpose.int)
    assert sum(target in permutations for target in targets) == moves
    assert targets.count(attention) == 1
    torch.testing.assert_close(value, module(*arguments), rtol=0, atol=1e-5)


def test_queries_before_heads_simulated():
    """Of f32, by tiles of keys: two batches of four heads."""
    arguments, _ = inputs()
    module = QueriesFirst(lambda y: y.transpose(1, 2).reshape(BATCH, QUERIES, -1))
    model = hx.compile(torch.export.export(module, arguments))
    torch.testing.assert_close(model(*arguments), module(*arguments), rtol=0, atol=1e-5)
    assert len(model.last_run.launches) == 1
