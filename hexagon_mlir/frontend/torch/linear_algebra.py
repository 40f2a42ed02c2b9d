"""Decompositions of operations on matrices: triangular systems, inverses, factors.

Steps follow each other in the graph, so that sizes are small; larger ones are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
STEPS = 16
"""Rows of the largest matrix that is eliminated, row by row."""
_TERMS = 9
"""Of the series of an exponential, for a norm of at most 1/2: the rest is below 2^-30."""
_SQUARINGS = 8
"""Of an exponential at most: with a norm of more than 128, elements are beyond f32 or vanish."""
_ROWS = 512
"""Rows of the largest triangular matrix that is inverted."""


def _triangular_inverse(lower: Tensor) -> Tensor:
    """The inverse of lower triangular matrices (..., n, n), n a power of two, from blocks of twice the size each time.

    inv([[a, 0], [c, b]]) = [[inv a, 0], [-inv b c inv a, inv b]], for all blocks of the diagonal at once.
    """
    size = lower.shape[-1]
    blocks = torch.reciprocal(_diagonal_blocks(lower, 1, 0))
    rows = 1
    while rows < size:
        below = _diagonal_blocks(lower, 2 * rows, rows)  # (..., size / (2 rows), rows, rows)
        first, second = blocks.unflatten(-3, (-1, 2)).unbind(-3)
        corner = -(second @ below @ first)
        top = F.pad(first, (0, rows))
        blocks = torch.cat([top, torch.cat([corner, second], -1)], -2)
        rows *= 2
    return blocks.squeeze(-3)


def _diagonal_blocks(x: Tensor, size: int, below: int) -> Tensor:
    """Blocks of ``size`` along the diagonal; with ``below``, only their lower left quarters."""
    count = x.shape[-1] // size
    tiled = x.reshape(*x.shape[:-2], count, size, count, size)
    return torch.stack([tiled[..., i, below:, i, : below or size] for i in range(count)], -3)


@decomposes(_aten.linalg_solve_triangular.default)
def solve_triangular(a: Tensor, b: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """``inv(a) b``, or ``b inv(a)``: the inverse, then a product."""
    size = a.shape[-1]
    if size > _ROWS or not a.numel() or not b.numel() or a.dtype != torch.float32:
        return NotImplemented
    lower = a.transpose(-1, -2) if upper else a
    strict, one = lower.tril(-1), torch.eye(size, dtype=a.dtype)
    lower = strict + (one if unitriangular else lower * one)
    more = (1 << (size - 1).bit_length()) - size
    if more:
        lower = F.pad(lower, (0, more, 0, more)) + F.pad(torch.eye(more, dtype=a.dtype), (size, 0, size, 0))
    inverse = _triangular_inverse(lower)[..., :size, :size]
    inverse = inverse.transpose(-1, -2) if upper else inverse
    return inverse @ b if left else b @ inverse


@decomposes(_aten.linalg_inv_ex.default)
def inverse(a: Tensor, *, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """Gauss and Jordan's elimination with the largest pivot of each column; where it is zero, the step is told."""
    size = a.shape[-1]
    if size > STEPS or not a.numel() or a.dtype != torch.float32:
        return NotImplemented
    both = torch.cat([a, torch.eye(size, dtype=a.dtype).expand(a.shape)], -1)
    row = torch.arange(size).reshape(-1, 1)
    singular = torch.zeros(a.shape[:-2], dtype=torch.int32)
    for step in range(size):
        column = both[..., step : step + 1]
        place = torch.where(row >= step, column.abs(), -1.0).argmax(-2, keepdim=True)
        pivot_row = both.gather(-2, place.expand(*place.shape[:-1], 2 * size))
        pivot = pivot_row[..., step]
        singular = torch.where((singular == 0) & (pivot[..., 0] == 0), step + 1, singular)
        both = torch.where(row == place, both[..., step : step + 1, :], both)
        scaled = pivot_row / pivot.unsqueeze(-1)
        both = torch.where(row == step, scaled, both - both[..., step : step + 1] * scaled)
    return both[..., size:], singular


@decomposes(_aten.linalg_cholesky_ex.default)
def cholesky(a: Tensor, *, upper: bool = False, check_errors: bool = False) -> tuple[Tensor, Tensor]:
    """Column by column; the first pivot that is not positive is told."""
    size = a.shape[-1]
    if size > STEPS or not a.numel() or a.dtype != torch.float32:
        return NotImplemented
    rest = a.transpose(-1, -2) if upper else a
    row = torch.arange(size)
    failed = torch.zeros(a.shape[:-2], dtype=torch.int32)
    columns = []
    for step in range(size):
        pivot = rest[..., step, step]
        failed = torch.where((failed == 0) & ~(pivot > 0), step + 1, failed)
        column = torch.where(row >= step, rest[..., step] * torch.rsqrt(pivot).unsqueeze(-1), 0.0)
        rest = rest - column.unsqueeze(-1) * column.unsqueeze(-2)
        columns.append(column)
    return torch.stack(columns, -2 if upper else -1), failed


@decomposes(_aten.linalg_matrix_exp.default)
def matrix_exponential(a: Tensor) -> Tensor:
    """The series of a power of two of the matrix, by Horner's rule, squared as often as that power says."""
    size = a.shape[-1]
    if size > _ROWS or not a.numel() or a.dtype != torch.float32:
        return NotImplemented
    norm = a.abs().sum(-2).amax(-1)[..., None, None]
    one, halvings, scale = torch.eye(size, dtype=a.dtype), torch.zeros_like(norm), torch.ones_like(norm)
    for step in range(_SQUARINGS):
        more = norm > 2.0 ** (step - 1)
        halvings, scale = torch.where(more, step + 1.0, halvings), torch.where(more, 0.5 ** (step + 1), scale)
    small = a * scale
    result = one.expand(a.shape)
    for term in range(_TERMS, 0, -1):
        result = one + (small @ result) * (1.0 / term)
    for step in range(_SQUARINGS):
        result = torch.where(halvings > step, result @ result, result)
    return result


@decomposes(_aten.addmv.default)
def addmv(x: Tensor, matrix: Tensor, vector: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta x + alpha matrix vector``; with ``beta`` zero, ``x`` is not looked at."""
    product = matrix @ vector
    product = product if alpha == 1 else product * alpha
    return (product if beta == 0 else x * beta + product).expand(matrix.shape[0])


@decomposes(_aten.addr.default)
def addr(x: Tensor, first: Tensor, second: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """``beta x + alpha first second^T``."""
    product = first.unsqueeze(1) * second
    product = product if alpha == 1 else product * alpha
    return product if beta == 0 else x * beta + product


@decomposes(_aten.block_diag.default)
def block_diag(tensors: Sequence[Tensor]) -> Tensor:
    """Matrices along the diagonal of one, zeros elsewhere."""
    blocks = [torch.atleast_2d(x) for x in tensors]
    columns, before, rows = sum(x.shape[1] for x in blocks), 0, []
    for x in blocks:
        rows.append(F.pad(x, (before, columns - before - x.shape[1])))
        before += x.shape[1]
    return torch.cat(rows)


@decomposes(_aten._int_mm.default)
def int_mm(x: Tensor, y: Tensor) -> Tensor:
    """Of bytes, with sums of 32 bits: the integer products look through the conversions."""
    return x.to(torch.int32) @ y.to(torch.int32)
