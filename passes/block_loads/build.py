"""Writes the load of all blocks in front of the loop that loaded them one by one."""

from __future__ import annotations

from dataclasses import replace

from hexagon_mlir.ir import arith, bufferization, ir, make, memref, scf
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.block_loads.growth import BOUNDS
from hexagon_mlir.passes.block_loads.read import BlockLoad, Rest, Window, trips
from hexagon_mlir.passes.lib.pure_slices import Mapping, clone, pure_slice


def load_whole(load: BlockLoad, loop: ir.Operation) -> ir.Value:
    """The tensor that ``loop`` collects, loaded at the insertion point, before the loop."""
    count = trips(loop)
    assert count is not None
    shape = [size * count if dim == load.axis else size for dim, size in enumerate(load.shape)]
    mapping: Mapping = dict(zip(loop.regions[0].blocks[0].arguments,
                                [loop.operands[0], *list(loop.operands)[BOUNDS:]], strict=True))
    window = replace(load.window, strides=_all_at_first(load.window.strides, loop, mapping))
    sizes = _all_at_first([0 if dim == load.axis else size for dim, size in enumerate(window.sizes)], loop, mapping)
    most = shape[load.axis]
    sizes[load.axis] = most if load.rest is None else _what_is_left(load.rest, most, loop, mapping)
    element = ir.MemRefType(load.window.base.type).element_type
    buffer = memref.alloc(ir.MemRefType.get(shape, element), [], [])
    if load.filler is not None:
        _fill_unless_whole(_at_first(load.filler, loop, mapping), buffer, sizes, shape)
    offset = window.offset
    assert isinstance(offset, ir.Value)
    source = _pointed(window, _at_first(offset, loop, mapping), shape)
    memref.CopyOp(_part(source, sizes, shape), _part(buffer, sizes, shape))
    type_ = ir.RankedTensorType.get(shape, element)
    return bufferization.ToTensorOp(type_, buffer, restrict=True, writable=True).result


def _at_first(value: ir.Value, loop: ir.Operation, mapping: Mapping) -> ir.Value:
    """``value`` in the first iteration of ``loop``."""
    for op in pure_slice([value], loop.regions[0].blocks[0], mapping) or []:
        if op.results[0] not in mapping:
            clone(op, mapping)
    return mapping.get(value, value)


def _all_at_first(values: list[int | ir.Value], loop: ir.Operation, mapping: Mapping) -> list[int | ir.Value]:
    return [value if isinstance(value, int) else _at_first(value, loop, mapping) for value in values]


def _what_is_left(rest: Rest, most: int, loop: ir.Operation, mapping: Mapping) -> int | ir.Value:
    """Elements from the first block's start to the end, from 0 to ``most``."""
    start = _at_first(rest.start, loop, mapping)
    numbers = _number(rest.end), _number(start)
    if numbers[0] is not None and numbers[1] is not None:
        return max(min(numbers[0] - numbers[1], most), 0)
    left = make.subi(rest.end, start)
    type_ = left.type
    left = arith.maxsi(arith.minsi(left, arith.constant(type_, most)), arith.constant(type_, 0))
    return left if isinstance(type_, ir.IndexType) else arith.index_cast(ir.IndexType.get(), left)


def _number(value: ir.Value) -> int | None:
    """The constant that ``value`` is, or a cast of."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name == "arith.index_cast":
        value = value.owner.operation.operands[0]
    return constant_value(value)


def _fill_unless_whole(filler: ir.Value, buffer: ir.Value, sizes: list[int | ir.Value], shape: list[int]) -> None:
    """Fill ``buffer`` with ``filler`` if less than all of it will be loaded."""
    if any(isinstance(size, int) and size != whole for size, whole in zip(sizes, shape, strict=True)):
        make.fill(filler, buffer)
        return
    missing = [arith.cmpi(arith.CmpIPredicate.ne, size, index(whole))
               for size, whole in zip(sizes, shape, strict=True) if isinstance(size, ir.Value)]
    if not missing:
        return
    some = missing[0]
    for other in missing[1:]:
        some = arith.ori(some, other)
    branch = scf.IfOp(some)
    with ir.InsertionPoint(branch.then_block):
        make.fill(filler, buffer)
        scf.YieldOp([])


def _pointed(window: Window, offset: ir.Value, shape: list[int]) -> ir.Value:
    """All of the memory from ``offset`` on that has ``shape`` and the strides of ``window``."""
    dynamic, any_stride = ir.ShapedType.get_dynamic_size(), ir.ShapedType.get_dynamic_stride_or_offset()
    strides = [stride if isinstance(stride, int) else any_stride for stride in window.strides]
    layout = ir.StridedLayoutAttr.get(any_stride, strides)
    type_ = ir.MemRefType.get(shape, ir.MemRefType(window.base.type).element_type, layout=layout)
    return memref.ReinterpretCastOp(type_, window.base, [offset], [],
                                    [stride for stride in window.strides if isinstance(stride, ir.Value)],
                                    [dynamic], shape, strides).result


def _part(buffer: ir.Value, sizes: list[int | ir.Value], shape: list[int]) -> ir.Value:
    """The first ``sizes`` elements of ``buffer``."""
    if sizes == shape:
        return buffer
    type_, dynamic = ir.MemRefType(buffer.type), ir.ShapedType.get_dynamic_size()
    strides, start = type_.get_strides_and_offset()
    static = [size if isinstance(size, int) else dynamic for size in sizes]
    result = ir.MemRefType.get(static, type_.element_type, layout=ir.StridedLayoutAttr.get(start, strides))
    return memref.SubViewOp(result, buffer, [], [size for size in sizes if isinstance(size, ir.Value)], [],
                            [0] * len(shape), static, [1] * len(shape)).result
