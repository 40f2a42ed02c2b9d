"""Attention by blocks of keys in f16, and products along a reduction of unknown length: their products are the matrix
engine's."""

import pytest
import torch
import triton
import triton.language as tl
from stage_cases import example

from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate

pytestmark = pytest.mark.only_values


@pytest.fixture(autouse=True)
def on_the_simulator(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    activate()


@triton.jit
def attend(q, k, v, out, tokens, keys, scale, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           WIDTH: tl.constexpr):
    """A block of queries of one head, as the tutorials on attention have it; sums and maxima are f32."""
    start, head = tl.program_id(0) * BLOCK_M, tl.program_id(1)
    row, w = start + tl.arange(0, BLOCK_M), tl.arange(0, WIDTH)
    at = (head * tokens + row[:, None]) * WIDTH + w[None, :]
    query = tl.load(q + at, mask=row[:, None] < tokens, other=0.0)
    most = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    values = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    for first in range(0, tl.minimum(start + BLOCK_M, keys) if CAUSAL else keys, BLOCK_N):
        n = first + tl.arange(0, BLOCK_N)
        there = (head * keys + n[:, None]) * WIDTH + w[None, :]
        key = tl.load(k + there, mask=n[:, None] < keys, other=0.0)
        seen = n[None, :] < keys
        if CAUSAL:
            seen = seen & (row[:, None] >= n[None, :])
        score = tl.where(seen, tl.dot(query, tl.trans(key)) * (scale * 1.4426950408889634), float("-inf"))
        new = tl.maximum(most, tl.max(score, 1))
        weight, decay = tl.math.exp2(score - new[:, None]), tl.math.exp2(most - new)
        total = total * decay + tl.sum(weight, 1)
        value = tl.load(v + there, mask=n[:, None] < keys, other=0.0)
        values = tl.dot(weight.to(tl.float16), value, values * decay[:, None])
        most = new
    tl.store(out + at, (values / total[:, None]).to(tl.float16), mask=row[:, None] < tokens)


@pytest.mark.parametrize(("heads", "tokens", "keys", "causal", "rows", "columns"), [
    (2, 70, 150, False, 64, 64), (1, 90, 90, True, 32, 64)])
def test_attention_by_blocks_of_keys(heads, tokens, keys, causal, rows, columns):
    """Weights are f16: within 2^-11 of them each, of a sum of values of up to 4."""
    torch.manual_seed(0)
    width = 64
    q, k, v = (torch.randn(heads, count, width).half() for count in (tokens, keys, keys))
    out = torch.full_like(q, 7.0)
    attend[(triton.cdiv(tokens, rows), heads)](q, k, v, out, tokens, keys, width**-0.5, CAUSAL=causal, BLOCK_M=rows,
                                               BLOCK_N=columns, WIDTH=width)
    expected = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
    assert (out.double() - expected).abs().max() < 2e-3
    steps = sum(-(-min(first + rows, keys) // columns) if causal else -(-keys // columns)
                for first in range(0, tokens, rows))
    tiles = heads * steps * 2 * (rows // 32) * (columns // 32) * (width // 32)
    assert sim.history[-1].result.matrix.macs >= tiles * 32**3, "both products of each step"


def test_a_reduction_of_unknown_length():
    """Each step's product is added to sums in f32."""
    torch.manual_seed(0)
    a, b = torch.randn(70, 200).half(), torch.randn(200, 77).half()
    found = example("matmul").run(a, b)
    assert sim.history[-1].result.matrix.macs >= 3 * 2 * 32 * 64 * 256
    exact, magnitude = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    assert ((found.double() - exact).abs() <= 1e-6 * magnitude).all()
