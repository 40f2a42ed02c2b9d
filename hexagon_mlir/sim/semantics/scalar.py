"""Scalar integer forms: 32-bit registers, 64-bit pairs, predicates.

Operand values: ``R`` i32, ``RR`` i64, ``P`` i8 (0xff or 0 after a compare), ``I`` Python int.
Semantics: Hexagon V73 Programmer's Reference Manual 80-N2040-53, chapter 11.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from hexagon_mlir.sim.semantics.packed import saturating
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import I1, I8, I32, I64, Type, Val

Op = Callable[[Val, Val], Val]


def pair(high: Val, low: Val) -> Val:
    """i64 from two i32."""
    return (high.zext(64) << 32) | low.zext(64)


def low(value: Val) -> Val:
    return value.trunc(32)


def high(value: Val) -> Val:
    return value.lshr(32).trunc(32)


def half(value: Val, part: str) -> Val:
    """The ``.l`` or ``.h`` half of an i32, as i16."""
    return (value if part == "l" else value.lshr(16)).trunc(16)


def predicate(bit: Val) -> Val:
    """A scalar predicate from an i1: all ones or zero."""
    return bit.sext(8)


def true(p: Val) -> Val:
    """The condition bit of a scalar predicate."""
    return p.trunc(1)


def shift(value: Val, amount: Val, kind: str) -> Val:
    """Shift by the low 7 bits of ``amount``, signed: a negative amount shifts the other way."""
    bits = value.ty.bits
    left_kind = kind in ("asl", "lsl")
    arithmetic = kind in ("asl", "asr")
    wide = value.ext(64, arithmetic)
    signed = amount.trunc(7).sext(64)
    left = signed if left_kind else -signed
    right = -left
    positive = left.icmp("sge", 0)
    shifted_left = wide << left.two("smin", 63).two("smax", 0)
    shifted_left = left.icmp("sgt", 63).select(0, shifted_left)
    clamped = right.two("smin", 63).two("smax", 0)
    shifted_right = wide >> clamped if arithmetic else right.icmp("sgt", 63).select(0, wide.lshr(clamped))
    return positive.select(shifted_left, shifted_right).trunc(bits)


SHIFTS: dict[str, Op] = {"asl": Val.__lshift__, "asr": Val.__rshift__, "lsr": Val.lshr}
LOGIC: dict[str, Op] = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}
ACCUMULATE: dict[str, Op] = {
    "+=": operator.add, "-=": operator.sub, "|=": operator.or_, "&=": operator.and_, "^=": operator.xor,
}  # fmt: skip


def const_left(op: Op) -> Callable[[int, Val], Val]:
    """``op(immediate, value)``."""
    return lambda number, value: op(value.lift(number), value)


def _moves() -> None:
    semantics("R=R", lambda a: a)
    semantics("RR=RR", lambda a: a)
    semantics("P=P", lambda a: a)
    semantics("R=P", lambda p: p.zext(32))
    semantics("P=R", lambda a: a.trunc(8))
    semantics("R=PPPP", lambda a, b, c, d: (
        (d.zext(32) << 24) | (c.zext(32) << 16) | (b.zext(32) << 8) | a.zext(32)))  # fmt: skip
    semantics("PPPP=R", lambda a: tuple(a.lshr(8 * n).trunc(8) for n in range(4)))
    semantics("R=add(pc,I)", lambda address: address)
    for copy in ("R=C", "C=R", "R=M", "M=R", "RR=CC", "CC=RR"):  # lc, sa, usr, gp, cs0, cs1: plain storage
        semantics(copy, lambda a: a)
    semantics("RR=mask(P)", lambda p: p.as_(Type(8, "i", 1)).sext(8).as_(I64))
    for right in ("R", "I"):
        for left in ("R", "I"):
            if left == right == "I":
                continue
            semantics(
                f"RR=combine({left},{right})",
                lambda a, b: pair(
                    a if isinstance(a, Val) else b.lift(a), b if isinstance(b, Val) else a.lift(b)
                ),
            )
            semantics(
                f"R=mux(P,{left},{right})", lambda p, a, b: true(p).select(a, b)
            )
    for a in "lh":
        for b in "lh":
            semantics(
                f"R=combine(R.{a},R.{b})",
                lambda x, y, a=a, b=b: (half(x, a).zext(32) << 16) | half(y, b).zext(32),
            )
    semantics("R.l=I", lambda old, n: (old & ~0xFFFF) | (n & 0xFFFF))
    semantics("R.h=I", lambda old, n: (old & 0xFFFF) | ((n & 0xFFFF) << 16))
    for mark in ("", ":deprecated"):
        semantics(f"RR=packhl(R,R){mark}", lambda a, b: pair(
        (half(a, "h").zext(32) << 16) | half(b, "h").zext(32),
        (half(a, "l").zext(32) << 16) | half(b, "l").zext(32),
    ))  # fmt: skip
    semantics("R=vsplatb(R)", lambda a: a.trunc(8).splat(4).as_(I32))
    semantics("RR=vsplatb(R)", lambda a: a.trunc(8).splat(8).as_(I64))
    semantics("RR=vsplath(R)", lambda a: a.trunc(16).splat(4).as_(I64))
    semantics("RR=vmux(P,RR,RR)", lambda p, a, b: p.as_(Type(8, "i", 1)).select(a.b, b.b).as_(I64))


def _arithmetic() -> None:
    for size in ("R", "RR"):
        semantics(f"{size}=add({size},{size})", operator.add)
        semantics(f"{size}=sub({size},{size})", operator.sub)
        semantics(f"{size}=neg({size})", operator.neg)
        semantics(f"{size}=not({size})", operator.invert)
        semantics(f"{size}=abs({size})", lambda a: a.icmp("slt", 0).select(-a, a))
        for name in ("max", "min"):
            semantics(f"{size}={name}({size},{size})", lambda a, b, n=name: a.two("s" + n, b))
            semantics(f"{size}={name}u({size},{size})", lambda a, b, n=name: a.two("u" + n, b))
        for name, op in LOGIC.items():
            semantics(f"{size}={name}({size},{size})", op)
        semantics(f"{size}=and({size},~{size})", lambda a, b: a & ~b)
        semantics(f"{size}=or({size},~{size})", lambda a, b: a | ~b)
        for name in ("add", "sub"):
            if (size, name) != ("RR", "sub"):
                semantics(f"{size}={name}({size},{size}):sat", lambda a, b, n=name: saturating(n, a, b))
    semantics("R=add(R,I)", operator.add)
    semantics("R=sub(I,R)", const_left(operator.sub))
    semantics("R=and(R,I)", operator.and_)
    semantics("R=or(R,I)", operator.or_)
    semantics("RR=add(RR,RR):raw:lo", lambda a, b: low(a).sext(64) + b)
    semantics("RR=add(RR,RR):raw:hi", lambda a, b: high(a).sext(64) + b)
    semantics("RR=add(R,RR)", lambda a, b: a.sext(64) + b)
    semantics("R=add(R,add(R,I))", lambda a, b, n: a + (b + n))
    semantics("R=add(R,sub(I,R))", lambda a, n, b: a + (b.lift(n) - b))
    semantics("R+=add(R,R)", lambda x, a, b: x + (a + b))
    semantics("R-=add(R,R)", lambda x, a, b: x - (a + b))
    semantics("R+=add(R,I)", lambda x, a, n: x + (a + n))
    semantics("R-=add(R,I)", lambda x, a, n: x - (a + n))
    semantics("R+=sub(R,R)", lambda x, a, b: x + (a - b))
    for outer in ("&=", "|=", "^="):
        for name, op in LOGIC.items():
            semantics(f"R{outer}{name}(R,R)", lambda x, a, b, f=ACCUMULATE[outer], g=op: f(x, g(a, b)))
        semantics(f"R{outer}and(R,~R)", lambda x, a, b, f=ACCUMULATE[outer]: f(x, a & ~b))
    semantics("RR^=xor(RR,RR)", lambda x, a, b: x ^ (a ^ b))
    for name in ("and", "or"):
        semantics(f"R|={name}(R,I)", lambda x, a, n, g=LOGIC[name]: x | g(a, n))
    semantics("R=or(R,and(R,I))", lambda a, b, n: a | (b & n))
    for inner in ("asl", "lsr"):
        for outer, op in (("add", operator.add), ("sub", operator.sub), *LOGIC.items()):
            if outer != "xor":
                semantics(
                    f"R={outer}(I,{inner}(R,I))",
                    lambda n, a, s, f=op, g=SHIFTS[inner]: f(a.lift(n), g(a, s)),
                )
    semantics("R=addasl(R,R,I)", lambda a, b, n: a + (b << n))
    for prefix, lanes in (("vaddub", 8), ("vaddb", 8), ("vaddh", 16), ("vaddw", 32)):
        suffix = prefix[4:]
        semantics(f"RR={prefix}(RR,RR)", lambda a, b, n=lanes: (a.view(n) + b.view(n)).as_(I64))
        semantics(f"RR=vsub{suffix}(RR,RR)", lambda a, b, n=lanes: (a.view(n) - b.view(n)).as_(I64))
        for name in ("max", "min"):
            sign = "u" if "u" in suffix else "s"
            semantics(
                f"RR=v{name}{suffix}(RR,RR)",
                lambda a, b, n=lanes, f=sign + name: a.view(n).two(f, b.view(n)).as_(I64),
            )


def _multiply() -> None:
    semantics("R=mpyi(R,R)", operator.mul)
    for text in ("+mpyi", "mpyi"):
        semantics(f"R={text}(R,I)", operator.mul)
    semantics("R=-mpyi(R,I)", lambda a, n: -(a * n))
    for sign in ("+=", "-="):
        semantics(f"R{sign}mpyi(R,R)", lambda x, a, b, f=ACCUMULATE[sign]: f(x, a * b))
        semantics(f"R{sign}mpyi(R,I)", lambda x, a, n, f=ACCUMULATE[sign]: f(x, a * n))
    semantics("R=add(I,mpyi(R,I))", lambda n, a, m: a * m + n)
    semantics("R=add(I,mpyi(R,R))", lambda n, a, b: a * b + n)
    semantics("R=add(R,mpyi(R,I))", lambda r, a, n: r + a * n)
    semantics("R=add(R,mpyi(I,R))", lambda r, n, a: r + a * n)
    semantics("R=add(R,mpyi(R,R))", lambda r, a, b: r + a * b)
    for name, signed in (("mpy", True), ("mpyu", False)):
        def product(a: Val, b: Val, s: bool = signed) -> Val:
            return a.ext(64, s) * b.ext(64, s)

        semantics(f"R={name}(R,R)", lambda a, b, f=product: high(f(a, b)))
        semantics(f"RR={name}(R,R)", product)
        for sign in ("+=", "-="):
            semantics(f"RR{sign}{name}(R,R)", lambda x, a, b, f=product, g=ACCUMULATE[sign]: g(x, f(a, b)))
        for i in "lh":
            for j in "lh":
                def halves(a: Val, b: Val, i: str = i, j: str = j, s: bool = signed) -> Val:
                    return half(a, i).ext(32, s) * half(b, j).ext(32, s)

                semantics(f"R={name}(R.{i},R.{j})", halves)
                for sign in ("+=", "-="):
                    semantics(
                        f"R{sign}{name}(R.{i},R.{j})",
                        lambda x, a, b, f=halves, g=ACCUMULATE[sign]: g(x, f(a, b)),
                    )
    semantics("R=mpysu(R,R)", lambda a, b: high(a.sext(64) * b.zext(64)))


def _shifts() -> None:
    for size in ("R", "RR"):
        for name, op in SHIFTS.items():
            semantics(f"{size}={name}({size},I)", op)
            for sign, outer in ACCUMULATE.items():
                if sign == "^=" and name == "asr":
                    continue
                semantics(
                    f"{size}{sign}{name}({size},I)", lambda x, a, n, f=outer, g=op: f(x, g(a, n))
                )
        for name in ("asl", "asr", "lsr", "lsl"):
            semantics(f"{size}={name}({size},R)", lambda a, n, k=name: shift(a, n, k))
            for sign, outer in ACCUMULATE.items():
                if sign == "^=" and size == "R":
                    continue
                semantics(
                    f"{size}{sign}{name}({size},R)",
                    lambda x, a, n, f=outer, k=name: f(x, shift(a, n, k)),
                )
    semantics("R=lsl(I,R)", lambda n, a: shift(a.lift(n), a, "lsl"))
    semantics("R=aslh(R)", lambda a: a << 16)
    semantics("R=asrh(R)", lambda a: a >> 16)
    semantics("RR=bitsplit(R,I)", lambda a, n: pair(a.lshr(n), a & ((1 << n) - 1)))


def _bits() -> None:
    def extract(value: Val, width: int, offset: int, signed: bool) -> Val:
        """Bits past the top of the register read as zero, also as the sign of the field."""
        bits = value.ty.bits
        if not width:
            return value.lift(0)
        moved = value.lshr(offset) << (bits - width)
        return moved >> (bits - width) if signed else moved.lshr(bits - width)

    def insert(old: Val, value: Val, width: int, offset: int) -> Val:
        mask = (1 << width) - 1
        return (old & ~(mask << offset)) | ((value & mask) << offset)

    def leading(value: Val, ones: bool) -> Val:
        counted = (~value if ones else value)
        return counted.code.call(
            f"llvm.ctlz.{counted.ty.mangle()}", counted.ty, counted, Val(counted.code, "false", I1)
        )

    def trailing(value: Val, ones: bool) -> Val:
        counted = (~value if ones else value)
        return counted.code.call(
            f"llvm.cttz.{counted.ty.mangle()}", counted.ty, counted, Val(counted.code, "false", I1)
        )

    for size in ("R", "RR"):
        semantics(f"{size}=extractu({size},I,I)", lambda a, w, o: extract(a, w, o, False))
        semantics(f"{size}=extract({size},I,I)", lambda a, w, o: extract(a, w, o, True))
        semantics(f"{size}=insert({size},I,I)", insert)
        semantics(f"R=cl0({size})", lambda a: leading(a, False).ext(32, False) if a.ty.bits == 32
             else leading(a, False).trunc(32))  # fmt: skip
        semantics(f"R=cl1({size})", lambda a: leading(a, True).trunc(32))
        semantics(f"R=clb({size})", lambda a: leading(a, False).two("umax", leading(a, True)).trunc(32))
        semantics(f"R=ct0({size})", lambda a: trailing(a, False).trunc(32))
        semantics(f"R=ct1({size})", lambda a: trailing(a, True).trunc(32))
        semantics(f"{size}=brev({size})", lambda a: a.one("bitreverse"))
    semantics("R=normamt(R)", lambda a: a.icmp("eq", 0).select(
        0, leading(a, False).two("umax", leading(a, True)) - 1))  # fmt: skip
    semantics("R=popcount(RR)", lambda a: a.one("ctpop").trunc(32))
    semantics("R=swiz(R)", lambda a: a.one("bswap"))
    extensions = (("zxtb", 8, False), ("zxth", 16, False), ("sxtb", 8, True), ("sxth", 16, True))
    for name, bits, signed in extensions:
        semantics(f"R={name}(R)", lambda a, n=bits, s=signed: a.trunc(n).ext(32, s))
    semantics("RR=sxtw(R)", lambda a: a.sext(64))

    def one_bit(amount: Val | int, value: Val) -> Val:
        if isinstance(amount, int):
            return value.lift(1 << amount)
        return shift(value.lift(1), amount, "lsl")

    for right in ("R", "I"):
        semantics(f"R=setbit(R,{right})", lambda a, n: a | one_bit(n, a))
        semantics(f"R=clrbit(R,{right})", lambda a, n: a & ~one_bit(n, a))
        semantics(f"R=togglebit(R,{right})", lambda a, n: a ^ one_bit(n, a))


def _compares() -> None:
    names = {"eq": "eq", "gt": "sgt", "gtu": "ugt"}
    for name, code in names.items():
        for left, rights in (("R", ("R", "I")), ("RR", ("RR",))):
            for right in rights:
                for mark in ("", "!") if left == "R" else ("",):
                    def compare(a: Val, b: Val | int, c: str = code, neg: bool = mark == "!") -> Val:
                        result = a.icmp(c, b)
                        return ~result if neg else result

                    semantics(f"P={mark}cmp.{name}({left},{right})", lambda a, b, f=compare: predicate(f(a, b)))
                    if left == "R" and name == "eq":
                        semantics(f"R={mark}cmp.{name}({left},{right})", lambda a, b, f=compare: f(a, b).zext(32))
        for letter, bits in (("b", 8), ("h", 16)):
            semantics(f"P=cmp{letter}.{name}(R,R)",
                      lambda a, b, c=code, n=bits: predicate(a.trunc(n).icmp(c, b.trunc(n))))
            semantics(f"P=cmp{letter}.{name}(R,I)", lambda a, b, c=code, n=bits: predicate(a.trunc(n).icmp(c, b)))
        for letter, bits in (("b", 8), ("h", 16), ("w", 32)):
            def lanewise(a: Val, b: Val | int, c: str = code, n: int = bits) -> Val:
                lanes = a.view(n)
                right = b.view(n) if isinstance(b, Val) else b
                return spread(lanes.icmp(c, right))

            semantics(f"P=vcmp{letter}.{name}(RR,RR)", lanewise)
            semantics(f"P=vcmp{letter}.{name}(RR,I)", lanewise)

    def bits_set(a: Val, b: Val | int) -> Val:
        return (a & b).icmp("eq", b)

    def bits_clear(a: Val, b: Val | int) -> Val:
        return (a & b).icmp("eq", 0)

    def test_bit(a: Val, n: Val | int) -> Val:
        one = a.lift(1 << n) if isinstance(n, int) else shift(a.lift(1), n, "lsl")
        return (a & one).icmp("ne", 0)

    for right in ("R", "I"):
        for name, test in (("bitsset", bits_set), ("bitsclr", bits_clear), ("tstbit", test_bit)):
            if name == "bitsset" and right == "I":
                continue
            semantics(f"P={name}(R,{right})", lambda a, b, f=test: predicate(f(a, b)))
            semantics(f"P=!{name}(R,{right})", lambda a, b, f=test: predicate(~f(a, b)))


def spread(bits: Val) -> Val:
    """Lane results of a 64-bit vector compare as 8 predicate bits, one per byte."""
    per_lane = 8 // bits.ty.lanes
    wide = bits.shuffle(None, [i // per_lane for i in range(8)]) if per_lane > 1 else bits
    return wide.as_(I8)


def _short_vectors() -> None:
    """Bytes, halfwords and words inside registers and pairs."""
    for name, bits, signed in (("vsxtbh", 8, True), ("vzxtbh", 8, False), ("vsxthw", 16, True), ("vzxthw", 16, False)):
        semantics(f"RR={name}(R)", lambda a, n=bits, s=signed: a.view(n).ext(2 * n, s).as_(I64))
    for name, first in (("vtrunehb", 0), ("vtrunohb", 1)):
        semantics(f"R={name}(RR)", lambda a, f=first: a.b.shuffle(None, [f, f + 2, f + 4, f + 6]).as_(I32))
    for name, first in (("vtrunewh", 0), ("vtrunowh", 1)):
        semantics(f"RR={name}(RR,RR)", lambda a, b, f=first: b.h.shuffle(
            a.h, [f, f + 2, f + 4, f + 6]).as_(I64))  # fmt: skip
    for suffix, bits in (("h", 16), ("w", 32)):
        for name, op in SHIFTS.items():
            semantics(f"RR=v{name}{suffix}(RR,I)", lambda a, n, f=op, k=bits: f(a.view(k), n).as_(I64))
        for name in ("max", "min"):
            semantics(f"RR=v{name}u{suffix}(RR,RR)",
                      lambda a, b, k=bits, f="u" + name: a.view(k).two(f, b.view(k)).as_(I64))
    for name, op in (("vadd", operator.add), ("vsub", operator.sub)):
        semantics(f"R={name}h(R,R)", lambda a, b, f=op: f(a.h, b.h).as_(I32))
    for name, signs in (("vmpybu", (False, False)), ("vmpybsu", (True, False))):
        semantics(f"RR={name}(R,R)", lambda a, b, s=signs: (a.b.ext(16, s[0]) * b.b.ext(16, s[1])).as_(I64))
    semantics("RR=vmpyh(R,R):sat", lambda a, b: (a.h.sext(32) * b.h.sext(32)).as_(I64))


def _predicates() -> None:
    for name, op in LOGIC.items():
        semantics(f"P={name}(P,P)", op)
    semantics("P=and(P,!P)", lambda a, b: a & ~b)
    semantics("P=or(P,!P)", lambda a, b: a | ~b)
    semantics("P=not(P)", operator.invert)
    semantics("P=any8(P)", lambda a: predicate(a.icmp("ne", 0)))
    semantics("P=all8(P)", lambda a: predicate(a.icmp("eq", -1)))
    for first in ("and", "or"):
        for second in ("and", "or"):
            semantics(f"P={first}(P,{second}(P,P))", lambda a, b, c, f=LOGIC[first], g=LOGIC[second]: f(a, g(b, c)))
            semantics(f"P={first}(P,{second}(P,!P))", lambda a, b, c, f=LOGIC[first], g=LOGIC[second]: f(a, g(b, ~c)))


_moves()
_arithmetic()
_multiply()
_shifts()
_bits()
_compares()
_short_vectors()
_predicates()

