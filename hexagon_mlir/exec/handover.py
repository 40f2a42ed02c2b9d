"""The arguments of a model's kernel besides tensors, in guest memory: TCM, and records of tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hexagon_mlir.dialects.kernel_memory import KernelMemory, Tile
from hexagon_mlir.exec.tcm_plan import Place
from hexagon_mlir.sim import Arg64, Machine
from hexagon_mlir.sim.layout import TCM_BASE
from hexagon_mlir.sim.memory_system.handover import FIRST_TAG, Handover, TileRecord


@dataclass(frozen=True)
class TcmUse:
    """One call's share of the TCM.

    ``following`` are the tiles that it starts for a later call, each with its offset in TCM. ``left_q8`` is what is
    left of the times of the transfers that earlier calls have started for this one, ``busy_q8`` of all, in 1/256 cycle.
    ``activations`` are the arguments that are in TCM: by number, offset and bytes.
    """

    memory: KernelMemory
    place: Place
    following: tuple[tuple[Tile, int], ...] = ()
    left_q8: tuple[int, ...] = ()
    busy_q8: int = 0
    activations: Mapping[int, tuple[int, int]] = field(default_factory=dict)

    def prepare(self, machine: Machine, words: Sequence[int | float | Arg64]) -> tuple[list[int], Handover]:
        """Write it to the memory of ``machine``; returns the arguments after ``words``, and the run's `Handover`."""
        memory, place = self.memory, self.place
        own = [*zip(memory.tiles, place.tiles, strict=True)]
        spans = [(0, memory.arena_bytes), *((at, tile.slot_bytes) for tile, at in (*own, *self.following)),
                 *{*self.activations.values()}]
        for offset, nbytes in sorted(spans):
            if nbytes:
                machine.alloc_tcm_at(TCM_BASE + offset, nbytes)
        extra = [TCM_BASE + offset for offset in place.tiles]
        records: list[TileRecord] = []
        for number, (tile, offset) in enumerate(own):
            start = words[tile.argument]
            assert isinstance(start, int)  # the address of a tensor
            tag = FIRST_TAG + number if number < place.ahead else 0
            records.append(_record(tile, start + tile.offset, offset, tag))
        if records:
            extra.append(_put(machine, records)[0])
        if memory.arena_bytes:
            extra.append(TCM_BASE)
        leaving: list[int] = []
        if memory.spare_cycles:  # the bytes are moved when the later call waits for them
            leaving = _put(machine, [_record(tile, machine.alloc_ddr(tile.extent), offset)
                                     for tile, offset in self.following])
            extra += [leaving[0] if leaving else 0, len(leaving)]
        arriving = tuple((record.block, left) for record, left in zip(records[:place.ahead], self.left_q8, strict=True))
        return extra, Handover(arriving, self.busy_q8, frozenset(leaving))


def _record(tile: Tile, source: int, offset: int, tag: int = 0) -> TileRecord:
    return TileRecord(TCM_BASE + offset, source, tile.row_bytes, tile.rows, tile.stride, tag)


def _put(machine: Machine, records: Sequence[TileRecord]) -> list[int]:
    """Write ``records`` one after the other; their addresses."""
    if not records:
        return []
    begin = machine.alloc_ddr(len(records) * TileRecord.NBYTES)
    addresses = [begin + number * TileRecord.NBYTES for number in range(len(records))]
    for record, address in zip(records, addresses, strict=True):
        record.write(machine.memory, address)
    return addresses
