"""f16 rows times weights of 4 bits in words or bytes, which share a scale and a zero point in groups of a column."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate

pytestmark = pytest.mark.only_values
BLOCKS = (64, 128, 64)


@pytest.fixture(autouse=True)
def on_the_simulator(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    activate()


@triton.jit
def product(a, b, scales, zeros, c, M, N, K: tl.constexpr, GROUP: tl.constexpr, COUNT: tl.constexpr,
            BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """An element of b has ``COUNT`` weights of a column, the first one in its lowest bits."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0)
        inside = (k[:, None] < K) & (n[None, :] < N)
        packed = tl.load(b + (k // COUNT)[:, None] * N + n[None, :], mask=inside, other=0)
        number = (packed >> (k % COUNT * 4)[:, None]) & 15
        group = (k // GROUP)[:, None] * N + n[None, :]
        scale, zero = tl.load(scales + group, mask=inside, other=0), tl.load(zeros + group, mask=inside, other=0)
        total = tl.dot(x, (number.to(tl.float16) - zero) * scale, total)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def run(rows, depth, columns, group, count):
    generator = torch.Generator().manual_seed(0)
    a = torch.randn(rows, depth, generator=generator).half()
    numbers = torch.randint(0, 16, (depth, columns), generator=generator, dtype=torch.int32)
    groups = -(-depth // group)
    scales = (torch.rand(groups, columns, generator=generator) - 0.5).half()
    zeros = torch.randint(0, 16, (groups, columns), generator=generator).half()
    padded = torch.cat([numbers, numbers.new_zeros(-depth % count, columns)])
    words = sum(padded[place::count] << 4 * place for place in range(count))
    packed = words.to(torch.int8 if count == 2 else torch.int32)
    weights = (numbers - zeros.repeat_interleave(group, 0)[:depth]) * scales.repeat_interleave(group, 0)[:depth]
    c = torch.full((rows, columns), 7.0)
    grid = (triton.cdiv(rows, BLOCKS[0]), triton.cdiv(columns, BLOCKS[1]))
    product[grid](a, packed, scales, zeros, c, rows, columns, depth, group, count, *BLOCKS)
    exact = a.double() @ weights.half().double()
    return c, exact, a.double().abs() @ weights.double().abs(), sim.history[-1].result


@pytest.mark.parametrize(("rows", "depth", "columns", "group", "count"), [
    (70, 256, 131, 128, 8), (64, 150, 128, 32, 2), (64, 203, 128, 64, 8),
    pytest.param(64, 256, 256, 32, 8, marks=pytest.mark.full)])
def test_values(rows, depth, columns, group, count):
    """Groups longer than a block, two in a block; a reduction that ends within a group, and within a word."""
    c, exact, magnitude, result = run(rows, depth, columns, group, count)
    assert ((c - exact).abs() <= 1e-3 * magnitude).all()
    assert result.matrix.macs


def test_words_are_loaded_once():
    """Loaded row by row, such a product took twice as long (blocks of 128 x 128 x 64: 56,367 cycles; now 25,420)."""
    *_, result = run(128, 256, 128, 64, 8)
    assert result.cycles < 36_000
