"""Which kernels of a model are worth a search for their best code.

LLVM generates code several times in a search (`codegen.variants`), which is half of the time it takes for a model of
many kernels; kernels that take a small part of the cycles gain little, and less with each way.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.settings import Search

SMALL = 0.03
"""The part of a model's predicted cycles below which a kernel is generated in few ways. Of 63 functions that are worth
four, the best of the first two takes 0.5 % more than the best of all: 0.015 % of the model's for one such kernel."""
SMALLEST = 0.02
"""The part of a model's predicted cycles that the smallest of those kernels take together, which are generated in one
way. Of 255 functions, a second way saves 2.3 % of the static costs, a third of them at most."""
REMARKS = {Search.FEW: "code is generated in two ways at most", Search.NONE: "code is generated in one way"}
"""Of kernels that are not searched."""


def searches(cycles: Sequence[float | None]) -> list[Search]:
    """How each kernel is searched, from the predicted ``cycles`` of all its calls: those that take at least `SMALL` of
    the sum in all ways, and those whose cycles are not known (None); of the others, the smallest that take `SMALLEST`
    of the sum together in one way.
    """
    whole = sum(count for count in cycles if count is not None)
    found, taken = [Search.AUTO] * len(cycles), 0.0
    small = [(count, number) for number, count in enumerate(cycles) if count is not None and count < SMALL * whole]
    for count, number in sorted(small):
        taken += count
        found[number] = Search.NONE if taken <= SMALLEST * whole else Search.FEW
    return found
