"""The loops of a load or store, and the blocks of memory that are moved in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hexagon_mlir.ir import arith, ir, scf
from hexagon_mlir.passes.triton_import import ints, linear, masks, piecewise_affine, pointers, views
from hexagon_mlir.passes.triton_import.access import PointerAccess
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import Dims, IndexOf, Mask, Pointer

Bounds = dict[int, tuple[Int, Int]]
"""Dimension of the data -> the first selected index, and the number of selected ones."""
Indices = dict[int, ir.Value]
"""Dimension with a loop -> the index of this iteration."""
Move = Callable[[IndexOf, Bounds, ir.Value], None]
"""Moves one block: gets the indices of the loops, the bounds of the other dimensions, and the memory."""


def walk(pointer: Pointer, mask: Mask, access: PointerAccess, bounds: Bounds, holds: Int, move: Move) -> None:
    """Call ``move`` for each block of memory, under loops over ``access.loop`` and the mask.

    ``holds`` (i1) is the part of the mask that is invariant in all dimensions.
    """
    if any(_empty(low, count, pointer.shape[d]) for d, (low, count) in bounds.items()):
        return
    if access.block:  # an unselected block is an empty one
        first = access.block[0]
        low, count = bounds[first]
        bounds = {**bounds, first: (low, ints.choose(holds, count, 0, ints.index_type()))}
        holds = 1
    _Walk(pointer, mask, access, holds, move).loops(access.loop, {}, bounds)


def _empty(low: Int, count: Int, size: int) -> bool:
    """True when a range of a dimension of ``size`` is known to select nothing."""
    return (ints.known(count) and count <= 0) or (ints.known(low) and low >= size)


@dataclass(frozen=True)
class _Walk:
    """From the outermost: loops over single elements, the mask, loops over pieces, one block."""

    pointer: Pointer
    mask: Mask
    access: PointerAccess
    holds: Int
    move: Move

    def loops(self, dims: Dims, indices: Indices, bounds: Bounds) -> None:
        """Loops over the elements of ``dims``, the first outermost."""
        if not dims:
            self._selected(indices, bounds)
            return
        low, count = bounds[dims[0]]
        high = ints.add(low, count, ints.index_type())
        loop = scf.ForOp(*[ints.value(x, ints.index_type()) for x in (low, high, 1)])
        with ir.InsertionPoint(loop.body):
            self.loops(dims[1:], {**indices, dims[0]: loop.induction_variable}, bounds)
            scf.YieldOp([])

    def _selected(self, indices: Indices, bounds: Bounds) -> None:
        """The blocks at ``indices`` under the part of the mask that depends on no dimension of the block."""
        others = tuple(one for one in self.mask.skewed if one.dim not in self.access.block)
        at_indices = masks.holds_at(Mask(lanes=self.mask.lanes, skewed=others), indices.__getitem__)
        guarded(ints.both(self.holds, at_indices),
                lambda: self._pieces(self.access.pieces, indices, self._narrowed(indices, bounds)))

    def _narrowed(self, indices: Indices, bounds: Bounds) -> Bounds:
        """``bounds`` within the ranges of the block's dimensions that depend on ``indices``."""
        narrow = dict(bounds)
        for dim in dict.fromkeys(one.dim for one in self.mask.skewed if one.dim in self.access.block):
            skewed = [one for one in self.mask.skewed if one.dim == dim]
            narrow[dim] = masks.within(narrow[dim], skewed, indices.__getitem__)
        return narrow

    def _pieces(self, dims: Dims, indices: Indices, bounds: Bounds) -> None:
        """Loops over the pieces of ``dims``, each from its first index to the end of its stride."""
        if not dims:
            self._block(indices, bounds)
            return
        index_type, dim = ints.index_type(), dims[0]
        low, count = bounds[dim]
        high = ints.add(low, count, index_type)

        def piece(first: ir.Value) -> Int:
            end = piecewise_affine.end_at(self.pointer.linear, dim, first, high)
            inner = {**bounds, dim: (first, ints.sub(end, first, index_type))}
            self._pieces(dims[1:], {**indices, dim: first}, inner)
            return end

        _while_below(low, high, piece)

    def _block(self, indices: Indices, bounds: Bounds) -> None:
        """One block; in two versions when the stride of its last dimension may be 1, for which vectors copy it."""
        access, index, index_type = self.access, indices.__getitem__, ints.index_type()
        offset = linear.value_at(self.pointer.linear, index_type, index, access.loop + access.pieces)
        if not access.block:
            self.move(index, bounds, views.element(pointers.base_at(self.pointer, index), offset))
            return
        strides, last = self._strides(indices), access.block[-1]
        if last not in access.pieces or ints.known(strides[last]):
            self._window(indices, bounds, offset, strides)
            return
        next_to_each_other = ints.compare(arith.CmpIPredicate.eq, strides[last], 1, index_type)
        if ints.known(next_to_each_other):
            self._window(indices, bounds, offset, {**strides, last: 1} if next_to_each_other else strides)
            return
        dense = scf.IfOp(next_to_each_other, has_else=True)
        for branch, stride in ((dense.then_block, 1), (dense.else_block, strides[last])):
            with ir.InsertionPoint(branch):
                self._window(indices, bounds, offset, {**strides, last: stride})
                scf.YieldOp([])

    def _strides(self, indices: Indices) -> dict[int, Int]:
        """The strides of each dimension of the block, in elements."""
        address, pieces = self.pointer.linear, self.access.pieces
        return {d: piecewise_affine.step_at(address, d, ints.index_type(), indices[d]) if d in pieces
                else address.strides[d] for d in self.access.block}

    def _window(self, indices: Indices, bounds: Bounds, offset: Int, strides: dict[int, Int]) -> None:
        """Move the part of a strided window that ``bounds`` select."""
        block, index = self.access.block, indices.__getitem__
        window = views.window(pointers.base_at(self.pointer, index), offset, [self.pointer.shape[d] for d in block],
                              [strides[d] for d in block])
        starts = [0 if d in self.access.pieces else bounds[d][0] for d in block]
        part = views.part(window, starts, [bounds[d][1] for d in block], range(len(block)))
        self.move(index, bounds, part)


def _while_below(low: Int, high: Int, body: Callable[[ir.Value], Int]) -> None:
    """``for (i = low; i < high; i = body(i))``."""
    index_type = ints.index_type()
    loop = scf.WhileOp([index_type], [ints.value(low, index_type)])
    test, work = (region.blocks.append(index_type) for region in loop.regions)
    with ir.InsertionPoint(test):
        i, = test.arguments
        scf.ConditionOp(arith.cmpi(arith.CmpIPredicate.slt, i, ints.value(high, index_type)), [i])
    with ir.InsertionPoint(work):
        i, = work.arguments
        scf.YieldOp([ints.value(body(i), index_type)])


def guarded(condition: Int, emit: Callable[[], None]) -> None:
    """``emit()`` under ``condition`` (i1)."""
    if ints.known(condition):
        if condition:
            emit()
        return
    branch = scf.IfOp(condition)
    with ir.InsertionPoint(branch.then_block):
        emit()
        scf.YieldOp([])
