"""Replaces read-only arguments as destinations of ops that overwrite them: bufferization would copy their contents."""

from __future__ import annotations

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.tcm_tiling.groups import linalg_ops

_WRITABLE = "bufferization.writable"


def forget_overwritten(function: ir.Operation) -> None:
    """Give elementwise ops whose destination is a read-only argument that they overwrite entirely an empty
    destination."""
    if "arg_attrs" not in function.attributes:
        return
    marks = [{named.name: named.attr for named in a} for a in ir.ArrayAttr(function.attributes["arg_attrs"])]
    for op in linalg_ops(function):
        start = op.operands[len(op.operands) - 1]
        if not isinstance(start.owner, ir.Block) or start.owner != function.regions[0].blocks[0] or len(op.results) > 1:
            continue
        writable = marks[ir.BlockArgument(start).arg_number].get(_WRITABLE)
        type_ = ir.RankedTensorType(start.type)
        if writable is None or ir.BoolAttr(writable).value or not type_.has_static_shape or not _overwrites(op):
            continue
        with op.location, ir.InsertionPoint(op):
            op.operands[len(op.operands) - 1] = tensor.empty(type_.shape, type_.element_type)


def _overwrites(op: ir.Operation) -> bool:
    """True when ``op`` has a loop for each dimension of its output, and does not read its old value."""
    maps = indexing_maps(op)
    if maps is None or len(list(op.regions[0].blocks[0].arguments[-1].uses)):
        return False
    output = ir.AffineMapAttr(maps[len(maps) - 1]).value
    return output.is_permutation
