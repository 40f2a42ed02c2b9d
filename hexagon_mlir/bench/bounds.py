"""The least cycles that the work of a run could take: its vector instructions, its bytes, its tiles."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from hexagon_mlir.isa.blocks import build
from hexagon_mlir.isa.reader import parse
from hexagon_mlir.isa.resources import needed_packets, occupied
from hexagon_mlir.report.roofline import Bound, hvx_packets_per_cycle
from hexagon_mlir.sim import RunResult
from hexagon_mlir.sim.translation.link import assign_addresses
from hexagon_mlir.targets import Target

_NAMES = {"slot": "issue slots", "pipe": "HVX pipes", "shift": "HVX shifts", "permute": "HVX permutes",
          "multiply": "HVX multiplies", "load": "vector loads", "store": "vector stores"}
"""What `hexagon_mlir.isa.resources` counts of vector instructions; loads and stores are the way to TCM, too."""


def bound(asm: str, result: RunResult, target: Target) -> Bound:
    """Of the units that vector instructions need, with every packet full and every cluster busy, the DDR by DMA, and
    the array of the matrix engine: the one that needs the most cycles for ``result``, a run of ``asm``."""
    units = _units(asm)
    total: defaultdict[str, float] = defaultdict(float)
    for stat in result.blocks:
        for name, packets in units.get((stat.function, stat.label), {}).items():
            total[name] += stat.count * packets
    rate = hvx_packets_per_cycle(target)
    needs = {_NAMES[name]: packets / rate for name, packets in total.items()}
    needs["DDR"] = (result.ddr_read_bytes + result.ddr_write_bytes) / float(target.dma_bytes_per_cycle.value)
    needs["matrix engine"] = float(result.matrix.tile_cycles) if result.matrix is not None else 0.0
    by = max(needs, key=lambda name: needs[name])
    return Bound(needs[by], by)


@lru_cache(16)
def _units(asm: str) -> dict[tuple[str, str], dict[str, float]]:
    """Function and label of each block of ``asm`` -> the packets that its vector instructions need, by resource."""
    module = parse(asm)
    taken = assign_addresses(module)[2]
    return {(function.name, block.label): needed_packets(
                occupied(insn) for packet in block.packets for insn in packet.insns if insn.hvx)
            for function in module.functions.values() for block in build(function, taken).blocks}
