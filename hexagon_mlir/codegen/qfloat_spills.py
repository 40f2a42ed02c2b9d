"""Finds qf32 and qf16 values that the register allocator put on the stack.

LLVM stores a spilled vector register with a plain vmem, which keeps none of what a qfloat value carries beyond its
IEEE bits (llvm issue #204825): such code must not be used.
"""

from __future__ import annotations

import re

_SPILL = re.compile(r"\s*(?:if \([^)]*\) )?vmemu?\(r(?:29|30)[^)]*\)\s*=\s*v(\d+)(?:\.new)?\s*$")
_DEFINITION = re.compile(r"\s*(?:if \([^)]*\) )?v(\d+)(?::(\d+))?(?:\.(\w+))?\s*[-+|&^]?=")
_QFLOAT = frozenset({"qf32", "qf16"})


def qfloat_spills(asm: str) -> list[str]:
    """The instructions of ``asm`` that store a register last written as qfloat to the stack, as text."""
    kinds: dict[str, str | None] = {}
    packet: list[str] = []
    found: list[str] = []
    for line in asm.split("\n"):
        text = line.strip()
        if text.startswith("}"):
            found += _packet_spills(packet, kinds)
            packet = []
        elif text == "{":
            packet = []
        else:
            packet.append(text)
    return found


def _packet_spills(packet: list[str], kinds: dict[str, str | None]) -> list[str]:
    """Spills of one packet; ``kinds`` (register -> format last written) is brought up to date."""
    before = dict(kinds)
    for text in packet:
        if match := _DEFINITION.match(text):
            for register in filter(None, match.group(1, 2)):
                kinds[register] = match[3]
    spills = []
    for text in packet:
        if match := _SPILL.match(text):
            written = kinds if ".new" in text else before  # without .new a packet stores the old value
            if written.get(match[1]) in _QFLOAT:
                spills.append(text)
    return spills
