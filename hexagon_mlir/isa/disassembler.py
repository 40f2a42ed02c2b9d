"""32-bit words to packets in text, for the forms of `hexagon_mlir.isa.encoding`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hexagon_mlir.isa.encoding import LAST, LOOP_END, MORE, PARSE_BITS, WORD_BYTES, Encoding, encoding_of
from hexagon_mlir.isa.literals import Refused
from hexagon_mlir.isa.matrix import SHIFT_BITS

MOST_BYTES = 4 * WORD_BYTES
"""Of a packet."""
_OPERAND = re.compile(r"[RPIL]")
_ASSIGN = re.compile(r"(?<![=!<>])=(?!=)")


@dataclass
class WordPacket:
    """A packet of words."""

    start: int
    """Address of the first word, in bytes."""
    instructions: list[tuple[Encoding, list[int]]] = field(default_factory=list)
    """In the order of the words, with operands: numbers of registers, immediates, distances in bytes."""
    end_loop0: bool = False
    end_loop1: bool = False

    def targets(self) -> list[int]:
        """Addresses that the instructions name."""
        return [self.start + values[_label(encoding)] for encoding, values in self.instructions if _names(encoding)]

    def texts(self) -> list[str]:
        """The instructions; labels are those of `label`."""
        return [_text(encoding, values, self.start) for encoding, values in self.instructions]


def label(address: int) -> str:
    """The label at an address."""
    return f".L{address:x}"


def disassemble(words: Sequence[int], origin: int = 0) -> list[WordPacket]:
    """The packets of ``words``, the first of which is at address ``origin``.

    Raises `Refused` for a word that is none of `hexagon_mlir.isa.encoding`, words that end within a packet, and
    addresses at which no packet begins.
    """
    packets: list[WordPacket] = []
    begin = 0
    for index, word in enumerate(words):
        encoding, parse = encoding_of(word & ~PARSE_BITS), word & PARSE_BITS
        if encoding is None or parse not in (MORE, LOOP_END, LAST):
            raise Refused(f"word {index} ({word:08x}) is no known instruction")
        if index == begin:
            packets.append(WordPacket(origin + index * WORD_BYTES))
        packet = packets[-1]
        packet.end_loop0 |= parse == LOOP_END and index == begin
        packet.end_loop1 |= parse == LOOP_END and index == begin + 1
        packet.instructions.append((encoding, encoding.values(word)))
        begin = index + 1 if parse == LAST else begin
    if begin < len(words):
        raise Refused(f"the packet of word {begin} ({words[begin]:08x}) has no end")
    starts = {packet.start for packet in packets}
    for packet in packets:
        if outside := set(packet.targets()) - starts:
            raise Refused(f"the packet at {packet.start} goes to {outside.pop()}, where none begins")
    return packets


def _names(encoding: Encoding) -> bool:
    """Whether the form names a label."""
    return "L" in encoding.template


def _label(encoding: Encoding) -> int:
    """Which operand is the label."""
    return _OPERAND.findall(encoding.template).index("L")


def _text(encoding: Encoding, values: list[int], start: int) -> str:
    operands = iter(values)

    def written(letter: re.Match[str]) -> str:
        value = next(operands, SHIFT_BITS)
        return label(start + value) if letter[0] == "L" else {"R": "r", "P": "p", "I": "#"}[letter[0]] + str(value)

    text = _OPERAND.sub(written, encoding.template)
    return _ASSIGN.sub(" = ", text, count=1).replace("if(", "if (")
