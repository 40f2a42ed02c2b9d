"""Finds stores that rewrite bytes after their end, in assembly.

LLVM 22 merges adjacent stores at an unknown address into stores of whole vectors. The last vector, which an aligned
address does not need, is stored conditionally: it is loaded, partly replaced, and stored as a whole. A concurrent store
of another thread to the remaining bytes is lost.
"""

from __future__ import annotations

from hexagon_mlir.isa.decode import Insn
from hexagon_mlir.isa.packets import instructions

_DISTANCE = 40
"""Most lines between load and store."""
_MIXED = "V=vmux(Q,V,V)"
Place = tuple[tuple[bool, int], int, int]
"""Condition, base register and offset of an access."""


def rewrites_neighbours(asm: str) -> bool:
    """True when a vector is loaded, blended with another and stored to the same address, all under one condition."""
    if "vmux(" not in asm:
        return False
    loaded: list[tuple[int, Insn, Place]] = []
    mixed: dict[int, list[int]] = {}  # register -> lines where it is the second operand of a select
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
                    was == place and number - at < _DISTANCE
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
