"""``tt.load`` and ``tt.store``: block copies where address and mask are affine, loops over the other dimensions.

A load copies into a fresh buffer, so that a later store through the same pointer does not change its result.
"""

from __future__ import annotations

from hexagon_mlir.ir import arith, bufferization, ir, make, memref, scf, tensor
from hexagon_mlir.passes.triton_import import elementwise, gathered, ints, masks, repeats, views
from hexagon_mlir.passes.triton_import.access import PointerAccess, memory_order, plan, stored
from hexagon_mlir.passes.triton_import.build import dense, scalar_of
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.pointers import base_at, sides
from hexagon_mlir.passes.triton_import.shapes import transpose
from hexagon_mlir.passes.triton_import.values import Choice, Dims, IndexOf, Mask, Pointer, Range, Tensor
from hexagon_mlir.passes.triton_import.walk import Bounds, guarded, walk


def load(pointer: Pointer | Choice, mask: Mask, other: Tensor | None) -> Tensor:
    """The elements at ``pointer`` where ``mask`` holds, ``other`` (0 if absent) elsewhere."""
    shape, type = pointer.shape, pointer.pointee
    if isinstance(pointer, Choice):
        for part, where in sides(pointer):
            other = load(part, masks.both(mask, where), other)
        return other or Tensor(type, shape, (), arith.constant(type, zero(type)))
    order = memory_order(pointer, mask, is_store=False)
    if order != sorted(order):
        there = transpose(pointer, order), masks.moved(mask, order.index), other and transpose(other, order)
        return transpose(load(*there), [order.index(d) for d in sorted(order)])
    other = other or Tensor(type, shape, (), arith.constant(type, zero(type)))
    dim = repeats.repeated_dim(pointer, mask, other)
    if dim is not None:
        repeated, cut = repeats.load(pointer, mask, other, dim, load)
        return _outside(repeated, cut, other) if cut else repeated
    access = plan(pointer, mask, is_store=False)
    holds = masks.condition(mask)
    once = tuple(r for r in mask.ranges if r.dim in access.once)
    for dim in {r.dim for r in once}:  # nothing may be read when no copy of it is selected
        _, count = masks.bounds(mask, dim, shape[dim])
        holds = ints.both(holds, ints.compare(arith.CmpIPredicate.slt, 0, count, ints.index_type()))
    value = (_load_block(pointer, mask, other, access, holds) if access.kept
             else _load_one(pointer, holds, other))
    result = Tensor(type, shape, access.kept, value)
    return _outside(result, once, other) if once else result


def _nowhere(dim: int) -> ir.Value:
    raise AssertionError(f"an access of one element has no dimension {dim}")


def _outside(value: Tensor, ranges: tuple[Range, ...], other: Tensor) -> Tensor:
    """``value`` inside ``ranges``, ``other`` outside."""
    bit = ir.IntegerType.get_signless(1)
    dims = tuple(sorted({r.dim for r in ranges}))
    inside = Tensor(bit, value.shape, dims, expression=lambda index: ints.value(
        masks.holds_at(Mask(ranges=ranges), index), bit))
    return elementwise.apply([inside, value, other], [value.element], value.shape,
                             lambda c, a, b: arith.select(c, a, b))[0]


def _load_one(pointer: Pointer, holds: Int, other: Tensor) -> ir.Value:
    def read() -> ir.Value:
        zero = ints.value(0, ints.index_type())
        return memref.load(views.element(base_at(pointer, _nowhere), pointer.linear.offset), [zero])

    if ints.known(holds):
        return read() if holds else _any_of(other)
    branch = scf.IfOp(holds, [pointer.pointee], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.YieldOp([read()])
    with ir.InsertionPoint(branch.else_block):
        scf.YieldOp([_any_of(other)])
    return branch.results[0]


def _any_of(other: Tensor) -> ir.Value:
    """The scalar of a tensor whose access has one element."""
    if other.uniform:
        return scalar_of(other)
    zero = ints.value(0, ints.index_type())
    return tensor.extract(dense(other, other.dims), [zero] * len(other.dims))


def _load_block(pointer: Pointer, mask: Mask, other: Tensor, access: PointerAccess, holds: Int) -> ir.Value:
    shape = [pointer.shape[d] for d in access.kept]
    buffer = memref.alloc(ir.MemRefType.get(shape, pointer.pointee), [], [])
    bounds = {d: masks.bounds(mask, d, pointer.shape[d]) for d in access.kept}

    def move(index: IndexOf, part: Bounds, source: ir.Value) -> None:
        if not access.block:
            zero = ints.value(0, ints.index_type())
            memref.store(memref.load(source, [zero]), buffer, [index(d) for d in access.kept])
            return
        memref.CopyOp(source, views.part(buffer, *_place(access, part, index)))

    words = stored(mask)

    def walked() -> None:
        _fill_rest(buffer, other, access, bounds, holds, pointer.shape, always=bool(mask.lanes or mask.skewed))
        walk(pointer, words, access, bounds, holds, move)

    if gathered.worth_a_window(pointer, access.kept, access.block):
        rest = _first(other, access.kept) if set(other.dims) - set(access.kept) else other
        gathered.load(pointer, words, rest, access.kept, holds, buffer, walked)
    else:
        walked()
    type = ir.RankedTensorType.get(shape, pointer.pointee)
    return bufferization.ToTensorOp(type, buffer, restrict=True, writable=True).result


def _fill_rest(buffer: ir.Value, other: Tensor, access: PointerAccess, bounds: Bounds, holds: Int,
               shape: tuple[int, ...], always: bool) -> None:
    """Give ``buffer`` the values of masked-off elements, unless the whole block is selected."""
    index = ints.index_type()
    whole = holds
    for d in access.kept:
        whole = ints.both(whole, ints.compare(arith.CmpIPredicate.eq, bounds[d][1], shape[d], index))
    if always:
        whole = 0
    if ints.known(whole) and whole:
        return

    def fill() -> None:
        if any(d in access.kept for d in other.dims):
            rest = other if set(other.dims) <= set(access.kept) else _first(other, access.kept)
            bufferization.MaterializeInDestinationOp(None, dense(rest, access.kept), buffer,
                                                     restrict=True, writable=True)
        else:
            make.fill(_any_of(other), buffer)

    if ints.known(whole):
        fill()
        return
    true = ints.value(1, ir.IntegerType.get_signless(1))
    branch = scf.IfOp(arith.xori(whole, true))
    with ir.InsertionPoint(branch.then_block):
        fill()
        scf.YieldOp([])


def _first(other: Tensor, dims: Dims) -> Tensor:
    """``other`` at index 0 of every dimension that is not in ``dims``."""
    own = tuple(sorted(other.dims))
    kept = [place for place, d in enumerate(own) if d in dims]
    sizes = [other.shape[d] if d in dims else 1 for d in own]
    value = views.slice_of(dense(other, own), [0] * len(own), sizes, kept)
    return Tensor(other.element, other.shape, tuple(own[k] for k in kept), value)


def store(pointer: Pointer | Choice, value: Tensor, mask: Mask) -> None:
    """Write the elements of ``value`` where ``mask`` holds."""
    if isinstance(pointer, Choice):
        for part, where in sides(pointer):
            store(part, value, masks.both(mask, where))
        return
    shape = pointer.shape
    order = memory_order(pointer, mask, is_store=True)
    if order != sorted(order):
        store(transpose(pointer, order), transpose(value, order), masks.moved(mask, order.index))
        return
    access = plan(pointer, mask, is_store=True)
    holds = masks.condition(mask)
    if not access.kept:
        guarded(holds, lambda: _write(base_at(pointer, _nowhere), pointer.linear.offset, scalar_of(value)))
        return
    data = dense(value, access.kept)
    bounds = {d: masks.bounds(mask, d, shape[d]) for d in access.kept}

    def move(index: IndexOf, part: Bounds, target: ir.Value) -> None:
        if not access.block:
            zero = ints.value(0, ints.index_type())
            memref.store(tensor.extract(data, [index(d) for d in access.kept]), target, [zero])
            return
        bufferization.MaterializeInDestinationOp(None, views.slice_of(data, *_place(access, part, index)), target,
                                                 restrict=True, writable=True)

    walk(pointer, stored(mask), access, bounds, holds, move)


def _write(base: ir.Value, offset: Int, scalar: ir.Value) -> None:
    memref.store(scalar, views.element(base, offset), [ints.value(0, ints.index_type())])


def _place(access: PointerAccess, bounds: Bounds, index: IndexOf) -> tuple[list[Int], list[Int], list[int]]:
    """Offsets, sizes and remaining axes of the current block inside the data."""
    offsets = [bounds[d][0] if d in access.block else index(d) for d in access.kept]
    sizes = [bounds[d][1] if d in access.block else 1 for d in access.kept]
    return offsets, sizes, [place for place, d in enumerate(access.kept) if d in access.block]


def zero(type: ir.Type) -> ir.Attribute:
    return ir.IntegerAttr.get(type, 0) if isinstance(type, ir.IntegerType) else ir.FloatAttr.get(type, 0.0)
