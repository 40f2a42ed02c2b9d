"""The arguments of a model's kernel besides tensors, in guest memory: TCM, and records of tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.kernel_memory import KernelMemory, Tile
from hexagon_mlir.exec.tcm_plan import Place
from hexagon_mlir.sim import Arg64, Machine
from hexagon_mlir.sim.layout import TCM_BASE
from hexagon_mlir.sim.memory_system.handover import FIRST_TAG, Handover, TileRecord


@dataclass(frozen=True)
class NextTile:
    """The tile that a call starts for a later one, and the offset in TCM and the size of its memory."""

    tile: Tile
    offset: int
    nbytes: int


@dataclass(frozen=True)
class TcmUse:
    """One call's share of the TCM. ``left_q8`` is the remaining time of a transfer of an earlier call, in 1/256
    cycle."""

    memory: KernelMemory
    place: Place
    following: NextTile | None = None
    left_q8: int = 0

    def prepare(self, machine: Machine, words: Sequence[int | float | Arg64]) -> tuple[list[int], Handover]:
        """Write it to the memory of ``machine``; returns the arguments after ``words``, and the run's `Handover`."""
        memory, place, following = self.memory, self.place, self.following
        spans = [(place.tile, memory.tile_bytes), (place.arena, memory.arena_bytes)]
        if following is not None:
            spans.append((following.offset, following.nbytes))
        for offset, nbytes in sorted(spans):
            if nbytes:
                machine.alloc_tcm_at(TCM_BASE + offset, nbytes)
        extra: list[int] = []
        block = None
        if memory.tile is not None:
            start = words[memory.tile.argument]
            assert isinstance(start, int)  # the address of a tensor
            record = _record(memory.tile, start + memory.tile.offset, place.ahead)
            extra += [TCM_BASE + place.tile, _put(machine, record)]
            block = record.block(TCM_BASE + place.tile) if place.ahead else None
        if memory.arena_bytes:
            extra.append(TCM_BASE + place.arena)
        leaving = 0
        if memory.spare_cycles:
            if following is not None:  # its bytes are moved when the later call waits for them
                leaving = _put(machine, _record(following.tile, machine.alloc_ddr(following.tile.extent), False))
            extra += [leaving, TCM_BASE + following.offset if following else 0]
        return extra, Handover(block, self.left_q8, leaving)


def _record(tile: Tile, source: int, started: bool) -> TileRecord:
    return TileRecord(source, tile.row_bytes, tile.rows, tile.stride, FIRST_TAG if started else 0)


def _put(machine: Machine, record: TileRecord) -> int:
    address = machine.alloc_ddr(record.NBYTES)
    record.write(machine.memory, address)
    return address
