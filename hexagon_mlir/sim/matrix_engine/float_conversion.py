"""Float accumulators to half precision: ``scale * shape(accumulator + bias) + output bias``, bit for bit.

Each step keeps what it shifts out as a sticky last bit; the last one rounds to nearest even. The result is half
precision with four more fraction bits: 20 bits, of which the conversion state keeps the low 12 in one row and the
others in the next. Source: the public QEMU trees, see `docs/simulator.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim.matrix_engine.float_sums import shifted
from hexagon_mlir.sim.matrix_engine.formats import (
    COLUMNS,
    FRACTION,
    HALF_FRACTION,
    NAN,
    NEGATIVE_INFINITY,
    OPERAND_BIAS,
    POSITIVE_INFINITY,
    ROWS,
)
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I1, I16, I32, Type, Val

EXTRA = 4
"""More fraction bits of scale, output bias and result than half precision has; the accumulator's bias has one more."""
WIDE = HALF_FRACTION + EXTRA
NORMAL_BITS, NORMAL_FRACTION = 16, 13
"""Of a biased accumulator before it is scaled; the scale has the same fraction."""
SCALED_FRACTION = 2 * NORMAL_FRACTION
SUM_BITS, SUM_INTEGER = 31, 9
"""Bits of accumulator plus bias, and those before the binary point."""
NORMAL_INTEGER = NORMAL_BITS - NORMAL_FRACTION
SCALED_INTEGER = 6
LEAST_NORMAL, GREATEST_NORMAL = -128, 127
"""Exponents before scaling."""
LEAST_SCALED = -256
ALL_ONES = 0xFFFFF
"""The result that is not a number."""
SHAPE_NEGATIVE, SHAPE_POSITIVE, SHAPE_MAGNITUDE = 1, 2, 3
LEAST_HALF, GREATEST_HALF = -16, 15
FIELD_MAX = 31


@dataclass(frozen=True)
class Number:
    """``significand * 2**exponent`` in i64 lanes, unless ``kind`` is an infinity or NaN (`formats`)."""

    significand: Val
    exponent: Val
    kind: Val
    tiny: Val
    """The value is zero, or below all exponents (i1)."""

    @property
    def negative(self) -> Val:
        """The sign, also that of an infinity (i1)."""
        return self.kind.icmp("eq", 0).select(self.significand.icmp("slt", 0), self.kind.icmp("uge", NEGATIVE_INFINITY))


@dataclass(frozen=True)
class Options:
    """What the registers say of a conversion, each an i1 in all lanes."""

    ieee: Val
    nan_through: Val
    positive: Val
    maxnorm: Val
    wide: Val


def _half(bits: Val, extra: int, shift: int, least: Val | int, ieee: Val) -> Number:
    """Half precision with ``extra`` more fraction bits, its significand shifted left by ``shift``."""
    fraction_bits = HALF_FRACTION + extra
    fraction = bits & (1 << fraction_bits) - 1
    field = bits.lshr(fraction_bits) & FIELD_MAX
    denormal, no_fraction = field.icmp("eq", 0), fraction.icmp("eq", 0)
    magnitude = denormal.select(fraction, fraction | 1 << fraction_bits) << shift
    negative = (bits & 1 << fraction_bits + 5).icmp("ne", 0)
    exponent = denormal.select(1 - OPERAND_BIAS, field - OPERAND_BIAS)
    infinity = negative.select(bits.code.const(NEGATIVE_INFINITY, bits.ty), POSITIVE_INFINITY)
    kind = (ieee & field.icmp("eq", FIELD_MAX)).select(no_fraction.select(infinity, NAN), 0)
    zero = denormal & no_fraction
    return Number(negative.select(-magnitude, magnitude), zero.select(least, exponent), kind,
                  bits.code.const(0, zero.ty))


def _sum(a: Number, b: Number) -> Number:
    """The sum before normalization, of numbers with equal fractions."""
    swap = a.exponent.icmp("sgt", b.exponent)
    large, small = swap.select(a.significand, b.significand), swap.select(b.significand, a.significand)
    distance = swap.select(a.exponent - b.exponent, b.exponent - a.exponent)
    exponent = swap.select(a.exponent, b.exponent)
    return Number(large + shifted(small, distance), exponent, a.kind | b.kind, a.tiny & b.tiny)


def _normalized(value: Number) -> Number:
    """Accumulator plus bias, cut to `NORMAL_BITS`."""
    significand = value.significand << 64 - SUM_BITS
    flipped = significand ^ (significand >> 63)
    places = (_leading_zeros(flipped) - 1).two("smin", SUM_BITS - 1)
    cut = shifted((significand << places) >> 64 - SUM_BITS, significand.lift(SUM_BITS - NORMAL_BITS))
    exponent = value.exponent - places + (SUM_INTEGER - NORMAL_INTEGER)
    zero = value.significand.icmp("eq", 0)
    exponent = zero.select(value.exponent - (SUM_BITS - 1) + (SUM_INTEGER - NORMAL_INTEGER), exponent)
    finite = value.kind.icmp("eq", 0)
    over = exponent.icmp("sgt", GREATEST_NORMAL) & ~zero
    infinity = significand.icmp("slt", 0).select(significand.code.const(NEGATIVE_INFINITY, value.kind.ty),
                                                 POSITIVE_INFINITY)
    kind = (over & finite).select(infinity, value.kind)
    under = (zero | exponent.icmp("slt", LEAST_NORMAL)) & finite & ~over
    clamped = exponent.two("smin", GREATEST_NORMAL).two("smax", LEAST_NORMAL)
    return Number(zero.select(0, cut), clamped, kind, under)


def _leading_zeros(value: Val) -> Val:
    suffix = value.ty.mangle()
    value.code.declarations.add(f"declare {value.ty} @llvm.ctlz.{suffix}({value.ty}, i1)")
    return value.code.op(f"call {value.ty} @llvm.ctlz.{suffix}({value.ty} {value.name}, i1 false)", value.ty)


def _shaped(value: Number, shape: Val, nan_through: Val) -> Number:
    """min(x, 0), max(x, 0) or x; the magnitude is the sign of the scale."""
    negative = value.negative
    drop = (shape.icmp("eq", SHAPE_NEGATIVE) & ~negative) | (shape.icmp("eq", SHAPE_POSITIVE) & negative)
    chosen = shape.icmp("eq", SHAPE_NEGATIVE) | shape.icmp("eq", SHAPE_POSITIVE)
    nan = value.kind.icmp("eq", NAN)
    drop = nan.select(chosen & ~nan_through, drop)
    return Number(drop.select(0, value.significand), value.exponent, drop.select(0, value.kind), value.tiny | drop)


def _product(a: Number, scale: Number) -> Number:
    """Both with `NORMAL_FRACTION`."""
    a_zero, scale_zero = a.significand.icmp("eq", 0), scale.significand.icmp("eq", 0)
    a_infinite, scale_infinite = a.kind.icmp("ne", 0), scale.kind.icmp("ne", 0)
    negative = a.negative ^ scale.negative
    infinity = negative.select(a.kind.code.const(NEGATIVE_INFINITY, a.kind.ty), POSITIVE_INFINITY)
    nan = a.kind.icmp("eq", NAN) | scale.kind.icmp("eq", NAN)
    nan = nan | (a_infinite & ~scale_infinite & scale_zero) | (scale_infinite & ~a_infinite & (a_zero | a.tiny))
    kind = nan.select(NAN, (a_infinite | scale_infinite).select(infinity, 0))
    zero = a_zero | scale_zero
    exponent = (zero | a.tiny).select(LEAST_SCALED, a.exponent + scale.exponent)
    return Number(zero.select(0, a.significand * scale.significand), exponent, kind, a.tiny)


def _greatest(negative: Val, options: Options) -> Val:
    """The 20-bit result of an overflow."""
    wide = negative.code
    lanes = Type(negative.ty.lanes, "i", 64)
    fraction = (options.maxnorm | ~options.ieee).select(wide.const((1 << WIDE) - 1, lanes), 0)
    field = options.maxnorm.select(wide.const(FIELD_MAX - 1 << WIDE, lanes), FIELD_MAX << WIDE)
    return negative.select(wide.const(1 << WIDE + 5, lanes), 0) | field | fraction


def _rounded(value: Number, options: Options) -> Val:
    """The 20-bit result of a number with `SCALED_FRACTION`, rounded to `WIDE` or `HALF_FRACTION` fraction bits."""
    code = value.significand.code
    ty = value.significand.ty
    negative = value.negative
    magnitude = (value.significand.icmp("slt", 0).select(-value.significand, value.significand)) << 32
    places = _leading_zeros(magnitude)
    zero = magnitude.icmp("eq", 0)
    magnitude = magnitude << places.two("umin", 63)
    exponent = value.exponent - places + (SCALED_INTEGER - 2)
    limit = options.ieee.select(code.const(GREATEST_HALF, ty), GREATEST_HALF + 1)
    fraction = options.wide.select(code.const(WIDE, ty), HALF_FRACTION)
    over = exponent.icmp("sge", limit)
    under = exponent.icmp("sle", LEAST_HALF)
    lost = exponent.icmp("slt", -fraction + LEAST_HALF)
    small = magnitude.lshr((-exponent + (LEAST_HALF + 1)).two("smax", 0).two("smin", 63))
    magnitude = under.select(small, magnitude)
    guard = -fraction + 62
    half = code.const(1, ty) << guard
    odd = magnitude.lshr(guard + 1) & 1
    up = magnitude + (half - 1) + odd  # carries into the last place kept unless it is below or at an even half
    carry = up.icmp("ult", magnitude) & ~under
    kept = up.lshr(guard + 1)
    one = code.const(1, ty) << fraction
    field = under.select((kept & one).icmp("ne", 0).select(code.const(1, ty), 0), exponent + OPERAND_BIAS)
    field = carry.select(field + 1, field)
    rounds_over = carry & (field - OPERAND_BIAS).icmp("sge", limit)
    mantissa = carry.select(0, kept & (one - 1))
    sign = negative.select(code.const(1 << WIDE + 5, ty), 0)
    left = options.wide.select(code.const(0, ty), EXTRA)
    result = sign | (((field << fraction) | mantissa) << left)
    result = lost.select(sign, result)
    result = (rounds_over | over).select(_greatest(negative, options), result)
    result = (zero | value.tiny).select(0, result)
    result = (options.positive & negative).select(0, result)
    finite = value.kind.icmp("eq", 0)
    infinity = (options.positive & negative).select(0, _greatest(negative, options))
    nan = options.maxnorm.select(_greatest(code.const(1, negative.ty), options), ALL_ONES)
    nan = options.nan_through.select(ALL_ONES, options.positive.select(0, nan))
    return finite.select(result, value.kind.icmp("eq", NAN).select(nan, infinity))


def _converted(accumulator: Number, low: Val, high: Val, least: Val, options: Options) -> Val:
    """The 20-bit result; ``low`` and ``high`` are the words of the columns' bias registers."""
    acc_bias = (high.lshr(16) << EXTRA + 1) | (high.lshr(11) & (1 << EXTRA + 1) - 1)
    scale = ((low & 0xFFFF) << EXTRA) | (high & 0xF)
    out_bias = (low.lshr(16) << EXTRA) | (high.lshr(EXTRA) & 0xF)
    shape = high.lshr(8) & 3
    bias = _half(acc_bias, EXTRA + 1, FRACTION + 1 - HALF_FRACTION - EXTRA - 1, least, options.ieee)
    biased = _normalized(_sum(accumulator, bias))
    flip = (high.lshr(10) & 1).icmp("ne", 0) ^ (shape.icmp("eq", SHAPE_MAGNITUDE) & biased.negative)
    scale = scale ^ flip.select(scale.code.const(1 << WIDE + 5, scale.ty), 0)
    scaled = _product(_shaped(biased, shape, options.nan_through), _half(scale, EXTRA, 0, LEAST_NORMAL, options.ieee))
    output = _half(out_bias, EXTRA, NORMAL_FRACTION, LEAST_NORMAL, options.ieee)
    return _rounded(_sum(scaled, output), options)


def conversion(lanes: int, declarations: set[str]) -> str:
    """``mx_convert_hf``: a set of accumulators to conversion state, i16 [2 * ROWS][COLUMNS].

    ``significands``, ``exponents``, ``kinds``: i32 [ROWS][COLUMNS]. ``low``, ``high``: the words of the bias registers,
    i32 [COLUMNS]. ``least``: exponent of a zero. ``ieee``, ``nan_through``: USR bits 20 and 21. ``positive``: negative
    results become 0. ``maxnorm``, ``wide``: bits 6 and 8 of the conversion's register.
    """
    parameters = ("ptr %significands, ptr %exponents, ptr %kinds, ptr %low, ptr %high, ptr %state, "
                  "i32 %least, i1 %ieee, i1 %nan_through, i1 %positive, i1 %maxnorm, i1 %wide")
    code = Function(f"void @mx_convert_hf({parameters})", "nounwind", declarations)
    words = Type(lanes, "i", 32)
    flags = (code.argument(n, I1).splat(lanes) for n in ("ieee", "nan_through", "positive", "maxnorm", "wide"))
    options = Options(*flags)
    least = code.argument("least", I32).sext(64).splat(lanes)
    row, = code.loop("row", [code.const(0, I32)])
    for part in range(0, COLUMNS, lanes):
        place = row * COLUMNS + part
        significand, exponent, kind = (
            code.load(code.element(base, place, I32), words, 4) for base in ("%significands", "%exponents", "%kinds")
        )
        low, high = (code.load(code.element(base, part, I32), words, 4).zext(64) for base in ("%low", "%high"))
        number = Number(significand.sext(64), exponent.sext(64), kind.zext(64), code.const(0, Type(lanes, "i", 1)))
        result = _converted(number, low, high, least, options)
        first = code.element("%state", (row << 1) * COLUMNS + part, I16)
        code.store((result & 0xFFF).trunc(16), first, 2)
        code.store((result.lshr(8) & 0xFF0).trunc(16), code.element(first, COLUMNS, I16), 2)
    code.repeat("row", (row + 1).icmp("ult", ROWS), [row + 1], "done")
    code.put("ret void")
    return code.text()
