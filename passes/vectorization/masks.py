"""Conditions in a body that depend on indices alone, such as ``row >= column``: one comparison of lane numbers.

Such a condition is a bound on the lane number. Lane numbers and the bound are compared as integers of the size of the
elements that the condition selects, whatever type the indices have; a mask of another size would be converted element
by element.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from hexagon_mlir.ir import arith, ir, make
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.lib.tail import concatenate

Terms = tuple[tuple[int, ir.Value], ...]
"""(sign, value): a sum."""

_PREDICATES = {int(arith.CmpIPredicate[name].value): name for name in ("eq", "ne", "slt", "sle", "sgt", "sge")}
_FLIPPED = {"eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"}
_LOGIC = frozenset({"arith.andi", "arith.ori", "arith.xori"})
_NUMBERS = frozenset({"arith.extui", "arith.extsi", "arith.uitofp", "arith.sitofp"})
_BUFFERS = {8: "b", 16: "h", 32: "i"}
"""Type codes of arrays, by their elements' bits."""
_FAR = 1 << 30
_DEEP = 16


@dataclass(frozen=True)
class LaneTest:
    """``lane predicate (sum of terms + plus - index of the first lane)``; predicate is slt, sge, eq or ne.

    ``gates`` are pairs of a bool and a condition that is uniform over the lanes; where a condition differs from its
    bool, the condition is the result of the test.
    """

    predicate: str
    terms: Terms
    plus: int
    gates: tuple[tuple[bool, ir.Value], ...] = ()


def mask_bits(block: ir.Block, varies: Callable[[ir.Value], bool]) -> dict[ir.Operation, int]:
    """Conditions in ``block``, each with the bits of the elements that it selects together with all conditions it is
    combined with. Left out are combined conditions that select or compare elements of several sizes; a comparison that
    does not vary (``varies``) over the lanes fits any size.
    """
    operations = [o.operation for o in block.operations if _is_condition(o.operation)]
    found: dict[ir.Operation, int] = {}
    waiting = list(operations)
    while waiting:
        family, open_ = [], [waiting[0]]
        while open_:
            op = open_.pop()
            if op in family:
                continue
            family.append(op)
            around = [use.owner.operation for use in op.results[0].uses if use.owner.operation.name in _LOGIC]
            around += [v.owner.operation for v in op.operands if op.name in _LOGIC and not isinstance(v.owner, ir.Block)
                       and v.owner.operation in operations]
            open_ += around
        waiting = [op for op in waiting if op not in family]
        bits = {b for op in family for b in _selected(op)}
        bits |= {b for op in family if varies(op.results[0]) for b in _compared(op)}
        if len(bits) == 1 and (width := bits.pop()) in _BUFFERS:
            found.update(dict.fromkeys(family, width))
    return found


def lane_tests(operations: Sequence[ir.Operation], masks: Mapping[int, int], lane: Callable[[ir.Value], bool],
               varies: Callable[[ir.Value], bool]) -> dict[int, LaneTest]:
    """The ``masks`` (number of an operation -> bits) that are bounds on the lane, perhaps combined with uniform
    conditions. ``lane`` recognizes the index of the vectorized loop, ``varies`` values that differ between lanes.
    """
    found: dict[int, LaneTest] = {}
    of_value = {operations[number].results[0]: number for number in masks}
    for number in sorted(masks):
        op = operations[number]
        test = _compared_indices(op, lane, varies)
        if op.name in ("arith.andi", "arith.ori"):
            for value, other in (list(op.operands), list(op.operands)[::-1]):
                inner = found.get(of_value.get(value, -1))
                if inner is not None and inner.predicate in ("slt", "sge") and not varies(other):
                    test = replace(inner, gates=(*inner.gates, (op.name == "arith.andi", other)))
        # equality needs a number that is no lane's, which bytes do not have
        if test is not None and (masks[number] > 8 or test.predicate in ("slt", "sge")):
            found[number] = test
    return found


def _compared_indices(op: ir.Operation, lane: Callable[[ir.Value], bool],
                      varies: Callable[[ir.Value], bool]) -> LaneTest | None:
    if op.name != "arith.cmpi":
        return None
    name = _PREDICATES.get(ir.IntegerAttr(op.attributes["predicate"]).value)
    left, right = (_sum(value, lane, varies, _DEEP) for value in op.operands)
    if name is None or left is None or right is None or abs(step := left[0] - right[0]) != 1:
        return None
    # step * index + left - right  predicate  0
    terms = tuple((-step * sign, v) for sign, v in left[1]) + tuple((step * sign, v) for sign, v in right[1])
    name = name if step > 0 else _FLIPPED[name]
    return LaneTest({"sle": "slt", "sgt": "sge"}.get(name, name), terms, int(name in ("sle", "sgt")))


def threshold(test: LaneTest, scalars: Sequence[ir.Value], gates: Sequence[ir.Value], first: ir.Value) -> ir.Value:
    """The bound of ``test`` for a vector whose first lane has index ``first``; ``scalars`` and ``gates`` are the values
    of its terms and gates.
    """
    total = _bound(test, scalars)
    for (stays, _), gate in zip(test.gates, gates, strict=True):
        far = index(-_FAR if stays == (test.predicate == "slt") else _FAR)
        total = arith.select(gate, total, far) if stays else arith.select(gate, far, total)
    return make.subi(total, first)


def _bound(test: LaneTest, scalars: Sequence[ir.Value]) -> ir.Value:
    if all(isinstance(s.type, ir.IndexType) for s in scalars):  # indices into memory: their sums do not overflow
        total = index(test.plus)
        for (sign, _), value in zip(test.terms, scalars, strict=True):
            total = (make.addi if sign > 0 else make.subi)(total, value)
        return total
    i64 = ir.IntegerType.get_signless(64)
    total = constant(ir.IntegerAttr.get(i64, test.plus))
    for (sign, _), value in zip(test.terms, scalars, strict=True):
        wide = make.cast("arith.index_cast" if isinstance(value.type, ir.IndexType) else "arith.extsi", i64, value)
        total = (make.addi if sign > 0 else make.subi)(total, wide)
    near = make.binary("arith.minsi", total, constant(ir.IntegerAttr.get(i64, _FAR)))
    near = make.binary("arith.maxsi", near, constant(ir.IntegerAttr.get(i64, -_FAR)))
    return make.cast("arith.index_cast", ir.IndexType.get(), near)


def emit_test(predicate: str, bound: ir.Value, bits: int, width: int, native: int) -> ir.Value:
    """``lane predicate bound`` for ``width`` lanes, as a comparison of integers of ``bits``; ``native`` of them are one
    HVX vector.
    """
    element = ir.IntegerType.get_signless(bits)
    part = ir.VectorType.get([native], element)
    # 128 lanes, one more than the largest signed byte: counted from the end, all of them fit
    low = native if native >> (bits - 1) else 0
    bounds = []
    for start in range(0, width, native):
        left = make.subi(bound, index(start)) if start else bound
        if bits < 32:
            left = make.binary("arith.maxsi", make.binary("arith.minsi", left, index(native)), index(-1 + (low > 0)))
            left = make.subi(left, index(low)) if low else left
        bounds.append(make.broadcast(part, make.cast("arith.index_cast", element, left)))
    type_ = ir.VectorType.get([width], element)
    numbers = ir.DenseElementsAttr.get(array(_BUFFERS[bits], (i % native - low for i in range(width))), type=type_)
    return arith.cmpi(arith.CmpIPredicate[predicate], constant(numbers), concatenate(bounds))


def emit_uniform(condition: ir.Value, bits: int, width: int, native: int) -> ir.Value:
    """The scalar ``condition`` in all lanes, as a bound on the lane: LLVM 22 scalarizes a splat of i1."""
    bound = arith.select(condition, index(_FAR), index(-_FAR))
    return emit_test("slt", bound, bits, width, native)


def _is_condition(op: ir.Operation) -> bool:
    return len(op.results) == 1 and isinstance(op.results[0].type, ir.IntegerType) and op.results[0].type.width == 1


def _selected(op: ir.Operation) -> set[int]:
    """Sizes of the elements that condition ``op`` selects; 0 for any other use."""
    found = set()
    for use in op.results[0].uses:
        user = use.owner.operation
        if (user.name == "arith.select" and use.operand_number == 0) or user.name in _NUMBERS:
            found.add(_bits(user.results[0].type))
        elif user.name not in _LOGIC:
            found.add(0)
    return found


def _compared(op: ir.Operation) -> set[int]:
    """Sizes of the elements, other than indices, that ``op`` compares; 0 for a condition of another kind."""
    if op.name == "arith.cmpf":
        return {_bits(op.operands[0].type)}
    if op.name == "arith.cmpi":
        return set() if _is_position(op.operands[0], _DEEP) else {_bits(op.operands[0].type)}
    return set() if op.name in _LOGIC or op.name == "arith.constant" else {0}


def _is_position(value: ir.Value, depth: int) -> bool:
    return isinstance(value.type, ir.IndexType) or (
        not isinstance(value.owner, ir.Block) and depth > 0 and (
            value.owner.operation.name in ("arith.index_cast", "arith.index_castui") or (
                value.owner.operation.name in ("arith.addi", "arith.subi")
                and any(_is_position(v, depth - 1) for v in value.owner.operation.operands))))


def _sum(value: ir.Value, lane: Callable[[ir.Value], bool], varies: Callable[[ir.Value], bool],
         depth: int) -> tuple[int, Terms] | None:
    """``value`` as (factor of the vectorized loop's index, other terms); None when it is not such a sum."""
    if not varies(value):
        return 0, ((1, value),)
    if lane(value):
        return 1, ()
    if isinstance(value.owner, ir.Block) or not depth:
        return None
    op = value.owner.operation
    if op.name in ("arith.index_cast", "arith.index_castui"):
        return _sum(op.operands[0], lane, varies, depth - 1)
    if op.name not in ("arith.addi", "arith.subi"):
        return None
    left, right = (_sum(v, lane, varies, depth - 1) for v in op.operands)
    if left is None or right is None:
        return None
    sign = 1 if op.name == "arith.addi" else -1
    return left[0] + sign * right[0], left[1] + tuple((sign * s, v) for s, v in right[1])


def _bits(type_: ir.Type) -> int:
    return 32 if isinstance(type_, ir.IndexType) else int(type_.width)
