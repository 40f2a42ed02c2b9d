"""Scalar stores stay behind the vector stores that precede them, in LLVM IR text.

LLVM 22 puts a vector store and a later scalar store into one packet even where they overlap. That is right for two
scalar stores, the first of which takes slot 1; a vector store can only take slot 0, and slot 1 is stored first. A
barrier without code between the two ends the packet.
"""

from __future__ import annotations

import re

BARRIER = '  call void asm sideeffect "", "~{memory}"()'
_VECTOR_STORE = re.compile(r"^  (?:store <\d+ x |(?:tail )?call void @llvm\.masked\.store\.)")
_SCALAR_STORE = re.compile(r"^  (?:store (?!<\d+ x )|(?:tail )?call void @llvm\.mem(?:set|cpy|move)\b)")
_BLOCK_END = re.compile(r"^(?:\S|  (?:br|ret|switch|unreachable)\b)")


def keep_stores_in_order(text: str) -> str:
    """``text`` with a barrier before the first scalar store after vector stores, in each block."""
    lines = []
    vector_stored = False
    for line in text.split("\n"):
        if _VECTOR_STORE.match(line):
            vector_stored = True
        elif vector_stored and _SCALAR_STORE.match(line):
            lines.append(BARRIER)
            vector_stored = False
        elif _BLOCK_END.match(line):
            vector_stored = False
        lines.append(line)
    return "\n".join(lines)
