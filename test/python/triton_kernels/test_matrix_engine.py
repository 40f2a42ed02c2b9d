"""``tl.dot`` in a loop along the reduction: one product of the matrix engine where its sums are rounded to f16."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate

pytestmark = pytest.mark.only_values


@triton.jit
def product(a, b, c, M, N, K: tl.constexpr, a_row, b_row, c_row, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr, RELU: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    left, right = a + m[:, None] * a_row + k[None, :], b + k[:, None] * b_row + n[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(left, mask=(m[:, None] < M) & (k[None, :] < K - start), other=0.0)
        y = tl.load(right, mask=(k[:, None] < K - start) & (n[None, :] < N), other=0.0)
        total += tl.dot(x, y)
        left += BLOCK_K
        right += BLOCK_K * b_row
    result = total.to(c.dtype.element_ty)
    if RELU:
        result = tl.maximum(result, 0.0)
    tl.store(c + m[:, None] * c_row + n[None, :], result, mask=(m[:, None] < M) & (n[None, :] < N))


def launched(a, b, relu, blocks, dtype=torch.float16, **options):
    (rows, depth), columns = a.shape, b.shape[1]
    c = torch.empty(rows, columns, dtype=dtype)
    grid = (triton.cdiv(rows, blocks[0]), triton.cdiv(columns, blocks[1]))
    kernel = product[grid](a, b, c, rows, columns, depth, a.stride(0), b.stride(0), c.stride(0), BLOCK_M=blocks[0],
                           BLOCK_N=blocks[1], BLOCK_K=blocks[2], RELU=relu, **options)
    return c, kernel


@pytest.mark.parametrize(("rows", "depth", "columns", "blocks", "relu", "dtype", "error"), [
    (70, 300, 100, (64, 64, 64), False, torch.float16, 2.0**-10),
    (128, 256, 64, (128, 64, 32), True, torch.float16, 2.0**-10),
    (64, 256, 64, (64, 64, 64), False, torch.float32, 2.0**-16)])
def test_sums_along_a_loop(monkeypatch, rows, depth, columns, blocks, relu, dtype, error):
    """Whole and ragged blocks, on the simulator; as close to the exact product as one rounding to f16 is, or closer."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    activate()
    torch.manual_seed(0)
    a, b = torch.randn(rows, depth).half(), torch.randn(depth, columns).half()
    c, kernel = launched(a, b, relu, blocks, dtype)
    expected = a.double() @ b.double()
    expected = expected.clamp(min=0) if relu else expected
    assert float(((c.double() - expected).abs() / expected.abs().clamp(min=1)).max()) < error
    assert b"hexmlir_engine_" in kernel.asm["hexasm"]


def test_programs_take_turns_for_the_tcm(monkeypatch):
    """A program takes more than a quarter of the TCM: fewer run at the same time than there are threads."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    activate()
    torch.manual_seed(0)
    a, b = torch.randn(512, 512).half(), torch.randn(512, 512).half()
    c, _ = launched(a, b, False, (256, 256, 64), torch.float32)
    assert float((c.double() - a.double() @ b.double()).abs().max()) < 2e-4
