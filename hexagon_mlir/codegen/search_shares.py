"""Which kernels of a model are worth a search for their best code.

LLVM generates code several times in a search (`codegen.variants`), which is half of the time it takes for a model of
many kernels; kernels that take a small part of the cycles gain little, and less with each way.
"""

from __future__ import annotations

from collections.abc import Sequence

SMALL = 0.01
"""The part of a model's predicted cycles below which a kernel is generated in few ways. Of 63 functions that are worth
four, the best of the first two takes 0.5 % more than the best of all: 0.005 % of the model's for one such kernel."""
TWICE = "code is generated in two ways at most"
"""The remark of a kernel that is not searched."""


def searched(cycles: Sequence[float | None]) -> list[bool]:
    """Whether each kernel is searched, from the predicted ``cycles`` of all its calls: those that take at least `SMALL`
    of the sum are, and those whose cycles are not known (None).
    """
    least = SMALL * sum(count for count in cycles if count is not None)
    return [count is None or count >= least for count in cycles]
