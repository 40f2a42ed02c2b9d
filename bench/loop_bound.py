"""What bounds a loop on HVX: the packets that its busiest resource needs.

A pure function of the loop's instructions and of the HVX V73 manual (80-N2040-54, 5.1 and table 5-1): one packet has
four slots, a shift, a permute and two multiply pipes, one load and one store. A single-vector ALU operation takes any
pipe, and so do loads and stores that pass the register file; qfloat additions and conversions are shifts; qfloat
products and other widening ones take both multiply pipes; an unaligned access blocks load, store and permute.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.remarks import remark
from hexagon_mlir.sim import Machine, RunResult
from hexagon_mlir.sim.assembly.asm import parse
from hexagon_mlir.sim.assembly.blocks import Block, build
from hexagon_mlir.sim.assembly.decode import Insn
from hexagon_mlir.sim.isa.spec import Unit
from hexagon_mlir.sim.translation.link import assign_addresses

SLOTS = 4
_PIPES = {Unit.VX_DV: {"multiply": 2}, Unit.VX: {"multiply": 1}, Unit.VX_LATE: {"multiply": 1}, Unit.VS: {"shift": 1},
          Unit.VP: {"permute": 1}, Unit.VP_VS: {"shift": 1, "permute": 1}, Unit.VA: {"any": 1}, Unit.VA_DV: {"any": 2},
          Unit.V_EXTRACT: {"load": 1}}
_PER_PACKET = {"shift": 1, "permute": 1, "multiply": 2, "load": 1, "store": 1}
_WASTE = {"spill": re.compile(r"vmemu?\(r(?:29|30)[^)]*\) ="), "reload": re.compile(r"= vmemu?\(r(?:29|30)"),
          "frame": re.compile(r"= add\(r(?:29|30),"), "copy": re.compile(r"v\d+ = v\d+(?=;| })"),
          "unaligned": re.compile("vmemu"), "branch": re.compile(r"\bjump\b")}
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
    text: str = ""

    @property
    def bound(self) -> float:
        """Packets of one pass at best."""
        return float(math.ceil(max(self.needs.values(), default=0.0)))

    @property
    def busiest(self) -> str:
        """The resource that sets `bound`."""
        return max(self.needs, key=lambda name: self.needs[name]) if self.needs else ""

    @property
    def waste(self) -> Counter[str]:
        """Instructions of one pass that an expert would ask about: ``spill``, ``reload`` and ``frame`` (addresses of
        the stack), ``copy`` of vectors, ``unaligned`` accesses, ``branch`` instead of a hardware loop.
        """
        return Counter(name for name, pattern in _WASTE.items() for _ in pattern.findall(self.text))

    def __str__(self) -> str:
        needs = ", ".join(f"{name} {packets:g}" for name, packets in sorted(self.needs.items(), key=lambda i: -i[1]))
        head = f"{self.label}: {self.packets} packets, {self.cycles:g} cycles, {self.count} passes"
        waste = "".join(f"; {name} {count}" for name, count in self.waste.items())
        return f"{head}; {needs}{waste}\n{self.text}"


def needed_packets(uses: Sequence[Counter[str]]) -> dict[str, float]:
    """Packets each resource needs for instructions that use ``uses``: pipe, load, store and slot counts."""
    total: Counter[str] = sum(uses, Counter())
    needs = {name: total[name] / available for name, available in _PER_PACKET.items() if total[name]}
    needs["slots"] = total["slot"] / SLOTS
    pipes = sum(total[name] for name in ("shift", "permute", "multiply", "any"))
    needs["pipes"] = pipes / (_PER_PACKET["shift"] + _PER_PACKET["permute"] + _PER_PACKET["multiply"])
    return needs


def resources(insn: Insn) -> Counter[str]:
    """What one instruction occupies."""
    uses = Counter(_PIPES.get(insn.unit, {}), slot=1)
    if insn.access == "vmemu":
        return uses + Counter(load=1, store=1, permute=1)
    if insn.unit is Unit.V_LOAD or insn.unit is Unit.LOAD:
        uses["load"] += 1
    if insn.unit is Unit.V_STORE or insn.unit is Unit.STORE:
        uses["store"] += 1
    if insn.unit is Unit.V_LOAD and insn.mode != "tmp":
        uses["any"] += 1
    if insn.unit is Unit.V_STORE and not any(source.new for source in insn.sources):
        uses["any"] += 1
    return uses


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
        needs = needed_packets([resources(insn) for packet in block.packets for insn in packet.insns])
        found.append(HotLoop(stat.label, stat.count, len(block.packets), stat.cycles / stat.count, needs, _text(block)))
    return sorted(found, key=lambda loop: -loop.cycles * loop.count)


def _text(block: Block) -> str:
    """A line per packet, with what it does behind it."""
    packets = [[text for _, text in packet.packet.lines] for packet in block.packets]
    lines = ["  { " + "; ".join(packet) + " }" for packet in packets]
    width = max(map(len, lines), default=0)
    return "\n".join(f"{line:<{width}}  // {remark(packet)}" for line, packet in zip(lines, packets, strict=True))
