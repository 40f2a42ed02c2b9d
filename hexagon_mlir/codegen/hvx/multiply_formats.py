"""Which multiplications take qfloat operands and which IEEE ones: a decision over numbers, no IR.

HVX multiplies two qf32 or two sf vectors, never one of each. Converting a value to the other format takes the shift
pipe, as every qfloat addition does; one conversion serves all multiplications of the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

OUTSIDE = 0.05
"""Cost of a conversion outside the loop, against 1 inside: a register, mostly."""


@dataclass(frozen=True)
class Availability:
    """Cost of a value in each format, in conversions; 0 for a format that it already has."""

    ieee: float
    qfloat: float


def choose_formats(products: Sequence[tuple[str, str]], values: Mapping[str, Availability]) -> list[bool]:
    """Per product: True to take qfloat operands. Starts from the better uniform choice and improves it locally."""
    if not products:
        return []
    groups = [[i] for i in range(len(products))]
    users: dict[str, list[int]] = {value: [] for value in values}
    for i, pair in enumerate(products):
        for value in dict.fromkeys(pair):
            users[value].append(i)
    groups += [group for group in users.values() if len(group) > 1]
    starts = [[False] * len(products), [True] * len(products)]
    return min((_improved(start, groups, products, values) for start in starts),
               key=lambda choice: conversions(choice, products, values))


def conversions(choice: Sequence[bool], products: Sequence[tuple[str, str]],
                values: Mapping[str, Availability]) -> float:
    """Cost of the conversions that ``choice`` needs."""
    wanted = dict.fromkeys((value, qfloat) for pair, qfloat in zip(products, choice, strict=True) for value in pair)
    return sum(values[value].qfloat if qfloat else values[value].ieee for value, qfloat in wanted)


def _improved(choice: list[bool], groups: Sequence[Sequence[int]], products: Sequence[tuple[str, str]],
              values: Mapping[str, Availability]) -> list[bool]:
    uses: tuple[dict[str, int], dict[str, int]] = (dict.fromkeys(values, 0), dict.fromkeys(values, 0))
    for pair, taken in zip(products, choice, strict=True):
        for value in pair:
            uses[taken][value] += 1
    costs = ({v: value.ieee for v, value in values.items()}, {v: value.qfloat for v, value in values.items()})
    changed = True
    while changed:
        changed = False
        for group in groups:
            for qfloat in (False, True):
                flipped = [i for i in group if choice[i] != qfloat]
                if not flipped:
                    continue
                moved: dict[str, int] = {}
                for value in (value for i in flipped for value in products[i]):
                    moved[value] = moved.get(value, 0) + 1
                now, later = uses[not qfloat], uses[qfloat]
                saved = sum([costs[not qfloat][v] for v, count in moved.items() if now[v] == count])
                added = sum([costs[qfloat][v] for v in moved if not later[v]])
                if added < saved - 1e-9:
                    for i in flipped:
                        choice[i] = qfloat
                    for v, count in moved.items():
                        later[v] += count
                        now[v] -= count
                    changed = True
    return choice
