"""Calls of the runtime in place of a fork, and the function that the runtime calls for each task."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, func, ir, memref
from hexagon_mlir.ir.query import known_bytes
from hexagon_mlir.passes.async_lowering.forks import Fork
from hexagon_mlir.passes.async_lowering.frames import bytes_of, offsets

FORK, JOIN = "hexmlir_rt_fork", "hexmlir_rt_join"
POINTER = "hexmlir_frame_pointer"
"""A pointer that was stored as an integer; code generation makes it one instruction or none."""


def call_runtime(module: ir.Module, forks: Sequence[Fork]) -> None:
    """Replace the operations of ``forks``."""
    tasks: dict[str, str] = {}
    for fork in forks:
        _replace(module, fork, tasks)


def _replace(module: ir.Module, fork: Fork, tasks: dict[str, str]) -> None:
    """``tasks`` are the functions that the runtime calls, by their callees."""
    i32, raw = ir.IntegerType.get_signless(32), _raw_type()
    places, size, alignment = offsets([bytes_of(value.type) for value in fork.passed])
    task_type = ir.FunctionType.get([raw, i32], [])
    _declare(module, FORK, [raw, task_type, i32, i32])
    _declare(module, JOIN, [raw])
    callee = ir.FlatSymbolRefAttr(fork.call.attributes["callee"]).value
    if callee not in tasks:
        tasks[callee] = _task(module, fork, callee, places, size)
    with fork.loop.location, ir.InsertionPoint.at_block_begin(_function_of(fork.loop).regions[0].blocks[0]):
        frame = memref.alloca(ir.MemRefType.get([size], raw.element_type), [], [], alignment=alignment)
        shared = memref.ReinterpretCastOp(raw, frame, [], [], [], [0], [1], [1]).result
    with fork.loop.location, ir.InsertionPoint(fork.loop):
        for value, at in zip(fork.passed, places, strict=True):
            _store(value, frame, at)
        first, end = (arith.index_cast(i32, bound) for bound in list(fork.loop.operands)[:2])
        func.CallOp([], ir.FlatSymbolRefAttr.get(FORK), [shared, func.constant(task_type, tasks[callee]), first, end])
    with fork.wait.location, ir.InsertionPoint(fork.wait):
        func.CallOp([], ir.FlatSymbolRefAttr.get(JOIN), [shared])
    for op in (fork.wait, fork.loop, fork.group):
        op.erase()


def _task(module: ir.Module, fork: Fork, callee: str, places: list[int], size: int) -> str:
    """A function of the frame and a number that makes the call."""
    name = f"{callee}_task"
    while _is_declared(module, name):
        name += "_"
    with ir.InsertionPoint.at_block_begin(module.body), fork.call.location:
        function = func.FuncOp(name, ([_raw_type(), ir.IntegerType.get_signless(32)], []), visibility="private")
    # its address is all that counts: copies for other modules would be the same code twice
    function.attributes["llvm.passthrough"] = ir.ArrayAttr.get([ir.StringAttr.get("noinline")])
    with fork.call.location, ir.InsertionPoint(function.add_entry_block()):
        frame, number = function.entry_block.arguments
        bytes_ = ir.MemRefType.get([size], ir.MemRefType(frame.type).element_type)
        whole = memref.ReinterpretCastOp(bytes_, frame, [], [], [], [0], [size], [1]).result
        values = [_load(module, value.type, whole, at) for value, at in zip(fork.passed, places, strict=True)]
        func.CallOp([], ir.FlatSymbolRefAttr.get(callee), [arith.index_cast(ir.IndexType.get(), number), *values])
        func.ReturnOp([])
    return name


def _store(value: ir.Value, frame: ir.Value, at: int) -> None:
    if isinstance(value.type, ir.MemRefType):
        value = memref.extract_aligned_pointer_as_index(value)
    elif isinstance(value.type, ir.IndexType):
        value = arith.index_cast(ir.IntegerType.get_signless(32), value)
    memref.store(value, _slot(value.type, frame, at), [_index(0)])


def _load(module: ir.Module, type_: ir.Type, frame: ir.Value, at: int) -> ir.Value:
    index, i32 = ir.IndexType.get(), ir.IntegerType.get_signless(32)
    if isinstance(type_, ir.IndexType):
        return arith.index_cast(index, memref.load(_slot(i32, frame, at), [_index(0)]))
    if not isinstance(type_, ir.MemRefType):
        return memref.load(_slot(type_, frame, at), [_index(0)])
    raw = _raw_type()
    _declare(module, POINTER, [index], [raw])
    address = memref.load(_slot(index, frame, at), [_index(0)])
    pointer = func.CallOp([raw], ir.FlatSymbolRefAttr.get(POINTER), [address]).result
    size = known_bytes(type_)
    bytes_ = ir.MemRefType.get([size], raw.element_type)
    return memref.view(type_, memref.ReinterpretCastOp(bytes_, pointer, [], [], [], [0], [size], [1]).result,
                       _index(0), [])


def _slot(type_: ir.Type, frame: ir.Value, at: int) -> ir.Value:
    return memref.view(ir.MemRefType.get([1], type_), frame, _index(at), [])


def _index(value: int) -> ir.Value:
    return arith.constant(ir.IndexType.get(), value)


def _raw_type() -> ir.MemRefType:
    """A bare pointer."""
    return ir.MemRefType.get([1], ir.IntegerType.get_signless(8))


def _function_of(op: ir.Operation) -> ir.Operation:
    while op.name != "func.func":
        assert op.parent is not None
        op = op.parent.operation
    return op


def _declare(module: ir.Module, symbol: str, inputs: list[ir.Type], results: list[ir.Type] | None = None) -> None:
    if not _is_declared(module, symbol):
        with ir.InsertionPoint.at_block_begin(module.body):
            func.FuncOp(symbol, (inputs, results or []), visibility="private")


def _is_declared(module: ir.Module, symbol: str) -> bool:
    return any("sym_name" in op.operation.attributes
               and ir.StringAttr(op.operation.attributes["sym_name"]).value == symbol for op in module.body.operations)
