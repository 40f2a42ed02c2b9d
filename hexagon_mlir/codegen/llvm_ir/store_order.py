"""Scalar stores stay behind the vector stores that precede them, in LLVM IR text.

LLVM 22 puts a vector store and a later scalar store into one packet even where they overlap. That is right for two
scalar stores, the first of which takes slot 1; a vector store can only take slot 0, and slot 1 is stored first. A
barrier without code ends the packet. Blocks get theirs at the end, since software pipelining moves the first stores of
a loop in front of it; one-block loops of vectors stay free of them and their exits begin with one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BARRIER = '  call void asm sideeffect "", "~{memory}"()'
_VECTOR_STORE = re.compile(r"^  (?:store <\d+ x |(?:tail )?call void @llvm\.masked\.store\.)")
_SCALAR_STORE = re.compile(r"^  (?:store (?!<\d+ x )|(?:tail )?call void @llvm\.mem(?:set|cpy|move)\b)")
_LABEL = re.compile(r"^([\w.$-]+|\"[^\"]*\"):")
_TARGET = re.compile(r"label %([\w.$-]+|\"[^\"]*\")")
_PHI = re.compile(r"^  %\S+ = phi ")


@dataclass
class _Block:
    """Lines of a basic block, its label first where it has one."""

    name: str
    lines: list[str]

    @property
    def targets(self) -> set[str]:
        return set(_TARGET.findall("\n".join(line for line in self.lines if not _PHI.match(line))))

    def order(self) -> bool:
        """Put barriers between vector and scalar stores; true when the last store is a vector's."""
        lines: list[str] = []
        pending = False
        for line in self.lines:
            if _SCALAR_STORE.match(line) and pending:
                lines.append(BARRIER)
            if _SCALAR_STORE.match(line) or _VECTOR_STORE.match(line):
                pending = bool(_VECTOR_STORE.match(line))
            lines.append(line)
        self.lines = lines
        return pending

    def begin(self) -> None:
        """Put a barrier in front of everything."""
        place = next(n for n, line in enumerate(self.lines) if not (_PHI.match(line) or _LABEL.match(line)))
        self.lines.insert(place, BARRIER)

    def end(self) -> None:
        """Put a barrier before the terminator, which is the last instruction; a switch has several lines."""
        place = max(n for n, line in enumerate(self.lines) if re.match(r"  (?:br|ret|switch|unreachable)\b", line))
        self.lines.insert(place, BARRIER)


def keep_stores_in_order(text: str) -> str:
    """``text`` with a barrier wherever a scalar store could join the packet of an earlier vector store."""
    done: list[str] = []
    body: list[str] | None = None
    for line in text.split("\n"):
        if body is None:
            done.append(line)
            body = [] if line.startswith("define ") else None
        elif line == "}":
            done += [*_ordered(body), line]
            body = None
        else:
            body.append(line)
    return "\n".join(done)


def _ordered(body: list[str]) -> list[str]:
    stores = [line for line in body if "store" in line or "mem" in line]
    if not any(map(_SCALAR_STORE.match, stores)) or not any(map(_VECTOR_STORE.match, stores)):
        return body
    blocks = [_Block("", [])]
    for line in body:
        if match := None if line.startswith(" ") else _LABEL.match(line):
            blocks.append(_Block(match[1], []))
        blocks[-1].lines.append(line)
    blocks = [block for block in blocks if block.lines]
    begun: set[str] = set()
    for block in blocks:
        if not block.order():
            continue
        if block.name in block.targets:
            begun |= block.targets - {block.name}
        elif block.targets:
            block.end()
    for block in blocks:
        if block.name in begun:
            block.begin()
    return [line for block in blocks for line in block.lines]
