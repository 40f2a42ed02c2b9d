"""The order of loads, shuffles and stores: loads of some vectors are packets with stores of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

MOST_TOGETHER = 8
"""Pairs of vectors in one iteration: the more, the fewer packets wait for the first loads."""
_AHEAD = 2
"""Pairs that are loaded before the first of them is shuffled: it has come then."""
_PAIR = 2


def iterations_together(extent: int, most: int = MOST_TOGETHER) -> int:
    """How many of ``extent`` iterations, a divisor of it, are written beside each other: ``most`` at most."""
    return next(count for count in range(most, 0, -1) if extent % count == 0)


def beside_each_other(moves: Sequence[Iterator[None]]) -> None:
    """Runs ``moves``, each of which writes two loads, a shuffle, and up to two stores, and yields after each."""
    for step in range(len(moves) + _AHEAD):
        begun = moves[step] if step < len(moves) else None
        ending = moves[step - _AHEAD] if step >= _AHEAD else None
        if ending is not None:
            next(ending, None)
        for _ in range(_PAIR):
            for move in (begun, ending):
                if move is not None:
                    next(move, None)


def in_turns(moves: Sequence[Iterator[None]], loads: int) -> None:
    """Runs ``moves``, each of which writes so many ``loads`` and then as many stores, and yields after each: the loads
    of one in turns with the stores of the one before.

    >>> in_turns([map(lambda what, at=at: print(f"{what}{at}", end=" "), ("load", "store")) for at in range(3)], 1)
    load0 load1 store0 load2 store1 store2\x20
    """
    for begun, ending in zip((*moves, None), (None, *moves), strict=True):
        for _ in range(loads):
            for move in (begun, ending):
                if move is not None:
                    next(move, None)
