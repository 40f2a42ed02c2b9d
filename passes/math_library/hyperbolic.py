"""tanh.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`tanh`                 1.98     46
=====================  =======  ==========
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.division import approximate_reciprocal
from hexagon_mlir.passes.math_library.exponential import expm1_bounded
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, SIGN, Float

SATURATION = 9.02  # tanh is 1 in f32 from here


def tanh(x: Float) -> Float:
    """E / (E + 2) with E = e^(2|x|) - 1: no cancellation near 0, and errors of E fade out as tanh nears 1."""
    magnitude = x.bits & ABSOLUTE
    limited = magnitude.as_float().minimum(SATURATION)
    e = expm1_bounded(limited + limited)
    r = approximate_reciprocal(e + 2.0)
    q = e * r
    # The remainder e - q (e + 2) from e itself: the rounding of e + 2 does not count.
    rest = (e - q * e) - (q + q)
    result = ((q + rest * r).bits | (x.bits & SIGN)).as_float()
    return (magnitude > INFINITY).select(x, result)
