"""Finds expressions that are cheaper and more accurate as one function than operation by operation.

* ``n / (1 + exp(v))``, and ``x * (1 / (1 + exp(v)))``
* ``n * (1 + tanh(u))`` = 2n / (1 + exp(-2u))
* ``n * (1 + erf(u))`` of f16, rounded to f16; GELU by a formula of its own
* ``log(1 + exp(v))`` and ``log1p(exp(v))``
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library import half_gelu
from hexagon_mlir.passes.math_library.error_function import one_plus_erf
from hexagon_mlir.passes.math_library.factors import read
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
    with_classes: Callable[[Float, Float], Float] | None = None
    """Gives the result, rounded to f16, sign, infinity and NaN by the only operand; ``build`` does not."""


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
        found = _one_plus(other, "math.erf")
        half = _half_base(x, found[0]) if found is not None and _rounded_to_f16(op) else None
        if found is not None and half is not None:
            if math.isclose(half.factors[0], 0.5) and math.isclose(half.factors[1], math.sqrt(0.5), rel_tol=1e-6):
                return Composed(half_gelu.half_gelu, (half.base,), found[1], with_classes=half_gelu.with_classes)
            return Composed(one_plus_erf, (x, found[0]), found[1], powers=partial(_powers_of, half.base))
    return None


def _rounded_to_f16(op: ir.Operation) -> bool:
    """True where all that read the result of ``op`` round it to f16."""
    readers = [use.owner.operation for use in op.results[0].uses]
    return all(reader.name == "arith.truncf" and _element(reader.results[0].type) == "f16" for reader in readers)


class Multiples(NamedTuple):
    """Values of f32 that are ``factors`` times the f16 number ``base``."""

    base: ir.Value
    factors: tuple[float, ...]


def _half_base(*values: ir.Value) -> Multiples | None:
    """The f16 number of which ``values``, of f32, are positive multiples."""
    bases, factors = set(), []
    for value in values:
        x = Float(Lanes(value.type), value, "f32")
        name, operands = read(x)
        factor = 1.0
        if name == "arith.mulf":
            constants = [y.constant for y in operands if y.constant is not None]
            if len(constants) != 1 or not constants[0] > 0:
                return None
            factor, x = constants[0], next(y for y in operands if y.constant is None)
        if read(x)[0] != "arith.extf":
            return None
        bases.add(x.value.owner.operation.operands[0])
        factors.append(factor)
    base = bases.pop()
    return Multiples(base, tuple(factors)) if not bases and _element(base.type) == "f16" else None


def _element(type_: ir.Type) -> str:
    return str(type_.element_type if isinstance(type_, ir.ShapedType) else type_)


def _powers_of(base: ir.Value, *_: Float) -> tuple[Power, Power]:
    """n and v of n / (1 + exp(v)) as powers of the f16 number ``base``: n rises with it and v falls."""
    leaf = Float(Lanes(base.type, qfloat=True), base, "f16")
    return Power(leaf, odd=True, negative=False), Power(leaf, odd=True, negative=True)


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
