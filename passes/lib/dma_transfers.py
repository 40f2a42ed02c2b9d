"""A copy as linear or 2-D DMA transfers, in loops where the copy has more dimensions than a descriptor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from hexagon_mlir.ir import arith, ir, memref, scf
from hexagon_mlir.ir.bounds import upper_bound
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import element_bytes, in_tcm

_LENGTH_BITS, _ROW_BITS = 24, 16
"""Fields of the descriptors: bytes of a linear transfer, rows of a 2-D one (docs/simulator.md, user DMA)."""


MOST_STORED_BYTES = 1 << 20
"""Of results that stay in TCM because their transfers to DDR run: more would take the TCM of what is computed next."""


@dataclass(frozen=True)
class Shape:
    """How a copy is cut: a loop over the first ``loops`` dimensions around transfers of the rest.

    The next ``rows`` dimensions are the rows of a 2-D transfer, at one distance; those after them are contiguous.
    """

    loops: int
    rows: int


def cut(sizes: Sequence[int | None], strides: Sequence[Sequence[int | None]], width: int,
        field_bits: int) -> Shape | None:
    """The fewest transfers for a copy of ``sizes`` (upper bounds) between sides with ``strides``, in elements.

    None stands for a value known only at run time. ``width`` is the bytes of an element, ``field_bits`` the bits of a
    2-D descriptor's row size and strides. Returns None when elements are strided, or too long for any descriptor.
    """
    rank = len(sizes)
    if any(side and side[-1] != 1 for side in strides):
        return None
    inner = max(rank - 1, 0)  # dimensions before `inner` have strides of their own
    run = sizes[-1] if rank else 1
    while inner > 0 and run is not None and all(side[inner - 1] == run for side in strides):
        inner -= 1
        size = sizes[inner]
        run = None if size is None else run * size
    length = None if run is None else run * width
    if length is not None and length >= 1 << _LENGTH_BITS:
        return None
    if inner == 0:
        return Shape(0, 0)
    pitches = [side[inner - 1] for side in strides]
    fields = [length, *(None if p is None else p * width for p in pitches)]
    rows = sizes[inner - 1]
    if any(f is not None and f >= 1 << field_bits for f in fields) or (rows is not None and rows >= 1 << _ROW_BITS):
        return Shape(inner, 0)
    loops = inner - 1
    while loops and rows is not None:  # rows of a dimension follow those of the one before at the same distance
        size, count = sizes[loops - 1], rows
        even = all(p is not None and side[loops - 1] == count * p for side, p in zip(strides, pitches, strict=True))
        if not even or size is None or size * count >= 1 << _ROW_BITS:
            break
        loops, rows = loops - 1, size * count
    return Shape(loops, inner - loops)


@dataclass
class Transfers:
    """The transfers of one copy, or of several copies that are never in flight together and share their tags.

    Each is in loops over the first ``loops`` dimensions.
    """

    loops: int
    tags: ir.Value
    started: ir.Value | None
    """Holds the number of transfers in flight when it varies."""

    def start(self, copy: ir.Operation, shape: Shape) -> None:
        """Start the transfers of ``copy``, cut as ``shape``, at the insertion point."""
        source, target = copy.operands
        count = self._count(source)
        if self.started is not None:
            memref.store(count, self.started, [index(0)])
        if not self.loops:
            self._one(source, target, shape, [], index(0))
            return
        loop = scf.ForOp(index(0), count, index(1))
        with ir.InsertionPoint(loop.body):
            self._one(source, target, shape, self._indices(source, loop.induction_variable), loop.induction_variable)
            scf.yield_([])

    def wait(self) -> None:
        """Wait for all of them at the insertion point."""
        if self.started is None:
            memref.dma_wait(self.tags, [index(0)], index(1))
            return
        loop = scf.ForOp(index(0), memref.load(self.started, [index(0)]), index(1))
        with ir.InsertionPoint(loop.body):
            memref.dma_wait(self.tags, [loop.induction_variable], index(1))
            scf.yield_([])

    def free(self) -> None:
        """Give the tags back."""
        memref.dealloc(self.tags)
        if self.started is not None:
            memref.dealloc(self.started)

    def _count(self, value: ir.Value) -> ir.Value:
        return _extent(value, range(self.loops))

    def _indices(self, value: ir.Value, number: ir.Value) -> list[ir.Value]:
        """``number`` as indices of the loop's dimensions."""
        indices: list[ir.Value] = []
        for dim in range(self.loops - 1, 0, -1):
            size = memref.dim(value, index(dim))
            indices.insert(0, arith.remui(number, size))
            number = arith.divui(number, size)
        return [number, *indices]

    def _one(self, source: ir.Value, target: ir.Value, shape: Shape, outer: list[ir.Value], tag: ir.Value) -> None:
        rank = ir.MemRefType(source.type).rank
        first = shape.loops + shape.rows
        length = _extent(source, range(first, rank))
        outer_source, outer_target = ([*outer, *[index(0)] * (rank - len(outer))] for _ in range(2))
        if not shape.rows:
            memref.dma_start([source, *outer_source, target, *outer_target, length, self.tags, tag])
            return
        total = arith.muli(length, _extent(source, range(shape.loops, first)))
        far = target if in_tcm(ir.MemRefType(source.type)) else source
        pitch = list(memref.ExtractStridedMetadataOp(far).results)[1 + rank + first]
        if rank > 2:
            if far == source:
                target, outer_target = _rows_of(target, shape.rows, outer, length), [index(0)] * 2
            else:
                source, outer_source = _rows_of(source, shape.rows, outer, length), [index(0)] * 2
        memref.dma_start([source, *outer_source, target, *outer_target, total, self.tags, tag, pitch, length])


def _rows_of(value: ir.Value, dims: int, outer: list[ir.Value], length: ir.Value) -> ir.Value:
    """The rows of ``value`` at ``outer``, in the ``dims`` dimensions that follow, as a matrix."""
    type_, dynamic = ir.MemRefType(value.type), ir.ShapedType.get_dynamic_size()
    metadata = list(memref.ExtractStridedMetadataOp(value).results)
    offset, strides = metadata[1], metadata[2 + type_.rank:]
    for place, stride in zip(outer, strides, strict=False):
        offset = arith.addi(offset, arith.muli(place, stride))
    layout = ir.StridedLayoutAttr.get(dynamic, [dynamic, 1])
    matrix = ir.MemRefType.get([dynamic, dynamic], type_.element_type, layout, type_.memory_space)
    first = len(outer) + dims
    rows = _extent(value, range(len(outer), first))
    return memref.ReinterpretCastOp(matrix, value, [offset], [rows, length], [strides[first - 1]], [dynamic],
                                    [dynamic, dynamic], [dynamic, 1]).result


def _extent(value: ir.Value, dims: Iterable[int]) -> ir.Value:
    """The product of the sizes of ``value`` in ``dims``."""
    extent = index(1)
    for dim in dims:
        extent = arith.muli(extent, memref.dim(value, index(dim)))
    return extent


def plan_transfers(copies: Sequence[ir.Operation], field_bits: int) -> tuple[list[Shape], int] | str:
    """How to cut each of ``copies`` (of one buffer, at different places) and the most transfers of one, or why not.

    A static size is contiguous where a dynamic one is cut into rows, but loops are the same for all.
    """
    found: list[tuple[Shape, int]] = []
    for copy in copies:
        types = [ir.MemRefType(v.type) for v in copy.operands]
        sizes = [min((s for s in (_size_bound(v, d) for v in copy.operands) if s is not None), default=None)
                 for d in range(types[0].rank)]
        if in_tcm(types[0]) == in_tcm(types[1]):
            return "both sides are in the same memory"
        width = element_bytes(types[0].element_type)
        exact = [None if types[0].is_dynamic_dim(d) else s for d, s in enumerate(sizes)]
        shape = cut(exact if None in exact else sizes, [_strides(t) for t in types], width, field_bits)
        if shape is None:
            return "strided elements, or rows too long for a descriptor"
        outer = sizes[:shape.loops]
        if None in outer:
            return "an unbounded number of transfers"
        found.append((shape, prod(s for s in outer if s is not None)))
    if len({shape.loops for shape, _ in found}) != 1:
        return "its copies have different shapes"
    return [shape for shape, _ in found], max(count for _, count in found)


def make_transfers(loops: int, count: int) -> Transfers:
    """Tags for ``count`` transfers in ``loops`` loops, allocated at the insertion point."""
    tags = memref.alloc(ir.MemRefType.get([count], ir.IntegerType.get_signless(32)), [], [])
    started = memref.alloc(ir.MemRefType.get([1], ir.IndexType.get()), [], []) if loops else None
    return Transfers(loops, tags, started)


def wait_of_transfer(start: ir.Operation) -> ir.Operation | None:
    """The last operation after memref.dma_start ``start`` that waits on its tags: in its block, or else around both."""
    tags = next(value for value in list(start.operands)[::-1] if isinstance(value.type, ir.MemRefType))
    waits = [use.owner.operation for use in tags.uses if use.owner.operation.name == "memref.dma_wait"]
    place = start
    while place.name != "func.func":
        last = place
        for wait in waits:
            op = ancestor_in(wait, place.block)
            if op is not None and op != last and last.is_before_in_block(op):
                last = op
        if last != place:
            return last
        place = place.parent.operation
    return None


def _strides(type_: ir.MemRefType) -> list[int | None]:
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    return [None if s == dynamic else s for s in type_.get_strides_and_offset()[0]]


def _size_bound(value: ir.Value, dim: int) -> int | None:
    type_ = ir.MemRefType(value.type)
    if not type_.is_dynamic_dim(dim):
        return type_.get_dim_size(dim)
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name not in ("memref.alloc", "memref.view", "memref.subview"):
        return None
    dynamic = sum(type_.is_dynamic_dim(d) for d in range(dim))
    operands = list(owner.operation.operands)
    if owner.operation.name == "memref.subview":
        offsets = list(ir.DenseI64ArrayAttr(owner.operation.attributes["static_offsets"]))
        if len(offsets) != type_.rank:  # rank-reduced: sizes do not match dimensions
            return None
        first = 1 + sum(o == ir.ShapedType.get_dynamic_stride_or_offset() for o in offsets)
    else:
        first = 2 if owner.operation.name == "memref.view" else 0
    return upper_bound(operands[first + dynamic])


def is_strided(start: ir.Operation) -> bool:
    """Whether memref.dma_start ``start`` moves rows with gaps between them, which only the side outside TCM has."""
    buffers = [value for value in start.operands if isinstance(value.type, ir.MemRefType)]
    indices = sum(ir.MemRefType(buffer.type).rank for buffer in buffers)
    return len(start.operands) > len(buffers) + indices + 1
