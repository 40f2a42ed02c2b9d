"""Quotients and remainders of ranges that begin at a multiple of the divisor: they depend on the index alone."""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.bounds import multiple_of
from hexagon_mlir.ir.intervals import interval
from hexagon_mlir.passes.triton_import import ints
from hexagon_mlir.passes.triton_import.ints import Int
from hexagon_mlir.passes.triton_import.values import Linear, Piece, varying

_QUOTIENTS = ("arith.divsi", "arith.divui", "arith.shrsi", "arith.shrui")
_REMAINDERS = ("arith.remsi", "arith.remui", "arith.andi")
NAMES = frozenset((*_QUOTIENTS, *_REMAINDERS))
_OF_NEGATIVES = ("arith.shrsi", "arith.andi")
"""They round down and give remainders from 0 on; others round to 0, or have no sign."""


def of_aligned(name: str, a: Linear, by: int, type: ir.Type, shape: tuple[int, ...]) -> Linear | None:
    """The quotient or remainder that operation ``name`` gives of ``a`` and ``by``.

    ``a`` must be consecutive numbers along one dimension, either whole groups with the same quotient or a part of one
    group; None where neither is known.
    """
    moving = [d for d in varying(shape) if not ints.same(a.strides[d], 0)]
    divisor = _divisor(name, by)
    if len(moving) != 1 or a.lanes or a.pieces or divisor is None:
        return None
    dim, size = moving[0], shape[moving[0]]
    whole, quotient = size % divisor == 0, name in _QUOTIENTS
    if not ints.same(a.strides[dim], 1) or not (whole or divisor % size == 0) or not is_multiple(
            a.offset, divisor if whole else size) or (name not in _OF_NEGATIVES and _least(a.offset) < 0):
        return None
    rank = len(shape)
    first = a.offset // divisor if quotient and ints.known(a.offset) else (
        a.offset % divisor if ints.known(a.offset) else _emitted(name, a.offset, ints.value(by, type)))
    if not whole:
        return Linear(first, tuple(int(d == dim and not quotient) for d in range(rank)))
    return Linear(first if quotient else 0, (0,) * rank, (), (_in_groups(dim, divisor, quotient, type),))


def is_multiple(number: Int, divisor: int) -> bool:
    """Whether ``number`` is known to be a multiple of ``divisor``."""
    return (number if ints.known(number) else multiple_of(number)) % divisor == 0


def _divisor(name: str, by: int) -> int | None:
    """What operation ``name`` with the operand ``by`` divides by."""
    if name in ("arith.shrsi", "arith.shrui"):
        return 1 << by if by >= 0 else None
    divisor = by + 1 if name == "arith.andi" else by
    return divisor if divisor > 0 and (name != "arith.andi" or divisor & by == 0) else None


def _in_groups(dim: int, divisor: int, quotient: bool, type: ir.Type) -> Piece:
    """The quotient or remainder of the index of ``dim`` itself."""
    index = ints.index_type()

    def value(i: ir.Value) -> Int:
        if quotient:
            return ints.cast(arith.divui(i, ints.value(divisor, index)), index, type)
        rest = _without_multiples(i, divisor)
        small = interval(rest)[1] < divisor
        return ints.cast(rest if small else arith.remui(rest, ints.value(divisor, index)), index, type)

    def end(i: ir.Value) -> Int:
        number = ints.value(divisor, index)
        return arith.muli(arith.addi(arith.divui(i, number), ints.value(1, index)), number)

    step = int(not quotient)
    return Piece(dim, value, lambda i: step, end, known_step=step, divisor=divisor if quotient else None)


def _without_multiples(number: ir.Value, divisor: int) -> ir.Value:
    """``number``, an index, without what is added to it that is a multiple of ``divisor``."""
    while not isinstance(number.owner, ir.Block) and number.owner.operation.name == "arith.addi":
        first, second = number.owner.operation.operands
        if not is_multiple(first, divisor):
            break
        number = second
    return number


def _emitted(name: str, *operands: ir.Value) -> ir.Value:
    return ir.Operation.create(name, results=[operands[0].type], operands=list(operands)).result


def _least(number: Int) -> int:
    return number if ints.known(number) else interval(number)[0]
