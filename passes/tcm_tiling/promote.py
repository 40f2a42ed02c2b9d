"""Promotes the operands of a tile's ops to TCM: inputs by copy, intermediates and results as new buffers."""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.bounds import upper_bound
from hexagon_mlir.ir.query import DDR_SPACE, TCM_SPACE, element_bytes, in_tcm, ops_named
from hexagon_mlir.passes.lib.tcm_tensors import copy_to, tcm_copy, tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import takes_scalars

RESHAPES = frozenset({"tensor.expand_shape", "tensor.collapse_shape", "tensor.cast"})
VIEWS = RESHAPES | {"tensor.extract_slice"}


def promote(op: ir.Operation, wanted: Callable[[ir.Operation, int], bool]) -> None:
    """Give each operand that is ``wanted`` a buffer in TCM: inputs by copy, outputs by copy only if read."""
    inputs = len(op.operands) - len(op.results)  # outputs follow them, one for each result
    body = op.regions[0].blocks[0]
    copies: dict[ir.Value, ir.Value] = {}
    with op.location, ir.InsertionPoint(op):
        for position, value in enumerate(list(op.operands)):
            if not wanted(op, position):
                continue
            read = position < inputs or any(True for _ in body.arguments[position].uses)
            if position >= inputs:  # an output gets a buffer of its own
                op.operands[position] = tcm_copy(value) if read else tcm_empty(value)
                continue
            if value not in copies:
                copies[value] = tcm_copy(value)
            op.operands[position] = copies[value]


def promote_group(ops: list[ir.Operation], loop: ir.Operation | None, small: int, carries: bool = False,
                  copies: dict[ir.Value, ir.Value] | None = None) -> None:
    """The same for ``ops``, which share the tiles of ``loop`` (or are not tiled): each input is copied once.

    Operands below ``small`` bytes or read element by element stay in cached DDR. Loop-invariant operands are copied
    before the loop. With ``carries`` the loop itself may carry an accumulator. ``copies`` holds the copies made so far;
    the new ones are added.
    """
    copies = {} if copies is None else copies
    for op in ops:
        inputs = len(op.operands) - len(op.results)
        body = op.regions[0].blocks[0]
        for position, value in enumerate(list(op.operands)):
            if not isinstance(value.type, ir.RankedTensorType) or _stays(op, position, small):
                continue
            if position < inputs:
                if is_in_ddr(value):
                    if value not in copies:
                        with op.location, _where(value, op, loop):
                            copies[value] = tcm_copy(value)
                    op.operands[position] = copies[value]
                continue
            read = any(True for _ in body.arguments[position].uses)
            _promote_output(op, position, read, None if carries else loop)


def _promote_output(op: ir.Operation, position: int, read: bool, loop: ir.Operation | None) -> None:
    value = op.operands[position]
    owner = value.owner
    if (carried := _carried(value)) is not None:
        _promote_accumulator(carried, loop)
        return
    if not is_in_ddr(value) or (not isinstance(owner, ir.Block) and owner.operation.name.startswith("linalg.")):
        return  # in the place of another op's result, which has its own buffer
    with op.location, ir.InsertionPoint(op):
        op.operands[position] = tcm_copy(value) if read and not _is_empty(value) else tcm_empty(value)


def _carried(value: ir.Value) -> ir.BlockArgument | None:
    """The loop-carried value that ``value`` is, or is a reshape of."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in RESHAPES:
        value = value.owner.operation.operands[0]
    of_loop = isinstance(value.owner, ir.Block) and value.owner.owner.operation.name == "scf.for"
    return ir.BlockArgument(value) if of_loop else None


def _promote_accumulator(value: ir.BlockArgument, outer: ir.Operation | None) -> None:
    """Move the initial value of a result carried by reduction loops to TCM; the whole result of a tile loop stays."""
    holder = value.owner.owner.operation
    if outer is not None and holder == outer:
        return
    number = value.arg_number + 2  # behind the bounds; argument 0 is the induction variable
    start = holder.operands[number]
    if not is_in_ddr(start):
        return
    if (carried := _carried(start)) is not None:
        _promote_accumulator(carried, outer)
    elif isinstance(start.owner, ir.Block) or not start.owner.operation.name.startswith("linalg."):
        with holder.location, ir.InsertionPoint(holder):
            holder.operands[number] = tcm_copy(start)


def _stays(op: ir.Operation, position: int, small: int) -> bool:
    value = op.operands[position]
    bytes_ = _bound(value)
    if (bytes_ is not None and bytes_ < small) or takes_scalars(op, position):
        return True
    output = position - (len(op.operands) - len(op.results))
    return output >= 0 and any(user.name.startswith("linalg.") and len(user.results) and takes_scalars(user, number)
                               for user, number in _users(op.results[output]))


def _users(value: ir.Value) -> list[tuple[ir.Operation, int]]:
    """The users of ``value``, through reshapes, with their operand numbers."""
    found: list[tuple[ir.Operation, int]] = []
    for use in value.uses:
        user = use.owner.operation
        found += _users(user.results[0]) if user.name in RESHAPES else [(user, use.operand_number)]
    return found


def _bound(value: ir.Value) -> int | None:
    """Most bytes of a tensor, dynamic sizes by what bounds them."""
    type_ = ir.RankedTensorType(value.type)
    size, owner = element_bytes(type_.element_type), value.owner
    dynamic = 0
    for dim in range(type_.rank):
        if not type_.is_dynamic_dim(dim):
            size *= type_.get_dim_size(dim)
            continue
        if isinstance(owner, ir.Block) or owner.operation.name != "tensor.extract_slice":
            return None
        offsets = list(ir.DenseI64ArrayAttr(owner.operation.attributes["static_offsets"]))
        first = 1 + sum(o == ir.ShapedType.get_dynamic_size() for o in offsets)
        bound = upper_bound(owner.operation.operands[first + dynamic])
        if bound is None:
            return None
        dynamic += 1
        size *= bound
    return size


def _where(value: ir.Value, op: ir.Operation, loop: ir.Operation | None) -> ir.InsertionPoint:
    """Before ``op``; before the loop for what the loop does not cut."""
    if loop is None:
        return ir.InsertionPoint(op)
    inside = value.owner.owner.operation if isinstance(value.owner, ir.Block) else value.owner.operation
    while inside is not None and inside != loop:
        parent = inside.parent
        inside = parent.operation if parent is not None else None
    return ir.InsertionPoint(loop if inside is None else op)


def initial(value: ir.Value) -> ir.Value | None:
    """What ``value``, carried by a loop or the result of one, starts as; None for any other value."""
    owner = value.owner
    if isinstance(owner, ir.Block):
        holder, number = owner.owner.operation, ir.BlockArgument(value).arg_number
        if holder.name == "scf.for" and number:
            return holder.operands[2 + number]  # behind the bounds; argument 0 is the induction variable
        if holder.name == "scf.while" and owner == holder.regions[0].blocks[0]:
            return holder.operands[number]
    else:
        holder, number = owner.operation, ir.OpResult(value).result_number
        if holder.name == "scf.for":
            return holder.operands[3 + number]
    if holder.name == "scf.while":  # what its condition hands on
        test = list(holder.regions[0].blocks[0].operations)[-1].operation
        return test.operands[1 + number]
    return None


def is_in_ddr(value: ir.Value) -> bool:
    """True when tensor ``value`` is, or will be, a buffer in DDR."""
    while True:
        owner = value.owner
        if (start := initial(value)) is not None:
            value = start
        elif isinstance(owner, ir.Block):
            return True
        elif owner.operation.name in VIEWS:
            value = owner.operation.operands[0]
        elif owner.operation.name == "tensor.insert_slice":
            value = owner.operation.operands[1]
        elif owner.operation.name.startswith("linalg."):  # computed where its output is
            outputs = len(owner.operation.results)
            value = owner.operation.operands[len(owner.operation.operands) - outputs
                                             + ir.OpResult(value).result_number]
        elif owner.operation.name == "bufferization.to_tensor":
            return not in_tcm(ir.MemRefType(owner.operation.operands[0].type))
        else:
            space = owner.operation.attributes.get("memory_space")
            return not (isinstance(space, ir.IntegerAttr) and space.value == TCM_SPACE)


def _is_empty(value: ir.Value) -> bool:
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == "tensor.empty"


def settle(function: ir.Operation) -> None:
    """Copies where control flow needs one space: what a loop yields is where it began, other results are in DDR."""
    for op in ops_named(function, "func.return", "scf.yield"):
        holder = op.parent.operation
        for position, value in enumerate(op.operands):
            if not isinstance(value.type, ir.RankedTensorType):
                continue
            start = {"scf.for": 3, "scf.while": 0}.get(holder.name)
            ddr = start is None or is_in_ddr(holder.operands[start + position])
            if is_in_ddr(value) != ddr:
                with op.location, ir.InsertionPoint(op):
                    op.operands[position] = copy_to(value, DDR_SPACE if ddr else TCM_SPACE)


def tcm_empty(value: ir.Value) -> ir.Value:
    """An uninitialised TCM buffer with the type (and sizes) of ``value``."""
    type_ = ir.RankedTensorType(value.type)
    sizes = [tensor.dim(value, arith.constant(ir.IndexType.get(), d)) for d in range(type_.rank)
             if type_.is_dynamic_dim(d)]
    return tcm_tensor(type_.shape, type_.element_type, sizes)
