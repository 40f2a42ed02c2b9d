"""The abstract values of one function during `value_ranges`, and arithmetic on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

from hexagon_mlir.codegen.hvx.integer_ranges import integer
from hexagon_mlir.codegen.hvx.value_forms import (
    INFINITE,
    UNKNOWN,
    Form,
    Interval,
    constant,
    hull,
    interval_product,
    interval_sum,
    largest,
)
from hexagon_mlir.llvmir import Instruction

_NOTHING = 2.0 ** -12
"""A smaller coefficient is the rounding error of one that cancels."""


@dataclass
class KnownValues:
    """Forms of values by name; a root is a value without a known form."""

    forms: dict[str, Form] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    """Root -> bound of its magnitude."""
    ranges: dict[str, Interval] = field(default_factory=dict)
    """Root -> its bounds as far as they are known."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Bitcast -> its operand."""
    definitions: dict[str, Instruction] = field(default_factory=dict)

    def form(self, operand: str) -> Form:
        """The form of ``operand``, a name or a constant."""
        number = constant(operand)
        if number is not None:
            return UNKNOWN if math.isnan(number) else Form(number, number)
        found = self.forms.get(operand)
        return found if found is not None else Form(0.0, 0.0, operand, 1.0)

    def interval(self, operand: str) -> Interval:
        """Bounds of ``operand``."""
        return self.bounds(self.form(operand))

    def bounds(self, form: Form) -> Interval:
        """The interval of the values of ``form``."""
        if form.power:
            is_positive = form.low >= 0 and (form.power.denominator == 2 or form.power.numerator % 2 == 0)
            return (0.0, INFINITE) if is_positive else (-INFINITE, INFINITE)
        if not form.root or not form.coefficient:
            return form.low, form.high
        multiple = interval_product(self.root_bounds(form.root), (form.coefficient, form.coefficient))
        return interval_sum((form.low, form.high), multiple)

    def root_bounds(self, root: str) -> Interval:
        """Bounds of ``root``."""
        limit = self.limits.get(root, INFINITE)
        low, high = self.ranges.get(root, (-INFINITE, INFINITE))
        return max(low, -limit), min(high, limit)

    def limit(self, form: Form, bound: float) -> None:
        """Record that the magnitude of ``form`` is below ``bound`` wherever results are used."""
        if form.root and not form.power and form.coefficient:
            bound /= abs(form.coefficient)
            self.limits[form.root] = min(bound, self.limits.get(form.root, INFINITE))

    def same(self, operand: str) -> str:
        """The float of which ``operand`` is a bitcast; itself where there is none."""
        return self.aliases.get(operand, operand)

    def bits(self, operand: str) -> str:
        """The integers of which ``operand`` is a bitcast; itself where there are none."""
        i = self.definitions.get(operand)
        return i.operands[0] if i is not None and i.opcode == "bitcast" else operand

    def chain(self, last: Instruction | None, *links: tuple[str, int | None]) -> str | None:
        """The first operand of a chain of operations with these constants, last one first."""
        operand = None
        for opcode, number in links:
            if last is None or last.opcode != opcode or (number is not None and integer(last.operands[1]) != number):
                return None
            operand = last.operands[0]
            last = self.definitions.get(operand)
        return operand

    def sum(self, a: Form, b: Form) -> Form:
        """``a + b``."""
        if a.power or b.power:
            return Form(*interval_sum(self.bounds(a), self.bounds(b)))
        if a.root and b.root and a.root != b.root:
            return hull(interval_sum(self.bounds(a), self.bounds(b)))
        coefficient, root = a.coefficient + b.coefficient, a.root or b.root
        low, high = interval_sum((a.low, a.high), (b.low, b.high))
        rest = abs(coefficient) * largest(self.root_bounds(root)) if root and coefficient else 0.0
        if root and abs(coefficient) < _NOTHING and rest < 1:
            return Form(low - rest, high + rest)
        return hull((low, high), root, coefficient)

    def product(self, left: str, right: str) -> Form:
        """``left * right``."""
        a, b = self.form(left), self.form(right)
        for x, y in ((a, b), (b, a)):
            if x.is_number and y.power == 0:
                return y.times(x.low)
        a, b = self._monomial(left, a, b), self._monomial(right, b, a)
        if (a.power or b.power) and (not (a.power and b.power) or a.root == b.root):
            power = a.power + b.power
            low, high = interval_product((a.low, a.high), (b.low, b.high))
            if power == 0 or low > 0 or high < 0:
                return Form(low, high, (a.root or b.root) if power else "", 0.0, power)
        low, high = interval_product(self.bounds(a), self.bounds(b))
        return Form(max(low, 0.0) if self.same(left) == self.same(right) else low, high)

    def _monomial(self, operand: str, form: Form, other: Form) -> Form:
        """``operand`` as a power of the root of ``other``, when that is a power of a root; else as an interval."""
        if form.power or not other.power:
            return form
        if other.root in (self.same(operand), self.bits(operand)):
            return Form(1.0, 1.0, other.root, 0.0, Fraction(1))
        if form.root == other.root and form.low == form.high == 0 and form.coefficient:
            return Form(form.coefficient, form.coefficient, other.root, 0.0, Fraction(1))
        return Form(*self.bounds(form))
