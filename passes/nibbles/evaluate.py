"""Elementwise ops of integers, computed for all values of a byte."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hexagon_mlir.ir import ir

Numbers: TypeAlias = "NDArray[np.int64]"
"""Integers of any width, with their sign."""
_INDEX_BITS = 32
ALL_BYTES: Numbers = np.arange(-128, 128, dtype=np.int64)


def evaluated(op: ir.Operation, inputs: Sequence[Numbers],
              indices: Mapping[int, Numbers] = MappingProxyType({})) -> Numbers | None:
    """The element that linalg.generic ``op`` yields of ``inputs`` at the ``indices`` of its loops, arrays that numpy
    broadcasts; None where it needs another index, or has an operation that is not known here."""
    body = op.regions[0].blocks[0]
    known: dict[ir.Value, Numbers] = dict(zip(list(body.arguments)[:len(inputs)], inputs, strict=True))
    for view in body.operations:
        inner = view.operation
        if inner.name == "linalg.yield":
            return _value(inner.operands[0], known)
        if inner.name == "linalg.index":
            at = indices.get(ir.IntegerAttr(inner.attributes["dim"]).value)
            if at is None:
                return None
            known[inner.results[0]] = at
            continue
        operands = [_value(value, known) for value in inner.operands]
        compute = _OPERATIONS.get(inner.name)
        if compute is None or any(operand is None for operand in operands):
            return None
        known[inner.results[0]] = _wrapped(compute(*operands, bits=_bits(inner.operands[0])), _bits(inner.results[0]))
    return None


def _value(value: ir.Value, known: Mapping[ir.Value, Numbers]) -> Numbers | None:
    """``value``, one of ``known`` or a constant."""
    if value in known or isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return known.get(value)
    attribute = value.owner.operation.attributes["value"]
    return np.asarray(attribute.value, np.int64) if isinstance(attribute, ir.IntegerAttr) else None


def _bits(value: ir.Value) -> int:
    return value.type.width if isinstance(value.type, ir.IntegerType) else _INDEX_BITS


def _wrapped(numbers: Numbers, bits: int) -> Numbers:
    """``numbers`` as integers of ``bits`` with sign."""
    half = 1 << bits - 1
    return (numbers + half & 2 * half - 1) - half


def _unsigned(numbers: Numbers, bits: int) -> Numbers:
    return numbers & (1 << bits) - 1


def _shifted(shift: Callable[[Numbers, Numbers, int], Numbers]) -> Callable[..., Numbers]:
    """A shift, by less than the width: any other has no result that matters."""
    return lambda x, places, bits: shift(x, places & bits - 1, bits)


def _divided(divide: Callable[[Numbers, Numbers], Numbers]) -> Callable[..., Numbers]:
    """A quotient or remainder of numbers without sign; a division by 0 has no result that matters."""
    return lambda x, y, bits: divide(_unsigned(x, bits), np.maximum(_unsigned(y, bits), 1))


_OPERATIONS: dict[str, Callable[..., Numbers]] = {
    "arith.addi": lambda x, y, bits: x + y,
    "arith.subi": lambda x, y, bits: x - y,
    "arith.muli": lambda x, y, bits: x * y,
    "arith.andi": lambda x, y, bits: x & y,
    "arith.ori": lambda x, y, bits: x | y,
    "arith.xori": lambda x, y, bits: x ^ y,
    "arith.shli": _shifted(lambda x, places, bits: x << places),
    "arith.shrsi": _shifted(lambda x, places, bits: x >> places),
    "arith.shrui": _shifted(lambda x, places, bits: _unsigned(x, bits) >> places),
    "arith.divui": _divided(np.floor_divide),
    "arith.remui": _divided(np.remainder),
    "arith.extsi": lambda x, bits: x,
    "arith.extui": lambda x, bits: _unsigned(x, bits),
    "arith.trunci": lambda x, bits: x,
    "arith.index_cast": lambda x, bits: x,
}
"""What each operation gives of its operands, whose first has so many ``bits``, before it is wrapped."""
