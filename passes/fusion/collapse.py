"""Copies that transpose, ahead of a product, with the dimensions that the product takes as one already collapsed."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hexagon_mlir.ir import erase_op, ir, tensor
from hexagon_mlir.ir.query import ops_named, yields_input
from hexagon_mlir.passes.fusion.widen import is_contraction


def collapse_transposes(module: ir.Module, of_pass: str) -> None:
    """Exchange each copy that only transposes with a collapse of its result, where the result goes to a product.

    A copy next to the product is fused into it: the product reads its factor where it is.
    """
    for collapse in ops_named(module, "tensor.collapse_shape"):
        owner = collapse.operands[0].owner
        copy = owner.operation if isinstance(owner, ir.OpView) else None
        if copy is None or not (_transposes(copy) and _goes_to_product(collapse)):
            continue
        groups = [[ir.IntegerAttr(number).value for number in group] for group in collapse.attributes["reassociation"]]
        order = collapsed_order(_read_order(copy), groups)
        if order is None or not ir.RankedTensorType(copy.results[0].type).has_static_shape:
            continue
        _exchange(copy, collapse, groups, order)
        erase_op(collapse, of_pass)
        erase_op(copy, of_pass)


def collapsed_order(order: Sequence[int], groups: Sequence[Sequence[int]]) -> list[int] | None:
    """The order of ``groups`` of a result's dimensions in the operand, of which ``order`` names the result's dimension
    of each dimension; None where the operand does not have the dimensions of a group side by side in their order.

    >>> collapsed_order([0, 1, 3, 2], [[0, 1], [2], [3]]), collapsed_order([0, 2, 1, 3], [[0, 1], [2], [3]])
    ([0, 2, 1], None)
    """
    of_first = {group[0]: number for number, group in enumerate(groups)}
    found: list[int] = []
    at = 0
    while at < len(order):
        number = of_first.get(order[at])
        if number is None or list(order[at:at + len(groups[number])]) != list(groups[number]):
            return None
        found.append(number)
        at += len(groups[number])
    return found


def _transposes(op: ir.Operation) -> bool:
    """Whether ``op`` is a copy of a tensor to one of another order of the same dimensions, which one op reads."""
    if op.name != "linalg.generic" or len(op.operands) != 2 or len(op.results) != 1 or not yields_input(op):
        return False
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    return all(m.is_permutation for m in maps) and len(list(op.results[0].uses)) == 1


def _read_order(copy: ir.Operation) -> list[int]:
    """The result's dimension of each dimension of the operand."""
    source, target = (ir.AffineMapAttr(a).value for a in copy.attributes["indexing_maps"])
    loops = [ir.AffineDimExpr(e).position for e in target.results]
    return [loops.index(ir.AffineDimExpr(e).position) for e in source.results]


def _goes_to_product(collapse: ir.Operation) -> bool:
    users = [use.owner.operation for use in collapse.results[0].uses]
    return bool(users) and all(user.name == "linalg.generic" and is_contraction(user) for user in users)


def _exchange(copy: ir.Operation, collapse: ir.Operation, groups: list[list[int]], order: list[int]) -> None:
    """The collapsed operand, transposed, in place of the result of ``collapse``."""
    result = ir.RankedTensorType(collapse.results[0].type)
    source, shape = copy.operands[0], ir.RankedTensorType(copy.results[0].type).shape
    reassociation, at = [], 0
    for number in order:
        reassociation.append(list(range(at, at + len(groups[number]))))
        at += len(groups[number])
    sizes = [prod(shape[dim] for dim in groups[number]) for number in order]
    rank = len(groups)
    maps = [ir.AffineMap.get_permutation(order), ir.AffineMap.get_identity(rank)]
    with copy.location, ir.InsertionPoint(collapse):
        collapsed = tensor.collapse_shape(ir.RankedTensorType.get(sizes, result.element_type), source, reassociation)
        generic = ir.Operation.create(
            "linalg.generic", results=[result], operands=[collapsed, tensor.empty(result.shape, result.element_type)],
            regions=1, attributes={
                "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
                "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse("#linalg.iterator_type<parallel>")] * rank),
                "operandSegmentSizes": copy.attributes["operandSegmentSizes"],
            })
        body = generic.regions[0].blocks.append(result.element_type, result.element_type)
        with ir.InsertionPoint(body):
            ir.Operation.create("linalg.yield", operands=[body.arguments[0]])
    collapse.results[0].replace_all_uses_with(generic.result)
