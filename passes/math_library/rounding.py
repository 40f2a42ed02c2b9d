"""floor, ceil, trunc, roundeven, round, copysign, absf: exact for every f32.

Through 2^23: adding and subtracting it rounds a magnitude to the nearest integer; then at most one step back.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
floor             0.00     7.5
ceil              0.00     7.8
trunc             0.00     7.0
round             0.00    10.3
roundeven         0.00     5.3
absf              0.00     2.5
copysign          0.00     4.0
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, SIGN, Float, Int, float_bits

INTEGER_ABOVE = 8388608.0  # 2^23: every f32 from here on is an integer
BEFORE_HALF = 0.49999997  # the largest f32 below 1/2
ABSOLUTE_HALF = 0x7FFF  # f16 and bf16: all but the sign


class _Parts:
    """Sign and magnitude of x, and the magnitude rounded to the nearest integer."""

    def __init__(self, x: Float):
        self.x = x
        self.sign: Int = x.bits & SIGN
        self.bits: Int = x.bits & ABSOLUTE
        self.magnitude = self.bits.as_float()
        self.nearest = (self.magnitude + INTEGER_ABOVE) - INTEGER_ABOVE

    def signed(self, rounded: Float) -> Float:
        """``rounded`` with x's sign."""
        return (rounded.bits | self.sign).as_float()

    def unless_integer(self, rounded: Float) -> Float:
        """``rounded``, but x itself where it is an integer for its size, infinite or NaN."""
        return (self.bits > float_bits(INTEGER_ABOVE) - 1).select(self.x, rounded)


def roundeven(x: Float) -> Float:
    """To the nearest integer, ties to even."""
    parts = _Parts(x)
    return parts.unless_integer(parts.signed(parts.nearest))


def trunc(x: Float) -> Float:
    """Towards zero."""
    parts = _Parts(x)
    nearest = parts.nearest
    lower = (nearest > parts.magnitude).select(nearest - 1.0, nearest)
    return parts.unless_integer(parts.signed(lower))


def round_away(x: Float) -> Float:
    """To the nearest integer, ties away from zero."""
    parts = _Parts(x)
    nearest = parts.nearest
    # A tie that went to the even integer below comes one short; the difference is exact.
    upper = (parts.magnitude - nearest > BEFORE_HALF).select(nearest + 1.0, nearest)
    return parts.unless_integer(parts.signed(upper))


def floor(x: Float) -> Float:
    """Towards minus infinity."""
    parts = _Parts(x)
    nearest = parts.signed(parts.nearest)
    return parts.unless_integer((nearest > x).select(nearest - 1.0, nearest))


def ceil(x: Float) -> Float:
    """Towards plus infinity."""
    parts = _Parts(x)
    nearest = parts.signed(parts.nearest)
    # The sign again: -0.7 rounds up to -0.
    return parts.unless_integer(parts.signed((nearest < x).select(nearest + 1.0, nearest)))


def copysign(magnitude: Float, sign: Float) -> Float:
    """``magnitude`` with the sign bit of ``sign``."""
    absolute = ABSOLUTE if magnitude.element == "f32" else ABSOLUTE_HALF
    return ((magnitude.bits & absolute) | (sign.bits & (absolute + 1))).as_float(magnitude.element)


def absf(x: Float) -> Float:
    """The sign bit cleared, in any width."""
    return (x.bits & (ABSOLUTE if x.element == "f32" else ABSOLUTE_HALF)).as_float(x.element)
