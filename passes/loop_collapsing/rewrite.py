"""Collapses loops of one linalg.generic: its operands are collapsed before it, its results expanded after it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import index

_DYNAMIC = ir.ShapedType.get_dynamic_size()
Groups = list[list[int]]
"""Numbers of loops or dimensions that become one."""


def collapse_op(op: ir.Operation, loops: Groups, dims: Sequence[Groups]) -> list[ir.Value]:
    """Replace ``op`` by one with a loop for each group of ``loops``; ``dims`` are the groups of each operand. Gives its
    results in their old shapes: an op that is collapsed later reads the new ones."""
    number = {loop: new for new, group in enumerate(loops) for loop in group}
    maps = [ir.AffineMapAttr(attribute).value for attribute in ir.ArrayAttr(op.attributes["indexing_maps"])]
    kinds = list(ir.ArrayAttr(op.attributes["iterator_types"]))
    collapsed = [ir.AffineMapAttr.get(ir.AffineMap.get(len(loops), 0, [
        ir.AffineDimExpr.get(number[map_.results[group[0]].position]) for group in groups]))
        for map_, groups in zip(maps, dims, strict=True)]
    outputs = range(len(op.operands) - len(op.results), len(op.operands))
    with op.location, ir.InsertionPoint(op):
        operands = [_collapse(value, groups) for value, groups in zip(op.operands, dims, strict=True)]
        new = ir.Operation.create("linalg.generic", results=[operands[at].type for at in outputs], regions=1,
                                  operands=operands, attributes={
            "indexing_maps": ir.ArrayAttr.get(collapsed),
            "iterator_types": ir.ArrayAttr.get([kinds[group[0]] for group in loops]),
            "operandSegmentSizes": op.attributes["operandSegmentSizes"]})
        op.regions[0].blocks[0].append_to(new.regions[0])
        expanded = [_expand(result, op.operands[at], dims[at]) for result, at in zip(new.results, outputs, strict=True)]
    for result, value in zip(op.results, expanded, strict=True):
        result.replace_all_uses_with(value)
    op.erase()
    return expanded


def _collapse(value: ir.Value, groups: Groups) -> ir.Value:
    """``value`` with one dimension for each of ``groups``."""
    if all(len(group) == 1 for group in groups):
        return value
    type_ = ir.RankedTensorType(value.type)
    shape = [_product([type_.shape[dim] for dim in group]) for group in groups]
    new = ir.RankedTensorType.get(shape, type_.element_type)
    owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if owner is not None and owner.name == "tensor.expand_shape" and owner.operands[0].type == new:
        return owner.operands[0]
    if owner is None or owner.name != "tensor.empty":
        return tensor.CollapseShapeOp(new, value, _attribute(groups)).result
    given = list(owner.operands)
    sizes = [given.pop(0) if size == _DYNAMIC else size for size in type_.shape]
    return tensor.EmptyOp([_size([sizes[dim] for dim in group]) for group in groups], type_.element_type).result


def _size(sizes: Sequence[ir.Value | int]) -> ir.Value | int:
    """The product of ``sizes``."""
    known = prod(size for size in sizes if isinstance(size, int))
    values = [size for size in sizes if isinstance(size, ir.Value)]
    if not values:
        return known
    total = values[0]
    for value in values[1:]:
        total = arith.muli(total, value)
    return total if known == 1 else arith.muli(total, index(known))


def _expand(result: ir.Value, like: ir.Value, groups: Groups) -> ir.Value:
    """``result`` in the shape of ``like``, whose dimensions are collapsed to ``groups``."""
    if all(len(group) == 1 for group in groups):
        return result
    type_ = ir.RankedTensorType(like.type)
    sizes = [_dim(like, dim) for dim in range(type_.rank) if type_.is_dynamic_dim(dim)]
    return tensor.ExpandShapeOp(type_, result, _attribute(groups), sizes, list(type_.shape)).result


def _dim(value: ir.Value, dim: int) -> ir.Value:
    """The dynamic size of dimension ``dim`` of ``value``, from where it is known first."""
    owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if owner is not None and owner.name == "linalg.generic":
        return _dim(owner.operands[len(owner.operands) - len(owner.results) + ir.OpResult(value).result_number], dim)
    if owner is not None and owner.name in ("tensor.empty", "tensor.expand_shape"):
        given = list(owner.operands)[owner.name == "tensor.expand_shape":]
        return given[sum(value.type.is_dynamic_dim(at) for at in range(dim))]
    return tensor.DimOp(value, index(dim)).result


def _product(sizes: Sequence[int]) -> int:
    return _DYNAMIC if _DYNAMIC in sizes else prod(sizes)


def _attribute(groups: Groups) -> ir.Attribute:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.ArrayAttr.get([ir.IntegerAttr.get(i64, dim) for dim in group]) for group in groups])
