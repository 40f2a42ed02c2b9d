"""A conservative estimate of a kernel's cycles after its last fetch."""

from __future__ import annotations

from math import prod

from hexagon_mlir.dialects.double_buffering import STAGES
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.cost import estimated_cycles, trip_count
from hexagon_mlir.targets import Target

_OPS_PER_PACKET = 2  # products: a load, a multiplication and an addition take a packet and a half


def spare_cycles(places: list[ir.Operation], target: Target) -> int:
    """Cycles after the first of ``places`` (see `find_starts`): of the work, or of one part of its loop."""
    return round(min(_cycles(_around(place), target) for place in places))


def _around(place: ir.Operation) -> ir.Operation:
    """The part of a double-buffered loop that contains guard ``place``; else ``place``, the work itself."""
    part = place
    while part.parent is not None and place.name == "scf.if":
        if any(mark in part.attributes for mark in STAGES):
            return part
        part = part.parent.operation
    return place


def _cycles(op: ir.Operation, target: Target) -> float:
    interval = float(target.hvx_issue_interval_cycles.value)
    if op.name.startswith("linalg."):
        return estimated_cycles(op, int(target.vector_bytes.value), interval) or 0.0
    inside = sum(_cycles(inner.operation, target) for region in op.regions for block in region.blocks
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
