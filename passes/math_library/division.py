"""Division without a divide instruction: an integer seed and Newton steps.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`divide`               2.10     22
`divide, narrow`       1.74     17
`divide`, d constant   1.15     1
`divide_bounded`       1.43     12
`reciprocal_bounded`   1.15     11
=====================  =======  ==========

The worst case of `divide` is a quotient within a factor of two of the smallest normal number; 1.93 elsewhere.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, Float

SEED = 0x7EF311C7
"""``SEED - bits(d)`` is 1/d within 5.1%: the exponent negates, the mantissa is a chord; signs carry over."""
SMALLEST_SCALE = 2.0**-126
SMALLEST_NORMAL_BITS = 0x00800000
SCALE_EXPONENT = 0x7E800000  # 253 << 23: the scaled divisor lies in [1/2, 1), so n * scale cannot overflow early


def _newton(d: Float, r: Float) -> Float:
    """One step towards 1/d: the error is squared."""
    return r * (2.0 - d * r)


def approximate_reciprocal(d: Float) -> Float:
    """1/d for normal |d| < 2^126, relative error 7e-6; 7 operations."""
    seed = (d.lanes.int(SEED) - d.bits).as_float()
    return _newton(d, _newton(d, seed))


def divide_bounded(n: Float, d: Float) -> Float:
    """n / d where 2^-100 < |d| < 2^100 and n and n/d are finite."""
    r = approximate_reciprocal(d)
    q = n * r
    return q + (n - q * d) * r


def reciprocal_bounded(d: Float) -> Float:
    """1 / d where 2^-120 < |d| < 2^120."""
    r = approximate_reciprocal(d)
    return r + r * (1.0 - d * r)


def _special(d: Float, r: Float) -> Float:
    """r, but +-inf for d = +-0, +-0 for +-inf, NaN for NaN: the difference of bit patterns is all of them."""
    one_less = (d.bits & ABSOLUTE) - 1  # zero wraps round and joins infinity and NaN above every number
    return one_less.above(INFINITY - 2).select((d.lanes.int(INFINITY) - d.bits).as_float(), r)


def divide(n: Float, d: Float, narrow: bool = False) -> Float:
    """n / d for every pair of f32, denormals included.

    A constant d becomes a multiplication by its reciprocal.
    ``narrow``: both come from f16, so |d| is a normal f32 far from the limits and needs no scaling.
    """
    if d.constant is not None and SMALLEST_SCALE <= abs(d.constant) <= 1 / SMALLEST_SCALE:
        return n * (1 / d.constant)
    if narrow:
        return n * _special(d, reciprocal_bounded(d))
    # Both times 2^-exponent(d): d becomes about 1, and the quotient over- or underflows only where n/d does.
    scale = (d.lanes.int(SCALE_EXPONENT) - (d.bits & INFINITY)).maximum(SMALLEST_NORMAL_BITS).as_float()
    scaled = scale if n.constant == 1 else n * scale
    return scaled * _special(d, reciprocal_bounded(d * scale))


def reciprocal(d: Float, narrow: bool = False) -> Float:
    """1 / d for every f32."""
    return divide(d.lanes.float(1.0), d, narrow)

