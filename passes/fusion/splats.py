"""Splat constants as ops that fill a tensor: such an op can be fused, a constant in memory cannot."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.query import find_ops, input_count


def splats_as_fills(module: ir.Module) -> None:
    """Replace each splat constant that generic ops take as an input by a generic op."""
    for constant in find_ops(module, _is_splat):
        uses = [use for use in constant.results[0].uses if use.owner.operation.name == "linalg.generic"
                and use.operand_number < input_count(use.owner.operation)]
        if uses:
            fill = _fill(constant)
            for use in uses:
                use.owner.operation.operands[use.operand_number] = fill


def _is_splat(op: ir.Operation) -> bool:
    if op.name != "arith.constant" or not isinstance(op.results[0].type, ir.RankedTensorType):
        return False
    value = op.attributes["value"]
    return isinstance(value, ir.DenseElementsAttr) and value.is_splat and op.results[0].type.rank > 0


def _fill(constant: ir.Operation) -> ir.Value:
    type_ = ir.RankedTensorType(constant.results[0].type)
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    with constant.location, ir.InsertionPoint(constant):
        generic = ir.Operation.create(
            "linalg.generic", results=[type_], operands=[tensor.empty(type_.shape, type_.element_type)], regions=1,
            attributes={
                "indexing_maps": ir.ArrayAttr.get([identity]),
                "iterator_types": ir.ArrayAttr.get([parallel] * type_.rank),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 1]),
            })
        body = generic.regions[0].blocks.append(type_.element_type)
        with ir.InsertionPoint(body):
            value = ir.DenseElementsAttr(constant.attributes["value"]).get_splat_value()
            ir.Operation.create("linalg.yield", operands=[arith.constant(type_.element_type, value)])
    return generic.result
