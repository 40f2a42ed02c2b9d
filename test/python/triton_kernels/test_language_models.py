"""What language models are made of: embeddings, losses, positions, gates, caches, sampling, experts."""

import math

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

F = torch.nn.functional


@triton.jit
def embedding(tokens, table, out, count, width, vocabulary, padding, BLOCK_T: tl.constexpr, BLOCK_W: tl.constexpr):
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    w = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)
    token = tl.load(tokens + t, mask=t < count, other=padding)
    inside = (token >= 0) & (token < vocabulary) & (token != padding)
    rows = tl.load(table + token[:, None] * width + w[None, :], mask=inside[:, None] & (w[None, :] < width), other=0.0)
    tl.store(out + t[:, None] * width + w[None, :], rows, mask=(t[:, None] < count) & (w[None, :] < width))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_embedding(dtype):
    table = torch.randn(50, 70)
    tokens = torch.randint(0, 50, (21,)).to(dtype)
    tokens[3] = 7
    out = torch.full((21, 70), 9.0)
    embedding[(2, 3)](tokens, table, out, 21, 70, 50, 7, BLOCK_T=16, BLOCK_W=32)
    expected = table[tokens.long()]
    expected[tokens == 7] = 0
    assert torch.equal(out, expected)


@triton.jit
def embedding_backward(tokens, grad, out, width, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    token = tl.load(tokens + t)
    for start in range(0, width, BLOCK):
        w = start + tl.arange(0, BLOCK)
        g = tl.load(grad + t * width + w, mask=w < width)
        tl.atomic_add(out + token * width + w, g, mask=w < width, sem="relaxed")


def test_embedding_backward():
    tokens, grad = torch.tensor([3, 1, 3, 0, 3]), torch.randn(5, 45)
    out = torch.zeros(6, 45)
    embedding_backward[(5,)](tokens, grad, out, 45, BLOCK=32)
    torch.testing.assert_close(out, torch.zeros(6, 45).index_add_(0, tokens, grad))


@triton.jit
def cross_entropy(logits, labels, loss, stride, classes, ignore, smoothing, BLOCK: tl.constexpr):
    """Forward and backward in one pass over the row: the logits become their gradient."""
    row = tl.program_id(0).to(tl.int64)
    logits += row * stride
    label = tl.load(labels + row)
    if label == ignore:
        for start in range(0, classes, BLOCK):
            i = start + tl.arange(0, BLOCK)
            tl.store(logits + i, 0.0, mask=i < classes)
        tl.store(loss + row, 0.0)
        return
    m, d, total = float("-inf"), 0.0, 0.0
    chosen = tl.load(logits + label).to(tl.float32)
    for start in range(0, classes, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(logits + i, mask=i < classes, other=float("-inf")).to(tl.float32)
        total += tl.sum(tl.where(i < classes, v, 0.0))
        new = tl.maximum(m, tl.max(v))
        d = d * tl.exp(m - new) + tl.sum(tl.exp(v - new))
        m = new
    log_sum = m + tl.log(d)
    even = smoothing / classes
    for start in range(0, classes, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(logits + i, mask=i < classes, other=float("-inf")).to(tl.float32)
        g = tl.exp(v - m) / d - even
        g = tl.where(i != label, g, g - (1 - smoothing))
        tl.store(logits + i, g, mask=i < classes)
    tl.debug_barrier()
    tl.store(loss + row, (1 - smoothing) * (log_sum - chosen) + smoothing * log_sum - even * total)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy(smoothing):
    x = (torch.randn(5, 131) * 3).requires_grad_()
    labels = torch.tensor([3, 130, -100, 0, 64])
    expected = F.cross_entropy(x, labels, reduction="none", label_smoothing=smoothing)
    expected.sum().backward()
    logits, loss = x.detach().clone(), torch.empty(5)
    cross_entropy[(5,)](logits, labels, loss, 131, 131, -100, smoothing, BLOCK=64)
    torch.testing.assert_close(loss, expected.detach(), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(logits, x.grad, rtol=1e-4, atol=1e-6)


@triton.jit
def rope_half(q, cosine, sine, heads, width, stride_token, HALF: tl.constexpr, HEADS: tl.constexpr,
              BACKWARD: tl.constexpr):
    """Rotates the two halves of each head in place."""
    token = tl.program_id(0)
    i = tl.arange(0, HALF)
    c = tl.load(cosine + token * (width // 2) + i, mask=i < width // 2, other=0)
    s = tl.load(sine + token * (width // 2) + i, mask=i < width // 2, other=0)
    h = tl.arange(0, HEADS)
    first = token * stride_token + h[:, None] * width + i[None, :]
    second = first + width // 2
    valid = (h[:, None] < heads) & (i[None, :] < width // 2)
    a = tl.load(q + first, mask=valid, other=0).to(c.dtype)
    b = tl.load(q + second, mask=valid, other=0).to(c.dtype)
    if BACKWARD:
        s = -s
    tl.store(q + first, a * c - b * s, mask=valid)
    tl.store(q + second, b * c + a * s, mask=valid)


@pytest.mark.parametrize("backward", [False, True])
def test_rope_half(backward):
    q = torch.randn(3, 5, 24)
    angle = torch.rand(3, 12) * 6
    c, s = angle.cos(), angle.sin()
    sign = -1 if backward else 1
    a, b = q[..., :12].clone(), q[..., 12:].clone()
    expected = torch.cat([a * c[:, None] - sign * b * s[:, None], b * c[:, None] + sign * a * s[:, None]], -1)
    rope_half[(3,)](q, c, s, 5, 24, 120, HALF=16, HEADS=8, BACKWARD=backward)
    torch.testing.assert_close(q, expected, rtol=1e-5, atol=1e-6)


@triton.jit
def rope_interleaved(q, out, theta, WIDTH: tl.constexpr):
    """Neighbours are pairs; angles are computed in the kernel."""
    position, head = tl.program_id(0), tl.program_id(1)
    base = (position * tl.num_programs(1) + head) * WIDTH
    i = tl.arange(0, WIDTH)
    pairs = tl.reshape(tl.load(q + base + i), (WIDTH // 2, 2))
    even, odd = tl.split(pairs)
    k = tl.arange(0, WIDTH // 2)
    angle = position * tl.exp2(-(2.0 * k / WIDTH) * tl.log2(theta))
    c, s = tl.cos(angle), tl.sin(angle)
    tl.store(out + base + i, tl.interleave(even * c - odd * s, even * s + odd * c))


def test_rope_interleaved():
    q = torch.randn(9, 2, 16)
    out = torch.empty_like(q)
    rope_interleaved[(9, 2)](q, out, 10000.0, WIDTH=16)
    angle = torch.arange(9)[:, None] * 10000.0 ** (-torch.arange(8) / 8)
    rotated = torch.view_as_complex(q.reshape(9, 2, 8, 2)) * torch.polar(torch.ones(9, 8), angle)[:, None]
    torch.testing.assert_close(out, torch.view_as_real(rotated).reshape(9, 2, 16), rtol=1e-4, atol=1e-5)


@triton.jit
def swiglu(x, out, width, stride, BLOCK: tl.constexpr):
    """The gate and the value lie beside each other in one row."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    valid = i < width
    gate = tl.load(x + row * stride + i, mask=valid).to(tl.float32)
    value = tl.load(x + row * stride + width + i, mask=valid)
    tl.store(out + row * width + i, (gate * tl.sigmoid(gate)).to(value.dtype) * value, mask=valid)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_swiglu(dtype):
    x = (torch.randn(3, 180) * 3).to(dtype)
    out = torch.empty(3, 90, dtype=dtype)
    swiglu[(3, 2)](x, out, 90, 180, BLOCK=64)
    expected = F.silu(x[:, :90].float()).to(dtype) * x[:, 90:]
    torch.testing.assert_close(out, expected, rtol=1e-2 if dtype != torch.float32 else 1e-5, atol=1e-3)


@triton.jit
def geglu_backward(dy, a, b, da, db, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    g, x, y = tl.load(dy + i, mask=m), tl.load(a + i, mask=m), tl.load(b + i, mask=m)
    k = 0.7978845608028654
    t = libdevice.tanh(k * (x + 0.044715 * x * x * x))
    gelu = 0.5 * x * (1 + t)
    slope = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * 0.044715 * x * x)
    tl.store(da + i, g * y * slope, mask=m)
    tl.store(db + i, g * gelu, mask=m)


def test_geglu_backward():
    a, b = torch.randn(100, requires_grad=True), torch.randn(100, requires_grad=True)
    dy = torch.randn(100)
    (F.gelu(a, approximate="tanh") * b).backward(dy)
    da, db = torch.empty(100), torch.empty(100)
    geglu_backward[(2,)](dy, a.detach(), b.detach(), da, db, 100, BLOCK=64)
    torch.testing.assert_close(da, a.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(db, b.grad, rtol=1e-4, atol=1e-5)


@triton.jit
def reshape_and_cache(key, cache, slots, heads, width, page, stride_page, stride_head, stride_slot, x_size,
                      HEADS: tl.constexpr, WIDTH: tl.constexpr):
    """Writes a token's keys to its page; a slot of -1 is padding. The cache is (pages, heads, width/x, page, x)."""
    token = tl.program_id(0)
    slot = tl.load(slots + token)
    if slot < 0:
        return
    block, offset = slot // page, slot % page
    h, w = tl.arange(0, HEADS)[:, None], tl.arange(0, WIDTH)[None, :]
    valid = (h < heads) & (w < width)
    v = tl.load(key + (token * heads + h) * width + w, mask=valid)
    at = block * stride_page + h * stride_head + (w // x_size) * stride_slot + offset * x_size + w % x_size
    tl.store(cache + at, v, mask=valid)


def test_reshape_and_cache():
    heads, width, page, x = 3, 16, 4, 8
    key = torch.randn(5, heads, width)
    slots = torch.tensor([6, -1, 0, 11, 7])
    cache = torch.zeros(3, heads, width // x, page, x)
    expected = cache.clone()
    for token, slot in enumerate(slots.tolist()):
        if slot >= 0:
            expected[slot // page, :, :, slot % page] = key[token].reshape(heads, width // x, x)
    reshape_and_cache[(5,)](key, cache, slots, heads, width, page, *cache.stride()[:3], x, HEADS=4, WIDTH=16)
    assert torch.equal(cache, expected)


@triton.jit
def paged_attention(q, k_cache, v_cache, tables, lengths, out, scale, max_pages,
                    HEADS: tl.constexpr, GROUP: tl.constexpr, WIDTH: tl.constexpr, PAGE: tl.constexpr):
    """One query token per sequence; keys and values live in pages named by a table; heads share keys in groups."""
    sequence, kv_head = tl.program_id(0), tl.program_id(1)
    length = tl.load(lengths + sequence)
    g, w, p = tl.arange(0, GROUP), tl.arange(0, WIDTH), tl.arange(0, PAGE)
    head = kv_head * GROUP + g
    query = tl.load(q + (sequence * HEADS + head[:, None]) * WIDTH + w[None, :])
    m = tl.full((GROUP,), float("-inf"), tl.float32)
    d = tl.zeros((GROUP,), tl.float32)
    total = tl.zeros((GROUP, WIDTH), tl.float32)
    kv_heads: tl.constexpr = HEADS // GROUP
    for n in range(0, tl.cdiv(length, PAGE)):
        page = tl.load(tables + sequence * max_pages + n)
        at = ((page * PAGE + p[:, None]) * kv_heads + kv_head) * WIDTH + w[None, :]
        valid = n * PAGE + p < length
        k = tl.load(k_cache + at, mask=valid[:, None], other=0.0)
        score = tl.sum(query[:, None, :] * k[None, :, :], 2) * scale
        score = tl.where(valid[None, :], score, float("-inf"))
        new = tl.maximum(m, tl.max(score, 1))
        probability = tl.exp(score - new[:, None])
        decay = tl.exp(m - new)
        d = d * decay + tl.sum(probability, 1)
        v = tl.load(v_cache + at, mask=valid[:, None], other=0.0)
        total = total * decay[:, None] + tl.dot(probability, v)
        m = new
    tl.store(out + (sequence * HEADS + head[:, None]) * WIDTH + w[None, :], total / d[:, None])


def test_paged_attention():
    heads, group, width, page = 8, 4, 32, 16
    k, v = torch.randn(7, page, 2, width), torch.randn(7, page, 2, width)
    q = torch.randn(3, heads, width)
    tables = torch.tensor([[4, 0, 6], [2, 5, 0], [3, 0, 0]], dtype=torch.int32)
    lengths = torch.tensor([37, 32, 1], dtype=torch.int32)
    out = torch.empty_like(q)
    paged_attention[(3, 2)](q, k, v, tables, lengths, out, width**-0.5, 3, HEADS=heads, GROUP=group, WIDTH=width,
                            PAGE=page)
    for s, length in enumerate(lengths.tolist()):
        keys, values = (t[tables[s].long()].reshape(-1, 2, width)[:length].repeat_interleave(group, 1) for t in (k, v))
        weights = torch.softmax(torch.einsum("hw,thw->ht", q[s], keys) * width**-0.5, 1)
        torch.testing.assert_close(out[s], torch.einsum("ht,thw->hw", weights, values), rtol=1e-4, atol=1e-5)


@triton.jit
def route_top_k(logits, weights, experts, tokens, EXPERTS: tl.constexpr, K: tl.constexpr, BLOCK: tl.constexpr):
    """Softmax over experts, then the K best by repeated argmax, renormalised."""
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    e = tl.arange(0, EXPERTS)
    v = tl.load(logits + t[:, None] * EXPERTS + e[None, :], mask=t[:, None] < tokens, other=0.0)
    p = tl.softmax(v, dim=1)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in tl.static_range(K):
        total += tl.max(p, 1)
        p = tl.where(e[None, :] == tl.argmax(p, 1)[:, None], -1.0, p)
    p = tl.softmax(v, dim=1)
    for k in tl.static_range(K):
        best, index = tl.max(p, 1, return_indices=True)
        tl.store(weights + t * K + k, best / total, mask=t < tokens)
        tl.store(experts + t * K + k, index, mask=t < tokens)
        p = tl.where(e[None, :] == index[:, None], -1.0, p)


def test_route_top_k():
    logits = torch.randn(11, 8)
    weights, experts = torch.empty(11, 2), torch.empty(11, 2, dtype=torch.int32)
    route_top_k[(2,)](logits, weights, experts, 11, EXPERTS=8, K=2, BLOCK=8)
    best, index = torch.softmax(logits, 1).topk(2)
    assert torch.equal(experts.long(), index)
    torch.testing.assert_close(weights, best / best.sum(1, keepdim=True), rtol=1e-5, atol=1e-6)


@triton.jit
def moe_gemm(a, b, c, order, expert_of_block, tokens, K, N, top_k, stride_expert,
             BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Rows are gathered by expert; a block of rows belongs to one expert; -1 pads the order."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = (tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    row = tl.load(order + m)
    valid = row >= 0
    expert = tl.load(expert_of_block + tl.program_id(0)).to(tl.int64)
    left = a + (row[:, None] // top_k * K + k[None, :])
    right = b + expert * stride_expert + (k[:, None] * N + n[None, :])
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(left, mask=valid[:, None] & (k[None, :] < K - start * BLOCK_K), other=0.0)
        y = tl.load(right, mask=k[:, None] < K - start * BLOCK_K, other=0.0)
        total += tl.dot(x, y)
        left += BLOCK_K
        right += BLOCK_K * N
    column = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + row[:, None] * N + column[None, :], total, mask=valid[:, None] & (column[None, :] < N))


def test_moe_gemm():
    tokens, top_k, experts, K, N, block = 9, 2, 3, 40, 24, 8
    a, b = torch.randn(tokens, K), torch.randn(experts, K, N)
    chosen = torch.randint(0, experts, (tokens, top_k))
    order, owners = [], []
    for e in range(experts):
        rows = (chosen.reshape(-1) == e).nonzero().reshape(-1).tolist()
        rows += [-1] * (-len(rows) % block)
        order += rows
        owners += [e] * (len(rows) // block)
    c = torch.zeros(tokens * top_k, N)
    moe_gemm[(len(owners), 2)](a, b, c, torch.tensor(order, dtype=torch.int32), torch.tensor(owners, dtype=torch.int32),
                               tokens, K, N, top_k, K * N, BLOCK_M=block, BLOCK_N=16, BLOCK_K=16)
    expected = torch.einsum("tk,tekn->ten", a, b[chosen]).reshape(-1, N)
    torch.testing.assert_close(c, expected, rtol=1e-4, atol=1e-4)


@triton.jit
def gumbel_sample(logits, noise, out, classes, temperature, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best, best_at = -float("inf"), 0
    for start in range(0, classes, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(logits + row * classes + i, mask=i < classes, other=-float("inf")) / temperature
        u = tl.load(noise + row * classes + i, mask=i < classes, other=0.5)
        value, at = tl.max(v - tl.log(-tl.log(u)), axis=0, return_indices=True)
        if value > best:
            best = value
            best_at = start + at
    tl.store(out + row, best_at)


def test_gumbel_sample():
    logits, noise = torch.randn(6, 150), torch.rand(6, 150).clamp(1e-6, 1 - 1e-6)
    out = torch.empty(6, dtype=torch.int32)
    gumbel_sample[(6,)](logits, noise, out, 150, 0.7, BLOCK=64)
    assert torch.equal(out.long(), (logits / 0.7 - (-noise.log()).log()).argmax(1))


@triton.jit
def attention_window(q, k, v, out, tokens, scale, WINDOW: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     WIDTH: tl.constexpr):
    """Causal attention to the last WINDOW keys with ALiBi-like distance penalty and a soft cap."""
    start = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1)
    m = start + tl.arange(0, BLOCK_M)
    w = tl.arange(0, WIDTH)
    base = head * tokens * WIDTH
    query = tl.load(q + base + m[:, None] * WIDTH + w[None, :], mask=m[:, None] < tokens, other=0.0)
    largest = tl.full((BLOCK_M,), -1e30, tl.float32)
    d = tl.zeros((BLOCK_M,), tl.float32)
    total = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    slope = tl.exp2(-(head + 1).to(tl.float32))
    first = tl.maximum(0, start - WINDOW + 1) // BLOCK_N * BLOCK_N
    for j in range(first, tl.minimum(start + BLOCK_M, tokens), BLOCK_N):
        n = j + tl.arange(0, BLOCK_N)
        keys = tl.load(k + base + n[None, :] * WIDTH + w[:, None], mask=n[None, :] < tokens, other=0.0)
        s = tl.dot(query, keys) * scale
        s = 20.0 * libdevice.tanh(s / 20.0) - slope * (m[:, None] - n[None, :]).to(tl.float32)
        s = tl.where((m[:, None] >= n[None, :]) & (m[:, None] - n[None, :] < WINDOW), s, -1e30)
        new = tl.maximum(largest, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        decay = tl.exp(largest - new)
        d = d * decay + tl.sum(p, 1)
        values = tl.load(v + base + n[:, None] * WIDTH + w[None, :], mask=n[:, None] < tokens, other=0.0)
        total = tl.dot(p, values, acc=total * decay[:, None])
        largest = new
    tl.store(out + base + m[:, None] * WIDTH + w[None, :], total / d[:, None], mask=m[:, None] < tokens)


def test_attention_window():
    heads, tokens, width, window = 2, 45, 16, 20
    q, k, v = (torch.randn(heads, tokens, width) for _ in range(3))
    out = torch.empty_like(q)
    attention_window[(3, heads)](q, k, v, out, tokens, 0.25, WINDOW=window, BLOCK_M=16, BLOCK_N=16, WIDTH=width)
    i = torch.arange(tokens)
    distance = i[:, None] - i[None, :]
    s = 20 * torch.tanh(q @ k.mT * 0.25 / 20)
    s = s - distance * torch.tensor([0.5, 0.25])[:, None, None]
    s = s.masked_fill((distance < 0) | (distance >= window), -1e30)
    torch.testing.assert_close(out, torch.softmax(s, -1) @ v, rtol=1e-4, atol=1e-5)


@triton.jit
def decode_split(q, k, v, partial, sums, tokens, scale, SPLITS: tl.constexpr, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    """Flash decoding, first half: each program handles a share of the keys."""
    head, part = tl.program_id(0), tl.program_id(1)
    w = tl.arange(0, WIDTH)
    query = tl.load(q + head * WIDTH + w)
    share = tl.cdiv(tokens, SPLITS)
    first = part * share
    last = tl.minimum(first + share, tokens)
    m, d = float("-inf"), 0.0
    total = tl.zeros((WIDTH,), tl.float32)
    for j in range(first, last, BLOCK):
        n = j + tl.arange(0, BLOCK)
        keys = tl.load(k + (head * tokens + n[:, None]) * WIDTH + w[None, :], mask=n[:, None] < last, other=0.0)
        s = tl.where(n < last, tl.sum(keys * query[None, :], 1) * scale, float("-inf"))
        new = tl.maximum(m, tl.max(s, 0))
        p = tl.exp(s - new)
        values = tl.load(v + (head * tokens + n[:, None]) * WIDTH + w[None, :], mask=n[:, None] < last, other=0.0)
        total = total * tl.exp(m - new) + tl.sum(p[:, None] * values, 0)
        d = d * tl.exp(m - new) + tl.sum(p, 0)
        m = new
    at = head * SPLITS + part
    tl.store(partial + at * WIDTH + w, total / d)
    tl.store(sums + at, m + tl.log(d))


@triton.jit
def decode_merge(partial, sums, out, SPLITS: tl.constexpr, WIDTH: tl.constexpr):
    head = tl.program_id(0)
    s, w = tl.arange(0, SPLITS), tl.arange(0, WIDTH)
    weight = tl.softmax(tl.load(sums + head * SPLITS + s))
    values = tl.load(partial + (head * SPLITS + s[:, None]) * WIDTH + w[None, :])
    tl.store(out + head * WIDTH + w, tl.sum(values * weight[:, None], 0))


def test_split_decode():
    heads, tokens, width = 3, 90, 32
    q, k, v = torch.randn(heads, width), torch.randn(heads, tokens, width), torch.randn(heads, tokens, width)
    partial, sums, out = torch.empty(heads, 4, width), torch.empty(heads, 4), torch.empty(heads, width)
    decode_split[(heads, 4)](q, k, v, partial, sums, tokens, width**-0.5, SPLITS=4, BLOCK=16, WIDTH=width)
    decode_merge[(heads,)](partial, sums, out, SPLITS=4, WIDTH=width)
    expected = F.scaled_dot_product_attention(q[:, None], k, v)[:, 0]
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
    assert math.isfinite(out.sum())


@triton.jit
def penalties(logits, counts, repetition, frequency, presence, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    valid = i < classes
    v = tl.load(logits + row * classes + i, mask=valid)
    n = tl.load(counts + row * classes + i, mask=valid)
    seen = n > 0
    r = tl.load(repetition + row)
    v = tl.where(seen, tl.where(v > 0, v / r, v * r), v)
    v -= n.to(tl.float32) * frequency + seen.to(tl.float32) * presence
    tl.store(logits + row * classes + i, v, mask=valid)


def test_penalties():
    logits, counts = torch.randn(2, 100), torch.randint(0, 3, (2, 100))
    repetition = torch.tensor([1.2, 0.9])
    r = repetition[:, None]
    expected = torch.where(counts > 0, torch.where(logits > 0, logits / r, logits * r), logits)
    expected = expected - 0.3 * counts - 0.2 * (counts > 0)
    penalties[(2, 2)](logits, counts, repetition, 0.3, 0.2, 100, BLOCK=64)
    torch.testing.assert_close(logits, expected, rtol=1e-5, atol=1e-6)
