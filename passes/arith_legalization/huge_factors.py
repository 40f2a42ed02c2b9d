"""Products with a constant near the largest f32 under legacy qfloat, such as masks ``(1 - seen) * -3.4e38``.

A factor that should be 1 may be one unit in the last place larger, and a product beyond the largest f32 has the bits of
a NaN.
"""

from __future__ import annotations

from hexagon_mlir.passes.arith_legalization.comparison import is_nan, magnitude
from hexagon_mlir.passes.math_library.lanes import INFINITY, SIGN, Float

HUGE = 2.0**126
"""Half of the largest binade: the product of a factor of two or slightly more and any such constant overflows."""
LARGEST = INFINITY - 1


def has_huge_factor(a: Float, b: Float) -> bool:
    """Whether one operand is a constant of magnitude `HUGE` or more."""
    return any(x.constant is not None and HUGE <= abs(x.constant) < float("inf") for x in (a, b))


def saturating_product(a: Float, b: Float) -> Float:
    """a * b, saturated to the largest f32 of its sign where both factors are numbers."""
    product = a * b
    factor = b if a.constant is not None else a
    overflows = is_nan(product) & (magnitude(factor) < INFINITY)
    return overflows.select(((product.bits & SIGN) | LARGEST).as_float(), product)
