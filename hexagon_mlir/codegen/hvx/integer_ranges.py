"""Bounds of vectors of integers in LLVM IR, from the few operations that make them."""

from __future__ import annotations

from collections.abc import Mapping

from hexagon_mlir.llvmir import Instruction
from hexagon_mlir.llvmir.types import split_type, vector_type

_WORD = 32
_LEAST, _MOST = -1 << _WORD - 1, (1 << _WORD - 1) - 1
_DEPTH = 4
_NARROW = {"i8": 8, "i16": 16}
_SUMS = ("add", "sub")


def integer(operand: str) -> int | None:
    """The number of a splat constant of integers."""
    if operand.startswith("splat (i"):
        return int(split_type(operand[7:-1])[1])
    return 0 if operand == "zeroinitializer" else None


def integer_bounds(operand: str, definitions: Mapping[str, Instruction], depth: int = _DEPTH) -> tuple[int, int]:
    """Least and largest value of ``operand``, an i32 or a narrower integer: masked, shifted, extended, limited, added
    or multiplied by a constant."""
    number = integer(operand)
    if number is not None:
        return number, number
    i = definitions.get(operand)
    if i is None or not depth:
        return _LEAST, _MOST
    if i.opcode in ("sext", "zext") and (vector := vector_type(i.types[0])) and vector[1] in _NARROW:
        signed = i.opcode == "sext"
        top = 1 << _NARROW[vector[1]] - signed
        return -top if signed else 0, top - 1
    constant = integer(i.operands[1]) if len(i.operands) == 2 else None
    if constant is None:
        return _bounds_of_sum(i, definitions, depth) if i.opcode in _SUMS else (_LEAST, _MOST)
    if i.opcode == "and" and constant >= 0:
        return 0, constant
    low, high = integer_bounds(i.operands[0], definitions, depth - 1)
    if i.generic == "smin":
        return min(low, constant), min(high, constant)
    if i.opcode == "ashr":
        return low >> constant, high >> constant
    if i.opcode == "lshr" and constant:
        return 0, ((1 << 32) - 1) >> constant
    if i.opcode in _SUMS:
        moved = constant if i.opcode == "add" else -constant
        return _unwrapped(i, low + moved, high + moved)
    if i.opcode == "mul":
        return _unwrapped(i, *sorted((low * constant, high * constant)))
    if i.opcode == "shl":
        return _unwrapped(i, low << constant, high << constant)
    return _LEAST, _MOST


def _bounds_of_sum(i: Instruction, definitions: Mapping[str, Instruction], depth: int) -> tuple[int, int]:
    """Bounds of a sum or difference, one operand of which may be a constant: LLVM adds constants on the right."""
    (low, high), (least, most) = (integer_bounds(operand, definitions, depth - 1) for operand in i.operands)
    return _unwrapped(i, low + least, high + most) if i.opcode == "add" else _unwrapped(i, low - most, high - least)


def _unwrapped(i: Instruction, low: int, high: int) -> tuple[int, int]:
    """The bounds of ``i`` where its type has all numbers from ``low`` to ``high``."""
    vector = vector_type(i.type)
    limit = 1 << (_NARROW.get(vector[1], _WORD) if vector else _WORD) - 1
    return (low, high) if low >= -limit and high < limit else (_LEAST, _MOST)
