"""Describes guest addresses, for reports, and finds the rule that an access outside all objects breaks."""

from __future__ import annotations

from bisect import bisect

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.rules import Rule
from hexagon_mlir.sim.memory_system.memory import GUARD_BYTES, Memory
from hexagon_mlir.sim.translation.program import Program, Site

Allocations = dict[int, tuple[str, int, Site | None]]
"""Address -> (region, size, packet of its allocation; None for the host)."""


class Places:
    """The regions of a machine's memory, with the variables of its program and what is allocated."""

    def __init__(self, memory: Memory, program: Program) -> None:
        self.memory = memory
        self.program = program
        self.allocations: Allocations = {}

    def outside(self, address: int) -> Rule:
        """The rule that an access at an inaccessible ``address`` breaks."""
        if self._in_data(address):
            return Rule.VARIABLE_BOUNDS
        return Rule.BELOW_STACK if self._stack(address) is not None else Rule.OUT_OF_BOUNDS

    def region(self, address: int) -> str:
        """The object at ``address``, or the allocation next to it."""
        if address < layout.NULL_PAGE_BYTES:
            return "null page"
        if layout.CODE_BASE <= address < self.program.code_end:
            return "code"
        if self._in_data(address):
            return self._variable(address)
        for start, (name, size, _) in self.allocations.items():
            if start <= address < start + size:
                return f"{name} allocation {start:#x} + {address - start} of {size} bytes"
        if (stack := self._stack(address)) is not None:
            return f"stack {stack}"
        below = max((start for start in self.allocations if start <= address), default=None)
        if below is not None and address < below + self.allocations[below][1] + GUARD_BYTES:
            name, size, _ = self.allocations[below]
            return f"{address - below - size} bytes past {name} allocation {below:#x} of {size} bytes"
        return "TCM, not allocated" if self.memory.in_tcm(address) else "no region"

    def _in_data(self, address: int) -> bool:
        return layout.DATA_BASE <= address < self.program.data_end + GUARD_BYTES

    def _stack(self, address: int) -> int | None:
        """The number of the stack that contains ``address``."""
        per_stack = self.memory.stack_bytes + layout.STACK_GUARD_BYTES
        thread, offset = divmod(address - layout.STACK_BASE, per_stack)
        inside = layout.STACK_BASE <= address < layout.DDR_BASE and offset < self.memory.stack_bytes
        return thread if inside else None

    def _variable(self, address: int) -> str:
        """The variable at ``address``, or the one before it."""
        number = bisect(self.program.globals, address, key=lambda each: each.address)
        if not number:
            return "data"
        found = self.program.globals[number - 1]
        offset = address - found.address
        what = f"{found.name} of {found.size} bytes"
        return f"{what} + {offset}" if offset < found.size else f"{offset - found.size} bytes past {what}"
