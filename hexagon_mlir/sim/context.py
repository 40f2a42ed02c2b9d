"""One guest thread's registers and counters: the state record of translated code, for Python.

Every thread has a record and counters of its own; the cache tags are the core's and shared by all.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.memory_system import streams
from hexagon_mlir.sim.memory_system.cache_model import Q8, Geometry, ddr_costs
from hexagon_mlir.sim.memory_system.cache_tags import CacheTags
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.semantics.float_model import DEFAULT_EXTENSION
from hexagon_mlir.sim.translation.program import Program
from hexagon_mlir.targets import Target

STACK_ALIGN = 128
IN_REGISTERS = 6
"""Words of arguments that are passed in r0..r5."""


@dataclass(frozen=True)
class Arg64:
    """A 64-bit argument: an even register pair, or 8 aligned bytes of stack."""

    value: int


class CostTable:
    """The cost of one execution of each block and branch: converts counters to cycles."""

    def __init__(self, program: Program, target: Target) -> None:
        blocks = program.blocks
        self.taken = int(target.taken_branch_cycles.value)
        self.mispredict = int(target.mispredict_cycles.value)
        self.packets = np.array([b.packets for b in blocks] or [0], np.int64)
        self.cycles = [b.packets + sum(b.stalls.values()) for b in blocks] or [0]
        """Of one run of each block."""
        hvx = [b.hvx_packets for b in blocks] or [0]
        branches = max(1, len(program.branches))
        scale = {"l2_stall": Q8, "tcm_stall": Q8, "host_stall": Q8, "ddr_stall_q8": 1, "copy_q8": 1, "wait_q8": 1,
                 "matrix_queue_q8": 1, "matrix_wait_q8": 1}  # fmt: skip
        traffic = ("ddr_read_bytes", "ddr_write_bytes")
        names = layout.COUNTER_NAMES
        none = [0] * (3 * branches)
        self.weights = np.array(
            [
                [scale.get(name, 0) for name in names]
                + [Q8 * c for c in self.cycles] + [Q8 * self.taken, Q8 * self.mispredict, 0] * branches,
                [0] * len(names) + hvx + none,
                [int(name in traffic) for name in names] + [0] * len(hvx) + none,
                [int(name == "ddr_stall_q8") for name in names] + [0] * len(hvx) + none,
            ],
            np.int64,
        )  # fmt: skip
        """The contribution of one count of each meter to `Context.work`."""
        self.causes = list(dict.fromkeys(cause for block in blocks for cause in block.stalls))
        self.totals = np.array(
            [
                [0] * len(names) + row + branch * branches
                for row, branch in (
                    (self.packets.tolist(), [0, 0, 0]), (hvx, [0, 0, 0]),
                    ([0] * len(hvx), [self.taken, self.mispredict, 0]),
                    *(([b.stalls.get(cause, 0) for b in blocks] or [0], [0, 0, 0]) for cause in self.causes),
                )
            ],
            np.int64,
        )  # fmt: skip
        """Its contribution to packets, HVX packets, branch stalls and the stalls of each of ``causes``."""


_INDEX = {name: index for index, name in enumerate(layout.COUNTER_NAMES)}
_DDR_READ, _DDR_WRITE = _INDEX["ddr_read_bytes"], _INDEX["ddr_write_bytes"]
_REGISTER = layout.REGISTERS // 4


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
        blocks, branches, counters = max(1, len(program.blocks)), max(1, len(program.branches)), len(_INDEX)
        self.state = _zeros(layout.COUNTERS + 8 * (counters + blocks + 3 * branches))
        self.meters = self.state[layout.COUNTERS :].view(np.int64)
        """Everything counted: counters, runs of blocks, branches."""
        self._ends = counters, counters + blocks
        self.counters, self.counts, self.branches = self.divided(self.meters)
        self.memos = np.zeros((max(1, program.memos), 2), np.int64)
        self.streams = _zeros(4 * streams.WORDS * int(memory.target.ddr_streams.value)).view(np.uint32)
        self.stack_low = layout.STACK_BASE + index * (memory.stack_bytes + layout.STACK_GUARD_BYTES)
        pointers = {
            layout.BASE: memory.host_base,
            layout.CALLBACK: callback,
            layout.BLOCK_COUNTS: self.counts.ctypes.data,
            layout.BRANCHES: self.branches.ctypes.data,
            layout.L1_TAGS: tags.l1.ctypes.data,
            layout.L2_TAGS: tags.l2.ctypes.data,
            layout.MEMOS: self.memos.ctypes.data,
            layout.EPOCH: tags.marks.ctypes.data,
            layout.STREAMS: self.streams.ctypes.data,
        }
        for offset, value in pointers.items():
            self.state[offset : offset + 8].view(np.uint64)[0] = value
        self.registers = self.state[layout.REGISTERS : layout.REGISTERS + 128].view(np.uint32)
        self.vectors = self.state[layout.VECTORS : layout.CONTROLS]
        """Vector registers and vector predicates."""
        self.extensions = self.state[layout.EXTENSIONS : layout.SECONDS].view(np.uint32)
        self.origins = self.state[layout.ORIGINS : layout.SCALAR_SECONDS]
        last = layout.COUNTERS if program.sites else layout.SECONDS if program.extended else layout.EXTENSIONS
        self.all_registers = [
            self.state[begin:end]
            for begin, end in ((layout.REGISTERS, layout.ARGUMENT), (layout.VECTORS, last))
        ]
        self.words = self.state.view(np.uint32)
        self.cells = self.state.data.cast("I")
        """The same words as a memoryview: reading one takes a third of the time."""
        self._meters = self.meters.data
        self.words[layout.STACK_LIMIT // 4] = self.stack_low
        self.address = int(self.state.ctypes.data)
        """Host address of the record."""
        self.hints = np.array([0 if taken else -1 for _, _, taken in program.branches] or [0], np.int64)
        self.clear()

    @property
    def stack_top(self) -> int:
        return self.stack_low + self.memory.stack_bytes

    def clear(self) -> None:
        """Zero counters, static branch hints, no trap."""
        self.meters.fill(0)
        self.streams.fill(0)
        self.cells[layout.STREAM_NEXT // 4] = 0
        self.branches[:, 2] = self.hints

    def divided(self, meters: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counters, runs of blocks, and the table of branches in ``meters``."""
        counters, blocks = self._ends
        return meters[:counters], meters[counters:blocks], meters[blocks:].reshape(-1, 3)

    def end_streams(self) -> None:
        """The thread ends: charge the latencies of its streams that are still uncharged."""
        line, latency = ddr_costs(Geometry(self.memory.target), self.memory.target)
        self.add("ddr_stall_q8", streams.gaps(self.streams.tolist()) * (latency - line))
        self.streams.fill(0)

    # -- counters ------------------------------------------------------------------------------------------
    def counter(self, name: str) -> int:
        return self._meters[_INDEX[name]]

    def add(self, name: str, amount: int) -> None:
        self._meters[_INDEX[name]] += amount

    def work(self) -> list[int]:
        """Counts so far: cycles (in 1/256), HVX packets, bytes to and from DDR, cycles of DDR stalls."""
        return self.costs.weights.dot(self.meters).tolist()

    def packets(self) -> int:
        """Packets run so far."""
        return int(self.costs.packets.dot(self.counts))

    def ddr_bytes(self) -> int:
        return self._meters[_DDR_READ] + self._meters[_DDR_WRITE]

    # -- arguments and results -----------------------------------------------------------------------------
    def word(self, index: int) -> int:
        """Register ``index``."""
        return self.cells[_REGISTER + index]

    def argument(self, index: int) -> int:
        """Register ``index`` as a signed 32-bit argument."""
        value = self.cells[_REGISTER + index]
        return value - (1 << 32) if value >> 31 else value

    def pair(self, low: int) -> int:
        """A signed 64-bit argument in the register pair that starts at ``low``."""
        value = self.cells[_REGISTER + low] | self.cells[_REGISTER + low + 1] << 32
        return value - (1 << 64) if value >> 63 else value

    def give(self, value: int) -> None:
        """The result of a host function: r1:0."""
        self.cells[_REGISTER] = value & 0xFFFFFFFF
        self.cells[_REGISTER + 1] = value >> 32 & 0xFFFFFFFF

    def place(self, words: Sequence[int | Arg64]) -> tuple[int, int]:
        """Arguments after the Hexagon ABI: r0..r5, then the stack. Vector registers become undefined. Returns the
        address and the bytes of those on the stack."""
        registers = self.cells
        register = 0
        stack: list[int] = []
        for word in words:
            parts = (word,) if isinstance(word, int) else (word.value, word.value >> 32)
            pad = (register if register < IN_REGISTERS else len(stack)) % len(parts)
            if register + pad + len(parts) <= IN_REGISTERS:
                register += pad
                for part in parts:
                    registers[_REGISTER + register] = part & 0xFFFFFFFF
                    register += 1
                continue
            if register < IN_REGISTERS:
                register, pad = IN_REGISTERS, 0
            stack += [0] * pad
            stack += [part & 0xFFFFFFFF for part in parts]
        pointer = (self.stack_top - 4 * len(stack) - STACK_ALIGN) & -STACK_ALIGN
        if stack:
            self.memory.write(pointer, struct.pack(f"<{len(stack)}I", *stack))
        registers[_REGISTER + 29] = pointer
        registers[_REGISTER + 30] = 0
        registers[_REGISTER + 31] = layout.RETURN_ADDRESS
        self.vectors.fill(0)
        if self.program.sites:
            self.origins.fill(0)
        if self.program.extended:
            self.extensions.fill(DEFAULT_EXTENSION)
        registers[layout.TRAP // 4] = 0
        registers[layout.DEPTH // 4] = 0
        return pointer, 4 * len(stack)
