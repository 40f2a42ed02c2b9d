"""The iterations of an scf.forall, numbered 0 .. n-1 with the last loop fastest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.bounds import constant_value

Number: TypeAlias = "int | ir.Value"
"""A number known now, or an index value."""


@dataclass(frozen=True)
class Range:
    """One loop of a forall."""

    lower: Number
    upper: Number
    step: Number

    def values(self) -> list[ir.Value]:
        """Its bounds and steps that are known only at run time."""
        return [number for number in (self.lower, self.upper, self.step) if isinstance(number, ir.Value)]

    def mapped(self, map_: dict[ir.Value, ir.Value]) -> Range:
        """The same range with its values replaced by ``map_``."""
        return Range(*(map_.get(n, n) if isinstance(n, ir.Value) else n
                       for n in (self.lower, self.upper, self.step)))

    def where(self, condition: ir.Value | None, holds: bool) -> Range:
        """The range where ``condition`` is ``holds``: what selects by it is that operand, but for a step below 1; None
        selects nothing."""
        lower, upper, step = (_selected(n, condition, holds) for n in (self.lower, self.upper, self.step))
        return Range(lower, upper, self.step if isinstance(step, int) and step < 1 else step)

    def trips(self) -> Number:
        """How many iterations it has."""
        if isinstance(self.lower, int) and isinstance(self.upper, int) and isinstance(self.step, int):
            return max(-(-(self.upper - self.lower) // self.step), 0)
        distance = arith.subi(as_value(self.upper), as_value(self.lower))
        trips = distance if self.step == 1 else arith.ceildivsi(distance, as_value(self.step))
        return arith.maxsi(trips, as_value(0))

    def at(self, index: ir.Value) -> ir.Value:
        """The induction variable of iteration ``index``."""
        scaled = index if self.step == 1 else arith.muli(index, as_value(self.step))
        return scaled if self.lower == 0 else arith.addi(as_value(self.lower), scaled)


def _selected(number: Number, condition: ir.Value | None, holds: bool) -> Number:
    if condition is None or not isinstance(number, ir.Value) or isinstance(number.owner, ir.Block):
        return number
    op = number.owner.operation
    if op.name != "arith.select" or op.operands[0] != condition:
        return number
    value = op.operands[1 if holds else 2]
    known = constant_value(value)
    return value if known is None else known


def read(forall: ir.Operation) -> list[Range]:
    """The loops of ``forall``, outermost first."""
    dynamic = list(forall.operands)
    columns: list[list[Number]] = []
    for name in ("staticLowerBound", "staticUpperBound", "staticStep"):
        column: list[Number] = []
        for number in ir.DenseI64ArrayAttr(forall.attributes[name]):
            column.append(dynamic.pop(0) if number == ir.ShapedType.get_dynamic_size() else number)
        columns.append(column)
    return [Range(*bounds) for bounds in zip(*columns, strict=True)]


def total(ranges: Sequence[Range]) -> Number:
    """How many iterations all loops have together."""
    count: Number = 1
    for range_ in ranges:
        trips = range_.trips()
        if isinstance(count, int) and isinstance(trips, int):
            count *= trips
        else:
            count = as_value(trips) if count == 1 else arith.muli(as_value(count), as_value(trips))
    return count


def induction_variables(ranges: Sequence[Range], number: ir.Value) -> list[ir.Value]:
    """The induction variables of iteration ``number``."""
    variables = []
    for range_ in reversed(ranges[1:]):
        trips = as_value(range_.trips())
        variables.append(range_.at(arith.remui(number, trips)))
        number = arith.divui(number, trips)
    variables.append(ranges[0].at(number))
    return variables[::-1]


def as_value(number: Number) -> ir.Value:
    """``number`` as an index value."""
    return arith.constant(ir.IndexType.get(), number) if isinstance(number, int) else number
