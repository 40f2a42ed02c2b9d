"""What a run cost: `RunResult`, put together from the counters of all threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

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
    costs = contexts[0].costs
    counts = np.sum([context.counts for context in contexts], axis=0).tolist()
    branches = np.sum([context.branches for context in contexts], axis=0).tolist()

    def counter(name: str) -> int:
        return sum(context.counter(name) for context in contexts)

    packets = hvx_packets = 0
    stalls: dict[str, int] = {}
    functions: dict[str, int] = dict.fromkeys(program.functions, 0)
    blocks = []
    for info, count in zip(program.blocks, counts, strict=False):
        if not count:
            continue
        issued = total = count * info.packets
        for cause, cycles in info.stalls.items():
            stalls[cause] = stalls.get(cause, 0) + count * cycles
            total += count * cycles
        packets += issued
        hvx_packets += count * info.hvx_packets
        functions[info.function] += total
        blocks.append(BlockStat(info.function, info.label, count, total, issued, info.source))
    for (name, _, _), (taken, wrong, _) in zip(program.branches, branches, strict=False):
        if cycles := taken * costs.taken + wrong * costs.mispredict:
            stalls["branch"] = stalls.get("branch", 0) + cycles
            functions[name] += cycles
    stalls["memory-l2"] = counter("l2_stall")
    stalls["memory-ddr"] = counter("ddr_stall_q8") // Q8
    stalls["memory-tcm"] = counter("tcm_stall")
    stalls["copy"] = counter("copy_q8") // Q8
    stalls["thread-wait"] = counter("wait_q8") // Q8
    stalls["host-call"] = counter("host_stall")
    stalls = {cause: cycles for cause, cycles in sorted(stalls.items()) if cycles}
    main = contexts[0]
    return RunResult(
        cycles=packets + sum(stalls.values()),
        packets=packets,
        hvx_packets=hvx_packets,
        stalls=stalls,
        ddr_read_bytes=counter("ddr_read_bytes"),
        ddr_write_bytes=counter("ddr_write_bytes") + dirty_bytes,
        tcm_read_bytes=counter("tcm_read_bytes"),
        tcm_write_bytes=counter("tcm_write_bytes"),
        tcm_high_water=tcm_high_water,
        return_value=int(main.registers[0]) | int(main.registers[1]) << 32,
        blocks=blocks,
        functions=functions,
    )


def thread_stats(threads: Sequence[Thread]) -> list[ThreadStat]:
    return [ThreadStat(t.number, t.name, t.begin // Q8, t.end // Q8, t.busy // Q8) for t in threads]
