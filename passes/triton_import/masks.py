"""Boolean tensors as boxes: comparisons of affine values become half-open index ranges, ``and`` intersects them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import ints, linear
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import Lane, Linear, Mask, Range, Tensor

_EQ, _SLT, _SLE, _SGT, _SGE = (arith.CmpIPredicate[n].value for n in ("eq", "slt", "sle", "sgt", "sge"))


def mask_of(node: Tensor) -> Mask:
    """``node`` (i1) as a mask; what is no box becomes a lane."""
    if node.mask is not None:
        return node.mask
    if node.uniform:
        return Mask(conditions=(node.data,))
    return Mask(lanes=(Lane(node, node.dims),))


def both(a: Mask, b: Mask) -> Mask:
    """The elements in ``a`` and in ``b``."""
    return Mask(a.conditions + b.conditions, a.ranges + b.ranges, a.lanes + b.lanes)


def moved(a: Mask, place: Callable[[int], int]) -> Mask:
    """``a`` with dimension d renamed to ``place(d)``."""
    ranges = tuple(replace(r, dim=place(r.dim)) for r in a.ranges)
    lanes = tuple(replace(lane, dims=tuple(place(d) for d in lane.dims)) for lane in a.lanes)
    return Mask(a.conditions, ranges, lanes)


def compared(predicate: int, a: Linear, b: Linear, type: ir.Type, shape: tuple[int, ...]) -> Mask | None:
    """The box where ``a predicate b`` holds, or None when that is no box we can compute.

    It is one when the difference of the two varies along a single dimension by a known step.
    """
    if predicate not in (_EQ, _SLT, _SLE, _SGT, _SGE) or a.lanes or b.lanes or a.pieces or b.pieces:
        return None
    # a - b = (a.offset - b.offset) + step * i: which i?
    steps = [(d, ints.sub(x, y, type)) for d, (x, y) in enumerate(zip(a.strides, b.strides, strict=True))]
    moving = [(d, s) for d, s in steps if shape[d] != 1 and not (ints.known(s) and s == 0)]
    if len(moving) != 1 or not ints.known(moving[0][1]):
        return None
    dim, step = moving[0]
    if predicate == _EQ and abs(step) != 1:
        return None
    if step < 0:
        a, b, step = b, a, -step
        predicate = {_SLT: _SGT, _SLE: _SGE, _SGT: _SLT, _SGE: _SLE}.get(predicate, predicate)
    bound = ints.sub(b.offset, a.offset, type)  # step * i  predicate  bound
    low: Int = 0
    high: Int = shape[dim]
    if predicate == _SLT:
        high = ints.ceil_div(bound, step, type)
    elif predicate == _SLE:
        high = ints.add(ints.floor_div(bound, step, type), 1, type)
    elif predicate == _SGE:
        low = ints.ceil_div(bound, step, type)
    elif predicate == _SGT:
        low = ints.add(ints.floor_div(bound, step, type), 1, type)
    else:
        low, high = bound, ints.add(bound, 1, type)
    return Mask(ranges=(Range(dim, _clamped(low, shape[dim], type), _clamped(high, shape[dim], type)),))


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
    """Whether the ranges and lanes of ``mask`` select the element at ``index``."""
    result: Int = 1
    for part in mask.ranges:
        position, type = index(part.dim), ints.index_type()
        if not (ints.known(part.low) and part.low == 0):
            result = ints.both(result, ints.compare(arith.CmpIPredicate.sle, part.low, position, type))
        result = ints.both(result, ints.compare(arith.CmpIPredicate.slt, position, part.high, type))
    for lane in mask.lanes:
        type = lane.node.element
        value = linear.read_lane(lane, type, index)
        result = ints.both(result, value if ir.IntegerType(type).width == 1 else arith.cmpi(
            arith.CmpIPredicate.ne, ints.value(value, type), ints.value(0, type)))
    return result
