"""How much an integer grows from one iteration of an scf.for to the next."""

from __future__ import annotations

import operator
from typing import NamedTuple

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.passes.lib.pure_slices import is_pure

BOUNDS = 3
"""Operands of scf.for before the values that it carries."""
_CASTS = ("arith.index_cast", "arith.index_castui")
_DIVISIONS = ("arith.divui", "arith.divsi")


class Product(NamedTuple):
    """``factor`` times all of ``values``, in the order of their hashes."""

    factor: int
    values: tuple[ir.Value, ...] = ()

    def times(self, other: Product) -> Product:
        """The product of both."""
        return _product(self.factor * other.factor, [*self.values, *other.values])


NONE = Product(0)


def as_product(value: ir.Value) -> Product:
    """``value``, its casts between integers and indices left out, as a product."""
    number = constant_value(value)
    if number is not None:
        return Product(number)
    owner = value.owner
    if not isinstance(owner, ir.Block):
        operands = list(owner.operation.operands)
        if owner.operation.name in _CASTS:
            return as_product(operands[0])
        if owner.operation.name == "arith.muli":
            return as_product(operands[0]).times(as_product(operands[1]))
    return Product(1, (value,))


def is_invariant(value: ir.Value, loop: ir.Operation) -> bool:
    """True where ``value``, which the body of ``loop`` can use, is computed before the loop."""
    body = loop.regions[0].blocks[0]
    return value.owner != body if isinstance(value.owner, ir.Block) else value.owner.operation.block != body


def is_fixed(value: ir.Value, loop: ir.Operation) -> bool:
    """True where ``value``, which the body of ``loop`` can use, is the same in each iteration: computed before the
    loop, or from such values alone."""
    if is_invariant(value, loop):
        return True
    return not isinstance(value.owner, ir.Block) and is_pure(value.owner.operation) and all(
        is_fixed(operand, loop) for operand in value.owner.operation.operands)


def growth(value: ir.Value, loop: ir.Operation) -> Product | None:
    """What ``value`` grows by in each iteration of scf.for ``loop``; None where that is not known to be the same."""
    if is_invariant(value, loop):
        return NONE
    if isinstance(value.owner, ir.Block):
        return _of_argument(ir.BlockArgument(value), loop)
    op = value.owner.operation
    if op.name in _CASTS:
        return growth(op.operands[0], loop)
    if op.name in _DIVISIONS:
        return _of_quotient(op, loop)
    if op.name not in ("arith.addi", "arith.subi", "arith.muli"):
        return None
    values = list(op.operands)
    grown = [growth(operand, loop) for operand in values]
    if grown[0] is None or grown[1] is None:
        return None
    if op.name == "arith.muli":
        if NONE not in grown:
            return None
        moving = 1 if grown[0] == NONE else 0
        return (grown[moving] or NONE).times(as_product(values[1 - moving]))
    return _sum(grown[0], grown[1] if op.name == "arith.addi" else grown[1].times(Product(-1)))


def first_number(value: ir.Value, loop: ir.Operation) -> int | None:
    """The number that ``value`` is in the first iteration of ``loop``; None where that is not known."""
    number = constant_value(value)
    if number is not None:
        return number
    if isinstance(value.owner, ir.Block):
        return constant_value(loop.operands[0]) if value == loop.regions[0].blocks[0].arguments[0] else None
    op = value.owner.operation
    if op.name in _CASTS:
        return first_number(op.operands[0], loop)
    compute = {"arith.addi": operator.add, "arith.subi": operator.sub, "arith.muli": operator.mul,
               **dict.fromkeys(_DIVISIONS, operator.floordiv)}.get(op.name)
    if compute is None:
        return None
    left, right = (first_number(operand, loop) for operand in op.operands)
    if left is None or right is None or (op.name in _DIVISIONS and not _can_divide(left, right)):
        return None
    return int(compute(left, right))


def _can_divide(number: int, divisor: int) -> bool:
    """Whether all divisions of integers give the same."""
    return number >= 0 and divisor > 0


def _of_quotient(op: ir.Operation, loop: ir.Operation) -> Product | None:
    """Of a number, from 0 on, that is divided by a constant and grows by a multiple of that."""
    grown, first = growth(op.operands[0], loop), first_number(op.operands[0], loop)
    divisor = constant_value(op.operands[1])
    if grown is None or first is None or divisor is None or not _can_divide(first, divisor):
        return None
    exact = not grown.values and grown.factor >= 0 and grown.factor % divisor == 0
    return Product(grown.factor // divisor) if exact else None


def _of_argument(argument: ir.BlockArgument, loop: ir.Operation) -> Product | None:
    """Of the induction variable, or of a carried value to which the same is added in each iteration."""
    if argument.arg_number == 0:
        return as_product(loop.operands[BOUNDS - 1])
    body = loop.regions[0].blocks[0]
    following = list(body.operations)[-1].operation.operands[argument.arg_number - 1]
    if following == argument:
        return NONE
    if isinstance(following.owner, ir.Block) or following.owner.operation.name != "arith.addi":
        return None
    added = [value for value in following.owner.operation.operands if value != argument]
    return as_product(added[0]) if len(added) == 1 and all(
        is_invariant(factor, loop) for factor in as_product(added[0]).values) else None


def _sum(one: Product, other: Product) -> Product | None:
    if NONE in (one, other):
        return other if one == NONE else one
    return _product(one.factor + other.factor, list(one.values)) if one.values == other.values else None


def _product(factor: int, values: list[ir.Value]) -> Product:
    return Product(factor, tuple(sorted(values, key=hash))) if factor else NONE
