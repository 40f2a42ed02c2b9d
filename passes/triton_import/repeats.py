"""Loads whose index along a dimension is a quotient, ``i // n``: an element is loaded once and repeated n times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hexagon_mlir.passes.triton_import import expansion, ints, shapes
from hexagon_mlir.passes.triton_import.quotients import is_multiple
from hexagon_mlir.passes.triton_import.values import Mask, Pointer, Range, Tensor

Load = Callable[[Pointer, Mask, Tensor], Tensor]


def repeated_dim(pointer: Pointer, mask: Mask, other: Tensor) -> int | None:
    """The first dimension along which ``pointer`` moves by such a quotient alone, where mask and ``other`` permit
    such a load."""
    address = pointer.linear
    irregular = {d for lane in (*address.lanes, *mask.lanes) for d in lane.dims} | set(other.dims)
    irregular |= set(pointer.base.dims) if isinstance(pointer.base, Tensor) else set()
    irregular |= {d for one in mask.skewed for d in (one.dim, *one.over)}
    for d in range(len(pointer.shape)):
        pieces = [piece for piece in address.pieces if piece.dim == d]
        if len(pieces) == 1 and pieces[0].divisor and ints.same(address.strides[d], 0) and d not in irregular:
            return d
    return None


def load(pointer: Pointer, mask: Mask, other: Tensor, dim: int, load_groups: Load) -> tuple[Tensor, tuple[Range, ...]]:
    """What ``load_groups`` loads for each group of equal quotients along ``dim``, repeated; and the ranges of ``mask``
    that end within a group."""
    piece = next(piece for piece in pointer.linear.pieces if piece.dim == dim)
    size, index = piece.divisor, ints.index_type()
    assert size is not None
    shape = tuple(n // size if d == dim else n for d, n in enumerate(pointer.shape))
    address = replace(pointer.linear, pieces=tuple(one for one in pointer.linear.pieces if one is not piece),
                      strides=tuple(piece.scale if d == dim else s for d, s in enumerate(pointer.linear.strides)))
    own = [part for part in mask.ranges if part.dim == dim]
    whole = [Range(dim, ints.floor_div(part.low, size, index), ints.ceil_div(part.high, size, index)) for part in own]
    groups = replace(mask, ranges=(*(part for part in mask.ranges if part.dim != dim), *whole))
    few = load_groups(replace(pointer, shape=shape, linear=address), groups,
                      Tensor(other.element, shape, other.dims, other.data, other.expression))
    wide = shapes.renamed(few, (*shape[:dim + 1], size, *shape[dim + 1:]), lambda d: d + (d > dim))
    assert isinstance(wide, Tensor)
    cut = tuple(part for part in own if not (is_multiple(part.low, size) and is_multiple(part.high, size)))
    return expansion.collapse(wide, dim), cut

