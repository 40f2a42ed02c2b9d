"""TCM and DDR allocations to runtime calls; one address space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.tcm_slots import SLOT, is_slot
from hexagon_mlir.ir import INDEX_BITS, arith, erase_op, func, ir, memref
from hexagon_mlir.ir.query import functions, in_tcm, known_bytes, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext

TCM_SLOT_POINTER = "hexmlir_tcm_slot"
TCM_ALLOC, TCM_FREE = "hexmlir_rt_tcm_alloc", "hexmlir_rt_tcm_free"
INTEGER_TO_POINTER = "hexmlir_rt_pointer"
DDR_ALLOC, DDR_FREE = "aligned_alloc", "free"
_ALLOCATION, _RELEASE, _CAST = "memref.alloc", "memref.dealloc", "builtin.unrealized_conversion_cast"
_LARGEST = (1 << INDEX_BITS - 1) - 1  # LLVM takes offsets for signed
_STACK_SHARE = 16  # a stack buffer takes at most this fraction of the L1 data cache
_SCALAR_USERS = frozenset({"memref.load", "memref.store", "memref.dealloc", "vector.load", "vector.store",
                           "vector.maskedload", "vector.maskedstore"})


@dataclass(frozen=True)
class HexagonMemoryLoweringPass(Pass):
    """Turns memref.alloc and memref.dealloc into runtime calls and merges TCM (memory space 1) into space 0.

    A cast of an i64 to a pointer becomes a runtime call too: the simulator knows which memory it means.

    Small DDR buffers that are only loaded and stored become stack slots, which LLVM keeps in registers.

    Before:
        func.func @f() {
          %t = memref.alloc() : memref<64xf32, 1>
          memref.dealloc %t : memref<64xf32, 1>
          return
        }

    After:
        func.func private @hexmlir_rt_tcm_alloc(i32, i32) -> (memref<1xi8> {llvm.noalias})
        func.func private @hexmlir_rt_tcm_free(index)
        func.func @f() {
          %c256 = arith.constant 256 : index
          %c128_i32 = arith.constant 128 : i32
          %0 = arith.index_cast %c256 : index to i32
          %1 = call @hexmlir_rt_tcm_alloc(%0, %c128_i32) : (i32, i32) -> memref<1xi8>
          %r = memref.reinterpret_cast %1 to offset: [0], sizes: [256], strides: [1] : memref<1xi8> to memref<256xi8>
          %c0 = arith.constant 0 : index
          %t = memref.view %r[%c0][] : memref<256xi8> to memref<64xf32>
          %p = memref.extract_aligned_pointer_as_index %t : memref<64xf32> -> index
          call @hexmlir_rt_tcm_free(%p) : (index) -> ()
          return
        }

    Options:
        none

    Refuses: an allocation with a layout map (an error: bufferization does not produce one), a buffer of 2 GiB or more,
    a mark of a TCM slot on anything but a view.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-memory-lowering"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Lower all allocations, then drop the memory space from every type."""
        allocations = ops_named(module, _ALLOCATION)
        for op in allocations:
            type_ = ir.MemRefType(op.results[0].type)
            if type_.layout != ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank)):
                raise self.refuse(op, "allocation with a layout map", "allocate densely, then take a subview")
            self._check_size(op, "a buffer", type_)
        for op in [view.operation for view in module.body.operations if view.operation.name == "func.func"]:
            for number, type_ in enumerate(ir.FunctionType(op.attributes["function_type"].value).inputs):
                if isinstance(type_, ir.MemRefType):
                    self._check_size(op, f"argument {number}", type_)
        slots = [op for op in ops_named(module, "memref.view") if is_slot(op)]
        for op in slots:
            if len(op.operands) != 2:
                raise self.refuse(op, f"{SLOT} on a memref.view of dynamic size",
                                  "hexagon-tcm-allocation writes it")
        alignment = int(context.target.vector_bytes.value)
        stack_limit = int(context.target.l1d_bytes.value) // _STACK_SHARE
        small = [op for op in allocations if _fits_stack(op, stack_limit)]
        for op in small:
            _to_stack(op, alignment)
        for op in ops_named(module, _RELEASE):
            with op.location, ir.InsertionPoint(op):
                _lower_free(module, op)
            erase_op(op, self.name)
        for op in [op for op in ops_named(module, _CAST) if _makes_pointer(op)]:
            with op.location, ir.InsertionPoint(op):
                pointer = _lower_pointer(module, op)
            op.results[0].replace_all_uses_with(pointer)
            erase_op(op, self.name)
        for op in slots:
            with op.location, ir.InsertionPoint(op):
                slot = _lower_slot(module, op)
            op.results[0].replace_all_uses_with(slot)
            erase_op(op, self.name)
        for op in ops_named(module, _ALLOCATION):
            with op.location, ir.InsertionPoint(op):
                buffer = _lower_alloc(module, op, alignment)
            op.results[0].replace_all_uses_with(buffer)
            erase_op(op, self.name)
        _drop_spaces(module)
        for op in functions(module):
            _flatten_empty(op)

    def _check_size(self, op: ir.Operation, what: str, type_: ir.MemRefType) -> None:
        """Refuse a buffer with offsets that no index holds: they would wrap round."""
        if known_bytes(type_) > _LARGEST:
            raise self.refuse(op, f"{what} of {known_bytes(type_)} bytes: {type_}",
                              f"addresses have {INDEX_BITS} bits, a buffer at most {_LARGEST} bytes")


def _flatten_empty(function: ir.Operation) -> None:
    """Unused arguments without elements become one-dimensional: upstream finds no strides for the others."""
    type_ = ir.FunctionType(function.attributes["function_type"].value)
    inputs = list(type_.inputs)
    for number, argument in enumerate(function.regions[0].blocks[0].arguments):
        of = argument.type
        if isinstance(of, ir.MemRefType) and of.rank > 1 and 0 in of.shape and not any(True for _ in argument.uses):
            inputs[number] = ir.MemRefType.get([0], of.element_type)
            argument.set_type(inputs[number])
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, type_.results))


def _fits_stack(op: ir.Operation, limit: int) -> bool:
    """True for a small DDR buffer that no operation but plain accesses sees (so it never outlives its block)."""
    type_ = ir.MemRefType(op.results[0].type)
    if in_tcm(type_) or not type_.has_static_shape:
        return False
    return (known_bytes(type_) <= limit
            and all(use.owner.operation.name in _SCALAR_USERS for use in op.results[0].uses))


def _to_stack(op: ir.Operation, alignment: int) -> None:
    """Replace ``op`` by a slot in the function's entry block; a slot in a loop would move the stack pointer."""
    function = op.parent
    while function.operation.name != "func.func":
        function = function.operation.parent
    for use in list(op.results[0].uses):
        if use.owner.operation.name == "memref.dealloc":
            use.owner.operation.erase()
    type_ = ir.MemRefType(op.results[0].type)
    with op.location, ir.InsertionPoint.at_block_begin(function.operation.regions[0].blocks[0]):
        if any(use.owner.operation.name.startswith("vector.") for use in op.results[0].uses):
            bytes_ = ir.MemRefType.get([_padded(type_, alignment)], ir.IntegerType.get_signless(8))
            whole = memref.alloca(bytes_, [], [], alignment=alignment)
            slot = memref.view(type_, whole, arith.constant(ir.IndexType.get(), 0), [])
        else:
            slot = memref.alloca(type_, [], [], alignment=alignment)
    op.results[0].replace_all_uses_with(slot)
    op.erase()


def _lower_alloc(module: ir.Module, op: ir.Operation, alignment: int) -> ir.Value:
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
                       else arith.constant(ir.IndexType.get(), _padded(type_, alignment)))
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


def _makes_pointer(op: ir.Operation) -> bool:
    return isinstance(op.results[0].type, ir.MemRefType) and isinstance(op.operands[0].type, ir.IntegerType)


def _lower_pointer(module: ir.Module, op: ir.Operation) -> ir.Value:
    """The memory at an integer address; it may be any other buffer."""
    type_, raw = ir.MemRefType(op.results[0].type), _raw_type()
    if not _declared(module, INTEGER_TO_POINTER):
        with ir.InsertionPoint.at_block_begin(module.body):
            func.FuncOp(INTEGER_TO_POINTER, ([op.operands[0].type], [raw]), visibility="private")
    pointer = func.CallOp([raw], ir.FlatSymbolRefAttr.get(INTEGER_TO_POINTER), [op.operands[0]]).result
    return memref.view(type_, _resized(pointer, known_bytes(type_)), arith.constant(ir.IndexType.get(), 0), [])


def _lower_slot(module: ir.Module, op: ir.Operation) -> ir.Value:
    """A slot of the arena through a function that promises LLVM that its result aliases nothing."""
    raw = _raw_type()
    _declare(module, TCM_SLOT_POINTER, [ir.IndexType.get()], [raw])
    start = memref.extract_aligned_pointer_as_index(op.operands[0])
    pointer = func.CallOp([raw], ir.FlatSymbolRefAttr.get(TCM_SLOT_POINTER), [arith.addi(start, op.operands[1])]).result
    return _resized(pointer, ir.MemRefType(op.results[0].type).shape[0])


def _resized(pointer: ir.Value, size: int) -> ir.Value:
    """The ``size`` bytes at ``pointer``."""
    type_ = ir.MemRefType.get([size], ir.IntegerType.get_signless(8))
    return memref.ReinterpretCastOp(type_, pointer, [], [], [], [0], [size], [1]).result


def _padded(type_: ir.MemRefType, vector_bytes: int) -> int:
    """Bytes to ask for: one vector more, so that a masked access at the end stays inside the object.

    LLVM takes the lanes that are masked off as accessed: when that exceeds an object whose size it knows, it
    concludes that the access cannot touch the object, and moves loads of it above the store.
    """
    return known_bytes(type_) + vector_bytes


def _lower_free(module: ir.Module, op: ir.Operation) -> None:
    type_ = ir.MemRefType(op.operands[0].type)
    symbol = TCM_FREE if in_tcm(type_) else DDR_FREE
    _declare(module, symbol, [ir.IndexType.get()], [])
    address = memref.extract_aligned_pointer_as_index(op.operands[0])
    func.CallOp([], ir.FlatSymbolRefAttr.get(symbol), [address])


def _drop_spaces(module: ir.Module) -> None:
    """Set every memref type to space 0. Types only: the operations mean the same."""

    advance = ir.WalkResult.ADVANCE
    known: dict[ir.Type, ir.Type] = {}

    def plain(type_: ir.Type) -> ir.Type:
        if type_ not in known:
            moves = isinstance(type_, ir.MemRefType) and in_tcm(type_)
            known[type_] = ir.MemRefType.get(type_.shape, type_.element_type, type_.layout) if moves else type_
        return known[type_]

    def visit(op: ir.Operation) -> ir.WalkResult:
        for result in op.results:
            old = result.type
            new = plain(old)
            if new != old:
                result.set_type(new)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_type(plain(argument.type))
        if op.name == "func.func":
            type_ = ir.FunctionType(op.attributes["function_type"].value)
            new = ir.FunctionType.get([plain(t) for t in type_.inputs], [plain(t) for t in type_.results])
            op.attributes["function_type"] = ir.TypeAttr.get(new)
        return advance

    module.operation.walk(visit)


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
    """Declare that the result aliases nothing: lets LLVM reorder accesses to different buffers."""
    function.attributes["res_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})])


def _raw_type() -> ir.MemRefType:
    """What the runtime returns: a bare pointer, as a one-byte buffer."""
    return ir.MemRefType.get([1], ir.IntegerType.get_signless(8))
