"""Which functions can reach an HVX packet: their threads need an HVX context."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.isa.blocks import Graph


def hvx_functions(graphs: Sequence[Graph]) -> set[str]:
    """Names of functions with HVX in them or in what they call or jump to.

    A call through a register may reach any function: such a caller counts when any function has HVX.
    """
    calls: dict[str, set[str]] = {}
    reached: set[str] = set()
    indirect: set[str] = set()
    for graph in graphs:
        name = graph.function.name
        calls[name] = set()
        for insn in (insn for block in graph.blocks for packet in block.packets for insn in packet.insns):
            if insn.hvx:
                reached.add(name)
            if insn.target is not None:
                calls[name].add(insn.target)
            if insn.kind == "callr":
                indirect.add(name)
    if reached:
        reached |= indirect
    while grown := {name for name, called in calls.items() if called & reached} - reached:
        reached |= grown
    return reached
