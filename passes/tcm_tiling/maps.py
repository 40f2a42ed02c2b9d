"""Which loops index an operand of a linalg op, and which of them will be vectorized."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, linalg
from hexagon_mlir.ir.windows import terms_of
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds


def takes_scalars(op: ir.Operation, operand: int) -> bool:
    """True when vectorized code will read ``operand`` of linalg op ``op`` one element at a time."""
    loops, reads = _reads(op)
    loop = vector_loop(loops, reads)
    return loop is not None and loop not in reads[operand] and not spreads(op, operand)


def spreads(op: ir.Operation, operand: int) -> bool:
    """True for a factor of a contraction whose elements lie along a reduction: vectors of them are spread by lanes."""
    loops, reads = _reads(op)
    inner = reads[operand][-1:] if reads else []
    return (bool(inner) and inner[0] not in reads[-1] and sum(inner[0] in r for r in reads) > 1
            and vector_loop(loops, reads) not in (None, *reads[operand]) and multiplies_and_adds(op))


def _reads(op: ir.Operation) -> tuple[int, list[list[int]]]:
    """How many loops linalg op ``op`` has, and which of them index each operand."""
    attributes = indexing_maps(op)
    if attributes is None:
        return 0, []
    maps = [ir.AffineMapAttr(a).value for a in attributes]
    written = {loop for result in maps[-1].results for loop in terms_of(result) or ()}
    return maps[0].n_dims, [[loop for result in map_.results for loop in _order(result, written)] for map_ in maps]


def _order(result: ir.AffineExpr, written: set[int]) -> list[int]:
    """The loops of one index, last the one that goes from element to element: a reduction within a window."""
    terms = terms_of(result) or {}
    return sorted(terms, key=lambda loop: (terms[loop] == 1, loop not in written))


def vector_loop(loops: int, reads: Sequence[Sequence[int]]) -> int | None:
    """The loop vectorization will pick: innermost in every operand it indexes, parallel (in the output) if possible.

    ``reads[i]`` lists the loops that index operand i, the output last.
    """
    fitting = [loop for loop in range(loops) if all(loop not in r or r[-1] == loop for r in reads)]
    return max(fitting, key=lambda loop: (loop in reads[-1], loop), default=None)


def indexing_maps(op: ir.Operation) -> ir.ArrayAttr | None:
    """The indexing maps of a linalg op, named ones included; None for those without (softmax, pack, ...)."""
    if "indexing_maps" in op.attributes:
        return ir.ArrayAttr(op.attributes["indexing_maps"])
    return linalg.get_indexing_maps(op)
