"""Rows that fill up an argument in TCM follow it there."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.dialects.kernel_memory import IN_TCM, padded_elements
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.buffers import VIEWS, is_contiguous, root_buffer, uses_of_buffer
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.query import functions, in_tcm, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.tcm_arguments import checked_arguments


@dataclass(frozen=True)
class ExtendTcmArgumentsPass(Pass):
    """Uses an argument in TCM, with the memory after it, in place of a copy that is filled up with more rows.

    The matrix engine computes on tiles of rows: a left factor is copied to a buffer with more rows, the last of which
    are zeros. A caller that has an argument in TCM leaves room for these rows after it (`padded_elements` in
    dialects/kernel_memory.py), so that they are written there: ``hexagon.in_tcm`` says which arguments have it.

    Before:
        func.func @f(%x: memref<30x64xf16, 1>, %y: memref<32x64xf16, 1>, %zero: f16)
            attributes {hexagon.in_tcm = array<i64: 0, 1>} {
          %a = memref.alloc() : memref<32x64xf16, 1>
          %head = memref.subview %a[0, 0] [30, 64] [1, 1]
            : memref<32x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
          memref.copy %x, %head : memref<30x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
          %tail = memref.subview %a[30, 0] [2, 64] [1, 1]
            : memref<32x64xf16, 1> to memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>
          linalg.fill ins(%zero : f16) outs(%tail : memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>)
          linalg.exp ins(%a : memref<32x64xf16, 1>) outs(%y : memref<32x64xf16, 1>)
          return
        }

    After:
        func.func @f(%x: memref<30x64xf16, 1>, %y: memref<32x64xf16, 1>, %zero: f16) {
          %a = memref.reinterpret_cast %x to offset: [0], sizes: [32, 64], strides: [64, 1]
            : memref<30x64xf16, 1> to memref<32x64xf16, 1>
          %head = memref.subview %a[0, 0] [30, 64] [1, 1]
            : memref<32x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
          %tail = memref.subview %a[30, 0] [2, 64] [1, 1]
            : memref<32x64xf16, 1> to memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>
          linalg.fill ins(%zero : f16) outs(%tail : memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>)
          linalg.exp ins(%a : memref<32x64xf16, 1>) outs(%y : memref<32x64xf16, 1>)
          return
        }

    Options:
        none

    Refuses (an error): numbers of no buffer. Copies of a part of an argument, those with more rows than there is room
    for, and those that are changed stay.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "extend-tcm-arguments"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at each copy of an argument in TCM."""
        for function in functions(module):
            numbers = checked_arguments(function, self)
            if not numbers:
                continue
            arguments = [function.regions[0].blocks[0].arguments[number] for number in numbers]
            for copy in ops_named(function, "memref.copy"):
                argument, whole = root_buffer(copy.operands[0]), root_buffer(copy.operands[1])
                if argument in arguments and _extends(copy, argument, whole):
                    _replace(copy, argument, whole, self.name)
            del function.attributes[IN_TCM]


def _extends(copy: ir.Operation, argument: ir.Value, whole: ir.Value) -> bool:
    """Whether ``copy`` begins the buffer ``whole`` with all of ``argument``, which nothing writes, and all else that is
    written to ``whole`` is after that."""
    made = whole.owner
    if isinstance(made, ir.Block) or made.operation.name != "memref.alloc" or made.operation.block != copy.block:
        return False  # a copy in a loop begins the buffer anew
    source, target = (ir.MemRefType(value.type) for value in copy.operands)
    given, buffer = ir.MemRefType(argument.type), ir.MemRefType(whole.type)
    if not (in_tcm(buffer) and all(type_.has_static_shape for type_ in (source, target, given, buffer))):
        return False
    size = prod(given.shape)
    if not (prod(source.shape) == size and is_contiguous(source) and is_contiguous(target) and is_contiguous(buffer)
            and size <= prod(buffer.shape) <= padded_elements(given.shape)):
        return False
    if any(map(_may_write, uses_of_buffer(argument))):  # other padding, of a copy before
        return False
    writes = [use for use in uses_of_buffer(whole) if use.owner.operation != copy and _may_write(use)]
    return all(_starts_after(use.owner.operation.operands[use.operand_number], size) for use in writes)


def _may_write(use: ir.OpOperand) -> bool:
    """Whether the op of ``use`` may write the buffer. Those that are known write their last operand."""
    op = use.owner.operation
    if (op.name in VIEWS and use.operand_number == 0) or op.name == "memref.dealloc":
        return False
    known = op.name.startswith("linalg.") or op.name in ("memref.copy", ENGINE_PRODUCT)
    return not known or use.operand_number == len(op.operands) - 1


def _starts_after(view: ir.Value, size: int) -> bool:
    """Whether ``view`` of a contiguous buffer begins at least ``size`` elements after its start."""
    offset = ir.MemRefType(view.type).get_strides_and_offset()[1]
    return offset != ir.ShapedType.get_dynamic_stride_or_offset() and offset >= size


def _replace(copy: ir.Operation, argument: ir.Value, whole: ir.Value, origin: str) -> None:
    """Let all that reads ``whole`` read ``argument`` and what follows it."""
    made, type_ = whole.owner.operation, ir.MemRefType(whole.type)
    shape = list(type_.shape)
    with made.location, ir.InsertionPoint(made):
        strides = [prod(shape[dim + 1:]) for dim in range(len(shape))]
        places = {"static_offsets": [0], "static_sizes": shape, "static_strides": strides}
        extended = ir.Operation.create(
            "memref.reinterpret_cast", results=[type_], operands=[argument],
            attributes={**{name: ir.DenseI64ArrayAttr.get(values) for name, values in places.items()},
                        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0, 0])}).results[0]
    for dealloc in [use.owner.operation for use in whole.uses if use.owner.operation.name == "memref.dealloc"]:
        erase_op(dealloc, origin)
    whole.replace_all_uses_with(extended)
    erase_op(copy, origin)
    erase_op(made, origin)
