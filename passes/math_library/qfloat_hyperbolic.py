"""tanh, sinh, cosh and their inverses under legacy qfloat, by formulas without compensated rounding errors.

tanh: an odd polynomial of degree 11 up to 0.6, 1 - 2 / (e^(2|x|) + 1) above: there the sum loses little.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.coefficients import TANH
from hexagon_mlir.passes.math_library.division import reciprocal_of_minus
from hexagon_mlir.passes.math_library.fixed_exponential import power_of_e
from hexagon_mlir.passes.math_library.lanes import Float, odd

TANH_SPLIT = 0.6


def tanh(a: Float) -> Float:
    """The hyperbolic tangent of 0 <= a <= 9.02."""
    minus = -0.5 - power_of_e(a, doublings=1, halvings=1)
    r = reciprocal_of_minus(minus).minimum(1.0)
    return (a < TANH_SPLIT).select(odd(a, TANH), 1.0 - r * (1.0 + (1.0 + minus * r)))
