"""The programming interface of the DMA: the ``dm*`` instructions and the runtime's copy functions.

``hexmlir_rt_dma_start_2d(dst, src, row_bytes, rows, dst_stride, src_stride) -> i32 tag`` queues a transfer and
goes on, ``hexmlir_rt_dma_wait(tag)`` waits for it and for all before it on the same engine;
``hexmlir_rt_copy_2d`` does both. ``hexmlir_rt_tile_start(records, first, count) -> i32 tag`` starts the transfers of
``count`` tiles' records (`hexagon_mlir.sim.memory_system.handover`) that have not been started. The instructions work
on descriptors in guest memory (`descriptors`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system import descriptors
from hexagon_mlir.sim.memory_system.descriptors import Block
from hexagon_mlir.sim.memory_system.dma import Dma, Transfer
from hexagon_mlir.sim.memory_system.handover import Handover, TileRecord
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.threading.threads import Scheduler
from hexagon_mlir.sim.translation.program import SimError

IDLE, RUNNING = 0, 1
"""Status in bits 1:0 of what dmpoll and dmwait give; bits 31:4 hold the descriptor's address."""
_COPY_ARGUMENTS = struct.Struct("<2I4i").unpack_from
MAX_CHAIN = 1 << 16
"""A chain of so many descriptors is taken to be endless."""


class DmaApi:
    """Entry points for the running thread; an engine per thread."""

    def __init__(self, dma: Dma, memory: Memory, scheduler: Scheduler) -> None:
        self.dma = dma
        self.memory = memory
        self.scheduler = scheduler
        self.started: Callable[[Transfer, Context], None] = lambda transfer, context: None
        self.arrived: Callable[[Transfer], None] = lambda transfer: None
        self.leaving: frozenset[int] = frozenset()
        """Guest addresses of the records of the tiles that a later run waits for."""

    def reset(self) -> None:
        self.dma.reset()
        self.leaving = frozenset()

    def begin(self, handover: Handover, context: Context) -> None:
        """A run begins that shares transfers with those before and after it."""
        self.leaving = handover.leaving
        for transfer in self.dma.take_over(self.scheduler.current.number, handover.arriving, handover.busy_q8):
            self.started(transfer, context)

    def functions(self) -> dict[str, Callable[[Context], int | None]]:
        return {
            "hexmlir_rt_dma_start_2d": self.start_2d,
            "hexmlir_rt_dma_wait": self.wait,
            "hexmlir_rt_copy_2d": self.copy_2d,
            "hexmlir_rt_tile_start": self.start_tile,
            "dmstart": lambda c: self.start_chain(c.word(0)),
            "dmresume": lambda c: self.start_chain(c.word(0)),
            "dmlink": self.link,
            "dmpoll": self.poll,
            "dmwait": self.wait_all,
            "dmpause": self.pause,
        }

    # -- runtime -------------------------------------------------------------------------------------------
    def _block(self, context: Context) -> Block:
        return Block._make(_COPY_ARGUMENTS(context.state.data, layout.REGISTERS))

    def _start(self, block: Block, now: int) -> Transfer:
        transfer = self.dma.start_2d(self.scheduler.current.number, block, now)
        self._note(transfer)
        return transfer

    def _note(self, transfer: Transfer) -> None:
        context = self.scheduler.current.context
        assert context is not None
        self.started(transfer, context)

    def start_2d(self, context: Context) -> int:
        try:
            return self._start(self._block(context), self.scheduler.now()).tag
        except ValueError as error:
            raise SimError(f"hexmlir_rt_dma_start_2d: {error}") from error

    def start_tile(self, context: Context) -> int:
        """Start the transfers of tiles' records, each once; gives the last one's tag, 0 where there are none."""
        records, first, count = (context.word(number) for number in range(3))
        tag = 0
        for number in range(first, first + count):
            address = records + number * TileRecord.NBYTES
            record = TileRecord.read(self.memory, address)
            tag = record.tag
            if not tag:
                try:
                    transfer = self._start(record.block, self.scheduler.now())
                except ValueError as error:
                    raise SimError(f"hexmlir_rt_tile_start: {error}") from error
                transfer.leaves = address in self.leaving
                tag = transfer.tag
                replace(record, tag=tag).write(self.memory, address)
        return tag

    def copy_2d(self, context: Context) -> None:
        now = self.scheduler.now()
        try:
            transfer = self._start(self._block(context), now)
        except ValueError as error:
            raise SimError(f"hexmlir_rt_copy_2d: {error}") from error
        self._complete(transfer, context, now)

    def wait(self, context: Context) -> None:
        tag = context.argument(0)
        if not 0 < tag <= len(self.dma.transfers):
            raise SimError(f"hexmlir_rt_dma_wait({tag}): no such transfer")
        self._complete(self.dma.transfers[tag - 1], context, self.scheduler.now())

    def _complete(self, transfer: Transfer, context: Context, now: int) -> None:
        """Stall from ``now`` until ``transfer`` is done; its data arrives."""
        if not transfer.arrived:
            self.scheduler.sleep(self.dma.finish(transfer, now), "copy_q8")
            self._arrive(transfer, context)

    def _arrive(self, transfer: Transfer, context: Context) -> None:
        for moved in self.dma.arrive(transfer, context):
            self.arrived(moved)

    # -- instructions --------------------------------------------------------------------------------------
    def start_chain(self, address: int) -> None:
        """dmstart, dmresume: work a chain of descriptors."""
        if not address:
            return
        now = self.scheduler.now()
        engine = self.scheduler.current.number
        try:
            for _ in range(MAX_CHAIN):
                words = self.memory.view(address, descriptors.BLOCK_BYTES)
                block, following = descriptors.read(words, address, self.dma.field_bits)
                transfer = self.dma.start(engine, block, now, address)
                self._note(transfer)
                if not following:
                    return
                address = following
        except ValueError as error:
            raise SimError(str(error)) from error
        raise SimError(f"DMA chain of more than {MAX_CHAIN} descriptors at {address:#x}")

    def link(self, context: Context) -> None:
        """dmlink(tail, next): append a chain to the tail's descriptor, or start it on an idle engine."""
        tail, following = context.word(0), context.word(1)
        if tail:
            self.memory.view(tail, 4).view(np.uint32)[0] = following
        self.start_chain(following)

    def _status(self, engine: int, now: int) -> int:
        """The engine's status word after everything due by ``now``."""
        left = [t for t in self.dma.pending(engine) if self.dma.finish(t, now) > now]
        return left[0].address & ~15 | RUNNING if left else IDLE

    def poll(self, context: Context) -> int:
        """Data of transfers that are done arrives, since the program can observe it."""
        now = self.scheduler.now()
        engine = self.scheduler.current.number
        status = self._status(engine, now)
        done = [t for t in self.dma.pending(engine) if t.finish <= now]
        if done:
            self._arrive(done[-1], context)
        return status

    def wait_all(self, context: Context) -> int:
        pending = self.dma.pending(self.scheduler.current.number)
        if pending:
            self._complete(pending[-1], context, self.scheduler.now())
        return IDLE

    def pause(self, context: Context) -> int:
        """Stop after the descriptor in progress; gives where to resume."""
        engine = self.scheduler.current.number
        now = self.scheduler.now()
        pending = self.dma.pending(engine)
        waiting = [t for t in pending if self.dma.finish(t, now) > now and t.begin > now]
        current = [t for t in pending if t not in waiting]
        if current:
            self._complete(current[-1], context, now)
        self.dma.cancel(waiting)
        return waiting[0].address & ~15 | RUNNING if waiting else IDLE
