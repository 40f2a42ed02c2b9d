"""Products of bytes whose right factor is words already: four steps of the reduction are neighbours in memory.

``out[.., n] = sum over k and l of rows[.., k, l] * words[k, n, l]``, l below 4: pure functions over a `Contraction`, no
IR.
"""

from __future__ import annotations

from dataclasses import replace

from hexagon_mlir.passes.contraction.plan import WORD_BYTES
from hexagon_mlir.passes.lib.contractions import Contraction, Index, OperandAccess

_BYTE_BITS = 8


def with_one_reduction(contraction: Contraction) -> tuple[Contraction, int] | None:
    """The product with one loop over words and their bytes, as if its right factor were a matrix, and that factor's
    number; None for any other contraction. The last loop, that over bytes, is left out.
    """
    *extents, last = contraction.extents
    loops = [loop for loop, reduction in enumerate(contraction.reduction) if reduction]
    if last != WORD_BYTES or len(loops) != 2 or loops[-1] != len(extents) or len(contraction.inputs) != 2:
        return None
    (word, byte), accesses = loops, list(contraction.accesses)
    if contraction.combiner != "arith.addi" or None in (extents[word], *(i.plain for a in accesses for i in a.indices)):
        return None
    if contraction.output.bits != _BYTE_BITS * WORD_BYTES or any(accesses[i].bits != _BYTE_BITS or not
                                                                accesses[i].walks(byte) for i in contraction.inputs):
        return None
    found = [i for i in contraction.inputs if len(accesses[i].indices) == 3 and accesses[i].indices[0].plain == word]
    rows = [i for i in contraction.inputs if i not in found and len(accesses[i].indices) > 1
            and accesses[i].indices[-2].plain == word]
    column = accesses[found[0]].indices[1].plain if len(found) == len(rows) == 1 else None
    if column is None or not contraction.output.walks(column) or accesses[rows[0]].uses(column):
        return None
    matrix, row = accesses[found[0]], accesses[rows[0]]
    accesses[found[0]] = OperandAccess(matrix.indices[:-1], matrix.bits, True)
    accesses[rows[0]] = OperandAccess((*row.indices[:-2], Index(((word, 1),))), row.bits, True)
    extents[word] = (extents[word] or 0) * WORD_BYTES
    return replace(contraction, extents=tuple(extents), reduction=contraction.reduction[:-1],
                   accesses=tuple(accesses), bounds=contraction.bounds[:-1]), found[0]
