"""Ops on tiles of bytes as linalg.generic: written from texts of their maps, and recognized by these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.vector_loop import indexing_maps


def elementwise(inputs: Sequence[ir.Value], into: ir.Value, loops: str, maps: Sequence[str],
                body: Callable[..., ir.Value]) -> ir.Operation:
    """A linalg.generic that writes ``body`` of its ``inputs`` to ``into``."""
    op = generic(inputs, into, loops, maps)
    with body_of(op) as arguments:
        yield_value(body(*arguments[:-1]))
    return op


def generic(inputs: Sequence[ir.Value], output: ir.Value, loops: str, maps: Sequence[str],
             reductions: int = 0) -> ir.Operation:
    """A linalg.generic without a body; its last loops are ``reductions``."""
    kinds = ["parallel"] * (loops.count(",") + 1 - reductions) + ["reduction"] * reductions
    iterators = ir.Attribute.parse(f"[{', '.join(f'#linalg.iterator_type<{kind}>' for kind in kinds)}]")
    return ir.Operation.create(
        "linalg.generic", results=[output.type] if isinstance(output.type, ir.RankedTensorType) else [],
        operands=[*inputs, output], regions=1,
        attributes={"indexing_maps": maps_of(loops, maps, output.type.context), "iterator_types": iterators,
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1])})


def maps_of(loops: str, maps: Sequence[str], context: ir.Context) -> ir.ArrayAttr:
    """The affine maps from ``loops`` to each of ``maps``."""
    text = ", ".join(f"affine_map<{loops} -> {map_}>" for map_ in maps)
    return ir.ArrayAttr(ir.Attribute.parse(f"[{text}]", context))


def has_maps(op: ir.Operation, maps: Sequence[str], operands: int) -> bool:
    """Whether ``op`` is a linalg.generic of so many ``operands`` with ``maps``, the loops first."""
    if op.name != "linalg.generic" or len(op.operands) != operands or input_count(op) != operands - 1:
        return False
    found = indexing_maps(op)
    return found is not None and found == maps_of(maps[0], maps[1:], op.context)


@contextmanager
def body_of(op: ir.Operation) -> Iterator[list[ir.Value]]:
    """The arguments of the body of ``op``, which is written meanwhile."""
    elements = [ir.ShapedType(value.type).element_type for value in op.operands]
    block = op.regions[0].blocks.append(*elements, arg_locs=[op.location] * len(elements))
    with ir.InsertionPoint(block):
        yield list(block.arguments)


def yield_value(value: ir.Value) -> None:
    """The end of a body."""
    ir.Operation.create("linalg.yield", operands=[value])


def loop_number(loop: int) -> ir.Value:
    """In a body: the iteration of loop number ``loop``, a byte."""
    number = ir.Operation.create("linalg.index", results=[ir.IndexType.get()], attributes={
        "dim": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), loop)}).result
    return arith.index_cast(byte_type(), number)


def byte_type() -> ir.Type:
    """An element of a tile."""
    return ir.IntegerType.get_signless(8)


def word_type() -> ir.Type:
    """A sum."""
    return ir.IntegerType.get_signless(32)
