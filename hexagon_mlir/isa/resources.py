"""The resources of a packet that instructions occupy: slots, HVX pipes, and the ports for loads and stores.

HVX V73 PRM 80-N2040-54, 5.1 and table 5-1: a packet has four slots, and four pipes of which one shifts, one permutes
and two multiply. What adds or compares vectors takes any pipe, and so does a load or store of a vector that passes the
register file; an unaligned access takes the load and the store port and the permute pipe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.isa.matrix import OPERATIONS, Kind
from hexagon_mlir.isa.packets import instructions
from hexagon_mlir.isa.unit import Unit

PER_PACKET = {"slot": 4, "pipe": 4, "shift": 1, "permute": 1, "multiply": 2, "load": 1, "store": 1}
"""Resource -> how many there are; shifts, permutes and multiplies are counted among the pipes too."""
OCCUPIES: dict[Unit, tuple[str, ...]] = {
    Unit.LOAD: ("slot", "load"),
    Unit.STORE: ("slot", "store"),
    Unit.VA: ("slot", "pipe"),
    Unit.VA_DV: ("slot", "pipe", "pipe"),
    Unit.VX: ("slot", "pipe", "multiply"),
    Unit.VX_LATE: ("slot", "pipe", "multiply"),
    Unit.VX_DV: ("slot", "pipe", "pipe", "multiply", "multiply"),
    Unit.VS: ("slot", "pipe", "shift"),
    Unit.VP: ("slot", "pipe", "permute"),
    Unit.VP_VS: ("slot", "pipe", "pipe", "shift", "permute"),
    Unit.V_EXTRACT: ("slot", "load"),
    Unit.MATRIX: ("slot", "load", "store"),
    Unit.V_LOAD: ("slot", "pipe", "load"),
    Unit.V_STORE: ("slot", "pipe", "store"),
}
"""Unit -> resources of one instruction; other units occupy a slot only."""


def occupied(insn: Insn) -> Counter[str]:
    """The resources of its packet that ``insn`` occupies."""
    if insn.access == "vmemu":
        return Counter(("slot", "load", "store", "pipe", "permute"))
    if insn.unit is Unit.MATRIX and OPERATIONS[insn.key].product:  # two in a packet, and no other access
        return Counter(("slot", "load" if OPERATIONS[insn.key].kind is Kind.ACTIVATION else "store"))
    found = Counter(OCCUPIES.get(insn.unit, ("slot",)))
    passes_by = insn.mode == "tmp" if insn.unit is Unit.V_LOAD else any(source.new for source in insn.sources)
    if insn.unit in (Unit.V_LOAD, Unit.V_STORE) and passes_by:  # the register file
        found["pipe"] -= 1
    return found


@lru_cache(1 << 14)
def occupied_by(line: str) -> Counter[str]:
    """The resources that a ``line`` of a packet occupies: one instruction or a compound of two; a slot for an unknown
    form."""
    found = [occupied(insn) for insn in instructions(line)]
    return found[0] if len(found) == 1 else sum(found, Counter()) or Counter(slot=1)


def needed_packets(uses: Iterable[Counter[str]]) -> dict[str, float]:
    """Least packets by each resource for instructions that occupy ``uses``."""
    total = dict.fromkeys(PER_PACKET, 0)
    for use in uses:
        for name, count in use.items():
            total[name] += count
    return {name: total[name] / available for name, available in PER_PACKET.items() if total[name]}
