"""Builds linalg.generic ops on tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import ir


def generic(inputs: Sequence[ir.Value], output: ir.Value, maps: Sequence[ir.AffineMap], kinds: Sequence[str],
            body: Callable[[Sequence[ir.Value]], ir.Value]) -> ir.Value:
    """The result of a linalg.generic whose loops are of ``kinds`` ("parallel", "reduction"); ``maps`` are those of
    ``inputs`` and ``output``, whose elements ``body`` gets. It gives the element that the op yields.
    """
    loops = ", ".join(f"#linalg.iterator_type<{kind}>" for kind in kinds)
    op = ir.Operation.create(
        "linalg.generic", results=[output.type], operands=[*inputs, output], regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
                    "iterator_types": ir.Attribute.parse(f"[{loops}]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1])})
    elements = [ir.RankedTensorType(value.type).element_type for value in (*inputs, output)]
    block = op.regions[0].blocks.append(*elements, arg_locs=[op.location] * len(elements))
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=[body(list(block.arguments))])
    return op.result
