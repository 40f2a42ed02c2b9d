"""TCM and DDR allocations to runtime calls; one address space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.tcm_slots import SLOT, is_slot
from hexagon_mlir.ir import INDEX_BITS, erase_op, ir
from hexagon_mlir.ir.query import functions, in_tcm, known_bytes, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.memory_lowering.runtime_calls import lower_alloc, lower_free, lower_pointer, lower_slot
from hexagon_mlir.passes.memory_lowering.stack_slots import fits_stack, to_stack

_ALLOCATION, _RELEASE, _CAST = "memref.alloc", "memref.dealloc", "builtin.unrealized_conversion_cast"
_LARGEST = (1 << INDEX_BITS - 1) - 1  # LLVM takes offsets for signed
_NUMBERS = ("arith.", "math.", "vector.")  # dialects whose operations make no buffers, but for a few
_BUFFERS_TOO = frozenset({"arith.select", "vector.type_cast"})
_STACK_SHARE = 16  # a stack buffer takes at most this fraction of the L1 data cache


@dataclass(frozen=True)
class HexagonMemoryLoweringPass(Pass):
    """Turns memref.alloc and memref.dealloc into runtime calls and merges TCM (memory space 1) into space 0.

    A cast of an i64 to a pointer becomes a runtime call too, which lets the simulator find the memory that it points
    to.

    Small DDR buffers that are only loaded and stored become stack slots, which LLVM keeps in registers. So do buffers
    that are passed to functions which do not capture them (``llvm.nocapture``).

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
        symbols = ir.SymbolTable(module.operation)
        small = [op for op in allocations if fits_stack(op, stack_limit, symbols)]
        for op in small:
            to_stack(op, alignment)
        for op in ops_named(module, _RELEASE):
            with op.location, ir.InsertionPoint(op):
                lower_free(module, op)
            erase_op(op, self.name)
        for op in [op for op in ops_named(module, _CAST) if _makes_pointer(op)]:
            with op.location, ir.InsertionPoint(op):
                pointer = lower_pointer(module, op)
            op.results[0].replace_all_uses_with(pointer)
            erase_op(op, self.name)
        for op in slots:
            with op.location, ir.InsertionPoint(op):
                slot = lower_slot(module, op)
            op.results[0].replace_all_uses_with(slot)
            erase_op(op, self.name)
        for op in ops_named(module, _ALLOCATION):
            with op.location, ir.InsertionPoint(op):
                buffer = lower_alloc(module, op, alignment)
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


def _makes_pointer(op: ir.Operation) -> bool:
    return isinstance(op.results[0].type, ir.MemRefType) and isinstance(op.operands[0].type, ir.IntegerType)


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
        name = op.name
        if name.startswith(_NUMBERS) and name not in _BUFFERS_TOO:
            return advance
        for result in op.results:
            old = result.type
            new = plain(old)
            if new != old:
                result.set_type(new)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_type(plain(argument.type))
        if name == "func.func":
            type_ = ir.FunctionType(op.attributes["function_type"].value)
            new = ir.FunctionType.get([plain(t) for t in type_.inputs], [plain(t) for t in type_.results])
            op.attributes["function_type"] = ir.TypeAttr.get(new)
        return advance

    module.operation.walk(visit)
