"""Fetches of a loop's first tiles that start before the loop before it."""

from __future__ import annotations

from hexagon_mlir.dialects.double_buffering import LOOP, PROLOGUE
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import allocation_bytes
from hexagon_mlir.passes.double_buffering.live_bytes import live_bytes
from hexagon_mlir.passes.lib.buffer_accesses import BufferAccess, UnknownEffect, accesses
from hexagon_mlir.passes.lib.pure_slices import is_pure, outside_operands


def start_before_previous_loops(block: ir.Block, budget: int) -> None:
    """Move the prologue of each double-buffered loop of ``block`` before the double-buffered loop before it, where
    nothing on the way writes what is fetched, and ``budget`` bytes of TCM hold the buffers of both."""
    previous = None
    for op in [view.operation for view in block.operations]:
        if LOOP in op.attributes:
            if previous is not None:
                _move_prologue(previous, op, budget)
            previous = op


def _move_prologue(previous: ir.Operation, loop: ir.Operation, budget: int) -> None:
    operations = [view.operation for view in loop.block.operations]
    between = operations[operations.index(previous):operations.index(loop)]
    prologue = [op for op in between if PROLOGUE in op.attributes and op.attributes[PROLOGUE] == loop.attributes[LOOP]]
    moved = _computed_for(prologue, between)
    if not prologue or moved is None:
        return
    others = [op for op in between if op not in moved and not is_pure(op)]
    try:
        fetches = [access for op in prologue for access in accesses(op)]
        writes = [access for op in others for access in accesses(op) if access.writes]
    except UnknownEffect:
        return
    buffers = {access.root.owner.operation for access in fetches if access.writes and _is_new(access, moved)}
    if any(access.writes and not _is_new(access, moved) for access in fetches) or any(
            not access.writes and access.may_overlap(write) for access in fetches for write in writes):
        return
    more = sum(allocation_bytes(buffer) or budget for buffer in buffers)
    if all(live_bytes(op) + more <= budget for op in others):
        for op in moved:
            op.move_before(previous)


def _computed_for(prologue: list[ir.Operation], between: list[ir.Operation]) -> list[ir.Operation] | None:
    """``prologue`` and the operations among ``between`` that it depends on, in order; None where one of these does
    more than to compute an address or to allocate."""
    found, pending = set(prologue), list(prologue)
    while pending:
        for value in outside_operands(pending.pop()):
            op = None if isinstance(value.owner, ir.Block) else value.owner.operation
            if op is not None and op in between and op not in found:
                if not is_pure(op) and op.name != "memref.alloc":
                    return None
                found.add(op)
                pending.append(op)
    return [op for op in between if op in found]


def _is_new(access: BufferAccess, moved: list[ir.Operation]) -> bool:
    """Whether one of ``moved`` allocates the buffer: nothing before has used it."""
    return not isinstance(access.root.owner, ir.Block) and access.root.owner.operation in moved
