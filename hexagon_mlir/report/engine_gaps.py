"""Where the matrix engine idles between the kernels of a model, and what is done meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexagon_mlir.exec.session import LaunchRecord


@dataclass(frozen=True)
class Gap:
    """Cycles from the last product of one kernel to the first one of a later kernel.

    ``after`` are those of the first kernel, which unpacks and stores its results; ``others`` those of the kernels
    between the two, which have no products; ``before`` those of the later kernel, which fetches and packs its operands.
    """

    first: str
    later: str
    between: tuple[str, ...]
    after: int
    others: int
    before: int

    @property
    def cycles(self) -> int:
        """In which the engine computes nothing."""
        return self.after + self.others + self.before


@dataclass(frozen=True)
class Idle:
    """Cycles of ``total`` in which the engine's array computes nothing: in ``gaps`` between kernels with products,
    ``within`` such kernels between their first and their last product, and at the ``ends`` of the run."""

    total: int
    gaps: tuple[Gap, ...]
    within: int
    ends: int

    @property
    def between(self) -> int:
        """In all gaps."""
        return sum(gap.cycles for gap in self.gaps)


def idle(records: Sequence[LaunchRecord]) -> Idle | None:
    """Of launches that run one after the other; None if none of them has products."""
    gaps: list[Gap] = []
    last: LaunchRecord | None = None
    waiting: list[LaunchRecord] = []
    within, ends = 0, 0
    for record in records:
        use = record.result.matrix
        if use is None or not use.products:
            waiting.append(record)
            continue
        others = sum(one.result.cycles for one in waiting)
        if last is None or last.result.matrix is None:
            ends += others + use.first_cycle
        else:
            names = tuple(dict.fromkeys(one.kernel for one in waiting))
            gaps.append(Gap(last.kernel, record.kernel, names, last.result.cycles - last.result.matrix.last_cycle,
                            others, use.first_cycle))
        within += use.last_cycle - use.first_cycle - use.array_cycles
        last, waiting = record, []
    if last is None or last.result.matrix is None:
        return None
    ends += last.result.cycles - last.result.matrix.last_cycle + sum(one.result.cycles for one in waiting)
    return Idle(sum(record.result.cycles for record in records), tuple(gaps), within, ends)
