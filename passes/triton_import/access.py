"""How the dimensions of a load or store are walked: as strided blocks, in loops around them, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hexagon_mlir.ir import arith, ir, scf
from hexagon_mlir.passes.triton_import import elementwise, ints, linear, masks, piecewise_affine, pointers, views
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import Dims, Lane, Mask, Pointer, Tensor, varying


@dataclass(frozen=True)
class Access:
    """How each dimension of an access is walked: as part of a block, element by element (outermost first), or once."""

    block: Dims
    loop: Dims
    once: Dims
    pieces: Dims = ()
    """Those of ``block`` that are walked piece by piece."""

    @property
    def kept(self) -> Dims:
        """The dimensions of the data that moves."""
        return tuple(sorted(self.block + self.loop))


def plan(pointer: Pointer, mask: Mask, is_store: bool) -> Access:
    """Split the dimensions of ``pointer``.

    A dimension is looped over when an index, a base or a mask read from memory decides on it, or when its known stride
    is negative. One with stride 0 is read once and broadcast; a store writes every element of it, in order. Of a load
    that gathers and has no dimension of neighbours all are looped over, gathered ones innermost: they are near each
    other, as a row of a table is. What a range moves with is looped over.
    """
    address, shape = pointer.linear, pointer.shape
    irregular = {d for lane in (*address.lanes, *mask.lanes) for d in lane.dims}
    irregular |= set(pointer.base.dims) if isinstance(pointer.base, Tensor) else set()
    irregular |= {d for slant in mask.slants for d in slant.over}
    irregular |= {s.dim for s in mask.slants if ints.known(address.strides[s.dim]) and address.strides[s.dim] == 0}
    pieced = {piece.dim for piece in address.pieces}
    block: list[int] = []
    loop: list[int] = []
    once: list[int] = []
    for d in varying(shape):
        stride = address.strides[d]
        if d in pieced and d not in irregular:
            (loop if is_store and not piecewise_affine.steps_forward(address, d) else block).append(d)
        elif d in irregular or (ints.known(stride) and stride == 0 and is_store):
            loop.append(d)
        elif ints.known(stride) and stride == 0:
            once.append(d)
        else:
            block.append(d)
    gathered = {d for lane in address.lanes for d in lane.dims}
    if gathered and not is_store and not any(ints.same(address.strides[d], 1) or d in pieced for d in block):
        loop = sorted((*loop, *block), key=lambda d: (d in gathered, d))
        block = []
    return Access(tuple(block), tuple(loop), tuple(once), tuple(d for d in block if d in pieced))


def memory_order(pointer: Pointer, mask: Mask, is_store: bool) -> list[int]:
    """The dimensions in the order to walk them: neighbours in memory last, where another dimension comes last."""
    access, own = plan(pointer, mask, is_store), list(range(len(pointer.shape)))
    neighbours = [d for d in access.block if ints.same(pointer.linear.strides[d], 1)]
    if access.pieces or len(neighbours) != 1 or access.block[-1] == neighbours[0]:
        return own
    return [d for d in own if d != neighbours[0]] + neighbours


def stored(mask: Mask) -> Mask:
    """``mask`` with its tensors as words, which vectors compute and loops read: there are no vectors of bits."""
    word = ir.IntegerType.get_signless(32)
    lanes = []
    for lane in mask.lanes:
        node = lane.node
        if node.expression is None:
            wide, = elementwise.apply([node], [word], node.shape, lambda bit: arith.extui(word, bit))
            place = dict(zip(node.dims, lane.dims, strict=True))
            lane = Lane(wide, tuple(place[d] for d in wide.dims), lane.scale)
        lanes.append(lane)
    return replace(mask, lanes=tuple(lanes))


def walk(pointer: Pointer, mask: Mask, access: Access, box: dict[int, tuple[Int, Int]], holds: Int,
          move: Callable[[Callable[[int], ir.Value], ir.Value], None]) -> None:
    """Call ``move(index, window)`` for each block of memory, under loops over ``access.loop`` and the mask."""
    index_type = ints.index_type()
    if any(_empty(low, count, pointer.shape[d]) for d, (low, count) in box.items()):
        return
    if access.block:  # an unselected block is an empty one
        first = access.block[0]
        low, count = box[first]
        box[first] = low, ints.choose(holds, count, 0, index_type)
        holds = 1
    position: dict[int, ir.Value] = {}

    def body() -> None:
        index = position.__getitem__
        beside = tuple(slant for slant in mask.slants if slant.dim not in access.block)
        selected = ints.both(holds, masks.holds_at(Mask(lanes=mask.lanes, slants=beside), index))
        guarded(selected, slanted)

    def slanted() -> None:
        whole = dict(box)
        for dim in dict.fromkeys(slant.dim for slant in mask.slants if slant.dim in access.block):
            box[dim] = masks.within(box[dim], [s for s in mask.slants if s.dim == dim], position.__getitem__)
        each_piece(access.pieces)
        box.update(whole)

    def each_piece(dims: Dims) -> None:
        if not dims:
            visit()
            return
        first, whole = dims[0], box[dims[0]]
        high = ints.add(*whole, index_type)
        loop = scf.WhileOp([index_type], [ints.value(whole[0], index_type)])
        test, work = (region.blocks.append(index_type) for region in loop.regions)
        with ir.InsertionPoint(test):
            i, = test.arguments
            scf.ConditionOp(arith.cmpi(arith.CmpIPredicate.slt, i, ints.value(high, index_type)), [i])
        with ir.InsertionPoint(work):
            i, = work.arguments
            end = piecewise_affine.end_at(pointer.linear, first, i, high)
            position[first], box[first] = i, (i, ints.sub(end, i, index_type))
            each_piece(dims[1:])
            scf.YieldOp([ints.value(end, index_type)])
        del position[first]
        box[first] = whole

    def visit() -> None:
        index = position.__getitem__
        offset = linear.value_at(pointer.linear, index_type, index, access.loop + access.pieces)
        if not access.block:
            move(index, views.element(pointers.base_at(pointer, index), offset))
            return
        strides = {d: piecewise_affine.step_at(pointer.linear, d, index_type, position[d]) if d in access.pieces
                   else pointer.linear.strides[d] for d in access.block}
        last = access.block[-1]
        if last not in access.pieces or ints.known(strides[last]):
            block(offset, strides)
            return
        dense = scf.IfOp(ints.compare(arith.CmpIPredicate.eq, strides[last], 1, index_type), has_else=True)
        for place, step in ((dense.then_block, 1), (dense.else_block, strides[last])):
            with ir.InsertionPoint(place):
                block(offset, {**strides, last: step})
                scf.YieldOp([])

    def block(offset: Int, strides: dict[int, Int]) -> None:
        sizes = [pointer.shape[d] for d in access.block]
        base = pointers.base_at(pointer, position.__getitem__)
        window = views.window(base, offset, sizes, [strides[d] for d in access.block])
        starts: list[Int] = [0 if d in access.pieces else box[d][0] for d in access.block]
        move(position.__getitem__, views.part(window, starts, [box[d][1] for d in access.block], range(len(sizes))))

    def nest(dims: Dims) -> None:
        if not dims:
            body()
            return
        low, count = box[dims[0]]
        high = ints.add(low, count, index_type)
        loop = scf.ForOp(*[ints.value(x, index_type) for x in (low, high, 1)])
        with ir.InsertionPoint(loop.body):
            position[dims[0]] = loop.induction_variable
            nest(dims[1:])
            scf.YieldOp([])

    nest(access.loop)


def _empty(low: Int, count: Int, size: int) -> bool:
    """True when a range of a dimension of ``size`` is known to select nothing."""
    return (ints.known(count) and count <= 0) or (ints.known(low) and low >= size)


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
