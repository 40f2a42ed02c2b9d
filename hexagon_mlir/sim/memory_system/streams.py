"""Streams of reads from DDR as an LLVM IR helper: which misses of L2 cost the bandwidth alone.

A stream is a window over lines read lately: its lowest and highest line, and which of those between were read. It
takes a line that is new in the window, or at most as many lines below or above it as a window has: the window moves
there. So it goes up or down, and near lines may come in any order. Lines left out when the window moves on have
cut the stream in two, and the second part's first line is charged its latency then, or when the stream ends: rows with
lines between them cost the latency each.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.sim import layout

WORDS = 3
"""Of a stream: lowest line, highest line (0 in an unused one), and a bit for each line from the lowest on."""
MAX_WINDOW = 15
"""Lines, so that two windows have room in a word."""


def helper(count: int, window: int, line_cost: int, latency: int) -> str:
    """@mm_stream(st, line) -> i64: what a load that misses ``line`` costs; of ``count`` streams the oldest goes."""
    if not 1 <= window <= MAX_WINDOW:
        raise ValueError(f"a window of {window} lines: 1 to {MAX_WINDOW} are modelled")
    lines, mask = f"<{count} x i32>", f"<{count} x i1>"
    return f"""
declare i32 @llvm.ctpop.i32(i32)
define internal i64 @mm_stream(ptr %st, i32 %line) cold noinline {{
  %sp = getelementptr i8, ptr %st, i32 {layout.STREAMS}
  %lows = load ptr, ptr %sp
  %highs = getelementptr {lines}, ptr %lows, i32 1
  %seens = getelementptr {lines}, ptr %lows, i32 2
  %lowest = load {lines}, ptr %lows, align 4
  %highest = load {lines}, ptr %highs, align 4
  %sets = load {lines}, ptr %seens, align 4
  %lv0 = insertelement {lines} poison, i32 %line, i32 0
  %lv = shufflevector {lines} %lv0, {lines} poison, {lines} zeroinitializer
  %used = icmp ne {lines} %highest, zeroinitializer
  %width = sub {lines} %highest, %lowest
  %offset = sub {lines} %lv, %lowest
  %place = and {lines} %offset, splat (i32 31)
  %bits = lshr {lines} %sets, %place
  %bit = and {lines} %bits, splat (i32 1)
  %read = icmp ne {lines} %bit, zeroinitializer
  %within = icmp ule {lines} %offset, %width
  %again = and {mask} %within, %read
  %new0 = xor {mask} %again, splat (i1 true)
  %new = and {mask} %new0, %used
  %far0 = add {lines} %offset, splat (i32 {window})
  %far1 = add {lines} %width, splat (i32 {2 * window})
  %far2 = icmp ule {lines} %far0, %far1
  %far = and {mask} %far2, %new
  %next0 = add {lines} %offset, splat (i32 1)
  %next1 = add {lines} %width, splat (i32 2)
  %next2 = icmp ule {lines} %next0, %next1
  %beside = and {mask} %next2, %new
  %first = call i32 @llvm.experimental.cttz.elts.i32.v{count}i1({mask} %beside, i1 false)
  %second = call i32 @llvm.experimental.cttz.elts.i32.v{count}i1({mask} %far, i1 false)
  %touches = icmp ult i32 %first, {count}
  %number = select i1 %touches, i32 %first, i32 %second
  %stream = icmp ult i32 %number, {count}
  %np = getelementptr i8, ptr %st, i32 {layout.STREAM_NEXT}
  %next = load i32, ptr %np
  %slot = select i1 %stream, i32 %number, i32 %next
  %lowp = getelementptr i32, ptr %lows, i32 %slot
  %highp = getelementptr i32, ptr %highs, i32 %slot
  %seenp = getelementptr i32, ptr %seens, i32 %slot
  %low = load i32, ptr %lowp
  %high = load i32, ptr %highp
  %seen = load i32, ptr %seenp
  br i1 %stream, label %goes_on, label %begins
begins:
  %advance = add i32 %next, 1
  %full = icmp eq i32 %advance, {count}
  %wrapped = select i1 %full, i32 0, i32 %advance
  store i32 %wrapped, ptr %np
  store i32 %line, ptr %lowp
  store i32 %line, ptr %highp
  store i32 1, ptr %seenp
  %span = sub i32 %high, %low
  %shl = shl i32 2, %span
  %range = sub i32 %shl, 1
  %unread = xor i32 %seen, %range
  %twice = shl i32 %unread, 1
  %not_twice = xor i32 %twice, -1
  %starts = and i32 %unread, %not_twice
  %some = icmp ne i32 %seen, 0
  %left = select i1 %some, i32 %starts, i32 0
  %gaps = call i32 @llvm.ctpop.i32(i32 %left)
  br label %end
goes_on:
  %down = icmp ult i32 %line, %low
  br i1 %down, label %below, label %above
above:
  %at = sub i32 %line, %low
  %mark = shl i32 1, %at
  %seen_up = or i32 %seen, %mark
  %higher = icmp ugt i32 %line, %high
  %high_up = select i1 %higher, i32 %line, i32 %high
  %span_up = sub i32 %high_up, %low
  %most_up = call i32 @llvm.umax.i32(i32 %span_up, i32 {window - 1})
  %left_up = sub i32 %most_up, {window - 1}
  %after_up = lshr i32 %seen_up, 1
  %hole_up = xor i32 %seen_up, -1
  %ends_up = and i32 %hole_up, %after_up
  %gone_up = shl i32 1, %left_up
  %gone_up1 = sub i32 %gone_up, 1
  %cut_up = and i32 %ends_up, %gone_up1
  %gaps_up = call i32 @llvm.ctpop.i32(i32 %cut_up)
  %low_up = add i32 %low, %left_up
  %kept_up = lshr i32 %seen_up, %left_up
  store i32 %low_up, ptr %lowp
  store i32 %high_up, ptr %highp
  store i32 %kept_up, ptr %seenp
  br label %end
below:
  %by = sub i32 %low, %line
  %moved = shl i32 %seen, %by
  %seen_down = or i32 %moved, 1
  %top = add i32 %line, {window - 1}
  %high_down = call i32 @llvm.umin.i32(i32 %high, i32 %top)
  %before_down = shl i32 %seen_down, 1
  %hole_down = xor i32 %seen_down, -1
  %ends_down = and i32 %hole_down, %before_down
  %span_down = sub i32 %high, %line
  %shl_down = shl i32 2, %span_down
  %range_down = sub i32 %shl_down, 1
  %gone_down = and i32 %range_down, {-(1 << window)}
  %cut_down = and i32 %ends_down, %gone_down
  %gaps_down = call i32 @llvm.ctpop.i32(i32 %cut_down)
  %kept_down = and i32 %seen_down, {(1 << window) - 1}
  store i32 %line, ptr %lowp
  store i32 %high_down, ptr %highp
  store i32 %kept_down, ptr %seenp
  br label %end
end:
  %base = phi i64 [ {latency}, %begins ], [ {line_cost}, %above ], [ {line_cost}, %below ]
  %cuts = phi i32 [ %gaps, %begins ], [ %gaps_up, %above ], [ %gaps_down, %below ]
  %wide = zext i32 %cuts to i64
  %late = mul i64 %wide, {latency - line_cost}
  %cost = add i64 %base, %late
  ret i64 %cost
}}
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.umax.i32(i32, i32)
declare i32 @llvm.experimental.cttz.elts.i32.v{count}i1({mask}, i1)"""


def gaps(words: Sequence[int]) -> int:
    """How often the streams in ``words`` (as `helper` leaves them) have left out lines, not charged yet."""
    count = len(words) // WORDS
    found = 0
    for low, high, seen in zip(words[:count], words[count : 2 * count], words[2 * count :], strict=True):
        lines = "".join(str(seen >> place & 1) for place in range(high - low + 1)) if high else ""
        found += sum(1 for run in lines.split("1") if run)
    return found
