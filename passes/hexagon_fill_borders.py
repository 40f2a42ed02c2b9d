"""Frames of padded images are filled where the image will not be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from hexagon_mlir.dialects.double_buffering import FETCH
from hexagon_mlir.ir import erase_op, ir, linalg, memref
from hexagon_mlir.ir.buffers import VIEWS, root_buffer, uses_of_buffer
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import element_bytes, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext

_WORTH = 2  # times the elements of the border: else one long fill is as good
_PART_STORES = 3
"""How many stores of whole vectors take as long as one of a part of a vector, in a row of its own."""


@dataclass(frozen=True)
class Run:
    """``rows`` times ``length`` neighbouring elements, ``pitch`` apart, the first at ``start``."""

    start: int
    rows: int
    pitch: int
    length: int

    @property
    def count(self) -> int:
        """Elements in all."""
        return self.rows * self.length

    def stores(self, lanes: int) -> int:
        """Stores of vectors of so many ``lanes`` that fill it, or as long as these take."""
        return self.rows * -(-self.length // lanes) * (_PART_STORES if self.rows > 1 and self.length % lanes else 1)


def border(total: int, offset: int, sizes: Sequence[int], strides: Sequence[int]) -> list[Run] | None:
    """What a block of ``sizes`` and ``strides``, ``offset`` elements from the start, leaves of ``total`` elements.

    What is after one row's end and before the next one's start is one run. None for blocks that are no rows.
    """
    if 0 in sizes:
        return None
    dims = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size > 1]
    merged: list[tuple[int, int]] = []
    for size, stride in dims:
        if merged and merged[-1][1] == size * stride:
            merged[-1] = (merged[-1][0] * size, stride)
        else:
            merged.append((size, stride))
    length = merged.pop()[0] if merged and merged[-1][1] == 1 else 1
    if len(merged) > 1 or (merged and merged[0][1] < length):
        return None
    rows, pitch = merged[0] if merged else (1, length)
    end = offset + (rows - 1) * pitch + length
    runs = [Run(0, 1, offset, offset), Run(offset + length, rows - 1, pitch, pitch - length),
            Run(end, 1, total - end, total - end)]
    return [run for run in runs if run.count]


@dataclass(frozen=True)
class HexagonFillBordersPass(Pass):
    """Fills only the border of a padded image, which a copy into the middle of the buffer does not write.

    The border at the end of a row and the one at the start of the next row are contiguous in memory, so one fill writes
    both. Fill and copy then write disjoint elements. The fill follows the copy, whose transfer may run meanwhile; not
    where double buffering has a place for the copy.

    Before:
        func.func @f(%x: memref<6x80xf32>, %c: f32) {
          %a = memref.alloc() : memref<8x96xf32, 1>
          linalg.fill ins(%c : f32) outs(%a : memref<8x96xf32, 1>)
          %v = memref.subview %a[1, 8] [6, 80] [1, 1]
            : memref<8x96xf32, 1> to memref<6x80xf32, strided<[96, 1], offset: 104>, 1>
          memref.copy %x, %v : memref<6x80xf32> to memref<6x80xf32, strided<[96, 1], offset: 104>, 1>
          return
        }

    After:
        func.func @f(%arg0: memref<6x80xf32>, %arg1: f32) {
          %alloc = memref.alloc() : memref<8x96xf32, 1>
          %subview = memref.subview %alloc[1, 8] [6, 80] [1, 1] : memref<8x96xf32, 1> to memref<6x80xf32,
            strided<[96, 1], offset: 104>, 1>
          memref.copy %arg0, %subview : memref<6x80xf32> to memref<6x80xf32, strided<[96, 1], offset: 104>, 1>
          %collapse_shape = memref.collapse_shape %alloc [[0, 1]] : memref<8x96xf32, 1> into memref<768xf32, 1>
          %subview_0 = memref.subview %collapse_shape[0] [104] [1] : memref<768xf32, 1> to memref<104xf32, 1>
          linalg.fill ins(%arg1 : f32) outs(%subview_0 : memref<104xf32, 1>)
          %subview_1 = memref.subview %collapse_shape[184] [480] [1] : memref<768xf32, 1> to memref<480xf32,
            strided<[1], offset: 184>, 1>
          %expand_shape = memref.expand_shape %subview_1 [[0, 1]] output_shape [5, 96] : memref<480xf32, strided<[1],
            offset: 184>, 1> into memref<5x96xf32, strided<[96, 1], offset: 184>, 1>
          %subview_2 = memref.subview %expand_shape[0, 0] [5, 16] [1, 1] : memref<5x96xf32, strided<[96, 1], offset:
            184>, 1> to memref<5x16xf32, strided<[96, 1], offset: 184>, 1>
          linalg.fill ins(%arg1 : f32) outs(%subview_2 : memref<5x16xf32, strided<[96, 1], offset: 184>, 1>)
          %subview_3 = memref.subview %collapse_shape[664] [104] [1] : memref<768xf32, 1> to memref<104xf32,
            strided<[1], offset: 664>, 1>
          linalg.fill ins(%arg1 : f32) outs(%subview_3 : memref<104xf32, strided<[1], offset: 664>, 1>)
          return
        }

    Options:
        none

    Refuses: nothing; it leaves alone dynamic sizes, buffers that are read between the fill and the copy, blocks of more
    than rows (several padded images), borders of half the buffer, and those of so many short rows that one long fill
    takes less time.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-fill-borders"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at every fill of a whole buffer."""
        for fill in [op for op in ops_named(module, "linalg.fill", "linalg.generic") if _is_fill(op)]:
            copy = _next_use(fill)
            if copy is None:
                continue
            whole, part = (ir.MemRefType(value.type) for value in (fill.operands[1], copy.operands[1]))
            strides, offset = part.get_strides_and_offset()
            if not part.has_static_shape or ir.ShapedType.get_dynamic_stride_or_offset() in (offset, *strides):
                continue
            runs = border(prod(whole.shape), offset, part.shape, strides)
            total, lanes = prod(whole.shape), context.target.lanes(8 * element_bytes(whole.element_type))
            if runs is None or _WORTH * sum(run.count for run in runs) > total:
                continue
            if sum(run.stores(lanes) for run in runs) > total // lanes:
                continue
            with fill.location, ir.InsertionPoint(fill) if FETCH in copy.attributes else ir.InsertionPoint.after(copy):
                _fill_runs(fill.operands[0], fill.operands[1], runs)
            erase_op(fill, self.name)


def _is_fill(op: ir.Operation) -> bool:
    """True for an op that writes one number all over an allocation of its own layout."""
    if len(op.operands) != 2 or len(op.results):
        return False
    value, buffer = op.operands
    if isinstance(value.type, ir.ShapedType) or isinstance(buffer.owner, ir.Block):
        return False
    body = op.regions[0].blocks[0]
    made, type_ = buffer.owner.operation, ir.MemRefType(buffer.type)
    return (made.name == "memref.alloc" and made.block == op.block and type_.has_static_shape and type_.rank > 0
            and ir.AffineMap.get_identity(type_.rank) == type_.affine_map
            and len(list(body.operations)) == 1 and body.operations[0].operands[0] == body.arguments[0])


def _next_use(fill: ir.Operation) -> ir.Operation | None:
    """The copy into a view of the filled buffer, if that is the first to use it."""
    buffer, later = fill.operands[1], set()
    for use in uses_of_buffer(buffer):
        top = ancestor_in(use.owner.operation, fill.block)
        if top is None:
            return None
        if top != fill and top.name not in VIEWS:
            later.add(top)
    first = next((op.operation for op in fill.block.operations if op.operation in later), None)
    if first is None or first.name != "memref.copy" or not fill.is_before_in_block(first):
        return None
    return first if [root_buffer(value) == buffer for value in first.operands] == [False, True] else None


def _fill_runs(value: ir.Value, buffer: ir.Value, runs: list[Run]) -> None:
    type_ = ir.MemRefType(buffer.type)
    flat = buffer
    if type_.rank > 1:
        line = ir.MemRefType.get([prod(type_.shape)], type_.element_type, memory_space=type_.memory_space)
        flat = memref.collapse_shape(line, buffer, [list(range(type_.rank))])
    for run in runs:
        if run.rows == 1:
            linalg.fill(value, outs=[memref.subview(flat, [run.start], [run.length], [1])])
            continue
        rows = memref.subview(flat, [run.start], [run.rows * run.pitch], [1])
        layout = ir.StridedLayoutAttr.get(run.start, [run.pitch, 1])
        matrix = ir.MemRefType.get([run.rows, run.pitch], type_.element_type, layout, type_.memory_space)
        rows = memref.expand_shape(matrix, rows, [[0, 1]], [], [run.rows, run.pitch])
        linalg.fill(value, outs=[memref.subview(rows, [0, 0], [run.rows, run.length], [1, 1])])
