"""Results that loops may store to DDR, through the cache, instead of to TCM with a copy at the end of the function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, root_buffer, start_alignment, uses_of_buffer
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import element_bytes, in_tcm, input_count, static_bytes
from hexagon_mlir.passes.lib.buffer_accesses import BufferAccess
from hexagon_mlir.targets import Target

_LEAST_VECTORS = 96
"""Measured: the kernels of small transformers take 1 to 2 % longer where results of 8 vectors are stored so, and less
from 128 on: the choice takes about as long as the core copies a few kilobytes."""
_OF_CACHE = 4
"""A result may take this part of the second-level cache, which keeps it: beyond, lines that it replaces are written."""


@dataclass(frozen=True)
class CachedResult:
    """``copy``, of all of ``buffer``, which is allocated in TCM, to elements of an argument that follow one another.
    ``first`` is the first operation of its block that uses the buffer."""

    copy: ir.Operation
    buffer: ir.Value
    first: ir.Operation


def cached_results(block: ir.Block, target: Target) -> list[CachedResult]:
    """Those of a function's ``block``: copies after which it only copies and frees memory, of results that nothing
    reads, and that parallel loops store in whole lines."""
    line, vector = int(target.l2_line_bytes.value), int(target.vector_bytes.value)
    sizes = range(_LEAST_VECTORS * vector, most_cached_bytes(target) + 1)
    operations = [view.operation for view in block.operations]
    found = []
    for op in _last_copies(operations):
        buffer = root_buffer(op.operands[0])
        if static_bytes(buffer.type) in sizes and _is_whole(op, buffer, line) and _only_stored(op, buffer, line):
            users = {ancestor_in(use.owner.operation, block) for use in buffer.uses}
            first = next(other for other in operations if other in users)
            if _left_alone(op, first):
                found.append(CachedResult(op, buffer, first))
    return found


def most_cached_bytes(target: Target) -> int:
    """What a result may have to be stored so."""
    return int(target.l2_bytes.value) // _OF_CACHE


def _last_copies(operations: Sequence[ir.Operation]) -> list[ir.Operation]:
    found = []
    for op in reversed(operations):
        if op.name == "memref.copy":
            buffer, result = root_buffer(op.operands[0]), root_buffer(op.operands[1])
            if _is_made_by(buffer, "memref.alloc") and in_tcm(buffer.type) and isinstance(result.owner, ir.Block):
                found.append(op)
        elif op.name not in _WITHOUT_EFFECT:
            break
    return found


_WITHOUT_EFFECT = VIEWS | {"memref.dealloc", "func.return", "arith.constant"}


def _is_made_by(value: ir.Value, name: str) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == name


def _is_whole(copy: ir.Operation, buffer: ir.Value, line: int) -> bool:
    """Whether ``copy`` moves all of ``buffer``, whole lines of more than one dimension, to elements of an argument that
    follow one another."""
    source, target = (ir.MemRefType(value.type) for value in copy.operands)
    nbytes = static_bytes(source) or 0
    offset = target.get_strides_and_offset()[1]
    return (nbytes == static_bytes(buffer.type) and (nbytes % line == 0 or source.rank == 1)
            and in_order(target) and in_order(source)
            and offset != ir.ShapedType.get_dynamic_stride_or_offset() and not in_tcm(target)
            and ir.MemRefType(copy.operands[1].type).element_type == ir.MemRefType(buffer.type).element_type
            and in_order(ir.MemRefType(buffer.type)))


def in_order(type_: ir.MemRefType) -> bool:
    """Whether all elements follow one another, row by row."""
    return type_.has_static_shape and _run(type_) == prod(type_.shape)


def _run(type_: ir.MemRefType) -> int:
    """How many elements follow one another along the last dimensions of a buffer of static shape."""
    run = 1
    for size, stride in reversed(list(zip(type_.shape, type_.get_strides_and_offset()[0], strict=True))):
        if size != 1:
            if stride != run:
                break
            run *= size
    return run


def _only_stored(copy: ir.Operation, buffer: ir.Value, line: int) -> bool:
    """Whether all else that is done to ``buffer`` is that parallel loops store whole lines."""
    for use in uses_of_buffer(buffer):
        op = use.owner.operation
        if op == copy or op.name == "memref.dealloc":
            continue
        if op.name in VIEWS:
            if op.name not in _RETYPED or use.operand_number:
                return False
        elif not (op.name.startswith("linalg.") and _stores_lines(op, use.operand_number, line)):
            return False
    return True


_RETYPED = ("memref.subview", "memref.expand_shape", "memref.collapse_shape")


def _stores_lines(op: ir.Operation, number: int, line: int) -> bool:
    """Whether operand ``number`` of ``op`` is a result whose lines parallel loops write as a whole, and do not read.
    Look-ups keep their result: HVX gathers into TCM only."""
    body, type_ = op.regions[0].blocks[0], ir.MemRefType(op.operands[number].type)
    if any(inner.operation.name == "memref.load" for inner in body.operations):
        return False
    if number < input_count(op) or any(True for _ in body.arguments[number].uses) or not _is_parallel(op):
        return False
    width = element_bytes(type_.element_type)
    strides = type_.get_strides_and_offset()[0]
    if strides == [1]:  # a line that is filled in part belongs to no other part that begins a line
        return start_alignment(op.operands[number], line) % line == 0
    if not type_.has_static_shape:
        return False
    return in_lines([(size, stride * width) for size, stride in zip(type_.shape, strides, strict=True)], width, line)


def in_lines(dims: Sequence[tuple[int, int]], width: int, line: int) -> bool:
    """Whether loops over ``dims``, sizes and distances in bytes of a buffer of elements of ``width`` bytes, fill each
    ``line`` before the next one: elements that fill lines follow one another, and all else is whole lines apart.

    >>> in_lines([(8, 384), (3, 128), (64, 2)], 2, 128), in_lines([(8, 192), (96, 2)], 2, 128)
    (True, False)
    """
    dims, run = [(size, stride) for size, stride in dims if size != 1], width
    while dims and run < line and dims[-1][1] == run and (line % run == 0):
        run *= dims.pop()[0]
    return run % line == 0 and all(stride % line == 0 for _, stride in dims)


def _is_parallel(op: ir.Operation) -> bool:
    if op.name == "linalg.transpose":
        return True
    kinds = op.attributes["iterator_types"] if op.name == "linalg.generic" else None
    return kinds is not None and all("parallel" in str(kind) for kind in ir.ArrayAttr(kinds))


def _left_alone(copy: ir.Operation, first: ir.Operation) -> bool:
    """Whether nothing from ``first`` on accesses the argument that ``copy`` writes, but copies to other parts of it."""
    own = BufferAccess(copy, copy.operands[1], True)
    for use in uses_of_buffer(own.root):
        op = use.owner.operation
        place = ancestor_in(op, copy.block)
        if op == copy or op.name in VIEWS or place is None or place.is_before_in_block(first):
            continue
        written = BufferAccess(op, op.operands[1], True) if op.name == "memref.copy" and use.operand_number else None
        if written is None or own.may_overlap(written):
            return False
    return True
