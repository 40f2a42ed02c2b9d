"""Which linalg ops on tensors are products with few columns, and which of them are computed as rows times rows."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects import PREFIX
from hexagon_mlir.ir import ir
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.vector_loop import FEW_ROWS, LEAST_DEPTH, dims_of

_FACTORS = 2
_LEAST_ROWS = 32
_MANY_COLUMNS, _LEAST_FOR_MANY = 8, 1 << 14
"""More columns need so many elements of rows: 64x64x16 takes 6,732 cycles with columns in lanes and 7,935 with rows,
64x256x16 18,353 and 18,081, 64x1024x16 68,742 and 42,815; 32x64x7 takes 27,151 and 10,990."""


@dataclass(frozen=True)
class FewColumns:
    """A product ``op`` of ``rows`` x ``depth`` elements with ``columns``, and its loops over them. Operand ``left`` has
    the rows, in the order (batches, row, depth), operand ``right`` the columns."""

    op: ir.Operation
    left: int
    right: int
    row: int
    column: int
    depth: int
    dims: tuple[tuple[int, ...], ...]
    """The loops of each operand's dimensions."""


def read_few_columns(op: ir.Operation) -> FewColumns | str | None:
    """The product that ``op`` is; why it stays as it is; None for other ops and more columns."""
    dims = dims_of(op)
    if any(name.startswith(PREFIX) for name in op.attributes):
        return None  # other passes know its form
    if dims is None or len(dims) != _FACTORS + 1 or len(dims[-1]) < 2 or not multiplies_and_adds(op):
        return None
    *batches, row, column = out = dims[-1]
    reduced = {loop for of in dims[:-1] for loop in of} - set(out)
    right = [place for place in range(_FACTORS) if column in dims[place]]
    left = [place for place in range(_FACTORS) if row in dims[place]]
    if len(reduced) != 1 or len(right) != 1 or len(left) != 1 or left == right:
        return None
    (depth,) = reduced
    if dims[left[0]] != (*batches, row, depth) or depth not in dims[right[0]]:
        return None
    types = [ir.RankedTensorType(value.type) for value in op.operands]
    if not isinstance(types[-1].element_type, ir.F32Type) or types[0].element_type != types[1].element_type:
        return None
    columns = types[-1].shape[-1]
    if types[-1].is_dynamic_dim(len(out) - 1) or not 1 < columns <= FEW_ROWS:
        return None
    if not all(type_.has_static_shape for type_ in types):
        return "sizes known at run time only"
    why = declines(types[-1].shape[-2], types[left[0]].shape[-1], columns)
    return why or FewColumns(op, left[0], right[0], row, column, depth, tuple(dims))


def declines(rows: int, depth: int, columns: int) -> str | None:
    """Why a product of ``rows`` x ``depth`` elements with a few ``columns`` stays as it is; None where it does not.

    >>> declines(32, 64, 8), declines(31, 64, 8), declines(64, 128, 9), declines(64, 63, 8)
    (None, 'fewer than 32 rows', 'fewer than 16384 elements in all rows', 'fewer than 64 elements in a row')
    """
    if rows < _LEAST_ROWS:
        return f"fewer than {_LEAST_ROWS} rows"
    if depth < LEAST_DEPTH:
        return f"fewer than {LEAST_DEPTH} elements in a row"
    return (f"fewer than {_LEAST_FOR_MANY} elements in all rows"
            if columns > _MANY_COLUMNS and rows * depth < _LEAST_FOR_MANY else None)
