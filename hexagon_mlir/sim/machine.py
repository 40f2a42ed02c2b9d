"""`Machine`: a translated program with its guest memory, ready to run and to report cycles.

Values follow the architecture, cycles a model whose numbers are in `hexagon_mlir.targets` with source and confidence.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from threading import TIMEOUT_MAX

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.sim import layout, results
from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC, Arithmetic
from hexagon_mlir.sim.checking.checks import Checks
from hexagon_mlir.sim.checking.rules import Rule
from hexagon_mlir.sim.context import Arg64, Context, CostTable
from hexagon_mlir.sim.host_library.entry import HostEntry
from hexagon_mlir.sim.host_library.hostcalls import HostCalls
from hexagon_mlir.sim.host_library.libc import Libc
from hexagon_mlir.sim.host_library.services import entry_points, weakly
from hexagon_mlir.sim.matrix_engine.api import MatrixApi
from hexagon_mlir.sim.memory_system.cache_model import Q8, Geometry
from hexagon_mlir.sim.memory_system.cache_tags import CacheTags, never
from hexagon_mlir.sim.memory_system.dma import Dma
from hexagon_mlir.sim.memory_system.dma_api import DmaApi
from hexagon_mlir.sim.memory_system.handover import Handover
from hexagon_mlir.sim.memory_system.memory import GUARD_BYTES, Memory, OutOfMemory
from hexagon_mlir.sim.results import BlockStat, RunResult, ThreadStat
from hexagon_mlir.sim.stopping import Stopped
from hexagon_mlir.sim.threading.async_runtime import AsyncRuntime
from hexagon_mlir.sim.threading.forks import Forks
from hexagon_mlir.sim.threading.host_threads import HostThreads, closed
from hexagon_mlir.sim.threading.thread_api import ThreadApi
from hexagon_mlir.sim.threading.threads import Scheduler, Thread
from hexagon_mlir.sim.threading.workers import Workers
from hexagon_mlir.sim.translation.code import Code, Function
from hexagon_mlir.sim.translation.program import SimError
from hexagon_mlir.targets import Target

__all__ = ["Arg64", "BlockStat", "Machine", "RunResult", "ThreadStat"]

GRID = 3
"""Dimensions of a grid."""
STOP_SECONDS = 0.05
"""Interval of attempts to stop a program: a host function resets the trap it finds."""
_NULL_PAGE = bytes(layout.NULL_PAGE_BYTES)


class Machine:
    """A core running a program.

    ``memory`` is ``exact`` (every access goes through the model of caches and DDR) or ``fast`` (static block
    costs only: every access hits). ``profile=False`` is another name of ``fast``.
    ``check=True`` makes a checked build: faults of the program become `RunResult.reports`.
    ``arithmetic`` is that of HVX floating point, see `Arithmetic`.
    """

    def __init__(
        self, asm_text: str, target: str | Target = targets.DEFAULT, profile: bool = True, check: bool = False,
        memory: str = "exact", arithmetic: Arithmetic | str = DEFAULT_ARITHMETIC,
    ) -> None:  # fmt: skip
        for name, known, value in (("memory", ("exact", "fast"), memory), ("arithmetic", Arithmetic, arithmetic)):
            if value not in list(known):
                raise SimError(f"{name} is {' or '.join(repr(str(k)) for k in known)}, not '{value}'")
        self.target = targets.get(target) if isinstance(target, str) else target
        self.text = asm_text
        self.arithmetic = Arithmetic(arithmetic)
        exact = profile and memory == "exact"
        self._code = Code(asm_text, self.target, exact, check, self.arithmetic)
        self.program = self._code.program
        self.memory = Memory(self.target, GUARD_BYTES if check else 0)
        self.checks = Checks(self.memory, self.program) if check else None
        if self.checks:
            self.memory.on_write = self.checks.initialise
        self._issued = 0
        """Packets of the runs before this one."""
        self.tags = CacheTags(Geometry(self.target), self._code.near() if exact else never)
        self.dma = Dma(self.memory, self.tags)
        self.host_pointer: Callable[[int], int] | None = None
        """Guest address of an address of the host's memory, for kernels that get pointers as integers."""
        self._hosts = HostThreads()
        weakref.finalize(self, self._hosts.stop)
        me = weakref.ref(self)
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_int32)(lambda index: _call_back(me, index))
        self._hvx = set(self.program.hvx_functions)
        self._indirect = set(self.program.indirect_functions)
        self._names = {self.program.symbols[name]: name for name in self.program.functions}
        self._costs = CostTable(self.program, self.target)
        self.contexts: list[Context] = []
        self._idle: list[Context] = []
        self._tracing = False
        self.tcm_use: list[tuple[int, int]] = []
        """(time in 1/256 cycle, bytes allocated) after each change in a traced run."""
        self.scheduler = Scheduler(self.target, weakly(self._launch))
        self._make_services()
        self.main = self._context()
        self._begin_run("")
        self._write_data()

    def _make_services(self) -> None:
        """The parts of the runtime that the program calls."""
        me = weakref.proxy(self)
        contexts = self.contexts
        self.dma.core_traffic = lambda: sum([context.ddr_bytes() for context in contexts])
        spawn = weakly(self._spawn)
        queue = int(self.target.task_queue_cycles.value)
        self.workers = Workers(self.scheduler)
        runtime = AsyncRuntime(
            self.scheduler, self.workers, weakly(self._spawn_coroutine), weakly(self.alloc_ddr),
            lambda a: me.release("DDR", a), queue,
        )
        dma = self._dma_api = DmaApi(self.dma, self.memory, self.scheduler)
        if self.checks:
            self.scheduler.order = self.checks
            dma.started, dma.arrived = self.checks.transfer_started, self.checks.transfer_arrived
        self.matrix = MatrixApi(self.program.matrix, self.memory, self.scheduler, self.target)
        if self.checks and self.matrix.engine is not None:
            from hexagon_mlir.sim.checking.matrix_checks import MatrixChecks

            self.matrix.checks = MatrixChecks(self.checks, self.matrix.engine)
        self._libc = Libc(me)
        services = HostCalls(me), dma, runtime, Forks(self.scheduler, self.workers, spawn, queue), \
            ThreadApi(self.scheduler, spawn, self.target), self.matrix, self._libc
        functions, self._services = entry_points(services, self.program.callbacks)
        self.host = HostEntry(me, functions)

    # -- memory --------------------------------------------------------------------------------------------
    def alloc_ddr(self, nbytes: int, align: int = 128) -> int:
        """Guest address of ``nbytes`` of DDR."""
        return self._allocate("DDR", nbytes, align)

    def alloc_tcm(self, nbytes: int, align: int | None = None) -> int:
        """Guest address of ``nbytes`` of TCM."""
        return self._allocate("TCM", nbytes, max(align or 1, int(self.target.tcm_alignment.value)))

    def alloc_tcm_at(self, address: int, nbytes: int) -> None:
        """Take ``nbytes`` of TCM at ``address``; several of them from the lowest to the highest."""
        try:
            self.memory.tcm.allocate_at(address, nbytes)
        except OutOfMemory as error:
            raise SimError(str(error)) from error
        if self.checks:
            self.checks.allocated("TCM", address, nbytes, None)

    def _allocate(self, region: str, nbytes: int, align: int) -> int:
        allocator = self.memory.tcm if region == "TCM" else self.memory.ddr
        self._take_turn(region)
        try:
            address = self.memory.allocate(allocator, nbytes, align)
        except OutOfMemory as error:
            raise SimError(str(error)) from error
        if self.checks:
            self.checks.allocated(region, address, nbytes, self.host.caller)
        self._note_use(region)
        return address

    def _take_turn(self, region: str) -> None:
        """Threads access the shared TCM allocator in order of time, or its peak would be too low."""
        if region == "TCM" and self.host.caller:
            self.scheduler.meet()

    def _note_use(self, region: str) -> None:
        if self._tracing and region == "TCM" and self.host.caller:
            self.tcm_use.append((self.scheduler.now(), self.memory.tcm.used))

    def write(self, address: int, data: np.ndarray) -> None:
        """Copy ``data`` to guest memory."""
        self.memory.write(address, data)

    def read(self, address: int, dtype: np.typing.DTypeLike, count: int) -> np.ndarray:
        """A copy of ``count`` elements at ``address``."""
        return self.memory.read(address, np.dtype(dtype), count)

    def view(self, address: int, nbytes: int) -> np.ndarray:
        """Guest bytes without a copy."""
        self.memory.on_write(address, nbytes)
        return self.memory.view(address, nbytes)

    def symbol(self, name: str) -> int:
        """Guest address of a data symbol or function."""
        if name not in self.program.symbols:
            raise SimError(f"no symbol '{name}' in the program")
        return self.program.symbols[name]

    def reset(self) -> None:
        """Free every guest allocation, restore initial data, clear counters."""
        self.memory.reset()
        if self.checks:
            self.checks.reset()
        self._begin_run("")
        self._write_data()

    # -- state ---------------------------------------------------------------------------------------------
    def _context(self) -> Context:
        """A state record for one more thread, or one whose thread has ended."""
        if self._idle:
            return self._idle.pop()
        callback = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        context = Context(
            len(self.contexts), self.program, self._costs, self.memory, self.tags, callback
        )
        self.contexts.append(context)
        if self.checks:
            self.checks.attach(context)
        return context

    def _begin_run(self, entry: str) -> None:
        """Cold caches, zero counters, no threads, empty DMA queues."""
        for context in self.contexts:
            context.clear()
        self._idle = self.contexts[1:]
        self._tracing = False
        self.tcm_use = []
        self.tags.reset()
        self.scheduler.begin(entry, self.main, False)
        self.host.begin()
        self.memory.stop.asked = False
        self.workers.reset()
        for service in self._services:
            service.reset()
        if self.checks:
            self.checks.begin_run(self.contexts)

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
        trace: bool = False,
        handover: Handover | None = None,
        idle_q8: Sequence[int] = (),
    ) -> RunResult:
        """Call ``entry`` once, or once per program of ``grid`` (x fastest).

        Arguments are 32-bit words (a Python float passes as f32 bits) or `Arg64`. With a grid, six words
        follow: the number of programs in x, y, z and the program's own x, y, z. ``timeout`` (host seconds)
        or an interrupt ends a program that does not finish. ``trace`` keeps the TCM's use for `trace.timeline`.
        ``handover`` describes transfers in flight from an earlier run, or for a later one. ``idle_q8`` is how long
        workers of an earlier run have polled when this one begins, in 1/256 cycle; all others sleep.
        """
        self._code.entry(entry)
        if timeout is not None and not 0 < timeout <= TIMEOUT_MAX:
            raise SimError(f"a timeout of {timeout} seconds", hint="a number above 0, or None")
        if grid is not None and (len(grid) != GRID or min(grid) < 0):
            raise SimError(f"a grid of {grid}", hint="the number of programs in x, y and z")
        self._begin_run(entry)
        if handover is not None:
            self._dma_api.begin(handover, self.main)
        self.workers.begin(idle_q8)
        self.memory.tcm.high_water = self.memory.tcm.used
        if trace:
            self.tcm_use.append((0, self.memory.tcm.used))
        self._tracing = self.matrix.clock.trace = trace
        words = [_word(argument) for argument in args]
        calls = [words]
        if grid is not None:
            nx, ny, nz = grid
            calls = [[*words, nx, ny, nz, x, y, z] for z in range(nz) for y in range(ny) for x in range(nx)]
        self._run_thread(entry, calls, timeout)
        result = self._result()
        self._issued += result.packets
        return result

    def _run_thread(self, entry: str, calls: list[list[int | Arg64]], timeout: float | None) -> None:
        """Run on a thread of the machine: it has a stack for the guest's recursion and can be stopped."""
        stopped = False
        failure: list[BaseException] = []
        done = closed()

        def work() -> None:
            try:
                for words in calls:
                    self._code.earn(self._packets)
                    self._call(self._code.entry(entry), words)
                    if stopped:
                        break
                self.main.end_streams()
                self.matrix.leave()
                self.scheduler.drain()
                self._raise()
                if not self.checks and self.memory.mapping[: layout.NULL_PAGE_BYTES] != _NULL_PAGE:
                    raise SimError("the program wrote to the null page (address below 4096)")
            except BaseException as error:
                failure.append(error)
                self.memory.mapping[: layout.NULL_PAGE_BYTES] = _NULL_PAGE
            finally:
                self.scheduler.shut_down()
                done.release()

        self._hosts.start(work)
        finished = False
        try:
            finished = done.acquire(timeout=-1 if timeout is None else timeout)
            if not finished:
                raise self._late(timeout)
        finally:
            stopped = self.memory.stop.asked = True
            while not finished:
                for context in self.contexts:
                    context.words[layout.TRAP // 4] = layout.STOPPED
                finished = done.acquire(timeout=STOP_SECONDS)
        if failure:
            raise failure[0]

    def _late(self, timeout: float | None) -> SimError:
        """The error for a run longer than ``timeout``, with its position."""
        name, line = self.host.where()
        if name:
            return SimError(f"the program did not finish within {timeout} seconds; it is in {name}", line)
        runs = np.sum([context.counts for context in self.contexts], axis=0)
        block = self.program.blocks[int(np.argmax(runs[: len(self.program.blocks)]))]
        place = f", {block.source}" if block.source else ""
        return SimError(f"the program did not finish within {timeout} seconds; "
                        f"block '{block.label}' of '{block.function}' ran most often{place}")

    def _call(self, function: Function, words: list[int | Arg64]) -> None:
        stored = self.tags.store(*self.main.place(words))  # by the caller: arguments on the stack
        self.main.add("ddr_write_bytes", stored)
        if self.checks:
            self.checks.placed(self.main)
        function(self.main.address)
        self._raise()
        self._check_trap(self.main)

    def _raise(self) -> None:
        """The error that ended the run, if one did."""
        error = self.scheduler.error or self.host.error
        if error is not None and not isinstance(error, Stopped):
            raise error

    def _check_trap(self, context: Context) -> None:
        trap = context.cells[layout.TRAP // 4]
        if trap and trap != layout.STOPPED:
            argument = int(context.words[layout.ARGUMENT // 4])
            message = self.program.traps[trap - 1].replace("{argument:#x}", hex(argument))
            if message.startswith("stack overflow"):
                self.fault(Rule.STACK_OVERFLOW, int(context.registers[29]), message, context)
            elif message.startswith("call of an address"):
                self.fault(Rule.UNKNOWN_JUMP, argument, message, context)
            else:
                raise SimError(message)

    def fault(self, rule: Rule, address: int, message: str, context: Context | None = None) -> None:
        """A fault of the program: a report in a checked run, else an error."""
        context = context or self.host.caller
        if self.checks is None or context is None:
            raise SimError(message)
        self.checks.report(rule, address, self.checks.site(context), message)

    def dispatch(self, context: Context, address: int) -> None:
        """Run the guest function at ``address`` on the registers in ``context``."""
        self._code.dispatcher()(context.address, address)

    def fast_code(self, block: int) -> Function | None:
        """Fast code that continues at ``block``, if the program has run long enough."""
        return self._code.goes_on(block, self._packets)

    def line(self, context: Context) -> int:
        """The assembly line of the last call, 0 if there was none."""
        return self.checks.site(context).line if self.checks else context.cells[layout.SITE // 4]

    # -- threads -------------------------------------------------------------------------------------------
    def _spawn_coroutine(self, address: int, arguments: list[int], delay_q8: int) -> Thread:
        """A guest thread that resumes a coroutine by the function at ``address``, which calls through a register what
        the coroutine's frame, its argument, begins with (as LLVM's coroutines do)."""
        resumed = self._names.get(int(self.memory.read(arguments[0], np.dtype(np.uint32), 1)[0]))
        hvx = resumed in self._hvx if resumed and self._names.get(address) in self._indirect else None
        return self._spawn(address, arguments, delay_q8, hvx)

    def _spawn(self, address: int, arguments: list[int], delay_q8: int, hvx: bool | None = None,
               ended: Callable[[], None] = lambda: None) -> Thread:
        """A guest thread that calls the function at ``address``, then ``ended``; None: it uses HVX where that function
        may."""
        if address not in self._names:
            raise SimError(f"a thread is to run {address:#x}, which is no function")
        main = self.scheduler.threads[0]
        main.hvx = main.name in self._hvx  # it occupies one of the contexts when it runs in parallel
        dispatch = self._code.dispatcher()

        def body(thread: Thread) -> None:
            context = thread.context
            assert context is not None
            context.place(arguments)
            if self.checks:
                self.checks.placed(context)
            dispatch(context.address, address)
            trap = int(context.words[layout.TRAP // 4])
            if trap == layout.STOPPED or self.scheduler.aborting:
                raise Stopped
            if self.host.error is not None:
                raise self.host.error
            self._check_trap(context)
            ended()

        name = self._names[address]
        return self.scheduler.spawn(name, body, name in self._hvx if hvx is None else hvx, delay_q8)

    def _launch(self, thread: Thread) -> None:
        """Start the host thread of a guest thread."""
        context = self._context()
        thread.context = context
        thread.measure()
        if self.checks:
            self.checks.attach(context)
            self.checks.launched(thread)
        body = thread.body
        assert body is not None

        def work() -> None:
            try:
                body(thread)
                context.end_streams()
                self.matrix.leave()
            except BaseException as error:
                self.scheduler.fail(thread, error)
            else:
                self.scheduler.finish(thread, lambda: self._idle.append(context))
            finally:
                thread.gone.release()

        self._hosts.start(work)

    def block_counts(self) -> list[int]:
        """How often each block of the program ran, all threads together."""
        return [int(n) for n in np.sum([c.counts for c in self.contexts], axis=0)[: len(self.program.blocks)]]

    def _packets(self) -> int:
        """Issued in all runs so far."""
        return self._issued + sum(context.packets() for context in self.contexts)

    def cycles(self) -> int:
        """The clock of the running program."""
        return self.scheduler.now() // Q8

    def release(self, region: str, address: int) -> bool:
        """Free an allocation of ``DDR`` or ``TCM``; False when there is none at ``address``."""
        allocator = self.memory.tcm if region == "TCM" else self.memory.ddr
        self._take_turn(region)
        freed = allocator.free(address)
        if freed and self.checks:
            self.checks.freed(address, self.host.caller)
        self._note_use(region)
        return freed

    @property
    def output(self) -> bytes:
        """What the program's last run wrote to stdout."""
        return bytes(self._libc.output.out)

    @property
    def error_output(self) -> bytes:
        """What the program's last run wrote to stderr."""
        return bytes(self._libc.output.error)

    # -- results -------------------------------------------------------------------------------------------
    def _result(self) -> RunResult:
        result = results.collect(
            self.program, self.contexts, self.tags.dirty_bytes(), self.memory.tcm.high_water
        )
        if len(self.scheduler.threads) > 1:
            result.cycles = self.scheduler.time // Q8
            result.threads = results.thread_stats(self.scheduler.threads)
        result.arithmetic = self.arithmetic
        result.matrix = self.matrix.use()
        result.left_q8 = self.dma.left(result.cycles * Q8)
        result.idle_q8 = self.workers.polling(result.cycles * Q8)
        if self.checks:
            result.reports = self.checks.finish()
        return result


def _call_back(machine: weakref.ref[Machine], index: int) -> None:
    """Entry of host functions; holds no reference, so that a machine's memory goes when the machine does."""
    alive = machine()
    if alive is not None:
        alive.host.enter(index)


def _word(argument: int | float | Arg64) -> int | Arg64:
    if isinstance(argument, (float, np.floating)):
        return int(np.float32(argument).view(np.uint32))
    return argument if isinstance(argument, Arg64) else int(argument)
