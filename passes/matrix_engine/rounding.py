"""Sums of a product that no epilogue reads, but operations that round them to f16 first: rounded once instead."""

from __future__ import annotations

from dataclasses import replace

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.lib.engine_tiles import rounding
from hexagon_mlir.passes.matrix_engine.read import Matmul


def round_once(matmul: Matmul) -> Matmul:
    """``matmul`` with an epilogue that rounds its f32 sums; the ops that read and round them read its result.

    As it is where it has an epilogue, or its sums are of f16 or are read as f32.
    """
    if matmul.epilogue is not None or matmul.in_f32 or isinstance(matmul.element, ir.F16Type):
        return matmul
    sums = matmul.op.results[0]
    type_ = ir.RankedTensorType(sums.type)
    uses = [(use.owner.operation, use.operand_number) for use in sums.uses]
    with matmul.op.location, ir.InsertionPoint.after(matmul.op):
        epilogue = rounding(sums, tensor.empty(type_.shape, ir.F16Type.get()))
    for user, number in uses:
        user.operands[number] = epilogue.results[0]
        argument = user.regions[0].blocks[0].arguments[number]
        casts = [use.owner.operation for use in argument.uses]
        argument.set_type(ir.F16Type.get())
        for cast in casts:
            cast.results[0].replace_all_uses_with(argument)
            cast.erase()
    return replace(matmul, epilogue=epilogue)
