"""The user-DMA engines: queues, cost, and the moment the data arrives.

One engine per hardware thread works its transfers in order. A transfer's bytes are moved at its wait (or when a poll
finds it done), not at its start: a program that forgets the wait reads old data.

Cost, in 1/256 cycle: an idle engine needs ``dma_start_cycles`` to the first byte, a busy one
``dma_descriptor_cycles`` between descriptors; then bytes at ``dma_bytes_per_cycle``. All engines share the
memory interface in the order of their starts, with lower priority than the core: they get the part of
``ddr_peak_bytes_per_cycle`` that the core's own DDR traffic does not use, but at least half.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system import descriptors
from hexagon_mlir.sim.memory_system.cache_model import Q8, cycles_q8
from hexagon_mlir.sim.memory_system.cache_tags import CacheTags
from hexagon_mlir.sim.memory_system.descriptors import Block
from hexagon_mlir.sim.memory_system.memory import Memory


@dataclass(slots=True, eq=False)
class Transfer:
    """One queued block."""

    tag: int
    engine: int
    block: Block
    descriptors: int
    issued: int
    """Time of the start, in 1/256 cycle."""
    core_bytes: int
    """The core's DDR traffic up to the start."""
    begin: int = 0
    """Time of the first byte; `finish` the last. 0 until known."""
    finish: int = 0
    arrived: bool = False
    cancelled: bool = False
    address: int = 0
    """Guest address of its descriptor; 0 when the runtime made it."""
    leaves: bool = False
    """A later run waits for it."""


class Dma:
    """All engines of a core."""

    def __init__(self, memory: Memory, tags: CacheTags) -> None:
        self.memory = memory
        self.tags = tags
        target = memory.target
        self.start_q8 = cycles_q8(float(target.dma_start_cycles.value))
        self.descriptor_q8 = cycles_q8(float(target.dma_descriptor_cycles.value))
        self.bytes_per_cycle = float(target.dma_bytes_per_cycle.value)
        self.peak = float(target.ddr_peak_bytes_per_cycle.value)
        self.field_bits = int(target.dma_block_field_bits.value)
        self.core_traffic: Callable[[], int] = lambda: 0
        """DDR bytes the core has moved so far; set by the machine."""
        self.reset()

    def reset(self) -> None:
        self.transfers: list[Transfer] = []
        self.in_flight: list[Transfer] = []
        """Those whose data has not arrived, in order."""
        self.own_ddr_bytes = 0
        self._timed = 0  # transfers[:_timed] know their finish
        self._bus_free = 0
        self._engine_free: dict[int, int] = {}

    # -- queue ---------------------------------------------------------------------------------------------
    def start(self, engine: int, block: Block, now: int, address: int = 0) -> Transfer:
        """Queue ``block`` on ``engine`` at time ``now``."""
        if block.nbytes > self.memory.ddr.size:
            raise ValueError(f"copy of {block.nbytes} bytes: more than there is DDR")
        for where, stride in ((block.dst, block.dst_stride), (block.src, block.src_stride)):
            low, high = block.span(where, stride)
            if low < 0 or high > layout.SPACE_BYTES:
                raise ValueError(f"copy range {low:#x}..{high:#x} is outside the address space")
            if high - low > layout.LARGE_BYTES and not self.memory.holds(low, high - low):
                raise ValueError(f"copy range {low:#x}..{high:#x} is outside memory")
        needed = 1 if address else descriptors.count(block, self.field_bits)
        transfer = Transfer(
            len(self.transfers) + 1, engine, block, needed, now, self.core_traffic() - self.own_ddr_bytes,
            0, 0, False, False, address,
        )  # fmt: skip
        self.transfers.append(transfer)
        self.in_flight.append(transfer)
        return transfer

    def start_2d(self, engine: int, block: Block, now: int) -> Transfer:
        """Like `start`; a block without bytes is done at once."""
        if block.rows > 0 and block.row_bytes > 0:
            return self.start(engine, block, now)
        done = Transfer(len(self.transfers) + 1, engine, block, 0, now, 0, arrived=True)
        self.transfers.append(done)
        return done

    def take_over(self, engine: int, arriving: Sequence[tuple[Block, int]], busy: int) -> list[Transfer]:
        """Begin with transfers of ``arriving`` that earlier runs have started, each with what is left of its time.

        The engine and the memory interface are occupied for ``busy``, by transfers that later runs wait for, too.
        """
        self._engine_free[engine] = self._bus_free = busy
        for block, left in arriving:
            self.start(engine, block, 0).finish = left
        self._timed = len(self.transfers)
        return self.transfers[:]

    def left(self, now: int) -> tuple[int, ...]:
        """How long after ``now`` each transfer takes that a later run waits for, in the order of their starts."""
        return tuple(max(self.finish(transfer, now) - now, 0) for transfer in self.transfers if transfer.leaves)

    def _core_bytes(self) -> int:
        return self.core_traffic() - self.own_ddr_bytes

    def finish(self, transfer: Transfer, now: int) -> int:
        """When the last byte of ``transfer`` arrives."""
        while self._timed < transfer.tag:
            self._time(self.transfers[self._timed], now)
            self._timed += 1
        return transfer.finish

    def _time(self, transfer: Transfer, now: int) -> None:
        if not transfer.descriptors:
            transfer.begin = transfer.finish = transfer.issued
            return
        free = self._engine_free.get(transfer.engine, -1)
        idle = free <= transfer.issued
        ready = transfer.issued + self.start_q8 if idle else free + self.descriptor_q8
        transfer.begin = max(ready, self._bus_free)
        elapsed = (now - transfer.issued) / Q8
        core_rate = (self._core_bytes() - transfer.core_bytes) / elapsed if elapsed > 0 else 0.0
        rate = min(self.bytes_per_cycle, max(self.peak - core_rate, self.peak / 2))
        between = (transfer.descriptors - 1) * self.descriptor_q8
        transfer.finish = transfer.begin + between + cycles_q8(transfer.block.nbytes / rate)
        self._engine_free[transfer.engine] = self._bus_free = transfer.finish

    def pending(self, engine: int | None = None) -> list[Transfer]:
        """Transfers whose data has not arrived, in order."""
        return [t for t in self.in_flight if engine in (None, t.engine)]

    def cancel(self, transfers: list[Transfer]) -> None:
        """Cancel transfers that have not begun; their engine is free after the last one before them."""
        for transfer in transfers:
            transfer.arrived = transfer.cancelled = True
            self.in_flight.remove(transfer)
        if transfers:
            engine = transfers[0].engine
            before = [t.finish for t in self.transfers[: transfers[0].tag - 1] if t.engine == engine]
            self._engine_free[engine] = max(before, default=-1)

    # -- arrival -------------------------------------------------------------------------------------------
    def arrive(self, transfer: Transfer, context: Context) -> list[Transfer]:
        """Move the bytes of ``transfer`` and of all before it on its engine; gives those moved."""
        moved = [t for t in self.in_flight if t.engine == transfer.engine and t.tag <= transfer.tag]
        for one in moved:
            self._move(one, context)
            one.arrived = True
            self.in_flight.remove(one)
            if one.address:
                control = self.memory.view(one.address + 4, 4).view(np.uint32)
                control |= np.uint32(descriptors.DONE)
        return moved

    def _move(self, transfer: Transfer, context: Context) -> None:
        """Copy the rows and count the bytes; those that a later run waits for count there."""
        dst, src, row_bytes, rows, dst_stride, src_stride = transfer.block
        nbytes = row_bytes * rows
        if rows == 1 or dst_stride == src_stride == row_bytes:
            self.memory.move(dst, src, nbytes)
        else:
            to = self._rows(dst, row_bytes, rows, dst_stride)
            to[...] = self._rows(src, row_bytes, rows, src_stride)  # numpy requires disjoint ranges
        if transfer.leaves:
            return
        tcm, tags = self.memory.tcm, self.tags
        read = written = 0
        if tcm.base <= src < tcm.base + tcm.size:
            context.add("tcm_read_bytes", nbytes)
        else:
            read = nbytes
            written = tags.clean(src, row_bytes, rows, src_stride)
        if tcm.base <= dst < tcm.base + tcm.size:
            context.add("tcm_write_bytes", nbytes)
        else:
            written += nbytes + tags.drop(dst, row_bytes, rows, dst_stride)
        context.add("ddr_read_bytes", read)
        context.add("ddr_write_bytes", written)
        self.own_ddr_bytes += read + written

    def _rows(self, address: int, row_bytes: int, rows: int, stride: int) -> np.ndarray:
        return np.ndarray((rows, row_bytes), np.uint8, self.memory.bytes, address, (stride, 1))
