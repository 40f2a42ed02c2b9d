"""2^t for t in fixed point, for exponentials under legacy qfloat, where no sum is exact.

x is scaled to an integer X = x 2^24, which is exact from 1/2 on, and T = X log2(e) / 2 is the upper half of a product
of integers: t with 23 fraction bits, rounded down. Its upper bits are the exponent. The fraction minus 1/2 is converted
exactly and is the argument of a polynomial around sqrt(2), so that the last sum is never below 1: there one unit in the
last place of the larger operand is one of the result. The f32 `MIDDLE_POWER` is 2 to a power 0.2 units above `MIDDLE`,
within the unit by which t may be rounded down.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import EXP2_CENTRED, EXPM1_WIDE
from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    FRACTION,
    INFINITY,
    MANTISSA_BITS,
    SIGN,
    SMALLEST_NORMAL,
    Float,
    Int,
    float_bits,
    horner,
)

FIELD = 0xFF800000
"""Sign and exponent."""
ONE_HALF = 0x00400000
LN2 = 0.6931471805599453
MIDDLE = (1 << 22) - 81
MIDDLE_POWER = 1.4142041206359863
LEAST = -149
"""2 to this power is the least positive f32."""
LOG2_E_LESS_TWO = -1196803286
"""log2(e) - 2, in units of 2^-31."""


def exponent_of(x: Float, base: int, doublings: int = 0) -> Int:
    """log2(e) x (``base`` 0) or x (1) times 2^``doublings`` in units of 2^-23; it is less than 2^8."""
    fixed = x.to_fixed(MANTISSA_BITS + 1 - base + doublings)
    return fixed if base else fixed + fixed.high_product(LOG2_E_LESS_TWO)


def parts_of_power(t: Int) -> tuple[Float, Int]:
    """2^(t 2^-23): a number from 1 to 2, and the increment of its exponent field."""
    s = ((t & FRACTION) - MIDDLE).to_float() * 2.0**-MANTISSA_BITS
    return horner(s, (MIDDLE_POWER, *EXP2_CENTRED)), t & FIELD


def power_of_e(x: Float, doublings: int = 0, halvings: int = 0) -> Float:
    """e^(x 2^``doublings``) 2^-``halvings``, a normal number."""
    power, field = parts_of_power(exponent_of(x, 0, doublings))
    return (power.bits + (field - (halvings << MANTISSA_BITS) if halvings else field)).as_float()


def with_denormals(bits: Int) -> Float:
    """``bits`` as a number; where the exponent field has wrapped below 1 (to -148 or so), the denormal number.

    A denormal number is an integer in units of 2^-149; a product in legacy qfloat would be 0.
    """
    tiny = bits.as_float().ldexp(-LEAST).to_int()
    return (bits < SMALLEST_NORMAL).select(tiny, bits).as_float()


def expm1(x: Float) -> Float:
    """e^x - 1 for a number x; infinite from 88.73 on.

    2 (small 2^(n-1) + (2^n - 1) / 2): ``small`` is e^r - 1 for the reduced r, or for x itself up to 1/2, and 2^n - 1 is
    constructed from its bits.
    """
    limited = x.minimum(89.0).maximum(-80.0)
    near = (x.bits & ABSOLUTE) < float_bits(0.5)
    t = exponent_of(limited, 0)
    field = (t + ONE_HALF) & FIELD
    reduced = (((t - field) << 1) | 1).to_float() * (LN2 * 2.0 ** -(MANTISSA_BITS + 1))
    r = near.select(x, reduced)
    small = r + r * r * horner(r, EXPM1_WIDE)
    units = (float_bits(2.0**24) - field.maximum(0 - field)).as_float().to_int()  # 1 in units of the last place
    rest = field.maximum(0) + float_bits(0.5) - units
    half_power = (field + float_bits(0.5)).as_float()
    half = small * half_power + (rest | (x.bits & SIGN)).as_float()
    return near.select(small, (half.bits + (1 << MANTISSA_BITS)).minimum(INFINITY).as_float())
