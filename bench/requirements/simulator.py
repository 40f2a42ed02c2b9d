"""That the simulator's two implementations of the matrix engine compute the golden cases and agree with each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.engine_golden import RUNNERS, cases, results
from bench.requirements.line import Kept, Line, Numbers
from fuzz.matrix import BATCH
from hexagon_mlir.sim.reference.compare_matrix import check
from hexagon_mlir.sim.reference.random_matrix import CHIPS

ASKED, _TOLD = 20000, 1000
"""Random programs: how many in all, and in one measurement."""


def golden(kept: Kept) -> Iterator[Line]:
    """A line for each implementation."""
    for make in RUNNERS:
        def equal(make=make) -> Numbers:
            return {"equal": sum(all(np.array_equal(got, expected) for (_, expected), got
                                     in zip(case["out"], results(make, case), strict=True)) for case in cases())}

        found, count = int(kept.numbers(f"golden cases, {make.__name__}", equal)["equal"]), len(cases())
        implementation = "the translated simulator" if make.__name__ == "Machine" else "the reference"
        yield Line(f"golden cases, {implementation}", f"{count} of {count}", f"{found} of {count}", found == count)


def programs(kept: Kept, count: int = ASKED) -> Iterator[Line]:
    """Programs of the seeds below ``count``, those of `_TOLD` seeds in one measurement."""
    wrong = 0
    for first in range(0, count, _TOLD):
        seeds = range(first, min(first + _TOLD, count))
        wrong += int(kept.numbers(f"random programs {seeds.start} to {seeds.stop - 1}",
                                  lambda seeds=seeds: {"wrong": _differences(seeds)})["wrong"])
    yield Line("random programs, both implementations", f"{ASKED:,} equal", f"{count - wrong:,} of {count:,}",
               wrong == 0 if count >= ASKED or wrong else None)


def _differences(seeds: range) -> int:
    """How many of the programs differ; the chips take turns, as in `fuzz.matrix`."""
    return sum(len(check(seeds[at:at + BATCH], CHIPS[seeds[at] // BATCH % len(CHIPS)]))
               for at in range(0, len(seeds), BATCH))
