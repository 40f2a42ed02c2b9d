"""powf with a constant exponent: products for small integers, roots for halves, as PyTorch does.

=====================  =======  ==========
exponent               max ulp  operations
=====================  =======  ==========
2                      0.5      1
3                      1.28     2
4                      1.90     2
-1                     1.15     21
-2                     1.89     22
0.5                    0.85     27
-0.5                   1.22     27
=====================  =======  ==========

Each product adds half an ulp: the error of x^n grows with n, to at most n ulp.
"""

from __future__ import annotations

from hexagon_mlir.passes.math_library.division import divide
from hexagon_mlir.passes.math_library.lanes import Float
from hexagon_mlir.passes.math_library.roots import rsqrt, sqrt

LARGEST_INTEGER = 16


def powf(x: Float, y: Float, narrow: bool = False) -> Float | None:
    """x^y for y = 1/2, -1/2 or a whole number up to `LARGEST_INTEGER` in size; None for others."""
    exponent = y.constant
    if exponent == 0.5:
        return sqrt(x, narrow)
    if exponent == -0.5:
        return rsqrt(x, narrow)
    if exponent is None or exponent != int(exponent) or abs(exponent) > LARGEST_INTEGER:
        return None
    product = _product(x, int(abs(exponent)))
    return divide(x.lanes.float(1.0), product) if exponent < 0 else product


def _product(x: Float, exponent: int) -> Float:
    """x multiplied by itself, by repeated squaring."""
    result: Float | None = None
    while exponent:
        if exponent & 1:
            result = x if result is None else result * x
        exponent >>= 1
        if exponent:
            x = x * x
    return result if result is not None else x.lanes.float(1.0)
