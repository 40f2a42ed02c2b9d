"""HVX integer forms: add, compare, logic, shift, count, predicates (HVX V73 PRM 80-N2040-54, chapter 6)."""

from __future__ import annotations

import operator

from hexagon_mlir.sim.semantics.lanes import (
    INTEGER,
    VECTOR,
    VECTOR_BYTES,
    Pair,
    blend,
    clamp,
    even,
    mask,
    narrow,
    odd,
    splat_word,
)
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import Type, Val


def _both(function):
    """The same lane operation on both registers of a pair."""

    def apply(a: Pair, b: Pair) -> Pair:
        return function(a[0], b[0]), function(a[1], b[1])

    return apply


def _add_subtract() -> None:
    for name, op in (("vadd", operator.add), ("vsub", operator.sub)):
        for suffix, (bits, signed) in INTEGER.items():
            def wrap(a: Val, b: Val, n: int = bits, f=op) -> Val:
                return f(a.view(n), b.view(n))

            kind = ("s" if signed else "u") + name[1:] + ".sat"

            def saturate(a: Val, b: Val, n: int = bits, k: str = kind) -> Val:
                return a.view(n).two(k, b.view(n))

            if signed:
                semantics(f"V.{suffix}={name}(V.{suffix},V.{suffix})", wrap)
                semantics(f"VV.{suffix}={name}(VV.{suffix},VV.{suffix})", _both(wrap))
            semantics(f"V.{suffix}={name}(V.{suffix},V.{suffix}):sat", saturate)
            semantics(f"VV.{suffix}={name}(VV.{suffix},VV.{suffix}):sat", _both(saturate))
        for wide, small in (("h", "ub"), ("w", "h"), ("w", "uh")):
            bits, signed = INTEGER[small]

            def widen(a: Val, b: Val, n: int = bits, s: bool = signed, f=op) -> Pair:
                return f(even(a, n, s), even(b, n, s)), f(odd(a, n, s), odd(b, n, s))

            semantics(f"VV.{wide}={name}(V.{small},V.{small})", widen)
            if name == "vadd":
                semantics(
                    f"VV.{wide}+=vadd(V.{small},V.{small})",
                    lambda x, a, b, f=widen, n=2 * bits: tuple(
                        o.view(n) + p for o, p in zip(x, f(a, b), strict=True)
                    ),
                )
    for suffix in ("b", "h", "w"):
        bits = INTEGER[suffix][0]
        semantics(f"V.{suffix}+=V.{suffix}", lambda x, a, n=bits: x.view(n) + a.view(n))
        semantics(f"V.{suffix}-=V.{suffix}", lambda x, a, n=bits: x.view(n) - a.view(n))


def _min_max_average() -> None:
    for suffix, (bits, signed) in INTEGER.items():
        sign = "s" if signed else "u"
        if suffix != "uw":
            for name in ("max", "min"):
                semantics(f"V.{suffix}=v{name}(V.{suffix},V.{suffix})",
                          lambda a, b, n=bits, k=sign + name: a.view(n).two(k, b.view(n)))

        def average(a: Val, b: Val, n: int = bits, s: bool = signed, extra: int = 0) -> Val:
            total = a.view(n).ext(2 * n, s) + b.view(n).ext(2 * n, s)
            total = total + extra if extra else total
            return (total >> 1 if s else total.lshr(1)).trunc(n)

        semantics(f"V.{suffix}=vavg(V.{suffix},V.{suffix})", average)
        semantics(f"V.{suffix}=vavg(V.{suffix},V.{suffix}):rnd", lambda a, b, f=average: f(a, b, extra=1))
        if suffix in ("b", "ub", "h", "w"):
            semantics(f"V.{suffix[-1]}=vnavg(V.{suffix},V.{suffix})", lambda a, b, n=bits, s=signed: (
                (a.view(n).ext(2 * n, s) - b.view(n).ext(2 * n, s)) >> 1).trunc(n))  # fmt: skip
    for suffix in ("b", "h", "w"):
        bits = INTEGER[suffix][0]
        semantics(f"V.{suffix}=vabs(V.{suffix})", lambda a, n=bits: _absolute(a.view(n)))
        semantics(f"V.{suffix}=vabs(V.{suffix}):sat", lambda a, n=bits: a.view(n).two(
                 "smax", a.code.const(0, a.view(n).ty).two("ssub.sat", a.view(n))))  # fmt: skip
    for out, suffix in (("ub", "ub"), ("uh", "h"), ("uh", "uh"), ("uw", "w")):
        bits, signed = INTEGER[suffix]
        semantics(f"V.{out}=vabsdiff(V.{suffix},V.{suffix})", lambda a, b, n=bits, k="s" if signed else "u": (
                 a.view(n).two(k + "max", b.view(n)) - a.view(n).two(k + "min", b.view(n))))  # fmt: skip


def _absolute(value: Val) -> Val:
    return value.icmp("slt", 0).select(-value, value)


def _shift_lanes(value: Val, amount: Val, kind: str) -> Val:
    """Per-lane shift by a signed amount of log2(bits)+1 bits; negative shifts the other way."""
    bits = value.ty.bits
    width = bits.bit_length()
    signed = (amount << (bits - width)) >> (bits - width)
    left = signed if kind == "asl" else -signed
    arithmetic = kind != "lsr"
    to_left = left.two("smax", 0).two("smin", bits - 1)
    shifted_left = left.icmp("sgt", bits - 1).select(0, value << to_left)
    right = -left
    clamped = right.two("smax", 0).two("smin", bits - 1)
    shifted_right = (
        value >> clamped if arithmetic else right.icmp("sgt", bits - 1).select(0, value.lshr(clamped))
    )
    return left.icmp("sge", 0).select(shifted_left, shifted_right)


def _shifts() -> None:
    for name, unsigned, op in (
        ("vasl", False, Val.__lshift__), ("vasr", False, Val.__rshift__), ("vlsr", True, Val.lshr),
    ):  # fmt: skip
        for suffix in ("b", "h", "w"):
            bits = INTEGER[suffix][0]
            written = "u" + suffix if unsigned else suffix

            def by_scalar(a: Val, r: Val, n: int = bits, f=op) -> Val:
                lanes = a.view(n)
                return f(lanes, (r & (n - 1)).trunc(n).splat(lanes.ty.lanes))

            if suffix != "b" or unsigned:
                semantics(f"V.{written}={name}(V.{written},R)", by_scalar)
            if suffix != "b" and not unsigned:
                semantics(f"V.{suffix}+={name}(V.{suffix},R)", lambda x, a, r, n=bits, f=by_scalar: x.view(n) + f(a, r))
            if suffix != "b":
                semantics(f"V.{suffix}={name}(V.{suffix},V.{suffix})",
                          lambda a, b, n=bits, k=name[1:]: _shift_lanes(a.view(n), b.view(n), k))
    for out, source in (("h", "w"), ("uh", "w"), ("b", "h"), ("ub", "h"), ("ub", "uh"), ("uh", "uw")):
        small, signed_out = INTEGER[out]
        wide, signed_in = INTEGER[source]
        for mark in ("", ":sat", ":rnd:sat"):
            if not mark and out != "h":
                continue

            def shift_narrow(
                a: Val, b: Val, r: Val, n: int = wide, m: int = small, so: bool = signed_out,
                si: bool = signed_in, mk: str = mark,
            ) -> Val:  # fmt: skip
                parts = []
                for value in (b, a):
                    lanes = value.view(n)
                    amount = (r & (n // 2 - 1 if m == 8 else 15)).trunc(n).splat(lanes.ty.lanes)
                    if "rnd" in mk:
                        wider = lanes.ext(2 * n, si)
                        count = amount.zext(2 * n)
                        half = (wider.lift(1) << count).lshr(1)
                        moved = (wider + half) >> count
                    else:
                        moved = (lanes >> amount if si else lanes.lshr(amount)).ext(2 * n, si)
                    parts.append((clamp(moved, m, so) if "sat" in mk else moved).trunc(n))
                return narrow(parts[0], parts[1])

            semantics(f"V.{out}=vasr(V.{source},V.{source},R){mark}", shift_narrow)
    for out, source in (("ub", "h"), ("h", "w"), ("uh", "uw")):
        small, signed_out = INTEGER[out]
        wide, signed_in = INTEGER[source]
        semantics(f"V.{out}=vsat(V.{source},V.{source})",
                  lambda a, b, n=wide, m=small, so=signed_out, si=signed_in: narrow(*(
                 clamp(v.view(n), m, so) if si else v.view(n).two("umin", (1 << m) - 1)
                 for v in (b, a))))  # fmt: skip
    for suffix, bits in (("uh", 16), ("uw", 32)):
        semantics(f"V.{suffix}=vcl0(V.{suffix})", lambda a, n=bits: leading_zeros(a.view(n)))
        signed = suffix[1]
        semantics(f"V.{signed}=vnormamt(V.{signed})", lambda a, n=bits: leading_zeros(
            a.view(n) ^ (a.view(n) >> (n - 1))) - 1)  # fmt: skip
    semantics("V.h=vpopcount(V.h)", lambda a: a.h.one("ctpop"))


def leading_zeros(value: Val) -> Val:
    return value.code.call(
        f"llvm.ctlz.{value.ty.mangle()}", value.ty, value, Val(value.code, "false", Type(1, "i", 1))
    )


def _logic() -> None:
    semantics("V=V", lambda a: a)
    for name, op in (("vand", operator.and_), ("vor", operator.or_), ("vxor", operator.xor)):
        semantics(f"V={name}(V,V)", op)
    semantics("V=vnot(V)", operator.invert)
    semantics("V=vmux(Q,V,V)", blend)
    semantics("V=vand(Q,V)", operator.and_)
    semantics("V=vand(!Q,V)", lambda q, a: ~q & a)
    semantics("VV=vswap(Q,V,V)", lambda q, a, b: (blend(q, a, b), blend(q, b, a)))


def _compare() -> None:
    for suffix, (bits, signed) in INTEGER.items():
        for name in ("eq", "gt"):
            if name == "eq" and not signed:
                continue
            code = "eq" if name == "eq" else ("sgt" if signed else "ugt")

            def compare(a: Val, b: Val, n: int = bits, c: str = code) -> Val:
                return mask(a.view(n).icmp(c, b.view(n))).as_(VECTOR)

            call = f"vcmp.{name}(V.{suffix},V.{suffix})"
            semantics(f"Q={call}", compare)
            semantics(f"Q&={call}", lambda q, a, b, f=compare: q & f(a, b))
            semantics(f"Q|={call}", lambda q, a, b, f=compare: q | f(a, b))
            semantics(f"Q^={call}", lambda q, a, b, f=compare: q ^ f(a, b))


def _predicates() -> None:
    for name, op in (("and", operator.and_), ("or", operator.or_), ("xor", operator.xor)):
        semantics(f"Q={name}(Q,Q)", op)
    semantics("Q=and(Q,!Q)", lambda a, b: a & ~b)
    semantics("Q=or(Q,!Q)", lambda a, b: a | ~b)
    semantics("Q=not(Q)", operator.invert)

    def test(v: Val, r: Val) -> Val:
        return mask((v & splat_word(r)).b.icmp("ne", 0)).as_(VECTOR)

    semantics("Q=vand(V,R)", test)
    semantics("Q|=vand(V,R)", lambda q, v, r: q | test(v, r))
    semantics("V=vand(Q,R)", lambda q, r: q & splat_word(r))
    semantics("V|=vand(Q,R)", lambda x, q, r: x | (q & splat_word(r)))
    semantics("V=vand(!Q,R)", lambda q, r: ~q & splat_word(r))

    def first(r: Val, inclusive: bool) -> Val:
        limit = ((r - 1 if inclusive else r) & (VECTOR_BYTES - 1)).trunc(8).splat(VECTOR_BYTES)
        index = Val(
            r.code, "<" + ", ".join(f"i8 {i}" for i in range(VECTOR_BYTES)) + ">", Type(VECTOR_BYTES, "i", 8)
        )
        return mask(index.icmp("ule" if inclusive else "ult", limit)).as_(VECTOR)

    semantics("Q=vsetq(R)", lambda r: first(r, False))
    semantics("Q=vsetq2(R)", lambda r: first(r, True))
    semantics("Q.b=vshuffe(Q.h,Q.h)", lambda a, b: narrow(b.h, a.h))
    semantics("Q.h=vshuffe(Q.w,Q.w)", lambda a, b: narrow(b.w, a.w))


def _scalars() -> None:
    semantics("V=vsplat(R)", splat_word)
    semantics("V.h=vsplat(R)", lambda r: r.trunc(16).splat(64))
    semantics("V.b=vsplat(R)", lambda r: r.trunc(8).splat(128))
    semantics("V.w=vinsert(R)", lambda old, r: old.w.insert(r, 0))
    semantics("R=vextract(V,R)", lambda v, r: v.w.extract((r & (VECTOR_BYTES - 1)).lshr(2)))


_add_subtract()
_min_max_average()
_shifts()
_logic()
_compare()
_predicates()
_scalars()

