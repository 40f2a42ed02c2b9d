"""The checked run: keeps the shadow of guest memory up to date and turns faults into reports.

Guard zones: only the requested bytes of an allocation are addressable. The `GUARD_BYTES` after them, in a checked run
for TCM allocations as well, may be read by vector loads that use none of them.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import (
    MAX_SEGMENTS,
    SIZE_SHIFT,
    UNTOUCHED_SHIFT,
    WEAK,
    WORD_BYTES,
    WRITE,
)
from hexagon_mlir.sim.checking.frames import Frames
from hexagon_mlir.sim.checking.places import Places
from hexagon_mlir.sim.checking.report import Report
from hexagon_mlir.sim.checking.rules import (
    ADDRESSABLE,
    CODES,
    DEAD,
    DMA_DESTINATION,
    DMA_SOURCE,
    INITIALISED,
    READ_ONLY,
    READABLE,
    SAVED,
    Rule,
)
from hexagon_mlir.sim.checking.undefined import UndefinedValues
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system.descriptors import Block
from hexagon_mlir.sim.memory_system.dma import Transfer
from hexagon_mlir.sim.memory_system.memory import GUARD_BYTES, MAP_NORESERVE, Memory
from hexagon_mlir.sim.threading.threads import Thread
from hexagon_mlir.sim.translation.program import Program, Site

if TYPE_CHECKING:
    from hexagon_mlir.sim.checking.matrix_checks import MatrixChecks

KNOWN = ADDRESSABLE | INITIALISED
_WORD = (1 << WORD_BYTES) - 1
"""A bit for each byte of a word."""


class Shadow:
    """A host mapping of ``nbytes``; pages appear when touched."""

    def __init__(self, nbytes: int, dtype: type[np.generic]) -> None:
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        self.mapping = mmap.mmap(-1, nbytes + mmap.PAGESIZE, flags=flags)
        self.array = np.frombuffer(self.mapping, dtype)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.mapping))

    def clear(self) -> None:
        self.mapping.madvise(mmap.MADV_DONTNEED)

    def zero(self, begin: int, end: int) -> None:
        """Clear a range of bytes; whole pages of it go back to the host."""
        first, last = begin + mmap.PAGESIZE - 1 & -mmap.PAGESIZE, end & -mmap.PAGESIZE
        if last <= first:
            self.mapping[begin:end] = bytes(end - begin)
            return
        self.mapping[begin:first] = bytes(first - begin)
        self.mapping.madvise(mmap.MADV_DONTNEED, first, last - first)
        self.mapping[last:end] = bytes(end - last)


class Checks:
    """Shadow memory and reports of one machine."""

    def __init__(self, memory: Memory, program: Program) -> None:
        self.memory = memory
        self.program = program
        self.flags = Shadow(layout.SPACE_BYTES, np.uint8)
        self.writers = Shadow(layout.SPACE_BYTES, np.uint32)
        self.readers = Shadow(layout.SPACE_BYTES, np.uint32)
        self.places = Places(memory, program)
        self.tracking = False
        self.undefined = UndefinedValues(self.places, self.flags.array, self._made, self._once)
        self.frames = Frames(memory, self.flags.array, self.report)
        self.matrix: MatrixChecks | None = None
        self.reset()

    def reset(self) -> None:
        """Nothing is allocated; the data sections have their values."""
        self.flags.clear()
        self.places.allocations.clear()
        self.set(layout.CODE_BASE, self.program.code_end - layout.CODE_BASE, READ_ONLY)
        for each in self.program.globals:
            self.set(each.address + each.size, GUARD_BYTES, READABLE)
        for each in self.program.globals:
            self.set(each.address, each.size, KNOWN if each.writable else KNOWN | READ_ONLY)

    def begin_run(self, contexts: Sequence[Context]) -> None:
        self.reports: list[Report] = []
        self.seen: set[tuple[Rule, int]] = set()
        self.pending: list[Transfer] = []
        self.writers.clear()
        self.readers.clear()
        self.places.allocations = {address: (*kept[:2], None) for address, kept in self.places.allocations.items()}
        self.segments = 1
        self.tracking = False
        self.undefined.begin()
        self.frames.begin()
        self.ordered: dict[int, np.ndarray] = {}
        self.segment: dict[int, int] = {}
        for context in contexts:
            self.attach(context)
        for floating in self.program.float_kinds:
            self.report(Rule.FLOAT_KIND, 0, self.program.sites[floating[0]], floating[1])

    # -- shadow --------------------------------------------------------------------------------------------
    def set(self, address: int, size: int, flags: int) -> None:
        self.flags.array[address : address + size] = flags

    def initialise(self, address: int, size: int) -> None:
        """The host has written there."""
        for start, nbytes in _pieces(address, size):
            span = self.flags.array[start : start + nbytes]
            span &= np.uint8(~DEAD & 0xFF)
            span |= (span & ADDRESSABLE) * np.uint8(INITIALISED // ADDRESSABLE)

    def attach(self, context: Context) -> None:
        """A state record's pointers, and a stack without a frame."""
        words = context.state.view(np.uint64)
        words[layout.SHADOW // 8] = self.flags.address
        words[layout.WRITERS // 8] = self.writers.address
        words[layout.READERS // 8] = self.readers.address
        words[layout.LOADS // 8] = self.undefined.loads.ctypes.data
        context.words[layout.SEGMENT // 4] = 0
        self.frames.attach(context)
        self.flags.zero(context.stack_low, context.stack_top)
        self._forget(context.stack_low, context.stack_top - context.stack_low)

    def placed(self, context: Context) -> None:
        """Mark the arguments in ``context`` of a function to be called, those on the stack included."""
        stack = int(context.registers[29])
        self.set(stack, context.stack_top - stack, KNOWN)

    def allocated(self, region: str, address: int, size: int, context: Context | None) -> None:
        # What the program finds in fresh DDR is not tracked: the host may have filled it through a view.
        self.set(address, size, ADDRESSABLE if region == "TCM" else KNOWN)
        self._forget(address, size)
        self.set(address + size, GUARD_BYTES, READABLE)
        self.places.allocations[address] = (region, size, self.site(context) if context else None)

    def _forget(self, address: int, size: int) -> None:
        """Forget accesses from before an allocation: the allocator orders them before later ones."""
        if self.tracking:
            for last in (self.writers, self.readers):
                last.zero(address & -WORD_BYTES, address + size + WORD_BYTES - 1 & -WORD_BYTES)

    def freed(self, address: int, context: Context | None) -> None:
        """The allocation at ``address`` ends; ``context`` is that of the thread that frees it."""
        _, size, _ = self.places.allocations.get(address, ("", 0, None))
        moving = np.flatnonzero(self.flags.array[address : address + size] & (DMA_DESTINATION | DMA_SOURCE))
        if context and moving.size:
            at = address + int(moving[0])
            verb = "writes" if self.flags.array[at] & DMA_DESTINATION else "reads"
            who = "the matrix engine" if self.matrix and self.matrix.owns(at) else "a transfer"
            self.report(Rule.FREED_IN_FLIGHT, at, self.site(context), f"freed while {who} {verb} it")
        self.places.allocations.pop(address, None)
        self.set(address, size + GUARD_BYTES, 0)

    # -- reports -------------------------------------------------------------------------------------------
    def site(self, context: Context) -> Site:
        index = int(context.words[layout.SITE // 4])
        return self.program.sites[index] if index < len(self.program.sites) else Site("", "", 0, "")

    def report(self, rule: Rule, address: int, site: Site, detail: str = "") -> None:
        """Note a fault, once per rule and packet."""
        if rule is Rule.LEAK or (rule, site.line) not in self.seen:
            self._once(self._made(rule, address, site, detail))

    def _made(self, rule: Rule, address: int, site: Site, detail: str) -> Report:
        region = self.places.region(address)
        return Report(rule, address, region, site.packet, site.function, site.line, site.source, detail)

    def _once(self, report: Report) -> None:
        key = report.rule, report.line
        if report.rule is Rule.LEAK or key not in self.seen:
            self.seen.add(key)
            self.reports.append(report)

    def access_fault(self, context: Context) -> None:
        """A helper of the checked build found something."""
        word = int(context.words[layout.RULE // 4])
        rule, size = CODES[word & ((1 << SIZE_SHIFT) - 1)], (word & WRITE - 1) >> SIZE_SHIFT
        address = int(context.words[layout.FAULT // 4])
        span = self.flags.array[address : address + size]
        if rule is Rule.RETURN_ADDRESS:
            self.frames.wrong_return(context, address, self.site(context))
            return
        if rule is Rule.CALLER_FRAME:
            self.frames.dead_read(address, size, self.site(context))
            return
        if rule is Rule.READ_ONLY and (span & SAVED).any():
            self.frames.saved_write(address, size, self.site(context))
            return
        if rule is Rule.OUT_OF_BOUNDS:
            address += int(np.flatnonzero(span & ADDRESSABLE == 0)[0])
            rule = self.places.outside(address)
            if rule is Rule.BELOW_STACK and not word & WRITE and self.frames.late_read(context, self.site(context)):
                return
        rule = self._whose(rule, address, size)
        self.report(rule, address, self.site(context), f"{'writes' if word & WRITE else 'reads'} {size} bytes")

    def stored_above(self, context: Context) -> None:
        """A store through sp or fp goes beyond the function's frame."""
        address, size = int(context.words[layout.FAULT // 4]), int(context.words[layout.RULE // 4]) >> SIZE_SHIFT
        self.frames.above(context, address, size, self.site(context))

    # -- copies by host code -------------------------------------------------------------------------------
    def touch(self, context: Context, address: int, size: int, write: bool) -> None:
        """Check an access of host code (memcpy, a transfer) on behalf of a thread."""
        for start, nbytes in _pieces(address, size):
            self.memory.stop.check()
            if not self._touch_piece(context, start, nbytes, write):
                return

    def _touch_piece(self, context: Context, address: int, size: int, write: bool) -> bool:
        """Whether the next piece is to be checked, too: after a piece out of bounds all are."""
        span = self.flags.array[address : address + size]
        if not span.size:
            return False
        rule = None
        if write and (span & SAVED).any():
            self.frames.saved_write(address, size, self.site(context))
        elif not write and (span & DEAD).any():
            self.frames.dead_read(address, size, self.site(context))
        elif write and (span & READ_ONLY).any():
            rule = Rule.READ_ONLY
            address += int(np.flatnonzero(span & READ_ONLY)[0])
        elif not (span & ADDRESSABLE).all():
            address += int(np.flatnonzero(span & ADDRESSABLE == 0)[0])
            rule = self.places.outside(address)
        elif (span & DMA_DESTINATION).any():
            rule = Rule.USE_BEFORE_WAIT
        elif write and (span & DMA_SOURCE).any():
            rule = Rule.SOURCE_CHANGED
        elif not write and not (span & INITIALISED).all():
            rule = Rule.UNINITIALISED
        if rule:
            rule = self._whose(rule, address, size)
            self.report(rule, address, self.site(context), f"{'writes' if write else 'reads'} {size} bytes")
        if write:
            self.initialise(address, size)
        self.raced(context, address, size, write)
        return bool((span & ADDRESSABLE).all())

    def raced(self, context: Context, address: int, size: int, write: bool) -> None:
        """Check an access of host code against those of other threads, and note it."""
        segment = int(context.words[layout.SEGMENT // 4])
        if not segment or not size:
            return
        ordered = self.ordered[self.segment_owner[segment]]
        words = slice(address >> 2, (address + size + 3) >> 2)
        writers, readers = self.writers.array[words], self.readers.array[words]
        left = _untouched(address, size)
        vector = self.memory.target.vector_bytes.value // 4
        clash = (ordered[writers & (WEAK - 1)] == 0) & _meet(writers, left)
        weak = np.zeros_like(clash)
        if write:
            late = (ordered[readers & (WEAK - 1)] == 0) & _meet(readers, left)
            clash |= late & (readers & WEAK == 0)
            weak = late & (readers & WEAK != 0)
        if clash.any():
            self.report(Rule.RACE, address + 4 * int(np.flatnonzero(clash)[0]), self.site(context))
        elif weak.any() and np.count_nonzero(weak) > vector:  # a smaller size may exceed another object
            self.report(Rule.VECTOR_RACE, address + 4 * int(np.flatnonzero(weak)[0]), self.site(context))
        marks = writers if write else readers
        marks[:] = segment | np.where(marks & (WEAK - 1) == segment, left & marks, left)

    def copied(self, context: Context, fill: bool) -> None:
        """memcpy, memmove (or memset) with its arguments in r0..r2 is about to run."""
        dst, src, size = (int(word) for word in context.registers[:3])
        if not fill:
            self.touch(context, src, size, False)
        self.touch(context, dst, size, True)

    # -- DMA -----------------------------------------------------------------------------------------------
    def _rows(self, address: int, block: Block, stride: int) -> Iterator[tuple[int, int]]:
        """Start and bytes of the rows of one side of a transfer, in pieces; the run may be stopped here."""
        whole = stride == block.row_bytes
        for row in range(1 if whole else block.rows):
            self.memory.stop.check()
            yield from _pieces(address + row * stride, block.nbytes if whole else block.row_bytes)

    def _mark(self, transfer: Transfer, on: bool) -> None:
        block = transfer.block
        for address, stride, flag in (
            (block.dst, block.dst_stride, DMA_DESTINATION), (block.src, block.src_stride, DMA_SOURCE),
        ):  # fmt: skip
            for start, size in self._rows(address, block, stride):
                span = self.flags.array[start : start + size]
                if on:
                    span |= np.uint8(flag)
                else:
                    span &= np.uint8(~flag & 0xFF)

    def transfer_started(self, transfer: Transfer, context: Context) -> None:
        """Record a transfer in flight, and report its faults."""
        if transfer.arrived:
            return
        block, site = transfer.block, self.site(context)
        detail = f"transfer {transfer.tag}"
        for address, stride, write in ((block.src, block.src_stride, False), (block.dst, block.dst_stride, True)):
            taken = DMA_DESTINATION | (DMA_SOURCE if write else 0)
            for start, size in self._rows(address, block, stride):
                span = self.flags.array[start : start + size]
                if not (span & ADDRESSABLE).all():
                    at = start + int(np.flatnonzero(span & ADDRESSABLE == 0)[0])
                    self.report(self.places.outside(at), at, site, detail)
                elif write and (span & READ_ONLY).any():
                    self.report(Rule.READ_ONLY, start, site, detail)
                elif (span & taken).any():
                    rule = self._whose(Rule.DMA_OVERLAP, start, size)
                    self.report(rule, start, site, f"{detail} overlaps one that is not waited for")
                elif not write and not (span & INITIALISED).all():
                    self.report(Rule.UNINITIALISED, start, site, detail)
                self.raced(context, start, size, write)
        self.pending.append(transfer)
        self._mark(transfer, True)

    def transfer_arrived(self, transfer: Transfer) -> None:
        self.pending.remove(transfer)
        self._mark(transfer, False)
        self.mark_pending()
        block = transfer.block
        for start, size in self._rows(block.dst, block, block.dst_stride):
            self.initialise(start, size)

    def mark_pending(self) -> None:
        """Mark what transfers in flight read and write, after marks have been cleared."""
        for transfer in self.pending:
            self._mark(transfer, True)

    def _whose(self, rule: Rule, address: int, size: int) -> Rule:
        """A rule about transfers, or the matrix engine's in its place."""
        return self.matrix.own_rule(rule, address, size) if self.matrix else rule

    # -- order of threads ----------------------------------------------------------------------------------
    def publish(self, thread: Thread) -> object:
        """The ordering state of ``thread``, which continues in a new segment."""
        if not self.tracking:
            self.tracking = True
            self.segment_owner: dict[int, int] = {}
        done = self._row(thread.number).copy()
        self._new_segment(thread.number)
        self.launched(thread)
        return done

    def receive(self, thread: Thread, published: object) -> None:
        if isinstance(published, np.ndarray):
            self._row(thread.number)[:] |= published

    def _row(self, number: int) -> np.ndarray:
        """Which segments happened before (or are) the thread's own."""
        if number not in self.ordered:
            self.ordered[number] = np.zeros(MAX_SEGMENTS, np.uint8)
            self.ordered[number][0] = 1  # never accessed by a tracked thread
            self._new_segment(number)
        return self.ordered[number]

    def _new_segment(self, number: int) -> None:
        self.segments = min(self.segments + 1, MAX_SEGMENTS - 1)
        self.segment[number] = self.segments
        self.segment_owner[self.segments] = number
        self.ordered[number][self.segments] = 1

    def launched(self, thread: Thread) -> None:
        """Point the thread's state record at its order."""
        context = thread.context
        if context is None or not self.tracking:
            return
        row = self._row(thread.number)
        context.state.view(np.uint64)[layout.ORDERED // 8] = row.ctypes.data
        context.words[layout.SEGMENT // 4] = self.segment[thread.number]

    # -- the end -------------------------------------------------------------------------------------------
    def finish(self) -> list[Report]:
        """Check for leaks and writes after the return; returns all reports of the run."""
        self.undefined.finish()
        self._unawaited()
        for address, (name, size, site) in self.places.allocations.items():
            if site is not None:
                self.report(Rule.LEAK, address, site, f"{size} bytes of {name} are not freed")
        for transfer in self.pending:
            if transfer.leaves:
                continue
            site = Site("", f"transfer {transfer.tag}", 0, "")
            self.report(Rule.LEAK, transfer.block.dst, site, "a transfer nobody waited for")
        return self.reports

    def _unawaited(self) -> None:
        """The caller may read all memory: the main thread must have waited for every thread that wrote there."""
        if not self.tracking:
            return
        ordered = self._row(0)
        for allocation, (_, size, _) in self.places.allocations.items():
            for address, nbytes in _pieces(allocation, size):
                writers = self.writers.array[address >> 2 : (address + nbytes + 3) >> 2]
                late = np.flatnonzero(ordered[writers & (WEAK - 1)] == 0)
                if late.size:
                    number = self.segment_owner[int(writers[late[0]]) & (WEAK - 1)]
                    site = Site("", f"thread {number}", -number, "")
                    self.report(Rule.RACE, address + 4 * int(late[0]), site, "written by a thread nobody waited for")
                    break


def _pieces(address: int, size: int) -> Iterator[tuple[int, int]]:
    """Start and bytes of the pieces of a range, which bound the temporary arrays of a check."""
    end = min(address + size, layout.SPACE_BYTES)
    for start in range(address, end, layout.LARGE_BYTES):
        yield start, min(layout.LARGE_BYTES, end - start)


def _untouched(address: int, size: int) -> np.ndarray:
    """For each word of ``size`` bytes from ``address`` on, a mark's bits for the bytes not accessed."""
    touched = np.full(((address + size - 1) >> 2) - (address >> 2) + 1, _WORD, np.uint32)
    touched[0] &= _WORD << address % WORD_BYTES
    touched[-1] &= _WORD >> -(address + size) % WORD_BYTES
    return (touched ^ _WORD) << UNTOUCHED_SHIFT


def _meet(marks: np.ndarray, untouched: np.ndarray) -> np.ndarray:
    """Where accesses with ``marks`` and one with ``untouched`` bytes have a byte in common."""
    return (marks | untouched) >> UNTOUCHED_SHIFT != _WORD
