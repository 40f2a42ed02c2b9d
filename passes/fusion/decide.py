"""When a producer is worth computing inside its consumer: pure functions over numbers and names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_FREE = frozenset({"linalg.index", "arith.constant"})
_CHEAP_DIALECTS = frozenset({"arith", "linalg"})
_EXPENSIVE = frozenset({"arith.divf", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "arith.remf"})
_CHEAP_MATH = frozenset({"math.absf", "math.copysign", "math.absi"})
EXPENSIVE_COST = 16
"""Operations one division or math function expands to, at least."""
DUPLICATION_LIMIT = 4
"""Operations that are recomputed rather than stored and loaded again."""


def body_cost(names: Iterable[str]) -> int:
    """Vector operations one element costs, from the names of the body's operations."""
    cost = 0
    for name in names:
        if name in _FREE:
            continue
        cheap = name in _CHEAP_MATH or (name.split(".")[0] in _CHEAP_DIALECTS and name not in _EXPENSIVE)
        cost += 1 if cheap else EXPENSIVE_COST
    return cost


def recompute_factor(extents: Sequence[int | None], used: set[int]) -> int:
    """How often the consumer would compute each producer element: the trips of loops the producer lacks.

    The innermost loop does not count: values that are invariant in it are hoisted.
    """
    factor = 1
    for loop, extent in enumerate(extents[:-1]):
        if loop not in used:
            factor *= extent if extent is not None else 2
    return factor


def worth_fusing(cost: int, consumers: int, recompute: int, contraction: bool = False) -> bool:
    """True when computing in the consumer saves more than the work it repeats.

    A ``contraction`` reads each element ``recompute`` times in its inner loop: no producer is cheap enough there.
    """
    if recompute > 1 and contraction:
        return cost == 0
    if consumers == 1 and recompute == 1:
        return True
    return cost <= DUPLICATION_LIMIT


def worth_keeping(names: Iterable[str]) -> bool:
    """True for operations, by their names, that cost more to recompute than to store and load: float additions all use
    one pipe, and their results use it again to be normalized before a multiplication.
    """
    names = tuple(names)
    return "arith.subf" in names or "arith.addf" in names or body_cost(names) > DUPLICATION_LIMIT
