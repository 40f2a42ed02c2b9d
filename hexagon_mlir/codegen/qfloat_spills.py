"""Finds qf32 and qf16 values that the register allocator put on the stack.

LLVM stores a spilled vector register with a plain vmem, which keeps none of what a qfloat value carries beyond its
IEEE bits (llvm issue #204825): such code must not be used. Which registers may hold a qfloat value is followed along
the branches of a function (a forward data-flow analysis over its blocks). An IEEE value plus zero carries nothing more
than its IEEE bits: the constants of loops may be spilled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SPILL = re.compile(r"\s*(?:if \([^)]*\) )?vmemu?\(r(?:29|30)[^)]*\)\s*=\s*v(\d+)(?:\.new)?\s*$")
_ZERO = re.compile(r"vxor\(v(\d+),v\1\)$")
_LIFT = re.compile(r"vadd\(v\d+\.(?:sf|hf),v(\d+)\.(?:sf|hf)\)$")
_DEFINITION = re.compile(r"\s*(if \([^)]*\) )?v(\d+)(?::(\d+))?(?:\.(\w+))?\s*[-+|&^]?=\s*(.*)")
_MOVE = re.compile(r"(?:vcombine\()?v(\d+)(?:,\s*v(\d+)\))?$")
_QFLOAT = frozenset({"qf32", "qf16"})
_LABEL = re.compile(r"([.\w$]+):(?:\s|$)")
_TARGET = re.compile(r"\bjump(?::n?t)?\s+(?:##)?(\.\w+)")
_LOOP_START = re.compile(r"\bloop([01])\((?:##)?(\.\w+)")
_LOOP_END = re.compile(r":endloop([01]+)")
_LEAVES = re.compile(r"(?:^|; )(?:jump|jumpr|dealloc_return|r31:30 = dealloc_return)\b")  # no condition before it
_TABLE = re.compile(r"\bjumpr(?::n?t)? r(?!31\b)\d+")

VECTORS = 32
Packet = list[str]


@dataclass
class _Block:
    """Packets that run one after the other; ``next`` holds the positions of the blocks that may follow."""

    label: str
    packets: list[Packet] = field(default_factory=list)
    next: set[int] = field(default_factory=set)


def qfloat_spills(asm: str) -> list[str]:
    """The instructions of ``asm`` that store a register that may hold a qfloat value to the stack, as text."""
    if not any(_SPILL.match(line) for line in asm.split("\n")):
        return []
    blocks = _blocks(asm)
    entry: list[frozenset[str] | None] = [None] * len(blocks)  # what `_run` follows; None: not reached yet
    pending = [at for at, block in enumerate(blocks) if not block.label.startswith(".L")]
    for at in pending:
        entry[at] = frozenset(f"{number} is not 0" for number in range(VECTORS))
    while pending:
        at = pending.pop()
        held = set(entry[at] or ())
        for packet in blocks[at].packets:
            _run(packet, held)
        for following in blocks[at].next:
            known = entry[following]
            if known is None or not held <= known:
                entry[following] = frozenset(held | (known or set()))
                pending.append(following)
    found = []
    for block, start in zip(blocks, entry, strict=True):
        held = set(start or ())
        for packet in block.packets:
            found += _run(packet, held)
    return found


def _blocks(asm: str) -> list[_Block]:
    """Every block of every function, with what may follow it."""
    blocks = [_Block("")]
    endings: dict[int, str] = {}  # what ends the hardware loop of a block
    packet: Packet = []
    for line in asm.split("\n"):
        text = line.strip()
        if text == "{":
            packet = []
        elif text.startswith("}"):
            blocks[-1].packets.append(packet)
            if match := _LOOP_END.search(text):
                endings[len(blocks) - 1] = match[1]
                blocks.append(_Block(".L"))
            elif any("jump" in part for part in packet):  # what follows a branch is not on its way
                blocks.append(_Block(".L"))
            packet = []
        elif match := _LABEL.match(text):
            blocks.append(_Block(match[1]))
        else:
            packet.append(text)
    at = {block.label: number for number, block in enumerate(blocks) if block.label}
    starts = {start for block in blocks for p in block.packets for text in p for start in _LOOP_START.findall(text)}
    function: list[int] = []
    for number, block in enumerate(blocks):
        if block.label and not block.label.startswith(".L"):
            function = []
        function.append(number)
        last = block.packets[-1] if block.packets else []
        block.next = {at[label] for text in last for label in _TARGET.findall(text) if label in at}
        if number in endings:
            inner, outer = ([other for other in function if (level, blocks[other].label) in starts] for level in "01")
            block.next.update(inner[-1:] if "0" in endings[number] else ())
            block.next.update(outer if "1" in endings[number] else ())
        if not any(_LEAVES.search(text) for text in last) and number + 1 < len(blocks):
            block.next.add(number + 1)
    for block in blocks:
        if block.packets and any(_TABLE.search(text) for text in block.packets[-1]):  # a table of labels: any
            block.next |= {other for other, b in enumerate(blocks) if b.label.startswith(".LBB")}
    return blocks


def _run(packet: Packet, held: set[str]) -> list[str]:
    """The spills of one packet. ``held`` is brought up to date: the numbers of registers that may hold qfloat values
    (beyond IEEE's), and which may be other than zero.
    """
    before = set(held)
    for text in packet:
        if match := _DEFINITION.match(text):
            condition, first, second, format_, value = match.groups()
            moved = _MOVE.match(value) if format_ is None else None
            lift = _LIFT.match(value)
            exact = lift is not None and f"{lift[1]} is not 0" not in before
            for position, register in enumerate(r for r in (first, second) if r is not None):
                source = moved[min(position + 1, moved.lastindex or 1)] if moved else None
                if (format_ in _QFLOAT and not exact) or source in before:
                    held.add(register)
                elif condition is None:
                    held.discard(register)
                if not _ZERO.match(value):
                    held.add(f"{register} is not 0")
                elif condition is None:
                    held.discard(f"{register} is not 0")
    spills = []
    for text in packet:
        match = _SPILL.match(text)
        if match and match[1] in (held if ".new" in text else before):  # without .new a packet stores the old value
            spills.append(text)
    return spills
