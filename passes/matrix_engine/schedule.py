"""The order in which the blocks of a product are transferred, packed and multiplied: functions over numbers.

One factor stays in TCM: it is packed, block by block, during the products with the first block of the other factor,
whose other blocks follow one after the other.
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
    """Sizes of the blocks of rows and of columns, and the factor that stays in TCM."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    stays: int = RIGHT

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
        outer, inner = (range(len(self.blocks[operand])) for operand in (moves, self.stays))
        order = [Fetch(moves, 0), *(Fetch(self.stays, number) for number in inner),
                 *(Fetch(moves, number) for number in outer[1:])]
        steps, packed, fetched = [], 0, 0
        for pair in product(outer, inner):
            factors = tuple(Fetch(operand, pair[operand != moves]) for operand in (LEFT, RIGHT))
            packs = max([packed, *(order.index(one) + 1 for one in factors)])
            fetches = fetched if packs == packed else max(fetched, min(packs + AHEAD, len(order)))
            steps.append(Step(tuple(order[fetched:fetches]), tuple(order[packed:packs]), (factors[0], factors[1])))
            packed, fetched = packs, fetches
        return tuple(steps)
