"""Integer division without a divide instruction: a float estimate, then exact integer correction.

Division by zero gives some number and does not trap.

In legacy qfloat adding a constant does not round a float to an integer, so quotients are truncated there. They are
computed with `_above`, slightly more than 1/d, and so are never too small.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.arith_legalization.conversion import HALF, UNIT_MIDDLE, signed_to_f32, small_to_f32
from hexagon_mlir.passes.arith_legalization.conversion import unsigned_to_f32 as to_float
from hexagon_mlir.passes.math_library.division import CENTRED, approximate_reciprocal
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, MANTISSA_BITS, Float, Int

ROUND = 1.5 * 2.0**23
SIGN_BIT = 31
ABOVE = (CENTRED[0], 2 + 4e-6)
"""Newton steps whose result exceeds 1/d by 1.0e-6 to 5.2e-6 of it: every mantissa tried with legacy qfloat. Rounding a
product with it adds up to 2.4e-7.
"""


@dataclass(frozen=True)
class Quotient:
    """n = quotient * d + remainder, 0 <= remainder < d, all unsigned i32."""

    quotient: Int
    remainder: Int


def _nearest_small(x: Float) -> Int:
    """x rounded, |x| < 2^22; 2 operations."""
    return (x + ROUND).bits - UNIT_MIDDLE


def _nearest(x: Float) -> Int:
    """x rounded, 0 <= x < 2^38 modulo 2^32, in two halves; 9 operations."""
    shifted = x * 2.0**-HALF + ROUND
    rest = x - (shifted - ROUND) * 2.0**HALF
    return (shifted.bits << HALF) + _nearest_small(rest)


def _correct(n: Int, d: Int, q: Int) -> Quotient:
    """Floor division from an estimate that is off by less than 1, so |n - q d| < d; 6 operations."""
    return _lowered(d, q, n - q * d)


def _lowered(d: Int, q: Int, r: Int) -> Quotient:
    """The quotient, q or q - 1, for a remainder r from -d to d."""
    below = r < 0
    return Quotient(below.select(q - 1, q), below.select(r + d, r))


def divide_small(n: Int, d: Int) -> Quotient:
    """Both below 2^16, as i32."""
    if n.lanes.qfloat:
        # Before truncation too large by 0 to 2^16 * 6e-6, after it by 0 or 1.
        return _correct(n, d, (n.to_float() * _above(d.to_float())).to_int())
    # Off by less than 2^16 * 7e-6 from the estimate and 1/2 from rounding: 0.95.
    reciprocal = approximate_reciprocal(small_to_f32(d))
    return _correct(n, d, _nearest_small(small_to_f32(n) * reciprocal))


def divide_magnitudes(n: Int, d: Int) -> Quotient:
    """n up to 2^32 - 1, d up to 2^31; in legacy qfloat not n above 2^31 with d = 1."""
    if n.lanes.qfloat:
        return _divide_truncating(n, d)
    reciprocal = approximate_reciprocal(to_float(d))
    # The first quotient is off by less than 2^32 * 7e-6 = 2^15, so the second, of the remainder, by less than 0.71.
    q = _nearest(to_float(n) * reciprocal)
    remainder = n - q * d
    return _correct(n, d, q + _nearest_small(signed_to_f32(remainder) * reciprocal))


def _above(d: Float) -> Float:
    """1/d or a little more, for 1 <= d <= 2^31."""
    return approximate_reciprocal(d, ABOVE)


def _divide_truncating(n: Int, d: Int) -> Quotient:
    """`divide_magnitudes` in legacy qfloat."""
    # Half of n, because an i32 has no more bits; -2^31 is 2^31.
    reciprocal = _above((d.to_float().bits & ABSOLUTE).as_float())
    twice = (reciprocal.bits + (1 << MANTISSA_BITS)).as_float()
    q = (n.shift_right_unsigned(1).to_float() * twice).to_int()
    # Before truncation the estimate exceeds the true quotient by up to 6e-6 n/d; it is below only for odd n < 2^20,
    # whose half is rounded down by more than the reciprocal is too large. So the remainder is from -2^32 * 6e-6 to d
    # and its sign is known. The quotient of the remainder, truncated towards zero, is exact or 1 too large.
    remainder = n - q * d
    more = (remainder.to_float() * reciprocal).to_int()
    return _lowered(d, q + more, remainder - more * d)


def divide_unsigned(n: Int, d: Int) -> Quotient:
    """Any pair of i32 read as unsigned."""
    ordinary = divide_magnitudes(n, d)
    if n.lanes.qfloat:
        return _with_extreme_divisors(n, d, ordinary)
    # A divisor of 2^31 or more fits once or not at all.
    large, fits = d < 0, ~d.above(n)
    zero, one = n.lanes.int(0), n.lanes.int(1)
    return Quotient(large.select(fits.select(one, zero), ordinary.quotient),
                    large.select(fits.select(n - d, n), ordinary.remainder))


def _with_extreme_divisors(n: Int, d: Int, ordinary: Quotient) -> Quotient:
    """``ordinary``, corrected for d = 1 and for d of 2^31 or more, which fits once or not at all."""
    extreme, large, fits = d < 2, d < 0, ~d.above(n)
    zero, one = n.lanes.int(0), n.lanes.int(1)
    return Quotient(extreme.select(fits.select(large.select(one, n), zero), ordinary.quotient),
                    extreme.select(fits.select(large.select(n - d, zero), n), ordinary.remainder))


def _with_sign(x: Int, sign: Int) -> Int:
    """x, negated where ``sign`` is -1 (not 0)."""
    return (x ^ sign) - sign


def divide_signed(n: Int, d: Int, small: bool) -> tuple[Int, Int, Int, Int]:
    """Quotient and remainder of truncating division, and the sign words (0 or -1) of n and d."""
    n_sign, d_sign = n >> SIGN_BIT, d >> SIGN_BIT
    sizes = _with_sign(n, n_sign), _with_sign(d, d_sign)
    result = divide_small(*sizes) if small else divide_magnitudes(*sizes)
    return _with_sign(result.quotient, n_sign ^ d_sign), _with_sign(result.remainder, n_sign), n_sign, d_sign


def divide(name: str, n: Int, d: Int) -> Int:
    """``arith.<name>`` for i8, i16 and i32: divsi, divui, remsi, remui, floordivsi, ceildivsi, ceildivui."""
    element = n.element
    small = element != "i32"
    if name.endswith("ui"):
        wide = (n.extend_unsigned(), d.extend_unsigned()) if small else (n, d)
        result = divide_small(*wide) if small else divide_unsigned(*wide)
        value = result.remainder if name == "remui" else result.quotient
        if name == "ceildivui":
            value = value + result.remainder.equals(0).select(n.lanes.int(0), n.lanes.int(1))
    else:
        wide = (n.extend_signed(), d.extend_signed()) if small else (n, d)
        quotient, remainder, n_sign, d_sign = divide_signed(*wide, small)
        value = remainder if name == "remsi" else quotient
        if name in ("floordivsi", "ceildivsi"):
            # Truncation rounded the other way where the quotient is negative (floor) or positive (ceil).
            step = n_sign ^ d_sign if name == "floordivsi" else (n_sign ^ d_sign) + 1
            value = value + remainder.equals(0).select(n.lanes.int(0), step)
    return value.truncate(element) if small else value
