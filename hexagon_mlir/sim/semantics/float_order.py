"""Comparisons of float bits in integers: the total order of vmax, vmin and vcmp.gt, and NaN.

In the total order +NaN is greatest and -NaN least. See `NanOrder` for v79 and later.
"""

from __future__ import annotations

from hexagon_mlir.sim.semantics.value import Val
from hexagon_mlir.targets import Qfloat
from hexagon_mlir.targets.disputed import NanOrder

INFINITY = {"sf": 0x7F800000, "hf": 0x7C00, "bf": 0x7F80}
"""Bits of +infinity; those of a greater number are NaN."""


def is_nan(bits: Val, suffix: str) -> Val:
    """Lane results."""
    return (bits & _largest(bits)).icmp("sgt", INFINITY[suffix])


def larger(a: Val, b: Val, suffix: str, minimum: bool = False) -> Val:
    """Of integer lanes that hold floats, as vmax and vmin choose; +0 is above -0."""
    above = _place(a).icmp("sgt", _place(b))
    result = above.select(b, a) if minimum else above.select(a, b)
    return _any_nan(a, b, suffix).select(_signed_nan(a, b, suffix, minimum), result) if _unordered(a) else result


def propagating(a: Val, b: Val, suffix: str, minimum: bool = False) -> Val:
    """The same as vfmax and vfmin choose: NaN when one is NaN."""
    above = _place(a).icmp("sgt", _place(b))
    result = above.select(b, a) if minimum else above.select(a, b)
    return _any_nan(a, b, suffix).select(_largest(a), result)


def above(a: Val, b: Val, suffix: str) -> Val:
    """Lane results of vcmp.gt; zeros are equal."""
    result = _signed(a).icmp("sgt", _signed(b))
    return result & ~_any_nan(a, b, suffix) if _unordered(a) else result


def _any_nan(a: Val, b: Val, suffix: str) -> Val:
    return is_nan(a, suffix) | is_nan(b, suffix)


def _signed_nan(a: Val, b: Val, suffix: str, minimum: bool) -> Val:
    """Of lanes with a NaN: the negative one as a minimum when a NaN is negative, as a maximum when none is positive."""
    wanted = (a if minimum else ~a).icmp("slt", 0) & is_nan(a, suffix)
    wanted = wanted | ((b if minimum else ~b).icmp("slt", 0) & is_nan(b, suffix))
    negative, positive = a.lift(-1), a.lift(_largest(a))
    return wanted.select(negative, positive) if minimum else wanted.select(positive, negative)


def _unordered(bits: Val) -> bool:
    floats = bits.code.floats
    return floats.qfloat is Qfloat.EXTENDED and floats.disputed.nan_order is NanOrder.IEEE


def _largest(bits: Val) -> int:
    return (1 << (bits.ty.bits - 1)) - 1


def _place(bits: Val) -> Val:
    """Integers in the total order."""
    return bits ^ (bits >> (bits.ty.bits - 1)).lshr(1)


def _signed(bits: Val) -> Val:
    """The same with one zero."""
    negative = bits >> (bits.ty.bits - 1)
    return ((bits & _largest(bits)) ^ negative) - negative
