"""Rewrites floating-point literals of LLVM 24 text so that LLVM 22 parses the same bits.

LLVM 24 prints ``f0x40490FDB``, ``+inf``, ``-qnan``, ``+snan(0x1)`` and rounded decimals such as ``float 1.000000e-01``;
LLVM 22 accepts hexadecimal bits only for these. Every literal becomes bits of the last type before it on its line.
"""

from __future__ import annotations

import re
import struct

from hexagon_mlir.llvmir.names import WORD

_TOKEN = re.compile(
    rf"(?P<name>[%@!$#]{WORD})"
    r'|(?P<string>"[^"]*")'
    r"|\b(?P<type>half|bfloat|float|double)\b"
    r"|\bf0x(?P<bits>[0-9A-Fa-f]+)\b"
    r"|(?P<sign>[+-])(?P<kind>inf|qnan|snan|nan)\b(?:\(0x(?P<payload>[0-9A-Fa-f]+)\))?"
    r"|(?<![\w.])(?P<decimal>[+-]?\d+\.\d*(?:[eE][+-]?\d+)?)"
)
_LITERAL = re.compile(r"\d\.|f0x|[+-](?:inf|[qs]?nan)")
"""A part of every literal that is rewritten."""
_LAYOUT = {"half": (5, 10), "bfloat": (8, 7), "float": (8, 23), "double": (11, 52)}  # exponent, fraction bits
_BFLOAT = re.compile(r"\bbfloat 0xR([0-9A-Fa-f]{4})\b")
_PREFIX = {"half": "0xH", "bfloat": "0xR"}


def rewrite_fp_literals(text: str) -> str:
    """``text`` with each floating-point literal in a form that LLVM 22 reads without loss."""
    return "\n".join([_rewrite_line(line) if _may_have_literals(line) else line for line in text.split("\n")])


def bfloat_literals_as_bits(text: str) -> str:
    """``text`` with the i16 of the same bits for each literal of bf16 that LLVM 22 reads."""
    return _BFLOAT.sub(lambda literal: f"i16 {int(literal[1], 16)}", text)


def _may_have_literals(line: str) -> bool:
    """A fast filter: False for nearly every line without a literal."""
    return (("." in line or "f0x" in line or "inf" in line or "nan" in line) and not line.startswith("!")
            and _LITERAL.search(line) is not None)


def _rewrite_line(line: str) -> str:
    kind = ""

    def replace(match: re.Match[str]) -> str:
        nonlocal kind
        if match["type"]:
            kind = match["type"]
        elif kind and match["bits"]:
            return _literal(kind, int(match["bits"], 16))
        elif kind and match["kind"]:
            return _literal(kind, _special_bits(kind, match["sign"], match["kind"], match["payload"]))
        elif kind and match["decimal"]:
            return _literal(kind, _decimal_bits(kind, float(match["decimal"])))
        return match[0]

    return _TOKEN.sub(replace, line)


def _special_bits(kind: str, sign: str, special: str, payload: str | None) -> int:
    exponent, fraction = _LAYOUT[kind]
    bits = ((1 << exponent) - 1) << fraction
    if special in ("qnan", "nan"):
        bits |= 1 << (fraction - 1)
    if payload:
        bits |= int(payload, 16)
    return bits | (1 << (exponent + fraction) if sign == "-" else 0)


def _decimal_bits(kind: str, value: float) -> int:
    if kind == "double":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind == "half":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    if kind == "float":
        return bits
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16  # bfloat: round to nearest even


def _literal(kind: str, bits: int) -> str:
    if kind in _PREFIX:
        return f"{_PREFIX[kind]}{bits:04X}"
    if kind == "double":
        return f"0x{bits:016X}"
    return f"0x{_float_as_double_bits(bits):016X}"


def _float_as_double_bits(bits: int) -> int:
    """Bits of the double equal to the float ``bits``; NaN payloads move with the fraction (LLVM writes floats so)."""
    sign, exponent, fraction = bits >> 31, (bits >> 23) & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:
        return (sign << 63) | (0x7FF << 52) | (fraction << 29)
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return struct.unpack("<Q", struct.pack("<d", value))[0]
