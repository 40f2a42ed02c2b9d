"""Products of batches of matrices on the matrix engine's tiles, as one product of tiles whose columns are in groups:
the columns of a matrix read the activations of that matrix (`hexagon_mlir.dialects.engine_windows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE
from hexagon_mlir.dialects.engine_windows import Windows
from hexagon_mlir.ir import ir, linalg, tensor
from hexagon_mlir.passes.lib.engine_tiles import multiply
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor

_ROWS, _COLUMNS = [TILE // PAIR, PAIR], [TILE]


def pack_batch_activations(matrices: ir.Value, transposed: bool) -> ir.Value:
    """Tiles [batch, rows, columns, ..] of ``matrices`` of halves, whole tiles of batch x M x K, or of batch x K x M if
    ``transposed``."""
    return _pack(matrices, transposed, [2, 0, 3, 1, 4] if transposed else [0, 3, 1, 4, 2])


def pack_batch_weights(matrices: ir.Value, transposed: bool) -> ir.Value:
    """Tiles [columns of all, steps, ..] of ``matrices`` of halves, whole tiles of batch x K x N, or of batch x N x K if
    ``transposed``."""
    packed = _pack(matrices, transposed, [0, 2, 3, 1, 4] if transposed else [3, 0, 1, 4, 2])
    return _collapsed(packed, [[0, 1], [2], [3], [4], [5]])


def multiply_batch(activations: ir.Value, weights: ir.Value) -> ir.Value:
    """Sums in f32, [rows, columns of all, ..], of the products of activations and weights as they are packed here."""
    count, rows, *_ = ir.RankedTensorType(activations.type).shape
    of_one = ir.RankedTensorType(weights.type).shape[0] // count
    windows = Windows(columns=rows, row_step=1, row_tap=1, column_step=1, taps_x=1, of_group=of_one)
    return multiply(activations, weights, rows, windows)


def unpack_batch(results: ir.Value, count: int, transposed: bool = False) -> ir.Value:
    """Result tiles [rows, columns of all, ..] of ``count`` products as [batch, M, N], or [batch, N, M] if
    ``transposed``, in TCM."""
    type_ = ir.RankedTensorType(results.type)
    rows, columns, *inside = type_.shape
    shape = [rows, count, columns // count, *inside]
    cut = tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), results,
                              [[0], [1, 2], [3], [4], [5]], [], shape)
    permutation = [1, 2, 4, 0, 3, 5] if transposed else [1, 0, 3, 5, 2, 4]
    groups = [[0], [1, 2], [3, 4, 5]] if transposed else [[0], [1, 2, 3], [4, 5]]
    return _collapsed(_transposed(cut, permutation), groups)


def _pack(matrices: ir.Value, transposed: bool, permutation: Sequence[int]) -> ir.Value:
    """``matrices`` cut into tiles, and into pairs of rows, or of columns if ``transposed``, in the order of
    ``permutation`` of each matrix."""
    type_ = ir.RankedTensorType(matrices.type)
    count, rows, columns = type_.shape
    first, second = (_COLUMNS, _ROWS) if transposed else (_ROWS, _COLUMNS)
    shape = [count, rows // TILE, *first, columns // TILE, *second]
    cut = 2 + len(first)
    view = tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), matrices,
                               [[0], list(range(1, cut)), list(range(cut, len(shape)))], [], shape)
    return _transposed(view, [0, *(1 + dim for dim in permutation)])


def _transposed(value: ir.Value, permutation: Sequence[int]) -> ir.Value:
    type_ = ir.RankedTensorType(value.type)
    into = tcm_tensor([type_.shape[dim] for dim in permutation], type_.element_type)
    return linalg.transpose(value, outs=[into], permutation=list(permutation)).results[0]


def _collapsed(value: ir.Value, groups: list[list[int]]) -> ir.Value:
    type_ = ir.RankedTensorType(value.type)
    shape = [prod(type_.shape[dim] for dim in group) for group in groups]
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, type_.element_type), value, groups)
