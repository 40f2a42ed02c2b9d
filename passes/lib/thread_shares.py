"""How many iterations of a parallel loop the main thread runs: functions over numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_MOST_COUNT = 256
"""More iterations are distributed equally: the main thread's share would differ by less than a hundredth."""


@dataclass(frozen=True)
class Shares:
    """The main thread runs the ``first`` iterations; ``others`` are tasks that run the rest, round-robin."""

    first: int
    others: int

    def most(self, count: int) -> int:
        """The most iterations of ``count`` that one of the others runs.

        >>> Shares(first=3, others=3).most(8)
        2
        """
        return -(-(count - self.first) // self.others) if self.others else 0


def equal_shares(count: int, tasks: int) -> Shares:
    """``count`` iterations, 1 or more, of at most ``tasks`` tasks, the main thread's included.

    >>> equal_shares(9, 4), equal_shares(2, 4)
    (Shares(first=3, others=3), Shares(first=1, others=1))
    """
    tasks = min(count, tasks)
    return Shares(-(-count // tasks), tasks - 1)


def main_share(count: int, tasks: int, end: Callable[[Shares], float]) -> Shares:
    """The shares for which ``end`` is least: equal ones, or more iterations of the main thread.

    >>> main_share(4, 4, lambda shares: abs(shares.first - 2))
    Shares(first=2, others=2)
    """
    best = equal_shares(count, tasks)
    if count > _MOST_COUNT or not best.others:
        return best
    least = end(best)
    for first in range(best.first + 1, count):
        shares = Shares(first, min(tasks - 1, count - first))
        if (cycles := end(shares)) < least:
            best, least = shares, cycles
    return best
