"""``tl.dot`` of bytes in a loop along the reduction, weights of 4 bits among them: one exact product of the engine."""

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
def product(a, b, c, M, N, K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            NIBBLES: tl.constexpr):
    """With ``NIBBLES`` a byte of b has two numbers of a column, the first one in its low half."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        row = k // 2 if NIBBLES else k
        y = tl.load(b + row[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0)
        if NIBBLES:
            y = (y << (4 - 4 * (k[:, None] % 2)).to(tl.int8)) >> 4
        total = tl.dot(x, y, total)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize(("rows", "depth", "columns", "blocks", "low"), [
    (128, 256, 128, (128, 128, 64), -128), (150, 280, 131, (128, 128, 64), -128), (128, 250, 128, (128, 128, 64), -8),
    (128, 251, 128, (128, 128, 64), -8)])
def test_sums_are_exact(rows, depth, columns, blocks, low):
    """Whole and ragged blocks; the least and the largest bytes in a row and in a column; a mask that ends within a byte
    of two numbers, which are multiplied as bytes then."""
    torch.manual_seed(0)
    a = torch.randint(-128, 128, (rows, depth), dtype=torch.int8)
    b = torch.randint(low, -low, (depth, columns), dtype=torch.int8)
    a[0], a[1], b[:, 0], b[:, 1] = -128, 127, low, -low - 1
    even = torch.cat([b, b[:depth % 2]])
    given = b if low == -128 else (even[::2] & 15) | (even[1::2] << 4)
    c = torch.full((rows, columns), 7, dtype=torch.int32)
    grid = (triton.cdiv(rows, blocks[0]), triton.cdiv(columns, blocks[1]))
    product[grid](a, given, c, rows, columns, depth, BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2],
                  NIBBLES=low != -128)
    assert torch.equal(c, (a.long() @ b.long()).int())
    steps = -(-depth // blocks[2]) * blocks[2]
    result, form = sim.history[-1].result, "n" if low == -8 and depth % 2 == 0 else "b"
    assert result.matrix.macs == grid[0] * grid[1] * blocks[0] * blocks[1] * steps
    assert f"hexmlir_engine_ub_{form}_planes" in result.functions


@triton.jit
def of_bytes(a, b, c, M, N, K: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
             ALONG_N: tl.constexpr, OFFSET: tl.constexpr):
    """A byte of b has two numbers of a column, or of a row ``ALONG_N``, joined; from 0 to 15 less ``OFFSET``, or with
    their sign where that is 0."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        if ALONG_N:
            half = tl.program_id(1) * (BLOCK_N // 2) + tl.arange(0, BLOCK_N // 2)
            inside = (k[:, None] < K) & (half[None, :] < N // 2)
            y = tl.load(b + k[:, None] * (N // 2) + half[None, :], mask=inside, other=0)
        else:
            half = start // 2 + tl.arange(0, BLOCK_K // 2)
            y = tl.load(b + half[:, None] * N + n[None, :], mask=(half[:, None] < K // 2) & (n[None, :] < N), other=0)
        if OFFSET:
            low, high = (y & 15) - OFFSET, ((y >> 4) & 15) - OFFSET
        else:
            low, high = (y << 4) >> 4, y >> 4
        both = tl.join(low, high)
        weights = (both if ALONG_N else both.permute(0, 2, 1)).reshape(BLOCK_K, BLOCK_N)
        total = tl.dot(x, weights.to(tl.int8), total)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize(("along_n", "offset", "shape"), [
    (False, 0, (150, 250, 131)), (False, 8, (128, 256, 128)), (True, 0, (128, 250, 256)), (True, 8, (150, 280, 134)),
    (False, 3, (128, 256, 128))])
def test_nibbles_stay_in_bytes(along_n, offset, shape):
    """Whole and ragged blocks, -8 and 7 in whole columns. Nibbles less 3 are products of bytes."""
    rows, depth, columns = shape
    torch.manual_seed(0)
    a = torch.randint(-128, 128, (rows, depth), dtype=torch.int8)
    b = torch.randint(-8, 8, (depth, columns), dtype=torch.int8)
    a[0], a[1], b[:, 0], b[:, 1] = -128, 127, -8, 7
    stored = b + 8 if offset else b
    low, high = (stored[:, ::2], stored[:, 1::2]) if along_n else (stored[::2], stored[1::2])
    c = torch.full((rows, columns), 7, dtype=torch.int32)
    grid = (triton.cdiv(rows, 128), triton.cdiv(columns, 256 if along_n else 128))
    of_bytes[grid](a, ((low & 15) | (high << 4)).contiguous(), c, rows, columns, depth, BLOCK_M=128,
                   BLOCK_N=256 if along_n else 128, BLOCK_K=64, ALONG_N=along_n, OFFSET=offset)
    expected = b.long() + (8 - offset if offset else 0)
    assert torch.equal(c, (a.long() @ expected).int())
    form = "b" if offset == 3 else "n"
    assert f"hexmlir_engine_ub_{form}_planes" in sim.history[-1].result.functions
