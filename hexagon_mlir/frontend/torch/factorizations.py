"""Decompositions of LU factorizations, and of what is computed from factors.

Steps follow each other in the graph, so that sizes are small; larger ones are left alone.
"""

from __future__ import annotations

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.linear_algebra import STEPS, solve_triangular
from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten


def _refused(a: Tensor, *others: Tensor) -> bool:
    return max(a.shape[-2:]) > STEPS or any(not x.numel() or x.dtype != torch.float32 for x in (a, *others))


def _swapped(x: Tensor, step: int, place: Tensor) -> Tensor:
    """``x`` (..., m, n) with the rows ``step`` and ``place`` (..., 1, 1) exchanged."""
    row = torch.arange(x.shape[-2]).reshape(-1, 1)
    other = x.gather(-2, place.expand(*place.shape[:-1], x.shape[-1]))
    return torch.where(row == step, other, torch.where(row == place, x[..., step : step + 1, :], x))


def _factors(a: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """L and U in one, pivots from 1 on, how far it got as LAPACK tells it, and the permutation that ``a`` is given."""
    rows, columns = a.shape[-2:]
    permutation = torch.eye(rows, dtype=a.dtype).expand(*a.shape[:-1], rows)
    row, column = torch.arange(rows), torch.arange(columns)
    singular = torch.zeros(a.shape[:-2], dtype=torch.int32)
    pivots = []
    for step in range(min(rows, columns)):
        place = torch.where(row >= step, a[..., step].abs(), -1.0).argmax(-1, keepdim=True).unsqueeze(-1)
        a, permutation = _swapped(a, step, place), _swapped(permutation, step, place)
        pivot = a[..., step : step + 1, step : step + 1]
        singular = torch.where((singular == 0) & (pivot[..., 0, 0] == 0), step + 1, singular)
        factor = a[..., step : step + 1] / torch.where(pivot == 0, 1.0, pivot)
        below = (row > step).reshape(-1, 1)
        rest = torch.where(column > step, a - factor * a[..., step : step + 1, :], a)
        a = torch.where(below, torch.where(column == step, factor, rest), a)
        pivots.append(place[..., 0, 0].to(torch.int32) + 1)
    return a, torch.stack(pivots, -1), singular, permutation


def _parts(lu: Tensor) -> tuple[Tensor, Tensor]:
    """The lower triangular matrix, of ones on its diagonal, and the upper one."""
    size = min(lu.shape[-2:])
    left = lu[..., :size]
    return left.tril(-1) + torch.eye(lu.shape[-2], size, dtype=lu.dtype), lu[..., :size, :].triu()


def _solved(lu: Tensor, permutation: Tensor, b: Tensor, adjoint: bool = False) -> Tensor:
    if adjoint:
        first = solve_triangular(lu.mT, b, upper=False)
        return permutation.mT @ solve_triangular(lu.mT, first, upper=True, unitriangular=True)
    first = solve_triangular(lu, permutation @ b, upper=False, unitriangular=True)
    return solve_triangular(lu, first, upper=True)


@decomposes(_aten.linalg_lu_factor_ex.default)
def lu_factor(a: Tensor, *, pivot: bool = True, check_errors: bool = False) -> tuple[Tensor, Tensor, Tensor]:
    """Gauss' elimination with the largest pivot of each column."""
    return _factors(a)[:3] if pivot and not _refused(a) else NotImplemented


@decomposes(_aten.linalg_lu.default)
def lu(a: Tensor, *, pivot: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Permutation, L and U, whose product is ``a``."""
    if not pivot or _refused(a):
        return NotImplemented
    both, _, _, permutation = _factors(a)
    return permutation.mT.clone(), *_parts(both)


def _permutation(pivots: Tensor, rows: int) -> Tensor:
    """(..., rows, rows): the exchanges of rows, one after the other."""
    result = torch.eye(rows).expand(*pivots.shape[:-1], rows, rows)
    for step in range(pivots.shape[-1]):
        result = _swapped(result, step, (pivots[..., step, None, None] - 1).to(torch.int64))
    return result


@decomposes(_aten.lu_unpack.default)
def lu_unpack(both: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
              ) -> tuple[Tensor, Tensor, Tensor]:
    """Permutation, L and U of what `lu_factor` gives."""
    if not unpack_data or not unpack_pivots or _refused(both):
        return NotImplemented
    return _permutation(pivots, both.shape[-2]).mT.clone(), *_parts(both)


@decomposes(_aten.linalg_lu_solve.default)
def lu_solve(both: Tensor, pivots: Tensor, b: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """``x`` of ``a x = b``, of the transpose of ``a`` with ``adjoint``."""
    if not left or _refused(both, b):
        return NotImplemented
    return _solved(both, _permutation(pivots, both.shape[-2]), b, adjoint)


@decomposes(_aten._linalg_solve_ex.default)
def solve(a: Tensor, b: Tensor, *, left: bool = True, check_errors: bool = False
          ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """``x`` of ``a x = b``, and the factors; ``b`` is matrices, or vectors with the sizes before them of ``a``."""
    if not left or _refused(a, b):
        return NotImplemented
    both, pivots, singular, permutation = _factors(a)
    vectors = b.dim() == 1 or (b.dim() == a.dim() - 1 and b.shape == a.shape[:-1])
    x = _solved(both, permutation, b.unsqueeze(-1) if vectors else b)
    return x.squeeze(-1) if vectors else x, both, pivots, singular


@decomposes(_aten._linalg_slogdet.default)
def slogdet(a: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Sign of the determinant and logarithm of its size, and the factors; signs are counted in integers."""
    if _refused(a):
        return NotImplemented
    both, pivots, singular, _ = _factors(a)
    diagonal = torch.diagonal_copy(both, 0, -2, -1)
    turned = (diagonal < 0) ^ (pivots != torch.arange(1, a.shape[-1] + 1, dtype=torch.int32))
    odd = turned.to(torch.int32).sum(-1, dtype=torch.int32) & 1
    sign = torch.where(singular > 0, 0, 1 - 2 * odd).to(a.dtype)
    return sign, torch.log(diagonal.abs()).sum(-1), both, pivots


@decomposes(_aten.cholesky_solve.default)
def cholesky_solve(b: Tensor, factor: Tensor, upper: bool = False) -> Tensor:
    """``x`` of ``L L^T x = b``; ``factor`` is L, or its transpose."""
    first = solve_triangular(factor.mT if upper else factor, b, upper=False)
    if first is NotImplemented:
        return NotImplemented
    return solve_triangular(factor if upper else factor.mT, first, upper=True)


@decomposes(_aten.cholesky_inverse.default)
def cholesky_inverse(factor: Tensor, upper: bool = False) -> Tensor:
    """The inverse of ``L L^T``."""
    return cholesky_solve(torch.eye(factor.shape[-1], dtype=factor.dtype).expand(factor.shape), factor, upper)


@decomposes(_aten.triangular_solve.default)
def triangular_solve(b: Tensor, a: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
                     ) -> tuple[Tensor, Tensor]:
    """``x`` of ``a x = b``, or of the transpose of ``a``, and ``a``."""
    x = solve_triangular(a.mT if transpose else a, b, upper=upper != transpose, unitriangular=unitriangular)
    return NotImplemented if x is NotImplemented else (x, a.clone())


@decomposes(_aten.linalg_qr.default)
def qr(a: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """Householder's reflections, with the signs of LAPACK: a column that is zero below its diagonal stays as it is.
    ``mode`` "r" has no elements of Q."""
    if _refused(a):
        return NotImplemented
    rows, columns = a.shape[-2:]
    size, row = min(rows, columns), torch.arange(rows)
    q = torch.eye(rows, dtype=a.dtype).expand(*a.shape[:-2], rows, rows)
    for step in range(size):
        column = torch.where(row >= step, a[..., step], 0.0)
        below = (torch.where(row > step, column, 0.0) ** 2).sum(-1, keepdim=True)
        first = column[..., step : step + 1]
        norm = torch.sqrt(first * first + below)
        reflected = torch.where(first < 0, norm, -norm)
        vector = column - torch.where(row == step, reflected, 0.0)
        length = (vector * vector).sum(-1, keepdim=True)
        scale = torch.where((below == 0) | (length == 0), 0.0, 2.0 / torch.where(length == 0, 1.0, length))
        scaled = (vector * scale).unsqueeze(-1)
        a = a - scaled * (vector.unsqueeze(-2) @ a)
        q = q - (q @ vector.unsqueeze(-1)) * scaled.mT
    kept = rows if mode == "complete" else size
    of_rows = q[..., :0, :0].flatten()[:0] if mode == "r" else q[..., :kept]
    return of_rows.clone(), a[..., :kept, :].triu()
