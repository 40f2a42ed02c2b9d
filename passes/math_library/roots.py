"""sqrt, rsqrt, cbrt: an integer seed and Newton steps.

sqrt and rsqrt: a seed within 3.5%, two steps (8e-7, enough for `short` modes), then a correction by the remainder.
cbrt: y = x^(-1/3) from a third of the bits, three steps, x y^2, then a correction by the remainder of the cube. Under
legacy qfloat small numbers are scaled by integer operations, and the cube root has no correction.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
sqrt              4.70    19.8  261.05    11.0
rsqrt             5.82    18.0  190.74    10.3
cbrt             17.09    24.3  17.00    24.3
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import (
    ABSOLUTE,
    INFINITY,
    MANTISSA_BITS,
    SIGN,
    SMALLEST_NORMAL,
    Float,
    Int,
    Mask,
    float_bits,
)
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

SEED = 0x5F375A86  # SEED - bits/2 is 1/sqrt within 3.5%
CENTRED = (1.50092, 1.5000006)  # 3/2 plus half the largest error of each step, which has one sign
CUBE_SEED = 0x54A20000  # CUBE_SEED - bits/3 is 1/cbrt within 4%
THIRD = 0x5555  # 2^16 / 3
TINY = 2.0**-100  # below, intermediate values would be denormal
QUIET_NAN = float("nan")
LIFT = 48


def _approximate(half: Float, x: Float) -> Float:
    """1/sqrt(x), relative error 8e-7, for x in [TINY, infinity); ``half`` is x/2; 10 operations."""
    y = (x.lanes.int(SEED) - x.bits.shift_right_unsigned(1)).as_float()
    for constant in CENTRED:
        y = y * (constant - (half * y) * y)
    return y


def _scaled(x: Float, mode: Mode, factor: float) -> tuple[Float, Float | None]:
    """x scaled out of the denormal range, and the factor that corrects its root; ``narrow`` numbers need neither."""
    if mode.narrow or mode.fast:
        return x, None
    small = x < TINY
    one = x.lanes.float(1.0)
    return x * small.select(x.lanes.float(2.0**48), one), small.select(x.lanes.float(factor), one)


def _lifted(x: Float, bits: Int, root: int) -> tuple[Float, Int]:
    """A magnitude scaled out of the denormal range by exact steps, and the excess in the exponent field of its root.

    The bits of a denormal number, as an integer, are 2^149 times as large; ``root`` is 2 or 3.
    """
    lanes = x.lanes
    denormal, small = bits < SMALLEST_NORMAL, bits < float_bits(TINY)
    more = 150 if root == 3 else 148  # a multiple of ``root``
    exactly = bits.to_float().bits + ((more - 149) << MANTISSA_BITS)
    lifted = denormal.select(exactly, small.select(bits + (LIFT << MANTISSA_BITS), bits)).as_float()
    excess = small.select(lanes.int(LIFT // root << MANTISSA_BITS), lanes.int(0))
    return lifted, denormal.select(lanes.int(more // root << MANTISSA_BITS), excess)


def _special(x: Float) -> Mask:
    """Lanes that are zero, negative, infinite or NaN: one unsigned comparison after zero has wrapped around."""
    return (x.bits - 1).above(INFINITY - 2)


def _negative_is_nan(x: Float, value: Float) -> Float:
    """``value``, but NaN where x < 0 (not -0); as integers, because x may be NaN itself."""
    return x.bits.above(SIGN).select(x.lanes.float(QUIET_NAN), value)


def sqrt_bounded(x: Float) -> Float:
    """The square root of a number from `TINY` to the largest; 0 gives 0."""
    return sqrt_and_inverse(x)[0]


def sqrt_and_inverse(x: Float) -> tuple[Float, Float]:
    """The square root as by `sqrt_bounded`, and its reciprocal within 8e-7."""
    half = x * 0.5
    y = _approximate(half, x)
    s = x * y
    return s + (half - s * (s * 0.5)) * y, y


def sqrt(x: Float, mode: Mode = ACCURATE) -> Float:
    """The square root."""
    excess = None
    if x.lanes.qfloat and not (mode.narrow or mode.fast):
        (scaled, excess), back = _lifted(x, x.bits, 2), None
    else:
        scaled, back = _scaled(x, mode, 2.0**-24)
    half = scaled * 0.5
    y = _approximate(half, scaled)
    s = scaled * y
    if not mode.short:
        s = s + (half - s * (s * 0.5)) * y
    if back is not None:
        s = s * back
    if excess is not None:
        s = (s.bits - excess).as_float()
    return _special(x).select(_negative_is_nan(x, x), s)


def rsqrt(x: Float, mode: Mode = ACCURATE) -> Float:
    """One over the square root."""
    excess = None
    if x.lanes.qfloat and not (mode.narrow or mode.fast):
        (scaled, excess), back = _lifted(x, x.bits, 2), None
    else:
        scaled, back = _scaled(x, mode, 2.0**24)
    half = scaled * 0.5
    y = _approximate(half, scaled)
    if not mode.short:
        y = y + y * (0.5 - (half * y) * y)
    if back is not None:
        y = y * back
    if excess is not None:
        y = (y.bits + excess).as_float()
    # The difference of bit patterns turns +-0 into +-inf, inf into 0, and keeps NaN.
    inverse = (x.lanes.int(INFINITY) - x.bits).as_float()
    return _special(x).select(_negative_is_nan(x, inverse), y)


def cbrt(x: Float, mode: Mode = ACCURATE) -> Float:
    """The cube root, of negative numbers too."""
    lanes = x.lanes
    magnitude = x.bits & ABSOLUTE
    a = magnitude.as_float()
    back, excess = None, None
    if lanes.qfloat and not mode.narrow:
        a, excess = _lifted(a, magnitude, 3)
    elif not mode.narrow:
        small = a < TINY
        a = small.select(a * 2.0**48, a)
        back = small.select(lanes.float(2.0**-16), lanes.float(1.0))
    # The upper half of the bits suffices: the error is 2^-7 of the last 16.
    y = (lanes.int(CUBE_SEED) - a.bits.shift_right_unsigned(16) * THIRD).as_float()
    third = a * (1 / 3)
    for _ in range(2 if mode.half else 3):
        # The cube of y first: y^3 a is about 1, y^3 alone within 2^-128 .. 2^126.
        y = y * (4 / 3 - (third * y) * (y * y))
    t = a * (y * y)
    if not mode.short and not lanes.qfloat:
        h = t.head  # h^2 is exact, and so is a - h^3 to 2^-36 of a
        rest = t - h
        square = h * h
        low = (square - square.head) * h
        residual = ((a - square.head * h) - low) - (h * t) * (rest * 3.0)
        t = t + residual * (y * y) * (1 / 3)
    if back is not None:
        t = t * back
    if excess is not None:
        t = (t.bits - excess).as_float()
    result = (t.bits | (x.bits & SIGN)).as_float()
    return (magnitude - 1).above(INFINITY - 2).select(x, result)
