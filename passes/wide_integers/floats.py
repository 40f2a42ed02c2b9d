"""64-bit integers, given as two words, as f32 and f16."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.wide_integers.words import BINARY, WORD, Words, one_if, select, shift, word

TO_FLOAT = frozenset({"arith.sitofp", "arith.uitofp"})
MANTISSA_BITS = 23
_P = arith.CmpIPredicate
_LIFTS = (16, 8, 4)
"""Shifts of a normalization to within four bits, each applied where no bit is lost."""


def to_float(name: str, a: Words, type_: ir.Type, qfloat: bool) -> ir.Value:
    """``a`` as f32 or f16, rounded once: an integer that f32 rounds is infinite in f16.

    ``qfloat``: sums and products of floats will be those of legacy qfloat, which are not exact.
    """
    f32 = ir.F32Type.get()
    if name == "arith.sitofp" and a.fits:
        value = arith.sitofp(type_ if qfloat else f32, a.low)
    elif qfloat:
        value = _rounded_in_integers(name, a) if type_ == f32 else _saturated(name, a, type_)
    else:
        value = _sum_of_parts(name, a)
    return value if value.type == type_ else arith.truncf(type_, value)


def _sum_of_parts(name: str, a: Words) -> ir.Value:
    """``a`` as the sum of two parts that f32 holds exactly.

    A number below 2**45 in magnitude is cut at bit 21. A larger one is cut at bit 40, and its lower 20 bits are
    replaced by one sticky bit: they only decide ties.
    """
    f32 = ir.F32Type.get()
    is_signed = name == "arith.sitofp"
    down = "arith.shrsi" if is_signed else "arith.shrui"
    sign = arith.shrsi(a.high, word(31)) if is_signed else word(0)
    small = arith.cmpi(_P.eq, shift(down, a, 45).low, sign)
    some = one_if(arith.cmpi(_P.ne, arith.andi(a.low, word((1 << 20) - 1)), word(0)))
    middle = arith.shrui(arith.shli(shift(down, a, 20).low, word(12)), word(11))
    upper = arith.select(small, shift(down, a, 21).low, shift(down, a, 40).low)
    lower = arith.select(small, arith.andi(a.low, word((1 << 21) - 1)), arith.ori(middle, some))
    units = [arith.select(small, arith.constant(f32, 2.0**few), arith.constant(f32, 2.0**many))
             for few, many in ((21, 40), (0, 19))]
    parts = [arith.mulf(arith.sitofp(f32, part), unit) for part, unit in zip((upper, lower), units, strict=True)]
    return arith.addf(*parts)


def _rounded_in_integers(name: str, a: Words) -> ir.Value:
    """``a`` as f32: the upper bits of its magnitude as one word, which the conversion rounds."""
    i32 = ir.IntegerType.get_signless(WORD)
    sign = arith.shrsi(a.high, word(31)) if name == "arith.sitofp" else word(0)
    flip = Words(sign, sign)
    size = BINARY["arith.subi"](BINARY["arith.xori"](a, flip), flip)
    short = arith.cmpi(_P.eq, size.high, word(0))
    size = select(short, Words(word(0), size.low), size)
    exponent = arith.select(short, word(1 << MANTISSA_BITS), word(WORD + 1 << MANTISSA_BITS))
    for by in _LIFTS:
        room = arith.cmpi(_P.ult, size.high, word(1 << WORD - by))
        size = select(room, shift("arith.shli", size, by), size)
        exponent = arith.select(room, arith.subi(exponent, word(by << MANTISSA_BITS)), exponent)
    # 27 bits or more: the last one is sticky.
    lost = arith.ori(arith.andi(size.high, word(1)), one_if(arith.cmpi(_P.ne, size.low, word(0))))
    number = arith.sitofp(ir.F32Type.get(), arith.ori(arith.shrui(size.high, word(1)), lost))
    # the exponent of 0 would be below the smallest.
    bits = arith.maxsi(arith.addi(arith.bitcast(i32, number), exponent), word(0))
    return arith.bitcast(ir.F32Type.get(), arith.ori(bits, arith.andi(sign, word(1 << WORD - 1))))


def _saturated(name: str, a: Words, type_: ir.Type) -> ir.Value:
    """``a`` as f16, saturated to one word: an integer of more bits is infinite in f16."""
    if name == "arith.uitofp":
        fits = arith.cmpi(_P.eq, a.high, word(0))
        return arith.uitofp(type_, arith.select(fits, a.low, word(-1)))
    fits = arith.cmpi(_P.eq, a.high, arith.shrsi(a.low, word(31)))
    limit = arith.xori(arith.shrsi(a.high, word(31)), word((1 << 31) - 1))
    return arith.sitofp(type_, arith.select(fits, a.low, limit))
