"""Traces infinities and NaN of a value to their origin: the base of which the value is a power, or a sum of powers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hexagon_mlir.passes.math_library.factors import read
from hexagon_mlir.passes.math_library.lanes import Float

_FAR = 2.0**20
"""Smaller constant factors make neither zero nor infinity of a number that is far from both."""


@dataclass(frozen=True)
class Power:
    """A value that is infinite or NaN where ``leaf`` is; ``odd`` if its sign changes with that of ``leaf``,
    ``negative`` if it is negative where ``leaf`` is positive.
    """

    leaf: Float
    odd: bool
    negative: bool

    def is_negative(self, leaf: bool) -> bool:
        """Whether the value is negative, given whether ``leaf`` is."""
        return self.negative != (self.odd and leaf)


def power_of(x: Float) -> Power | None:
    """x as a power of another value, or as a sum of such powers that cannot cancel; None when unknown."""
    leaf = _leaf(x)
    found = _power(x, leaf) if leaf is not None else None
    return Power(leaf, *found) if leaf is not None and found is not None else None


def common_powers(n: Float, v: Float) -> tuple[Power, Power] | None:
    """Both as powers of the base of n."""
    power = power_of(n)
    found = _power(v, power.leaf) if power is not None else None
    return (power, Power(power.leaf, *found)) if power is not None and found is not None else None


def keeps_nan(n: Float, v: Float) -> bool:
    """True when n is NaN wherever v is: both are powers of one base, or sums of powers that cannot cancel."""
    return common_powers(n, v) is not None


def origin(x: Float) -> Float:
    """A value that is NaN exactly where x is: the base from which x is computed, if there is one, or x."""
    name, operands = read(x)
    constants = [y.constant for y in operands if y.constant is not None]
    if len(constants) == 1 and math.isfinite(constants[0]) and (
            name in ("arith.addf", "arith.subf") or (name == "arith.mulf" and constants[0])):  # 0 times infinity is NaN
        return origin(next(y for y in operands if y.constant is None))
    power = power_of(x)
    if power is None or power.leaf.value == x.value:
        return x
    return power.leaf.extend(x.element)


def _leaf(x: Float) -> Float | None:
    """The only possible base of x."""
    leaf = _narrow(x)
    while (name := read(leaf)[0]) in ("arith.negf", "arith.mulf", "arith.addf"):
        operands = [y for y in read(leaf)[1] if y.constant is None]
        if not operands or (name == "arith.mulf" and len(operands) != 1):
            return None
        leaf = _narrow(operands[0])
    return leaf if leaf.constant is None else None


def _power(y: Float, leaf: Float) -> tuple[bool, bool] | None:
    """Whether y changes its sign with ``leaf``, and is negative where that is positive; None when not known.

    Such a y is NaN exactly where ``leaf`` is: no zero is multiplied by infinity, and only equal signs are added.
    """
    if y.constant is not None:
        return (False, y.constant < 0) if 1 / _FAR < abs(y.constant) < _FAR else None
    y = _narrow(y)
    if y.value == leaf.value:
        return True, False
    name, operands = read(y)
    known = [_power(operand, leaf) for operand in operands]
    if name not in ("arith.negf", "arith.mulf", "arith.addf") or any(k is None for k in known):
        return None
    (odd, negative), (other_odd, other_negative) = (k for k in (*known, (False, True))[:2] if k is not None)
    if name == "arith.addf":
        return (odd, negative) if known[0] == known[1] else None
    return odd != other_odd, negative != other_negative


def _narrow(x: Float) -> Float:
    """x before it was widened."""
    while read(x)[0] == "arith.extf":
        value = x.value.owner.operation.operands[0]
        x = Float(x.lanes, value, str(getattr(value.type, "element_type", value.type)))
    return x
