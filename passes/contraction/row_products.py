"""Which contractions are products of rows with rows: both factors are contiguous along the reduction, the output along
a loop that no factor walks, as in ``q @ k.T`` with few rows in ``q``."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.lib.contractions import Contraction
from hexagon_mlir.passes.lib.vector_loop import FEW_ROWS, LEAST_DEPTH, ROWS_TOGETHER

F32_BITS = 32
_FACTORS = 2
_MOST_KEPT = 8
"""Registers for vectors of the left rows: longer ones are loaded again for each group of columns."""
_SUMS = 16
"""Registers for the partial sums of a group of columns."""


@dataclass(frozen=True)
class RowProducts:
    """Numbers of loops and operands: ``columns`` walks the output, ``reduction`` the factors; ``rows`` is the loop of
    the ``left`` factor alone, None where it has one row. ``others`` are all other loops. ``together`` rows are
    computed at a time; their vectors are ``kept`` in registers, or loaded for each ``group`` of columns."""

    left: int
    right: int
    columns: int
    reduction: int
    rows: int | None
    others: tuple[int, ...]
    together: int
    kept: bool
    group: int


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
    if len(rows) > 1 or 0 in found.extents or any(
            extent is None for loop, extent in enumerate(found.extents) if loop != columns[0]):
        return None
    if found.output.bits != F32_BITS or accesses[left].bits != accesses[right[0]].bits:
        return None
    depth, count = found.extents[sums[0]] or 0, (found.extents[rows[0]] or 0) if rows else 1
    width = found.most(columns[0])
    if (width is not None and width * F32_BITS < vector_bytes * 8) or depth < LEAST_DEPTH or count > FEW_ROWS:
        return None
    others = tuple(loop for loop in range(len(found.extents)) if loop not in (columns[0], sums[0], *rows))
    return RowProducts(left, right[0], columns[0], sums[0], rows[0] if rows else None, others,
                       *blocks(-(-depth * accesses[left].bits // (vector_bytes * 8)), count,
                               F32_BITS // accesses[left].bits))


def blocks(vectors: int, rows: int, registers: int) -> tuple[int, bool, int]:
    """``together``, ``kept`` and ``group`` of `RowProducts` for ``rows`` of so many ``vectors``, each of which takes
    ``registers`` of f32."""
    kept = vectors <= _MOST_KEPT // 2
    together = min(rows, ROWS_TOGETHER, _MOST_KEPT // vectors if kept else ROWS_TOGETHER)
    most = max(1, _SUMS // (together * registers))
    return together, kept, 1 if kept else 1 << (most.bit_length() - 1)
