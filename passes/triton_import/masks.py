"""Boolean tensors as boxes: comparisons of affine values become half-open index ranges, ``and`` intersects them.

A range may depend on the indices of other dimensions: a triangle is a range of columns for each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import ints, linear
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import IndexOf, Lane, Linear, Mask, Range, SkewedRange, Tensor

_EQ, _SLT, _SLE, _SGT, _SGE = (arith.CmpIPredicate[n].value for n in ("eq", "slt", "sle", "sgt", "sge"))


def mask_of(node: Tensor) -> Mask:
    """``node`` (i1) as a mask; a condition that is no box becomes a lane."""
    if node.mask is not None:
        return node.mask
    if node.uniform:
        return Mask(conditions=(node.data,))
    return Mask(lanes=(Lane(node, node.dims),))


def both(a: Mask, b: Mask) -> Mask:
    """The elements in ``a`` and in ``b``."""
    return Mask(a.conditions + b.conditions, a.ranges + b.ranges, a.lanes + b.lanes, a.skewed + b.skewed)


def moved(a: Mask, place: Callable[[int], int]) -> Mask:
    """``a`` with dimension d renamed to ``place(d)``."""
    ranges = tuple(replace(r, dim=place(r.dim)) for r in a.ranges)
    lanes = tuple(replace(lane, dims=tuple(place(d) for d in lane.dims)) for lane in a.lanes)
    skewed = tuple(SkewedRange(place(s.dim), tuple(map(place, s.over)), partial(_ends_moved, s, place))
                   for s in a.skewed)
    return Mask(a.conditions, ranges, lanes, skewed)


def _ends_moved(one: SkewedRange, place: Callable[[int], int], index: IndexOf) -> tuple[Int, Int]:
    return one.ends(lambda d: index(place(d)))


def compared(predicate: int, a: Linear, b: Linear, type: ir.Type, shape: tuple[int, ...]) -> Mask | None:
    """The box where ``a predicate b`` holds, or None when that is no box we can compute.

    It is a box when the difference varies along a single dimension by a known step; when it varies along several, the
    last one has a range for each index of the others.
    """
    if predicate not in (_EQ, _SLT, _SLE, _SGT, _SGE) or a.lanes or b.lanes or a.pieces or b.pieces:
        return None
    # a - b = (a.offset - b.offset) + sum of step * i: solved for the index i of the last dimension with a step
    steps = [(d, ints.sub(x, y, type)) for d, (x, y) in enumerate(zip(a.strides, b.strides, strict=True))]
    moving = [(d, s) for d, s in steps if shape[d] != 1 and not (ints.known(s) and s == 0)]
    if not moving or not ints.known(moving[-1][1]):
        return None
    dim, step = moving[-1]
    if predicate == _EQ and abs(step) != 1:
        return None
    sign = 1
    if step < 0:
        a, b, step, sign = b, a, -step, -1
        predicate = {_SLT: _SGT, _SLE: _SGE, _SGT: _SLT, _SGE: _SLE}.get(predicate, predicate)

    def ends(index: IndexOf) -> tuple[Int, Int]:
        bound = ints.sub(b.offset, a.offset, type)
        for other, along in moving[:-1]:
            part = ints.mul(ints.cast(index(other), ints.index_type(), type), along, type)
            bound = ints.sub(bound, part, type) if sign > 0 else ints.add(bound, part, type)
        low, high = _ends(predicate, step, bound, shape[dim], type)
        return _clamped(low, shape[dim], type), _clamped(high, shape[dim], type)

    if len(moving) == 1:
        return Mask(ranges=(Range(dim, *ends(_no_index)),))
    return Mask(skewed=(SkewedRange(dim, tuple(d for d, _ in moving[:-1]), ends),))


def _no_index(dim: int) -> ir.Value:
    raise AssertionError(f"dimension {dim} does not matter")


def _ends(predicate: int, step: int, bound: Int, size: int, type: ir.Type) -> tuple[Int, Int]:
    """The range of i in ``size`` in which ``step * i predicate bound`` holds."""
    if predicate == _SLT:
        return 0, ints.ceil_div(bound, step, type)
    if predicate == _SLE:
        return 0, ints.add(ints.floor_div(bound, step, type), 1, type)
    if predicate == _SGE:
        return ints.ceil_div(bound, step, type), size
    if predicate == _SGT:
        return ints.add(ints.floor_div(bound, step, type), 1, type), size
    return bound, ints.add(bound, 1, type)


def within(bounds: tuple[Int, Int], skewed: Iterable[SkewedRange], index: IndexOf) -> tuple[Int, Int]:
    """The part of ``bounds``, (first index, how many), that ``skewed`` ranges of its dimension select at ``index``."""
    type = ints.index_type()
    low, count = bounds
    high = ints.add(low, count, type)
    for one in skewed:
        first, end = one.ends(index)
        low, high = ints.larger(low, first, type), ints.smaller(high, end, type)
    return low, ints.larger(ints.sub(high, low, type), 0, type)


def _clamped(bound: Int, size: int, type: ir.Type) -> Int:
    inside = ints.larger(ints.smaller(bound, size, type), 0, type)
    return ints.cast(inside, type, ints.index_type())


def bounds(mask: Mask, dim: int, size: int) -> tuple[Int, Int]:
    """First selected index along ``dim`` and how many follow (not negative); ``size`` is the extent."""
    index = ints.index_type()
    parts = [part for part in mask.ranges if part.dim == dim]
    if not parts:
        return 0, size
    low, high = parts[0].low, parts[0].high
    for part in parts[1:]:
        low, high = ints.larger(low, part.low, index), ints.smaller(high, part.high, index)
    count = ints.sub(high, low, index)
    return low, count if ints.known(low) and low == 0 else ints.larger(count, 0, index)


def condition(mask: Mask) -> Int:
    """The scalar part of ``mask``."""
    holds: Int = 1
    for part in mask.conditions:
        holds = ints.both(holds, part)
    return holds


def holds_at(mask: Mask, index: Callable[[int], ir.Value]) -> Int:
    """Whether the ranges, skewed ranges and lanes of ``mask`` select the element at ``index``."""
    result: Int = 1
    skewed_ends = [(one.dim, *one.ends(index)) for one in mask.skewed]
    for dim, low, high in [*((part.dim, part.low, part.high) for part in mask.ranges), *skewed_ends]:
        position, type = index(dim), ints.index_type()
        if not (ints.known(low) and low == 0):
            result = ints.both(result, ints.compare(arith.CmpIPredicate.sle, low, position, type))
        result = ints.both(result, ints.compare(arith.CmpIPredicate.slt, position, high, type))
    for lane in mask.lanes:
        type = lane.node.element
        value = linear.read_lane(lane, type, index)
        result = ints.both(result, value if ir.IntegerType(type).width == 1 else arith.cmpi(
            arith.CmpIPredicate.ne, ints.value(value, type), ints.value(0, type)))
    return result
