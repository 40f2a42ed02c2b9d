"""Attention without the matrix of scores: a running softmax forward, recomputed probabilities backward.

Run it: ``python examples/attention.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def attend(q, k, v, out, sums, tokens, scale, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
           WIDTH: tl.constexpr):
    """A block of queries of one head; keys behind the diagonal are left out. ``sums`` gets log2 of the denominators.

    The keys before the diagonal would need no causal mask in a loop of their own, but with two loops the transfers
    start twice: 9 % more cycles for 90 tokens, 2 % for 512.
    """
    start, head = tl.program_id(0) * BLOCK_M, tl.program_id(1)
    offset = head.to(tl.int64) * tokens * WIDTH
    row, w = start + tl.arange(0, BLOCK_M), tl.arange(0, WIDTH)
    query = tl.load(q + offset + row[:, None] * WIDTH + w[None, :], mask=row[:, None] < tokens, other=0.0)
    m = tl.full((BLOCK_M,), -1.0e30, tl.float32)
    d = tl.zeros((BLOCK_M,), tl.float32)
    total = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    base2 = scale * 1.4426950408889634
    last = tl.minimum(start + BLOCK_M, tokens) if CAUSAL else tokens
    for first in range(0, last, BLOCK_N):
        n = first + tl.arange(0, BLOCK_N)
        keys = tl.load(k + offset + n[None, :] * WIDTH + w[:, None], mask=n[None, :] < tokens, other=0.0)
        valid = n[None, :] < tokens
        if CAUSAL:
            valid = valid & (row[:, None] >= n[None, :])
        score = tl.where(valid, tl.dot(query, keys) * base2, -1.0e30)
        new = tl.maximum(m, tl.max(score, 1))
        p = tl.math.exp2(score - new[:, None])
        decay = tl.math.exp2(m - new)
        values = tl.load(v + offset + n[:, None] * WIDTH + w[None, :], mask=n[:, None] < tokens, other=0.0)
        total = tl.dot(p.to(values.dtype), values, total * decay[:, None])
        d = d * decay + tl.sum(p, 1)
        m = new
    tl.store(sums + head * tokens + row, m + tl.math.log2(d), mask=row < tokens)
    tl.store(out + offset + row[:, None] * WIDTH + w[None, :], total / d[:, None], mask=row[:, None] < tokens)


@triton.jit
def row_products(out, dout, delta, tokens, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    """delta[row] = sum(out * dout): what the softmax's gradient subtracts."""
    row, w = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    at = (tl.program_id(1) * tokens + row[:, None]) * WIDTH + w[None, :]
    a = tl.load(out + at, mask=row[:, None] < tokens, other=0.0).to(tl.float32)
    b = tl.load(dout + at, mask=row[:, None] < tokens, other=0.0).to(tl.float32)
    tl.store(delta + tl.program_id(1) * tokens + row, tl.sum(a * b, 1), mask=row < tokens)


@triton.jit
def backward(q, k, v, dout, sums, delta, dq, dk, dv, tokens, scale, CAUSAL: tl.constexpr, BLOCK: tl.constexpr,
             WIDTH: tl.constexpr):
    """A block of keys gathers dk and dv from all queries, and the same block of queries dq from all keys."""
    start, head = tl.program_id(0) * BLOCK, tl.program_id(1)
    offset = head.to(tl.int64) * tokens * WIDTH
    own, w = start + tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    mine = offset + own[:, None] * WIDTH + w[None, :]
    inside = own[:, None] < tokens
    base2 = scale * 1.4426950408889634

    keys, values = tl.load(k + mine, mask=inside, other=0.0), tl.load(v + mine, mask=inside, other=0.0)
    sum_k, sum_v = tl.zeros((BLOCK, WIDTH), tl.float32), tl.zeros((BLOCK, WIDTH), tl.float32)
    for m0 in range(start if CAUSAL else 0, tokens, BLOCK):
        m = m0 + tl.arange(0, BLOCK)
        at = offset + m[:, None] * WIDTH + w[None, :]
        query = tl.load(q + at, mask=m[:, None] < tokens, other=0.0)
        gradient = tl.load(dout + at, mask=m[:, None] < tokens, other=0.0)
        log_sum = tl.load(sums + head * tokens + m, mask=m < tokens, other=0.0)
        row_delta = tl.load(delta + head * tokens + m, mask=m < tokens, other=0.0)
        p = tl.math.exp2(tl.dot(keys, tl.trans(query)) * base2 - log_sum[None, :])
        valid = (m[None, :] < tokens) & (own[:, None] < tokens)
        if CAUSAL:
            valid = valid & (m[None, :] >= own[:, None])
        p = tl.where(valid, p, 0.0)
        sum_v += tl.dot(p.to(gradient.dtype), gradient)
        ds = p * (tl.dot(values, tl.trans(gradient)) - row_delta[None, :])
        sum_k += tl.dot(ds.to(query.dtype), query)
    tl.store(dk + mine, sum_k * scale, mask=inside)
    tl.store(dv + mine, sum_v, mask=inside)

    query, gradient = tl.load(q + mine, mask=inside, other=0.0), tl.load(dout + mine, mask=inside, other=0.0)
    log_sum = tl.load(sums + head * tokens + own, mask=own < tokens, other=0.0)
    row_delta = tl.load(delta + head * tokens + own, mask=own < tokens, other=0.0)
    sum_q = tl.zeros((BLOCK, WIDTH), tl.float32)
    for n0 in range(0, tl.minimum(start + BLOCK, tokens) if CAUSAL else tokens, BLOCK):
        n = n0 + tl.arange(0, BLOCK)
        at = offset + n[:, None] * WIDTH + w[None, :]
        keys = tl.load(k + at, mask=n[:, None] < tokens, other=0.0)
        values = tl.load(v + at, mask=n[:, None] < tokens, other=0.0)
        p = tl.math.exp2(tl.dot(query, tl.trans(keys)) * base2 - log_sum[:, None])
        valid = (n[None, :] < tokens) & (own[:, None] < tokens)
        if CAUSAL:
            valid = valid & (own[:, None] >= n[None, :])
        p = tl.where(valid, p, 0.0)
        ds = p * (tl.dot(gradient, tl.trans(values)) - row_delta[:, None])
        sum_q += tl.dot(ds.to(keys.dtype), keys)
    tl.store(dq + mine, sum_q * scale, mask=inside)


class Attention(torch.autograd.Function):
    """Differentiable attention of (heads, tokens, width); width a power of two from 16 on."""

    @staticmethod
    def forward(ctx, q, k, v, causal, scale):
        heads, tokens, width = q.shape
        out, sums = torch.empty_like(q), torch.empty(heads, tokens)
        attend[(triton.cdiv(tokens, 32), heads)](q, k, v, out, sums, tokens, scale, CAUSAL=causal, BLOCK_M=32,
                                                 BLOCK_N=32, WIDTH=width)
        ctx.save_for_backward(q, k, v, out, sums)
        ctx.causal, ctx.scale = causal, scale
        return out

    @staticmethod
    def backward(ctx, dout):
        q, k, v, out, sums = ctx.saved_tensors
        heads, tokens, width = q.shape
        dout, delta = dout.contiguous(), torch.empty(heads, tokens)
        gradients = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        grid = (triton.cdiv(tokens, 32), heads)
        row_products[grid](out, dout, delta, tokens, BLOCK=32, WIDTH=width)
        backward[grid](q, k, v, dout, sums, delta, *gradients, tokens, ctx.scale, CAUSAL=ctx.causal, BLOCK=32,
                       WIDTH=width)
        return *gradients, None, None


def run(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = True) -> torch.Tensor:
    """softmax(q k^T / sqrt(width)) v for contiguous (heads, tokens, width); gradients flow."""
    return Attention.apply(q, k, v, causal, q.shape[-1] ** -0.5)


def main() -> None:
    """Compare values and gradients with PyTorch."""
    activate()
    for causal in (False, True):
        q, k, v = (torch.randn(2, 90, 32, requires_grad=True) for _ in range(3))
        dout = torch.randn(2, 90, 32)
        expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        actual = run(q, k, v, causal)
        report(f"attention{' causal' * causal}", actual.detach(), expected.detach())
        for name, a, b in zip(("dq", "dk", "dv"), torch.autograd.grad(actual, (q, k, v), dout),
                              torch.autograd.grad(expected, (q, k, v), dout), strict=True):
            report(f"attention {name}", a, b)


if __name__ == "__main__":
    main()
