"""Bytes, halfwords and words inside scalar registers: add, average, shift, pack, reduce.

V73 Programmer's Reference Manual 80-N2040-53, XTYPE.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.sim.semantics.lanes import clamp
from hexagon_mlir.sim.semantics.packed import SIZES, convergent, lane, lanes, mapped, pack, saturate, total
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.scalar import predicate, shift
from hexagon_mlir.sim.semantics.value import I8, Val

Op = Callable[[Val, Val], Val]
ADD_SUB: dict[str, Op] = {"add": Val.__add__, "sub": Val.__sub__}


def _halves() -> None:
    """Sums of one halfword of each operand."""
    for name, op in ADD_SUB.items():
        for a, i in (("l", 0), ("h", 1)):
            for b, j in (("l", 0), ("h", 1)):
                def value(s: Val, t: Val, sat: bool, i: int = i, j: int = j, f: Op = op) -> Val:
                    result = f(lane(s, 16, i), lane(t, 16, j))
                    return saturate(result, 16) if sat else result

                if a == "l":
                    semantics(f"R={name}(R.{a},R.{b})", lambda s, t, f=value: ((f(s, t, False) << 48) >> 48).trunc(32))
                    semantics(f"R={name}(R.{a},R.{b}):sat", lambda s, t, f=value: f(s, t, True).trunc(32))
                for mark, sat in ((":<<16", False), (":sat:<<16", True)):
                    semantics(f"R={name}(R.{a},R.{b}){mark}", lambda s, t, f=value, g=sat: (f(s, t, g) << 16).trunc(32))


def _add_subtract() -> None:
    for name, op in ADD_SUB.items():
        for suffix in ("ub", "uh", "h", "w"):
            bits, signed = SIZES[suffix]

            def clamped(a: Val, b: Val, n: int = bits, s: bool = signed, f: Op = op) -> Val:
                return saturate(f(a, b), n, s)

            semantics(f"RR=v{name}{suffix}(RR,RR):sat", mapped(bits, signed, clamped))
            if suffix in ("h", "uh"):
                semantics(f"R=v{name}{suffix}(R,R):sat", mapped(bits, signed, clamped))
    semantics("R=vaddhub(RR,RR):sat", lambda s, t: pack(
        [saturate(a + b, 8, False) for a, b in zip(lanes(s, 16), lanes(t, 16), strict=True)], 8))  # fmt: skip
    for suffix in ("b", "ub", "h", "w"):
        bits, signed = SIZES[suffix]
        semantics(f"RR=vabsdiff{suffix}(RR,RR)", mapped(bits, signed, lambda a, b: _absolute(a - b)))
    for suffix in ("h", "w"):
        bits = SIZES[suffix][0]
        semantics(f"RR=vabs{suffix}(RR)", mapped(bits, True, lambda a: _absolute(a)))
        semantics(f"RR=vabs{suffix}(RR):sat", mapped(bits, True, lambda a, n=bits: saturate(_absolute(a), n)))


def _absolute(value: Val) -> Val:
    return value.icmp("slt", 0).select(-value, value)


def _averages() -> None:
    for size, suffixes in (("RR", ("ub", "h", "uh", "w", "uw")), ("R", ("h",))):
        for suffix in suffixes:
            bits, signed = SIZES[suffix]
            semantics(f"{size}=vavg{suffix}({size},{size})", mapped(bits, signed, lambda a, b: (a + b) >> 1))
            semantics(f"{size}=vavg{suffix}({size},{size}):rnd", mapped(bits, signed, lambda a, b: (a + b + 1) >> 1))
            if signed:
                semantics(f"{size}=vnavg{suffix}({size},{size})", mapped(bits, True, lambda a, b: (a - b) >> 1))
            if signed and size == "RR":
                semantics(f"RR=vavg{suffix}(RR,RR):crnd", mapped(bits, True, lambda a, b: convergent(a + b) >> 1))
                semantics(f"RR=vnavg{suffix}(RR,RR):rnd:sat", mapped(bits, True, lambda a, b, n=bits: saturate(
                    (a - b + 1) >> 1, n)))  # fmt: skip
                semantics(f"RR=vnavg{suffix}(RR,RR):crnd:sat", mapped(bits, True, lambda a, b, n=bits: saturate(
                    convergent(a - b) >> 1, n)))  # fmt: skip


def _shifts() -> None:
    for suffix in ("h", "w"):
        bits = SIZES[suffix][0]
        for kind in ("asl", "asr", "lsl", "lsr"):
            semantics(f"RR=v{kind}{suffix}(RR,R)", lambda a, r, n=bits, k=kind: pack(
                [shift(x, r, k) for x in lanes(a, n, k in ("asl", "asr"))], n))  # fmt: skip
    semantics("R=vasrw(RR,I)", lambda a, n: pack([x >> n for x in lanes(a, 32)], 16))
    semantics("R=vasrw(RR,R)", lambda a, r: pack([shift(x, r, "asr") for x in lanes(a, 32)], 16))
    semantics("RR=vasrh(RR,I):raw", lambda a, n: pack([((x >> n) + 1) >> 1 for x in lanes(a, 16)], 16))
    semantics("RR=vasrh(RR,I):rnd", lambda a, n: pack(
        [((x >> (n - 1)) + 1) >> 1 if n else x for x in lanes(a, 16)], 16))  # fmt: skip
    semantics("R=vasrhub(RR,I):raw", lambda a, n: pack(
        [saturate(((x >> n) + 1) >> 1, 8, False) for x in lanes(a, 16)], 8))  # fmt: skip
    semantics("R=vasrhub(RR,I):rnd:sat", lambda a, n: pack(
        [saturate(((x >> (n - 1)) + 1) >> 1 if n else x, 8, False) for x in lanes(a, 16)], 8))  # fmt: skip
    semantics("R=vasrhub(RR,I):sat", lambda a, n: pack([saturate(x >> n, 8, False) for x in lanes(a, 16)], 8))
    semantics("RR=vclip(RR,I)", lambda a, n: pack([clamp(x, n + 1, True) for x in lanes(a, 32)], 32))


def _saturating_packs() -> None:
    for name, bits, small, signed in (
        ("vsathb", 16, 8, True), ("vsathub", 16, 8, False), ("vsatwh", 32, 16, True), ("vsatwuh", 32, 16, False),
    ):  # fmt: skip
        def parts(a: Val, n: int = bits, m: int = small, s: bool = signed) -> list[Val]:
            return [saturate(x, m, s) for x in lanes(a, n)]

        semantics(f"R={name}(RR)", lambda a, m=small, f=parts: pack(f(a), m))
        semantics(f"RR={name}(RR)", lambda a, n=bits, f=parts: pack(f(a), n))
        if bits == 16:
            semantics(f"R={name}(R)", lambda a, f=parts: pack(f(a), 8).trunc(32))
    semantics("R=vrndwh(RR)", lambda a: pack([(x + 0x8000) >> 16 for x in lanes(a, 32)], 16))
    semantics("R=vrndwh(RR):sat", lambda a: pack([saturate(x + 0x8000, 32) >> 16 for x in lanes(a, 32)], 16))


def _moves() -> None:
    for name, bits, first in (("shuffeb", 8, 0), ("shuffob", 8, 1), ("shuffeh", 16, 0), ("shuffoh", 16, 1)):
        semantics(f"RR={name}(RR,RR)", lambda a, b, n=bits, k=first: pack(
            [x for pair in zip(lanes(b, n)[k::2], lanes(a, n)[k::2], strict=True) for x in pair], n))  # fmt: skip
    for name, first in (("vtrunehb", 0), ("vtrunohb", 1)):
        semantics(f"RR={name}(RR,RR)", lambda a, b, k=first: pack([*lanes(b, 8)[k::2], *lanes(a, 8)[k::2]], 8))

    def count(n: Val | int, like: Val) -> Val:
        """Bits to move: a number of bytes, from an immediate or the low bits of a predicate."""
        if isinstance(n, int):
            return like.lift(8 * (n & 7))
        return (n & 7).zext(64) << 3

    def align(t: Val, s: Val, n: Val | int) -> Val:
        bits = count(n, s)
        upper = bits.icmp("eq", 0).select(0, t << ((bits.lift(64) - bits) & 63))
        return s.lshr(bits) | upper

    def splice(s: Val, t: Val, n: Val | int) -> Val:
        bits = count(n, s)
        low = s & ~(s.lift(-1) << bits)
        return (t << bits) | low

    for amount in ("I", "P"):
        semantics(f"RR=valignb(RR,RR,{amount})", align)
        semantics(f"RR=vspliceb(RR,RR,{amount})", splice)


def _complex() -> None:
    def flagged(value: Val, bit: Val) -> Val:
        return (bit & 1).icmp("ne", 0).select(-value, value)

    semantics("RR=vconj(RR):sat", lambda a: pack(
        [saturate(-x, 16) if i % 2 else x for i, x in enumerate(lanes(a, 16))], 16))  # fmt: skip
    semantics("RR=vcnegh(RR,R)", lambda a, r: pack(
        [saturate(flagged(x, r.zext(64).lshr(i)), 16) for i, x in enumerate(lanes(a, 16))], 16))  # fmt: skip
    semantics("RR+=vrcnegh(RR,R)", lambda x, a, r: x + total(
        [flagged(v, r.zext(64).lshr(i)) for i, v in enumerate(lanes(a, 16))]))  # fmt: skip

    def rotated(real: Val, imaginary: Val, code: Val) -> tuple[Val, Val]:
        """Times 1, -j, j, -1 for codes 0 to 3."""
        odd, upper = (code & 1).icmp("ne", 0), (code & 2).icmp("ne", 0)
        return (
            odd.select(upper.select(-real, imaginary), upper.select(-imaginary, real)),
            odd.select(upper.select(-imaginary, -real), upper.select(real, imaginary)),
        )

    def rotate(a: Val, r: Val) -> Val:
        h = lanes(a, 16)
        code = r.zext(64)
        parts = [*rotated(h[0], h[1], code), *rotated(h[2], h[3], code.lshr(2))]
        return pack([saturate(part, 16) for part in parts], 16)

    semantics("RR=vcrotate(RR,R)", rotate)

    def rotate_bytes(a: Val, r: Val, n: int) -> list[Val]:
        b, code = lanes(a, 8), lane(r, 8, n, False)
        products = [rotated(b[2 * i], b[2 * i + 1], code.lshr(2 * i)) for i in range(4)]
        return [total([product[k] for product in products]) for k in (0, 1)]

    semantics("RR=vrcrotate(RR,R,I)", lambda a, r, n: pack(rotate_bytes(a, r, n), 32))
    semantics("RR+=vrcrotate(RR,R,I)", lambda x, a, r, n: pack(
        [o + p for o, p in zip(lanes(x, 32), rotate_bytes(a, r, n), strict=True)], 32))  # fmt: skip
    for name, order in (("vxaddsub", (Val.__add__, Val.__sub__)), ("vxsubadd", (Val.__sub__, Val.__add__))):
        for suffix in ("h", "w"):
            bits = SIZES[suffix][0]

            def cross(a: Val, b: Val, n: int = bits, f=order) -> list[Val]:
                left, right = lanes(a, n), lanes(b, n)
                return [f[i % 2](left[i], right[i ^ 1]) for i in range(len(left))]

            semantics(f"RR={name}{suffix}(RR,RR):sat", lambda a, b, n=bits, f=cross: pack(
                [saturate(x, n) for x in f(a, b)], n))  # fmt: skip
            if suffix == "h":
                semantics(f"RR={name}h(RR,RR):rnd:>>1:sat", lambda a, b, f=cross: pack(
                    [saturate((x + 1) >> 1, 16) for x in f(a, b)], 16))  # fmt: skip


def _reductions() -> None:
    for name, op in (("vraddub", Val.__add__), ("vrsadub", lambda a, b: _absolute(a - b))):
        def sums(a: Val, b: Val, f: Op = op) -> list[Val]:
            parts = [f(x, y) for x, y in zip(lanes(a, 8, False), lanes(b, 8, False), strict=True)]
            return [total(parts[:4]), total(parts[4:])]

        semantics(f"RR={name}(RR,RR)", lambda a, b, f=sums: pack(f(a, b), 32))
        semantics(f"RR+={name}(RR,RR)", lambda x, a, b, f=sums: pack(
            [o + p for o, p in zip(lanes(x, 32), f(a, b), strict=True)], 32))  # fmt: skip
    for name, signed in (("vraddh", True), ("vradduh", False)):
        semantics(f"R={name}(RR,RR)", lambda a, b, s=signed: total(
            [*lanes(a, 16, s), *lanes(b, 16, s)]).trunc(32))  # fmt: skip
    for name, code in (("max", "sgt"), ("min", "slt")):
        for suffix in ("h", "uh", "w", "uw"):
            bits, signed = SIZES[suffix]

            def best(old: Val, a: Val, r: Val, n: int = bits, s: bool = signed, c: str = code) -> Val:
                """The extreme lane and where it was: an address counted from r."""
                value, where = lane(old, n, 0, s), lane(old, 32, 1, False)
                for index, item in enumerate(lanes(a, n, s)):
                    better = item.icmp(c, value)
                    value = better.select(item, value)
                    where = better.select(r.zext(64) | (index * n // 8), where)
                return pack([value, where], 32)

            semantics(f"RR=vr{name}{suffix}(RR,R)", best)


def _with_predicate() -> None:
    def bits_of(flags: list[Val], copies: int) -> Val:
        """Predicate bits, ``copies`` of each flag, low first."""
        result = flags[0].code.const(0, I8)
        for index, flag in enumerate(flags):
            group = ((1 << copies) - 1) << (index * copies)
            result = result | (flag.sext(8) & group)
        return result

    def minimum(t: Val, s: Val) -> tuple[Val, Val]:
        columns = list(zip(lanes(t, 8, False), lanes(s, 8, False), strict=True))
        return pack([a.two("umin", b) for a, b in columns], 8), bits_of([a.icmp("ugt", b) for a, b in columns], 1)

    def add_compare_select(x: Val, s: Val, t: Val) -> tuple[Val, Val]:
        left = [a + b for a, b in zip(lanes(x, 16), lanes(t, 16), strict=True)]
        right = [a - b for a, b in zip(lanes(s, 16), lanes(t, 16), strict=True)]
        columns = list(zip(left, right, strict=True))
        best = [saturate(a.two("smax", b), 16) for a, b in columns]
        return pack(best, 16), bits_of([a.icmp("sgt", b) for a, b in columns], 2)

    semantics("RR,P=vminub(RR,RR)", minimum)
    semantics("RR,P=vacsh(RR,RR)", add_compare_select)
    for mark, code in (("", "ne"), ("!", "eq")):
        semantics(f"P={mark}any8(vcmpb.eq(RR,RR))", lambda a, b, c=code: predicate(
            a.b.icmp("eq", b.b).as_(I8).icmp(c, 0)))  # fmt: skip
    for name, index in (("lo", 0), ("hi", 1)):
        semantics(f"P=boundscheck(RR,RR):raw:{name}", lambda a, b, k=index: predicate(
            lane(a, 32, k, False).icmp("uge", lane(b, 32, 0, False))
            & lane(a, 32, k, False).icmp("ult", lane(b, 32, 1, False))))  # fmt: skip
    for mark, code in (("", "ne"), ("!", "eq")):
        def corner(a: Val, b: Val, c: str = code) -> Val:
            """Nine consecutive ones in the ring of sixteen bits."""
            half = (a.zext(32) << 8) | b.zext(32)
            bits = (half << 16) | half
            for _ in range(8):
                bits = bits & bits.lshr(1)
            return predicate(bits.icmp(c, 0))

        semantics(f"P={mark}fastcorner9(P,P)", corner)
    semantics("R=vitpack(P,P)", lambda a, b: (a.zext(32) & 0x55) | (b.zext(32) & 0xAA))

    def carry(a: Val, b: Val, p: Val) -> tuple[Val, Val]:
        result = a.zext(128) + b.zext(128) + (p & 1).zext(128)
        return result.trunc(64), predicate(result.lshr(64).trunc(1))

    semantics("RR=add(RR,RR,P):carry", carry)
    semantics("RR=sub(RR,RR,P):carry", lambda a, b, p: carry(a, ~b, p))


_halves()
_add_subtract()
_averages()
_shifts()
_saturating_packs()
_moves()
_complex()
_reductions()
_with_predicate()
