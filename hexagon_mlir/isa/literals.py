"""Numbers in assembly text as assemblers read them, and errors about parts of a line."""

from __future__ import annotations

import re

LONGEST = 80
"""Characters of a number, and of what a message quotes."""
_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|(?P<octal>0[0-7]+)|0|[1-9][0-9]*)")
_NUMBERS = "12, -3, 0x1f, 0b101, or octal with a leading 0"
_RANGE = range(-(1 << 63), 1 << 64)


class Refused(ValueError):
    """A recognized part of a line that is invalid."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


def shown(text: str) -> str:
    """``text`` as messages quote it: truncated if it is long."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"


def integer(text: str) -> int:
    """The number ``text``, of at most 64 bits. Raises `Refused`."""
    text = text.strip()
    found = _INTEGER.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise Refused(f"'{shown(text)}' is no number", f"a number is like {_NUMBERS}, and has at most 64 bits")
    value = int(text, 8 if found.group("octal") else 0)
    if value not in _RANGE:
        raise Refused(f"{text} does not fit 64 bits")
    return value


def size(text: str) -> int:
    """A number of bytes or elements: not negative."""
    value = integer(text)
    if value < 0:
        raise Refused(f"a size of {value}")
    return value
