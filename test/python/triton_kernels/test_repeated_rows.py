"""Loads whose index is a quotient of a range: a row is loaded once and repeated. Values against numpy's indexing."""

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def rows(x, out, first, end, N, G: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEPS: tl.constexpr,
         BITS: tl.constexpr, LOOP: tl.constexpr):
    """Row k // G of x, times 10, plus k % G; -3 outside of [3, end). ``BITS`` writes them as a shift and a mask."""
    n = tl.arange(0, COLUMNS)
    for step in range(0, STEPS):
        start = step * ROWS if LOOP else first + step * ROWS
        k = start + tl.arange(0, ROWS)
        group, within = (k >> BITS, k & (G - 1)) if BITS else (k // G, k % G)
        inside = (k[:, None] >= 3) & (k[:, None] < end) & (n[None, :] < N)
        value = tl.load(x + group[:, None] * N + n[None, :], mask=inside, other=-3)
        value = value * 10 + within[:, None]
        tl.store(out + (step * ROWS + tl.arange(0, ROWS))[:, None] * COLUMNS + n[None, :], value)


def expected_rows(x, first, end, group, count, columns):
    k = first + torch.arange(count)
    quotient, remainder = (k / group).trunc().long(), torch.fmod(k, group)
    inside = (k[:, None] >= 3) & (k[:, None] < end) & (torch.arange(columns)[None, :] < x.shape[1])
    there = x[quotient.clamp(0, x.shape[0] - 1)][:, torch.arange(columns).clamp(max=x.shape[1] - 1)]
    return torch.where(inside, there, -3) * 10 + remainder[:, None].int()


@pytest.mark.parametrize(("group", "first", "end", "bits"), [
    (2, None, 61, 0), (8, None, 48, 0), (64, None, 64, 0), (4, None, 4, 2), (2, -5, 40, 0), (3, 0, 40, 0),
    pytest.param(2, 7, 64, 1, marks=pytest.mark.full), pytest.param(8, 8, 3, 0, marks=pytest.mark.full),
    pytest.param(32, None, 1000, 5, marks=pytest.mark.full)])
def test_rows_of_quotients(group, first, end, bits):
    """Groups that are whole, that a mask cuts, that are longer than a block; ranges from a number known at run time,
    negative ones and divisors that do not divide the block among them, which are not loaded in this way."""
    x = torch.randint(-100, 100, (40, 13), dtype=torch.int32)
    out = torch.full((64, 16), 77, dtype=torch.int32)
    rows[(1,)](x, out, first or 0, end, 13, group, 32, 16, 2, bits, first is None)
    assert torch.equal(out, expected_rows(x, first or 0, end, group, 64, 16))


@triton.jit
def both_ways(x, scale, out, M: tl.constexpr, N: tl.constexpr, GM: tl.constexpr, GN: tl.constexpr, GS: tl.constexpr):
    """x[m // GM, n // GN] * scale[m // GS, n], and the sums of its columns in the row after the last one."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    value = tl.load(x + (m // GM)[:, None] * (N // GN) + (n // GN)[None, :])
    value = value.to(tl.float32) * tl.load(scale + (m // GS)[:, None] * N + n[None, :])
    tl.store(out + m[:, None] * N + n[None, :], value)
    tl.store(out + M * N + n, tl.sum(value, axis=0))
    tl.store(out + (M + 1) * N + m, tl.sum(tl.trans(value) * 2, axis=0))


@pytest.mark.parametrize("sizes", [(16, 32, 2, 8, 8), (32, 16, 8, 4, 2), (16, 16, 4, 1, 16)])
def test_groups_along_both_dimensions(sizes):
    """Groups of two sizes along one dimension, and groups along the other."""
    rows_, columns, gm, gn, gs = sizes
    x = torch.randint(-100, 100, (rows_ // gm, columns // gn), dtype=torch.int8)
    scale = torch.randint(-9, 9, (rows_ // gs, columns)).float()
    out = torch.zeros((rows_ + 2) * columns + max(rows_, columns))
    both_ways[(1,)](x, scale, out, rows_, columns, gm, gn, gs)
    value = x.repeat_interleave(gm, 0).repeat_interleave(gn, 1).float() * scale.repeat_interleave(gs, 0)
    assert torch.equal(out[:rows_ * columns].reshape(rows_, columns), value)
    assert torch.equal(out[rows_ * columns:][:columns], value.sum(0))
    assert torch.equal(out[(rows_ + 1) * columns:][:rows_], 2 * value.sum(1))


@triton.jit
def scattered(x, out, N: tl.constexpr, G: tl.constexpr):
    """The last of each G neighbours."""
    i = tl.arange(0, N)
    tl.store(out + i // G, tl.load(x + i))
    tl.store(out + N + i, tl.load(x + i // G) + tl.load(x + i % G))


def test_stores_to_quotients_are_in_order():
    x, out = torch.arange(32.0), torch.zeros(64)
    scattered[(1,)](x, out, 32, 4)
    assert torch.equal(out[:8], x[3::4])
    assert torch.equal(out[32:], x[torch.arange(32) // 4] + x[torch.arange(32) % 4])


@triton.jit
def without_sign(out, N: tl.constexpr):
    """Quotients and remainders of numbers that wrap around to large ones."""
    i = tl.arange(0, N)
    large = (i - N).to(tl.uint32)
    tl.store(out + i, (large // 4).to(tl.int32))
    tl.store(out + N + i, (large % 4).to(tl.int32))
    tl.store(out + 2 * N + i, (large >> 1).to(tl.int32))
    tl.store(out + 3 * N + i, (i - N) >> 1)
    tl.store(out + 4 * N + i, (i - N) & 3)


def test_numbers_without_sign():
    out = torch.zeros(5, 16, dtype=torch.int32)
    without_sign[(1,)](out, 16)
    signed = torch.arange(16) - 16
    large = signed + (1 << 32)
    expected = torch.stack([large // 4, large % 4, large >> 1, signed >> 1, signed & 3]).to(torch.int32)
    assert torch.equal(out, expected)
