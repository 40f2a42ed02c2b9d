"""Scalar registers of a function that may depend on vector lanes: those that `second_values` tracks."""

from __future__ import annotations

from hexagon_mlir.isa.blocks import Graph
from hexagon_mlir.isa.decode import FRAME, Insn
from hexagon_mlir.sim.translation.image import Unit

_SCALARS = ("R", "P")


def followed(graph: Graph) -> set[Unit]:
    """Registers that get a lane of a vector, values computed from them, and loads from the frame.

    Flow-insensitive over the whole function; empty where no lane is moved to a scalar register.
    """
    insns = [insn for block in graph.blocks for packet in block.packets for insn in packet.insns]
    found = {unit for insn in insns if insn.kind == "alu" for unit in _written(insn) if insn.hvx}
    if not found:
        return found
    found |= {unit for insn in insns if reads_frame(insn) for unit in _written(insn)}
    computed = [(_read(insn), _written(insn)) for insn in insns if insn.kind == "alu" and not insn.hvx]
    size = 0
    while size < len(found):
        size = len(found)
        for read, written in computed:
            if not found.isdisjoint(read):
                found |= written
    return found - {("R", number) for number in FRAME}


def reads_frame(insn: Insn) -> bool:
    """Whether it loads scalar registers through sp or fp."""
    if insn.kind != "load":
        return False
    return insn.accesses_frame and insn.access in ("memw", "memd", "memh", "memuh", "memb", "memub")


def _read(insn: Insn) -> set[Unit]:
    condition = [insn.condition.operand] if insn.condition is not None else []
    kept = insn.dests if insn.form is not None and insn.form.reads_dest else []
    return {unit for operand in (*insn.sources, *condition, *kept) for unit in operand.units()}


def _written(insn: Insn) -> set[Unit]:
    return {unit for operand in insn.dests for unit in operand.units() if unit[0] in _SCALARS}
