"""The memory timing model as LLVM IR helpers; `accesses` decides which accesses have to call them.

Regions: TCM by address, everything else is DDR behind the caches.

* Scalar load: an L1D hit is free, an L1D miss that hits L2 stalls ``scalar_l2_latency_cycles``; TCM stalls
  ``scalar_tcm_latency_cycles`` each time.
* Vector access: goes to L2 directly and a hit is free (the pipelined latency is static, see `timing`).
* L2 miss of a load: if the line belongs to one of the last ``ddr_streams`` streams it costs line /
  ``ddr_bytes_per_cycle``; otherwise it begins one and costs ``ddr_latency_cycles`` (see `streams`).
* Stores are buffered. A miss allocates: a partial line is read (bandwidth cost), a whole aligned vector line
  is not. Dirty lines cost bandwidth when they are evicted; lines still dirty at the end of a run count as
  bytes written, not as cycles.
* A scalar store does not allocate in L1D, and a vector store leaves L1D tags alone.

Tags keep (line << 1) | dirty, most recently used way first; 0 is empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.memory_system import streams
from hexagon_mlir.targets import Target

Q8 = 256
"""Fractions of a cycle are kept in 1/256."""

NEAR_STEP = 16
"""Tags looked at together; the number of tags of a level is a multiple."""
SLOW = "preserve_allcc"
"""Calling convention of the helpers: the caller's vector registers stay where they are."""


def _log2(number: int, what: str) -> int:
    if number <= 0 or number & (number - 1):
        raise ValueError(f"{what} must be a power of two, not {number}")
    return number.bit_length() - 1


GROUP_MASK = (1 << 16) - 1
WRITE, STRADDLES, SCALAR_LOAD, ALIGNED = 1 << 16, 1 << 19, 1 << 20, 1 << 21
FILL_SHIFT, BYTES_SHIFT, OFFSET_SHIFT = 17, 24, 32
SKIPPED = 1 << 32
"""In place of a group's address: its accesses are accounted for, or did not run."""


@dataclass(frozen=True)
class Access:
    """What one instruction does to the caches.

    In the tables of `mm_replay` it is a word: group, flags, fill and bytes (at `BYTES_SHIFT`), and from
    `OFFSET_SHIFT` on the distance from the group's address.
    """

    bytes: int
    write: bool
    fill: int
    """On a miss: 0 no read (a whole line is written), 1 demanded, 2 read for a partial store."""
    straddles: bool = False
    """May touch two lines."""
    aligned: bool = False
    """The address is rounded down to a vector."""
    scalar_load: bool = False
    """Goes through L1D."""

    def word(self, group: int, offset: int) -> int:
        flags = (
            WRITE * self.write | STRADDLES * self.straddles | SCALAR_LOAD * self.scalar_load | ALIGNED * self.aligned
        )
        numbers = self.fill << FILL_SHIFT | self.bytes << BYTES_SHIFT
        return group | flags | numbers | (offset & 0xFFFFFFFF) << OFFSET_SHIFT


def vector_load(nbytes: int, aligned: bool) -> Access:
    return Access(nbytes, False, 1, straddles=not aligned, aligned=aligned)


def vector_store(nbytes: int, aligned: bool, masked: bool) -> Access:
    return Access(nbytes, True, 0 if aligned and not masked else 2, straddles=not aligned, aligned=aligned)


def scalar_load(nbytes: int) -> Access:
    return Access(nbytes, False, 1, scalar_load=True)


def scalar_store(nbytes: int) -> Access:
    return Access(nbytes, True, 2)


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


def ddr_costs(g: Geometry, target: Target) -> tuple[int, int]:
    """Of a line of a stream and of any other, in 1/256 cycle."""
    rate, latency = float(target.ddr_bytes_per_cycle.value), float(target.ddr_latency_cycles.value)
    return cycles_q8(g.l2_line / rate), cycles_q8(latency)


def _bump(name: str, amount: str, tag: str) -> str:
    """Add ``amount`` (i64 operand) to a counter."""
    offset = layout.counter(name)
    return f"""
  %p{tag} = getelementptr i8, ptr %st, i32 {offset}
  %o{tag} = load i64, ptr %p{tag}
  %n{tag} = add i64 %o{tag}, {amount}
  store i64 %n{tag}, ptr %p{tag}"""


_CHANGED = f"""
  %chp = getelementptr i8, ptr %st, i32 {layout.EPOCH}
  %cha = load ptr, ptr %chp
  %cho = load i64, ptr %cha
  %chn = add i64 %cho, 1
  store i64 %chn, ptr %cha"""


def _note_change(ways: int) -> str:
    """Given %tags and %after: a new epoch if the two differ."""
    return f"""
  %differ = icmp ne <{ways} x i32> %tags, %after
  %dbits = bitcast <{ways} x i1> %differ to i{ways}
  %dany = icmp ne i{ways} %dbits, 0
  %dcount = zext i1 %dany to i64
  %dp = getelementptr i8, ptr %st, i32 {layout.EPOCH}
  %da = load ptr, ptr %dp
  %dold = load i64, ptr %da
  %dnew = add i64 %dold, %dcount
  store i64 %dnew, ptr %da"""


def _note_use() -> str:
    """Given %index, %line, %dirty, %olddirty and %da: the marks of `cache_tags` after a line of L2 was used."""
    text = ""
    for mark, (compare, value) in enumerate((("slt", "index"), ("sgt", "index"), ("slt", "line"), ("sgt", "line")), 1):
        text += f"""
  %use{mark} = zext i32 %{value} to i64
  %markp{mark} = getelementptr i64, ptr %da, i32 {mark}
  %old{mark} = load i64, ptr %markp{mark}
  %beyond{mark} = icmp {compare} i64 %use{mark}, %old{mark}
  %new{mark} = select i1 %beyond{mark}, i64 %use{mark}, i64 %old{mark}
  store i64 %new{mark}, ptr %markp{mark}"""
    return text + """
  %more = sub i32 %dirty, %olddirty
  %more64 = sext i32 %more to i64
  %dirtyp = getelementptr i64, ptr %da, i32 5
  %dirty0 = load i64, ptr %dirtyp
  %dirty1 = add i64 %dirty0, %more64
  store i64 %dirty1, ptr %dirtyp"""


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
    line_cost, _ = ddr_costs(g, target)
    w = g.l2_ways
    return f"""
declare i{w} @llvm.cttz.i{w}(i{w}, i1)
define internal {SLOW} i1 @mm_l2(ptr %st, i32 %line, i32 %write, i32 %fill) cold noinline {{
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
  store <{w} x i32> %after, ptr %set{_note_change(w)}{_note_use()}
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
  %cost = call i64 @mm_stream(ptr %st, i32 %line){_bump('ddr_stall_q8', '%cost', 'c')}
  br label %done
done:
  ret i1 %hit
}}"""


def _l1(g: Geometry, target: Target) -> str:
    """@mm_l1(st, address): a scalar load that missed the most recent way."""
    w = g.l1_ways
    latency = int(target.scalar_l2_latency_cycles.value)
    declare = "" if w == g.l2_ways else f"declare i{w} @llvm.cttz.i{w}(i{w}, i1)\n"
    return f"""
{declare}define internal {SLOW} void @mm_l1(ptr %st, i32 %address) cold noinline {{
  %pp = getelementptr i8, ptr %st, i32 {layout.L1_TAGS}
  %base = load ptr, ptr %pp
  %line = lshr i32 %address, {g.l1_shift}
  %index = and i32 %line, {g.l1_sets - 1}
  %byte = mul i32 %index, {4 * w}
  %set = getelementptr i8, ptr %base, i32 %byte
  %newtag = shl i32 %line, 1
  %key = or i32 %newtag, 0{_search(w)}{_move_to_front(w)}
  store <{w} x i32> %after, ptr %set{_note_change(w)}
  br i1 %hit, label %done, label %miss
miss:
  %l2line = lshr i32 %address, {g.l2_shift}
  %l2hit = call {SLOW} i1 @mm_l2(ptr %st, i32 %l2line, i32 0, i32 1)
  %stall = select i1 %l2hit, i64 {latency}, i64 0{_bump('l2_stall', '%stall', 's')}
  br label %done
done:
  ret void
}}"""


def _replay(g: Geometry, target: Target) -> str:
    """@mm_replay(st, table, count, roots, memo, memos): the accesses of ``table`` (see `Access`) in order.

    ``roots`` has the address of every group, or `SKIPPED`. If no access changed a tag or stood in TCM, the first
    ``memos`` roots are noted in ``memo`` as {root, epoch}: the same again will cost nothing.
    """
    size = int(target.vector_bytes.value)
    latency = int(target.scalar_tcm_latency_cycles.value)
    read, written = layout.counter("tcm_read_bytes"), layout.counter("tcm_write_bytes")
    return f"""
define {SLOW} void @mm_replay(ptr %st, ptr %table, i32 %count, ptr %roots, ptr %memo, i32 %memos)
    cold noinline {{
entry:
  %ep = getelementptr i8, ptr %st, i32 {layout.EPOCH}
  %epoch = load ptr, ptr %ep
  %before = load i64, ptr %epoch
  %l1p = getelementptr i8, ptr %st, i32 {layout.L1_TAGS}
  %l1 = load ptr, ptr %l1p
  %l2p = getelementptr i8, ptr %st, i32 {layout.L2_TAGS}
  %l2 = load ptr, ptr %l2p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %step ]
  %wp = getelementptr i64, ptr %table, i32 %i
  %word = load i64, ptr %wp
  %group = and i64 %word, {GROUP_MASK}
  %rp = getelementptr i64, ptr %roots, i64 %group
  %root = load i64, ptr %rp
  %skip = icmp uge i64 %root, {SKIPPED}
  br i1 %skip, label %step, label %access
access:
  %distance = lshr i64 %word, {OFFSET_SHIFT}
  %where = add i64 %root, %distance
  %start = trunc i64 %where to i32
  %flags = trunc i64 %word to i32
  %al = and i32 %flags, {ALIGNED}
  %aligned = icmp ne i32 %al, 0
  %unit = select i1 %aligned, i32 {-size}, i32 -1
  %address = and i32 %start, %unit
  %wr = lshr i32 %flags, {WRITE.bit_length() - 1}
  %write = and i32 %wr, 1
  %writes = icmp ne i32 %write, 0
  %sc = and i32 %flags, {SCALAR_LOAD}
  %scalar = icmp ne i32 %sc, 0
  %off = sub i32 %address, {layout.TCM_BASE - (1 << 32)}
  %tcm = icmp ult i32 %off, {int(target.tcm_bytes.value)}
  br i1 %tcm, label %intcm, label %cached
intcm:
  %by = lshr i32 %flags, {BYTES_SHIFT}
  %bytes = zext i32 %by to i64
  %side = select i1 %writes, i32 {written}, i32 {read}
  %cp = getelementptr i8, ptr %st, i32 %side
  %co = load i64, ptr %cp
  %cn = add i64 %co, %bytes
  store i64 %cn, ptr %cp
  %stall = select i1 %scalar, i64 {latency}, i64 0{_bump('tcm_stall', '%stall', 's')}{_CHANGED}
  br label %step
cached:
  br i1 %scalar, label %byl1, label %byl2
byl1:
  %line1 = lshr i32 %address, {g.l1_shift}
  %index1 = and i32 %line1, {g.l1_sets - 1}
  %byte1 = mul i32 %index1, {4 * g.l1_ways}
  %set1 = getelementptr i8, ptr %l1, i32 %byte1
  %tag1 = load i32, ptr %set1
  %key1 = shl i32 %line1, 1
  %same1 = icmp eq i32 %tag1, %key1
  br i1 %same1, label %step, label %slow1
slow1:
  call {SLOW} void @mm_l1(ptr %st, i32 %address)
  br label %step
byl2:
  %fl = lshr i32 %flags, {FILL_SHIFT}
  %fill = and i32 %fl, 3
  %mask = sub i32 %write, 2
  %first = lshr i32 %address, {g.l2_shift}
  %un = and i32 %flags, {STRADDLES}
  %unaligned = icmp ne i32 %un, 0
  %end = add i32 %address, {size - 1}
  %endline = lshr i32 %end, {g.l2_shift}
  %last = select i1 %unaligned, i32 %endline, i32 %first
  br label %line
line:
  %line2 = phi i32 [ %first, %byl2 ], [ %last, %more ]
  %index2 = and i32 %line2, {g.l2_sets - 1}
  %byte2 = mul i32 %index2, {4 * g.l2_ways}
  %set2 = getelementptr i8, ptr %l2, i32 %byte2
  %tag2 = load i32, ptr %set2
  %state2 = and i32 %tag2, %mask
  %shifted2 = shl i32 %line2, 1
  %key2 = or i32 %shifted2, %write
  %same2 = icmp eq i32 %state2, %key2
  br i1 %same2, label %more, label %slow2
slow2:
  %hit = call {SLOW} i1 @mm_l2(ptr %st, i32 %line2, i32 %write, i32 %fill)
  br label %more
more:
  %one = icmp eq i32 %line2, %last
  br i1 %one, label %step, label %line
step:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %finish
finish:
  %now = load i64, ptr %epoch
  %unchanged = icmp eq i64 %now, %before
  %some = icmp ne i32 %memos, 0
  %note = and i1 %unchanged, %some
  br i1 %note, label %save, label %done
save:
  %j = phi i32 [ 0, %finish ], [ %jn, %save ]
  %from = getelementptr i64, ptr %roots, i32 %j
  %saved = load i64, ptr %from
  %to = getelementptr [2 x i64], ptr %memo, i32 %j
  store i64 %saved, ptr %to
  %to2 = getelementptr i64, ptr %to, i32 1
  store i64 %now, ptr %to2
  %jn = add i32 %j, 1
  %left = icmp ult i32 %jn, %memos
  br i1 %left, label %save, label %done
done:
  ret void
}}"""


def _range(g: Geometry, target: Target) -> str:
    """@mm_range(st, address, bytes, write): every line of a block touched by a copy loop."""
    return f"""
define void @mm_range(ptr %st, i32 %address, i32 %bytes, i1 %write) noinline {{
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


def _near() -> str:
    """@mm_near(tags, count, mask, first, span): has a tag with a bit of ``mask`` one of the lines first..first+span?"""
    ty = f"<{NEAR_STEP} x i32>"
    splats = "\n".join(
        f"  %{name}0 = insertelement {ty} poison, i32 %{name}, i32 0\n"
        f"  %{name}s = shufflevector {ty} %{name}0, {ty} poison, {ty} zeroinitializer"
        for name in ("mask", "first", "span")
    )
    return f"""
define i1 @mm_near(ptr %tags, i32 %count, i32 %mask, i32 %first, i32 %span) {{
entry:
{splats}
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %found = phi <{NEAR_STEP} x i1> [ zeroinitializer, %entry ], [ %now, %loop ]
  %at = getelementptr i32, ptr %tags, i32 %i
  %tag = load {ty}, ptr %at
  %line = lshr {ty} %tag, splat (i32 1)
  %distance = sub {ty} %line, %firsts
  %inside = icmp ule {ty} %distance, %spans
  %masked = and {ty} %tag, %masks
  %some = icmp ne {ty} %masked, zeroinitializer
  %hit = and <{NEAR_STEP} x i1> %inside, %some
  %now = or <{NEAR_STEP} x i1> %found, %hit
  %next = add i32 %i, {NEAR_STEP}
  %more = icmp ult i32 %next, %count
  br i1 %more, label %loop, label %done
done:
  %bits = bitcast <{NEAR_STEP} x i1> %now to i{NEAR_STEP}
  %any = icmp ne i{NEAR_STEP} %bits, 0
  ret i1 %any
}}"""


def helpers(target: Target) -> str:
    """The model as a module of its own: one per target, whatever the program."""
    g = Geometry(target)
    count, window = int(target.ddr_streams.value), int(target.ddr_stream_window_lines.value)
    stream = streams.helper(count, window, *ddr_costs(g, target))
    return "\n".join([stream, _l2(g, target), _l1(g, target), _replay(g, target), _range(g, target), _near()])


def declarations(exact: bool) -> str:
    """What translated code calls; without ``exact``, block copies touch no line."""
    if not exact:
        return "define internal void @mm_range(ptr %st, i32 %address, i32 %bytes, i1 %write) {\n  ret void\n}"
    return (
        f"declare {SLOW} void @mm_replay(ptr, ptr, i32, ptr, ptr, i32)\n"
        "declare void @mm_range(ptr, i32, i32, i1)"
    )
