"""The checks of a checked build as LLVM IR helpers that translated code calls before each access.

A shadow byte per guest byte says what may be done with it; in a run with several threads, two words per guest
word keep the last segment that wrote and read it, and which of its bytes (a segment is what a thread does between two
synchronisations), and ``ORDERED`` says which segments happened before the running one. Of threads that share a word but
no byte of it only the last one is kept: of two that take turns a race may go unseen, but none is reported that is none.

A vector load may read more than the program uses (a masked load reads whole vectors), so it is judged by the
bytes that belong to an allocation: a rule fires only when all of them break it, and it may lie in the zone behind
an allocation as a whole. LLVM loads unaligned data as aligned vectors and joins them, the last perhaps for nothing:
an aligned vector load right behind readable data may find data on its way. Its marks as a reader are weak: a
store by another thread races with them only if it is that of a whole vector and meets them in every word. The last one
of such a row stands under a scalar predicate (the data is not aligned); nothing of it is used when a mask ends before
it. A predicated vector load is therefore no reader at all: a race, and data that is on its way, show in the
loads it is joined with. Bytes without a value that a vector load meets are followed to where they matter
(`translation.second_values`).

A masked store is judged by the bytes it writes. A scalar load from the stack may find a value in part: LLVM makes one
of a vector load of which few bytes are used. An aligned vector store under a mask of lanes may have any address: LLVM
stores unaligned data as two of them.
"""

from __future__ import annotations

from hexagon_mlir.sim import layout
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
from hexagon_mlir.sim.memory_system.cache_model import Access

REPORT_CALLBACK, COPY_CALLBACK, FILL_CALLBACK = -1, -2, -3
RETURN_CALLBACK, ABOVE_CALLBACK, USED_CALLBACK, STORED_CALLBACK = -7, -8, -9, -10
"""Indices of callbacks that are no host functions."""
COPIES = {"memcpy": COPY_CALLBACK, "memmove": COPY_CALLBACK, "memset": FILL_CALLBACK,
          "__hexagon_memcpy_likely_aligned_min32bytes_mult8bytes": COPY_CALLBACK}  # fmt: skip
MAX_SEGMENTS = 1 << 16
"""Stretches between synchronisations that the race check tells apart; later ones count as one."""
WEAK = MAX_SEGMENTS
"""Bit of a reader's mark: a vector load, which may not use what it reads."""
UNTOUCHED_SHIFT = 17
"""Above that bit a mark has a bit for each byte of the word that the segment left alone."""
WORD_BYTES = 4
SCALAR_BYTES = 8
"""The widest scalar access."""
SIZE_SHIFT = 8
WRITE = 1 << 24
"""The rule word: rule | access size << SIZE_SHIFT, and `WRITE` if it is a store."""


ODD_STORE = "ck_vstore"
"""The check that gets an address with the bits that the access ignores."""


def access_name(access: Access, masked: bool, predicated: bool, followed: bool) -> str:
    """The check of an access; that of a ``followed`` load gives whether a byte has no value (i1)."""
    if masked:
        return "ck_vstorem"
    if predicated and access.aligned and not access.write:
        return "ck_vloadp"
    kind = "store" if access.write else "load"
    if access.aligned or access.straddles:
        return f"ck_v{kind}" + "u" * access.straddles
    return f"ck_{'f' if followed else 's'}{kind}{access.bytes}"


def word(name: str, offset: int, ty: str = "i32") -> str:
    """IR that loads ``%name`` from the state record."""
    return f"""
  %{name}_p = getelementptr i8, ptr %st, i32 {offset}
  %{name} = load {ty}, ptr %{name}_p"""


def _report() -> str:
    return f"""
define internal void @ck_report(ptr %st, i32 %rule, i32 %address, i32 %site) {{
  call void @ck_tell(ptr %st, i32 %rule, i32 %address, i32 %site, i32 {REPORT_CALLBACK})
  ret void
}}
define internal void @ck_tell(ptr %st, i32 %rule, i32 %address, i32 %site, i32 %index) noinline {{
  %r = getelementptr i8, ptr %st, i32 {layout.RULE}
  store i32 %rule, ptr %r
  %a = getelementptr i8, ptr %st, i32 {layout.FAULT}
  store i32 %address, ptr %a
  %s = getelementptr i8, ptr %st, i32 {layout.SITE}
  store i32 %site, ptr %s{word('callback', layout.CALLBACK, 'ptr')}
  call void %callback(i32 %index)
  ret void
}}"""


def code(rule: Rule, size: int, write: bool = False) -> int:
    """The rule word."""
    return CODES.index(rule) | size << SIZE_SHIFT | WRITE * write


def _access(name: str, size: int, write: bool, lenient: bool, align: int, masked: bool = False,
            matters: bool = True, followed: bool = False) -> str:
    """@ck_...(st, address, site): the rules for one access of ``size`` bytes, then its race check.

    A ``followed`` load gives whether a byte has no value (`second_values`). Without ``matters`` what is read may be
    thrown away. With an ``align`` of vectors the access ignores lower bits.
    """
    v, bits = f"<{size} x i8>", f"<{size} x i1>"
    every, some = ("%any", "%inside") if lenient else ("%all", "%any")
    odd = align > SCALAR_BYTES
    misaligned = code(Rule.MISALIGNED_STORE if odd else Rule.MISALIGNED, size, write)
    last = Rule.SOURCE_CHANGED if write else Rule.UNINITIALISED
    dead = f"{some}, {DEAD}" if matters else "0, 0"
    test = f"""
  %l0 = and i8 {some}, {DMA_SOURCE}
  %l1 = icmp ne i8 %l0, 0
  %s0 = and i8 %any, {READ_ONLY | SAVED}""" if write else f"""
  %l1 = icmp ne i8 0, 0
  %s0 = and i8 {dead}""" if followed else f"""
  %s0 = and i8 {some}, {DEAD}
  %l0 = and i8 {every}, {INITIALISED}
  %l3 = icmp eq i8 %l0, 0
  %l4 = sub i32 %address, {layout.STACK_BASE}
  %l5 = icmp ult i32 %l4, {layout.DDR_BASE - layout.STACK_BASE}
  %l7 = and i8 %any, {INITIALISED}
  %l8 = icmp eq i8 %l7, 0
  %l1 = select i1 %l5, i1 %l8, i1 %l3"""
    readable = ADDRESSABLE | INITIALISED
    pair = f"""
  %pb = getelementptr i8, ptr %p, i64 -{size}
  %before = load {v}, ptr %pb, align 1
  %state = and {v} %before, splat (i8 {readable | DMA_DESTINATION})
  %ready = icmp eq {v} %state, splat (i8 {readable})
  %some_ready = call i1 @llvm.vector.reduce.or.v{size}i1({bits} %ready)
  %low = and i32 %address, {size - 1}
  %whole = icmp eq i32 %low, 0
  %pair = and i1 %some_ready, %whole
  %alone = xor i1 %pair, true""" if lenient and not write else """
  %alone = icmp eq i32 0, 0"""
    inside = f"and i8 %any, {ADDRESSABLE}" if lenient else "or i8 0, 1"
    bound = ADDRESSABLE | READABLE if lenient else ADDRESSABLE
    result = "  ret void" if not followed else f"""
  %valued = and i8 %all, {INITIALISED}
  %undefined = icmp eq i8 %valued, 0
  ret i1 %undefined"""
    selected = f"""
  %used = bitcast <{size // 4} x i32> %mask to {v}
  %in = icmp ne {v} %used, zeroinitializer
  %flags = select {bits} %in, {v} %stored, {v} zeroinitializer
  %strict = select {bits} %in, {v} %stored, {v} splat (i8 {ADDRESSABLE | INITIALISED})
  %maskp = alloca <{size // 4} x i32>
  store <{size // 4} x i32> %mask, ptr %maskp""" if masked else f"""
  %flags = bitcast {v} %stored to {v}
  %strict = bitcast {v} %stored to {v}"""
    mark = f"""
  %living = and {v} %stored, splat (i8 {~DEAD & 0xFF})
  %fresh = select {bits} %known, {v} splat (i8 {INITIALISED}), {v} zeroinitializer
  %renewed = {f"select {bits} %in, {v} %living, {v} %stored" if masked else f"or {v} %living, zeroinitializer"}
  %marked = or {v} %renewed, %fresh
  store {v} %marked, ptr %p, align 1""" if write else ""
    race = f"""{word('segment', layout.SEGMENT)}
  %tracked = icmp ne i32 %segment, 0
  br i1 %tracked, label %race, label %done
race:
  call void @ck_race_{'write' if write else 'read'}(ptr %st, i32 %address, i32 {size}, i1 {int(lenient)}, i32 %site, \
ptr {'%maskp' if masked else '@ck_every_word'})
  br label %done
done:""" if matters else ""
    return f"""
declare i8 @llvm.vector.reduce.or.v{size}i8({v})
declare i8 @llvm.vector.reduce.and.v{size}i8({v})
declare i1 @llvm.vector.reduce.or.v{size}i1({bits})
define internal {"void" if not followed else "i1"} @{name}(ptr %st, i32 %raw, i32 %site\
{f', <{size // 4} x i32> %mask' if masked else ''}) noinline {{{word('shadow', layout.SHADOW, 'ptr')}
  %address = and i32 %raw, {-size if odd else -1}
  %wide = zext i32 %address to i64
  %p = getelementptr i8, ptr %shadow, i64 %wide
  %stored = load {v}, ptr %p, align 1{selected}{pair}
  %bit = and {v} %flags, splat (i8 {ADDRESSABLE})
  %known = icmp ne {v} %bit, zeroinitializer
  %trusted = select {bits} %known, {v} %flags, {v} splat (i8 -1)
  %any = call i8 @llvm.vector.reduce.or.v{size}i8({v} %flags)
  %all = call i8 @llvm.vector.reduce.and.v{size}i8({v} %strict)
  %inside = call i8 @llvm.vector.reduce.and.v{size}i8({v} %trusted){test}
  %own0 = {inside}
  %own = icmp ne i8 %own0, 0
  %l6 = and i1 %own, %alone
  %l2 = and i1 %l6, %l1
  %r2 = select i1 %l2, i32 {code(last, size, write)}, i32 -1
  %d0 = and i8 {some}, {DMA_DESTINATION}
  %d1 = icmp ne i8 %d0, 0
  %d3 = and i1 %l6, {int(matters)}
  %d2 = and i1 %d3, %d1
  %r3 = select i1 %d2, i32 {code(Rule.USE_BEFORE_WAIT, size, write)}, i32 %r2
  %m0 = and i32 %raw, {align - 1}
  %m1 = icmp ne i32 %m0, 0
  %r4 = select i1 %m1, i32 {misaligned}, i32 %r3
  %o0 = and i8 {every}, {bound}
  %o1 = icmp eq i8 %o0, 0
  %r5 = select i1 %o1, i32 {code(Rule.OUT_OF_BOUNDS, size, write)}, i32 %r4
  %s1 = icmp ne i8 %s0, 0
  %s2 = and i1 %s1, %own
  %rule = select i1 %s2, i32 {code(Rule.READ_ONLY if write else Rule.CALLER_FRAME, size, write)}, i32 %r5
  %odd = icmp eq i32 %rule, {misaligned}
  %where = select i1 %odd, i32 %raw, i32 %address
  %bad = icmp ne i32 %rule, -1
  br i1 %bad, label %report, label %fine
report:
  call void @ck_report(ptr %st, i32 %rule, i32 %where, i32 %site)
  br label %fine
fine:{mark}{race}
{result}
}}"""


def _race(write: bool) -> str:
    """Compare every word with its last writer (and reader), and take it over."""
    if write:
        conflict = """%rhard = and i1 %rbad, %hard
  %clash0 = or i1 %wbad, %rhard
  %rsoft = and i1 %rbad, %soft"""
        take = """%same = icmp eq i32 %wi, %segment
  %wleft = and i32 %w, %left
  %both = or i32 %segment, %wleft
  %alone = or i32 %segment, %left
  %mine = select i1 %same, i32 %both, i32 %alone
  %nw = select i1 %in, i32 %mine, i32 %w
  store i32 %nw, ptr %wp"""
    else:
        conflict = """%clash0 = or i1 %wbad, false
  %rsoft = or i1 false, false"""
        take = f"""%same = icmp eq i32 %ri, %segment
  %keepweak = or i1 %rbad, %same
  %keephard = and i1 %rbad, %hard
  %keep = select i1 %lenient, i1 %keepweak, i1 %keephard
  %weak = select i1 %lenient, i32 {WEAK}, i32 0
  %rleft = and i32 %r, %left
  %lefts = select i1 %same, i32 %rleft, i32 %left
  %mine0 = or i32 %segment, %weak
  %mine = or i32 %mine0, %lefts
  %rlow = and i32 %r, {(1 << UNTOUCHED_SHIFT) - 1}
  %grown = or i32 %rlow, %rleft
  %kept = select i1 %same, i32 %grown, i32 %r
  %nr = select i1 %keep, i32 %kept, i32 %mine
  store i32 %nr, ptr %rp"""
    name = "ck_race_write" if write else "ck_race_read"
    return f"""
define internal void @{name}(ptr %st, i32 %address, i32 %size, i1 %lenient, i32 %site, ptr %mask) {{
  %first = lshr i32 %address, 2
  %last0 = add i32 %address, %size
  %last1 = sub i32 %last0, 1
  %last = lshr i32 %last1, 2{word('segment', layout.SEGMENT)}{word('writers', layout.WRITERS, 'ptr')}\
{word('readers', layout.READERS, 'ptr')}{word('ordered', layout.ORDERED, 'ptr')}
  br label %loop
loop:
  %i = phi i32 [ %first, %0 ], [ %next, %loop ]
  %count = phi i32 [ 0, %0 ], [ %more_count, %loop ]
  %apart = phi i32 [ 0, %0 ], [ %more_apart, %loop ]
  %weaks = phi i32 [ 0, %0 ], [ %more_weaks, %loop ]
  %wide = zext i32 %i to i64
  %wp = getelementptr i32, ptr %writers, i64 %wide
  %rp = getelementptr i32, ptr %readers, i64 %wide
  %w = load i32, ptr %wp
  %r = load i32, ptr %rp
  %start = shl i32 %i, 2
  %from0 = sub i32 %address, %start
  %from = call i32 @llvm.smax.i32(i32 %from0, i32 0)
  %to0 = sub i32 %last0, %start
  %to = call i32 @llvm.smin.i32(i32 %to0, i32 {WORD_BYTES})
  %below_to = shl i32 -1, %to
  %below_from = shl i32 -1, %from
  %range = sub i32 %below_from, %below_to
  %index = sub i32 %i, %first
  %mp = getelementptr i32, ptr %mask, i32 %index
  %m = load i32, ptr %mp
  %mbytes = bitcast i32 %m to <{WORD_BYTES} x i8>
  %mset = icmp ne <{WORD_BYTES} x i8> %mbytes, zeroinitializer
  %mbits = bitcast <{WORD_BYTES} x i1> %mset to i{WORD_BYTES}
  %msome = zext i{WORD_BYTES} %mbits to i32
  %touched = and i32 %range, %msome
  %in = icmp ne i32 %touched, 0
  %left0 = xor i32 %touched, {(1 << WORD_BYTES) - 1}
  %left = shl i32 %left0, {UNTOUCHED_SHIFT}
  %mine_at = shl i32 %touched, {UNTOUCHED_SHIFT}
  %wmeet0 = and i32 %w, %mine_at
  %wmeet = icmp ne i32 %wmeet0, %mine_at
  %rmeet0 = and i32 %r, %mine_at
  %rmeet = icmp ne i32 %rmeet0, %mine_at
  %wi = and i32 %w, {WEAK - 1}
  %wo = getelementptr i8, ptr %ordered, i32 %wi
  %ri = and i32 %r, {WEAK - 1}
  %rs = and i32 %r, {WEAK}
  %soft = icmp ne i32 %rs, 0
  %hard = xor i1 %soft, true
  %ro = getelementptr i8, ptr %ordered, i32 %ri
  %wk = load i8, ptr %wo
  %rk = load i8, ptr %ro
  %wlate = icmp eq i8 %wk, 0
  %rlate = icmp eq i8 %rk, 0
  %wbad = and i1 %wlate, %wmeet
  %rbad = and i1 %rlate, %rmeet
  {conflict}
  %clash = and i1 %clash0, %in
  {take}
  %one = zext i1 %clash to i32
  %more_count = add i32 %count, %one
  %met = or i1 %rsoft, %clash
  %unmet0 = xor i1 %met, true
  %unmet = and i1 %unmet0, %in
  %single = zext i1 %unmet to i32
  %more_apart = add i32 %apart, %single
  %rsoftin = and i1 %rsoft, %in
  %another = zext i1 %rsoftin to i32
  %more_weaks = add i32 %weaks, %another
  %next = add i32 %i, 1
  %again = icmp ult i32 %i, %last
  br i1 %again, label %loop, label %end
end:
  %words0 = sub i32 %next, %first
  %words = select i1 %lenient, i32 %words0, i32 1
  %some = icmp uge i32 %more_count, %words
  %every0 = icmp eq i32 %more_apart, 0
  %covered = shl i32 %more_weaks, 2
  %any = icmp uge i32 %covered, %size
  %every = and i1 %every0, %any
  %vector = icmp ugt i32 %size, {SCALAR_BYTES}
  %whole0 = and i1 %every, %vector
  %whole = and i1 %whole0, {'true' if write else 'false'}
  %bad = or i1 %some, %whole
  br i1 %bad, label %report, label %done
report:
  %rule0 = shl i32 %size, {SIZE_SHIFT}
  %sure = {'or i1 %some, false' if write else 'xor i1 %lenient, true'}
  %kind = select i1 %sure, i32 {CODES.index(Rule.RACE)}, i32 {CODES.index(Rule.VECTOR_RACE)}
  %rule1 = or i32 %rule0, %kind
  %rule = or i32 %rule1, {WRITE * write}
  call void @ck_report(ptr %st, i32 %rule, i32 %address, i32 %site)
  br label %done
done:
  ret void
}}"""


def helpers(vector_bytes: int) -> str:
    """All helpers of a checked build as IR text."""
    words = vector_bytes // 4 + 1  # an unaligned vector touches one word more
    everything = ", ".join(["i32 -1"] * words)
    pieces = [f"@ck_every_word = internal constant [{words} x i32] [{everything}]"]
    pieces.append("declare i32 @llvm.smin.i32(i32, i32)\ndeclare i32 @llvm.smax.i32(i32, i32)")
    pieces += [_report(), _race(False), _race(True)]
    for size in (1, 2, 4, 8):
        pieces.append(_access(f"ck_sload{size}", size, False, False, size))
        pieces.append(_access(f"ck_fload{size}", size, False, False, size, followed=True))
        pieces.append(_access(f"ck_sstore{size}", size, True, False, size))
    for name in ("vload", "vloadu", "vloadp"):
        pieces.append(_access(f"ck_{name}", vector_bytes, False, True, 1, matters=name != "vloadp", followed=True))
    for name in ("vstore", "vstoreu", "vstorem"):
        align = vector_bytes if name == "vstore" else 1
        pieces.append(_access(f"ck_{name}", vector_bytes, True, False, align, name == "vstorem"))
    return "\n".join(pieces)
