"""A conservative estimate of a kernel's cycles after its last fetch."""

from __future__ import annotations

from math import prod

from hexagon_mlir.dialects.double_buffering import STAGES
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.cost import estimated_cycles, trip_count
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.targets import Target

_OPS_PER_PACKET = 2  # products: a load, a multiplication and an addition take a packet and a half


def spare_cycles(places: list[ir.Operation], target: Target) -> int:
    """Cycles after the first of ``places`` (see `find_starts`): of the work, or of one part of its loop."""
    return round(min(work_cycles(_around(place), target) for place in places))


def later_cycles(work: ir.Operation, target: Target) -> int:
    """Cycles of what follows ``work`` in its block."""
    operations = [view.operation for view in work.block.operations]
    return round(sum(work_cycles(op, target) for op in operations[operations.index(work) + 1:]))


def spare_cycles_after(places: list[ir.Operation], block: ir.Block, target: Target) -> int:
    """Cycles of the work in ``block``, a kernel's body, after ``places`` (see `find_starts_after_fetches`): of the
    matrix engine or of HVX, which compute beside each other."""
    operations = [view.operation for view in block.operations]
    last = operations.index(ancestor_in(places[-1], block))
    inside = places[0] != operations[last]
    later = operations[last + inside:]
    on_engine = sum(_product_cycles(op, target) for op in later if op.name == ENGINE_PRODUCT)
    return round(max(on_engine, sum(work_cycles(op, target) for op in later)) + inside * spare_cycles(places, target))


def _product_cycles(product: ir.Operation, target: Target) -> float:
    """Of a `hexagon.engine_product` of f16, whose operands are tiles; 0 for others."""
    left, right = (ir.MemRefType(value.type) for value in list(product.operands)[:2])
    if not isinstance(left.element_type, ir.F16Type):
        return 0.0
    return left.shape[0] * prod(right.shape[:2]) * float(target.matrix_half_tile_cycles.value)


def _around(place: ir.Operation) -> ir.Operation:
    """The part of a double-buffered loop that contains guard ``place``; else ``place``, the work itself."""
    part = place
    while part.parent is not None and place.name == "scf.if":
        if any(mark in part.attributes for mark in STAGES):
            return part
        part = part.parent.operation
    return place


def work_cycles(op: ir.Operation, target: Target) -> float:
    """Cycles of HVX for ``op`` and what is inside it."""
    interval = float(target.hvx_issue_interval_cycles.value)
    if op.name.startswith("linalg."):
        return estimated_cycles(op, int(target.vector_bytes.value), interval) or 0.0
    inside = sum(work_cycles(inner.operation, target) for region in op.regions for block in region.blocks
                 for inner in block.operations)
    if any(isinstance(result.type, ir.VectorType) for result in op.results) and not len(op.regions):
        return interval / _OPS_PER_PACKET
    if op.name == "scf.for":
        return inside * (trip_count(op) or 1)
    if op.name == "scf.forall":
        return inside * -(-_iterations(op) // int(target.hvx_contexts.value))
    return inside


def _iterations(forall: ir.Operation) -> int:
    """Iterations of ``forall``; 1 where its bounds are dynamic."""
    low, high, step = (ir.DenseI64ArrayAttr(forall.attributes[name])
                       for name in ("staticLowerBound", "staticUpperBound", "staticStep"))
    if ir.ShapedType.get_dynamic_size() in (*low, *high, *step):
        return 1
    return prod(-(-(last - first) // by) for first, last, by in zip(low, high, step, strict=True))
