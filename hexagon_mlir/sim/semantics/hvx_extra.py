"""HVX forms outside the large families: carry, rounding packs, clamped mixes, variable narrowing, rotates."""

from __future__ import annotations

from hexagon_mlir.sim.semantics.hvx_int import leading_zeros
from hexagon_mlir.sim.semantics.hvx_permute import shuffle_pair
from hexagon_mlir.sim.semantics.lanes import INTEGER, VECTOR, Pair, clamp, even, mask, narrow, odd, splat_word
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import Val


def _carry() -> None:
    def add(a: Val, b: Val, carry: Val | int) -> tuple[Val, Val]:
        """Word sums and the carries as a predicate."""
        total = a.w.zext(64) + b.w.zext(64) + carry
        return total.trunc(32), mask(total.lshr(32).trunc(1)).as_(VECTOR)

    def incoming(q: Val) -> Val:
        return (q.w & 1).zext(64)

    semantics("V.w=vadd(V.w,V.w,Q):carry", lambda a, b, q: add(a, b, incoming(q)))
    semantics("V.w=vsub(V.w,V.w,Q):carry", lambda a, b, q: add(a, ~b.w, incoming(q)))
    semantics("V.w,Q=vadd(V.w,V.w):carry", lambda a, b: add(a, b, 0))
    semantics("V.w,Q=vsub(V.w,V.w):carry", lambda a, b: add(a, ~b.w, 1))
    semantics("V.w=vadd(V.w,V.w,Q):carry:sat", lambda a, b, q: clamp(
        a.w.sext(64) + b.w.sext(64) + incoming(q), 32, True).trunc(32))  # fmt: skip


def _narrowing() -> None:
    for out, source in (("b", "h"), ("ub", "h"), ("h", "w"), ("uh", "w"), ("ub", "uh"), ("uh", "uw")):
        small, signed_out = INTEGER[out]
        bits, signed_in = INTEGER[source]

        def rounded(u: Val, v: Val, n: int = bits, m: int = small, si: bool = signed_in, so: bool = signed_out) -> Val:
            parts = [(x.view(n).ext(2 * n, si) + (1 << (m - 1))) >> m for x in (v, u)]
            return narrow(*(clamp(p, m, so).trunc(n) for p in parts))

        semantics(f"V.{out}=vround(V.{source},V.{source}):sat", rounded)
    for out, source, by in (("ub", "uh", "ub"), ("uh", "w", "uh")):
        small = INTEGER[out][0]
        bits, signed_in = INTEGER[source]
        for mark in (":sat", ":rnd:sat"):
            def shifted(u: Pair, v: Val, n: int = bits, m: int = small, s: bool = signed_in, mk: str = mark) -> Val:
                """Even results from the low register, odd ones from the high, each shifted by its own amount."""
                parts = []
                for register, take in zip(u, (even, odd), strict=True):
                    amount = (take(v, m, False) & (m - 1)).zext(2 * n)
                    wide = register.view(n).ext(2 * n, s)
                    half = (wide.lift(1) << amount).lshr(1)
                    moved = (wide + half if "rnd" in mk else wide) >> amount
                    parts.append(clamp(moved, m, False).trunc(n))
                return narrow(parts[0], parts[1])

            semantics(f"V.{out}=vasr(VV.{source},V.{by}){mark}", shifted)
    semantics("V.w=vsatdw(V.w,V.w)", lambda u, v: clamp(
        (u.w.sext(64) << 32) | v.w.zext(64), 32, True).trunc(32))  # fmt: skip
    semantics("V.uh=vmpy(V.uh,V.uh):>>16", lambda u, v: (u.h.zext(32) * v.h.zext(32)).lshr(16).trunc(16))


def _mixed() -> None:
    for name, op in (("vadd", Val.__add__), ("vsub", Val.__sub__)):
        semantics(f"V.ub={name}(V.ub,V.b):sat", lambda u, v, f=op: clamp(
            f(u.b.zext(16), v.b.sext(16)), 8, False).trunc(8))  # fmt: skip
    for suffix in ("h", "w"):
        bits = INTEGER[suffix][0]

        def sign_bits(u: Val, n: int = bits) -> Val:
            return leading_zeros(u.view(n)).two("umax", leading_zeros(~u.view(n)))

        semantics(f"V.{suffix}=vadd(vclb(V.{suffix}),V.{suffix})", lambda u, v, f=sign_bits, n=bits: f(u) + v.view(n))
    semantics("V.uw=vmpye(V.uh,R.uh)", lambda u, r: even(u, 16, False) * (splat_word(r) & 0xFFFF))
    semantics("V.uw+=vmpye(V.uh,R.uh)", lambda x, u, r: x.w + even(u, 16, False) * (splat_word(r) & 0xFFFF))
    semantics("V.uw=vrotr(V.uw,V.uw)", lambda u, v: u.code.intrinsic("fshr", u.w.ty, u.w, u.w, v.w))
    semantics("V|=vand(!Q,R)", lambda x, q, r: x | (~q & splat_word(r)))
    semantics("V.w=vfmv(V.w)", lambda a: a)
    for mark, half in ((":<<1:sat:shift", 0), (":<<1:rnd:sat:shift", 1)):
        def shifted_high(x: Val, u: Val, v: Val, h: int = half) -> Val:
            """The accumulator is added before the shift."""
            total = (u.w.sext(64) * odd(v, 16, True).sext(64) + x.w.sext(64)) >> 14
            return clamp((total + h) >> 1, 32, True).trunc(32)

        semantics(f"V.w+=vmpyo(V.w,V.h){mark}", shifted_high)


def _in_place() -> None:
    """Both registers of a shuffle are written where they stand."""
    for name in ("vshuff", "vdeal"):
        semantics(f"{name}(V,V,R)", lambda y, x, r, n=name: shuffle_pair(n, y, x, r)[::-1])
    semantics("V=I", lambda n: n)


_carry()
_narrowing()
_mixed()
_in_place()
