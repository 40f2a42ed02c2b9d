"""Scalar stores stay behind the vector stores that precede them, in LLVM IR text.

LLVM 22 puts a vector store and a later scalar store into one packet even where they overlap. That is right for two
scalar stores, the first of which takes slot 1; a vector store can only take slot 0, and slot 1 is stored first. A
barrier without code ends the packet. Blocks get theirs at the end, since software pipelining moves the first stores of
a loop in front of it; one-block loops of vectors stay free of them and their exits begin with one.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.llvm_text import blocks_of, with_functions
from hexagon_mlir.codegen.llvm_ir.names import LABEL, TARGET, VALUE

BARRIER = '  call void asm sideeffect "", "~{memory}"()'
_STORE = re.compile(r"\n(  (?:store |(?:tail )?call void @llvm\.m).*)")
_VECTOR_STORE = re.compile(r"^  (?:store <\d+ x |(?:tail )?call void @llvm\.masked\.store\.)")
_SCALAR_STORE = re.compile(r"^  (?:store (?!<\d+ x )|(?:tail )?call void @llvm\.mem(?:set|cpy|move)\b)")
_PHI = re.compile(f"^  {VALUE} = phi ")


class _Block:
    """Lines of a basic block, its label first where it has one, and the names of those that may follow."""

    def __init__(self, text: str):
        label = LABEL.match(text)
        self.name = label[1] if label else ""
        self.text = text
        self.lines = [text]

    @property
    def targets(self) -> set[str]:
        return set(TARGET.findall(self.text))

    def order(self) -> bool:
        """Put barriers between vector and scalar stores; true when the last store is a vector's."""
        if "store" not in self.text and "mem" not in self.text:
            return False
        lines: list[str] = []
        pending = False
        for line in self.text.split("\n"):
            if "store" in line or "mem" in line:
                if scalar := _SCALAR_STORE.match(line):
                    lines += [BARRIER] * pending
                pending = not scalar and (pending or _VECTOR_STORE.match(line) is not None)
            lines.append(line)
        self.lines = lines
        return pending

    def begin(self) -> None:
        """Put a barrier in front of everything."""
        self.lines = self.lines if len(self.lines) > 1 else self.text.split("\n")
        place = next(n for n, line in enumerate(self.lines) if not (_PHI.match(line) or LABEL.match(line)))
        self.lines.insert(place, BARRIER)

    def end(self) -> None:
        """Put a barrier before the terminator, which is the last instruction; a switch has several lines."""
        place = max(n for n, line in enumerate(self.lines) if re.match(r"  (?:br|ret|switch|unreachable)\b", line))
        self.lines.insert(place, BARRIER)


def keep_stores_in_order(text: str) -> str:
    """``text`` with a barrier wherever a scalar store could join the packet of an earlier vector store."""
    return with_functions(text, _ordered)


def _ordered(function: str) -> str:
    stores = _STORE.findall(function)
    if not any(map(_SCALAR_STORE.match, stores)) or not any(map(_VECTOR_STORE.match, stores)):
        return function
    blocks = [_Block(text) for text in blocks_of(function)]
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
    return "\n".join(line for block in blocks for line in block.lines)
