"""The memory timing model as LLVM IR helpers that translated code calls once per access.

Regions: TCM by address, everything else is DDR behind the caches.

* Scalar load: an L1D hit is free, an L1D miss that hits L2 stalls ``scalar_l2_latency_cycles``; TCM stalls
  ``scalar_tcm_latency_cycles`` each time.
* Vector access: goes to L2 directly and a hit is free (the pipelined latency is static, see `timing`).
* L2 miss of a load: if the line is the next one of one of the last streams (next-line prefetch), it costs
  line / ``ddr_bytes_per_cycle``; otherwise ``ddr_latency_cycles``.
* Stores are buffered. A miss allocates: a partial line is read (bandwidth cost), a whole aligned vector line
  is not. Dirty lines cost bandwidth when they are evicted; lines still dirty at the end of a run count as
  bytes written, not as cycles.
* A scalar store does not allocate in L1D, and a vector store leaves L1D tags alone.

Tags keep (line << 1) | dirty, most recently used way first; 0 is empty.
"""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.targets import Target

STREAM_SLOTS = 8
Q8 = 256
"""Fractions of a cycle are kept in 1/256."""

SLOW = "preserve_allcc"
"""Calling convention of the helpers: the caller's vector registers stay where they are."""


def _log2(number: int, what: str) -> int:
    if number <= 0 or number & (number - 1):
        raise ValueError(f"{what} must be a power of two, not {number}")
    return number.bit_length() - 1


class Geometry:
    """Sets, ways and shifts of the two cache levels of a target."""

    def __init__(self, target: Target) -> None:
        self.l1_ways = int(target.l1d_ways.value)
        self.l1_sets = int(target.l1d_bytes.value) // int(target.l1d_line_bytes.value) // self.l1_ways
        self.l1_shift = _log2(int(target.l1d_line_bytes.value), "L1D line")
        self.l2_ways = int(target.l2_ways.value)
        self.l2_line = int(target.l2_line_bytes.value)
        self.l2_sets = int(target.l2_bytes.value) // self.l2_line // self.l2_ways
        self.l2_shift = _log2(self.l2_line, "L2 line")
        _log2(self.l1_sets, "L1D sets")
        _log2(self.l2_sets, "L2 sets")


def cycles_q8(cycles: float) -> int:
    return round(cycles * Q8)


def _bump(name: str, amount: str, tag: str) -> str:
    """Add ``amount`` (i64 operand) to a counter."""
    offset = layout.counter(name)
    return f"""
  %p{tag} = getelementptr i8, ptr %st, i32 {offset}
  %o{tag} = load i64, ptr %p{tag}
  %n{tag} = add i64 %o{tag}, {amount}
  store i64 %n{tag}, ptr %p{tag}"""


def _ramp(count: int) -> str:
    return "<" + ", ".join(f"i32 {i}" for i in range(count)) + ">"


def _move_to_front(ways: int) -> str:
    """Given %tags, %way and %newtag: the reordered set as %after."""
    mask = ", ".join(f"i32 {ways if i == 0 else i - 1}" for i in range(ways))
    return f"""
  %nv0 = insertelement <{ways} x i32> poison, i32 %newtag, i32 0
  %moved = shufflevector <{ways} x i32> %tags, <{ways} x i32> %nv0, <{ways} x i32> <{mask}>
  %wv0 = insertelement <{ways} x i32> poison, i32 %way, i32 0
  %wv = shufflevector <{ways} x i32> %wv0, <{ways} x i32> poison, <{ways} x i32> zeroinitializer
  %young = icmp ule <{ways} x i32> {_ramp(ways)}, %wv
  %after = select <{ways} x i1> %young, <{ways} x i32> %moved, <{ways} x i32> %tags"""


def _search(ways: int) -> str:
    """Given %set (pointer) and %key: %tags, %hits (i{ways}), %way."""
    return f"""
  %tags = load <{ways} x i32>, ptr %set
  %clean = and <{ways} x i32> %tags, splat (i32 -2)
  %kv0 = insertelement <{ways} x i32> poison, i32 %key, i32 0
  %kv = shufflevector <{ways} x i32> %kv0, <{ways} x i32> poison, <{ways} x i32> zeroinitializer
  %same = icmp eq <{ways} x i32> %clean, %kv
  %hits = bitcast <{ways} x i1> %same to i{ways}
  %hit = icmp ne i{ways} %hits, 0
  %first = call i{ways} @llvm.cttz.i{ways}(i{ways} %hits, i1 false)
  %firstw = {'zext' if ways < 32 else 'trunc'} i{ways} %first to i32
  %way = select i1 %hit, i32 %firstw, i32 {ways - 1}"""


def _l2(g: Geometry, target: Target) -> str:
    """@mm_l2(st, line, write, fill) -> i1 hit. fill: 0 none, 1 demanded, 2 allocated by a partial store."""
    line_cost = cycles_q8(g.l2_line / float(target.ddr_bytes_per_cycle.value))
    latency = cycles_q8(float(target.ddr_latency_cycles.value))
    w = g.l2_ways
    s = STREAM_SLOTS
    return f"""
declare i{w} @llvm.cttz.i{w}(i{w}, i1)
define internal {SLOW} i1 @mm_l2(ptr %st, i32 %line, i32 %write, i32 %fill) noinline {{
  %pp = getelementptr i8, ptr %st, i32 {layout.L2_TAGS}
  %base = load ptr, ptr %pp
  %index = and i32 %line, {g.l2_sets - 1}
  %byte = mul i32 %index, {4 * w}
  %set = getelementptr i8, ptr %base, i32 %byte
  %key = shl i32 %line, 1{_search(w)}
  %oldtag = extractelement <{w} x i32> %tags, i32 %way
  %olddirty = and i32 %oldtag, 1
  %keep = select i1 %hit, i32 %olddirty, i32 0
  %dirty = or i32 %keep, %write
  %newtag = or i32 %key, %dirty{_move_to_front(w)}
  store <{w} x i32> %after, ptr %set
  br i1 %hit, label %done, label %miss
miss:
  %evicts = icmp ne i32 %olddirty, 0
  br i1 %evicts, label %evict, label %fetch
evict:{_bump('ddr_write_bytes', str(g.l2_line), 'w')}{_bump('ddr_stall_q8', str(line_cost), 'e')}
  br label %fetch
fetch:
  switch i32 %fill, label %done [ i32 1, label %demand
    i32 2, label %allocate ]
allocate:{_bump('ddr_read_bytes', str(g.l2_line), 'a')}{_bump('ddr_stall_q8', str(line_cost), 'b')}
  br label %done
demand:{_bump('ddr_read_bytes', str(g.l2_line), 'd')}
  %sp = getelementptr i8, ptr %st, i32 {layout.STREAMS}
  %streams = load ptr, ptr %sp
  %expected = load <{s} x i32>, ptr %streams
  %lv0 = insertelement <{s} x i32> poison, i32 %line, i32 0
  %lv = shufflevector <{s} x i32> %lv0, <{s} x i32> poison, <{s} x i32> zeroinitializer
  %follows = icmp eq <{s} x i32> %expected, %lv
  %fbits = bitcast <{s} x i1> %follows to i{s}
  %stream = icmp ne i{s} %fbits, 0
  %fslot8 = call i{s} @llvm.cttz.i{s}(i{s} %fbits, i1 false)
  %fslot = zext i{s} %fslot8 to i32
  %np = getelementptr i8, ptr %st, i32 {layout.STREAM_NEXT}
  %next = load i32, ptr %np
  %slot = select i1 %stream, i32 %fslot, i32 %next
  %advance = add i32 %next, 1
  %wrapped = and i32 %advance, {s - 1}
  %newnext = select i1 %stream, i32 %next, i32 %wrapped
  store i32 %newnext, ptr %np
  %after_line = add i32 %line, 1
  %slotp = getelementptr i32, ptr %streams, i32 %slot
  store i32 %after_line, ptr %slotp
  %cost = select i1 %stream, i64 {line_cost}, i64 {latency}{_bump('ddr_stall_q8', '%cost', 'c')}
  br label %done
done:
  ret i1 %hit
}}""" + ("" if w == s else f"\ndeclare i{s} @llvm.cttz.i{s}(i{s}, i1)")


def _l1(g: Geometry, target: Target) -> str:
    """@mm_l1(st, address): a scalar load that missed the most recent way."""
    w = g.l1_ways
    latency = int(target.scalar_l2_latency_cycles.value)
    declare = "" if w in (g.l2_ways, STREAM_SLOTS) else f"declare i{w} @llvm.cttz.i{w}(i{w}, i1)\n"
    return f"""
{declare}define internal {SLOW} void @mm_l1(ptr %st, i32 %address) noinline {{
  %pp = getelementptr i8, ptr %st, i32 {layout.L1_TAGS}
  %base = load ptr, ptr %pp
  %line = lshr i32 %address, {g.l1_shift}
  %index = and i32 %line, {g.l1_sets - 1}
  %byte = mul i32 %index, {4 * w}
  %set = getelementptr i8, ptr %base, i32 %byte
  %newtag = shl i32 %line, 1
  %key = or i32 %newtag, 0{_search(w)}{_move_to_front(w)}
  store <{w} x i32> %after, ptr %set
  br i1 %hit, label %done, label %miss
miss:
  %l2line = lshr i32 %address, {g.l2_shift}
  %l2hit = call {SLOW} i1 @mm_l2(ptr %st, i32 %l2line, i32 0, i32 1)
  %stall = select i1 %l2hit, i64 {latency}, i64 0{_bump('l2_stall', '%stall', 's')}
  br label %done
done:
  ret void
}}"""


def _fast_l2(name: str, g: Geometry, target: Target, write: int, fill: int, straddles: bool) -> str:
    """A vector access: one line, or the two lines an unaligned vector may touch."""
    size = int(target.vector_bytes.value)
    tcm = "tcm_write_bytes" if write else "tcm_read_bytes"
    compare = "%key = or i32 %shifted, 1\n  %same = icmp eq i32 %tag, %key" if write else (
        "%tagc = and i32 %tag, -2\n  %same = icmp eq i32 %tagc, %shifted"
    )  # fmt: skip
    tail = "ret void"
    if straddles:
        tail = f"""%last = add i32 %address, {size - 1}
  %line2 = lshr i32 %last, {g.l2_shift}
  %one = icmp eq i32 %line2, %line
  br i1 %one, label %out, label %second
second:
  %r2 = call {SLOW} i1 @mm_l2(ptr %st, i32 %line2, i32 {write}, i32 {fill})
  br label %out
out:
  ret void"""
    return f"""
define internal {SLOW} void @{name}(ptr %st, i32 %address) {{
  %off = sub i32 %address, {layout.TCM_BASE - (1 << 32)}
  %tcm = icmp ult i32 %off, {int(target.tcm_bytes.value)}
  br i1 %tcm, label %intcm, label %cached
intcm:{_bump(tcm, str(size), 't')}
  ret void
cached:
  %pp = getelementptr i8, ptr %st, i32 {layout.L2_TAGS}
  %base = load ptr, ptr %pp
  %line = lshr i32 %address, {g.l2_shift}
  %index = and i32 %line, {g.l2_sets - 1}
  %byte = mul i32 %index, {4 * g.l2_ways}
  %set = getelementptr i8, ptr %base, i32 %byte
  %tag = load i32, ptr %set
  %shifted = shl i32 %line, 1
  {compare}
  br i1 %same, label %after, label %slow
slow:
  %r = call {SLOW} i1 @mm_l2(ptr %st, i32 %line, i32 {write}, i32 {fill})
  br label %after
after:
  {tail}
}}"""


def _scalar_load(g: Geometry, target: Target) -> str:
    latency = str(int(target.scalar_tcm_latency_cycles.value))
    return f"""
define internal {SLOW} void @mm_sload(ptr %st, i32 %address, i64 %size) {{
  %off = sub i32 %address, {layout.TCM_BASE - (1 << 32)}
  %tcm = icmp ult i32 %off, {int(target.tcm_bytes.value)}
  br i1 %tcm, label %intcm, label %cached
intcm:{_bump('tcm_read_bytes', '%size', 't')}{_bump('tcm_stall', latency, 'u')}
  ret void
cached:
  %pp = getelementptr i8, ptr %st, i32 {layout.L1_TAGS}
  %base = load ptr, ptr %pp
  %line = lshr i32 %address, {g.l1_shift}
  %index = and i32 %line, {g.l1_sets - 1}
  %byte = mul i32 %index, {4 * g.l1_ways}
  %set = getelementptr i8, ptr %base, i32 %byte
  %tag = load i32, ptr %set
  %key = shl i32 %line, 1
  %same = icmp eq i32 %tag, %key
  br i1 %same, label %done, label %slow
slow:
  call {SLOW} void @mm_l1(ptr %st, i32 %address)
  br label %done
done:
  ret void
}}"""


def _scalar_store(g: Geometry, target: Target) -> str:
    return f"""
define internal {SLOW} void @mm_sstore(ptr %st, i32 %address, i64 %size) {{
  %off = sub i32 %address, {layout.TCM_BASE - (1 << 32)}
  %tcm = icmp ult i32 %off, {int(target.tcm_bytes.value)}
  br i1 %tcm, label %intcm, label %cached
intcm:{_bump('tcm_write_bytes', '%size', 't')}
  ret void
cached:
  %pp = getelementptr i8, ptr %st, i32 {layout.L2_TAGS}
  %base = load ptr, ptr %pp
  %line = lshr i32 %address, {g.l2_shift}
  %index = and i32 %line, {g.l2_sets - 1}
  %byte = mul i32 %index, {4 * g.l2_ways}
  %set = getelementptr i8, ptr %base, i32 %byte
  %tag = load i32, ptr %set
  %shifted = shl i32 %line, 1
  %key = or i32 %shifted, 1
  %same = icmp eq i32 %tag, %key
  br i1 %same, label %done, label %slow
slow:
  %r = call {SLOW} i1 @mm_l2(ptr %st, i32 %line, i32 1, i32 2)
  br label %done
done:
  ret void
}}"""


def _range(g: Geometry, target: Target) -> str:
    """@mm_range(st, address, bytes, write): every line of a block touched by a copy loop."""
    return f"""
define internal void @mm_range(ptr %st, i32 %address, i32 %bytes, i1 %write) noinline {{
  %none = icmp eq i32 %bytes, 0
  br i1 %none, label %done, label %start
start:
  %off = sub i32 %address, {layout.TCM_BASE - (1 << 32)}
  %tcm = icmp ult i32 %off, {int(target.tcm_bytes.value)}
  %size = zext i32 %bytes to i64
  %wbit = zext i1 %write to i32
  %fill = select i1 %write, i32 0, i32 1
  br i1 %tcm, label %intcm, label %cached
intcm:
  br i1 %write, label %tcmw, label %tcmr
tcmw:{_bump('tcm_write_bytes', '%size', 't')}
  ret void
tcmr:{_bump('tcm_read_bytes', '%size', 'u')}
  ret void
cached:
  %last0 = add i32 %bytes, -1
  %last1 = add i32 %address, %last0
  %last = lshr i32 %last1, {g.l2_shift}
  %begin = lshr i32 %address, {g.l2_shift}
  br label %loop
loop:
  %line = phi i32 [ %begin, %cached ], [ %next, %loop ]
  %r = call {SLOW} i1 @mm_l2(ptr %st, i32 %line, i32 %wbit, i32 %fill)
  %next = add i32 %line, 1
  %more = icmp ult i32 %line, %last
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""


def helpers(target: Target, exact: bool = True) -> str:
    """All helpers of the model as IR text; without ``exact``, block copies touch no line and nothing else calls."""
    if not exact:
        return "define internal void @mm_range(ptr %st, i32 %address, i32 %bytes, i1 %write) {\n  ret void\n}"
    g = Geometry(target)
    return "\n".join(
        [
            _l2(g, target),
            _l1(g, target),
            _fast_l2("mm_vload", g, target, 0, 1, False),
            _fast_l2("mm_vloadu", g, target, 0, 1, True),
            _fast_l2("mm_vstore", g, target, 1, 0, False),
            _fast_l2("mm_vstorem", g, target, 1, 2, False),
            _fast_l2("mm_vstoreu", g, target, 1, 2, True),
            _scalar_load(g, target),
            _scalar_store(g, target),
            _range(g, target),
        ]
    )
