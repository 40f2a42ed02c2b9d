"""What bounds a loop on HVX: the packets that its busiest resource needs.

What instructions occupy stands in `hexagon_mlir.isa.resources`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.remarks import remark
from hexagon_mlir.isa.blocks import Block, build
from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.isa.resources import needed_packets, occupied
from hexagon_mlir.sim import Machine, RunResult
from hexagon_mlir.sim.translation.link import assign_addresses

_OVERHEAD: dict[str, Callable[[Insn], bool]] = {
    "spill": lambda insn: insn.kind == "store" and insn.accesses_vector and insn.accesses_frame,
    "reload": lambda insn: insn.kind == "load" and insn.accesses_vector and insn.accesses_frame,
    "frame": lambda insn: insn.computes_frame_address,
    "copy": lambda insn: insn.key == "V=V" and not insn.mode,
    "unaligned": lambda insn: insn.access == "vmemu",
    "branch": lambda insn: insn.kind in ("jump", "newjump"),
}
_LEAST_SHARE = 0.02  # of a run's cycles: smaller blocks are not hot


@dataclass(frozen=True)
class HotLoop:
    """One block that matters. ``cycles`` and ``packets`` are those of one pass, ``count`` the passes."""

    label: str
    count: int
    packets: int
    cycles: float
    needs: dict[str, float]
    """Resource -> packets it needs for one pass."""
    overhead: Counter[str]
    """Of the instructions of one pass, see `overhead`."""
    text: str = ""

    @property
    def bound(self) -> float:
        """Packets of one pass at best."""
        return float(math.ceil(max(self.needs.values(), default=0.0)))

    @property
    def busiest(self) -> str:
        """The resource that sets `bound`."""
        return max(self.needs, key=lambda name: self.needs[name]) if self.needs else ""

    def __str__(self) -> str:
        needs = ", ".join(f"{name} {packets:g}" for name, packets in sorted(self.needs.items(), key=lambda i: -i[1]))
        head = f"{self.label}: {self.packets} packets, {self.cycles:g} cycles, {self.count} passes"
        overhead = "".join(f"; {name} {count}" for name, count in self.overhead.items())
        return f"{head}; {needs}{overhead}\n{self.text}"


def overhead(insns: Sequence[Insn]) -> Counter[str]:
    """Those of ``insns`` that an expert would ask about: ``spill``, ``reload`` and ``frame`` (addresses of the stack),
    ``copy`` of vectors, ``unaligned`` accesses, ``branch`` instead of a hardware loop.
    """
    return Counter(name for name, is_one in _OVERHEAD.items() for insn in insns if is_one(insn))


def hot_loops(machine: Machine, result: RunResult) -> list[HotLoop]:
    """The blocks that took most of the last run's cycles, hottest first."""
    module = parse(machine.text)
    taken = assign_addresses(module)[2]
    blocks = {(function.name, block.label): block
              for function in module.functions.values() for block in build(function, taken).blocks}
    found = []
    for stat in result.blocks:
        block = blocks[stat.function, stat.label]
        if stat.cycles < _LEAST_SHARE * result.cycles:
            continue
        insns = [insn for packet in block.packets for insn in packet.insns]
        found.append(HotLoop(stat.label, stat.count, len(block.packets), stat.cycles / stat.count,
                             needed_packets(map(occupied, insns)), overhead(insns), _text(block)))
    return sorted(found, key=lambda loop: -loop.cycles * loop.count)


def _text(block: Block) -> str:
    """A line per packet, with what it does after it."""
    packets = [[text for _, text in packet.packet.lines] for packet in block.packets]
    lines = ["  { " + "; ".join(packet) + " }" for packet in packets]
    width = max(map(len, lines), default=0)
    return "\n".join(f"{line:<{width}}  // {remark(packet)}" for line, packet in zip(lines, packets, strict=True))
