"""Text to numbers, and mathematics with a second result, for the host libc."""

from __future__ import annotations

import math
import re
import struct

import numpy as np

_FLOAT = re.compile(
    rb"[ \t\n\v\f\r]*([-+]?)(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[-+]?\d+)?"
    rb"|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?|nan)",
    re.IGNORECASE,
)
SPACE = b" \t\n\v\f\r"
_DIGITS = b"0123456789abcdefghijklmnopqrstuvwxyz"
_BEYOND = 80
"""Digits, and bits, that are more than 64 bits in any base."""


def integer(text: bytes, base: int) -> tuple[int, int]:
    """strtol without its limits: the number and how many bytes it takes (0 when there is none)."""
    at = len(text) - len(text.lstrip(SPACE))
    negative = text[at : at + 1] == b"-"
    at += text[at : at + 1] in (b"-", b"+")
    prefix = text[at : at + 2].lower() == b"0x" and text[at + 2 : at + 3].isalnum() and _digit(text[at + 2]) < 16
    if base in (0, 16) and prefix:
        at, base = at + 2, 16
    elif base == 0:
        base = 8 if text[at : at + 1] == b"0" else 10
    if not 2 <= base <= len(_DIGITS):
        return 0, 0
    digits = re.compile(b"[%b]*" % _DIGITS[:base], re.IGNORECASE).match(text, at)
    assert digits
    significant = digits.group().lstrip(b"0")
    value = int(significant or b"0", base) if len(significant) <= _BEYOND else 1 << _BEYOND
    return (-value if negative else value), (digits.end() if digits.group() else 0)


def _digit(byte: int) -> int:
    character = chr(byte)
    return int(character, 36) if character.isascii() and character.isalnum() else 99


def clamped(value: int, bits: int, signed: bool) -> int:
    """What strtol and strtoul give for a number out of range."""
    if signed:
        return max(-(1 << (bits - 1)), min((1 << (bits - 1)) - 1, value))
    top = (1 << bits) - 1
    return top if abs(value) > top else value & top


def floating(text: bytes) -> tuple[float, int]:
    """strtod: the number and how many bytes it takes."""
    found = _FLOAT.match(text)
    if found is None:
        return 0.0, 0
    sign, body = found.group(1).decode(), found.group(2).decode().lower()
    try:
        magnitude = float.fromhex(body) if body.startswith("0x") else float(body)
    except OverflowError:
        magnitude = math.inf
    return (-magnitude if sign == "-" else magnitude), found.end()


def f64_bits(value: float) -> int:
    return int.from_bytes(struct.pack("<d", value), "little")


def f32_bits(value: float) -> int:
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.uint32))


def f64_of(bits: int) -> float:
    return float(struct.unpack("<d", (bits & ((1 << 64) - 1)).to_bytes(8, "little"))[0])


def f32_of(bits: int) -> float:
    return float(struct.unpack("<f", (bits & 0xFFFFFFFF).to_bytes(4, "little"))[0])


def rounded(value: float, ties_even: bool) -> int:
    """lrint or lround; what does not fit is cut to 64 bits."""
    if not math.isfinite(value):
        return 0
    return round(value) if ties_even else int(math.copysign(math.floor(abs(value) + 0.5), value))
