"""floor, ceil, trunc, roundeven, round, copysign, absf: exact for every f32."""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, SIGN, Float, Int, float_bits

INTEGER_ABOVE = 8388608.0  # 2^23: every f32 from here on is an integer
BEFORE_HALF = 0.49999997  # the largest f32 below 1/2


def _magnitude(x: Float) -> Int:
    return x.bits & ABSOLUTE


def _finish(x: Float, rounded: Float) -> Float:
    """|x| rounded, given x's sign; x itself where it is an integer already, infinite or NaN."""
    signed = (rounded.bits | (x.bits & SIGN)).as_float()
    return (_magnitude(x) > float_bits(INTEGER_ABOVE) - 1).select(x, signed)


def _nearest(magnitude: Float) -> Float:
    return (magnitude + INTEGER_ABOVE) - INTEGER_ABOVE


def roundeven(x: Float) -> Float:
    """To the nearest integer, ties to even."""
    return _finish(x, _nearest(_magnitude(x).as_float()))


def trunc(x: Float) -> Float:
    """Towards zero."""
    magnitude = _magnitude(x).as_float()
    nearest = _nearest(magnitude)
    return _finish(x, (nearest > magnitude).select(nearest - 1.0, nearest))


def round_away(x: Float) -> Float:
    """To the nearest integer, ties away from zero."""
    magnitude = _magnitude(x).as_float()
    nearest = _nearest(magnitude)
    # A tie that went to the even integer below comes one short; the difference is exact.
    return _finish(x, (magnitude - nearest > BEFORE_HALF).select(nearest + 1.0, nearest))


def floor(x: Float) -> Float:
    """Towards minus infinity."""
    nearest = roundeven(x)
    lower = (nearest > x).select(nearest - 1.0, nearest)
    return (_magnitude(x) > float_bits(INTEGER_ABOVE) - 1).select(x, (lower.bits | (x.bits & SIGN)).as_float())


def ceil(x: Float) -> Float:
    """Towards plus infinity."""
    nearest = roundeven(x)
    upper = (nearest < x).select(nearest + 1.0, nearest)
    return (_magnitude(x) > float_bits(INTEGER_ABOVE) - 1).select(x, (upper.bits | (x.bits & SIGN)).as_float())


def copysign(magnitude: Float, sign: Float) -> Float:
    """``magnitude`` with the sign bit of ``sign``."""
    return ((magnitude.bits & ABSOLUTE) | (sign.bits & SIGN)).as_float()


def absf(x: Float) -> Float:
    """The sign bit cleared."""
    return _magnitude(x).as_float()
