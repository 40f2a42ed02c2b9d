"""The cycles of the last run as annotated assembly, PMU counters, and a Perfetto timeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hexagon_mlir.isa.blocks import build
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.isa.timing import Model
from hexagon_mlir.sim.arithmetic import IEEE_NOTE, Arithmetic
from hexagon_mlir.sim.machine import Machine
from hexagon_mlir.sim.matrix_engine.timing import SERVERS
from hexagon_mlir.sim.memory_system.cache_model import Q8
from hexagon_mlir.sim.results import RunResult
from hexagon_mlir.sim.translation.link import assign_addresses

Event = dict[str, object]


@dataclass(frozen=True)
class PacketStat:
    """One packet of the program. Memory, copy and host-call stalls and mispredictions are not split by packet."""

    function: str
    line: int
    """Line of its first instruction in the assembly text."""
    source: str
    """'file:line', or ''."""
    count: int
    stalls: dict[str, int]
    """Cause -> cycles, all executions together."""

    @property
    def cycles(self) -> int:
        return self.count + sum(self.stalls.values())


def packets(machine: Machine) -> list[PacketStat]:
    """Every packet in text order, with its cycles in the last run."""
    module = parse(machine.text)
    taken = assign_addresses(module)[2]
    model = Model(machine.target)
    counts = iter(machine.block_counts())
    stats = []
    for function in module.functions.values():
        graph = build(function, taken)
        for block, steps in zip(graph.blocks, model.steps(graph), strict=True):
            count = next(counts)
            for packet, stalls in zip(block.packets, steps, strict=True):
                loc = packet.packet.loc
                stats.append(
                    PacketStat(
                        function.name, packet.packet.lines[0][0], f"{loc[0]}:{loc[1]}" if loc else "", count,
                        {cause: count * cycles for cause, cycles in stalls.items() if count},
                    )
                )  # fmt: skip
    return stats


def annotate(machine: Machine) -> str:
    """The assembly with a margin: how often each packet ran, its cycles, and its stalls by cause."""
    margins = {stat.line: stat for stat in packets(machine)}
    note = f"; {IEEE_NOTE}" if machine.arithmetic is Arithmetic.IEEE else ""
    lines = [f"{'count':>10} {'cycles':>10}  {'stalls':<32} assembly{note}"]
    for number, text in enumerate(machine.text.split("\n"), 1):
        stat = margins.get(number)
        margin = " " * 55
        if stat is not None and stat.count:
            stalls = ", ".join(f"{cause} {cycles}" for cause, cycles in sorted(stat.stalls.items()))
            margin = f"{stat.count:>10} {stat.cycles:>10}  {stalls:<32}"
        lines.append(f"{margin} {text.expandtabs(4)}".rstrip())
    return "\n".join(lines) + "\n"


def by_source_line(machine: Machine) -> dict[str, int]:
    """'file:line' -> cycles, most expensive first; needs ``.loc`` in the assembly.

    Line 0 marks code of several lines: it counts for the preceding line in the function.
    """
    total: dict[str, int] = {}
    function = source = ""
    for stat in packets(machine):
        if stat.function != function:
            function, source = stat.function, ""
        if not stat.source.endswith(":0"):
            source = stat.source
        if source and stat.count:
            total[source] = total.get(source, 0) + stat.cycles
    return dict(sorted(total.items(), key=lambda item: (-item[1], item[0])))


def counters(machine: Machine, result: RunResult) -> dict[str, int]:
    """The model's counts under the names of the PMU events they stand for (V73 PRM and HVX PRM, PMU chapters).

    CU_BUSY has more causes on the chip; here it counts HVX packets held back by the issue interval.
    """
    stalls = result.stalls
    return {
        "CYCLES": result.cycles,
        "COMMITTED_PKT_ANY": result.packets,
        "HVX_PKT": result.hvx_packets * int(machine.target.pmu_hvx_pkt_per_packet.value),
        "CU_BUSY": stalls.get("hvx-issue", 0),
        "HVX_REG_ORDER": stalls.get("hvx-interlock", 0),
        "LD_L2_OUTSTANDING": stalls.get("memory-l2", 0) + stalls.get("memory-ddr", 0),
        "VTCM_OUTSTANDING": stalls.get("memory-tcm", 0),
    }


# -- timeline ---------------------------------------------------------------------------------------------------
_THREADS, _DMA, _TCM, _MATRIX = 1, 2, 3, 4
_STATES = {"run": "", "stall": ": waits", "poll": ": polls"}
"""What a thread does on its hardware thread, behind its name."""


def _name(process: int, name: str, thread: int | None = None) -> Event:
    what = "process_name" if thread is None else "thread_name"
    return {"ph": "M", "pid": process, "tid": thread or 0, "name": what, "args": {"name": name}}


def _threads(machine: Machine) -> Iterator[Event]:
    names = {thread.number: thread.name for thread in machine.scheduler.threads}
    yield _name(_THREADS, "hardware threads")
    for hardware in sorted({s.hardware for s in machine.scheduler.slices}):
        yield _name(_THREADS, f"hardware thread {hardware}", hardware)
    for s in machine.scheduler.slices:
        label = names[s.thread] + _STATES[s.what]
        yield {
            "ph": "X", "pid": _THREADS, "tid": s.hardware, "name": label, "ts": s.begin, "dur": s.end - s.begin,
            "args": {"thread": s.thread},
        }  # fmt: skip


def _transfers(machine: Machine) -> Iterator[Event]:
    transfers = [t for t in machine.dma.transfers if t.descriptors and not t.cancelled]
    if transfers:
        yield _name(_DMA, "DMA")
    for engine in sorted({t.engine for t in transfers}):
        yield _name(_DMA, f"engine of thread {engine}", engine)
    for t in transfers:
        finish = machine.dma.finish(t, machine.scheduler.time)
        block = t.block
        arguments = {
            "dst": hex(block.dst), "src": hex(block.src), "bytes": block.nbytes, "rows": block.rows,
            "started": t.issued / Q8, "waited for": t.arrived,
        }  # fmt: skip
        yield {
            "ph": "X", "pid": _DMA, "tid": t.engine, "name": f"transfer {t.tag}", "ts": t.begin,
            "dur": finish - t.begin, "args": arguments,
        }  # fmt: skip


def _tcm(machine: Machine) -> Iterator[Event]:
    if machine.tcm_use:
        yield _name(_TCM, "TCM")
    for time, used in machine.tcm_use:
        yield {"ph": "C", "pid": _TCM, "tid": 0, "name": "TCM bytes", "ts": time, "args": {"bytes": used}}


def _matrix(machine: Machine) -> Iterator[Event]:
    spans = machine.matrix.clock.spans
    if spans:
        yield _name(_MATRIX, "matrix engine")
    for server in sorted({span.server for span in spans}):
        yield _name(_MATRIX, f"matrix {SERVERS[server]}", server)
    for span in spans:
        yield {
            "ph": "X", "pid": _MATRIX, "tid": span.server, "name": span.what, "ts": span.begin,
            "dur": span.end - span.begin, "args": {"thread": span.thread},
        }  # fmt: skip


def timeline(machine: Machine) -> dict[str, object]:
    """The last run (made with ``trace=True``) as Chrome trace events, which Perfetto opens. Times in microseconds."""
    scale = 1e6 / (Q8 * float(machine.target.clock_hz.value))
    events = [*_threads(machine), *_transfers(machine), *_tcm(machine), *_matrix(machine)]
    for event in events:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = round(float(str(event[key])) * scale, 6)
    return {"traceEvents": events, "displayTimeUnit": "ns",
            "otherData": {"target": machine.target.name, "arithmetic": machine.arithmetic}}  # fmt: skip
