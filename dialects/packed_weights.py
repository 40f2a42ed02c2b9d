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
SUMS = "hexagon.weight_sums"
"""On the function of a model: the numbers of arguments that are tiles of bytes or nibbles, in the order of further
arguments at its end: i32 [N], the sum of each column times `SIGN`."""
SIGN = -128
"""Signed bytes are multiplied plus 128: this is what is added to sums for it, for each 1 of a column of weights."""
WORDS = "hexagon.word_weights"
"""On the function of a model: the numbers of arguments that are words of what they were, `pack-word-weights`."""


def weight_matrix(tiles: ir.Value, matrix: ir.Type, columns: ir.Value | None = None) -> ir.Operation:
    """The operation, at the insertion point; ``columns`` are the sums of `SUMS`."""
    return ir.Operation.create(WEIGHT_MATRIX, results=[matrix],
                               operands=[tiles, *([] if columns is None else [columns])])


def tiles_of(matrix: ir.Value) -> ir.Value | None:
    """The tiles of a ``matrix`` that is made of them."""
    if isinstance(matrix.owner, ir.Block) or matrix.owner.operation.name != WEIGHT_MATRIX:
        return None
    return matrix.owner.operation.operands[0]


def sums_of(matrix: ir.Value) -> ir.Value | None:
    """The sums of the columns of a ``matrix`` that is made of tiles, where they are known."""
    if tiles_of(matrix) is None or len(matrix.owner.operation.operands) == 1:
        return None
    return matrix.owner.operation.operands[1]


def numbers(function: ir.Operation, name: str) -> list[int]:
    """The numbers in attribute ``name``, as `CONSTANTS` or `PACKED`, of ``function``; none if it is missing.

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
