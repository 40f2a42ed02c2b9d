"""How long a waiting thread takes to notice what it waits for: it polls at first, and sleeps in the end."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim.memory_system.cache_model import cycles_q8
from hexagon_mlir.targets import Target


@dataclass(frozen=True)
class Polling:
    """Times in 1/256 cycle."""

    short: int
    """From an event to the first packet of a thread that polls with short pauses,"""
    long: int
    """with long ones,"""
    dispatch: int
    """and of one that sleeps."""
    short_limit: int
    """It polls with short pauses for so long,"""
    limit: int
    """and in all for so long."""

    @staticmethod
    def of(target: Target) -> Polling:
        """The numbers of ``target``."""
        facts = (target.poll_cycles, target.poll_slowly_cycles, target.task_dispatch_cycles,
                 target.poll_short_limit_cycles, target.poll_limit_cycles)
        return Polling(*(cycles_q8(float(fact.value)) for fact in facts))

    def handover(self, waited: int) -> int:
        """From an event to the first packet of a thread that had waited for it for so long.

        >>> polling = Polling(short=70, long=190, dispatch=600, short_limit=2048, limit=16384)
        >>> [polling.handover(waited) for waited in (0, 2047, 2048, 16383, 16384)]
        [70, 70, 190, 190, 600]
        """
        if waited >= self.limit:
            return self.dispatch
        return self.short if waited < self.short_limit else self.long
