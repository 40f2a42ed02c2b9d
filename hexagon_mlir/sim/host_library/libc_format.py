"""printf's conversions in Python: a format and a source of arguments to bytes.

After C17 7.21.6.1; where that leaves a choice (the digits of %a, "(nil)"-like forms) the output is what musl prints.
"""

from __future__ import annotations

import math
import re
from typing import Protocol

from hexagon_mlir.sim.translation.program import SimError

_CONVERSION = re.compile(rb"%([-+ 0#]*)(\*|\d+)?(?:\.(\*|-?\d+)?)?(hh|h|ll|l|j|z|t|L)?(.)", re.DOTALL)
MAX_FIELD = 1 << 20
"""Characters of one conversion that a program may ask for; C asks of a library for 4,095 at least."""
MAX_TEXT = 1 << 26
"""Bytes of one call's text."""
MAX_SHOWN = 80
"""Bytes of a format in a message."""
_DOT = re.compile(rb"%[-+ 0#]*(?:\*|\d+)?\.")
_BITS = {b"hh": 8, b"h": 16, b"ll": 64, b"j": 64}
"""Sizes of integer arguments; all others (int, long, size_t, pointers) have 32 bits on Hexagon."""
_DIGITS = {"d": "d", "i": "d", "u": "d", "x": "x", "X": "X", "o": "o"}


class Arguments(Protocol):
    """Where variable arguments come from."""

    def word(self) -> int:
        """The next 32-bit argument, unsigned."""
        ...

    def wide(self) -> int:
        """The next 64-bit argument, unsigned."""
        ...

    def double(self) -> float: ...

    def check(self) -> None:
        """Raises when the run is to end."""
        ...

    def string(self, address: int, limit: int) -> bytes:
        """The guest's string at ``address``, at most ``limit`` bytes."""
        ...

    def count(self, address: int, nbytes: int, value: int) -> None:
        """Store ``value`` for %n."""
        ...


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _sign(negative: bool, flags: str) -> str:
    return "-" if negative else "+" if "+" in flags else " " if " " in flags else ""


def _padded(sign: str, body: str, flags: str, width: int, zeros: bool) -> str:
    room = width - len(sign) - len(body)
    if "-" in flags:
        return sign + body + " " * room
    if zeros and "0" in flags:
        return sign + "0" * room + body
    return " " * room + sign + body


def _integer(value: int, kind: str, flags: str, width: int, precision: int | None) -> str:
    """``value`` is signed for d and i, unsigned otherwise."""
    digits = format(abs(value), _DIGITS[kind])
    if value == 0 and precision == 0:
        digits = ""
    digits = digits.rjust(precision or 0, "0")
    sign = _sign(value < 0, flags) if kind in "di" else ""
    if "#" in flags:
        if kind == "o" and not digits.startswith("0"):
            digits = "0" + digits
        if kind in "xX" and value:
            sign = "0" + kind
    return _padded(sign, digits, flags, width, zeros=precision is None)


def _hexadecimal(value: float, flags: str, precision: int | None) -> str:
    """The body of %a: a leading 1 (0 for zero), the shortest digits or ``precision`` of them."""
    if value == 0:
        mantissa, exponent = 0, 0
    else:
        fraction, exponent = math.frexp(value)
        mantissa, exponent = int(math.ldexp(fraction, 53)), exponent - 1
    digits = 13
    if precision is not None and precision < digits:
        drop = 4 * (digits - precision)
        half, low = 1 << (drop - 1), mantissa & ((1 << drop) - 1)
        mantissa >>= drop
        mantissa += low > half or (low == half and mantissa & 1)
        digits = precision
    whole, rest = mantissa >> 4 * digits, mantissa & ((1 << 4 * digits) - 1)
    text = format(rest, f"0{digits}x") if digits else ""
    text = text.rstrip("0") if precision is None else text.ljust(precision, "0")
    point = "." if text or "#" in flags else ""
    return f"{whole:x}{point}{text}p{exponent:+d}"


def _float(value: float, kind: str, flags: str, width: int, precision: int | None) -> str:
    lower = kind.lower()
    negative = math.copysign(1.0, value) < 0
    sign = _sign(negative, flags)
    finite = math.isfinite(value)
    if not finite:
        body = "nan" if math.isnan(value) else "inf"
    elif lower == "a":
        sign, body = sign + "0x", _hexadecimal(abs(value), flags, precision)
    else:
        alternative = "#" if "#" in flags else ""
        body = f"%{alternative}.{6 if precision is None else precision}{lower}" % abs(value)
    if kind.isupper():
        sign, body = sign.upper(), body.upper()
    return _padded(sign, body, flags, width, zeros=finite)


def render(pattern: bytes, arguments: Arguments) -> bytes:
    """What printf writes."""
    if len(pattern) > MAX_TEXT:
        raise SimError(f"printf: a format of more than {MAX_TEXT} bytes")
    out = bytearray()
    at = 0
    while (found := pattern.find(b"%", at)) >= 0:
        arguments.check()
        out += pattern[at:found]
        match = _CONVERSION.match(pattern, found)
        if match is None:
            raise SimError(f"printf: a format ends in the middle of a conversion: {pattern[-MAX_SHOWN:]!r}")
        at = match.end()
        out += _convert(match, arguments, len(out), pattern)
        if len(out) > MAX_TEXT:
            raise SimError(f"printf: more than {MAX_TEXT} bytes of text")
    return bytes(out + pattern[at:])


def _convert(match: re.Match[bytes], arguments: Arguments, written: int, pattern: bytes) -> bytes:
    flags = match.group(1).decode()
    width = _amount(match.group(2), arguments) or 0
    if width < 0:
        flags, width = flags + "-", -width
    precision = _amount(match.group(3), arguments)
    if match.group(3) is None and _DOT.match(match.group(0)):
        precision = 0
    if precision is not None and precision < 0:
        precision = None
    bits = _BITS.get(match.group(4) or b"", 32)
    kind = match.group(5).decode("latin-1")
    if kind == "%":
        return b"%"
    if kind in _DIGITS:
        raw = arguments.wide() if bits == 64 else arguments.word()
        value = _signed(raw, bits) if kind in "di" else raw & ((1 << bits) - 1)
        return _integer(value, kind, flags, width, precision).encode()
    if kind in "fFeEgGaA" and match.group(4) != b"L":
        return _float(arguments.double(), kind, flags, width, precision).encode()
    if kind == "c":
        return _text(bytes([arguments.word() & 255]), flags, width)
    if kind == "s":
        address = arguments.word()
        most = MAX_TEXT + 1 if precision is None else precision
        string = arguments.string(address, most) if address else b"(null)"[:most]
        return _text(string, flags, width)
    if kind == "p":
        value = arguments.word()
        return _integer(value, "x", flags + "#", width, max(precision or 0, 8)).encode()
    if kind == "n":
        arguments.count(arguments.word(), bits // 8, written)
        return b""
    conversion = match.group(0)[:MAX_SHOWN].decode("latin-1")
    raise SimError(f"printf: unknown conversion '{conversion}' in {pattern[:MAX_SHOWN]!r}")


def _amount(text: bytes | None, arguments: Arguments) -> int | None:
    if text is None:
        return None
    if text != b"*" and len(text) > len(str(MAX_FIELD)):
        raise SimError(f"printf: a width or precision of more than {MAX_FIELD}")
    amount = _signed(arguments.word(), 32) if text == b"*" else int(text)
    if amount > MAX_FIELD or (amount < -MAX_FIELD and text == b"*"):
        raise SimError(f"printf: a width or precision of {amount}: more than {MAX_FIELD}")
    return amount


def _text(data: bytes, flags: str, width: int) -> bytes:
    return data.ljust(width) if "-" in flags else data.rjust(width)
