"""Buffers that an iteration makes and the next one reads, such as the running maximum of an online softmax."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, allocation_bytes, uses_of_buffer
from hexagon_mlir.ir.query import in_tcm


@dataclass(frozen=True)
class LoopCarried:
    """The buffer that ``alloc`` makes is value ``number`` that the loop carries."""

    alloc: ir.Operation
    number: int

    @property
    def tcm_bytes(self) -> int:
        """Bytes of TCM that it takes."""
        return (allocation_bytes(self.alloc) or 0) if in_tcm(ir.MemRefType(self.alloc.results[0].type)) else 0


def loop_carried(loop: ir.Operation) -> list[LoopCarried] | None:
    """The buffers that ``loop`` carries; None when one may be read later than in the next iteration.

    Each of them can then have a buffer in every set: an iteration writes the one in its own set and reads the one in
    the previous set.
    """
    body = loop.regions[0].blocks[0]
    end = list(body.operations)[-1].operation
    found = []
    for number, value in enumerate(end.operands):
        if not isinstance(value.type, ir.MemRefType):
            continue
        maker = None if isinstance(value.owner, ir.Block) else value.owner.operation
        if maker is not None and maker.block != body:
            continue  # made before the loop
        before = body.arguments[number + 1]
        if maker is None or maker.name != "memref.alloc" or len(maker.operands):
            if maker is None and value == before:
                continue  # the same one in every iteration
            return None
        if _other_names(before) or _other_names(value) != [end]:
            return None
        found.append(LoopCarried(maker, number))
    return found


def _other_names(buffer: ir.Value) -> list[ir.Operation]:
    """Operations that give ``buffer`` another name which is not a view of it."""
    users = [use.owner.operation for use in uses_of_buffer(buffer)]
    return [user for user in users if user.name not in VIEWS and (
        user.name in ("scf.yield", "scf.for", "scf.while", "scf.condition")
        or any(isinstance(result.type, ir.MemRefType) for result in user.results))]
