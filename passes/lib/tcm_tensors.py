"""Tensors in TCM: copies and uninitialised ones."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import bufferization, ir, tensor
from hexagon_mlir.ir.query import TCM_SPACE, memory_space


def copy_to(value: ir.Value, space: int) -> ir.Value:
    """A copy of tensor ``value`` in memory ``space``."""
    return bufferization.AllocTensorOp(value.type, [], copy=value, memory_space=memory_space(space)).result


def tcm_copy(value: ir.Value) -> ir.Value:
    """A copy of tensor ``value`` in TCM."""
    return copy_to(value, TCM_SPACE)


def tcm_tensor(shape: Sequence[int], element: ir.Type, sizes: Sequence[ir.Value] = ()) -> ir.Value:
    """An uninitialised tensor in TCM; ``sizes`` are those of its dynamic dimensions."""
    return bufferization.AllocTensorOp(ir.RankedTensorType.get(shape, element), sizes,
                                       memory_space=memory_space(TCM_SPACE)).result


def empty(shape: Sequence[int], element: ir.Type, in_tcm: bool) -> ir.Value:
    """An uninitialised tensor, in TCM or wherever a later pass decides."""
    return tcm_tensor(shape, element) if in_tcm else tensor.empty(shape, element)


def is_in_tcm(value: ir.Value) -> bool:
    """True for a tensor that is allocated in TCM, or written by a linalg op to such a tensor, and a part of one."""
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.operation
    if op.name == "tensor.extract_slice":
        return is_in_tcm(op.operands[0])
    if op.name == "bufferization.alloc_tensor":
        return "memory_space" in op.attributes and op.attributes["memory_space"] == memory_space(TCM_SPACE)
    return op.name.startswith("linalg.") and is_in_tcm(op.operands[len(op.operands) - 1])
