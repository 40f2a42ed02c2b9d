"""Places in TCM for what is computed block by block: products of the matrix engine."""

from __future__ import annotations

from hexagon_mlir.ir import bufferization, ir
from hexagon_mlir.ir.query import TCM_SPACE, memory_space, ops_named, static_bytes
from hexagon_mlir.passes.lib.vector_loop import takes_scalars
from hexagon_mlir.passes.tcm_tiling.groups import Group
from hexagon_mlir.passes.tcm_tiling.live_bytes import most_live_bytes
from hexagon_mlir.passes.tcm_tiling.promote import VIEWS, is_in_ddr

_INSERT = "tensor.insert_slice"


def place_blocks(function: ir.Operation, groups: list[Group], budget: int, room: int, small: int) -> int:
    """Give tensors that only blocks in TCM are inserted into, and that only ``groups`` read, a buffer in TCM, as far as
    ``budget`` bytes allow and the blocks leave of the ``room`` for all; returns the bytes used.
    """
    grouped = {op for group in groups for op in group.members}
    given = 0
    for op in ops_named(function, _INSERT):
        start = op.operands[1]
        if isinstance(start.owner, ir.Block) or start.owner.operation.name != "tensor.empty":
            continue
        size, whole = static_bytes(start.type), _whole(op)
        if size is None or size < small or given + size > budget or whole is None:
            continue
        readers = _readers(whole)
        if not readers or any(user not in grouped or takes_scalars(user, place) for user, place in readers):
            continue
        if given + size + most_live_bytes(op.block, op, [user for user, _ in readers]) > room:
            continue
        with op.location, ir.InsertionPoint(op):
            op.operands[1] = bufferization.AllocTensorOp(start.type, [], memory_space=memory_space(TCM_SPACE)).result
        given += size
    return given


def _whole(op: ir.Operation) -> ir.Value | None:
    """The result of the last insertion of those that ``op`` begins; None where one inserts what is not in TCM."""
    while not is_in_ddr(op.operands[0]):
        uses = list(op.results[0].uses)
        following = uses[0].owner.operation
        if len(uses) > 1 or following.name != _INSERT or uses[0].operand_number != 1:
            return op.results[0]
        op = following
    return None


def _readers(value: ir.Value) -> list[tuple[ir.Operation, int]]:
    """The users of ``value``, through views, with their operand numbers."""
    found: list[tuple[ir.Operation, int]] = []
    for use in value.uses:
        user = use.owner.operation
        found += _readers(user.results[0]) if user.name in VIEWS else [(user, use.operand_number)]
    return found
