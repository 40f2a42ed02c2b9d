"""Integer division without a divide instruction: a float estimate, then exact integer correction.

Division by zero gives some number and does not trap.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.arith_legalization.conversion import HALF, UNIT_MIDDLE, signed_to_f32, small_to_f32
from hexagon_mlir.passes.arith_legalization.conversion import unsigned_to_f32 as to_float
from hexagon_mlir.passes.math_library.division import approximate_reciprocal
from hexagon_mlir.passes.math_library.lanes import Float, Int

ROUND = 1.5 * 2.0**23
SIGN_BIT = 31


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
    r = n - q * d
    below = r < 0
    return Quotient(below.select(q - 1, q), below.select(r + d, r))


def divide_small(n: Int, d: Int) -> Quotient:
    """Both below 2^16, as i32."""
    # Off by less than 2^16 * 7e-6 from the estimate and 1/2 from rounding: 0.95.
    reciprocal = approximate_reciprocal(small_to_f32(d))
    return _correct(n, d, _nearest_small(small_to_f32(n) * reciprocal))


def divide_magnitudes(n: Int, d: Int) -> Quotient:
    """n up to 2^32 - 1, d up to 2^31."""
    reciprocal = approximate_reciprocal(to_float(d))
    # The first quotient is off by less than 2^32 * 7e-6 = 2^15, so the second, of the remainder, by less than 0.71.
    q = _nearest(to_float(n) * reciprocal)
    remainder = n - q * d
    return _correct(n, d, q + _nearest_small(signed_to_f32(remainder) * reciprocal))


def divide_unsigned(n: Int, d: Int) -> Quotient:
    """Any pair of i32 read as unsigned."""
    ordinary = divide_magnitudes(n, d)
    # From 2^31 on the divisor fits once or not at all.
    large, fits = d < 0, ~d.above(n)
    zero, one = n.lanes.int(0), n.lanes.int(1)
    return Quotient(large.select(fits.select(one, zero), ordinary.quotient),
                    large.select(fits.select(n - d, n), ordinary.remainder))


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
