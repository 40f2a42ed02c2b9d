"""The rewriting: arena and slot become arguments, fetches become calls of the runtime."""

from __future__ import annotations

from hexagon_mlir.dialects import tcm_slots
from hexagon_mlir.ir import arith, erase_op, func, ir, memref, scf
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.buffers import assume_alignment, uses_of_buffer
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import TCM_SPACE, memory_space
from hexagon_mlir.passes.weight_streaming.find import FirstTile, base_of, views_of

START_TILE = "hexmlir_rt_tile_start"
_ORIGIN = "hexagon-weight-streaming"


def is_arena(op: ir.Operation, function: ir.Operation) -> bool:
    """True for what hexagon-tcm-allocation makes: bytes, all of whose users are views."""
    users = {use.owner.operation.name for use in op.results[0].uses}
    return (op.block == function.regions[0].blocks[0] and not len(op.operands)
            and str(ir.MemRefType(op.results[0].type).element_type) == "i8"
            and users <= {"memref.view", "memref.dealloc"})


def close_gap(arena: ir.Operation, first: FirstTile) -> None:
    """Close the gap that the slot leaves: later offsets become smaller."""
    nbytes = first.tile.slot_bytes
    for view in views_of(arena):
        if view != first.slot and base_of(view.operands[1]) > first.offset:
            with view.location, ir.InsertionPoint(view):
                known = constant_value(view.operands[1])
                view.operands[1] = (arith.subi(view.operands[1], index(nbytes)) if known is None
                                    else index(known - nbytes))
    size = ir.MemRefType(arena.results[0].type).shape[0] - nbytes
    arena.results[0].set_type(_bytes(size))


def take_arena(function: ir.Operation, arena: ir.Operation, alignment: int) -> int:
    """Make the arena an argument; returns its size. An empty arena is removed."""
    type_ = ir.MemRefType(arena.results[0].type)
    for use in uses_of_buffer(arena.results[0]):
        if use.owner.operation.name == "memref.dealloc":
            erase_op(use.owner.operation, _ORIGIN)
    empty = not views_of(arena)
    if not empty:
        argument = add_argument(function, type_)
        with arena.location, ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]):
            arena.results[0].replace_all_uses_with(assume_alignment(argument, alignment))
    erase_op(arena, _ORIGIN)
    return 0 if empty else type_.shape[0]


def add_argument(function: ir.Operation, type_: ir.Type) -> ir.Value:
    """A new last argument of ``function``."""
    old = ir.FunctionType(function.attributes["function_type"].value)
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([*old.inputs, type_], old.results))
    if "arg_attrs" in function.attributes:
        function.attributes["arg_attrs"] = ir.ArrayAttr.get([*function.attributes["arg_attrs"], ir.DictAttr.get({})])
    return function.regions[0].blocks[0].add_argument(type_, function.location)


def take_slot(function: ir.Operation, nbytes: int, alignment: int) -> ir.Value:
    """A slot of ``nbytes`` that is a new argument."""
    memory = add_argument(function, _bytes(nbytes))
    with function.location, ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]):
        view = memref.view(_bytes(nbytes), assume_alignment(memory, alignment), index(0), [])
        tcm_slots.mark(view.owner)
    return view


def start_next(op: ir.Operation, records: ir.Value, count: ir.Value) -> None:
    """Start a later kernel's tiles before ``op``, or, for a guarded prefetch, in the branch where its guard is
    false."""
    if op.name != "scf.if":
        with op.location, ir.InsertionPoint(op):
            start_tiles(records, index(0), count)
        return
    operations = [view.operation for view in op.block.operations]
    with op.location, ir.InsertionPoint(operations[operations.index(op) + 1]):
        true = arith.constant(ir.IntegerType.get_signless(1), 1)
        branch = scf.IfOp(arith.xori(op.operands[0], true))
        with ir.InsertionPoint(branch.then_block):
            start_tiles(records, index(0), count)
            scf.yield_([])


def start_tiles(records: ir.Value, first: ir.Value, count: ir.Value) -> ir.Value:
    """Call the runtime; returns the last tile's tag."""
    return func.CallOp([ir.IntegerType.get_signless(32)], ir.FlatSymbolRefAttr.get(START_TILE),
                       [records, first, count]).result


def tag_of(start: ir.Operation) -> tuple[ir.Value, ir.Value]:
    """The tag of a dma_start, and the index in it."""
    operands = list(start.operands)
    at = 1 + ir.MemRefType(operands[0].type).rank
    at += 2 + ir.MemRefType(operands[at].type).rank
    return operands[at], operands[at + 1]


def declare_start(module: ir.Module) -> None:
    """Declare the function that `start_tiles` calls."""
    declare(module, START_TILE, [ir.IndexType.get()] * 3, [ir.IntegerType.get_signless(32)])


def declare(module: ir.Module, symbol: str, inputs: list[ir.Type], results: list[ir.Type]) -> None:
    """Declare function ``symbol`` once."""
    if any(op.operation.name == "func.func" and op.sym_name.value == symbol for op in module.body.operations):
        return
    with ir.InsertionPoint.at_block_begin(module.body):
        func.FuncOp(symbol, (inputs, results), visibility="private")


def _bytes(size: int) -> ir.MemRefType:
    return ir.MemRefType.get([size], ir.IntegerType.get_signless(8), memory_space=memory_space(TCM_SPACE))
