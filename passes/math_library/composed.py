"""Finds expressions that are cheaper and more accurate as one function than operation by operation.

* ``n / (1 + exp(v))``, and ``x * (1 / (1 + exp(v)))``
* ``n * (1 + tanh(u))`` = 2n / (1 + exp(-2u))
* ``log(1 + exp(v))`` and ``log1p(exp(v))``
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library.lanes import Float, Lanes
from hexagon_mlir.passes.math_library.logistic import logistic, softplus
from hexagon_mlir.passes.math_library.mode import Mode
from hexagon_mlir.passes.math_library.origins import Power, common_powers


@dataclass(frozen=True)
class Composed:
    """An operation that computes ``build(*operands)``. ``inner`` are the operations that become dead."""

    build: Callable[..., Float]
    operands: tuple[ir.Value, ...]
    inner: tuple[ir.Operation, ...]
    sign_of_first: bool = True
    """The result has the sign of the first operand."""
    powers: Callable[[Float, Float], tuple[Power, Power] | None] | None = None
    """n and v as powers of one number, where this is n / (1 + exp(v))."""


def find(op: ir.Operation) -> Composed | None:
    """The composed function whose last operation is ``op``, one of `ROOTS`."""
    return ROOTS[op.name](op)


def _only(value: ir.Value, name: str) -> ir.Operation | None:
    """The operation ``name`` that defines ``value``, if ``value`` has no other use."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != name:
        return None
    return value.owner.operation if len(list(value.uses)) == 1 else None


def _is(value: ir.Value, number: float) -> bool:
    return Float(Lanes(value.type), value, "").constant == number


def _one_plus(value: ir.Value, function: str) -> tuple[ir.Value, tuple[ir.Operation, ...]] | None:
    """u and the operations when ``value`` is 1 + function(u)."""
    total = _only(value, "arith.addf")
    if total is None:
        return None
    for one, other in ((total.operands[0], total.operands[1]), (total.operands[1], total.operands[0])):
        inner = _only(other, function)
        if inner is not None and _is(one, 1.0):
            return inner.operands[0], (total, inner)
    return None


def _quotient(op: ir.Operation) -> Composed | None:
    found = _one_plus(op.operands[1], "math.exp")
    if found is None:
        return None
    return Composed(logistic, (op.operands[0], found[0]), found[1], powers=common_powers)


def _product(op: ir.Operation) -> Composed | None:
    for x, other in ((op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])):
        quotient = _only(other, "arith.divf")
        if quotient is not None and _is(quotient.operands[0], 1.0):
            found = _one_plus(quotient.operands[1], "math.exp")
            if found is not None:
                return Composed(logistic, (x, found[0]), (quotient, *found[1]), powers=common_powers)
        found = _one_plus(other, "math.tanh")
        if found is not None:
            return Composed(_tanh_form, (x, found[0]), found[1], powers=_tanh_powers)
    return None


def _tanh_form(n: Float, u: Float, mode: Mode) -> Float:
    return logistic(n + n if n.constant is None else n.lanes.float(2 * n.constant), u * -2.0, mode)


def _tanh_powers(n: Float, u: Float) -> tuple[Power, Power] | None:
    found = common_powers(n, u)
    return (found[0], replace(found[1], negative=not found[1].negative)) if found is not None else None


def _logarithm(op: ir.Operation) -> Composed | None:
    if op.name == "math.log1p":
        inner = _only(op.operands[0], "math.exp")
        return Composed(softplus, (inner.operands[0],), (inner,), False) if inner is not None else None
    found = _one_plus(op.operands[0], "math.exp")
    return Composed(softplus, (found[0],), found[1], False) if found is not None else None


ROOTS: dict[str, Callable[[ir.Operation], Composed | None]] = {
    "arith.divf": _quotient, "arith.mulf": _product, "math.log": _logarithm, "math.log1p": _logarithm}
"""Operations that a composed function ends with."""
