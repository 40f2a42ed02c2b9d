"""Where a double-buffered loop waits for its transfers."""

from __future__ import annotations

from hexagon_mlir.dialects.double_buffering import FETCH, PREFETCH, STORE
from hexagon_mlir.ir import arith, ir, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.double_buffering.marked import Key, MarkedLoop
from hexagon_mlir.passes.lib.dma_transfers import Transfers


def wait_in(found: MarkedLoop, number: int, part: ir.Operation, transfers: dict[Key, Transfers],
            in_place: set[Key]) -> None:
    """Waits of the part that works on set ``number``: for its fetches, and for the stores that used its buffers."""
    block = part.regions[0].blocks[0]
    prefetch = next((op.operation for op in block.operations if PREFETCH in op.operation.attributes), None)
    low, _, step = list(found.loop.operands)[:3]
    variable = found.loop.regions[0].blocks[0].arguments[0]
    operations = [op.operation for op in block.operations]
    anchor = operations[0] if prefetch is None else operations[operations.index(prefetch) + 1]
    with part.location, ir.InsertionPoint(anchor):
        for key, one in transfers.items():
            if key[:2] == (FETCH, number):
                one.wait()
        stores = [one for key, one in transfers.items() if key[:2] == (STORE, number) and key not in in_place]
        if stores:
            reuse = arith.addi(low, arith.muli(step, index(len(found.parts))))
            _wait_if(arith.cmpi(arith.CmpIPredicate.sge, variable, reuse), stores)
    following = (number - 1) % len(found.parts)  # the set that the prefetch of this part fills
    stores = [one for key, one in transfers.items() if key[:2] == (STORE, following) and key in in_place]
    if prefetch is not None and stores:
        with part.location, ir.InsertionPoint.at_block_begin(prefetch.regions[0].blocks[0]):
            _wait_if(arith.cmpi(arith.CmpIPredicate.sgt, variable, low), stores)


def finish(found: MarkedLoop, transfers: dict[Key, Transfers]) -> None:
    """After the loop: wait for the last store of each set, free the tags."""
    operations = [op.operation for op in found.loop.block.operations]
    with found.loop.location, ir.InsertionPoint(operations[operations.index(found.loop) + 1]):
        low, high, step = list(found.loop.operands)[:3]
        for number in found.parts:
            stores = [one for key, one in transfers.items() if key[:2] == (STORE, number)]
            if stores:
                begin = arith.addi(low, arith.muli(step, index(number)))
                _wait_if(arith.cmpi(arith.CmpIPredicate.slt, begin, high), stores)
        for one in transfers.values():
            one.free()


def _wait_if(condition: ir.Value, transfers: list[Transfers]) -> None:
    branch = scf.IfOp(condition)
    with ir.InsertionPoint(branch.then_block):
        for one in transfers:
            one.wait()
        scf.yield_([])
