"""Operands with a small stride along the vectorized loop, perhaps a negative one.

A vector of every ``k``-th element is made from ``k`` contiguous vectors (`strides`); one of negative stride is reversed
in registers, which is one ``vdelta``. The elements in between are read, never written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, memref, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import in_tcm
from hexagon_mlir.passes.lib.tail import Tail, concatenate, shifted, zeros
from hexagon_mlir.passes.vectorization.masks import emit_uniform
from hexagon_mlir.passes.vectorization.strides import Phases, spread


@dataclass(frozen=True)
class StridedView:
    """A contiguous buffer of an operand's elements and those in between; the vectorized dimension is last.

    ``stride``: elements from one index of dimension ``position`` to the next; ``backward`` when it is negative.
    ``last`` gives, for each dimension of the operand, its last index where the buffer counts down from it.
    """

    buffer: ir.Value
    stride: int
    backward: bool
    position: int
    last: tuple[ir.Value | None, ...]

    def indices(self, at: Sequence[ir.Value]) -> list[ir.Value]:
        """The indices in the buffer of the operand's element ``at``."""
        found = [i if last is None else arith.subi(last, i) for i, last in zip(at, self.last, strict=True)]
        along = found.pop(self.position)
        return [*found, arith.muli(along, index(self.stride)) if self.stride > 1 else along]

    def load(self, type_: ir.VectorType, at: Sequence[ir.Value], bits: int, native: int, tail: Tail | None) -> ir.Value:
        """``type_`` of elements from ``at`` on; ``native`` elements are one HVX vector.

        No memory after the last of them is read, except in TCM, where allocations are padded by one vector.
        """
        first, element, parts = self.indices(at), type_.element_type, []
        in_ddr, last = not in_tcm(ir.MemRefType(self.buffer.type)), type_.shape[0] - native
        starts = range(0, type_.shape[0], native)
        for start in reversed(starts) if self.backward else starts:  # the hardware prefetches ascending addresses
            part = None if tail is None else tail.part(start, native, bits)
            if part is not None and part.static == 0:
                parts.append(zeros(ir.VectorType.get([native], element)))
                continue
            here, valid = self._start(first, start, native, part)
            whole = ir.VectorType.get([self.stride * native], element)
            if part is not None:
                loaded = part.with_elements_between(self.stride).load_parts(whole, self.buffer, here, bits, bits // 8)
            else:
                overlap = (self.stride - 1) * (in_ddr and (self.backward or start == last))
                loaded = self._load_neighbours(element, here, bits, native, overlap)
            parts.append(self._reversed(Phases(loaded)[0], valid, bits))
        return concatenate(parts[::-1] if self.backward else parts)

    def store(self, value: ir.Value, at: Sequence[ir.Value], bits: int, native: int, tail: Tail | None) -> None:
        """Store the valid elements of ``value``, nothing else."""
        first, lanes = self.indices(at), ir.VectorType(value.type).shape[0]
        for start in range(0, lanes, native):
            part = None if tail is None else tail.part(start, native, bits)
            if part is not None and part.static == 0:
                break
            here, valid = self._start(first, start, native, part)
            one = value if lanes == native else vector.shuffle(value, value, list(range(start, start + native)))
            apart = spread(self._reversed(one, valid, bits), self.stride)
            if self.stride > 1:
                stored = part or Tail(index(native), native, native, bits)
                stored.with_elements_between(self.stride).store_every(apart, self.stride, self.buffer, here, bits)
            elif part is not None:
                part.store(apart[0], self.buffer, here, bits, bits // 8)
            else:
                vector.store(apart[0], self.buffer, here, alignment=bits // 8)

    def _start(self, first: Sequence[ir.Value], start: int, native: int, part: Tail | None,
               ) -> tuple[list[ir.Value], int | ir.Value]:
        """(lowest index of the part that begins at lane ``start``, number of its elements)."""
        if part is not None and part.static is None:
            moved = index(start * self.stride)
            if self.backward:
                moved = arith.muli(arith.addi(part.valid, index(start - 1)), index(-self.stride))
            if start or self.backward:  # the address of an empty part does not matter
                some = arith.cmpi(arith.CmpIPredicate.sgt, part.valid, index(0))
                return [*first[:-1], arith.addi(first[-1], arith.select(some, moved, index(0)))], part.valid
            return list(first), part.valid
        count = native if part is None or part.static is None else part.static
        return shifted(first, -(start + count - 1) * self.stride if self.backward else start * self.stride), count

    def _load_neighbours(self, element: ir.Type, here: Sequence[ir.Value], bits: int, native: int,
                         overlap: int) -> list[ir.Value]:
        type_ = ir.VectorType.get([native], element)
        starts = list(range(0, self.stride * native, native))
        starts[-1] -= overlap
        loaded = [vector.load(type_, self.buffer, shifted(here, start), alignment=bits // 8) for start in starts]
        if overlap:
            loaded[-1] = vector.shuffle(loaded[-1], loaded[-1], [(lane + overlap) % native
                                                                 for lane in range(native)])
        return loaded

    def _reversed(self, value: ir.Value, valid: int | ir.Value, bits: int) -> ir.Value:
        """The first ``valid`` lanes, in reverse order for a negative stride."""
        if not self.backward:
            return value
        lanes = int(ir.VectorType(value.type).shape[0])
        if isinstance(valid, int):
            return vector.shuffle(value, value, [(valid - 1 - lane) % lanes for lane in range(lanes)])
        backwards, step = vector.shuffle(value, value, list(range(lanes))[::-1]), 1
        left = arith.subi(index(lanes), valid)
        while step < lanes:  # rotated by any number, bit by bit
            moved = vector.shuffle(backwards, backwards, [(lane + step) % lanes for lane in range(lanes)])
            wanted = arith.cmpi(arith.CmpIPredicate.ne, arith.andi(left, index(step)), index(0))
            backwards = arith.select(emit_uniform(wanted, bits, lanes, lanes), moved, backwards)
            step *= 2
        return backwards


def strided_view(value: ir.Value, position: int) -> StridedView:
    """``value``, whose strides are known, with the elements between its own along dimension ``position``."""
    type_, dynamic = ir.MemRefType(value.type), ir.ShapedType.get_dynamic_size()
    strides, offset = type_.get_strides_and_offset()
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    stride = abs(strides[position])
    sizes = [memref.dim(value, index(d)) if size == dynamic else size for d, size in enumerate(type_.shape)]
    start: int | ir.Value = offset if offset != unknown else memref.ExtractStridedMetadataOp(value).offset
    last: list[ir.Value | None] = [None] * type_.rank
    for d, step in enumerate(strides):
        if step < 0:
            size = sizes[d]
            last[d] = index(size - 1) if isinstance(size, int) else arith.subi(size, index(1))
            if isinstance(size, int) and isinstance(start, int):
                start += (size - 1) * step
            else:
                start = arith.addi(start if isinstance(start, ir.Value) else index(start),
                                   arith.muli(last[d], index(step)))
    if isinstance(start, int) and start < 0:  # a negative static offset is not valid in MLIR
        start = index(start)
    order = [d for d in range(type_.rank) if d != position] + [position]
    along = sizes[position]
    sizes[position] = ((along - 1) * stride + 1 if isinstance(along, int) else
                       arith.addi(arith.muli(arith.subi(along, index(1)), index(stride)), index(1)))
    static_sizes = [size if isinstance(size := sizes[d], int) else dynamic for d in order]
    static_strides = [abs(strides[d]) for d in order[:-1]] + [1]
    static_offset = start if isinstance(start, int) else unknown
    result = ir.MemRefType.get(static_sizes, type_.element_type,
                               ir.StridedLayoutAttr.get(static_offset, static_strides), type_.memory_space)
    buffer = memref.ReinterpretCastOp(
        result, value, [] if isinstance(start, int) else [start],
        [sizes[d] for d in order if not isinstance(sizes[d], int)], [], [static_offset], static_sizes,
        static_strides).result
    return StridedView(buffer, stride, strides[position] < 0, position, tuple(last))
