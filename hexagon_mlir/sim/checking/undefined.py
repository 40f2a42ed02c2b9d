"""Reports loads of undefined bytes whose value `translation.second_values` finds to be used."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.places import Places
from hexagon_mlir.sim.checking.report import Report
from hexagon_mlir.sim.checking.rules import ADDRESSABLE, INITIALISED, Rule
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.translation.program import Site


class UndefinedValues:
    """The loads of one program; ``flags`` is the shadow memory, ``made`` makes a report and ``tell`` keeps it."""

    def __init__(
        self, places: Places, flags: np.ndarray, made: Callable[[Rule, int, Site, str], Report],
        tell: Callable[[Report], None],
    ) -> None:
        self.places = places
        self.flags = flags
        self.made = made
        self.tell = tell
        self.sites = places.program.sites
        self.loads = np.zeros(len(self.sites) + 1, np.uint32)
        """The address from which each packet last loaded undefined bytes."""
        self.vector_bytes = int(places.memory.target.vector_bytes.value)
        self.begin()

    def begin(self) -> None:
        """A run begins."""
        self.stored: dict[int, Report] = {}
        """By address of a store of bytes without a value: the report, if they stay so."""

    def used(self, context: Context, site: Site) -> None:
        """An address or a branch depends on undefined bytes."""
        self.tell(self._report(context, "is used by", site))

    def stored_some(self, context: Context, site: Site) -> None:
        """Undefined bytes were stored; they may be overwritten before the caller of the program sees them."""
        address = int(context.words[layout.FAULT // 4])
        self.stored[address] = self._report(context, "is left to the caller by", site)

    def finish(self) -> None:
        """Report undefined bytes in the caller's memory and mark them as defined."""
        nbytes = self.vector_bytes
        owned = sorted((start, size) for start, (_, size, site) in self.places.allocations.items() if site is None)
        for address, report in self.stored.items():
            for start, size in owned[max(bisect(owned, (address, 0)) - 1, 0) : bisect(owned, (address + nbytes, 0))]:
                span = self.flags[max(address, start) : min(address + nbytes, start + size)]
                if not (span & INITIALISED).all():
                    self.tell(report)
                    span |= np.uint8(INITIALISED)

    def _report(self, context: Context, how: str, user: Site) -> Report:
        """Report the load whose origin is in the state record."""
        number = int(context.words[layout.RULE // 4]) - 1
        load, address = self.sites[number], int(self.loads[number])
        span = self.flags[address : address + self.vector_bytes]
        empty = np.flatnonzero(span & (ADDRESSABLE | INITIALISED) == ADDRESSABLE)
        outside = np.flatnonzero(span & ADDRESSABLE == 0)
        first = address + int(empty[0] if empty.size else outside[0] if outside.size else 0)
        rule = self.places.outside(first) if outside.size and not empty.size else Rule.UNINITIALISED
        return self.made(rule, first, load, f"what is loaded {how} asm line {user.line}: {user.packet}")
