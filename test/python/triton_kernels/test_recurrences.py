"""Attention with states that are carried from token to token, and over some blocks only."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim

F = torch.nn.functional


@triton.jit
def rwkv(r, k, v, w, u, out, tokens, K: tl.constexpr, V: tl.constexpr):
    head, key, value = tl.program_id(0), tl.arange(0, K), tl.arange(0, V)
    state = tl.zeros((V, K), tl.float32)
    bonus = tl.load(u + head * K + key)
    r += head * tokens * K + key
    k += head * tokens * K + key
    w += head * tokens * K + key
    v += head * tokens * V + value
    out += head * tokens * V + value
    for _ in range(tokens):
        new = tl.load(k).to(tl.float32)[None, :] * tl.load(v).to(tl.float32)[:, None]
        tl.store(out, tl.sum((state + new * bonus[None, :]) * tl.load(r).to(tl.float32)[None, :], 1))
        state = state * tl.exp(tl.load(w).to(tl.float32))[None, :] + new
        r += K
        k += K
        w += K
        v += V
        out += V


def test_rwkv():
    heads, tokens, keys, values = 2, 7, 64, 32
    r, k, w = (torch.randn(heads, tokens, keys).half() for _ in range(3))
    v, u, w = torch.randn(heads, tokens, values).half(), torch.randn(heads, keys), -w.abs()
    out, expected = (torch.empty(heads, tokens, values) for _ in range(2))
    rwkv[(heads,)](r, k, v, w, u, out, tokens, K=keys, V=values)
    state = torch.zeros(heads, values, keys)
    for t in range(tokens):
        new = v[:, t, :, None].float() * k[:, t, None].float()
        expected[:, t] = ((state + new * u[:, None]) * r[:, t, None].float()).sum(-1)
        state = state * w[:, t, None].float().exp() + new
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)


@triton.jit
def gated_delta(q, k, v, gate, beta, out, state, tokens, scale, K: tl.constexpr, V: tl.constexpr, BLOCK: tl.constexpr):
    head, key, value = tl.program_id(1), tl.arange(0, K), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = state + head * K * V + key[:, None] * V + value[None, :]
    memory = tl.load(place)
    for t in range(tokens):
        row = head * tokens + t
        query, here = tl.load(q + row * K + key) * scale, tl.load(k + row * K + key)
        memory *= tl.exp(tl.load(gate + row))
        missing = tl.load(v + row * V + value) - tl.sum(memory * here[:, None], 0)
        memory += here[:, None] * (missing * tl.load(beta + row))[None, :]
        tl.store(out + row * V + value, tl.sum(memory * query[:, None], 0))
    tl.store(place, memory)


def test_gated_delta():
    heads, tokens, keys, values = 2, 7, 32, 64
    q, k = torch.randn(heads, tokens, keys), F.normalize(torch.randn(heads, tokens, keys), dim=-1)
    v, gate, beta = torch.randn(heads, tokens, values), -torch.rand(heads, tokens), torch.rand(heads, tokens)
    state, out = torch.randn(heads, keys, values), torch.empty(heads, tokens, values)
    memory, expected = state.clone(), torch.empty_like(out)
    gated_delta[(2, heads)](q, k, v, gate, beta, out, state, tokens, 0.2, K=keys, V=values, BLOCK=32)
    for t in range(tokens):
        memory = memory * gate[:, t, None, None].exp()
        missing = v[:, t] - torch.einsum("hkv,hk->hv", memory, k[:, t])
        memory = memory + k[:, t, :, None] * (missing * beta[:, t, None])[:, None]
        expected[:, t] = torch.einsum("hkv,hk->hv", memory, q[:, t] * 0.2)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(state, memory, rtol=1e-4, atol=1e-4)


@triton.jit
def state_space(x, step, decay, b, c, out, state, T, H: tl.constexpr, P: tl.constexpr, N: tl.constexpr,
                CHUNK: tl.constexpr):
    """Mamba2: a chunk of tokens as matrix products, the state from chunk to chunk."""
    head, i, p, n = tl.program_id(0), tl.arange(0, CHUNK), tl.arange(0, P), tl.arange(0, N)
    rate, memory = tl.load(decay + head), tl.zeros((N, P), tl.float32)
    for start in range(0, T, CHUNK):
        t = start + i
        inside = t < T
        d = tl.load(step + t * H + head, mask=inside, other=0.0)
        d = tl.where(inside, tl.log(1 + tl.exp(d)), 0.0)
        faded, all_faded = tl.cumsum(d * rate, 0), tl.sum(d * rate, 0)
        values = tl.load(x + (t[:, None] * H + head) * P + p[None, :], mask=inside[:, None], other=0.0)
        keys = tl.load(b + t[:, None] * N + n[None, :], mask=inside[:, None], other=0.0)
        queries = tl.load(c + t[:, None] * N + n[None, :], mask=inside[:, None], other=0.0)
        fade = tl.where(i[:, None] >= i[None, :], tl.exp(faded[:, None] - faded[None, :]), 0.0)
        result = tl.dot(tl.dot(queries, tl.trans(keys)) * fade * d[None, :], values)
        result += tl.dot(queries * tl.exp(faded)[:, None], memory)
        memory = memory * tl.exp(all_faded) + tl.dot(tl.trans(keys * (tl.exp(all_faded - faded) * d)[:, None]), values)
        tl.store(out + (t[:, None] * H + head) * P + p[None, :], result, mask=inside[:, None])
    tl.store(state + head * N * P + n[:, None] * P + p[None, :], memory)


@pytest.mark.only_values
def test_state_space(monkeypatch):
    """On the simulator: its tasks take a mask from outside of them, which LLVM could not store for them."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    tokens, heads, width, states = 20, 3, 16, 32
    x, step, decay = torch.randn(tokens, heads, width), torch.randn(tokens, heads), -torch.rand(heads)
    b, c = torch.randn(tokens, states), torch.randn(tokens, states)
    out, state = torch.empty(tokens, heads, width), torch.empty(heads, states, width)
    with sim.checking() as faults:
        state_space[(heads,)](x, step, decay, b, c, out, state, tokens, H=heads, P=width, N=states, CHUNK=16)
    expected, memory, d = torch.empty_like(out), torch.zeros_like(state), F.softplus(step)
    for t in range(tokens):
        new = d[t, :, None, None] * b[t, None, :, None] * x[t, :, None, :]
        memory = memory * torch.exp(d[t] * decay)[:, None, None] + new
        expected[t] = torch.einsum("n,hnp->hp", c[t], memory)
    torch.testing.assert_close(out, expected, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(state, memory, rtol=1e-3, atol=1e-4)
    assert not [fault for fault in faults if fault.certain]


@triton.jit
def block_sparse(q, k, v, out, starts, columns, tokens, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    row, d = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, D)
    queries = tl.load(q + row[:, None] * D + d[None, :], mask=row[:, None] < tokens, other=0.0)
    largest, total = tl.full((BLOCK,), float("-inf"), tl.float32), tl.zeros((BLOCK,), tl.float32)
    result = tl.zeros((BLOCK, D), tl.float32)
    for number in range(tl.load(starts + tl.program_id(0)), tl.load(starts + tl.program_id(0) + 1)):
        column = tl.load(columns + number) * BLOCK + tl.arange(0, BLOCK)
        keys = tl.load(k + column[None, :] * D + d[:, None], mask=column[None, :] < tokens, other=0.0)
        scores = tl.where((row[:, None] >= column[None, :]) & (column[None, :] < tokens),
                          tl.dot(queries, keys) * scale, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        weights, fade = tl.exp(scores - new[:, None]), tl.exp(largest - new)
        values = tl.load(v + column[:, None] * D + d[None, :], mask=column[:, None] < tokens, other=0.0)
        total = total * fade + tl.sum(weights, 1)
        result = result * fade[:, None] + tl.dot(weights.to(values.dtype), values)
        largest = new
    tl.store(out + row[:, None] * D + d[None, :], result / total[:, None], mask=row[:, None] < tokens)


def test_block_sparse():
    tokens, width, block, layout = 75, 32, 16, [[0], [0, 1], [2], [0, 3], [1, 4]]
    q, k, v = (torch.randn(tokens, width).half() for _ in range(3))
    out, mask = torch.empty_like(q), torch.zeros(tokens, tokens, dtype=torch.bool)
    for row, columns in enumerate(layout):
        for column in columns:
            mask[row * block:][:block, column * block:][:, :block] = True
    mask &= torch.ones(tokens, tokens).tril().bool()
    starts = torch.tensor([0] + [len(columns) for columns in layout]).cumsum(0).int()
    blocks = torch.tensor([column for columns in layout for column in columns]).int()
    block_sparse[(5,)](q, k, v, out, starts, blocks, tokens, 0.2, D=width, BLOCK=block)
    scores = (q.float() @ k.float().mT * 0.2).masked_fill(~mask, -torch.inf)
    torch.testing.assert_close(out.float(), scores.softmax(-1) @ v.float(), rtol=1e-2, atol=3e-3)
