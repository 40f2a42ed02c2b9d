"""floor, ceil, trunc, roundeven, round, copysign, absf: exact for every f32.

Adding and subtracting 2^23 rounds a magnitude to the nearest integer, which at most one step corrects. In legacy
qfloat, where adding a constant does not round, conversions to integers and back are used, which are exact.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
floor             0.00     5.5
ceil              0.00     5.5
trunc             0.00     4.3
round             0.00     5.8
roundeven         0.00     7.3
absf              0.00     2.5
copysign          0.00     4.0
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, MANTISSA_BITS, SIGN, Float, Int, float_bits

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

    @property
    def nearest(self) -> Float:
        """The nearest integer, ties to even."""
        return (self.magnitude + INTEGER_ABOVE) - INTEGER_ABOVE

    def halves(self) -> tuple[Float, Int]:
        """Twice the magnitude, and that truncated: exact below 2^23."""
        doubled = (self.bits + (1 << MANTISSA_BITS)).as_float()
        return doubled, doubled.to_int()

    def signed(self, rounded: Float) -> Float:
        """``rounded`` with x's sign."""
        return (rounded.bits | self.sign).as_float()

    def unless_integer(self, rounded: Float) -> Float:
        """``rounded``, but x itself where it is an integer for its size, infinite or NaN."""
        return (self.bits > float_bits(INTEGER_ABOVE) - 1).select(self.x, rounded)


def roundeven(x: Float) -> Float:
    """To the nearest integer, ties to even."""
    parts = _Parts(x)
    if x.lanes.qfloat:
        doubled, halves = parts.halves()
        up = (halves + 1) >> 1
        tie = halves.to_float().bits.equals(doubled.bits)
        rounded = up - tie.select(halves & up & 1, x.lanes.int(0))  # a tie that was rounded up to an odd number
        return parts.unless_integer(parts.signed(rounded.to_float()))
    return parts.unless_integer(parts.signed(parts.nearest))


def trunc(x: Float) -> Float:
    """Towards zero."""
    parts = _Parts(x)
    if x.lanes.qfloat:
        return parts.unless_integer(parts.signed(x.to_int().to_float()))
    nearest = parts.nearest
    lower = (nearest > parts.magnitude).select(nearest - 1.0, nearest)
    return parts.unless_integer(parts.signed(lower))


def round_away(x: Float) -> Float:
    """To the nearest integer, ties away from zero."""
    parts = _Parts(x)
    if x.lanes.qfloat:
        return parts.unless_integer(parts.signed(((parts.halves()[1] + 1) >> 1).to_float()))
    nearest = parts.nearest
    # A tie that was rounded to the even integer below is one too small; the difference is exact.
    upper = (parts.magnitude - nearest > BEFORE_HALF).select(nearest + 1.0, nearest)
    return parts.unless_integer(parts.signed(upper))


def floor(x: Float) -> Float:
    """Towards minus infinity."""
    parts = _Parts(x)
    if x.lanes.qfloat:
        return _stepped(parts, -1)
    nearest = parts.signed(parts.nearest)
    return parts.unless_integer((nearest > x).select(nearest - 1.0, nearest))


def ceil(x: Float) -> Float:
    """Towards plus infinity."""
    parts = _Parts(x)
    if x.lanes.qfloat:
        return _stepped(parts, 1)
    nearest = parts.signed(parts.nearest)
    # The sign again: -0.7 rounds up to -0.
    return parts.unless_integer(parts.signed((nearest < x).select(nearest + 1.0, nearest)))


def _stepped(parts: _Parts, step: int) -> Float:
    """The integer next to x on the side of ``step``."""
    truncated = parts.x.to_int()
    number = truncated.to_float()
    inside = number < parts.x if step > 0 else number > parts.x
    return parts.unless_integer(parts.signed(inside.select(truncated + step, truncated).to_float()))


def copysign(magnitude: Float, sign: Float) -> Float:
    """``magnitude`` with the sign bit of ``sign``."""
    absolute = ABSOLUTE if magnitude.element == "f32" else ABSOLUTE_HALF
    return ((magnitude.bits & absolute) | (sign.bits & (absolute + 1))).as_float(magnitude.element)


def absf(x: Float) -> Float:
    """The sign bit cleared, in any width."""
    return (x.bits & (ABSOLUTE if x.element == "f32" else ABSOLUTE_HALF)).as_float(x.element)
