"""n / (1 + e^v): sigmoid, SiLU, GELU in both its sigmoid and tanh forms; and log(1 + e^v): softplus.

The exponential is bounded, so it needs no care for overflow, and the divisor is at least 1, so the quotient needs
none for zero: two thirds of the operations of exp, addition and division. Quotients below n 2^-126 are 0; fast f32
ones are n 2^-125 instead, so that an infinite n stays infinite where PyTorch has NaN (silu and gelu of -inf).
softplus = max(v, 0) + log(1 + t), t = e^-|v|, a polynomial of degree 10; 0 below -88.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
sigmoid           3.06    27.5  75.02    17.5
silu              3.25    27.8  77.22    18.0
softplus          1.73    44.5  55.96    27.3
gelu (tanh)      179.16    33.8  56.20    23.3
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import SOFTPLUS, SOFTPLUS_SHORT
from hexagon_mlir.passes.math_library.division import quotient_of_minus, reciprocal_of_minus
from hexagon_mlir.passes.math_library.exponential import exp_bounded, exp_clamped, exp_of_parts
from hexagon_mlir.passes.math_library.factors import keeps_nan
from hexagon_mlir.passes.math_library.fixed_point import short_reciprocal
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, SIGN, Float, horner, keep_nan
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

LARGEST = 87.0  # e^v + 1 and its reciprocal are normal numbers
LIMIT, HALF_LIMIT = 125.5, 127.0  # the same of 2^t; the second power has the short reciprocal 0, with all its bits
ZERO = 87.4
VANISHING = -88.0296  # just above -127 ln 2: the exponent field of its exponential is 0, that of what is left tiny


def logistic(n: Float, v: Float, mode: Mode = ACCURATE) -> Float:
    """n / (1 + e^v)."""
    if mode.half:
        r = short_reciprocal(1.0 + exp_clamped(v, HALF_LIMIT, mode))
    elif mode.fast:
        return quotient_of_minus(n, -1.0 - exp_clamped(v, LIMIT, mode))
    else:
        minus = -1.0 - exp_bounded(v.minimum(LARGEST).maximum(-LARGEST))
        r = reciprocal_of_minus(minus)
        r = r + r * (1.0 + minus * r)
        r = (v > ZERO).select(n.lanes.float(0.0), r)
    result = r if n.constant == 1 else n * r
    return result if mode.numbers or keeps_nan(n, v) else keep_nan(v, result)


def softplus(v: Float, mode: Mode = ACCURATE) -> Float:
    """log(1 + e^v)."""
    negative = ((v.bits & ABSOLUTE) | SIGN).as_float().maximum(VANISHING)
    if mode.short:
        t = exp_bounded(negative, mode)
        result = v.maximum(0.0) + t * horner(t, SOFTPLUS_SHORT)
    else:
        p, lost, power = exp_of_parts(negative)
        scale = power.as_float()
        t = p * scale
        tail = t * (t * horner(t, SOFTPLUS))
        logarithm = t + tail
        result = logarithm + (v.maximum(0.0) + (lost * scale + (tail - (logarithm - t))))
    return result if mode.fast or mode.numbers else keep_nan(v, result)
