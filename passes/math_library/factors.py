"""What the operations before a value tell: constant factors to gather, and whether it is NaN only where another is."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library.lanes import Float

_FAR = 2.0**20
"""Constants nearer to 1 make no zero of what is not nearly one, and no infinity."""


def scaled(x: Float, factor: float) -> Float:
    """x ``factor``, other roundings apart, in few operations: of c y z one has (c ``factor`` y) z, of c y (k z + 1)
    y (c ``factor`` k z + c ``factor``), and -y is (-1) y.
    """
    rest, constant = _stripped(x)
    factor *= constant
    return _absorbed(rest, factor) or rest * factor


def _stripped(x: Float) -> tuple[Float, float]:
    """y and c with x = c y."""
    y, constant = _product_with_constant(x)
    if y is None:
        return x, 1.0
    rest, more = _stripped(y)
    return rest, constant * more


def _product_with_constant(x: Float) -> tuple[Float | None, float]:
    name, operands = _read(x)
    if name == "arith.negf":
        return operands[0], -1.0
    if name == "arith.mulf":
        for y, z in (operands, operands[::-1]):
            if z.constant is not None:
                return y, z.constant
    return None, 1.0


def _absorbed(x: Float, factor: float) -> Float | None:
    """x ``factor`` without an operation more than x has; None when it needs one."""
    name, operands = _read(x)
    if name == "arith.mulf":
        (first, c), (second, d) = (_stripped(y) for y in operands)
        for y, z in ((first, second), (second, first)):
            found = _absorbed(y, factor * c * d)
            if found is not None:
                return found * z
        return (first * (factor * c * d)) * second if c != 1 or d != 1 else None
    if name == "arith.addf" and operands[1].constant is not None:
        rest, constant = _stripped(operands[0])
        if constant != 1:
            return rest * (constant * factor) + operands[1].constant * factor
    return None


def keeps_nan(n: Float, v: Float) -> bool:
    """True when n is NaN wherever v is: both are powers of one number, or sums of such that cannot cancel."""
    leaf = _narrow(n)
    while (name := _read(leaf)[0]) in ("arith.negf", "arith.mulf", "arith.addf"):
        operands = [y for y in _read(leaf)[1] if y.constant is None]
        if name == "arith.mulf" and len(operands) != 1:
            return False
        leaf = _narrow(operands[0])
    return leaf.constant is None and all(_power(y, leaf) is not None for y in (n, v))


def _power(y: Float, leaf: Float) -> tuple[bool, bool] | None:
    """Whether y changes its sign with ``leaf``, and is negative where that is positive; None when not known.

    Such a y is NaN where ``leaf`` is and nowhere else: no zero meets an infinity, and equal signs are added.
    """
    if y.constant is not None:
        return (False, y.constant < 0) if 1 / _FAR < abs(y.constant) < _FAR else None
    y = _narrow(y)
    if y.value == leaf.value:
        return True, False
    name, operands = _read(y)
    known = [_power(operand, leaf) for operand in operands]
    if name not in ("arith.negf", "arith.mulf", "arith.addf") or any(k is None for k in known):
        return None
    (odd, negative), (other_odd, other_negative) = (k for k in (*known, (False, True))[:2] if k is not None)
    if name == "arith.addf":
        return (odd, negative) if known[0] == known[1] else None
    return odd != other_odd, negative != other_negative


def _narrow(x: Float) -> Float:
    """x before it was widened."""
    while _read(x)[0] == "arith.extf":
        value = x.value.owner.operation.operands[0]
        x = Float(x.lanes, value, str(getattr(value.type, "element_type", value.type)))
    return x


def _read(x: Float) -> tuple[str, list[Float]]:
    """The name and the operands of the operation that makes x."""
    owner = x.value.owner
    if isinstance(owner, ir.Block):
        return "", []
    return owner.operation.name, [Float(x.lanes, operand, x.element) for operand in owner.operands]
