"""`Machine`: a translated program with its guest memory, ready to run and to report cycles.

Not a chip: values follow the architecture (qfloat as IEEE, see `isa.hvx_float`), cycles follow a model whose
numbers stand with source and confidence in `hexagon_mlir.targets`.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.sim import host, layout
from hexagon_mlir.sim.cache_model import Q8, STREAM_SLOTS, Geometry
from hexagon_mlir.sim.copy_engine import CacheTags, CopyEngine
from hexagon_mlir.sim.memory import Memory, OutOfMemory
from hexagon_mlir.sim.program import SimError, obtain
from hexagon_mlir.targets import Target

HOST_STACK_BYTES = 1 << 30
"""Host stack reserved for recursive guests; pages appear when touched."""
STACK_ALIGN = 128


@dataclass(frozen=True)
class Arg64:
    """A 64-bit argument: an even register pair, or 8 aligned bytes of stack."""

    value: int


@dataclass(frozen=True)
class BlockStat:
    """How often a basic block ran and the static cycles it took in all."""

    function: str
    label: str
    count: int
    cycles: int
    packets: int
    source: str = ""


@dataclass
class RunResult:
    """What one `Machine.run` cost. ``cycles`` is the packets issued plus the sum of ``stalls``."""

    cycles: int
    packets: int
    hvx_packets: int
    stalls: dict[str, int]
    """Cause -> cycles."""
    ddr_read_bytes: int
    ddr_write_bytes: int
    tcm_read_bytes: int
    tcm_write_bytes: int
    tcm_high_water: int
    """Most TCM bytes allocated at once."""
    return_value: int
    """r1:0 at the end, as an unsigned 64-bit number (r0 is the low word)."""
    blocks: list[BlockStat] = field(default_factory=list)
    functions: dict[str, int] = field(default_factory=dict)
    """Issue, interlock and branch cycles by function; memory, copy and host-call stalls are not split."""


class Machine:
    """One hardware thread running a program.

    ``profile=False`` leaves the per-access memory model out: values and static cycles only, faster.
    """

    def __init__(self, asm_text: str, target: str | Target = targets.DEFAULT, profile: bool = True) -> None:
        self.target = targets.get(target) if isinstance(target, str) else target
        self.program = obtain(asm_text, self.target, profile)
        self.memory = Memory(self.target)
        self.tags = CacheTags(Geometry(self.target))
        self.copies = CopyEngine(self.memory, self.tags)
        self._loaded = host.Loaded(self.program.code)
        self._error: BaseException | None = None
        self._worker: ThreadPoolExecutor | None = None
        me = weakref.ref(self)
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int32)(lambda index: _call_back(me, index))
        self._entries: dict[str, Callable[[int], None]] = {}
        self._make_state()
        self._write_data()

    # -- memory --------------------------------------------------------------------------------------------
    def alloc_ddr(self, nbytes: int, align: int = 128) -> int:
        """Guest address of ``nbytes`` of DDR."""
        return self._allocate(self.memory.ddr.allocate, nbytes, align)

    def alloc_tcm(self, nbytes: int, align: int | None = None) -> int:
        """Guest address of ``nbytes`` of TCM."""
        return self._allocate(
            self.memory.tcm.allocate, nbytes, max(align or 1, int(self.target.tcm_alignment.value))
        )

    @staticmethod
    def _allocate(allocate: Callable[[int, int], int], nbytes: int, align: int) -> int:
        try:
            return allocate(nbytes, align)
        except OutOfMemory as error:
            raise SimError(str(error)) from error

    def write(self, address: int, data: np.ndarray) -> None:
        """Copy ``data`` to guest memory."""
        self.memory.write(address, data)

    def read(self, address: int, dtype: np.typing.DTypeLike, count: int) -> np.ndarray:
        """A copy of ``count`` elements at ``address``."""
        return self.memory.read(address, np.dtype(dtype), count)

    def view(self, address: int, nbytes: int) -> np.ndarray:
        """Guest bytes without a copy."""
        return self.memory.view(address, nbytes)

    def symbol(self, name: str) -> int:
        """Guest address of a data symbol or function."""
        if name not in self.program.symbols:
            raise SimError(f"no symbol '{name}' in the program")
        return self.program.symbols[name]

    def reset(self) -> None:
        """Free every guest allocation, restore initial data, clear counters."""
        self.memory.reset()
        self._clear()
        self._write_data()

    # -- state ---------------------------------------------------------------------------------------------
    def _make_state(self) -> None:
        raw = np.zeros(layout.STATE_BYTES + 128, np.uint8)
        start = -raw.ctypes.data % 128
        self._state = raw[start : start + layout.STATE_BYTES]
        self._counts = np.zeros(max(1, len(self.program.blocks)), np.int64)
        self._branches = np.zeros((max(1, len(self.program.branches)), 3), np.int64)
        stream_raw = np.zeros(4 * STREAM_SLOTS + 64, np.uint8)
        stream_start = -stream_raw.ctypes.data % 64
        self._streams = stream_raw[stream_start : stream_start + 4 * STREAM_SLOTS].view(np.uint32)
        pointers = {
            layout.BASE: self.memory.host_base,
            layout.CALLBACK: ctypes.cast(self._callback, ctypes.c_void_p).value or 0,
            layout.BLOCK_COUNTS: self._counts.ctypes.data,
            layout.BRANCHES: self._branches.ctypes.data,
            layout.L1_TAGS: self.tags.l1.ctypes.data,
            layout.L2_TAGS: self.tags.l2.ctypes.data,
            layout.STREAMS: self._streams.ctypes.data,
        }
        for offset, value in pointers.items():
            self._state[offset : offset + 8].view(np.uint64)[0] = value
        self._registers = self._state[layout.REGISTERS : layout.REGISTERS + 128].view(np.uint32)
        self._words = self._state.view(np.uint32)
        end = layout.COUNTERS + 8 * len(layout.COUNTER_NAMES)
        self._counters = self._state[layout.COUNTERS : end].view(np.int64)
        self._clear()

    def _clear(self) -> None:
        """Cold caches, zero counters, static branch hints."""
        self._counts.fill(0)
        self._counters.fill(0)
        self._streams.fill(0)
        self._words[layout.STREAM_NEXT // 4] = 0
        self._branches.fill(0)
        for index, (_, _, taken) in enumerate(self.program.branches):
            self._branches[index, 2] = 0 if taken else -1
        self.tags.reset()

    def _write_data(self) -> None:
        for address, text in self.program.data:
            self.memory.write(address, bytes.fromhex(text))

    # -- running -------------------------------------------------------------------------------------------
    def run(
        self,
        entry: str,
        args: Sequence[int | float | Arg64] = (),
        grid: tuple[int, int, int] | None = None,
        timeout: float | None = None,
    ) -> RunResult:
        """Call ``entry`` once, or once per program of ``grid`` (x fastest).

        Arguments are 32-bit words (a Python float passes as f32 bits) or `Arg64`. With a grid, six words
        follow: the number of programs in x, y, z and the program's own x, y, z. ``timeout`` (host seconds)
        or an interrupt ends a program that does not finish.
        """
        function = self._entry(entry)
        self._clear()
        self.memory.tcm.high_water = self.memory.tcm.used
        words = [_word(argument) for argument in args]
        calls = [words]
        if grid is not None:
            nx, ny, nz = grid
            calls = [[*words, nx, ny, nz, x, y, z] for z in range(nz) for y in range(ny) for x in range(nx)]
        self._run_thread(function, calls, timeout)
        return self._result()

    def _run_thread(
        self, function: Callable[[int], None], calls: list[list[int | Arg64]], timeout: float | None
    ) -> None:
        """Run on the machine's own thread: it has a stack for the guest's recursion and can be stopped."""
        stopped = threading.Event()

        def work() -> None:
            for words in calls:
                self._call(function, words)
                if stopped.is_set():
                    break

        if self._worker is None:
            previous = threading.stack_size(HOST_STACK_BYTES)
            self._worker = ThreadPoolExecutor(max_workers=1)
            self._worker.submit(int).result()
            threading.stack_size(previous)
        future = self._worker.submit(work)
        try:
            future.result(timeout)
        except TimeoutError as error:
            raise SimError(f"the program did not finish within {timeout} seconds") from error
        finally:
            stopped.set()
            while not future.done():
                self._words[layout.TRAP // 4] = layout.STOPPED
                wait([future], timeout=0.05)

    def _entry(self, name: str) -> Callable[[int], None]:
        if name not in self._entries:
            if name not in self.program.functions:
                known = ", ".join(self.program.functions)
                raise SimError(f"no function '{name}' in the program; it has: {known}")
            prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
            self._entries[name] = prototype(self._loaded.address(f"g_{name}"))
        return self._entries[name]

    def _place(self, words: list[int | Arg64]) -> None:
        """Arguments after the Hexagon ABI: r0..r5, then the stack."""
        register = 0
        stack: list[tuple[int, int]] = []
        used = 0
        for word in words:
            wide = isinstance(word, Arg64)
            value = word.value if isinstance(word, Arg64) else word
            count = 2 if wide else 1
            if register <= 5:
                register += register % 2 if wide else 0
            if register + count <= 6:
                self._registers[register] = value & 0xFFFFFFFF
                if wide:
                    self._registers[register + 1] = value >> 32 & 0xFFFFFFFF
                register += count
                continue
            register = 6
            used = (used + 4 * count - 1) & -4 * count
            stack.append((used, value if not wide else value | 1 << 64))
            used += 4 * count
        pointer = (self.memory.stack_top - used - STACK_ALIGN) & -STACK_ALIGN
        for offset, value in stack:
            size = 8 if value >> 64 == 1 else 4
            raw = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
            self.memory.write(pointer + offset, raw)
        self._registers[29] = pointer
        self._registers[30] = 0
        self._registers[31] = layout.RETURN_ADDRESS

    def _call(self, function: Callable[[int], None], words: list[int | Arg64]) -> None:
        self._words[layout.TRAP // 4] = 0
        self._words[layout.DEPTH // 4] = 0
        self._error = None
        self._place(words)
        function(self._state.ctypes.data)
        if self._error is not None:
            raise self._error
        trap = int(self._words[layout.TRAP // 4])
        if trap and trap != layout.STOPPED:
            argument = int(self._words[layout.ARGUMENT // 4])
            raise SimError(self.program.traps[trap - 1].replace("{argument:#x}", hex(argument)))
        if self.memory.bytes[: layout.NULL_PAGE_BYTES].any():
            self.memory.bytes[: layout.NULL_PAGE_BYTES] = 0
            raise SimError("the program wrote to the null page (address below 4096)")

    # -- host functions ------------------------------------------------------------------------------------
    def _host_call(self, index: int) -> None:
        """Entered from translated code; an exception becomes a trap and is raised again after the run."""
        try:
            result = getattr(self, "_host_" + self.program.callbacks[index])()
            if result is not None:
                self._registers[0] = result
        except BaseException as error:
            self._error = error
            self._words[layout.TRAP // 4] = 1

    def _argument(self, index: int) -> int:
        """A signed 32-bit argument."""
        value = int(self._registers[index])
        return value - (1 << 32) if value >> 31 else value

    def _host_malloc(self) -> int:
        return self.alloc_ddr(int(self._registers[0]))

    def _host_calloc(self) -> int:
        size = int(self._registers[0]) * int(self._registers[1])
        address = self.alloc_ddr(size)
        self.memory.view(address, size)[:] = 0
        return address

    def _host_aligned_alloc(self) -> int:
        return self.alloc_ddr(int(self._registers[1]), max(int(self._registers[0]), 8))

    _host_memalign = _host_aligned_alloc

    def _host_free(self) -> None:
        address = int(self._registers[0])
        if address and not self.memory.ddr.free(address):
            raise SimError(f"free of {address:#x}, which is not an allocation")

    def _host_abort(self) -> None:
        raise SimError("the program called abort")

    def _host_hexmlir_rt_tcm_alloc(self) -> int:
        return self.alloc_tcm(self._argument(0), self._argument(1))

    def _host_hexmlir_rt_tcm_free(self) -> None:
        address = int(self._registers[0])
        if not self.memory.tcm.free(address):
            raise SimError(f"hexmlir_rt_tcm_free of {address:#x}, which is not a TCM allocation")

    def _host_hexmlir_rt_copy_2d(self) -> None:
        dst, src = int(self._registers[0]), int(self._registers[1])
        sizes = [self._argument(i) for i in range(2, 6)]
        try:
            added = self.copies.copy_2d(dst, src, *sizes)
        except ValueError as error:
            raise SimError(f"hexmlir_rt_copy_2d: {error}") from error
        for name, amount in added.items():
            self._counters[layout.COUNTER_NAMES.index(name)] += amount

    def _host_hexmlir_rt_cycles(self) -> None:
        cycles = self._result().cycles
        self._registers[0], self._registers[1] = cycles & 0xFFFFFFFF, cycles >> 32

    def _host_hexmlir_rt_print_i32(self) -> None:
        print(self._argument(0))

    def _host_hexmlir_rt_print_f32(self) -> None:
        print(float(self._registers[:1].view(np.float32)[0]))

    # -- results -------------------------------------------------------------------------------------------
    def _counter(self, name: str) -> int:
        return int(self._counters[layout.COUNTER_NAMES.index(name)])

    def _result(self) -> RunResult:
        taken_cycles = int(self.target.taken_branch_cycles.value)
        wrong_cycles = int(self.target.mispredict_cycles.value)
        packets = hvx_packets = 0
        stalls: dict[str, int] = {}
        functions: dict[str, int] = dict.fromkeys(self.program.functions, 0)
        blocks = []
        for info, raw in zip(self.program.blocks, self._counts, strict=False):
            count = int(raw)
            if not count:
                continue
            packets += count * info.packets
            hvx_packets += count * info.hvx_packets
            for cause, cycles in info.stalls.items():
                stalls[cause] = stalls.get(cause, 0) + count * cycles
            total = count * (info.packets + sum(info.stalls.values()))
            functions[info.function] += total
            blocks.append(
                BlockStat(info.function, info.label, count, total, count * info.packets, info.source)
            )
        for (name, _, _), (taken, wrong, _) in zip(self.program.branches, self._branches, strict=False):
            cycles = int(taken) * taken_cycles + int(wrong) * wrong_cycles
            stalls["branch"] = stalls.get("branch", 0) + cycles
            functions[name] += cycles
        stalls["memory-l2"] = self._counter("l2_stall")
        stalls["memory-ddr"] = self._counter("ddr_stall_q8") // Q8
        stalls["memory-tcm"] = self._counter("tcm_stall")
        stalls["copy"] = self._counter("copy_q8") // Q8
        stalls["host-call"] = self._counter("host_stall")
        stalls = {cause: cycles for cause, cycles in sorted(stalls.items()) if cycles}
        return RunResult(
            cycles=packets + sum(stalls.values()),
            packets=packets,
            hvx_packets=hvx_packets,
            stalls=stalls,
            ddr_read_bytes=self._counter("ddr_read_bytes"),
            ddr_write_bytes=self._counter("ddr_write_bytes") + self.tags.dirty_bytes(),
            tcm_read_bytes=self._counter("tcm_read_bytes"),
            tcm_write_bytes=self._counter("tcm_write_bytes"),
            tcm_high_water=self.memory.tcm.high_water,
            return_value=int(self._registers[0]) | int(self._registers[1]) << 32,
            blocks=blocks,
            functions=functions,
        )


def _call_back(machine: weakref.ref[Machine], index: int) -> None:
    """Entry of host functions; holds no reference, so that a machine's memory goes when the machine does."""
    alive = machine()
    if alive is not None:
        alive._host_call(index)


def _word(argument: int | float | Arg64) -> int | Arg64:
    if isinstance(argument, (float, np.floating)):
        return int(np.float32(argument).view(np.uint32))
    return argument if isinstance(argument, Arg64) else int(argument)
