"""Activations that go from one kernel of a model to the next as tiles of the matrix engine.

`keep-activation-tiles` lets a kernel return ``hexagon.activation_tiles`` of a matrix, and its readers multiply the
``hexagon.activation_matrix`` of the tiles, whose layout `engine_tiles` has. `hexagon-layout-propagation` and
`hexagon-matrix-engine` compute such results as tiles and multiply tiles as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.engine_tiles import RANK, tiled_shape, tiles
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.hexagon_dialect import ACTIVATION_MATRIX, ACTIVATION_TILES


def tiles_type(rows: int, columns: int) -> ir.RankedTensorType:
    """The type of the tiles of an f16 matrix of ``rows`` and ``columns``."""
    return ir.RankedTensorType.get(tiled_shape(tiles(rows), tiles(columns)), ir.F16Type.get())


def activation_tiles(matrix: ir.Value) -> ir.Operation:
    """The tiles of f16 ``matrix``, at the insertion point."""
    return ir.Operation.create(ACTIVATION_TILES, results=[tiles_type(*ir.RankedTensorType(matrix.type).shape)],
                               operands=[matrix])


def activation_matrix(tiles: ir.Value, shape: Sequence[int]) -> ir.Operation:
    """The matrix of ``shape`` [rows, columns] that ``tiles`` have, at the insertion point."""
    return ir.Operation.create(ACTIVATION_MATRIX, results=[ir.RankedTensorType.get(shape, ir.F16Type.get())],
                               operands=[tiles])


def tiles_of_activations(matrix: ir.Value) -> ir.Value | None:
    """The tiles of a ``matrix`` that is made of them."""
    if isinstance(matrix.owner, ir.Block) or matrix.owner.operation.name != ACTIVATION_MATRIX:
        return None
    return matrix.owner.operation.operands[0]


def taken_as_tiles(matrix: ir.Value) -> ir.Operation | None:
    """The ``hexagon.activation_tiles`` that alone reads ``matrix``."""
    users = [use.owner.operation for use in matrix.uses]
    return users[0] if len(users) == 1 and users[0].name == ACTIVATION_TILES else None


def is_tiled(shape: Sequence[int]) -> bool:
    """Whether ``shape`` is that of such tiles."""
    return len(shape) == RANK and list(shape[2:]) == tiled_shape(1, 1)[2:]
