"""Scalar saturation, rounding, bit fields by register, interleaving, rotates and masks (V73 PRM 80-N2040-53, XTYPE)."""

from __future__ import annotations

from hexagon_mlir.sim.semantics.cabac import NEXT_LPS, NEXT_MPS, RANGE_LPS
from hexagon_mlir.sim.semantics.lanes import clamp
from hexagon_mlir.sim.semantics.packed import lane, saturate, saturating, table
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.scalar import ACCUMULATE, pair, predicate, shift
from hexagon_mlir.sim.semantics.sticky import OVERFLOW, raised
from hexagon_mlir.sim.semantics.value import I32, I64, Val


def _saturate() -> None:
    semantics("R=sat(RR)", lambda a: saturate(a, 32).trunc(32))
    for name, bits, signed in (("satb", 8, True), ("sath", 16, True), ("satub", 8, False), ("satuh", 16, False)):
        semantics(f"R={name}(R)", lambda a, n=bits, s=signed: saturate(a, n, s))
    semantics("R=abs(R):sat", lambda a: a.two("smax", saturating("sub", a.lift(0), a)))
    semantics("R=neg(R):sat", lambda a: saturating("sub", a.lift(0), a))
    semantics("R=clip(R,I)", lambda a, n: clamp(a, n + 1, True))
    for name in ("add", "sub"):
        semantics(f"R={name}(R,R):sat:deprecated", lambda a, b, n=name: saturating(n, a, b))

    def saturated_shift(value: Val, amount: Val, kind: str) -> Val:
        """A left shift that loses bits or the sign gives the largest number of the source's sign."""
        by = amount.trunc(7).sext(64)
        left = by if kind == "asl" else -by
        wide = value.sext(64)
        moved = wide << left.two("smin", 31).two("smax", 0)
        far = left.icmp("sgt", 31) & value.icmp("ne", 0)
        raised(OVERFLOW, far)
        limit = wide.icmp("slt", 0).select(-(1 << 31), moved.lift((1 << 31) - 1))
        up = far.select(limit, saturate(moved, 32))
        down = wide >> (-left).two("smin", 63).two("smax", 0)
        return left.icmp("sge", 0).select(up, down).trunc(32)

    semantics("R=asl(R,I):sat", lambda a, n: saturate(a.sext(64) << n, 32).trunc(32))
    for kind in ("asl", "asr"):
        semantics(f"R={kind}(R,R):sat", lambda a, n, k=kind: saturated_shift(a, n, k))


def _round() -> None:
    def half(amount: Val) -> Val:
        """Half of 1 << amount (i64); 0 for amount 0."""
        return (amount.lift(1) << amount).lshr(1)

    def by(value: Val, amount: Val | int) -> Val:
        return value.code.const(amount, I64) if isinstance(amount, int) else amount.zext(64) & 31

    def rounded(a: Val, n: Val | int, sat: bool) -> Val:
        count = by(a, n)
        value = a.sext(64) + half(count)
        return ((saturate(value, 32) if sat else value) >> count).trunc(32)

    def convergent(value: Val, count: Val, bits: int) -> Val:
        """Ties go to even."""
        wide = value.sext(128)
        amount = count.zext(128)
        unit = amount.lift(1) << amount
        middle = unit.lshr(1)
        tie = (wide & (middle - (amount.icmp("ne", 0).zext(128)))).icmp("eq", 0)
        extra = tie.select((wide & unit).lshr(1), middle)
        none = amount.icmp("eq", 0)
        return ((wide + none.select(0, extra)) >> amount).trunc(bits)

    for amount in ("R", "I"):
        for mark, sat in (("", False), (":sat", True)):
            semantics(f"R=round(R,{amount}){mark}", lambda a, n, s=sat: rounded(a, n, s))
        semantics(f"R=cround(R,{amount})", lambda a, n: convergent(a, by(a, n), 32))
        semantics(f"RR=cround(RR,{amount})", lambda a, n: convergent(
            a, a.code.const(n, I64) if isinstance(n, int) else n.zext(64) & 63, 64))  # fmt: skip
    semantics("R=round(RR):sat", lambda a: saturating("add", a, 0x80000000).lshr(32).trunc(32))
    for size in ("R", "RR"):
        semantics(f"{size}=asr({size},I):rnd", lambda a, n: ((a >> n).sext(128) + 1 >> 1).trunc(a.ty.bits))
        semantics(f"{size}=asrrnd({size},I)", lambda a, n: (
            ((a >> (n - 1)).sext(128) + 1) >> 1).trunc(a.ty.bits) if n else a)  # fmt: skip


def _fields() -> None:
    def low_mask(width: Val) -> Val:
        """Ones in the low ``width`` (i64, 0..63) bits."""
        return (width.lift(1) << width) - 1

    def control(t: Val) -> tuple[Val, Val]:
        """Width from the high word (6 bits) and the low word, whose low 7 bits are the signed offset."""
        return lane(t, 32, 1, False) & 63, t.trunc(32)

    def extract(a: Val, t: Val, signed: bool) -> Val:
        width, offset = control(t)
        moved = shift(a.zext(64), offset, "lsr")
        field = moved & low_mask(width)
        if signed:
            top = (width - 1) & 63
            field = width.icmp("eq", 0).select(0, field | -(field & (width.lift(1) << top)))
        return field.trunc(a.ty.bits)

    def insert(x: Val, a: Val, t: Val) -> Val:
        width, offset = control(t)
        by = offset.trunc(7).sext(64)
        amount = by.two("smax", 0)
        wide, mask = a.zext(64), low_mask(width)
        placed = (x.zext(64) & ~(mask << amount)) | ((wide & mask) << amount)
        return by.icmp("slt", 0).select(0, placed).trunc(x.ty.bits)

    for size in ("R", "RR"):
        semantics(f"{size}=extractu({size},RR)", lambda a, t: extract(a, t, False))
        semantics(f"{size}=extract({size},RR)", lambda a, t: extract(a, t, True))
        semantics(f"{size}=insert({size},RR)", insert)

    def split(a: Val, r: Val) -> Val:
        amount = r & 31
        return pair(a.lshr(amount), a & ~(a.lift(-1) << amount))

    semantics("RR=bitsplit(R,R)", split)
    for suffix, start in (("b", 0), ("h", 1), ("w", 2), ("d", 3)):
        def table(x: Val, a: Val, width: int, offset: int, k: int = start) -> Val:
            """``width`` bits of a from bit offset + k become bits k.. of x."""
            mask = (1 << width) - 1
            by = offset + k
            moved = a.zext(64).lshr(by) if by >= 0 else a.zext(64) << -by
            return (x & ~(mask << k)) | ((moved.trunc(32) & mask) << k)

        semantics(f"R=tableidx{suffix}(R,I,I):raw", table)
        semantics(f"R=tableidx{suffix}(R,I,I)", lambda x, a, w, o, f=table, k=start: f(x, a, w, o - k))  # fmt: skip


def _patterns() -> None:
    def spread(value: Val) -> Val:
        """The low 32 bits of an i64 at the even positions."""
        for distance, mask in ((16, 0x0000FFFF0000FFFF), (8, 0x00FF00FF00FF00FF), (4, 0x0F0F0F0F0F0F0F0F),
                               (2, 0x3333333333333333), (1, 0x5555555555555555)):  # fmt: skip
            value = (value | (value << distance)) & mask
        return value

    def gather(value: Val) -> Val:
        """The even positions of an i64 as 32 bits."""
        value = value & 0x5555555555555555
        for distance, mask in ((1, 0x3333333333333333), (2, 0x0F0F0F0F0F0F0F0F), (4, 0x00FF00FF00FF00FF),
                               (8, 0x0000FFFF0000FFFF), (16, 0xFFFFFFFF)):  # fmt: skip
            value = (value | value.lshr(distance)) & mask
        return value

    semantics("RR=interleave(RR)", lambda a: spread(a & 0xFFFFFFFF) | (spread(a.lshr(32)) << 1))
    semantics("RR=deinterleave(RR)", lambda a: gather(a) | (gather(a.lshr(1)) << 32))
    for size in ("R", "RR"):
        semantics(f"R=parity({size},{size})", lambda a, b: ((a & b).one("ctpop") & 1).ext(64, False).trunc(32))
        semantics(f"R=add(clb({size}),I)", lambda a, n: _leading(a) + n)

        def rotate(a: Val, n: int) -> Val:
            return a.code.intrinsic("fshl", a.ty, a, a, a.lift(n))

        semantics(f"{size}=rol({size},I)", rotate)
        for sign, op in ACCUMULATE.items():
            semantics(f"{size}{sign}rol({size},I)", lambda x, a, n, f=op: f(x, rotate(a, n)))
    semantics("R=normamt(RR)", lambda a: a.icmp("eq", 0).select(0, _leading(a) - 1))
    semantics("RR=lfs(RR,RR)", lambda a, b: a.lshr(1) | ((a & b).one("ctpop") << 63))

    def wrap(a: Val, b: Val) -> Val:
        return a.icmp("slt", 0).select(a + b, a.icmp("uge", b).select(a - b, a))

    semantics("R=modwrap(R,R)", wrap)

    def translation_match(a: Val, r: Val) -> Val:
        """A TLB entry covers an address: the entry's size follows its lowest set bits."""
        low, high = a.trunc(32), lane(a, 32, 1, False).trunc(32)
        zeros = low.code.call("llvm.cttz.i32", I32, low, Val(low.code, "false", low.ty.of(1)))
        size = zeros.two("umin", 6)
        mask = (low.lift(-1) << (size << 1)) & 0x07FFFFFF
        return predicate(high.icmp("slt", 0) & (high & mask).icmp("eq", r & mask))

    semantics("P=tlbmatch(RR,R)", translation_match)
    semantics("P=cmp.ge(R,I)", lambda a, n: predicate(a.icmp("sge", n)))
    semantics("P=cmp.geu(R,I)", lambda a, n: predicate(a.icmp("uge", n)))
    semantics("P=cmp.lt(R,R)", lambda a, b: predicate(a.icmp("slt", b)))
    semantics("P=cmp.ltu(R,R)", lambda a, b: predicate(a.icmp("ult", b)))


def _cabac() -> None:
    def decode(s: Val, t: Val) -> tuple[Val, Val]:
        """One symbol of an arithmetic code from (range, offset) and (bit position, state and likely symbol)."""
        position, control = t.trunc(32) & 31, lane(t, 32, 1, False).trunc(32)
        state, symbol = control & 63, control.lshr(8) & 1
        span, offset = s.trunc(32) << position, lane(s, 32, 1, False).trunc(32) << position
        less = table("range_lps", RANGE_LPS, (state << 2) | (span.lshr(29) & 3)) << 23
        more = (span & -(1 << 23)) - less
        likely = offset.icmp("ult", more)
        following = likely.select(table("next_mps", NEXT_MPS, state), table("next_lps", NEXT_LPS, state))
        next_mps = symbol ^ (~likely & state.icmp("eq", 0)).zext(32)
        low = following | (next_mps << 8) | likely.select(more, less)
        return pair(likely.select(offset, offset - more), low), (symbol ^ (~likely).zext(32)).trunc(8)

    semantics("RR=decbin(RR,RR)", decode)


def _leading(value: Val) -> Val:
    """Equal leading bits (the larger of leading zeros and leading ones), as i32."""
    counts = []
    for v in (value, ~value):
        counts.append(v.code.call(f"llvm.ctlz.{v.ty.mangle()}", v.ty, v, Val(v.code, "false", v.ty.of(1))))
    return counts[0].two("umax", counts[1]).trunc(32)


_saturate()
_round()
_fields()
_patterns()
_cabac()
