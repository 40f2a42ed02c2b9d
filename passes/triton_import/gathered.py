"""Loads whose addresses depend on data: where the addresses are close together, their range is copied to TCM.

A reduction over all addresses of the block gives the first and the last. Both are elements of one tensor, so all memory
between them may be read; `form-gathers` then reads the copy many elements at a time. Addresses that are further apart
are read one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod

from hexagon_mlir.ir import arith, bufferization, ir, memref, scf, tensor
from hexagon_mlir.ir.query import TCM_SPACE, element_bytes, memory_space
from hexagon_mlir.passes.lib.gathers import WIDTHS, most_elements
from hexagon_mlir.passes.triton_import import build, elementwise, ints, linear, masks, reduce, views
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import Dims, IndexOf, Lane, Linear, Mask, Pointer, Tensor

_FEW = 256
"""Scalar reads that take as long as reducing the addresses and waiting for a copy."""
_FAR = (1 << 31) - 1


def worth_a_window(pointer: Pointer, kept: Dims, block: Dims) -> bool:
    """True for a load that is a gather in all its dimensions ``kept``, with enough elements of a width HVX gathers.

    Only the lower words of 64-bit indices are used: addresses have 32 bits.
    """
    type, lanes = pointer.pointee, pointer.linear.lanes
    return (not block and bool(lanes) and not isinstance(pointer.base, Tensor)
            and isinstance(type, ir.IntegerType | ir.FloatType) and element_bytes(type) in WIDTHS
            and all(_is_number(lane) for lane in lanes)
            and prod(pointer.shape[d] for d in kept) >= _FEW)


def load(pointer: Pointer, mask: Mask, other: Tensor, kept: Dims, holds: Int, buffer: ir.Value,
         one_by_one: Callable[[], None]) -> None:
    """Fill ``buffer``, over dimensions ``kept``, from ``pointer`` where ``mask`` and ``holds`` select, ``other``
    elsewhere. ``mask`` has words, not bits.
    """
    i32, index = ir.IntegerType.get_signless(32), ints.index_type()
    shape, sizes = pointer.shape, [pointer.shape[d] for d in kept]
    own = replace(mask, ranges=tuple(r for r in mask.ranges if r.dim in kept), conditions=())
    everywhere = not (own.ranges or own.lanes or own.skewed)
    places, wanted, low, high = _addresses(replace(pointer.linear, offset=0), own, kept, shape)
    first, last = (_extreme(values, sizes, name) for values, name in ((low, "arith.minsi"), (high, "arith.maxsi")))
    limit = most_elements(element_bytes(pointer.pointee), prod(sizes))
    distance = arith.subi(last, first)
    near = ints.both(arith.cmpi(arith.CmpIPredicate.sge, last, first),
                     arith.cmpi(arith.CmpIPredicate.ult, distance, ints.value(limit, i32)))
    branch = scf.IfOp(ints.value(ints.both(holds, near), ir.IntegerType.get_signless(1)), has_else=True)
    with ir.InsertionPoint(branch.then_block):
        count = arith.addi(arith.index_cast(index, distance), ints.value(1, index))
        start = ints.add(pointer.linear.offset, arith.index_cast(index, first), index)
        table = _copied(pointer, start, count, limit)

        def look_up(scalars: Sequence[ir.Value], _: IndexOf) -> Sequence[ir.Value]:
            place = arith.subi(scalars[0], first)
            if not everywhere:
                place = arith.select(_bit(scalars[1]), place, ints.value(0, i32))
            return [tensor.extract(table, [arith.index_cast(index, place)])]

        inputs = [(places, kept)] if everywhere else [(places, kept), (wanted, kept)]
        found = Tensor(pointer.pointee, shape, kept, build.generic(inputs, kept, sizes, [pointer.pointee], look_up)[0])
        if not everywhere:
            found = elementwise.apply([Tensor(i32, shape, kept, wanted), found, other], [pointer.pointee], shape,
                                      lambda c, a, b: arith.select(_bit(c), a, b))[0]
        bufferization.MaterializeInDestinationOp(None, build.dense(found, kept), buffer, restrict=True, writable=True)
        scf.YieldOp([])
    with ir.InsertionPoint(branch.else_block):
        one_by_one()
        scf.YieldOp([])


def _addresses(address: Linear, mask: Mask, kept: Dims, shape: tuple[int, ...]) -> list[ir.Value]:
    """[places, 1 where selected, places where selected and else far above, and else far below], tensors of i32."""
    i32, index_type = ir.IntegerType.get_signless(32), ints.index_type()
    lanes = [*address.lanes, *mask.lanes]
    inputs = [(lane.node.data, lane.dims) for lane in lanes if lane.node.expression is None]

    def body(scalars: Sequence[ir.Value], index: IndexOf) -> Sequence[ir.Value]:
        given = iter(scalars)

        def read(lane: Lane) -> Lane:
            """``lane`` as an input's element, for all indices."""
            if lane.node.expression is not None:
                return lane
            scalar = next(given)
            return Lane(Tensor(scalar.type, lane.node.shape, lane.node.dims, expression=lambda _: scalar), lane.dims,
                        lane.scale)

        here = replace(address, lanes=tuple(read(lane) for lane in address.lanes))
        place = arith.index_cast(i32, ints.value(linear.value_at(here, index_type, index, kept), index_type))
        holds = ints.value(masks.holds_at(replace(mask, lanes=tuple(read(lane) for lane in mask.lanes)), index),
                           ir.IntegerType.get_signless(1))
        return [place, arith.extui(i32, holds), arith.select(holds, place, ints.value(_FAR, i32)),
                arith.select(holds, place, ints.value(-_FAR - 1, i32))]

    return build.generic(inputs, kept, [shape[d] for d in kept], [i32] * 4, body)


def _is_number(lane: Lane) -> bool:
    return isinstance(lane.node.element, ir.IntegerType) or lane.node.expression is not None


def _bit(word: ir.Value) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ne, word, ints.value(0, word.type))


def _extreme(values: ir.Value, sizes: Sequence[int], name: str) -> ir.Value:
    """The smallest or largest of ``values``."""
    node = build.from_compact(build.reshape(values, [prod(sizes)]), ir.IntegerType.get_signless(32), (prod(sizes),))

    def combine(pair: Sequence[ir.Value]) -> Sequence[ir.Value]:
        return [ir.Operation.create(name, results=[pair[0].type], operands=list(pair)).result]

    return build.scalar_of(reduce.reduce([node], 0, combine, name)[0])


def _copied(pointer: Pointer, start: Int, count: ir.Value, limit: int) -> ir.Value:
    """A tensor of ``limit`` elements in TCM; the first ``count`` are those from ``start`` on."""
    space, unknown = memory_space(TCM_SPACE), ir.ShapedType.get_dynamic_size()
    buffer = memref.alloc(ir.MemRefType.get([limit], pointer.pointee, None, space), [], [])
    source = views.part(views.window(pointer.base, start, [limit], [1]), [0], [count], [0])
    part = ir.MemRefType.get([unknown], pointer.pointee, ir.StridedLayoutAttr.get(0, [1]), space)
    memref.CopyOp(source, memref.SubViewOp(part, buffer, [], [count], [], [0], [unknown], [1]).result)
    type = ir.RankedTensorType.get([limit], pointer.pointee)
    return bufferization.ToTensorOp(type, buffer, restrict=True).result
