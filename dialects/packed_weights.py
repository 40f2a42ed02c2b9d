"""Weights of a model in the layout of the matrix engine's tiles, from `pack-engine-weights` to `hexagon-matrix-engine`.

The function of a model says which of its arguments are constants (`CONSTANTS`). `pack-engine-weights` gives some of
them the type of tiles (`engine_tiles` has the layout), notes their numbers (`PACKED`), and has the kernel read them
through ``hexagon.weight_matrix``. Who runs the model passes the tiles: it packs its constants once.
"""

from __future__ import annotations

from collections.abc import Iterable

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.diagnostics import error_at
from hexagon_mlir.ir.hexagon_dialect import WEIGHT_MATRIX

CONSTANTS = "hexagon.constants"
"""On the function of a model: the numbers of arguments that are the same in every run."""
PACKED = "hexagon.packed_weights"
"""On the function of a model: the numbers of arguments that are tiles of what they were."""
WORDS = "hexagon.word_weights"
"""On the function of a model: the numbers of arguments that are words of what they were, `pack-word-weights`."""


def weight_matrix(tiles: ir.Value, matrix: ir.Type) -> ir.Operation:
    """The operation, at the insertion point."""
    return ir.Operation.create(WEIGHT_MATRIX, results=[matrix], operands=[tiles])


def tiles_of(matrix: ir.Value) -> ir.Value | None:
    """The tiles of a ``matrix`` that is made of tiles."""
    if isinstance(matrix.owner, ir.Block) or matrix.owner.operation.name != WEIGHT_MATRIX:
        return None
    return matrix.owner.operation.operands[0]


def numbers(function: ir.Operation, name: str) -> list[int]:
    """The numbers in attribute ``name``, `CONSTANTS`, `PACKED` or `WORDS`, of ``function``; none if it is missing.

    Raises `HexError` for an attribute of another type.
    """
    if name not in function.attributes:
        return []
    try:
        return list(ir.DenseI64ArrayAttr(function.attributes[name]))
    except ValueError:
        raise error_at(function, "", f"{name} is {function.attributes[name]}", "array<i64: ...> is expected") from None


def note(function: ir.Operation, name: str, arguments: Iterable[int]) -> None:
    """Write attribute ``name`` of ``function``."""
    function.attributes[name] = ir.DenseI64ArrayAttr.get(sorted(arguments), function.context)
