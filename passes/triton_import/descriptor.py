"""Tensor descriptors: a block at given offsets of a tensor in memory, clipped at the tensor's edges."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import atomic, elementwise, ints, linear, masks, memory, shapes
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Descriptor, Known, Linear, Mask, Pointer, Range, Tensor

_RMW = {1: (4, 4), 2: (7, 9), 3: (6, 8), 6: (1, 1), 7: (2, 2), 8: (3, 3)}
"""TTIR's kinds of descriptor reductions as the numbers of atomic operations: (signed, unsigned) integers."""
_ADD, _FLOAT_ADD = 1, 5


def make(model: Descriptor, base: Known, sizes: Sequence[Tensor], strides: Sequence[Tensor],
         pad_nan: Int) -> Descriptor:
    """A descriptor of type ``model`` over the tensor at ``base``."""
    if not isinstance(base, Pointer):
        raise Unsupported("the base is no pointer")
    return Descriptor(base.base, model.pointee, model.block, _indices(sizes), _indices(strides), base.linear.offset,
                      pad_nan, model.unsigned)


def load(source: Descriptor, offsets: Sequence[Tensor], shape: tuple[int, ...]) -> Known:
    """The block at ``offsets``; elements outside of the tensor are the padding."""
    pointer, mask = _block(source, _indices(offsets))
    return shapes.reshape(memory.load(pointer, mask, _padding(source, source.block)), shape)


def store(target: Descriptor, value: Tensor, offsets: Sequence[Tensor]) -> None:
    """Write ``value`` to the part of the block at ``offsets`` that is in the tensor."""
    pointer, mask = _block(target, _indices(offsets))
    block = shapes.reshape(value, target.block)
    assert isinstance(block, Tensor)
    memory.store(pointer, block, mask)


def reduce(target: Descriptor, value: Tensor, offsets: Sequence[Tensor], kind: int) -> None:
    """Combine ``value`` with the block at ``offsets``."""
    if kind not in _RMW:
        raise Unsupported(f"descriptor reduction number {kind}")
    number = _RMW[kind][target.unsigned]
    if not isinstance(target.pointee, ir.IntegerType):
        if kind != _ADD:
            raise Unsupported("a minimum, maximum or bitwise reduction of floats",
                              "reduce integers, or use tl.atomic_min and tl.atomic_max on pointers")
        number = _FLOAT_ADD
    pointer, mask = _block(target, _indices(offsets))
    block = shapes.reshape(value, target.block)
    assert isinstance(block, Tensor)
    atomic.update(pointer, [block], mask, atomic.rmw(number))


def gather(source: Descriptor, rows: Tensor, column: Tensor) -> Tensor:
    """The block (len(rows), columns) of ``rows``, from ``column`` on; rows outside are padding."""
    shape = (rows.shape[0], source.block[1])
    pointer, mask = _rows(source, rows, column, shape)
    return memory.load(pointer, mask, _padding(source, shape))


def scatter(target: Descriptor, value: Tensor, rows: Tensor, column: Tensor) -> None:
    """Write the rows of ``value`` to ``rows``, from ``column`` on."""
    pointer, mask = _rows(target, rows, column, value.shape)
    memory.store(pointer, value, mask)


def _block(target: Descriptor, offsets: Sequence[Int]) -> tuple[Pointer, Mask]:
    index = ints.index_type()
    start = target.offset
    mask = Mask()
    for dim, (offset, stride, size) in enumerate(zip(offsets, target.strides, target.sizes, strict=True)):
        start = ints.add(start, ints.mul(offset, stride, index), index)
        mask = masks.both(mask, _inside(dim, offset, size, target.block[dim]))
    pointer = Pointer(target.base, target.pointee, target.block, Linear(start, _steps(target.strides, target.block)))
    return pointer, mask


def _rows(target: Descriptor, rows: Tensor, column: Tensor, shape: tuple[int, ...]) -> tuple[Pointer, Mask]:
    index, bit = ints.index_type(), ir.IntegerType.get_signless(1)
    first, = _indices([column])
    wide = shapes.broadcast(shapes.expand_dims(rows, 1), shape)
    assert isinstance(wide, Tensor)
    address = linear.converted(linear.linear_of(wide), rows.element, index)
    address = linear.scaled(address, target.strides[0], index)
    start = ints.add(target.offset, ints.mul(first, target.strides[1], index), index)
    columns = Linear(start, (0, *_steps(target.strides[1:], shape[1:])))
    pointer = Pointer(target.base, target.pointee, shape, linear.added(address, columns, index))

    def inside(row: ir.Value) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.ult, ints.value(ints.cast(row, row.type, index), index),
                          ints.value(target.sizes[0], index))

    selected = elementwise.apply([wide], [bit], shape, inside, cheap=True)[0]
    mask = masks.both(masks.mask_of(selected), _inside(1, first, target.sizes[1], shape[1]))
    return pointer, mask


def _inside(dim: int, offset: Int, size: Int, extent: int) -> Mask:
    """Which indices i of ``dim`` have 0 <= offset + i < size; an i1 condition where there is only one."""
    index = ints.index_type()
    if extent == 1:
        return Mask(conditions=(ints.both(ints.compare(arith.CmpIPredicate.sle, 0, offset, index),
                                          ints.compare(arith.CmpIPredicate.slt, offset, size, index)),))

    def clamped(x: Int) -> Int:
        return ints.larger(ints.smaller(x, extent, index), 0, index)

    return Mask(ranges=(Range(dim, clamped(ints.sub(0, offset, index)), clamped(ints.sub(size, offset, index))),))


def _steps(strides: Sequence[Int], shape: Sequence[int]) -> tuple[Int, ...]:
    return tuple(stride if extent != 1 else 0 for stride, extent in zip(strides, shape, strict=True))


def _padding(source: Descriptor, shape: tuple[int, ...]) -> Tensor:
    zero = arith.constant(source.pointee, memory.zero(source.pointee))
    if isinstance(source.pointee, ir.IntegerType) or ints.same(source.pad_nan, 0):
        return Tensor(source.pointee, shape, (), zero)
    nan = arith.constant(source.pointee, ir.FloatAttr.get(source.pointee, float("nan")))
    if not ints.known(source.pad_nan):
        nan = arith.select(source.pad_nan, nan, zero)
    return Tensor(source.pointee, shape, (), nan)


def select(condition: Int, a: Descriptor, b: Descriptor) -> Descriptor:
    """``a`` when ``condition`` (i1) holds, else ``b``."""
    index, bit = ints.index_type(), ir.IntegerType.get_signless(1)
    numbers = [x if ints.same(x, y) else ints.choose(condition, x, y, index)
               for x, y in zip(a.numbers, b.numbers, strict=True)]
    pad = a.pad_nan if ints.same(a.pad_nan, b.pad_nan) else ints.choose(condition, a.pad_nan, b.pad_nan, bit)
    base = a.base if a.base == b.base else arith.select(ints.value(condition, bit), a.base, b.base)
    return a.rebuilt(base, numbers, pad)


def _indices(numbers: Sequence[Tensor]) -> tuple[Int, ...]:
    index = ints.index_type()
    return tuple(ints.cast(_scalar(n), n.element, index) for n in numbers)


def _scalar(node: Tensor) -> Int:
    if node.data is None:
        raise Unsupported("an offset that is no scalar")
    return node.data
