"""``tl.argmax`` and ``tl.argmin``: the reduction of (value, position) pairs as one of values and one of positions."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import elementwise, reduce, shapes
from hexagon_mlir.passes.triton_import.values import Tensor

_FLOATS = {"2": "arith.maximumf", "4": "arith.minimumf"}  # predicates ogt and olt
_INTEGERS = {"4": "arith.maxsi", "2": "arith.minsi", "8": "arith.maxui", "6": "arith.minui"}


def extreme_of_pairs(op: ir.Operation) -> str | None:
    """The operation of a ``tt.reduce`` that reduces (value, position) pairs; None for any other reduction.

    The combiner selects pair a where ``a.value > b.value`` (or less), and perhaps also where the values are equal and
    ``a.position < b.position``.
    """
    block = op.regions[0].blocks[0]
    if len(block.arguments) != 4 or not isinstance(block.arguments[1].type, ir.IntegerType):
        return None
    values, places = list(block.arguments)[::2], list(block.arguments)[1::2]
    inside = [view.operation for view in block.operations]
    first, second = (_maker(value) for value in inside[-1].operands)
    if first is None or second is None or second.name != "arith.select" or list(second.operands)[1:] != places:
        return None
    if first.name in _INTEGERS.values():  # the select after canonicalization
        kept = set(first.operands) == set(values)
    else:
        kept = first.name == "arith.select" and list(first.operands) == [second.operands[0], *values]
    if not kept:
        return None
    better = _maker(second.operands[0])
    if better is not None and better.name == "arith.ori":
        parts = [_maker(v) for v in better.operands]
        ties = [p for p in parts if p is not None and p.name == "arith.andi" and _is_tie(p, values, places)]
        rest = [p for p in parts if p not in ties]
        better = rest[0] if len(ties) == len(rest) == 1 else None
    if better is None or list(better.operands) != values:
        return None
    table = {"arith.cmpf": _FLOATS, "arith.cmpi": _INTEGERS}.get(better.name, {})
    extreme = table.get(_predicate(better))
    return extreme if first.name in ("arith.select", extreme) else None


def value_and_place(nodes: Sequence[Tensor], axis: int, operation: str) -> list[Tensor]:
    """The first node reduced by ``operation`` along ``axis``, and the smallest of the second where the first equals
    that.

    If there is a NaN, it is the value, with the position of the first NaN, as in PyTorch; Triton specifies neither.
    """
    values, places = nodes
    shape = values.shape
    if shape[axis] == 1:
        return reduce.reduce(nodes, axis, lambda pairs: pairs[:2], None)
    [best] = reduce.reduce([values], axis, lambda pair: [_binary(operation, *pair)], operation)
    spread = shapes.broadcast(shapes.expand_dims(best, axis), shape)
    assert isinstance(spread, Tensor)
    last = (1 << (ir.IntegerType(places.element).width - 1)) - 1

    def candidate(value: ir.Value, place: ir.Value, wanted: ir.Value) -> list[ir.Value]:
        if operation.endswith("f"):
            number = arith.cmpf(arith.CmpFPredicate.OEQ, value, wanted)
            here = arith.ori(number, arith.cmpf(arith.CmpFPredicate.UNO, value, value))
        else:
            here = arith.cmpi(arith.CmpIPredicate.eq, value, wanted)
        return [arith.select(here, place, arith.constant(place.type, last))]

    [found] = elementwise.apply([values, places, spread], [places.element], shape, candidate)
    return [best, *reduce.reduce([found], axis, lambda pair: [_binary("arith.minsi", *pair)], "arith.minsi")]


def _is_tie(both: ir.Operation, values: list[ir.Value], places: list[ir.Value]) -> bool:
    """True for ``values equal and first place < second place``."""
    parts = [_maker(v) for v in both.operands]
    equal = [p for p in parts if p is not None and list(p.operands) == values
             and (p.name, _predicate(p)) in (("arith.cmpf", "1"), ("arith.cmpi", "0"))]
    before = [p for p in parts if p is not None and list(p.operands) == places
              and (p.name, _predicate(p)) == ("arith.cmpi", "2")]
    return len(equal) == len(before) == 1


def _maker(value: ir.Value) -> ir.Operation | None:
    return None if isinstance(value.owner, ir.Block) else value.owner.operation


def _predicate(op: ir.Operation) -> str:
    return str(ir.IntegerAttr(op.attributes["predicate"]).value) if "predicate" in op.attributes else ""


def _binary(name: str, left: ir.Value, right: ir.Value) -> ir.Value:
    return ir.Operation.create(name, results=[left.type], operands=[left, right]).result
