"""Emits masked copies: finds the first and the last selected iteration, then copies vectors between them.

HVX accesses whole vectors, even where no lane is selected, and memory that the mask leaves out may not be mapped.
Between two selected elements of a row it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.ir import arith, ir, memref, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.horizontal_reductions import reduce_lanes
from hexagon_mlir.passes.lib.segments import Segment, for_loop, segments, when
from hexagon_mlir.passes.lib.tail import Tail, zeros
from hexagon_mlir.passes.masked_copies.match import MaskedCopy

_WORD = 32
_UNROLL = 2  # independent vectors per iteration


def emit(copy: MaskedCopy, vector_bytes: int) -> None:
    """The vector loops, at the insertion point."""
    words, lanes = vector_bytes * 8 // _WORD, vector_bytes * 8 // copy.bits
    lower = copy.loop.lowerBound
    first, last = _selected(copy, lower, words)

    def copied(_: list[ir.Value]) -> list[ir.Value]:
        begin = arith.addi(lower, first)
        count = arith.addi(arith.subi(last, first), index(1))
        unroll = _UNROLL if copy.most is None or copy.most > _UNROLL * lanes else 1
        for segment in ([Segment(index(0), count, lanes, True)] if copy.most is not None and copy.most <= lanes
                        else segments(None, count, lanes, unroll)):
            _each(segment, lanes, copy.bits, begin, lambda at, tail: _copy(copy, at, tail, lanes))
        return []

    when(arith.cmpi(arith.CmpIPredicate.sge, last, index(0)), [], copied)


def _selected(copy: MaskedCopy, lower: ir.Value, words: int) -> tuple[ir.Value, ir.Value]:
    """The first and the last iteration that is selected, counted from ``lower``; -1 for the last when none is."""
    i32 = ir.IntegerType.get_signless(_WORD)
    type_ = ir.VectorType.get([words], i32)

    def splat(number: int) -> ir.Value:
        return arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(i32, number)))

    lane = ir.DenseElementsAttr.get([ir.IntegerAttr.get(i32, number) for number in range(words)], type_)
    numbers, none, far = arith.constant(type_, lane), splat(-1), splat(-(1 << 30))
    carried = [none, far]
    count = arith.maxsi(arith.subi(copy.loop.upperBound, lower), index(0))
    for segment in segments(copy.count, count, words):
        tail = segment.tail(_WORD)

        def look(iv: ir.Value, seen: list[ir.Value], tail: Tail | None = tail) -> Sequence[ir.Value]:
            on = arith.cmpi(arith.CmpIPredicate.ne, _words(copy, arith.addi(lower, iv), tail, words), splat(0))
            here = arith.addi(numbers, vector.broadcast(type_, arith.index_cast(i32, iv)))
            return [arith.maxsi(seen[0], arith.select(on, here, none)),
                    arith.maxsi(seen[1], arith.select(on, arith.subi(splat(0), here), far))]

        carried = (list(look(segment.lower, carried)) if segment.masked
                   else for_loop(segment.lower, segment.upper, segment.width, carried, look))
    last, first = reduce_lanes("arith.maxsi", [[v] for v in carried], words)
    first = arith.subi(arith.constant(i32, 0), first)
    return tuple(arith.index_cast(ir.IndexType.get(), v) for v in (first, last))  # type: ignore[return-value]


def _each(segment: Segment, lanes: int, bits: int, begin: ir.Value,
          inside: Callable[[ir.Value, Tail | None], None]) -> None:
    if segment.masked:
        inside(arith.addi(begin, segment.lower), segment.tail(bits))
        return

    def step(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        for start in range(0, segment.width, lanes):
            inside(arith.addi(begin, arith.addi(iv, index(start)) if start else iv), None)
        return []

    for_loop(segment.lower, segment.upper, segment.width, [], step)


def _copy(copy: MaskedCopy, at: ir.Value, tail: Tail | None, lanes: int) -> None:
    element = ir.MemRefType(copy.store.operands[1].type).element_type
    type_ = ir.VectorType.get([lanes], element)
    number = ir.VectorType.get([lanes], ir.IntegerType.get_signless(copy.bits))
    words = _words(copy, at, tail, lanes)
    if copy.bits != _WORD:
        words = arith.trunci(number, words)
    mask = arith.cmpi(arith.CmpIPredicate.ne, words, zeros(number))
    if copy.source is None:
        value = vector.broadcast(type_, _clone(copy, copy.store.operands[0], at, {}))
    else:
        memory, place = _place(copy, copy.source.operands[0], list(copy.source.operands)[1:], at, lanes)
        if not copy.private_source:
            value = vector.maskedload(type_, memory, place, mask, zeros(type_), alignment=copy.bits // 8)
        elif tail is not None:
            value = tail.load(type_, memory, place, copy.bits, copy.bits // 8)
        else:
            value = vector.load(type_, memory, place, alignment=copy.bits // 8)
    memory, place = _place(copy, copy.store.operands[1], list(copy.store.operands)[2:], at, lanes)
    vector.maskedstore(memory, place, mask, value, alignment=copy.bits // 8)


def _words(copy: MaskedCopy, at: ir.Value, tail: Tail | None, lanes: int) -> ir.Value:
    """``lanes`` words of the mask from iteration ``at`` on, 0 after the valid ones."""
    type_ = ir.VectorType.get([lanes], ir.IntegerType.get_signless(_WORD))
    total: ir.Value | None = None
    for load in copy.loads:
        memory, place = _place(copy, load.operands[0], list(load.operands)[1:], at, lanes)
        words = (vector.load(type_, memory, place, alignment=_WORD // 8) if tail is None
                 else tail.load(type_, memory, place, _WORD, _WORD // 8))
        total = words if total is None else arith.andi(total, words)
    assert total is not None
    return total


def _place(copy: MaskedCopy, memory: ir.Value, indices: Sequence[ir.Value], at: ir.Value,
           lanes: int) -> tuple[ir.Value, list[ir.Value]]:
    """(memory, indices) in iteration ``at``; a one-element view is widened to a vector's elements."""
    done: dict[ir.Value, ir.Value] = {}
    owner = memory.owner
    if isinstance(owner, ir.Block) or not _inside(copy, owner.operation):
        return memory, [_clone(copy, i, at, done) for i in indices]
    view, old = owner.operation, ir.MemRefType(memory.type)
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    type_ = ir.MemRefType.get([lanes], old.element_type, ir.StridedLayoutAttr.get(unknown, [1]), old.memory_space)
    offset = _clone(copy, view.operands[1], at, done)
    return memref.ReinterpretCastOp(type_, view.operands[0], [offset], [], [], [unknown], [lanes],
                                    [1]).result, [index(0)]


def _inside(copy: MaskedCopy, op: ir.Operation) -> bool:
    return op.block == copy.loop.body or op.block == copy.store.block


def _clone(copy: MaskedCopy, value: ir.Value, at: ir.Value, done: dict[ir.Value, ir.Value]) -> ir.Value:
    """``value`` in iteration ``at``, at the insertion point."""
    if value == copy.loop.induction_variable:
        return at
    if isinstance(value.owner, ir.Block) or not _inside(copy, value.owner.operation):
        return value
    if value not in done:
        operands = [_clone(copy, operand, at, done) for operand in value.owner.operation.operands]
        again = value.owner.operation.clone().operation
        for number, operand in enumerate(operands):
            again.operands[number] = operand
        done[value] = again.results[0]
    return done[value]
