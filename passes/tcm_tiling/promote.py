"""Copies the operands of a tiled op into TCM and computes its result there."""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.ir import arith, bufferization, ir, tensor
from hexagon_mlir.ir.query import DDR_SPACE, TCM_SPACE, find_ops, memory_space


def promote(op: ir.Operation, wanted: Callable[[ir.Operation, int], bool]) -> None:
    """Give each operand that is ``wanted`` a buffer in TCM: inputs by copy, outputs by copy only if read."""
    inputs = len(op.operands) - len(op.results)  # outputs follow them, one for each result
    body = op.regions[0].blocks[0]
    copies: dict[ir.Value, ir.Value] = {}
    with op.location, ir.InsertionPoint(op):
        for position, value in enumerate(list(op.operands)):
            if not wanted(op, position):
                continue
            read = position < inputs or any(True for _ in body.arguments[position].uses)
            if position >= inputs:  # an output gets a buffer of its own
                op.operands[position] = tcm_copy(value) if read else tcm_empty(value)
                continue
            if value not in copies:
                copies[value] = tcm_copy(value)
            op.operands[position] = copies[value]


def return_from_tcm(module: ir.Module) -> None:
    """Copy each returned tensor that was computed in TCM to DDR: callers see DDR only."""

    for op in find_ops(module, lambda op: op.name == "func.return"):
        for position, value in enumerate(op.operands):
            if isinstance(value.type, ir.RankedTensorType) and _computed_in_tcm(value):
                with op.location, ir.InsertionPoint(op):
                    op.operands[position] = bufferization.AllocTensorOp(
                        value.type, [], copy=value, memory_space=memory_space(DDR_SPACE)).result


def _computed_in_tcm(value: ir.Value) -> bool:
    while isinstance(value.owner, ir.OpView) and value.owner.operation.name.startswith("linalg."):
        outputs = len(value.owner.operation.results)
        value = value.owner.operation.operands[len(value.owner.operation.operands) - outputs
                                               + ir.OpResult(value).result_number]
    if not isinstance(value.owner, ir.OpView) or value.owner.operation.name != "bufferization.alloc_tensor":
        return False
    return "memory_space" in value.owner.operation.attributes


def tcm_copy(value: ir.Value) -> ir.Value:
    """``value`` copied into a new TCM buffer."""
    return bufferization.AllocTensorOp(value.type, [], copy=value, memory_space=memory_space(TCM_SPACE)).result


def tcm_empty(value: ir.Value) -> ir.Value:
    """An uninitialised TCM buffer with the type (and sizes) of ``value``."""
    type_ = ir.RankedTensorType(value.type)
    sizes = [tensor.dim(value, arith.constant(ir.IndexType.get(), d)) for d in range(type_.rank)
             if type_.is_dynamic_dim(d)]
    return bufferization.AllocTensorOp(value.type, sizes, memory_space=memory_space(TCM_SPACE)).result
