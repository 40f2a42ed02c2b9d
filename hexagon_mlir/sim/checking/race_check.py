"""The race check of a checked build: each word of an access against the marks of its last writer and reader.

A mark is a segment, `WEAK` for a reader that may not use the value, and from `UNTOUCHED_SHIFT` on a bit for each byte
of the word that the segment did not access. An access conflicts with a mark if they have a byte in common and the
mark's segment did not happen before the running one.
"""

from __future__ import annotations

from typing import NamedTuple

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.check_model import (
    SCALAR_BYTES,
    SIZE_SHIFT,
    UNTOUCHED_SHIFT,
    WEAK,
    WORD_BYTES,
    WRITE,
)
from hexagon_mlir.sim.checking.rules import CODES, Rule
from hexagon_mlir.sim.semantics.function import Function
from hexagon_mlir.sim.semantics.value import I1, I8, I32, Type, Val


class _Mark(NamedTuple):
    """The mark of a word's last writer or reader."""

    place: str
    value: Val
    segment: Val
    clashes: Val
    """It has a byte in common with the access, and is not ordered before it (i1)."""


class RaceCheck:
    """Writes @ck_race_read or @ck_race_write(st, address, size, lenient, site, mask).

    A ``lenient`` access is a vector load: it races only if it does so in each word. ``mask`` has the accessed bytes of
    each word.
    """

    def __init__(self, write: bool, declarations: set[str]) -> None:
        self.write = write
        name = "ck_race_write" if write else "ck_race_read"
        self.f = f = Function(f"internal void @{name}(ptr %st, i32 %address, i32 %size, i1 %lenient, i32 %site, "
                              "ptr %mask)", declarations=declarations)
        self.address, self.size = f.argument("address", I32), f.argument("size", I32)
        self.lenient = f.argument("lenient", I1)
        self.first = self.address.lshr(2)
        self.end = self.address + self.size
        self.segment = f.word(layout.SEGMENT)
        self.writers, self.readers = f.pointer(layout.WRITERS), f.pointer(layout.READERS)
        self.ordered = f.pointer(layout.ORDERED)

    def text(self) -> str:
        """A loop over the words, which counts those with a conflict, those without a reader, and those with a weak one;
        then the decision."""
        f = self.f
        last, zero = (self.end - 1).lshr(2), f.const(0, I32)
        word, clashes, apart, weaks = f.loop("loop", [self.first, zero, zero, zero])
        touched = self._touched(word)
        inside = touched.icmp("ne", 0)
        writer = self._mark(self.writers, word, touched)
        reader = self._mark(self.readers, word, touched)
        soft = (reader.value & WEAK).icmp("ne", 0)
        if self.write:
            clash = (writer.clashes | (reader.clashes & ~soft)) & inside
            weak = reader.clashes & soft
            self._take_as_writer(writer, touched, inside)
        else:
            clash, weak = writer.clashes & inside, f.const(0, I1)
            self._take_as_reader(reader, touched, ~soft)
        apart = apart + (~(weak | clash) & inside).zext(32)
        clashes, weaks = clashes + clash.zext(32), weaks + (weak & inside).zext(32)
        f.repeat("loop", word.icmp("ult", last), [word + 1, clashes, apart, weaks], "end")
        self._judge((word + 1) - self.first, clashes, apart, weaks)
        f.put("ret void")
        return f.text()

    def _touched(self, word: Val) -> Val:
        """A bit for each byte of ``word`` that belongs to the access."""
        f = self.f
        start = word << 2
        begin = (self.address - start).two("smax", 0)
        end = (self.end - start).two("smin", WORD_BYTES)
        ones = f.const(-1, I32)
        within = (ones << begin) - (ones << end)
        mask = f.load(f.element("%mask", word - self.first, I32), I32)
        selected = mask.as_(Type(WORD_BYTES, "i", 8)).icmp("ne", 0).as_(Type(1, "i", WORD_BYTES))
        return within & selected.zext(32)

    def _mark(self, marks: str, word: Val, touched: Val) -> _Mark:
        """The mark of ``word`` in ``marks``."""
        f = self.f
        place = f.element(marks, word.zext(64), I32)
        value = f.load(place, I32)
        untouched = touched << UNTOUCHED_SHIFT
        in_common = (value & untouched).icmp("ne", untouched)
        segment = value & (WEAK - 1)
        unordered = f.load(f.element(self.ordered, segment, I8), I8).icmp("eq", 0)
        return _Mark(place, value, segment, unordered & in_common)

    def _left_alone(self, touched: Val) -> Val:
        """The bits of a mark for the bytes that are not accessed."""
        return (touched ^ ((1 << WORD_BYTES) - 1)) << UNTOUCHED_SHIFT

    def _take_as_writer(self, old: _Mark, touched: Val, inside: Val) -> None:
        """Mark the word as written; bytes that the same segment has written before stay so."""
        left = self._left_alone(touched)
        same = old.segment.icmp("eq", self.segment)
        mark = same.select(self.segment | (old.value & left), self.segment | left)
        self.f.store(inside.select(mark, old.value), old.place)

    def _take_as_reader(self, old: _Mark, touched: Val, hard: Val) -> None:
        """Mark the word as read, unless the old mark is stronger: of a reader that is not ordered before and no weaker,
        or of the same segment."""
        f, left = self.f, self._left_alone(touched)
        same = old.segment.icmp("eq", self.segment)
        keep = self.lenient.select(old.clashes | same, old.clashes & hard)
        both = old.value & left
        weak = self.lenient.select(f.const(WEAK, I32), 0)
        mark = (self.segment | weak) | same.select(both, left)
        grown = (old.value & ((1 << UNTOUCHED_SHIFT) - 1)) | both
        f.store(keep.select(same.select(grown, old.value), mark), old.place)

    def _judge(self, words: Val, clashes: Val, apart: Val, weaks: Val) -> None:
        """Report a race in one word, of a lenient access in all; or a whole vector stored over weak readers."""
        f = self.f
        some = clashes.icmp("uge", self.lenient.select(words, f.const(1, I32)))
        race = some
        if self.write:
            covered = apart.icmp("eq", 0) & (weaks << 2).icmp("uge", self.size)
            race = some | (covered & self.size.icmp("ugt", SCALAR_BYTES))
        with f.when(race, "report", "done"):
            sure = some if self.write else ~self.lenient
            kind = sure.select(f.const(CODES.index(Rule.RACE), I32), CODES.index(Rule.VECTOR_RACE))
            rule = ((self.size << SIZE_SHIFT) | kind) | (WRITE * self.write)
            f.put(f"call void @ck_report(ptr %st, i32 {rule.name}, i32 %address, i32 %site)")
