"""Which loops index an operand of a linalg op, and which of them will be vectorized."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, linalg


def takes_scalars(op: ir.Operation, operand: int) -> bool:
    """True when vectorized code will read ``operand`` of linalg op ``op`` one element at a time."""
    attributes = indexing_maps(op)
    if attributes is None:
        return False
    maps = [ir.AffineMapAttr(a).value for a in attributes]
    reads = [[r.position for r in m.results if isinstance(r, ir.AffineDimExpr)] for m in maps]
    loop = vector_loop(maps[0].n_dims, reads)
    return loop is not None and loop not in reads[operand]


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
