"""Places in TCM for what is computed block by block: products of the matrix engine."""

from __future__ import annotations

from hexagon_mlir.ir import bufferization, ir
from hexagon_mlir.ir.query import DDR_SPACE, TCM_SPACE, memory_space, ops_named, static_bytes
from hexagon_mlir.passes.lib.tcm_tensors import copy_to
from hexagon_mlir.passes.lib.vector_loop import takes_scalars
from hexagon_mlir.passes.tcm_tiling.groups import Group
from hexagon_mlir.passes.tcm_tiling.live_bytes import most_live_bytes
from hexagon_mlir.passes.tcm_tiling.promote import VIEWS, is_in_ddr

_INSERT, _RETURN = "tensor.insert_slice", "func.return"


def place_blocks(function: ir.Operation, groups: list[Group], budget: int, room: int, small: int) -> int:
    """Give tensors that only blocks in TCM are inserted into, and that only ``groups`` read, a buffer in TCM, as far as
    ``budget`` bytes allow and the blocks leave of the ``room`` for all; returns the bytes used. What is a result of the
    function, too, is copied to DDR once it is whole, beside the groups' work.
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
        results = _results(whole)
        readers = [] if results is None else _readers(whole, results)
        if not readers or any(user not in grouped or takes_scalars(user, place) for user, place in readers):
            continue
        if given + size + most_live_bytes(op.block, op, [user for user, _ in readers]) > room:
            continue
        with op.location, ir.InsertionPoint(_maker(op) or op):
            op.operands[1] = bufferization.AllocTensorOp(start.type, [], memory_space=memory_space(TCM_SPACE)).result
        _compute_in_place(op)
        _copy_results(whole, results or [])
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


def _maker(insertion: ir.Operation) -> ir.Operation | None:
    """The linalg op of the same block that computes what is inserted in a buffer in TCM of its own; None for others."""
    value = insertion.operands[0]
    if isinstance(value.owner, ir.Block) or len(list(value.uses)) != 1:
        return None
    op = value.owner.operation
    if not op.name.startswith("linalg.") or len(op.results) != 1 or op.block != insertion.block:
        return None
    start = op.operands[len(op.operands) - 1].owner
    alone = not isinstance(start, ir.Block) and start.operation.name == "bufferization.alloc_tensor" \
        and not len(start.operation.operands)
    return op if alone else None


def _compute_in_place(first: ir.Operation) -> None:
    """Let the blocks that ``first`` and the following insertions insert be computed where they are inserted."""
    op = first
    while op.name == _INSERT:
        made, (_, *place) = _maker(op), op.operands
        if made is not None and all(_is_defined_before(value, made) for value in place):
            with made.location, ir.InsertionPoint(made):
                made.operands[len(made.operands) - 1] = ir.Operation.create(
                    "tensor.extract_slice", results=[op.operands[0].type], operands=place,
                    attributes=_slice_attributes(op)).result
        users = [use.owner.operation for use in op.results[0].uses]
        if len(users) != 1:
            return
        op = users[0]


def _is_defined_before(value: ir.Value, op: ir.Operation) -> bool:
    """Whether ``value``, which is known later in the block of ``op``, is known at ``op``."""
    owner = value.owner
    return isinstance(owner, ir.Block) or owner.operation.block != op.block or owner.operation.is_before_in_block(op)


def _slice_attributes(insertion: ir.Operation) -> dict[str, ir.Attribute]:
    """Those of the slice that ``insertion`` replaces."""
    names = ("static_offsets", "static_sizes", "static_strides")
    segments = list(ir.DenseI32ArrayAttr(insertion.attributes["operandSegmentSizes"]))
    return {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, *segments[2:]]),
            **{name: insertion.attributes[name] for name in names}}


def _results(value: ir.Value) -> list[tuple[ir.Operation, int]] | None:
    """The uses of ``value`` by which it is a result of the function: by the return, or by a view that only the return
    reads; None where a view has other readers, too."""
    found: list[tuple[ir.Operation, int]] = []
    for use in value.uses:
        user = use.owner.operation
        leaves = [(user, use.operand_number)] if user.name not in VIEWS else _readers(user.results[0], [])
        returns = [leaf.name == _RETURN for leaf, _ in leaves]
        if any(returns) and not all(returns):
            return None
        if any(returns):
            found.append((user, use.operand_number))
    return found


def _copy_results(whole: ir.Value, results: list[tuple[ir.Operation, int]]) -> None:
    """Let ``results``, uses of ``whole``, have a copy of it in DDR."""
    if not results:
        return
    with whole.owner.operation.location, ir.InsertionPoint.after(whole.owner.operation):
        copied = copy_to(whole, DDR_SPACE)
    for user, place in results:
        user.operands[place] = copied


def _readers(value: ir.Value, but: list[tuple[ir.Operation, int]]) -> list[tuple[ir.Operation, int]]:
    """The users of ``value``, through views, with their operand numbers, without the uses ``but``."""
    found: list[tuple[ir.Operation, int]] = []
    for use in value.uses:
        user = use.owner.operation
        if (user, use.operand_number) in but:
            continue
        found += _readers(user.results[0], but) if user.name in VIEWS else [(user, use.operand_number)]
    return found
