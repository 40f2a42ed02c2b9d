"""How the dimensions of a load or store are traversed: in strided blocks, in loops around them, or not at all
(`walk`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import elementwise, ints, piecewise_affine
from hexagon_mlir.passes.triton_import.values import Dims, Lane, Mask, Pointer, Tensor, varying


@dataclass(frozen=True)
class PointerAccess:
    """How each dimension of an access is traversed: as part of a block, element by element (outermost first), or
    once."""

    block: Dims
    loop: Dims
    once: Dims
    pieces: Dims = ()
    """Those of ``block`` that are walked piece by piece."""

    @property
    def kept(self) -> Dims:
        """The dimensions of the data that moves."""
        return tuple(sorted(self.block + self.loop))


def plan(pointer: Pointer, mask: Mask, is_store: bool) -> PointerAccess:
    """Split the dimensions of ``pointer``.

    A dimension is looped over when the access depends on it through an index, a base or a mask read from memory, or
    when its known stride is negative. A dimension of stride 0 is read once and broadcast; a store writes every element
    of it, in order. A gather without a contiguous dimension loops over all, gathered ones innermost for locality, as in
    a row of a table. A dimension on which a skewed range depends is looped over.
    """
    address, shape = pointer.linear, pointer.shape
    irregular = {d for lane in (*address.lanes, *mask.lanes) for d in lane.dims}
    irregular |= set(pointer.base.dims) if isinstance(pointer.base, Tensor) else set()
    irregular |= {d for one in mask.skewed for d in one.over}
    irregular |= {s.dim for s in mask.skewed if ints.known(address.strides[s.dim]) and address.strides[s.dim] == 0}
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
    return PointerAccess(tuple(block), tuple(loop), tuple(once), tuple(d for d in block if d in pieced))


def memory_order(pointer: Pointer, mask: Mask, is_store: bool) -> list[int]:
    """The dimensions in the order of traversal: a contiguous one is moved to the end."""
    access, own = plan(pointer, mask, is_store), list(range(len(pointer.shape)))
    neighbours = [d for d in access.block if ints.same(pointer.linear.strides[d], 1)]
    if access.pieces or len(neighbours) != 1 or access.block[-1] == neighbours[0]:
        return own
    return [d for d in own if d != neighbours[0]] + neighbours


def stored(mask: Mask) -> Mask:
    """``mask`` with its tensors as words, which vector code computes and loops read: there are no vectors of i1 in
    memory."""
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
