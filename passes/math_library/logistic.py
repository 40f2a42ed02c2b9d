"""n / (1 + e^v): sigmoid, SiLU, GELU in both its sigmoid and tanh forms; and log(1 + e^v): softplus.

The exponential is bounded, so it needs no care for overflow, and the divisor is at least 1, so the quotient needs
none for zero: two thirds of the operations of exp, addition and division. Quotients below n 2^-126 are 0.
softplus = max(v, 0) + log(1 + t), t = e^-|v|, a polynomial of degree 10; 0 below -88.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
sigmoid           3.06    29.8  75.02    19.5
silu              3.02    37.5  77.91    20.0
softplus          1.73    54.8  56.66    26.8
gelu (tanh)      179.16    47.3  59.62    26.8
===============  =============  =============
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import SOFTPLUS, SOFTPLUS_SHORT
from hexagon_mlir.passes.math_library.division import reciprocal_of_minus
from hexagon_mlir.passes.math_library.exponential import exp_bounded, exp_of_parts
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, SIGN, Float, horner, keep_nan
from hexagon_mlir.passes.math_library.mode import ACCURATE, Mode

LARGEST = 87.0  # e^v + 1 and its reciprocal are normal numbers
ZERO = 87.4
VANISHING = -88.0296  # just above -127 ln 2: the exponent field of its exponential is 0, that of what is left tiny


def logistic(n: Float, v: Float, mode: Mode = ACCURATE) -> Float:
    """n / (1 + e^v)."""
    minus = -1.0 - exp_bounded(v.minimum(LARGEST).maximum(-LARGEST), mode)
    r = reciprocal_of_minus(minus)
    if mode.fast:
        return r if n.constant == 1 else n * r
    if not mode.short:
        r = r + r * (1.0 + minus * r)
    r = (v > ZERO).select(n.lanes.float(0.0), r)
    result = r if n.constant == 1 else n * r
    return result if mode.numbers else keep_nan(v, result)


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
