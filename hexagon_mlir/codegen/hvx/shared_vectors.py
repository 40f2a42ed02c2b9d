"""Finds stores that write back bytes behind their end, in assembly.

LLVM 22 joins neighbouring stores at an unknown address to stores of whole vectors. The last vector, which an aligned
address does not need, it stores under a condition; it loads it, replaces the bytes that are meant, and stores all of
it. What another thread wrote behind them in between is lost.
"""

from __future__ import annotations

from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.isa.packets import instructions

_REACH = 40
"""Lines between load and store."""
_MIXED = "V=vmux(Q,V,V)"
Place = tuple[tuple[bool, int], int, int]
"""Condition, base register and offset of an access."""


def rewrites_neighbours(asm: str) -> bool:
    """True when a vector is loaded, mixed with another and stored where it was, all under one condition."""
    if "vmux(" not in asm:
        return False
    loaded: list[tuple[int, Insn, Place]] = []
    mixed: dict[int, list[int]] = {}  # register -> lines where it is the second that is chosen from
    for number, line in enumerate(map(str.strip, asm.split("\n"))):
        if not line.startswith("if (") and "vmux(" not in line:
            continue
        for insn in instructions(line):
            place = _place(insn)
            if insn.key == _MIXED:
                mixed.setdefault(insn.sources[2].number, []).append(number)
            elif place and insn.kind == "load":
                loaded.append((number, insn, place))
            elif place and insn.kind == "store" and any(
                    was == place and number - at < _REACH
                    and any(at <= line <= number for line in mixed.get(load.dests[0].number, ()))
                    for at, load, was in loaded):
                return True
    return False


def _place(insn: Insn) -> Place | None:
    """Where ``insn`` accesses a vector under a scalar condition; None for anything else."""
    if insn.access != "vmem" or insn.condition is None or insn.condition.operand.cls != "P" or insn.address is None:
        return None
    base, offset = insn.address.base, insn.address.offset
    if base is None or offset is None:
        return None
    return (insn.condition.negated, insn.condition.operand.number), base.number, offset.number
