"""Where a thread waits for its products: a product runs while the thread goes on."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import wait_for_products
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, uses_of_buffer
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import static_bytes
from hexagon_mlir.passes.lib.buffer_accesses import UnknownEffect, accesses
from hexagon_mlir.passes.lib.pure_slices import is_pure

_RUNNING = 2
"""Products at a time: one that the engine computes, and the next one, whose thread waits for the engine."""

_LITTLE_BYTES = {"linalg.fill": 8192, "memref.copy": 1024}
"""Of what takes less time than starting a task, in about 130 cycles, or about 100 from DDR. Measured: a product that is
a task takes 700 to 1,000 cycles more than one that its thread computes."""


def insert_waits(block: ir.Block) -> None:
    """Wait for each product of ``block`` before the first operation that its results, or what it reads, are for.

    Waits are for all products up to one of them: the engine computes in order. A wait for all of them is next to the
    last one where hardly anything runs meanwhile: then that product is no task.
    """
    running: list[_Running] = []
    operations = [view.operation for view in block.operations]
    next_to_last: ir.Operation | None = None
    for op, before in zip(operations, [None, *operations], strict=False):
        if before is not None and before.name == ENGINE_PRODUCT:
            next_to_last = op
        elif before is not None and not _is_little(before):
            next_to_last = None
        done = max((number + 1 for number, one in enumerate(running) if one.conflicts(op)), default=0)
        if op == operations[-1]:
            done = len(running)
        elif op.name == ENGINE_PRODUCT:
            done = max(done, len(running) - _RUNNING + 1)
        if done:
            place = next_to_last if done == len(running) and next_to_last is not None else op
            with op.location, ir.InsertionPoint(place):
                wait_for_products(len(running) - done)
            del running[:done]
        if op.name == ENGINE_PRODUCT:
            running.append(_Running(op))


def _is_little(op: ir.Operation) -> bool:
    """Whether ``op`` takes less time than starting a task does."""
    if op.name in _LITTLE_BYTES:
        nbytes = static_bytes(op.operands[1].type)
        return nbytes is not None and nbytes <= _LITTLE_BYTES[op.name]
    return op.name in VIEWS or op.name == "memref.alloc" or is_pure(op)


class _Running:
    """A product that nothing has waited for."""

    def __init__(self, op: ir.Operation) -> None:
        found = accesses(op)
        self._reads = {access.root for access in found if not access.writes}
        self._writes = {access.root for access in found if access.writes}
        self._users = {ancestor_in(use.owner.operation, op.block) for root in self._reads | self._writes
                       for use in uses_of_buffer(root)}

    def conflicts(self, op: ir.Operation) -> bool:
        """True for an operation of the block that must wait: it uses the results, or writes what the product reads."""
        if op not in self._users or op.name in VIEWS:
            return False
        if op.name == "memref.dealloc":
            return True
        try:
            found = accesses(op)
        except UnknownEffect:
            return True
        return any(access.root in self._writes or (access.writes and access.root in self._reads) for access in found)
