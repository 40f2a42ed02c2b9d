"""The matrix engine in a checked run: its operands as accesses of the thread that issues, and its own rules.

What the engine reads and writes is marked like the two sides of a transfer until somebody has waited for the engine. A
tile may have rows and columns that nobody uses, so an operand counts as uninitialised only as a whole, and its bytes
without a value are no infinities.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hexagon_mlir.isa.matrix import Kind
from hexagon_mlir.sim.checking import matrix_registers
from hexagon_mlir.sim.checking.checks import Checks
from hexagon_mlir.sim.checking.rules import ADDRESSABLE, DMA_DESTINATION, DMA_SOURCE, INITIALISED, Rule
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.matrix_engine.engine import MatrixEngine, Packet

KEEP_NEGATIVES = 1 << 1
"""Of the register of ``cvt.hf``."""
INFINITE = 0x7C00
SIDES = DMA_DESTINATION | DMA_SOURCE


class MatrixChecks:
    """Watches ``engine`` for ``checks``."""

    def __init__(self, checks: Checks, engine: MatrixEngine) -> None:
        self.checks = checks
        self.engine = engine
        self.low = engine.tcm.low
        self.window = int(checks.memory.target.matrix_window_bytes.value)
        self.marks = np.zeros(engine.tcm.high - self.low, np.uint8)
        """`DMA_DESTINATION` of bytes that the engine writes, `DMA_SOURCE` of those it reads, until it is waited for."""
        self.marked: set[tuple[int, int]] = set()
        self.context: Context | None = None
        self.packet: Packet | None = None
        self.activations: list[int] = []
        """Where the activations of the packet begin."""
        engine.tcm.moved = self.moved
        checks.matrix = self

    def issued(self, context: Context, packet: Packet, registers: Sequence[int], usr: int, held: bool) -> None:
        """A packet is about to run; ``held``: by the engine's holder, or the only thread."""
        self.context, self.packet, self.activations = context, packet, []
        if not held:
            self._report(Rule.MATRIX_HOLDER, 0, "a packet of a thread that does not hold the engine")
        for address, bits in matrix_registers.ignored(packet, registers):
            self._report(Rule.MATRIX_MISALIGNED, address, f"bits {bits:#x} of the address are ignored")
        operation = packet.operation
        if packet.pair is not None and (why := matrix_registers.dropped(packet.pair, registers)):
            self._report(Rule.MATRIX_DROPPED, registers[0], why)
        relu = operation.kind is Kind.CONVERT and operation.floating and not registers[0] & KEEP_NEGATIVES
        if relu and (count := self.engine.conversions.negatives(registers[0], usr)):
            self._report(Rule.MATRIX_RELU, 0, f"{count} negative results become 0")

    def moved(self, what: str, address: int, nbytes: int, write: bool) -> None:
        """The packet's next operand."""
        assert self.packet is not None
        first = address
        if what == "activation":  # a window into two tiles is one operand
            self.activations.append(address)
            first = self.activations[0]
        if len({at // self.window for at in (first, address, address + nbytes - 1)}) > 1:
            self._report(Rule.MATRIX_WINDOW, address, f"{what} across a multiple of {self.window:#x}")
        if what in ("activation", "weight") and self.packet.operation.floating:
            halves = self.checks.memory.view(address, nbytes).view(np.uint16)
            valued = self.checks.flags.array[address : address + nbytes : 2] & INITIALISED != 0
            found = np.flatnonzero(valued & (halves & INFINITE == INFINITE))
            if found.size:
                self._report(Rule.MATRIX_INFINITY, address + 2 * int(found[0]), f"{found.size} halves of the {what}")
        self._access(what, address, nbytes, write)

    def _access(self, what: str, address: int, nbytes: int, write: bool) -> None:
        flags = self.checks.flags.array[address : address + nbytes]
        marks = self.marks[address - self.low : address - self.low + nbytes]
        others = flags & ~marks
        verb = f"the {what}, {nbytes} bytes"
        outside = np.flatnonzero(flags & ADDRESSABLE == 0)
        if outside.size:
            at = address + int(outside[0])
            self._report(self.checks.places.outside(at), at, verb)
        elif (others & DMA_DESTINATION).any():
            self._report(Rule.USE_BEFORE_WAIT, address, verb)
        elif write and (others & DMA_SOURCE).any():
            self._report(Rule.SOURCE_CHANGED, address, verb)
        elif not write and not (flags & INITIALISED).any():
            self._report(Rule.UNINITIALISED, address, verb)
        assert self.context is not None
        self.checks.raced(self.context, address, nbytes, write)
        mark = np.uint8(DMA_DESTINATION if write else DMA_SOURCE)
        marks |= mark
        flags |= mark
        self.marked.add((address, nbytes))

    def drained(self) -> None:
        """Somebody has waited for the engine."""
        for address, nbytes in self.marked:
            self.marks[address - self.low : address - self.low + nbytes] = 0
            self.checks.flags.array[address : address + nbytes] &= np.uint8(~SIDES & 0xFF)
        if self.marked:
            self.checks.mark_pending()
        self.marked.clear()

    def owns(self, address: int) -> bool:
        """Whether the engine reads or writes a byte."""
        return self.low <= address < self.low + self.marks.size and bool(self.marks[address - self.low])

    def own_rule(self, rule: Rule, address: int, size: int) -> Rule:
        """The engine's rule in place of one about transfers, if the marks of the range are the engine's."""
        marks = self.marks[max(address - self.low, 0) : max(address + size - self.low, 0)]
        if rule in (Rule.USE_BEFORE_WAIT, Rule.DMA_OVERLAP) and (marks & DMA_DESTINATION).any():
            return Rule.MATRIX_RESULT
        if rule in (Rule.SOURCE_CHANGED, Rule.DMA_OVERLAP) and (marks & DMA_SOURCE).any():
            return Rule.MATRIX_OPERAND
        return rule

    def _report(self, rule: Rule, address: int, detail: str) -> None:
        assert self.context is not None
        self.checks.report(rule, address, self.checks.site(self.context), detail)
