"""Kernels of the corpus that Triton says better than linalg: loops over blocks with running values, and sorting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hexagon_mlir.ir import HexError

try:
    import triton
except ImportError:
    raise HexError.plain("this kernel is written in Triton, which is not installed",
                         hint="pip install 'hexagon-mlir[triton]'") from None
import triton.language as tl

_TYPES = {"f32": "*fp32", "f16": "*fp16", "i8": "*i8", "i32": "*i32"}


def text(function: str, elements: Sequence[str], constants: Mapping[str, object]) -> str:
    """The MLIR of ``function`` of this file, whose pointers are to ``elements``."""
    from hexagon_mlir.frontend.triton.kernel import from_kernel

    kernel = globals()[function]
    signature = {name: _TYPES[element] for name, element in zip(kernel.arg_names, elements, strict=False)}
    return from_kernel(kernel, signature, dict(constants))


@triton.jit
def online_softmax(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BLOCK: tl.constexpr):
    """Softmax of rows that are read a block at a time, with a running maximum and sum."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    largest = tl.full((ROWS,), -1.0e30, tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for start in range(0, COLUMNS, BLOCK):
        v = tl.load(x + row * COLUMNS + start + tl.arange(0, BLOCK)[None, :])
        new = tl.maximum(largest, tl.max(v, 1))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(v - new[:, None]), 1)
        largest = new
    for start in range(0, COLUMNS, BLOCK):
        at = row * COLUMNS + start + tl.arange(0, BLOCK)[None, :]
        tl.store(out + at, tl.exp(tl.load(x + at) - largest[:, None]) / total[:, None])


@triton.jit
def rope(x, cos, sin, out, ROWS: tl.constexpr, HALF: tl.constexpr):
    """Rotates the pairs (i, i + HALF) of each row by the angle of the row and i."""
    row, i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None], tl.arange(0, HALF)[None, :]
    at, angle = row * 2 * HALF + i, row * HALF + i
    a, b, c, s = tl.load(x + at), tl.load(x + at + HALF), tl.load(cos + angle), tl.load(sin + angle)
    tl.store(out + at, a * c - b * s)
    tl.store(out + at + HALF, b * c + a * s)


@triton.jit
def matmul_i4(x, w, out, M: tl.constexpr, K: tl.constexpr, N: tl.constexpr, BLOCK: tl.constexpr):
    """Bytes times numbers of 4 bits, of which a byte has two of a column: the even row's in its lower half."""
    m, n = tl.arange(0, M), tl.arange(0, N)
    total = tl.zeros((M, N), tl.int32)
    for start in range(0, K, BLOCK):
        k, half = start + tl.arange(0, BLOCK), start // 2 + tl.arange(0, BLOCK // 2)
        y = tl.load(w + half[:, None] * N + n[None, :])
        weights = tl.join((y << 4) >> 4, y >> 4).permute(0, 2, 1).reshape(BLOCK, N)
        total = tl.dot(tl.load(x + m[:, None] * K + k[None, :]), weights.to(tl.int8), total)
    tl.store(out + m[:, None] * N + n[None, :], total)


@triton.jit
def flash_attention(q, k, v, out, TOKENS: tl.constexpr, WIDTH: tl.constexpr, BLOCK_M: tl.constexpr,
                    BLOCK_N: tl.constexpr, SCALE: tl.constexpr):
    """A block of queries against all keys, without the matrix of scores."""
    row, w = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M), tl.arange(0, WIDTH)
    query = tl.load(q + row[:, None] * WIDTH + w[None, :])
    largest = tl.full((BLOCK_M,), -1.0e30, tl.float32)
    denominator = tl.zeros((BLOCK_M,), tl.float32)
    total = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    for start in range(0, TOKENS, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        keys = tl.load(k + n[None, :] * WIDTH + w[:, None])
        score = tl.dot(query, keys) * SCALE
        new = tl.maximum(largest, tl.max(score, 1))
        p = tl.exp(score - new[:, None])
        decay = tl.exp(largest - new)
        values = tl.load(v + n[:, None] * WIDTH + w[None, :])
        total = tl.dot(p.to(values.dtype), values, total * decay[:, None])
        denominator = denominator * decay + tl.sum(p, 1)
        largest = new
    tl.store(out + row[:, None] * WIDTH + w[None, :], total / denominator[:, None])


@triton.jit
def sort(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Each row by itself, the smallest first."""
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), 1))
