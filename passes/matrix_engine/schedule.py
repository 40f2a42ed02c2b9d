"""The order in which the blocks of a product are transferred, packed and multiplied: functions over numbers.

One factor stays in TCM: it is packed, block by block, during the products with the first block of the other factor,
whose other blocks follow one after the other. Where it does not fit, a few blocks of it stay at a time: all blocks of
the other factor follow, and for the next few they are transferred again, the last one first, which is still there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

LEFT, RIGHT = range(2)
AHEAD = 2
"""Transfers that start before the block that is packed next has come."""

UNFINISHED = 2
"""Products that start before the results of the one before them are unpacked: one that runs and one that is next."""


class Fetch(NamedTuple):
    """Block ``number`` of the rows of the left factor or of the columns of the right one."""

    operand: int
    number: int


@dataclass(frozen=True)
class Step:
    """A product of blocks: what is transferred and packed before it."""

    fetches: tuple[Fetch, ...]
    packs: tuple[Fetch, ...]
    factors: tuple[Fetch, Fetch]


@dataclass(frozen=True)
class Grid:
    """Sizes of the blocks of rows and of columns, the factor that stays in TCM, and how many blocks of it stay there at
    a time; 0 for all."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    stays: int = RIGHT
    at_a_time: int = 0

    @property
    def blocks(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Sizes of the blocks of each factor."""
        return self.rows, self.columns

    @property
    def fetches(self) -> list[list[Fetch]]:
        """One for each block, of each factor."""
        return [[Fetch(operand, number) for number in range(len(self.blocks[operand]))] for operand in (LEFT, RIGHT)]

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The products in order."""
        moves = 1 - self.stays
        order: list[Fetch] = []
        position: dict[Fetch, int] = {}
        needs: list[tuple[tuple[Fetch, Fetch], int]] = []
        for number, inner in enumerate(self.groups):
            outer = range(len(self.blocks[moves]))[::-1 if number % 2 else 1]
            first, *others = (Fetch(moves, block) for block in outer)
            for one in (*([] if order else [first]), *(Fetch(self.stays, block) for block in inner), *others):
                position[one] = len(order)
                order.append(one)
            for pair in product(outer, inner):
                left, right = (Fetch(operand, pair[operand != moves]) for operand in (LEFT, RIGHT))
                needs.append(((left, right), max(position[left], position[right]) + 1))
        steps, packed, fetched = [], 0, 0
        for factors, needed in needs:
            packs = max(packed, needed)
            fetches = fetched if packs == packed else max(fetched, min(packs + AHEAD, len(order)))
            steps.append(Step(tuple(order[fetched:fetches]), tuple(order[packed:packs]), factors))
            packed, fetched = packs, fetches
        return tuple(steps)

    @property
    def groups(self) -> list[range]:
        """The blocks of the factor that stays which stay at the same time."""
        count = len(self.blocks[self.stays])
        size = self.at_a_time or count
        return [range(start, min(start + size, count)) for start in range(0, count, size)]
