"""Loops of elementwise ops in the order of their data: the vectorizable one innermost."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.passes.tcm_tiling.maps import vector_loop

_PARALLEL = "#linalg.iterator_type<parallel>"


def loop_order(loops: int, reads: Sequence[Sequence[int]]) -> list[int] | None:
    """The old numbers of the loops in their new order; None where the order is right or cannot be improved.

    ``reads[i]`` lists the loops that index operand i, the output last. Tiles are cut from the outermost loop inwards,
    so the loop that vectors go along has to be the innermost, and the others follow the output: its tiles are
    contiguous.
    """
    order = list(reads[-1])
    if sorted(order) != list(range(loops)) or order == list(range(loops)):
        return None
    return order if vector_loop(loops, reads) == order[-1] else None


def interchange(root: ir.Operation) -> None:
    """Reorder the loops of every elementwise linalg.generic in ``root`` where `loop_order` says so."""
    for op in ops_named(root, "linalg.generic"):
        kinds = list(ir.ArrayAttr(op.attributes["iterator_types"]))
        maps = [ir.AffineMapAttr(a).value for a in ir.ArrayAttr(op.attributes["indexing_maps"])]
        if any(str(kind) != _PARALLEL for kind in kinds) or not all(
                isinstance(r, ir.AffineDimExpr) for m in maps for r in m.results):
            continue
        order = loop_order(len(kinds), [[r.position for r in m.results] for m in maps])
        if order is not None:
            _reorder(op, maps, order)


def _reorder(op: ir.Operation, maps: list[ir.AffineMap], order: list[int]) -> None:
    place = {old: new for new, old in enumerate(order)}
    with op.context:
        op.attributes["indexing_maps"] = ir.ArrayAttr.get([
            ir.AffineMapAttr.get(ir.AffineMap.get(len(order), 0, [
                ir.AffineDimExpr.get(place[r.position]) for r in m.results])) for m in maps])
        for index in ops_named(op, "linalg.index"):
            dim = index.attributes["dim"]
            index.attributes["dim"] = ir.IntegerAttr.get(dim.type, place[ir.IntegerAttr(dim).value])
