"""Pointer operations besides offsets: casts from and to integers, bitcasts, selects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hexagon_mlir.ir import arith, ir, memref
from hexagon_mlir.passes.triton_import import build, elementwise, ints, linear, masks
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Choice, IndexOf, Lane, Linear, Mask, Pointer, Range, Tensor

_INT_TO_POINTER = "builtin.unrealized_conversion_cast"
"""From i64 to a pointer: `hexagon-memory-lowering` makes it a call, after deallocation has been placed."""


def each(pointer: Pointer | Choice, change: Callable[[Pointer], Pointer]) -> Pointer | Choice:
    """``change`` applied to each of the pointers that ``pointer`` selects from."""
    if isinstance(pointer, Choice):
        return replace(pointer, a=each(pointer.a, change), b=each(pointer.b, change))
    return change(pointer)


def of_address(address: Tensor, pointee: ir.Type) -> Pointer:
    """The pointers to ``pointee`` at integer addresses; their affine part becomes the steps of the pointer."""
    i64, zero = ir.IntegerType.get_signless(64), (0,) * len(address.shape)
    if address.uniform:
        return Pointer(_cast(build.scalar_of(address), pointee), pointee, address.shape, Linear(0, zero))
    form, bytes_ = linear.linear_of(address), pointee.width // 8
    whole = all(ints.known(s) and s % bytes_ == 0 for s in form.strides) and not form.pieces
    steps = tuple(s // bytes_ for s in form.strides if ints.known(s)) if whole else zero
    rest = replace(form, strides=zero) if whole else form
    if whole and not form.lanes:
        return Pointer(_cast(ints.value(form.offset, address.element), pointee), pointee, address.shape,
                       Linear(0, steps))
    first = linear.as_node(linear.converted(rest, address.element, i64), i64, address.shape)
    return Pointer(first, pointee, address.shape, Linear(0, steps))


def _cast(address: ir.Value, pointee: ir.Type) -> ir.Value:
    i64 = ir.IntegerType.get_signless(64)
    wide = ints.value(ints.cast(address, address.type, i64), i64)
    return ir.Operation.create(_INT_TO_POINTER, results=[ir.MemRefType.get([1], pointee)], operands=[wide]).result


def base_at(pointer: Pointer, index: IndexOf) -> ir.Value:
    """The base of ``pointer`` at ``index``."""
    if not isinstance(pointer.base, Tensor):
        return pointer.base
    i64 = ir.IntegerType.get_signless(64)
    address = linear.read_lane(Lane(pointer.base, pointer.base.dims), i64, index)
    return _cast(ints.value(address, i64), pointer.pointee)


def address_of(pointer: Pointer | Choice, element: ir.Type) -> Tensor:
    """The address of each element of ``pointer`` as an integer of type ``element``."""
    if isinstance(pointer, Choice):
        nodes = [pointer.condition, address_of(pointer.a, element), address_of(pointer.b, element)]
        return elementwise.apply(nodes, [element], pointer.shape, lambda c, x, y: arith.select(c, x, y), cheap=True)[0]
    index = ints.index_type()
    bytes_ = linear.scaled(pointer.linear, pointer.pointee.width // 8, index)
    if isinstance(pointer.base, Tensor):
        i64 = pointer.base.element
        total = linear.added(linear.converted(bytes_, index, i64), linear.linear_of(pointer.base), i64)
        return linear.as_node(linear.converted(total, i64, element), element, pointer.shape)
    base = Linear(memref.extract_aligned_pointer_as_index(pointer.base), (0,) * len(pointer.shape))
    return linear.as_node(linear.converted(linear.added(bytes_, base, index), index, element), element, pointer.shape)


def seen_as(pointer: Pointer, pointee: ir.Type) -> Pointer:
    """``pointer`` as one to elements of another type; its steps must be whole elements of that type."""
    if pointee == pointer.pointee:
        return pointer
    i64 = ir.IntegerType.get_signless(64)
    old, new = pointer.pointee.width, pointee.width
    if old < new and linear.dims_of(pointer.linear, pointer.shape):
        raise Unsupported(f"a tensor of pointers to {pointer.pointee} used as pointers to {pointee}",
                          "cast the pointer before adding offsets")
    start = pointer.linear
    if old >= new:  # the offset stays in elements, else it is added to the address
        start = Linear(0, (0,) * len(pointer.shape))
    moved = of_address(address_of(replace(pointer, linear=start), i64), pointee)
    if old < new:
        return moved
    scaled = linear.scaled(pointer.linear, old // new, ints.index_type())
    return replace(moved, linear=linear.added(moved.linear, scaled, ints.index_type()))


def select(condition: Tensor, a: Pointer | Choice, b: Pointer | Choice) -> Pointer | Choice:
    """``a`` where ``condition`` holds, else ``b``."""
    if not condition.uniform or isinstance(a, Choice) or isinstance(b, Choice):
        return _chosen_offsets(condition, a, b) or Choice(condition, a, b)
    if isinstance(a.base, Tensor) or isinstance(b.base, Tensor):
        return Choice(condition, a, b)
    holds, index = build.scalar_of(condition), ints.index_type()
    base = a.base if a.base == b.base else arith.select(holds, a.base, b.base)
    x, y = a.linear, b.linear
    if not (x.lanes or x.pieces or y.lanes or y.pieces):
        def choose(one: ints.Int, other: ints.Int) -> ints.Int:
            return one if ints.same(one, other) else ints.choose(holds, one, other, index)

        strides = tuple(choose(s, t) for s, t in zip(x.strides, y.strides, strict=True))
        return replace(a, base=base, linear=Linear(choose(x.offset, y.offset), strides))
    nodes = [condition, *(linear.as_node(form, index, a.shape) for form in (x, y))]
    offsets = elementwise.apply(nodes, [index], a.shape, lambda c, p, q: arith.select(c, p, q), cheap=True)[0]
    return replace(a, base=base, linear=linear.linear_of(offsets))


def _chosen_offsets(condition: Tensor, a: Pointer | Choice, b: Pointer | Choice) -> Pointer | None:
    """One pointer with a selected offset, where both have one base and equal steps."""
    if isinstance(a, Choice) or isinstance(b, Choice) or condition.mask is not None:
        return None
    if isinstance(a.base, Tensor) or isinstance(b.base, Tensor) or a.base != b.base:
        return None
    x, y, dims, index = a.linear, b.linear, set(condition.dims), ints.index_type()
    apart = [d for d, (s, t) in enumerate(zip(x.strides, y.strides, strict=True)) if not ints.same(s, t)]
    if x.lanes or x.pieces or y.lanes or y.pieces or not dims.issuperset(apart):
        return None
    common = tuple(0 if d in dims else s for d, s in enumerate(x.strides))
    nodes = [linear.as_node(replace(form, strides=tuple(s if d in dims else 0 for d, s in enumerate(form.strides))),
                            index, a.shape) for form in (x, y)]
    offsets, = elementwise.apply([condition, *nodes], [index], a.shape, lambda c, p, q: arith.select(c, p, q))
    return replace(a, linear=linear.added(Linear(0, common), linear.linear_of(offsets), index))


def sides(pointer: Choice) -> list[tuple[Pointer | Choice, Mask]]:
    """The pointers that ``pointer`` selects from, each with the mask of elements for which it is selected."""
    condition = pointer.condition
    return [(pointer.a, masks.mask_of(condition)), *((pointer.b, mask) for mask in _outside(condition))]


def _outside(node: Tensor) -> list[Mask]:
    """The elements where ``node`` (i1) does not hold, as disjoint masks."""
    mask, shape = masks.mask_of(node), node.shape
    if mask.ranges and len(mask.ranges) == 1 and not (mask.conditions or mask.lanes or mask.skewed):
        dim, low, high = mask.ranges[0].dim, mask.ranges[0].low, mask.ranges[0].high
        before = [] if ints.known(low) and low <= 0 else [Mask(ranges=(Range(dim, 0, low),))]
        after = Mask(ranges=(Range(dim, ints.larger(low, high, ints.index_type()), shape[dim]),))
        return [*before, *([] if ints.known(high) and high >= shape[dim] else [after])]
    bit = node.element
    negated, = elementwise.apply([node], [bit], shape, lambda x: arith.xori(x, ints.value(1, bit)), cheap=True)
    return [Mask(lanes=(Lane(negated, negated.dims),))]
