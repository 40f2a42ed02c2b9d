"""Where a thread waits for its products: a product runs while the thread goes on."""

from __future__ import annotations

from hexagon_mlir.dialects.engine_tiles import wait_for_products
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, uses_of_buffer
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.passes.lib.buffer_accesses import UnknownEffect, accesses

_RUNNING = 2
"""Products at a time: one that the engine computes, and the next one, whose thread waits for the engine."""


def insert_waits(block: ir.Block) -> None:
    """Wait for each product of ``block`` before the first operation that its results, or what it reads, are for.

    Waits are for all products up to one of them: the engine computes in order.
    """
    running: list[_Running] = []
    operations = [view.operation for view in block.operations]
    for op in operations:
        done = max((number + 1 for number, one in enumerate(running) if one.conflicts(op)), default=0)
        if op == operations[-1]:
            done = len(running)
        elif op.name == ENGINE_PRODUCT:
            done = max(done, len(running) - _RUNNING + 1)
        if done:
            with op.location, ir.InsertionPoint(op):
                wait_for_products(len(running) - done)
            del running[:done]
        if op.name == ENGINE_PRODUCT:
            running.append(_Running(op))


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
