"""isnan, isinf, isfinite, isnormal: comparisons of bit patterns, in the element's own width.

Errors of f32 in ulp and packets per vector on v75, from docs/maths.md:

===============  =============  =============
function         accurate       fast
===============  =============  =============
isnan             0.00     2.8
isinf             0.00     2.8
isfinite          0.00     2.8
===============  =============  =============
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.passes.math_library.lanes import Float, Int, Mask


@dataclass(frozen=True)
class Format:
    """Bits of a floating-point format: all but the sign, infinity, the smallest normal number."""

    absolute: int
    infinity: int
    normal: int


FORMATS = {"f32": Format(0x7FFFFFFF, 0x7F800000, 0x00800000), "f16": Format(0x7FFF, 0x7C00, 0x0400),
           "bf16": Format(0x7FFF, 0x7F80, 0x0080)}


def _magnitude(x: Float) -> tuple[Int, Format]:
    form = FORMATS[x.element]
    return x.bits & form.absolute, form


def isnan(x: Float) -> Mask:
    """Not a number."""
    magnitude, form = _magnitude(x)
    return magnitude > form.infinity


def isinf(x: Float) -> Mask:
    """Plus or minus infinity."""
    magnitude, form = _magnitude(x)
    return magnitude.equals(form.infinity)


def isfinite(x: Float) -> Mask:
    """A number, not infinite."""
    magnitude, form = _magnitude(x)
    return magnitude < form.infinity


def isnormal(x: Float) -> Mask:
    """A number with a full mantissa: neither 0 nor denormal nor infinite."""
    magnitude, form = _magnitude(x)
    # One unsigned comparison: bits below the smallest normal number wrap around.
    return ~(magnitude - form.normal).above(form.infinity - form.normal - 1)
