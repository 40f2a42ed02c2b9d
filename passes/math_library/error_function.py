"""erf as a rational function."""

from __future__ import annotations

from hexagon_mlir.passes.math_library.division import divide_bounded
from hexagon_mlir.passes.math_library.lanes import Float, horner, keep_nan

# scripts/fit_polynomials.py erf
P = (1.1283791065216064, 0.20602890849113464, 0.05458502098917961, 0.004367362707853317, 0.0002866517461370677,
     1.7796304518924444e-06)
Q = (1.0, 0.5159200429916382, 0.12035629898309708, 0.016190649941563606, 0.0012860704446211457,
     3.5372675379771124e-05)
SATURATION = 3.92  # erf is 1 in f32 from here


def erf(x: Float) -> Float:
    """x P(x^2) / Q(x^2)."""
    limited = x.minimum(SATURATION).maximum(-SATURATION)
    square = limited * limited
    return keep_nan(x, divide_bounded(limited * horner(square, P), horner(square, Q)))
