"""Fetches of a loop's first tiles that start in the loop before it, or before that."""

from __future__ import annotations

from hexagon_mlir.dialects.double_buffering import LOOP, PREFETCH, PROLOGUE, STAGES
from hexagon_mlir.ir import erase_op, ir, scf
from hexagon_mlir.ir.buffers import allocation_bytes
from hexagon_mlir.ir.cost import trip_count
from hexagon_mlir.passes.double_buffering.live_bytes import live_bytes
from hexagon_mlir.passes.lib.buffer_accesses import BufferAccess, UnknownEffect, accesses
from hexagon_mlir.passes.lib.pure_slices import Mapping, clone, is_pure, outside_operands


def start_in_previous_loops(block: ir.Block, budget: int) -> None:
    """Move the prologue of each double-buffered loop of ``block`` to the double-buffered loop before it, where nothing
    on the way writes what is fetched, and ``budget`` bytes of TCM hold the buffers of both.

    It starts where the loop before has no more tile to fetch: in its last iteration, so that its own second tile does
    not wait. Of a loop that may not run, or that fetches two tiles ahead, it stands before it."""
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
        guards = _last_guards(previous)
        for guard in guards:
            _start_in(guard, prologue)
        for op in prologue if guards else ():
            erase_op(op, "hexagon-double-buffer-generic-s1")


def _last_guards(loop: ir.Operation) -> list[ir.Operation]:
    """The guarded prefetches of ``loop``, one of which is false, once, in its last iteration; none where that is not
    known."""
    parts = [view.operation for view in loop.regions[0].blocks[0].operations
             if any(name in view.operation.attributes for name in STAGES)]
    guards = [view.operation for part in parts for view in part.regions[0].blocks[0].operations
              if PREFETCH in view.operation.attributes and view.operation.attributes[PREFETCH] == loop.attributes[LOOP]]
    return guards if len(guards) == len(parts) == len(STAGES) and trip_count(loop) else []


def _start_in(guard: ir.Operation, prologue: list[ir.Operation]) -> None:
    """Copies of ``prologue`` where ``guard`` is false."""
    mapping: Mapping = {}
    otherwise = guard.regions[1].blocks.append()
    with guard.location, ir.InsertionPoint(otherwise):
        for op in prologue:
            clone(op, mapping)
        scf.yield_([])


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
