"""The abstract values of `value_ranges`: an interval, which may belong to a multiple or a power of an unknown."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hexagon_mlir.llvmir.types import split_type

INFINITE = math.inf
Interval = tuple[float, float]


@dataclass(frozen=True)
class Form:
    """``coefficient * root + [low, high]``, or ``root ** power * [low, high]`` when ``power`` is not 0."""

    low: float
    high: float
    root: str = ""
    coefficient: float = 0.0
    power: Fraction = Fraction(0)

    @property
    def is_number(self) -> bool:
        """Whether it is a single number."""
        return self.root == "" and self.low == self.high

    def negative(self) -> Form:
        """``-self``."""
        coefficient = 0.0 if self.power else -self.coefficient
        return Form(-self.high, -self.low, self.root, coefficient, self.power)

    def widened(self, error: float) -> Form:
        """Enlarged by ``error`` on both sides."""
        return Form(self.low - error, self.high + error, self.root, self.coefficient, self.power)

    def times(self, factor: float) -> Form:
        """A form without a power times a number."""
        return hull((factor * self.low, factor * self.high), self.root, factor * self.coefficient)


UNKNOWN = Form(-INFINITE, INFINITE)
POSITIVE = Form(0.0, INFINITE)


def hull(ends: Sequence[float], root: str = "", coefficient: float = 0.0) -> Form:
    """``coefficient * root`` and an interval with these ``ends``; nothing where one is NaN."""
    low, high = min(ends), max(ends)
    if math.isnan(low) or math.isnan(high):
        return UNKNOWN
    return Form(low, high, root if coefficient else "", coefficient)


def interval_product(a: Interval, b: Interval) -> Interval:
    """The interval of products."""
    products = [0.0 if x == 0 or y == 0 else x * y for x in a for y in b]
    return min(products), max(products)


def interval_sum(a: Interval, b: Interval) -> Interval:
    """The interval of sums."""
    return a[0] + b[0], a[1] + b[1]


def largest(interval: Interval) -> float:
    """The largest magnitude in ``interval``."""
    return max(abs(interval[0]), abs(interval[1]))


def constant(operand: str) -> float | None:
    """The number of a splat constant of floats."""
    if operand == "zeroinitializer":
        return 0.0
    if not operand.startswith("splat ("):
        return None
    kind, text = split_type(operand[7:-1])
    if kind == "half":
        bits = int(text[3:], 16) if text.startswith("0xH") else None
        return float(text) if bits is None else struct.unpack("<e", bits.to_bytes(2, "little"))[0]
    if kind == "float":
        return struct.unpack("<d", int(text, 16).to_bytes(8, "little"))[0] if text.startswith("0x") else float(text)
    return None
