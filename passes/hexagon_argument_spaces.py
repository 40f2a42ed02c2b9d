"""Buffers that a kernel's caller has in TCM are of its memory space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import assume_alignment, set_space
from hexagon_mlir.ir.query import TCM_SPACE, functions
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.tcm_arguments import checked_arguments


@dataclass(frozen=True)
class HexagonArgumentSpacesPass(Pass):
    """Puts the arguments that a kernel's caller has in TCM into memory space 1, with their views.

    Bufferization makes all arguments of a function buffers in DDR. ``hexagon.in_tcm`` has the numbers of those in TCM.
    They begin at whole vectors there, as tensors of users in DDR need not.

    Before:
        func.func @f(%x: memref<64xf32>, %y: memref<64xf32>) attributes {hexagon.in_tcm = array<i64: 0>} {
          linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
          return
        }

    After:
        func.func @f(%x: memref<64xf32, 1>, %y: memref<64xf32>) attributes {hexagon.in_tcm = array<i64: 0>} {
          %a = memref.assume_alignment %x, 128 : memref<64xf32, 1>
          linalg.exp ins(%a : memref<64xf32, 1>) outs(%y : memref<64xf32>)
          return
        }

    Options:
        none

    Refuses (an error): a number that is not that of a buffer.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-argument-spaces"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Change the types of each function's arguments."""
        for function in functions(module):
            numbers = checked_arguments(function, self)
            if not numbers:
                continue
            arguments = list(function.regions[0].blocks[0].arguments)
            for number in numbers:
                set_space(arguments[number], TCM_SPACE)
                _align(arguments[number], function, int(context.target.vector_bytes.value))
            results = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value).results
            function.attributes["function_type"] = ir.TypeAttr.get(
                ir.FunctionType.get([argument.type for argument in arguments], results))


def _align(argument: ir.Value, function: ir.Operation, nbytes: int) -> None:
    """Let all that uses ``argument`` know that its address is a multiple of ``nbytes``."""
    uses = list(argument.uses)
    with function.location, ir.InsertionPoint.at_block_begin(function.regions[0].blocks[0]):
        aligned = assume_alignment(argument, nbytes)
    for use in uses:
        use.owner.operation.operands[use.operand_number] = aligned
