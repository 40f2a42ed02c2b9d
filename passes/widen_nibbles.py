"""Integers of 4 bits to bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS, NIBBLES_PER_BYTE
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.make import cast
from hexagon_mlir.ir.query import functions, input_count, names_of, ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.lib.constant_factors import retype
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type
from hexagon_mlir.passes.lib.engine_nibbles import unpacked

_SIGNED, _UNSIGNED = ("arith.extsi", "arith.sitofp"), ("arith.extui", "arith.uitofp")


@dataclass(frozen=True)
class WidenNibblesPass(Pass):
    """Makes bytes of integers of 4 bits: in memory they are two in a byte, and all arithmetic is of bytes.

    An argument of i4 becomes one of bytes with half the columns: elements 2 i and 2 i + 1 of a row are the lower and
    the upper half of byte i. Operations that extend elements of 4 bits, with their sign or without, extend bytes;
    constants fold to bytes.

    Before:
        func.func @f(%a: tensor<4x6xi4>) -> tensor<4x6xi32> {
          %0 = arith.extsi %a : tensor<4x6xi4> to tensor<4x6xi32>
          return %0 : tensor<4x6xi32>
        }

    After:
        #map = affine_map<(d0, d1, d2) -> (d0, d1)>
        #map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
        func.func @f(%arg0: tensor<4x3xi8>) -> tensor<4x6xi32> {
          %c4_i8 = arith.constant 4 : i8
          %0 = tensor.empty() : tensor<4x3x2xi8>
          %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]}
              ins(%arg0 : tensor<4x3xi8>) outs(%0 : tensor<4x3x2xi8>) {
          ^bb0(%in: i8, %out: i8):
            %3 = linalg.index 2 : index
            %4 = arith.index_cast %3 : index to i8
            %5 = arith.muli %4, %c4_i8 : i8
            %6 = arith.subi %c4_i8, %5 : i8
            %7 = arith.shli %in, %6 : i8
            %8 = arith.shrsi %7, %c4_i8 : i8
            linalg.yield %8 : i8
          } -> tensor<4x3x2xi8>
          %collapsed = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<4x3x2xi8> into tensor<4x6xi8>
          %2 = arith.extsi %collapsed : tensor<4x6xi8> to tensor<4x6xi32>
          return %2 : tensor<4x6xi32>
        }

    Options: none.

    Refuses: nothing; it leaves alone elements of 4 bits that are read other than by an extension, arguments of
    functions that are called, and arguments whose rows have an odd number of elements or a number that is known at
    run time only.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "widen-nibbles"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (CLEAN,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Widen the factors and the arguments of ``module``."""
        changed = any(_is_nibbles(op.results[0]) for op in ops_named(module, "arith.constant"))  # their extensions fold
        for op in ops_named(module, *names_of("linalg")):
            for number in range(input_count(op)):
                changed |= _widen_input(op, number)
        called = {ir.FlatSymbolRefAttr(call.attributes["callee"]).value for call in ops_named(module, "func.call")}
        for function in functions(module):
            if ir.StringAttr(function.attributes["sym_name"]).value not in called and len(function.regions[0].blocks):
                changed |= self._widen_arguments(function)
        if changed:
            CLEAN.run(module, context)

    def _widen_arguments(self, function: ir.Operation) -> bool:
        """Whether an argument of ``function`` has two elements in a byte now."""
        found = [argument for argument in function.regions[0].blocks[0].arguments if _can_be_packed(argument)]
        for argument in found:
            extensions = [use.owner.operation for use in argument.uses]
            *outer, columns = ir.RankedTensorType(argument.type).shape
            argument.set_type(ir.RankedTensorType.get([*outer, columns // NIBBLES_PER_BYTE], byte_type()))
            for extension in extensions:
                with extension.location, ir.InsertionPoint(extension):
                    wide = unpacked(argument, len(outer), extension.name in _SIGNED)
                    result = extension.results[0].type
                    extension.results[0].replace_all_uses_with(
                        wide if wide.type == result else cast(extension.name, result, wide))
                erase_op(extension, self.name)
        if found:
            retype(function)
        return bool(found)


def _is_nibbles(value: ir.Value) -> bool:
    """Whether ``value`` is a tensor of integers of 4 bits."""
    if not isinstance(value.type, ir.RankedTensorType):
        return False
    element = ir.RankedTensorType(value.type).element_type
    return isinstance(element, ir.IntegerType) and element.width == NIBBLE_BITS


def _widen_input(op: ir.Operation, number: int) -> bool:
    """Whether input ``number`` of linalg op ``op`` is bytes now, of an extension before it."""
    if not (_is_nibbles(op.operands[number]) and len(op.regions)):  # linalg.yield, softmax and pack have no region
        return False
    argument = op.regions[0].blocks[0].arguments[number]
    readers = [use.owner.operation for use in argument.uses]
    signed = {reader.name in _SIGNED for reader in readers}
    if len(signed) != 1 or any(reader.name not in (*_SIGNED, *_UNSIGNED) for reader in readers):
        return False
    shape = ir.RankedTensorType(op.operands[number].type).shape
    with op.location, ir.InsertionPoint(op):
        op.operands[number] = cast("arith.extsi" if signed == {True} else "arith.extui",
                                   ir.RankedTensorType.get(shape, byte_type()), op.operands[number])
    argument.set_type(byte_type())
    for reader in readers:
        if reader.results[0].type == byte_type():
            reader.results[0].replace_all_uses_with(argument)
            erase_op(reader, WidenNibblesPass.name)
    return True


def _can_be_packed(argument: ir.BlockArgument) -> bool:
    """Whether ``argument`` is nibbles that are only extended, in rows of whole bytes."""
    if not _is_nibbles(argument):
        return False
    type_ = ir.RankedTensorType(argument.type)
    extended = all(use.owner.operation.name in (*_SIGNED, *_UNSIGNED) for use in argument.uses)
    return extended and type_.rank > 0 and type_.has_static_shape and type_.shape[-1] % NIBBLES_PER_BYTE == 0
