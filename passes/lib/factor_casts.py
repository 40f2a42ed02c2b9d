"""Factors of products that are matrices of fewer bits, widened element by element."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_OPERATIONS = 2


def narrow(value: ir.Value) -> ir.Value:
    """The tensor whose elements, extended to a wider type, are those of ``value``; ``value`` itself if there is none.
    """
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "linalg.generic":
        return value
    op = value.owner.operation
    maps, body = indexing_maps(op), list(op.regions[0].blocks[0].operations)
    if maps is None or len(maps) != 2 or input_count(op) != 1 or maps[0] != maps[1] or len(body) != _OPERATIONS:
        return value
    if ir.AffineMapAttr(maps[0]).value != ir.AffineMap.get_identity(ir.RankedTensorType(value.type).rank):
        return value
    cast, end = (view.operation for view in body)
    argument = op.regions[0].blocks[0].arguments[0]
    extends = (cast.name == "arith.extf" and cast.operands[0] == argument
               and end.operands[0] == cast.results[0])
    return op.operands[0] if extends else value
