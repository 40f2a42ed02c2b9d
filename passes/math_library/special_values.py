"""Bit patterns of NaN and infinity: legacy qfloat sums and products produce others than IEEE 754.

An argument that was loaded, selected or converted is an IEEE number. The result of a sum or product is not: its
infinity is 2^128, and infinity minus a number has a NaN pattern near infinity (0x7F800001), while NaN stays above 1.25
* 2^128. Negative non-finite results count as -infinity: a masked score minus the maximum of its row. A power or a
constant multiple of a number is NaN where the number is.
"""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library.lanes import ABSOLUTE, INFINITY, Float
from hexagon_mlir.passes.math_library.origins import origin

COMPUTED = frozenset({"arith.addf", "arith.subf", "arith.mulf"})
INFINITIES = {"f32": INFINITY, "bf16": INFINITY >> 16, "f16": 0x7C00}
LARGEST_INFINITY = 0x7FA00000
"""Bits of 1.25 * 2^128: patterns of sums above are NaN."""


def is_computed(x: Float) -> bool:
    """True for a sum or product of legacy qfloat."""
    owner = x.value.owner
    if isinstance(owner, ir.Block) or x.element != "f32":
        return False
    return x.lanes.qfloat and owner.operation.name in COMPUTED


def keep_nan(x: Float, result: Float) -> Float:
    """``result``, but NaN where x is NaN; 2 or 3 operations, in the type of both."""
    source = origin(x) if is_computed(x) else x
    if is_computed(source):
        nan = source.bits > LARGEST_INFINITY
    else:
        nan = (source.bits & magnitude_mask(x.element)) > INFINITIES[x.element]
    return nan.select(source, result)


def magnitude_mask(element: str) -> int:
    """Every bit of ``element`` but its sign."""
    return ABSOLUTE if element == "f32" else ABSOLUTE >> 16
