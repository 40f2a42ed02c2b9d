"""Which functions can reach an HVX packet: their threads need an HVX context."""

from __future__ import annotations

from hexagon_mlir.sim.asm import parse
from hexagon_mlir.sim.decode import decode


def hvx_functions(text: str) -> set[str]:
    """Names of functions with HVX in them or in what they call or jump to.

    A call through a register may reach any function: such a caller counts when any function has HVX.
    """
    module = parse(text)
    calls: dict[str, set[str]] = {}
    reached: set[str] = set()
    indirect: set[str] = set()
    for name, function in module.functions.items():
        calls[name] = set()
        for insn in (insn for packet in function.packets for insn in decode(packet)):
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
