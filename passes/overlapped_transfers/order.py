"""Where the transfer of a copy has to end: the order of a block's operations, and what they access."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, uses_of_buffer
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.ir.query import in_tcm, static_bytes
from hexagon_mlir.passes.lib.buffer_accesses import BufferAccess, UnknownEffect, accesses
from hexagon_mlir.passes.lib.dma_transfers import MOST_STORED_BYTES


def is_store(op: ir.Operation) -> bool:
    """Whether ``op`` is a copy from TCM to DDR."""
    return op.name == "memref.copy" and in_tcm(op.operands[0].type) and not in_tcm(op.operands[1].type)


class Order:
    """The operations of a block in order, and what they access. Transfers that are written meanwhile do not count:
    they are where copies were."""

    def __init__(self, block: ir.Block) -> None:
        self._block = block
        self.operations = [view.operation for view in block.operations]
        self._position = {op: number for number, op in enumerate(self.operations)}
        self._accesses: dict[int, list[BufferAccess] | None] = {}

    def end(self, number: int) -> int:
        """The position of the operation before which the transfer of copy ``number`` ends: the first one that conflicts
        with it, or a later store, before which results of `MOST_STORED_BYTES` would be in TCM."""
        end, stored = self.first_conflict(number), 0
        if is_store(self.operations[number]):
            for later in range(number, end):
                if is_store(self.operations[later]):
                    stored += static_bytes(self.operations[later].operands[0].type) or 0
                    if stored > MOST_STORED_BYTES and later > number:
                        return later
        return end

    def first_conflict(self, number: int) -> int:
        """The position of the first operation after copy ``number`` that uses its target or writes its source, or else
        of the last one of the block."""
        source, target = (BufferAccess(self.operations[number], value, False)
                          for value in self.operations[number].operands)
        users = {ancestor_in(use.owner.operation, self._block) for buffer in (source, target)
                 for use in uses_of_buffer(buffer.root)}
        later = sorted(at for op in users if op is not None and (at := self._position.get(op, 0)) > number)
        return next((at for at in later if self._conflicts(at, source, target)), len(self.operations) - 1)

    def _conflicts(self, number: int, source: BufferAccess, target: BufferAccess) -> bool:
        """True where operation ``number`` accesses ``target`` or writes ``source``."""
        op = self.operations[number]
        if op.name in VIEWS:
            return False
        if op.name == "memref.dealloc":
            return True
        if number not in self._accesses:
            try:
                self._accesses[number] = accesses(op)
            except UnknownEffect:
                self._accesses[number] = None
        found = self._accesses[number]
        return found is None or any(access.may_overlap(target) or (access.writes and access.may_overlap(source))
                                    for access in found)
