"""One guest thread's registers and counters: the state record translated code works on, seen from Python.

Every thread has a record and counters of its own; the cache tags are the core's and shared by all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.cache_model import Q8, STREAM_SLOTS
from hexagon_mlir.sim.cache_tags import CacheTags
from hexagon_mlir.sim.memory import Memory
from hexagon_mlir.sim.program import Program
from hexagon_mlir.targets import Target

STACK_ALIGN = 128


@dataclass(frozen=True)
class Arg64:
    """A 64-bit argument: an even register pair, or 8 aligned bytes of stack."""

    value: int


class CostTable:
    """Per block and per branch, what one execution costs: turns counters into cycles."""

    def __init__(self, program: Program, target: Target) -> None:
        blocks = program.blocks
        self.taken = int(target.taken_branch_cycles.value)
        self.mispredict = int(target.mispredict_cycles.value)
        cycles = [b.packets + sum(b.stalls.values()) for b in blocks] or [0]
        hvx = [b.hvx_packets for b in blocks] or [0]
        branches = max(1, len(program.branches))
        self.tally = np.array(
            [cycles + [self.taken, self.mispredict, 0] * branches, hvx + [0] * (3 * branches)], np.int64
        )
        """Cycles, and HVX packets, of a block's run and of a branch's counters."""
        scale = {"l2_stall": Q8, "tcm_stall": Q8, "host_stall": Q8, "ddr_stall_q8": 1, "copy_q8": 1, "wait_q8": 1}
        self.counters = [scale.get(name, 0) for name in layout.COUNTER_NAMES]


class Work(NamedTuple):
    """What a state record has counted."""

    cycles_q8: int
    hvx_packets: int
    ddr_bytes: int
    ddr_stall_q8: int


_INDEX = {name: index for index, name in enumerate(layout.COUNTER_NAMES)}
_DDR_READ, _DDR_WRITE, _DDR_STALL = (_INDEX[name] for name in ("ddr_read_bytes", "ddr_write_bytes", "ddr_stall_q8"))


def _zeros(nbytes: int) -> np.ndarray:
    """Zeroed bytes on a 128-byte boundary."""
    raw = np.zeros(nbytes + 128, np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : start + nbytes]


class Context:
    """The state record of guest thread number ``index``, with its guest stack."""

    def __init__(
        self, index: int, program: Program, costs: CostTable, memory: Memory, tags: CacheTags, callback: int
    ) -> None:
        self.index = index
        self.memory = memory
        self.program = program
        self.costs = costs
        self.state = _zeros(layout.STATE_BYTES)
        blocks, branches = max(1, len(program.blocks)), max(1, len(program.branches))
        self.tally = np.zeros(blocks + 3 * branches, np.int64)
        self.counts = self.tally[:blocks]
        self.branches = self.tally[blocks:].reshape(branches, 3)
        self.memos = np.zeros((max(1, program.memos), 2), np.int64)
        self.streams = _zeros(4 * STREAM_SLOTS).view(np.uint32)
        self.stack_low = layout.STACK_BASE + index * (memory.stack_bytes + layout.STACK_GUARD_BYTES)
        pointers = {
            layout.BASE: memory.host_base,
            layout.CALLBACK: callback,
            layout.BLOCK_COUNTS: self.counts.ctypes.data,
            layout.BRANCHES: self.branches.ctypes.data,
            layout.L1_TAGS: tags.l1.ctypes.data,
            layout.L2_TAGS: tags.l2.ctypes.data,
            layout.MEMOS: self.memos.ctypes.data,
            layout.EPOCH: tags.epoch.ctypes.data,
            layout.STREAMS: self.streams.ctypes.data,
        }
        for offset, value in pointers.items():
            self.state[offset : offset + 8].view(np.uint64)[0] = value
        self.registers = self.state[layout.REGISTERS : layout.REGISTERS + 128].view(np.uint32)
        self.words = self.state.view(np.uint32)
        self.words[layout.STACK_LIMIT // 4] = self.stack_low
        end = layout.COUNTERS + 8 * len(layout.COUNTER_NAMES)
        self.counters = self.state[layout.COUNTERS : end].view(np.int64)
        self.address = int(self.state.ctypes.data)
        """Host address of the record."""
        self.hints = np.array([0 if taken else -1 for _, _, taken in program.branches] or [0], np.int64)
        self.clear()

    @property
    def stack_top(self) -> int:
        return self.stack_low + self.memory.stack_bytes

    def clear(self) -> None:
        """Zero counters, static branch hints, no trap."""
        self.tally.fill(0)
        self.counters.fill(0)
        self.streams.fill(0)
        self.words[layout.STREAM_NEXT // 4] = 0
        self.branches[:, 2] = self.hints

    # -- counters ------------------------------------------------------------------------------------------
    def counter(self, name: str) -> int:
        return int(self.counters[_INDEX[name]])

    def add(self, name: str, amount: int) -> None:
        self.counters[_INDEX[name]] += amount

    def work(self) -> Work:
        """Everything this record has counted so far."""
        cycles, hvx = (self.costs.tally @ self.tally).tolist()
        counters = self.counters.tolist()
        stalls = sum(count * scale for count, scale in zip(counters, self.costs.counters, strict=True))
        return Work(
            cycles * Q8 + stalls, hvx, counters[_DDR_READ] + counters[_DDR_WRITE], counters[_DDR_STALL]
        )

    def packets(self) -> int:
        """Packets run so far."""
        return sum(int(n) * block.packets for n, block in zip(self.counts, self.program.blocks, strict=False) if n)

    def ddr_bytes(self) -> int:
        return int(self.counters[_DDR_READ]) + int(self.counters[_DDR_WRITE])

    # -- arguments and results -----------------------------------------------------------------------------
    def argument(self, index: int) -> int:
        """Register ``index`` as a signed 32-bit argument."""
        value = int(self.registers[index])
        return value - (1 << 32) if value >> 31 else value

    def pair(self, low: int) -> int:
        """A signed 64-bit argument in the register pair that starts at ``low``."""
        value = int(self.registers[low]) | int(self.registers[low + 1]) << 32
        return value - (1 << 64) if value >> 63 else value

    def give(self, value: int) -> None:
        """The result of a host function: r1:0."""
        self.registers[0], self.registers[1] = value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF

    def place(self, words: Sequence[int | Arg64]) -> None:
        """Arguments after the Hexagon ABI: r0..r5, then the stack."""
        register = 0
        registers = self.registers[:6].tolist()
        stack = b""
        for word in words:
            wide = isinstance(word, Arg64)
            value = word.value if isinstance(word, Arg64) else word
            count = 2 if wide else 1
            if register <= 5:
                register += register % 2 if wide else 0
            if register + count <= 6:
                registers[register] = value & 0xFFFFFFFF
                if wide:
                    registers[register + 1] = value >> 32 & 0xFFFFFFFF
                register += count
                continue
            register = 6
            size = 4 * count
            stack += b"\0" * (-len(stack) % size) + (value & (1 << 8 * size) - 1).to_bytes(size, "little")
        pointer = (self.stack_top - len(stack) - STACK_ALIGN) & -STACK_ALIGN
        if stack:
            self.memory.write(pointer, stack)
        self.registers[:6] = registers
        self.registers[29:32] = pointer, 0, layout.RETURN_ADDRESS
        self.words[layout.TRAP // 4] = 0
        self.words[layout.DEPTH // 4] = 0
