"""tanh as a rational function: cheaper than one exp and one division, and accurate near 0."""

from __future__ import annotations

from hexagon_mlir.passes.math_library.division import divide_bounded
from hexagon_mlir.passes.math_library.lanes import Float, horner, keep_nan

# scripts/fit_polynomials.py tanh
P = (1.0, 0.1338267668459488, 0.003497455734759569, 2.0635738110286184e-05, 1.3384078734191007e-08)
Q = (1.0, 0.46716007590293884, 0.0258843582123518, 0.0003288511070422828, 7.790191602907726e-07)
SATURATION = 9.01  # tanh is 1 in f32 from here


def tanh(x: Float) -> Float:
    """x P(x^2) / Q(x^2)."""
    limited = x.minimum(SATURATION).maximum(-SATURATION)
    square = limited * limited
    return keep_nan(x, divide_bounded(limited * horner(square, P), horner(square, Q)))
