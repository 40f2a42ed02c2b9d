"""The cost of a run: `RunResult`, computed from the counters of all threads."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hexagon_mlir import display
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.arithmetic import DEFAULT_ARITHMETIC, Arithmetic
from hexagon_mlir.sim.checking.report import Report
from hexagon_mlir.sim.context import Context, CostTable
from hexagon_mlir.sim.matrix_engine.timing import Use
from hexagon_mlir.sim.memory_system.cache_model import Q8
from hexagon_mlir.sim.threading.threads import Thread
from hexagon_mlir.sim.translation.program import Program


@dataclass(slots=True)
class BlockStat:
    """How often a basic block ran and the static cycles it took in all."""

    function: str
    label: str
    count: int
    cycles: int
    packets: int
    source: str = ""


@dataclass(frozen=True)
class ThreadStat:
    """One guest thread. Times in cycles from the start of the run."""

    number: int
    function: str
    begin: int
    end: int
    busy: int
    """Cycles on a hardware thread, with the slowdown by others; DMA waits not included."""


@dataclass
class Profile:
    """The distribution of a run's cycles over blocks and functions."""

    blocks: list[BlockStat] = field(default_factory=list)
    functions: dict[str, int] = field(default_factory=dict)


@dataclass
class RunResult:
    """What one `Machine.run` cost.

    With one thread ``cycles`` is the packets issued plus the sum of ``stalls``. With several it is the time at
    which the last one ended; packets, stalls and bytes are sums over all threads.
    """

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
    profile: Callable[[], Profile] = field(default=Profile, repr=False, compare=False)
    """Computes `blocks` and `functions` on demand: for most runs of a model they are not needed."""
    threads: list[ThreadStat] = field(default_factory=list)
    """Empty when the program made no thread."""
    reports: list[Report] = field(default_factory=list)
    """Reports of a checked run."""
    arithmetic: Arithmetic = DEFAULT_ARITHMETIC
    """How HVX floating point was computed."""
    matrix: Use | None = None
    """What the matrix engine did; None if the program did not use it."""
    left_q8: tuple[int, ...] = ()
    """What is left of the time of each transfer for a later run after the end, in the order of their starts, in 1/256
    cycle."""
    idle_q8: tuple[int, ...] = ()
    """How long each worker that polls at the end has had no task, in 1/256 cycle."""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return display.run(self)

    @functools.cached_property
    def _profile(self) -> Profile:
        return self.profile()

    @property
    def blocks(self) -> list[BlockStat]:
        """The blocks that ran."""
        return self._profile.blocks

    @property
    def functions(self) -> dict[str, int]:
        """Issue, interlock and branch cycles by function; memory, copy and host-call stalls are not split."""
        return self._profile.functions


_PARTS = (
    ("memory-l2", "l2_stall", 1), ("memory-ddr", "ddr_stall_q8", Q8), ("memory-tcm", "tcm_stall", 1),
    ("copy", "copy_q8", Q8), ("thread-wait", "wait_q8", Q8), ("matrix-queue", "matrix_queue_q8", Q8),
    ("matrix-wait", "matrix_wait_q8", Q8), ("host-call", "host_stall", 1),
)  # fmt: skip
"""Cause, counter, and how much of it is a cycle."""


def collect(program: Program, contexts: Sequence[Context], dirty_bytes: int, tcm_high_water: int) -> RunResult:
    """The result of a run; ``contexts[0]`` is the main thread's. ``dirty_bytes`` are still in the caches."""
    main, costs = contexts[0], contexts[0].costs
    meters = main.meters.copy() if len(contexts) == 1 else np.sum([context.meters for context in contexts], axis=0)
    packets, hvx_packets, branch, *interlocks = costs.totals.dot(meters).tolist()
    counted = dict(zip(layout.COUNTER_NAMES, meters[: len(layout.COUNTER_NAMES)].tolist(), strict=True))
    found = dict(zip(costs.causes, interlocks, strict=True))
    found["branch"] = found.get("branch", 0) + branch
    for cause, name, parts in _PARTS:
        found[cause] = counted[name] // parts
    stalls = {cause: found[cause] for cause in sorted(found) if found[cause]}
    return RunResult(
        cycles=packets + sum(stalls.values()),
        packets=packets,
        hvx_packets=hvx_packets,
        stalls=stalls,
        ddr_read_bytes=counted["ddr_read_bytes"],
        ddr_write_bytes=counted["ddr_write_bytes"] + dirty_bytes,
        tcm_read_bytes=counted["tcm_read_bytes"],
        tcm_write_bytes=counted["tcm_write_bytes"],
        tcm_high_water=tcm_high_water,
        return_value=main.cells[layout.REGISTERS // 4] | main.cells[layout.REGISTERS // 4 + 1] << 32,
        profile=functools.partial(_profile, program, costs, *main.divided(meters)[1:]),
    )


def _profile(program: Program, costs: CostTable, counts: np.ndarray, branches: np.ndarray) -> Profile:
    """From the runs of each block and the table of branches."""
    functions = dict.fromkeys(program.functions, 0)
    blocks = []
    for index in np.flatnonzero(counts).tolist():
        info, count = program.blocks[index], counts.item(index)
        total = count * costs.cycles[index]
        functions[info.function] += total
        blocks.append(BlockStat(info.function, info.label, count, total, count * info.packets, info.source))
    for index in np.flatnonzero(branches[:, 0] | branches[:, 1]).tolist():
        taken, wrong, _ = branches[index].tolist()
        functions[program.branches[index][0]] += taken * costs.taken + wrong * costs.mispredict
    return Profile(blocks, functions)


def thread_stats(threads: Sequence[Thread]) -> list[ThreadStat]:
    return [ThreadStat(t.number, t.name, t.begin // Q8, t.end // Q8, t.busy // Q8) for t in threads]
