"""The footprints of a group's tensors, and the memory space of the tensors between groups."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.ir import bufferization, ir
from hexagon_mlir.ir.query import TCM_SPACE, element_bytes, memory_space, static_bytes
from hexagon_mlir.passes.lib.vector_loop import byte_loop, reads_of, spreads, takes_scalars, vector_loop
from hexagon_mlir.passes.tcm_tiling.groups import Following, Group, is_fill, maps_of
from hexagon_mlir.passes.tcm_tiling.live_bytes import most_live_bytes
from hexagon_mlir.passes.tcm_tiling.promote import RESHAPES, is_in_ddr
from hexagon_mlir.passes.tcm_tiling.sizes import Footprint, Role
from hexagon_mlir.targets import Target


def footprints(group: Group) -> list[Footprint]:
    """Footprints of ``group`` in TCM: inputs, intermediates and results, except operands read by element.

    The transfers of a contraction's broadcast factor are small beside its work: the factor takes its two buffers, but
    no tile is made smaller to overlap it.
    """
    found = []
    results = {result: op for op in group.members for result in op.results}
    inputs: dict[ir.Value, bool] = {}
    spread: set[ir.Value] = set()
    for op in group.members:
        count = len(op.operands) - len(op.results)
        reads = reads_of(op)
        for position, value in enumerate(op.operands):
            if not isinstance(value.type, ir.RankedTensorType) or value in results \
                    or takes_scalars(op, position, reads):
                continue
            read = position < count or any(True for _ in op.regions[0].blocks[0].arguments[position].uses)
            if spreads(op, position, reads):
                spread.add(value)
            if position < count or (op == group.root and read):
                inputs[value] = inputs.get(value, False) or is_in_ddr(value)
    for value, ddr in inputs.items():
        if ddr:
            roles = (Role.KEEP, Role.KEEP) if value in spread else (Role.FETCH,)
            found += [_footprint(value, way, role) for way in group.followed[value] for role in roles]
    for result, op in results.items():
        if op == group.root:
            role = Role.STORE if is_in_ddr(result) else Role.KEEP
            found += [_footprint(result, way, role) for way in group.followed[result]]
        elif not any(v in results for v in list(op.operands)[-len(op.results):]) and group.followed.get(result):
            found.append(_footprint(result, max(group.followed[result], key=str), Role.KEEP))
    return found


def _footprint(value: ir.Value, way: Following, role: Role) -> Footprint:
    type_ = ir.RankedTensorType(value.type)
    whole = prod(size for size, window in zip(type_.shape, way, strict=True) if window is None)
    loops = tuple(window.loop for window in way if window is not None and window.plain)
    windows = tuple(window for window in way if window is not None and not window.plain)
    return Footprint(loops, element_bytes(type_.element_type) * whole, role, windows)


def _readers(value: ir.Value) -> list[tuple[ir.Operation, int]]:
    """The users of ``value``, through reshapes and insertions (into a padded image), with their operand numbers."""
    found = []
    for use in value.uses:
        user = use.owner.operation
        if user.name in RESHAPES or (user.name == "tensor.insert_slice" and use.operand_number == 1):
            found += _readers(user.results[0])
        else:
            found.append((user, use.operand_number))
    return found


def _fetches(op: ir.Operation, place: int) -> bool:
    """True for an operation that copies its operand ``place``, all of it or a part, to TCM."""
    if op.name == "tensor.extract_slice":
        uses = [(use.owner.operation, use.operand_number) for use in op.results[0].uses]
        return bool(uses) and all(_fetches(user, number) for user, number in uses)
    copies = op.name == "bufferization.alloc_tensor" or (op.name == "tensor.insert_slice" and place == 0)
    return copies and not is_in_ddr(op.results[0])


def place_between(groups: list[Group], budget: int, room: int, small: int) -> int:
    """Give results that only other groups read a buffer in TCM, as far as ``budget`` bytes allow and blocks in TCM
    leave of the ``room`` for all; returns the bytes used."""
    grouped = {op for group in groups for op in group.members}
    given = 0
    for group in groups:
        for number, result in enumerate(group.root.results):
            uses = _readers(result)
            size = static_bytes(result.type)
            if not uses or any(user not in grouped and not _fetches(user, place) for user, place in uses):
                continue
            if size is None or size < small or given + size > budget:
                continue
            if any(user in grouped and takes_scalars(user, position) for user, position in uses):
                continue
            op, position = group.root, len(group.root.operands) - len(group.root.results) + number
            while not isinstance(op.operands[position].owner, ir.Block) \
                    and op.operands[position].owner.operation in group.members:
                value = op.operands[position]
                op = value.owner.operation
                position = len(op.operands) - len(op.results) + ir.OpResult(value).result_number
            start = op.operands[position]
            if isinstance(start.owner, ir.Block) or start.owner.operation.name != "tensor.empty":
                continue
            readers = [user for user, _ in uses]
            if given + size + most_live_bytes(group.root.block, group.root, readers) > room:
                continue
            with op.location, ir.InsertionPoint(op):
                op.operands[position] = bufferization.AllocTensorOp(
                    start.type, list(start.owner.operation.operands), memory_space=memory_space(TCM_SPACE)).result
            given += size
    return given


def vector_lanes(group: Group, operands: Sequence[Footprint], target: Target) -> int:
    """What the last loop of ``group`` that is cut should be cut into multiples of: the lanes of its narrowest operand.
    """
    alone = sum(not is_fill(op) for op in group.members) == 1
    reads = [o.loops for o in operands] if alone else []
    vectorized = vector_loop(len(group.extents), reads, group.extents) if alone else None
    last = max(group.cuttable, default=None)
    narrowest = max(1, min(o.element_bytes for o in operands))  # an empty operand has no bytes
    if byte_loop(reads, group.extents) is not None:
        narrowest = max(o.element_bytes for o in operands)  # sums are the lanes
    narrowest_bits = min(8 * narrowest, target.widest_lane_bits)
    return target.lanes(narrowest_bits) if last in (len(group.extents) - 1, vectorized, _walked(group)) else 1


def _walked(group: Group) -> int | None:
    """The loop that goes along the last dimension of the root's result and of what it is computed from."""
    last = [map_.results[-1] for map_ in maps_of(group.root) or [] if map_.results]
    walks = bool(last) and isinstance(last[-1], ir.AffineDimExpr) and last[-1] in last[:-1]
    return last[-1].position if walks else None
