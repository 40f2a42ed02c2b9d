"""Which functions can reach an HVX packet: their threads need an HVX context."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.isa.blocks import Graph


def hvx_functions(graphs: Sequence[Graph]) -> tuple[set[str], set[str]]:
    """Names of functions with HVX in them or in what they call or jump to; and of those among them that only reach it
    by a call through a register.

    Such a call may reach any function: its caller counts when any function has HVX.
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
    direct = _callers(reached, calls)
    return (_callers(direct | indirect, calls), indirect - direct) if direct else (set(), set())


def _callers(reached: set[str], calls: dict[str, set[str]]) -> set[str]:
    """``reached`` and the functions that call them."""
    reached = set(reached)
    while grown := {name for name, called in calls.items() if called & reached} - reached:
        reached |= grown
    return reached
