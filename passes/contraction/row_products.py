"""Which contractions are products of rows with rows: both factors are contiguous along the reduction, the output along
a loop that no factor walks, as in ``q @ k.T`` with few rows in ``q``."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.lib.contractions import Contraction
from hexagon_mlir.passes.lib.vector_loop import FEW_ROWS

F32_BITS = 32
_FEWEST_SUMMED = 2
"""Products in each lane before lanes are exchanged, which takes as long as two of them."""
_FACTORS = 2
_MOST_KEPT = 8
"""Registers for vectors of the left rows."""
_TOGETHER = 2
"""Left rows that share the loaded right ones: their partial sums are kept in registers."""


@dataclass(frozen=True)
class RowProducts:
    """Numbers of loops and operands: ``columns`` walks the output, ``reduction`` the factors; ``rows`` is the loop of
    the ``left`` factor alone, None where it has one row. ``others`` are all other loops. ``together`` rows are
    computed at a time."""

    left: int
    right: int
    columns: int
    reduction: int
    rows: int | None
    others: tuple[int, ...]
    together: int


def find_row_products(found: Contraction, vector_bytes: int) -> RowProducts | None:
    """How ``found`` is one, for vectors of ``vector_bytes``; None for any other."""
    accesses = found.accesses
    sums = [loop for loop, reduces in enumerate(found.reduction) if reduces]
    columns = [loop for loop, reduces in enumerate(found.reduction) if not reduces and found.output.walks(loop)]
    if len(found.inputs) != _FACTORS or len(sums) != 1 or len(columns) != 1 or found.is_strided:
        return None
    right = [i for i in found.inputs if accesses[i].uses(columns[0])]
    if len(right) != 1 or not all(accesses[i].walks(sums[0]) for i in found.inputs) or found.combiner != "arith.addf":
        return None
    left = next(i for i in found.inputs if i != right[0])
    rows = sorted(accesses[left].loops - accesses[right[0]].loops)
    if len(rows) > 1 or None in found.extents or 0 in found.extents:
        return None
    if found.output.bits != F32_BITS or accesses[left].bits != accesses[right[0]].bits:
        return None
    width, depth, count = (found.extents[loop] or 0 for loop in (columns[0], sums[0], *(rows or sums)))
    count = count if rows else 1
    kept = -(-depth * accesses[left].bits // (vector_bytes * 8))
    lanes = vector_bytes * 8 // F32_BITS
    if width < lanes or depth < _FEWEST_SUMMED * lanes or not 0 < count <= FEW_ROWS or kept > _MOST_KEPT:
        return None
    others = tuple(loop for loop in range(len(found.extents)) if loop not in (columns[0], sums[0], *rows))
    return RowProducts(left, right[0], columns[0], sums[0], rows[0] if rows else None, others,
                       min(_TOGETHER, max(1, _MOST_KEPT // kept), count))
