"""Updates of an address register: by a step, by a modifier, around a circular buffer (V73 PRM 80-N2040-53, 5.8)."""

from __future__ import annotations

from hexagon_mlir.sim.reference.rules import signed

WORD = (1 << 32) - 1


def reversed_half(address: int) -> int:
    """``:brev``: the low 16 bits reversed."""
    return address & 0xFFFF0000 | int(f"{address & 0xFFFF:016b}"[::-1], 2)


def increment(modifier: int) -> int:
    """The signed increment field of a modifier register, in elements: bits 31:28 and 23:17."""
    return signed((modifier >> 28) << 7 | modifier >> 17 & 0x7F, 11)


def around(base: int, step: int, modifier: int, start: int) -> int:
    """``base + step`` in a circular buffer: it starts at ``start``, or at a multiple of 2 to the bits 27:24 plus 2."""
    length, exponent = modifier & 0x1FFFF, modifier >> 24 & 15
    if exponent == 0 and length >= 4:
        first, end = start, start + length & WORD
    else:
        first = base >> exponent + 2 << exponent + 2
        end = first | length
    moved = base + step & WORD
    if moved >= end:
        return moved - length & WORD
    return moved + length & WORD if moved < first else moved
