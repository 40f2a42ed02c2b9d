"""Sizes as formulas over symbols, found from their values at several examples. Pure functions."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from typing import Generic, TypeVar

Symbol = TypeVar("Symbol", bound=Hashable)
Numbers = tuple[int, ...]
"""The values of one size at each example."""
EXAMPLES = 3
"""A formula of a product of given numbers has two coefficients: a third example checks it."""
_MOST_FACTORS = 3


@dataclass(frozen=True)
class Formula(Generic[Symbol]):
    """The integer ``factor * product of symbols / divisor + offset``; the division has no remainder."""

    symbols: tuple[Symbol, ...] = ()
    factor: int = 0
    divisor: int = 1
    offset: int = 0

    def value(self, sizes: Mapping[Symbol, int]) -> int:
        """The number for these ``sizes`` of the symbols."""
        return self.factor * prod(sizes[symbol] for symbol in self.symbols) // self.divisor + self.offset


def constant(number: int) -> Formula[Symbol]:
    """The formula of a number."""
    return Formula(offset=number)


def fit(numbers: Numbers, known: Mapping[Symbol, Numbers]) -> Formula[Symbol] | None:
    """The formula over ``known`` symbols that gives ``numbers``, of as few factors as possible; None without one.

    A product that is divided has no offset: it is a multiple of the divisor at any size, or no size of the model.
    """
    if len(set(numbers)) == 1:
        return constant(numbers[0])
    for symbol, values in known.items():
        if values == numbers:
            return Formula((symbol,), 1)
    for symbols in _products(known):
        values = tuple(map(prod, zip(*(known[symbol] for symbol in symbols), strict=True)))
        if values[0] == values[1]:
            continue
        slope = Fraction(numbers[1] - numbers[0], values[1] - values[0])
        offset = numbers[0] - slope * values[0]
        exact = offset.denominator == 1 and (slope.denominator == 1 or not offset)
        if exact and slope and all(slope * v + offset == n for v, n in zip(values, numbers, strict=True)):
            return Formula(symbols, slope.numerator, slope.denominator, int(offset))
    return None


def _products(known: Mapping[Symbol, Numbers]) -> Iterator[tuple[Symbol, ...]]:
    """Symbols to multiply, fewest first; of symbols with equal values only the first."""
    first = {values: symbol for symbol, values in reversed(list(known.items()))}
    varying = [symbol for symbol, values in known.items() if first[values] == symbol and len(set(values)) > 1]
    for count in range(1, _MOST_FACTORS + 1):
        yield from combinations_with_replacement(varying, count)
