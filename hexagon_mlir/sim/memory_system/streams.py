"""Streams of reads from DDR as an LLVM IR helper: which L2 misses cost bandwidth only.

A stream is a window over recently read lines: its lowest and highest line, and which lines in between were read. It
accepts a line that is new in the window, or at most a window's length below or above it: then the window moves. So a
stream may ascend or descend, and nearby lines may come in any order. Lines skipped when the window moves split the
stream, and the first line of the second part is charged its latency then, or at the end of the stream: rows with gaps
between them cost the latency each.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.semantics.function import STATE, Function
from hexagon_mlir.sim.semantics.value import I1, I32, I64, Type, Val

WORDS = 3
"""Of a stream: lowest line, highest line (0 in an unused one), and a bit for each line from the lowest on."""
MAX_WINDOW = 15
"""Lines, so that two windows have room in a word."""


def helper(count: int, window: int, line_cost: int, latency: int, declarations: set[str]) -> str:
    """@mm_stream(st, line) -> i64: what a load that misses ``line`` costs; of ``count`` streams the oldest goes."""
    if not 1 <= window <= MAX_WINDOW:
        raise ValueError(f"a window of {window} lines: 1 to {MAX_WINDOW} are modelled")
    f = Function("internal i64 @mm_stream(ptr %st, i32 %line)", "cold noinline", declarations)
    line, lines = f.argument("line", I32), Type(count, "i", 32)
    lows = f.pointer(layout.STREAMS)
    arrays = lows, f.element(lows, 1, lines), f.element(lows, 2, lines)
    number = _stream_of(line, [f.load(each, lines, align=4) for each in arrays], window)
    known = number.icmp("ult", count)
    next_place = f.at(STATE, layout.STREAM_NEXT)
    oldest = f.load(next_place, I32)
    slot = known.select(number, oldest)
    stream = _Stream([f.element(each, slot, I32) for each in arrays], f)
    f.branch(known, "goes_on", "begins")
    f.label("begins")
    following = oldest + 1
    f.store(following.icmp("eq", count).select(f.const(0, I32), following), next_place)
    begun = stream.restart(line)
    f.jump("end")
    f.label("goes_on")
    f.branch(line.icmp("ult", stream.low), "below", "above")
    f.label("above")
    above = stream.go_up(line, window)
    f.jump("end")
    f.label("below")
    below = stream.go_down(line, window)
    f.begin("end")
    first, other = f.const(latency, I64), f.const(line_cost, I64)
    cost = f.phi([(first, "begins"), (other, "above"), (other, "below")])
    cuts = f.phi([(begun, "begins"), (above, "above"), (below, "below")])
    f.put(f"ret i64 {(cost + cuts.zext(64) * (latency - line_cost)).name}")
    return f.text()


def _stream_of(line: Val, streams: Sequence[Val], window: int) -> Val:
    """The number of the stream that takes ``line``, one beside it or in its window if there is one; else how many
    streams there are. ``streams`` are all lowest lines, highest lines and lines read."""
    lowest, highest, sets = streams
    f, lines = line.code, lowest.ty
    width, offset = highest - lowest, line.splat(lines.lanes) - lowest
    read = (sets.lshr(offset & 31) & 1).icmp("ne", 0)
    again = offset.icmp("ule", width) & read
    new = ~again & highest.icmp("ne", 0)
    far = (offset + window).icmp("ule", width + 2 * window) & new
    beside = (offset + 1).icmp("ule", width + 2) & new

    def first_of(found: Val) -> Val:
        return f.call(f"llvm.experimental.cttz.elts.i32.{found.ty.mangle()}", I32, found, f.const(0, I1))

    nearest, other = first_of(beside), first_of(far)
    return nearest.icmp("ult", lines.lanes).select(nearest, other)


class _Stream:
    """One stream and its transitions: each returns the number of gaps that have left the window."""

    def __init__(self, places: Sequence[str], f: Function) -> None:
        self.f, self.places = f, places
        self.low, self.high, self.seen = (f.load(place, I32) for place in places)

    def _store(self, low: Val, high: Val, seen: Val) -> None:
        for value, place in zip((low, high, seen), self.places, strict=True):
            self.f.store(value, place)

    def _all_lines(self, span: Val) -> Val:
        """A bit for each of ``span`` + 1 lines."""
        return (self.f.const(2, I32) << span) - 1

    def restart(self, line: Val) -> Val:
        """Replace this stream by a new one; all its gaps are counted."""
        self._store(line, line, self.f.const(1, I32))
        skipped = self.seen ^ self._all_lines(self.high - self.low)
        begins = skipped & ~(skipped << 1)
        return self.seen.icmp("ne", 0).select(begins, 0).one("ctpop")

    def go_up(self, line: Val, window: int) -> Val:
        """``line`` is above the lowest one: what is more than a window below the highest goes."""
        f = self.f
        seen = self.seen | (f.const(1, I32) << (line - self.low))
        high = line.icmp("ugt", self.high).select(line, self.high)
        leaving = (high - self.low).two("umax", window - 1) - (window - 1)
        ends = ~seen & seen.lshr(1)  # of lines left out: the next one was read
        gone = (f.const(1, I32) << leaving) - 1
        cuts = (ends & gone).one("ctpop")
        self._store(self.low + leaving, high, seen.lshr(leaving))
        return cuts

    def go_down(self, line: Val, window: int) -> Val:
        """``line`` is below the lowest one: what is more than a window above it goes."""
        seen = (self.seen << (self.low - line)) | 1
        high = self.high.two("umin", line + (window - 1))
        ends = ~seen & (seen << 1)  # of lines left out: the one before was read
        gone = self._all_lines(self.high - line) & -(1 << window)
        cuts = (ends & gone).one("ctpop")
        self._store(line, high, seen & ((1 << window) - 1))
        return cuts


def gaps(words: Sequence[int]) -> int:
    """How many gaps of the streams in ``words`` (in the form of `helper`) have not been charged."""
    count = len(words) // WORDS
    found = 0
    for low, high, seen in zip(words[:count], words[count : 2 * count], words[2 * count :], strict=True):
        lines = "".join(str(seen >> place & 1) for place in range(high - low + 1)) if high else ""
        found += sum(1 for run in lines.split("1") if run)
    return found
