"""Views buffers of i1, which are a byte each, as buffers of i8: HVX loads no single bits."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.lib.loop_nests import split_operands


def bits_as_bytes(op: ir.Operation) -> None:
    """Let ``op``, a linalg.generic on buffers, access i8 where it accesses i1."""
    inputs, outputs = split_operands(op)
    block = op.regions[0].blocks[0]
    i8, i32 = ir.IntegerType.get_signless(8), ir.IntegerType.get_signless(32)
    for number, value in enumerate((*inputs, *outputs)):
        if not isinstance(value.type, ir.MemRefType) or not _is_bit(value.type.element_type):
            continue
        argument, type_ = block.arguments[number], ir.MemRefType(value.type)
        with op.location:
            with ir.InsertionPoint(op):
                op.operands[number] = ir.Operation.create(
                    "builtin.unrealized_conversion_cast", operands=[value],
                    results=[ir.MemRefType.get(type_.shape, i8, type_.layout, type_.memory_space)]).result
            read = any(True for _ in argument.uses)
            argument.set_type(i8)
            if read:
                with ir.InsertionPoint.at_block_begin(block):
                    word = arith.extui(i32, argument)
                    bit = arith.cmpi(arith.CmpIPredicate.ne, word, arith.constant(i32, 0))
                argument.replace_all_uses_except(bit, word.owner.operation)
            if number >= len(inputs):
                end = block.operations[len(block.operations) - 1].operation
                with ir.InsertionPoint(end):
                    place = number - len(inputs)
                    end.operands[place] = arith.extui(i8, end.operands[place])


def _is_bit(element: ir.Type) -> bool:
    return isinstance(element, ir.IntegerType) and element.width == 1
