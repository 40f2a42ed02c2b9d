"""Tensors in TCM: copies and uninitialised ones."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import bufferization, ir
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
