"""Packets around a random one that give its qfloat operands random extension bits, and show those of its results."""

from __future__ import annotations

import re

from hexagon_mlir.isa.form import FORMS
from hexagon_mlir.sim.reference.random_operands import Operands

MASK_REGISTER = 28
"""No random instruction uses it."""
MASKS = 0x08040201
"""A bit of its own for each extension bit of a word."""
NEEDED = {"V=vgetqfext(V.x,R)", "V.x=vsetqfext(V,R)", "V=vmerge(V.x,V.w)"}
_SOURCES = re.compile(r"v(?:(\d+):)?(\d+)\.(?:qf32|qf16|x)\b(?!\s*[-+|&^]?=[^=])")
_RESULTS = re.compile(r"v(?:(\d+):)?(\d+)\.(?:qf32|qf16|x)\s*=[^=]")


def _registers(pattern: re.Pattern[str], text: str) -> list[int]:
    found = {int(n) for pair in pattern.findall(text) for n in pair if n}
    return sorted(found)


def around(text: str, choices: Operands) -> tuple[list[str], list[str]]:
    """Packets before and after the packet ``text``; none where it has no qfloats or the forms are missing."""
    sources, results = _registers(_SOURCES, text), _registers(_RESULTS, text)
    if not (sources or results) or not set(FORMS) >= NEEDED:
        return [], []
    named = {int(n) for pair in re.findall(r"\bv(?:(\d+):)?(\d+)", text) for n in pair if n}
    free = [n for n in range(32) if n not in named]
    before, after = [f"r{MASK_REGISTER} = ##{MASKS}"], []
    for source in sources:
        carrier = choices.pick(free)
        before.append(f"v{carrier}.x = vsetqfext({choices.register('V')},r{MASK_REGISTER})")
        before.append(f"v{source} = vmerge(v{carrier}.x,v{source}.w)")
    for result, shown in zip(results, free, strict=False):
        after.append(f"v{shown} = vgetqfext(v{result}.x,r{MASK_REGISTER})")
    return [_packet(line) for line in before], [_packet(line) for line in after]


def _packet(line: str) -> str:
    return f"\t{{\n\t\t{line}\n\t}}\n"
