"""Collects constant factors from the operations that make a value."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library.lanes import Float


def scaled(x: Float, factor: float) -> Float:
    """x * ``factor`` up to rounding, in few operations: for c y z as (c ``factor`` y) z, for c y (k z + 1) as y (c
    ``factor`` k z + c ``factor``); -y is (-1) y.
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
    name, operands = read(x)
    if name == "arith.negf":
        return operands[0], -1.0
    if name == "arith.mulf":
        for y, z in (operands, operands[::-1]):
            if z.constant is not None:
                return y, z.constant
    return None, 1.0


def _absorbed(x: Float, factor: float) -> Float | None:
    """x * ``factor`` in as many operations as x takes; None when it needs one more."""
    name, operands = read(x)
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


def read(x: Float) -> tuple[str, list[Float]]:
    """The name and the operands of the operation that makes x."""
    owner = x.value.owner
    if isinstance(owner, ir.Block):
        return "", []
    return owner.operation.name, [Float(x.lanes, operand, x.element) for operand in owner.operands]
