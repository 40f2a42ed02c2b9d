"""sqrt and rsqrt: an integer seed and Newton steps.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`sqrt`                 0.85     27
`sqrt, narrow`         0.84     22
`rsqrt`                1.22     27
`rsqrt, narrow`        1.12     22
=====================  =======  ==========
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import INFINITY, SIGN, Float, Mask

SEED = 0x5F375A86  # SEED - bits/2 is 1/sqrt within 3.5%
TINY = 2.0**-100  # below, intermediate values would leave the normal numbers
QUIET_NAN = float("nan")


def _approximate(half: Float, x: Float) -> Float:
    """1/sqrt(x), relative error 5e-6, for x in [TINY, infinity); ``half`` is x/2; 10 operations."""
    y = (x.lanes.int(SEED) - x.bits.shift_right_unsigned(1)).as_float()
    for _ in range(2):
        y = y * (1.5 - (half * y) * y)
    return y


def _scaled(x: Float, narrow: bool, factor: float) -> tuple[Float, Float | None]:
    """x lifted out of the denormals, and the factor its root then needs; ``narrow`` numbers need neither."""
    if narrow:
        return x, None
    small = x < TINY
    one = x.lanes.float(1.0)
    return x * small.select(x.lanes.float(2.0**48), one), small.select(x.lanes.float(factor), one)


def _special(x: Float) -> Mask:
    """Lanes that are zero, negative, infinite or NaN: one unsigned comparison after zero has wrapped round."""
    return (x.bits - 1).above(INFINITY - 2)


def _negative_is_nan(x: Float, value: Float) -> Float:
    """``value``, but NaN where x < 0 (not -0); as integers, because x may be NaN itself."""
    return x.bits.above(SIGN).select(x.lanes.float(QUIET_NAN), value)


def sqrt(x: Float, narrow: bool = False) -> Float:
    """The square root; ``narrow``: x comes from f16."""
    scaled, back = _scaled(x, narrow, 2.0**-24)
    half = scaled * 0.5
    y = _approximate(half, scaled)
    s = scaled * y
    s = s + (half - s * (s * 0.5)) * y
    if back is not None:
        s = s * back
    return _special(x).select(_negative_is_nan(x, x), s)


def rsqrt(x: Float, narrow: bool = False) -> Float:
    """One over the square root; ``narrow``: x comes from f16."""
    scaled, back = _scaled(x, narrow, 2.0**24)
    half = scaled * 0.5
    y = _approximate(half, scaled)
    y = y + y * (0.5 - (half * y) * y)
    if back is not None:
        y = y * back
    # The difference of bit patterns turns +-0 into +-inf, inf into 0, and keeps NaN.
    inverse = (x.lanes.int(INFINITY) - x.bits).as_float()
    return _special(x).select(_negative_is_nan(x, inverse), y)
