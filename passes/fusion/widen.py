"""Hoists widening casts of contraction operands out of the contraction: they would run once per multiplication."""

from __future__ import annotations

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.query import input_count

_WIDENING = frozenset({"arith.extf", "arith.extsi", "arith.extui"})
_PRODUCTS = frozenset({"arith.mulf", "arith.muli"})
_MULTIPLIED = frozenset({"f16", "i8", "i16"})
"""Elements that HVX multiplies into wider products."""


def hoist_casts(op: ir.Operation, paired: bool) -> bool:
    """Give contraction ``op`` operands already widened; True when it changed. Static shapes only.

    Unless ``paired``, a product of two narrow factors that HVX multiplies directly keeps its casts.
    """
    if not is_contraction(op) or (not paired and _multiplies_narrow(op)):
        return False
    changed = False
    for position in range(input_count(op)):
        cast = _only_cast(op, position)
        if cast is not None and ir.RankedTensorType(op.operands[position].type).has_static_shape:
            _widen(op, position, cast)
            changed = True
    return changed


def is_contraction(op: ir.Operation) -> bool:
    """A reduction over loops that some input does not share: its inputs are read more than once."""
    if all("parallel" in str(i) for i in op.attributes["iterator_types"]):
        return False
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    return any(len(m.results) < m.n_dims for m in maps[: input_count(op)]) and input_count(op) > 1


def _multiplies_narrow(op: ir.Operation) -> bool:
    """True when the body multiplies two widened arguments of one type that HVX multiplies."""
    for product in op.regions[0].blocks[0].operations:
        if product.operation.name not in _PRODUCTS:
            continue
        makers = [v.owner.operation for v in product.operation.operands if not isinstance(v.owner, ir.Block)]
        types = {str(m.operands[0].type) for m in makers if m.name in _WIDENING}
        if len(makers) == 2 and len(types) == 1 and types <= _MULTIPLIED:
            return True
    return False


def _only_cast(op: ir.Operation, position: int) -> ir.Operation | None:
    """The widening cast of body argument ``position`` if it is the argument's only user, else None."""
    uses = list(op.regions[0].blocks[0].arguments[position].uses)
    if len(uses) != 1 or uses[0].owner.operation.name not in _WIDENING:
        return None
    return uses[0].owner.operation if isinstance(op.operands[position].type, ir.RankedTensorType) else None


def _widen(op: ir.Operation, position: int, cast: ir.Operation) -> None:
    source = op.operands[position]
    wide = cast.results[0].type
    shape = ir.RankedTensorType(source.type).shape
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(len(shape)))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    with ir.InsertionPoint(op), op.location:
        empty = tensor.empty(shape, wide)
        generic = ir.Operation.create(
            "linalg.generic", results=[empty.type], operands=[source, empty], regions=1, loc=cast.location,
            attributes={
                "indexing_maps": ir.ArrayAttr.get([identity, identity]),
                "iterator_types": ir.ArrayAttr.get([parallel] * len(shape)),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1]),
            })
        body = generic.regions[0].blocks.append(ir.RankedTensorType(source.type).element_type, wide)
        with ir.InsertionPoint(body):
            value = ir.Operation.create(cast.name, results=[wide], operands=[body.arguments[0]]).result
            ir.Operation.create("linalg.yield", operands=[value])
    op.operands[position] = generic.result
    argument = op.regions[0].blocks[0].arguments[position]
    argument.set_type(wide)
    cast.results[0].replace_all_uses_with(argument)
    cast.erase()
