"""What a copy between strided buffers moves: contiguous rows at a constant stride, in planes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from hexagon_mlir.ir import ir, memref
from hexagon_mlir.ir.query import element_bytes, in_tcm
from hexagon_mlir.targets.dma import Engine


@dataclass(frozen=True)
class Rows:
    """Dimensions of a copy, outermost first: those of its planes, of the rows of a plane, and within a row.

    Dimensions of size 1 are left out. A copy of one contiguous block has no rows, one of separate elements no ``run``.
    """

    planes: tuple[int, ...]
    rows: tuple[int, ...]
    run: tuple[int, ...]


def rows_of(sizes: Sequence[int | None], strides: Sequence[Sequence[int | None]]) -> Rows:
    """The longest rows, and of these the largest planes, for ``sizes`` and each side's ``strides`` in elements.

    None stands for a value known only at run time: rows do not extend beyond a dimension of such a size.
    """
    left = [dim for dim, size in enumerate(sizes) if size != 1]

    def take(pitches: Sequence[int | None]) -> tuple[int, ...]:
        taken: list[int] = []
        while left and None not in pitches and [side[left[-1]] for side in strides] == list(pitches):
            taken.insert(0, left.pop())
            size = sizes[taken[0]]
            pitches = [None if size is None or p is None else p * size for p in pitches]
        return tuple(taken)

    run = take([1] * len(strides))
    if not left:
        return Rows((), (), run)
    pitches = [side[left[-1]] for side in strides]
    rows = take(pitches) or (left.pop(),)  # of strides that are known only at run time
    return Rows(tuple(left), rows, run)


def rows_between(source: ir.MemRefType, target: ir.MemRefType) -> Rows | None:
    """The rows of a copy from ``source`` to ``target``; None when one of them has a negative stride."""
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    strides = [[None if s == dynamic else s for s in side.get_strides_and_offset()[0]] for side in (source, target)]
    if any(s is not None and s < 0 for side in strides for s in side):
        return None
    sizes = [None if source.is_dynamic_dim(d) else source.get_dim_size(d) for d in range(source.rank)]
    return rows_of(sizes, strides)


def with_long_rows(value: ir.Value, first: int) -> ir.Value:
    """``value``, of static shape, with its contiguous dimensions from ``first`` on as one."""
    type_ = ir.MemRefType(value.type)
    shape = list(type_.shape)
    if first >= len(shape) - 1:
        return value
    strides, offset = type_.get_strides_and_offset()
    plain = type_.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))
    layout = None if plain else ir.StridedLayoutAttr.get(offset, [*strides[:first], 1])
    result = ir.MemRefType.get([*shape[:first], prod(shape[first:])], type_.element_type, layout, type_.memory_space)
    return memref.collapse_shape(result, value, [*([dim] for dim in range(first)), list(range(first, len(shape)))])


def apart_in_ddr(source: ir.MemRefType, cut: Rows, engine: Engine, in_order: bool) -> bool:
    """True when the rows of ``source``, of static shape, are in DDR and so many and so far apart that DMA pays.

    ``in_order`` tells that the core would read line by line.
    """
    pitch = source.get_strides_and_offset()[0][cut.rows[-1]]
    if in_tcm(source) or pitch == ir.ShapedType.get_dynamic_stride_or_offset():
        return False
    width = element_bytes(source.element_type)
    planes, rows, run = (prod(source.shape[dim] for dim in dims) for dims in (cut.planes, cut.rows, cut.run))
    return engine.moves_rows(planes * rows, run * width, pitch * width, planes, in_order)
