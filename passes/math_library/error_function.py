"""erf.

Measured against float64 on random bit patterns, dense ranges and special values; operations without constants
and bitcasts:

=====================  =======  ==========
function               max ulp  operations
=====================  =======  ==========
`erf`                  1.57     45
=====================  =======  ==========
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import ERF_LARGE, ERF_SMALL
from hexagon_mlir.passes.math_library.exponential import exp2_bounded
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, SIGN, Float

SPLIT = 0.925
SATURATION = 4.0  # erf is 1 in f32 from here


def erf(x: Float) -> Float:
    """t + t P(t^2) for t = |x| below `SPLIT`, 1 - 2^(t P(t)) above: one polynomial, selected coefficients."""
    lanes = x.lanes
    magnitude = x.bits & ABSOLUTE
    t = magnitude.as_float().minimum(SATURATION)
    large = t > SPLIT
    variable = large.select(t, t * t)
    p: Float | None = None
    for above, below in zip(reversed(ERF_LARGE), reversed(ERF_SMALL), strict=True):
        coefficient = large.select(lanes.float(above), lanes.float(below))
        p = coefficient if p is None else p * variable + coefficient
    assert p is not None
    p = p * t
    result = large.select(1.0 - exp2_bounded(p), t + p)
    return (magnitude > INFINITY).select(x, (result.bits | (x.bits & SIGN)).as_float())
