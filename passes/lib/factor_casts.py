"""Factors of products that are matrices of fewer bits, widened element by element."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
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


def narrow_in_any_order(value: ir.Value, map_: ir.AffineMap) -> tuple[ir.Value, ir.AffineMap] | None:
    """The tensor whose elements, extended to a wider type and maybe transposed, are those of ``value``, which ``map_``
    indexes; what indexes it. None if there is none.
    """
    op = value.owner.operation if not isinstance(value.owner, ir.Block) else None
    if op is None or op.name != "linalg.generic" or len(op.operands) != 2 or input_count(op) != 1:
        return None
    order, place = (ir.AffineMapAttr(each).value for each in indexing_maps(op) or ())
    if not order.is_permutation or place != ir.AffineMap.get_identity(place.n_dims) or _last(op) is None:
        return None
    body = op.regions[0].blocks[0]
    if len(list(body.operations)) != _OPERATIONS or body.operations[0].operands[0] != body.arguments[0]:
        return None
    return op.operands[0], ir.AffineMap.get(map_.n_dims, 0, [each.compose(map_) for each in order.results])


def computes_extended(value: ir.Value) -> ir.Type | None:
    """The type that a parallel linalg.generic which makes ``value`` extends each element from, as its last step; None
    for anything else."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "linalg.generic":
        return None
    op = value.owner.operation
    parallel = all("parallel" in str(kind) for kind in op.attributes["iterator_types"])
    body = op.regions[0].blocks[0]
    unread = not any(True for _ in body.arguments[len(body.arguments) - 1].uses)
    last = _last(op)
    return last.operands[0].type if last is not None and parallel and unread and len(op.results) == 1 else None


def without_extension(value: ir.Value) -> ir.Value:
    """``value``, of which `computes_extended` is a type, before its elements are extended: a tensor of that type,
    computed at the insertion point."""
    op = value.owner.operation
    last, type_ = _last(op), ir.RankedTensorType(value.type)
    assert last is not None
    short = last.operands[0]
    *inputs, _ = op.operands
    block = op.regions[0].blocks[0]

    def body(given: Sequence[ir.Value]) -> ir.Value:
        mapping = dict(zip(block.arguments, given, strict=True))
        for view in block.operations:
            if view.operation not in (last, block.operations[len(block.operations) - 1].operation):
                clone(view.operation, mapping)
        return mapping.get(short, short)

    maps = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ()]
    return generic(inputs, tensor.empty(type_.shape, short.type), maps, ["parallel"] * type_.rank, body)


def _last(op: ir.Operation) -> ir.Operation | None:
    """The arith.extf of the body of ``op`` whose result it yields."""
    end = list(op.regions[0].blocks[0].operations)[-1].operation
    made = end.operands[0].owner
    if isinstance(made, ir.Block) or made.operation.name != "arith.extf":
        return None
    return made.operation if made.operation.block == end.block else None
