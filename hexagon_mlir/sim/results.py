"""What a run cost: `RunResult`, put together from the counters of all threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.cache_model import Q8
from hexagon_mlir.sim.checks import Report
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.program import Program
from hexagon_mlir.sim.threads import Thread


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
    """Cycles on a hardware thread, slowed by its neighbours; waiting at a DMA not included."""


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
    blocks: list[BlockStat] = field(default_factory=list)
    functions: dict[str, int] = field(default_factory=dict)
    """Issue, interlock and branch cycles by function; memory, copy and host-call stalls are not split."""
    threads: list[ThreadStat] = field(default_factory=list)
    """Empty when the program made no thread."""
    reports: list[Report] = field(default_factory=list)
    """What a checked run found."""


def collect(program: Program, contexts: Sequence[Context], dirty_bytes: int, tcm_high_water: int) -> RunResult:
    """The result of a run; ``contexts[0]`` is the main thread's. ``dirty_bytes`` are still in the caches."""
    main, costs = contexts[0], contexts[0].costs
    meters = main.meters if len(contexts) == 1 else np.sum([context.meters for context in contexts], axis=0)
    counters, counts, branches = main.divided(meters)
    packets = hvx_packets = 0
    stalls: dict[str, int] = {}
    functions: dict[str, int] = dict.fromkeys(program.functions, 0)
    blocks = []
    for index in np.flatnonzero(counts).tolist():
        info, count = program.blocks[index], counts.item(index)
        issued, total = count * info.packets, count * costs.cycles[index]
        for cause, cycles in info.stalls.items():
            stalls[cause] = stalls.get(cause, 0) + count * cycles
        packets += issued
        hvx_packets += count * info.hvx_packets
        functions[info.function] += total
        blocks.append(BlockStat(info.function, info.label, count, total, issued, info.source))
    for index in np.flatnonzero(branches[:, 0] | branches[:, 1]).tolist():
        taken, wrong, _ = branches[index].tolist()
        if cycles := taken * costs.taken + wrong * costs.mispredict:
            stalls["branch"] = stalls.get("branch", 0) + cycles
            functions[program.branches[index][0]] += cycles
    counted = dict(zip(layout.COUNTER_NAMES, counters.tolist(), strict=True))
    for cause, name, parts in (
        ("memory-l2", "l2_stall", 1), ("memory-ddr", "ddr_stall_q8", Q8), ("memory-tcm", "tcm_stall", 1),
        ("copy", "copy_q8", Q8), ("thread-wait", "wait_q8", Q8), ("host-call", "host_stall", 1),
    ):  # fmt: skip
        stalls[cause] = counted[name] // parts
    stalls = {cause: cycles for cause, cycles in sorted(stalls.items()) if cycles}
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
        return_value=int(main.registers[0]) | int(main.registers[1]) << 32,
        blocks=blocks,
        functions=functions,
    )


def thread_stats(threads: Sequence[Thread]) -> list[ThreadStat]:
    return [ThreadStat(t.number, t.name, t.begin // Q8, t.end // Q8, t.busy // Q8) for t in threads]
