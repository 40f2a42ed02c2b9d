"""Kernels whose reduction has a size of the launch: a program for each size, right values, and no more than so many."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate, specialization
from hexagon_mlir.frontend.triton.kernel import from_kernel
from hexagon_mlir.frontend.triton.lower import to_linalg
from hexagon_mlir.settings import Settings


@triton.jit
def product(a, b, c, M, N, K, a_row, b_row, c_row, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
            BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    left, right = a + m[:, None] * a_row + k[None, :], b + k[:, None] * b_row + n[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(left, mask=(m[:, None] < M) & (k[None, :] < K - start * BLOCK_K), other=0.0)
        y = tl.load(right, mask=(k[:, None] < K - start * BLOCK_K) & (n[None, :] < N), other=0.0)
        total = tl.dot(x, y, acc=total)
        left += BLOCK_K
        right += BLOCK_K * b_row
    tl.store(c + m[:, None] * c_row + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def part_of_a_sum(a, c, K, BLOCK: tl.constexpr):
    """The loop ends where the program's number says."""
    m = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, K * tl.program_id(0)):
        x = tl.load(a + m[:, None] * BLOCK + m[None, :] + start * BLOCK * BLOCK)
        total = tl.dot(x, x, acc=total)
    tl.store(c + m[:, None] * BLOCK + m[None, :], total)


SIGNATURE = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32", "a_row": "i32",
             "b_row": "i32", "c_row": "i32"}
BLOCKS = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}


@pytest.fixture
def simulated(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    activate()


def launched(rows, depth, columns):
    """The largest error against the exact product of f16 numbers, and the launch."""
    torch.manual_seed(depth)
    a, b, c = torch.randn(rows, depth).half(), torch.randn(depth, columns).half(), torch.empty(rows, columns)
    grid = (triton.cdiv(rows, 64), triton.cdiv(columns, 64))
    with sim.SESSION.recording() as records:
        product[grid](a, b, c, rows, columns, depth, a.stride(0), b.stride(0), c.stride(0), **BLOCKS)
    return float((c.double() - a.double() @ b.double()).abs().max()), records[0].result


def test_which_arguments_count():
    """K ends the loop; M and N are in masks only. A loop that ends at a program's number has no program per size."""
    module = to_linalg(from_kernel(product, SIGNATURE, BLOCKS))
    assert specialization.sizes_of_loops(module, "v75", Settings()) == [5]
    assert specialization.sizes_of_loops(module, "v75", Settings(matrix_engine=False)) == []
    assert specialization.sizes_of_loops(module, "v68", Settings()) == []
    wide = to_linalg(from_kernel(product, {**SIGNATURE, "a": "*fp32", "b": "*fp32"}, BLOCKS))
    assert specialization.sizes_of_loops(wide, "v75", Settings()) == [], "HVX computes products of f32"
    assert specialization.sizes_of_loops(wide, "v75", Settings(f32_split=True)) == [5]
    other = to_linalg(from_kernel(part_of_a_sum, {"a": "*fp16", "c": "*fp32", "K": "i32"}, {"BLOCK": 64}))
    assert specialization.sizes_of_loops(other, "v75", Settings()) == []


def test_each_size_is_one_product(simulated):
    """Ragged and whole blocks, fewer than one block, and two sizes one after the other: the engine adds up all."""
    for rows, depth, columns in ((64, 256, 64), (70, 300, 100), (64, 256, 64)):
        error, result = launched(rows, depth, columns)
        assert error < 1e-4
        tiles = -(-rows // 64) * -(-columns // 64)
        assert result.matrix.conversions == 2 * tiles * 4, "each tile of f32 is read out once, in two pieces"
    error, _ = launched(33, 20, 40)
    assert error < 1e-4


def test_beyond_so_many_sizes_the_first_program_runs(simulated, monkeypatch):
    monkeypatch.setattr(specialization, "MOST_SIZES", 0)
    error, result = launched(64, 224, 64)
    assert error < 1e-4
    assert result.matrix is None or result.matrix.conversions > 8
