"""Attention by blocks of keys on the matrix engine, with queries that see no key, in a block of keys or in any."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate

pytestmark = pytest.mark.only_values


@pytest.fixture(autouse=True)
def on_the_simulator(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    activate()


@triton.jit
def attend(q, k, v, mask, out, tokens, keys, scale, INFINITE: tl.constexpr, BLOCK_M: tl.constexpr,
           BLOCK_N: tl.constexpr, WIDTH: tl.constexpr):
    """What is not seen has the weight 0 if INFINITE: then a query without keys gives 0. Else its score is -1e30, so
    such a query sees all keys alike."""
    start = tl.program_id(0) * BLOCK_M
    row, w = start + tl.arange(0, BLOCK_M), tl.arange(0, WIDTH)
    at = row[:, None] * WIDTH + w[None, :]
    query = tl.load(q + at, mask=row[:, None] < tokens, other=0.0)
    lowest = float("-inf") if INFINITE else -1e30
    most = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    values = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    for first in range(0, keys, BLOCK_N):
        n = first + tl.arange(0, BLOCK_N)
        there = n[:, None] * WIDTH + w[None, :]
        inside = (row[:, None] < tokens) & (n[None, :] < keys)
        seen = tl.load(mask + row[:, None] * keys + n[None, :], mask=inside, other=0) != 0
        key = tl.load(k + there, mask=n[:, None] < keys, other=0.0)
        score = tl.where(seen, tl.dot(query, tl.trans(key)) * (scale * 1.4426950408889634), lowest)
        score = tl.where(n[None, :] < keys, score, float("-inf"))
        new = tl.maximum(most, tl.max(score, 1))
        finite = tl.where(new == float("-inf"), 0.0, new)
        weight, decay = tl.math.exp2(score - finite[:, None]), tl.math.exp2(most - finite)
        total = total * decay + tl.sum(weight, 1)
        value = tl.load(v + there, mask=n[:, None] < keys, other=0.0)
        values = tl.dot(weight.to(tl.float16), value, values * decay[:, None])
        most = new
    found = values / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(out + at, found.to(tl.float16), mask=row[:, None] < tokens)


@pytest.mark.parametrize("infinite", [True, False], ids=["zero weight", "finite score"])
def test_queries_without_keys(infinite):
    """Weights are f16: within 2^-11 of them each, of a sum of values of up to 4."""
    torch.manual_seed(0)
    tokens, keys, width = 70, 150, 64
    q, k, v = (torch.randn(count, width).half() for count in (tokens, keys, keys))
    mask = torch.rand(tokens, keys) < 0.5
    unseen = [0, 5, 33, 69]
    mask[unseen] = False
    mask[10, :64] = False  # nothing in the first block of keys
    mask[11, 64:] = False  # nothing in the later ones
    out = torch.full_like(q, 7.0)
    attend[(triton.cdiv(tokens, 64),)](q, k, v, mask.to(torch.int8), out, tokens, keys, width**-0.5,
                                       INFINITE=infinite, BLOCK_M=64, BLOCK_N=64, WIDTH=width)
    assert sim.history[-1].result.matrix.macs >= 2 * 3 * 2 * 2 * 2 * 2 * 32**3, "both products of each step"
    scores = (q.double() @ k.double().T * width**-0.5).masked_fill(~mask, float("-inf") if infinite else -1e30)
    expected = scores.softmax(-1).nan_to_num(0.0) @ v.double()
    assert torch.isfinite(out).all()
    assert (out.double() - expected).abs().max() < 2e-3
    if infinite:
        assert (out[unseen] == 0).all()
    else:
        assert (out[unseen].double() - v.double().mean(0)).abs().max() < 2e-3
