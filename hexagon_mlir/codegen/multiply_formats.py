"""Which multiplications take qfloat operands and which IEEE ones: a decision over numbers, no IR.

HVX multiplies two qf32 or two sf vectors, never one of each. Turning a value into the other format takes the shift
pipe, as every qfloat addition does; a value turned once serves all its multiplications.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

OUTSIDE = 0.05
"""Cost of a conversion outside the loop, against 1 inside: a register, mostly."""


@dataclass(frozen=True)
class Availability:
    """What turning a value into each format costs, in conversions; 0 when it is there already."""

    ieee: float
    qfloat: float


def choose_formats(products: Sequence[tuple[str, str]], values: Mapping[str, Availability]) -> list[bool]:
    """Per product: True to take qfloat operands. Starts from the better uniform choice and improves it locally."""
    groups = [[i] for i in range(len(products))]
    for value in values:
        users = [i for i, pair in enumerate(products) if value in pair]
        if len(users) > 1:
            groups.append(users)
    starts = [[False] * len(products), [True] * len(products)]
    return min((_improved(start, groups, products, values) for start in starts),
               key=lambda choice: conversions(choice, products, values))


def conversions(choice: Sequence[bool], products: Sequence[tuple[str, str]],
                values: Mapping[str, Availability]) -> float:
    """Conversions that ``choice`` needs."""
    wanted = {(value, qfloat) for pair, qfloat in zip(products, choice, strict=True) for value in pair}
    return sum(values[value].qfloat if qfloat else values[value].ieee for value, qfloat in wanted)


def _improved(choice: list[bool], groups: Sequence[Sequence[int]], products: Sequence[tuple[str, str]],
              values: Mapping[str, Availability]) -> list[bool]:
    best = conversions(choice, products, values)
    changed = True
    while changed:
        changed = False
        for group in groups:
            for qfloat in (False, True):
                other = list(choice)
                for i in group:
                    other[i] = qfloat
                cost = conversions(other, products, values)
                if cost < best - 1e-9:
                    choice, best, changed = other, cost, True
    return choice
