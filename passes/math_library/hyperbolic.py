"""tanh.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`tanh`                 2.90     44
=====================  =======  ==========

The worst cases lie around |x| = 0.2, where E + 2 is rounded; 2.0 from |x| = 0.6 on.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.division import divide_bounded
from hexagon_mlir.passes.math_library.exponential import expm1_bounded
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, SIGN, Float

SATURATION = 9.02  # tanh is 1 in f32 from here


def tanh(x: Float) -> Float:
    """E / (E + 2) with E = e^(2|x|) - 1: no cancellation near 0, and errors of E fade out as tanh nears 1."""
    magnitude = x.bits & ABSOLUTE
    limited = magnitude.as_float().minimum(SATURATION)
    e = expm1_bounded(limited + limited)
    result = (divide_bounded(e, e + 2.0).bits | (x.bits & SIGN)).as_float()
    return (magnitude > INFINITY).select(x, result)
