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
    (128, 256, 128, (128, 128, 64), -128), (150, 280, 131, (128, 128, 64), -128), (128, 250, 128, (128, 128, 64), -8)])
def test_sums_are_exact(rows, depth, columns, blocks, low):
    """Whole and ragged blocks; the least and the largest bytes in a row and in a column."""
    torch.manual_seed(0)
    a = torch.randint(-128, 128, (rows, depth), dtype=torch.int8)
    b = torch.randint(low, -low, (depth, columns), dtype=torch.int8)
    a[0], a[1], b[:, 0], b[:, 1] = -128, 127, low, -low - 1
    given = b if low == -128 else (b[::2] & 15) | (b[1::2] << 4)
    c = torch.full((rows, columns), 7, dtype=torch.int32)
    grid = (triton.cdiv(rows, blocks[0]), triton.cdiv(columns, blocks[1]))
    product[grid](a, given, c, rows, columns, depth, BLOCK_M=blocks[0], BLOCK_N=blocks[1], BLOCK_K=blocks[2],
                  NIBBLES=low != -128)
    assert torch.equal(c, (a.long() @ b.long()).int())
    steps = -(-depth // blocks[2]) * blocks[2]
    assert sim.history[-1].result.matrix.macs == grid[0] * grid[1] * blocks[0] * blocks[1] * steps
