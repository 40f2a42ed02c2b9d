"""Stack frames of a checked run: saved return addresses, and stores of functions beyond their own frame.

Beyond its frame a function owns at most its arguments on the stack, whose lifetime ends with it. So a store there
through sp or fp is a fault if it is read after the return, or immediately if it is in another frame than the caller's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hexagon_mlir.isa.packets import instructions
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.frame_model import PAIR_BYTES
from hexagon_mlir.sim.checking.rules import ADDRESSABLE, DEAD, SAVED, Rule
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.translation.image import MAX_DEPTH
from hexagon_mlir.sim.translation.program import Site

ReportFault = Callable[[Rule, int, Site, str], None]


class _Store(NamedTuple):
    """Bytes stored beyond a frame, and the function's call depth."""

    address: int
    size: int
    depth: int


class Frames:
    """The frames of all threads; ``flags`` is the shadow memory."""

    def __init__(self, memory: Memory, flags: np.ndarray, report: ReportFault) -> None:
        self.memory = memory
        self.flags = flags
        self.report = report
        self._entries: dict[int, np.ndarray] = {}
        """By state record: the stack pointer at the entry of each function, by depth."""
        self.begin()

    def begin(self) -> None:
        """A run begins."""
        self._above: dict[int, dict[_Store, Site]] = {}
        """By state record: stores of functions that have not returned."""
        self._dead: dict[int, Site] = {}
        """The packet that stored each `DEAD` byte."""
        self._smashed: dict[int, Site] = {}
        """The packet that overwrote the saved words at each address."""

    def attach(self, context: Context) -> None:
        """Give the state record its table of entries."""
        entries = self._entries.setdefault(context.index, np.zeros(MAX_DEPTH + 1, np.uint32))
        context.state.view(np.uint64)[layout.FRAMES // 8] = entries.ctypes.data
        self._above[context.index] = {}
        context.words[layout.ABOVE // 4] = 0

    def _entry(self, context: Context) -> tuple[int, int]:
        """Depth of the running function and the stack pointer at its entry."""
        depth = int(context.words[layout.DEPTH // 4])
        return depth, int(self._entries[context.index][depth])

    def above(self, context: Context, address: int, size: int, site: Site) -> None:
        """A store through sp or fp ends above the running function's frame."""
        depth, entry = self._entry(context)
        end, start = address + size, max(address, entry)
        if (self.flags[address:end] & SAVED).any():
            return  # the store is reported as such
        caller = self._saved_fp(entry - PAIR_BYTES)
        if caller is not None and end > caller:
            self.report(Rule.CALLER_FRAME, start, site, f"writes {size} bytes, beyond the caller's frame")
            return
        marks = self._above[context.index]
        marks[_Store(start, end - start, depth)] = site
        context.words[layout.ABOVE // 4] = len(marks)

    def _saved_fp(self, address: int) -> int | None:
        """The fp saved in a frame whose fp is ``address``, if there is one and it is that of a frame, too."""
        if not self.flags[address] & SAVED:
            return None
        saved = int(self.memory.view(address, 4).view(np.uint32)[0])
        return saved if self.flags[saved] & SAVED else None

    def late_read(self, context: Context, site: Site) -> bool:
        """Whether the running function has released its frame, and reads through a register other than sp and fp.

        LLVM moves loads of variable arguments after the last change of sp; they have not been overwritten by then.
        """
        _, entry = self._entry(context)
        through_frame = any(insn.accesses_frame for insn in instructions(site.packet.strip("{ }")))
        return not self.flags[entry - 1] & ADDRESSABLE and not through_frame

    def returned(self, context: Context) -> None:
        """The running function returns: its stores above its frame become undefined."""
        marks, depth = self._above[context.index], int(context.words[layout.DEPTH // 4])
        for store in [store for store in marks if store.depth >= depth]:
            site = marks.pop(store)
            span = self.flags[store.address : store.address + store.size]
            span |= (span & ADDRESSABLE) * np.uint8(DEAD)
            self._dead.update(dict.fromkeys(range(store.address, store.address + store.size), site))
        context.words[layout.ABOVE // 4] = len(marks)

    def dead_read(self, address: int, size: int, reader: Site) -> None:
        """A read of `DEAD` bytes: report their store."""
        first = address + int(np.flatnonzero(self.flags[address : address + size] & DEAD)[0])
        self.report(Rule.CALLER_FRAME, first, self._dead.get(first, reader),
                    f"written beyond the function's own frame, read by asm line {reader.line}")

    def saved_write(self, address: int, size: int, site: Site) -> None:
        """A store over the words that a frame saves."""
        first = address + int(np.flatnonzero(self.flags[address : address + size] & SAVED)[0])
        self._smashed[first & -PAIR_BYTES] = site
        self.report(Rule.RETURN_ADDRESS, first, site, f"writes {size} bytes over the saved r31:30 of a frame")

    def wrong_return(self, context: Context, target: int, site: Site) -> None:
        """A function returns to ``target``, which is not where it was called."""
        _, entry = self._entry(context)
        smash = self._smashed.get(entry - PAIR_BYTES)
        writer = f"; asm line {smash.line} wrote there: {smash.packet}" if smash else ""
        self.report(Rule.RETURN_ADDRESS, entry - PAIR_BYTES, site, f"returns to {target:#x}, not to its caller{writer}")
