"""Products with a constant near the largest f32 under legacy qfloat, such as masks ``(1 - seen) * -3.4e38``.

A factor that should be 1 may be one unit in the last place larger, and what is beyond the largest f32 is a NaN pattern.
"""

from __future__ import annotations

from hexagon_mlir.passes.arith_legalization.comparison import is_nan, magnitude
from hexagon_mlir.passes.math_library.lanes import INFINITY, SIGN, Float

HUGE = 2.0**126
"""Half of the largest binade: a factor of two or a little more overflows with any such constant."""
LARGEST = INFINITY - 1


def has_huge_factor(a: Float, b: Float) -> bool:
    """Whether one operand is a constant number from `HUGE` on."""
    return any(x.constant is not None and HUGE <= abs(x.constant) < float("inf") for x in (a, b))


def saturating_product(a: Float, b: Float) -> Float:
    """a * b, which is the largest number of its sign where the factors are numbers and it would be beyond."""
    product = a * b
    factor = b if a.constant is not None else a
    overflows = is_nan(product) & (magnitude(factor) < INFINITY)
    return overflows.select(((product.bits & SIGN) | LARGEST).as_float(), product)
