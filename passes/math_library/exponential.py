"""exp, exp2, expm1.

x log2(e) = n + f: a conversion to integer of its 2^23-fold leaves n in the exponent field and f below it, so 2^n
needs no shift. Accurate: n to nearest, r = x - n ln 2 in two steps and a polynomial of degree 6; results below the
smallest normal number come from 2^64 times themselves. Short: n downwards and a polynomial of degree 5 in 1 + f; for
results of 16 bits see `fixed_point`. expm1: degree 6. Legacy qfloat: `fixed_exponential`.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
exp               3.00    16.5  108.75    12.0
exp2              3.40    14.8  92.38    12.0
expm1             3.37    28.0
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library import fixed_exponential
from hexagon_mlir.passes.math_library.coefficients import (
    EXP,
    EXP2,
    EXP2_FAST,
    EXP2_SHORT,
    EXPM1,
    EXPM1_SHORT,
)
from hexagon_mlir.passes.math_library.factors import scaled
from hexagon_mlir.passes.math_library.fixed_exponential import (
    FIELD,
    exponent_of,
    parts_of_power,
    power_of_e,
    with_denormals,
)
from hexagon_mlir.passes.math_library.fixed_point import exp2_of_fixed
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    BIAS,
    FRACTION,
    INFINITY,
    MANTISSA_BITS,
    ROUND,
    Float,
    Int,
    float_bits,
    horner,
    pairwise,
)
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode
from hexagon_mlir.passes.math_library.special_values import keep_nan

LOG2_E = 1.4426950408889634
LN2_HIGH = 0.693359375  # 10 bits: n * LN2_HIGH is exact for every exponent n
LN2_LOW = -2.1219444005469058e-4
ONE_HALF = 0x00400000
UNIT = 2.0**MANTISSA_BITS
HALF_OVERFLOW = 89.415985  # e^x / 2 is finite up to here
INFINITE = float("inf")
LIFT = 64  # denormal results are computed 2^64 times too large
LOG2_OF_BASE = (LOG2_E, 1.0)  # bases e and 2
LIMIT = (88.72282, 127.99999)  # arguments whose short results are finite
OVERFLOW = (88.72284, 128.0)
BEYOND = (88.9, 128.2)  # arguments whose results have the exponent field of infinity, without wrap-around
ZERO = (-104.0, -150.0)  # arguments whose results are 0
LARGEST, NORMAL = 127.99999, -126.0  # the same of 2^t
LARGEST_F16, LIMIT_F16 = 16.0, 11.0904  # arguments whose results are infinite in f16
EXPM1_SPLIT, MINUS_ONE = 0.35, -80.0


def _round(x: Float) -> tuple[Int, Float]:
    """x = n ln 2 + r with |r| <= ln(2)/2: returns an integer whose low bits are n, and r; 7 operations."""
    shifted = x * LOG2_E + ROUND
    n = shifted - ROUND
    return shifted.bits, x - n * LN2_HIGH - n * LN2_LOW


def _short(fixed: Int) -> Float:
    """2^f for the fraction f of a number times 2^23."""
    return pairwise(((fixed & FRACTION) | float_bits(1.0)).as_float(), EXP2_FAST)


def _bits(fixed: Int, mode: Mode) -> Int:
    """The bits of 2^t by the formula of a short mode, ``fixed`` being t 2^23."""
    if mode.half:  # relative error 2^-16 + |t| 2^-24
        return exp2_of_fixed(fixed).bits
    return _short(fixed).bits + (fixed & FIELD)  # 2^-23 + |t| 2^-24


def _whole(x: Float, base: int) -> Int:
    """The bits of e^x (base 0) or 2^x (base 1)."""
    if x.lanes.qfloat:
        power, field = parts_of_power(exponent_of(x, base))
        return power.bits + field
    n, field = _nearest((x * (UNIT * LOG2_OF_BASE[base])).to_int())
    p = horner(x - n, (1.0, *EXP2)) if base else horner(x - n * LN2_HIGH - n * LN2_LOW, (1.0, *EXP))
    return p.bits + field


def _nearest(fixed: Int) -> tuple[Float, Int]:
    """A number times 2^23, rounded: as a number, and in the exponent field."""
    field = (fixed + ONE_HALF) & FIELD
    return ((field >> MANTISSA_BITS) + float_bits(ROUND)).as_float() - ROUND, field


def _lifted(bits: Int) -> Float:
    """``bits`` as a number, where the exponent field may have wrapped around below that of the normal numbers."""
    lift = LIFT << MANTISSA_BITS
    tiny = (bits + lift).as_float() * 2.0**-LIFT
    return (bits < lift).select(tiny, bits.as_float())  # for normal numbers both are the same


def _power(x: Float, base: int, mode: Mode) -> Float:
    lanes = x.lanes
    if mode.to_f16 or mode.fast:
        t = scaled(x, UNIT * LOG2_OF_BASE[base])
        largest = LARGEST_F16 if lanes.qfloat and mode.to_f16 else LARGEST
        result = _bits(t.maximum(NORMAL * UNIT).minimum(largest * UNIT).to_int(), mode).as_float()
        if not mode.to_f16:
            return (t < NORMAL * UNIT).select(lanes.float(0.0), result)
        return result if mode.fast or mode.numbers else keep_nan(x, result)
    limited = x.maximum(ZERO[base]).minimum(LIMIT[base] if mode.half else BEYOND[base])
    if mode.half:
        bits = _bits((limited * (UNIT * LOG2_OF_BASE[base])).to_int(), mode)
    else:
        bits = _whole(limited, base).minimum(INFINITY)
    result = with_denormals(bits) if lanes.qfloat else _lifted(bits)
    if mode.half and not lanes.qfloat:  # 3.4e38 remains there, which rounds to infinity
        result = (x.bits > float_bits(OVERFLOW[base]) - 1).select(lanes.float(INFINITE), result)
    return result if mode.numbers else keep_nan(x, result)


def exp(x: Float, mode: Mode = ACCURATE) -> Float:
    """e^x."""
    return _power(x, 0, mode)


def exp2(x: Float, mode: Mode = ACCURATE) -> Float:
    """2^x."""
    return _power(x, 1, mode)


def exp_bounded(x: Float, mode: Mode = ACCURATE) -> Float:
    """e^x for -87 < x < 88 (x a number)."""
    return (_bits((x * (UNIT * LOG2_E)).to_int(), mode) if mode.short else _whole(x, 0)).as_float()


def exp_clamped(x: Float, limit: float, mode: Mode) -> Float:
    """e^x in a short mode, kept between 2^-``limit`` and 2^``limit``; x is a number, ``limit`` below 128."""
    t, most = scaled(x, UNIT * LOG2_E), UNIT * limit
    return _bits(t.minimum(most).maximum(-most).to_int(), mode).as_float()


def half_exp(x: Float) -> Float:
    """e^x / 2 for 0 <= x <= 90, within 1.1 ulp."""
    if x.lanes.qfloat:
        half = power_of_e(x, halvings=1)
    else:
        n, field = _nearest((x * (UNIT * LOG2_E)).to_int())
        p = horner(x - n * LN2_HIGH - n * LN2_LOW, (1.0, *EXP))
        half = (p.bits + (field - (1 << MANTISSA_BITS))).as_float()
    return (x > HALF_OVERFLOW).select(x.lanes.float(INFINITE), half)


def exp_of_parts(x: Float, rest: Float | None = None, lift: int = 0) -> tuple[Float, Float, Int]:
    """e^(x - rest) 2^lift for small ``rest``, as (p + lost) * power: p about 1, ``power`` the bits of a power of 2.

    Those may wrap below the smallest normal number: 2^(n - m) is ``power`` minus m in the exponent field.
    """
    fixed = (x * (UNIT * LOG2_E)).to_int()
    bias = (lift + BIAS) << MANTISSA_BITS
    n, field = _nearest(fixed)
    low = n * LN2_LOW
    r = (x - n * LN2_HIGH) - (low if rest is None else low + rest)
    part = r * horner(r, EXP)
    p = part + 1.0
    return p, part - (p - 1.0), field + bias


def exp2_bounded(x: Float) -> Float:
    """2^x for |x| < 126, within 3 ulp."""
    if x.lanes.qfloat:
        return _whole(x, 1).as_float()
    shifted = x + ROUND
    p = horner(x - (shifted - ROUND), (1.0, *EXP2_SHORT))
    return (p.bits + (shifted.bits << MANTISSA_BITS)).as_float()


def exp_short(x: Float, factor: float, mode: Mode) -> Float:
    """2^(x factor) where that is a normal number, in a short mode."""
    return _bits((x * (UNIT * factor)).to_int(), mode).as_float()


def half_expm1(x: Float) -> tuple[Float, Float]:
    """e^x - 1 = 2 (small * power + (power - 1/2)) for |x| < 89: returns ``small`` and ``power`` = 2^n / 2."""
    n, r = _round(x)
    small = r + r * r * horner(r, EXPM1)
    return small, ((n << MANTISSA_BITS) + float_bits(0.5)).as_float()  # n = 128 has no whole power


def expm1_bounded(x: Float) -> tuple[Float, Float]:
    """e^x - 1 for |x| < 87, accurate near 0, and its rounding error there."""
    n, r = _round(x)
    tail = r * r * horner(r, EXPM1)
    small = r + tail
    power = ((n << MANTISSA_BITS) + float_bits(1.0)).as_float()
    return small * power + (power - 1.0), (tail - (small - r)) * power


def _short_expm1(x: Float, mode: Mode) -> Float:
    limited = x.maximum(MINUS_ONE).minimum(LIMIT_F16 if mode.to_f16 else LIMIT[0])  # which rounds to infinity
    large = _bits((limited * (UNIT * LOG2_E)).to_int(), mode).as_float() - 1.0
    return ((x.bits & ABSOLUTE) < float_bits(EXPM1_SPLIT)).select(x + x * x * horner(x, EXPM1_SHORT), large)


def expm1(x: Float, mode: Mode = ACCURATE) -> Float:
    """e^x - 1, accurate near 0."""
    if x.lanes.qfloat:
        result = _short_expm1(x, mode) if mode.half else fixed_exponential.expm1(x)
        if mode.numbers and mode.narrow:
            return result
    else:
        # Beyond these limits the result is infinite or -1 all the same.
        small, half_power = half_expm1(x.minimum(89.0).maximum(-80.0))
        result = (small * half_power + (half_power - 0.5)) * 2.0
    magnitude = x.bits & ABSOLUTE
    # NaN, and 0 with its sign: one unsigned comparison after 0 has wrapped around.
    return (magnitude - 1).above(INFINITY - 1).select(x, result)
