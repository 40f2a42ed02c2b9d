"""Instructions as 32-bit words: where each form has its operands, and which slots it can take.

The scalar forms are those of `hexagon_mlir.isa.forms.encodings`, the others the matrix engine's. The words of a packet
stand in the order of falling slots. The parse bits of each say whether it is the packet's last (11) or not (01); 10 in
the first word ends hardware loop 0, in the second loop 1 (V73 PRM 80-N2040-53, chapter 10).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.isa.form import classes
from hexagon_mlir.isa.forms import encodings
from hexagon_mlir.isa.literals import Refused
from hexagon_mlir.isa.matrix import OPERATIONS, Kind, Operation

WORD_BITS = 32
WORD_BYTES = WORD_BITS // 8
PARSE_BITS = 0xC000
MORE, LOOP_END, LAST = 1 << 14, 2 << 14, 3 << 14
"""Values of the parse bits."""
FIRST_REGISTER, SECOND_REGISTER = tuple(range(20, 15, -1)), tuple(range(12, 7, -1))
"""Bits, highest first, of the registers that the matrix engine's instructions read."""
_OPERAND = re.compile(r"(\w)(?::([su])(\d+)(?:\.(\d))?)?")


@dataclass(frozen=True)
class Field:
    """The place of an operand in the word."""

    places: tuple[int, ...]
    """Bit numbers, the operand's highest bit first."""
    signed: bool = False
    shift: int = 0
    """Low bits of the operand that are 0 and not kept."""

    def insert(self, value: int) -> int:
        """The bits of a word that hold ``value``; raises `Refused` for one that does not fit."""
        bits = len(self.places)
        low = -(1 << bits - 1) if self.signed else 0
        scaled, lost = value >> self.shift, value & ((1 << self.shift) - 1)
        if lost or not low <= scaled < low + (1 << bits):
            step, last = 1 << self.shift, (low + (1 << bits) - 1) << self.shift
            raise Refused(f"{value} does not fit", f"it takes {low << self.shift} to {last} in steps of {step}")
        return sum((scaled >> bits - 1 - index & 1) << place for index, place in enumerate(self.places))

    def extract(self, word: int) -> int:
        """The operand in ``word``."""
        value = 0
        for place in self.places:
            value = value << 1 | word >> place & 1
        if self.signed and value >> len(self.places) - 1:
            value -= 1 << len(self.places)
        return value << self.shift


@dataclass(frozen=True)
class Encoding:
    """A form's word."""

    template: str
    """As in the tables of forms; ``L`` is a label, a condition stands before with a blank."""
    slots: tuple[int, ...]
    fields: tuple[Field, ...]
    """Of the operands in the order of the text; immediates of one possible value have none."""
    opcode: int
    """The word with zeros for operands and parse bits."""
    mask: int
    """The bits that are the same in all words of the form."""

    def word(self, values: Sequence[int]) -> int:
        """The word, without parse bits, for register numbers, immediates and distances to labels."""
        return self.opcode | sum(field.insert(value) for field, value in zip(self.fields, values, strict=True))

    def values(self, word: int) -> list[int]:
        """The operands in ``word``."""
        return [field.extract(word) for field in self.fields]


def _encoding(row: str) -> Encoding:
    template, slots, operands, bits = re.split(r"\s{2,}", row)
    fields = []
    for letter, sign, _, shift in _OPERAND.findall(operands):
        places = tuple(WORD_BITS - 1 - index for index, found in enumerate(bits) if found == letter)
        fields.append(Field(places, sign == "s", int(shift or "0")))
    opcode = int(re.sub(r"\D", "0", bits), 2)
    mask = int(re.sub(r"\D", "0", bits.replace("0", "1")), 2)
    return Encoding(template, tuple(map(int, slots)), tuple(fields), opcode, mask)


def _matrix_encoding(operation: Operation) -> Encoding:
    form = operation.form
    registers = (FIRST_REGISTER, SECOND_REGISTER)[: classes(form.template).count("R")]
    taken = sum(1 << place for places in registers for place in places)
    slots = (0, 1) if operation.kind is Kind.ACTIVATION else (0,)
    mask = ~(taken | PARSE_BITS) & ((1 << WORD_BITS) - 1)
    return Encoding(form.template, slots, tuple(map(Field, registers)), form.opcode, mask)


ENCODINGS = {one.template: one for one in (*map(_encoding, encodings.ROWS.strip().splitlines()),
                                           *map(_matrix_encoding, OPERATIONS.values()))}
"""Template to encoding."""


def encoding_of(word: int) -> Encoding | None:
    """The form of ``word``; None for one that is not among `ENCODINGS`."""
    return next((one for one in ENCODINGS.values() if word & one.mask == one.opcode), None)
