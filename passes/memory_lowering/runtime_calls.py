"""Lowers allocations and addresses to calls of the runtime."""

from __future__ import annotations

from hexagon_mlir.ir import arith, func, ir, memref
from hexagon_mlir.ir.query import in_tcm, known_bytes

TCM_SLOT_POINTER = "hexmlir_tcm_slot"
TCM_ALLOC, TCM_FREE = "hexmlir_rt_tcm_alloc", "hexmlir_rt_tcm_free"
INTEGER_TO_POINTER = "hexmlir_rt_pointer"
DDR_ALLOC, DDR_FREE = "aligned_alloc", "free"


def lower_alloc(module: ir.Module, op: ir.Operation, alignment: int) -> ir.Value:
    """``alloc(bytes, alignment)`` seen as the buffer type of ``op``, without memory space."""
    type_ = ir.MemRefType(op.results[0].type)
    symbol = TCM_ALLOC if in_tcm(type_) else DDR_ALLOC
    i32, raw = ir.IntegerType.get_signless(32), _raw_type()
    _declare(module, symbol, [i32, i32], [raw])
    static = known_bytes(type_)
    sizes = list(op.operands)
    size = arith.constant(ir.IndexType.get(), static)
    for value in sizes:
        size = arith.muli(size, value)
    asked_bytes = size
    if symbol == DDR_ALLOC:
        asked_bytes = (arith.addi(size, arith.constant(ir.IndexType.get(), alignment)) if sizes
                       else arith.constant(ir.IndexType.get(), padded(type_, alignment)))
    asked = op.attributes["alignment"].value if "alignment" in op.attributes else 0
    align = arith.constant(i32, max(asked, alignment))
    arguments = [arith.index_cast(i32, asked_bytes), align]
    if symbol == DDR_ALLOC:  # the C function takes the alignment first
        arguments.reverse()
    pointer = func.CallOp([raw], ir.FlatSymbolRefAttr.get(symbol), arguments).result
    dynamic = ir.ShapedType.get_dynamic_size()
    bytes_type = ir.MemRefType.get([dynamic if sizes else static], raw.element_type)
    bytes_ = memref.ReinterpretCastOp(bytes_type, pointer, [], [size] if sizes else [], [], [0],
                                      [dynamic if sizes else static], [1]).result
    plain = ir.MemRefType.get(type_.shape, type_.element_type)
    return memref.view(plain, bytes_, arith.constant(ir.IndexType.get(), 0), sizes)


def lower_pointer(module: ir.Module, op: ir.Operation) -> ir.Value:
    """The memory at an integer address; it may alias any buffer."""
    type_, raw = ir.MemRefType(op.results[0].type), _raw_type()
    if not _declared(module, INTEGER_TO_POINTER):
        with ir.InsertionPoint.at_block_begin(module.body):
            func.FuncOp(INTEGER_TO_POINTER, ([op.operands[0].type], [raw]), visibility="private")
    pointer = func.CallOp([raw], ir.FlatSymbolRefAttr.get(INTEGER_TO_POINTER), [op.operands[0]]).result
    return memref.view(type_, _resized(pointer, known_bytes(type_)), arith.constant(ir.IndexType.get(), 0), [])


def lower_slot(module: ir.Module, op: ir.Operation) -> ir.Value:
    """A slot of the arena, returned by a function whose result is ``noalias``."""
    raw = _raw_type()
    _declare(module, TCM_SLOT_POINTER, [ir.IndexType.get()], [raw])
    start = memref.extract_aligned_pointer_as_index(op.operands[0])
    pointer = func.CallOp([raw], ir.FlatSymbolRefAttr.get(TCM_SLOT_POINTER), [arith.addi(start, op.operands[1])]).result
    return _resized(pointer, ir.MemRefType(op.results[0].type).shape[0])


def lower_free(module: ir.Module, op: ir.Operation) -> None:
    """Give back the buffer of ``op``."""
    type_ = ir.MemRefType(op.operands[0].type)
    symbol = TCM_FREE if in_tcm(type_) else DDR_FREE
    _declare(module, symbol, [ir.IndexType.get()], [])
    address = memref.extract_aligned_pointer_as_index(op.operands[0])
    func.CallOp([], ir.FlatSymbolRefAttr.get(symbol), [address])


def _resized(pointer: ir.Value, size: int) -> ir.Value:
    """The ``size`` bytes at ``pointer``."""
    type_ = ir.MemRefType.get([size], ir.IntegerType.get_signless(8))
    return memref.ReinterpretCastOp(type_, pointer, [], [], [], [0], [size], [1]).result


def padded(type_: ir.MemRefType, vector_bytes: int) -> int:
    """Bytes to ask for: one vector more, so that a masked access at the end stays inside the object.

    LLVM counts masked-off lanes as accessed: an access that exceeds an object of known size cannot alias the object, it
    concludes, and moves loads of the object above the store.
    """
    return known_bytes(type_) + vector_bytes


def _declare(module: ir.Module, symbol: str, inputs: list[ir.Type], results: list[ir.Type]) -> None:
    if _declared(module, symbol):
        return
    with ir.InsertionPoint.at_block_begin(module.body):
        function = func.FuncOp(symbol, (inputs, results), visibility="private")
    if results:
        _promise_fresh(function)


def _declared(module: ir.Module, symbol: str) -> bool:
    return any(op.operation.name == "func.func" and op.sym_name.value == symbol for op in module.body.operations)


def _promise_fresh(function: func.FuncOp) -> None:
    """Declare the result ``noalias``: LLVM may reorder accesses to different buffers."""
    function.attributes["res_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})])


def _raw_type() -> ir.MemRefType:
    """What the runtime returns: a bare pointer, as a one-byte buffer."""
    return ir.MemRefType.get([1], ir.IntegerType.get_signless(8))
