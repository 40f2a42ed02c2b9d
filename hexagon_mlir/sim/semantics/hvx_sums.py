"""HVX sums of products over register pairs: vdmpy, vtmpy, vmpa, vrmpy, vdsad, vrsad (HVX V73 PRM 80-N2040-54).

A result word (or halfword) takes its sub-lanes from both registers of the pair: ``lo`` and ``hi`` below.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.sim.semantics.lanes import INTEGER, VECTOR_BYTES, Pair, clamp, even, odd, splat_word
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import Val


def _scalar_bytes(r: Val, bits: int, signed: bool = True) -> list[Val]:
    """The factors of even and odd sub-lanes: bytes 0 and 1 (2 and 3 in odd halfwords), or the four bytes for words."""
    if bits == 16:
        word = splat_word(r)
        return [even(word, 8, signed), odd(word, 8, signed)]
    words = splat_word(r)
    return [(words << (24 - 8 * i)) >> 24 if signed else words.lshr(8 * i) & 0xFF for i in range(4)]


def _accumulating(template: str, bits: int, function: Callable[..., Val | Pair]) -> None:
    """Enter ``D=f(..)`` and ``D+=f(..)``."""
    semantics(template, function)

    def accumulate(x: Val | Pair, *arguments: Val | Pair | int) -> Val | Pair:
        result = function(*arguments)
        if isinstance(x, tuple) and isinstance(result, tuple):
            return x[0].view(bits) + result[0], x[1].view(bits) + result[1]
        assert isinstance(x, Val) and isinstance(result, Val)
        return x.view(bits) + result

    semantics(template.replace("=", "+=", 1), accumulate)


def _sliding() -> None:
    """Windows that step by one sub-lane over hi:lo."""
    for suffix, signed in (("ub", False), ("b", True)):
        def three(u: Pair, r: Val, s: bool = signed) -> Pair:
            lo_e, lo_o = even(u[0], 8, s), odd(u[0], 8, s)
            hi_e, hi_o = even(u[1], 8, s), odd(u[1], 8, s)
            b0, b1 = _scalar_bytes(r, 16)
            return lo_e * b0 + lo_o * b1 + hi_e, lo_o * b0 + hi_e * b1 + hi_o

        _accumulating(f"VV.h=vtmpy(VV.{suffix},R.b)", 16, three)

    def word_factors(r: Val) -> Pair:
        """Bytes 0 and 1 for even words, 2 and 3 for odd ones."""
        halves = splat_word(r).b.shuffle(None, list(range(VECTOR_BYTES // 2))).sext(16)
        return even(halves, 16, True), odd(halves, 16, True)

    def three_words(u: Pair, r: Val) -> Pair:
        lo_e, lo_o, hi_e, hi_o = (f(x, 16, True) for x in u for f in (even, odd))
        b0, b1 = word_factors(r)
        return lo_e * b0 + lo_o * b1 + hi_e, lo_o * b0 + hi_e * b1 + hi_o

    _accumulating("VV.w=vtmpy(VV.h,R.b)", 32, three_words)

    def two(u: Pair, r: Val) -> Pair:
        lo_e, lo_o, hi_e = even(u[0], 8, False), odd(u[0], 8, False), even(u[1], 8, False)
        b0, b1 = _scalar_bytes(r, 16)
        return lo_e * b0 + lo_o * b1, lo_o * b0 + hi_e * b1

    _accumulating("VV.h=vdmpy(VV.ub,R.b)", 16, two)

    def two_words(u: Pair, r: Val) -> Pair:
        lo_e, lo_o, hi_e = even(u[0], 16, True), odd(u[0], 16, True), even(u[1], 16, True)
        b0, b1 = word_factors(r)
        return lo_e * b0 + lo_o * b1, lo_o * b0 + hi_e * b1

    _accumulating("VV.w=vdmpy(VV.h,R.b)", 32, two_words)

    def differences(u: Pair, r: Val) -> Pair:
        lo_e, lo_o, hi_e = even(u[0], 16, False), odd(u[0], 16, False), even(u[1], 16, False)
        word = splat_word(r)
        r0, r1 = word & 0xFFFF, word.lshr(16)
        return _distance(lo_e, r0) + _distance(lo_o, r1), _distance(lo_o, r0) + _distance(hi_e, r1)

    _accumulating("VV.uw=vdsad(VV.uh,R.uh)", 32, differences)


def _distance(a: Val, b: Val) -> Val:
    """|a - b| of lanes that are small and not negative."""
    return (a - b).two("smax", b - a)


def _saturating_dot() -> None:
    def dot(parts: tuple[Val, Val], factors: tuple[Val, Val], x: Val | None = None) -> Val:
        total = parts[0].sext(64) * factors[0].sext(64) + parts[1].sext(64) * factors[1].sext(64)
        if x is not None:
            total = total + x.w.sext(64)
        return clamp(total, 32, True).trunc(32)

    def halves(r: Val, signed: bool) -> tuple[Val, Val]:
        word = splat_word(r)
        return even(word, 16, signed), odd(word, 16, signed)

    def middle(u: Pair) -> tuple[Val, Val]:
        return odd(u[0], 16, True), even(u[1], 16, True)

    def single(u: Val) -> tuple[Val, Val]:
        return even(u, 16, True), odd(u, 16, True)

    semantics("V.w=vdmpy(V.h,R.uh):sat", lambda u, r: dot(single(u), halves(r, False)))
    semantics("V.w+=vdmpy(V.h,R.uh):sat", lambda x, u, r: dot(single(u), halves(r, False), x))
    for suffix, immediate, signed in (("h", "", True), ("uh", ",I", False)):
        semantics(f"V.w=vdmpy(VV.h,R.{suffix}{immediate}):sat", lambda u, r, *_, s=signed: dot(
            middle(u), halves(r, s)))  # fmt: skip
        semantics(f"V.w+=vdmpy(VV.h,R.{suffix}{immediate}):sat", lambda x, u, r, *_, s=signed: dot(
            middle(u), halves(r, s), x))  # fmt: skip

    def both(x: Pair, u: Val, r: Val) -> Pair:
        factors = halves(r, True)
        low, high = (
            clamp(o.w.sext(64) + p.sext(64) * f.sext(64), 32, True).trunc(32)
            for o, p, f in zip(x, single(u), factors, strict=True)
        )
        return low, high

    semantics("VV.w+=vmpy(V.h,R.h):sat", both)


def _multiply_add() -> None:
    """Both registers' sub-lanes times two factors, added."""
    for left, right in (("ub", "b"), ("ub", "ub")):
        signs = INTEGER[left][1], INTEGER[right][1]

        def bytes_by_scalar(u: Pair, r: Val, s: tuple[bool, bool] = signs) -> Pair:
            word = splat_word(r)
            b = [(word << (24 - 8 * i)) >> 24 if s[1] else word.lshr(8 * i) & 0xFF for i in range(4)]
            b16 = [(x & 0xFFFF | (x << 16)).h for x in b]
            return (
                even(u[0], 8, s[0]) * b16[0] + even(u[1], 8, s[0]) * b16[1],
                odd(u[0], 8, s[0]) * b16[2] + odd(u[1], 8, s[0]) * b16[3],
            )

        _accumulating(f"VV.h=vmpa(VV.{left},R.{right})", 16, bytes_by_scalar)

        def bytes_by_bytes(u: Pair, v: Pair, s: tuple[bool, bool] = signs) -> Pair:
            low, high = (
                take(u[0], 8, s[0]) * take(v[0], 8, s[1]) + take(u[1], 8, s[0]) * take(v[1], 8, s[1])
                for take in (even, odd)
            )
            return low, high

        semantics(f"VV.h=vmpa(VV.{left},VV.{right})", bytes_by_bytes)
    for left in ("h", "uh"):
        signed = INTEGER[left][1]

        def halves_by_scalar(u: Pair, r: Val, s: bool = signed) -> Pair:
            b = _scalar_bytes(r, 32)
            return (
                even(u[0], 16, s) * b[0] + even(u[1], 16, s) * b[1],
                odd(u[0], 16, s) * b[2] + odd(u[1], 16, s) * b[3],
            )

        _accumulating(f"VV.w=vmpa(VV.{left},R.b)", 32, halves_by_scalar)


def _rotated() -> None:
    """Four-byte sums whose windows start 0 and 2 bytes (plus the immediate) into hi:lo."""
    for name, right in (("vrmpy", "b"), ("vrmpy", "ub"), ("vrsad", "ub")):
        signed = INTEGER[right][1]

        def sums(u: Pair, r: Val, n: int, s: bool = signed, product: bool = name == "vrmpy") -> Pair:
            def part(register: int, index: int, factor: int) -> Val:
                value = u[register].w.lshr(8 * index) & 0xFF
                scalar = _scalar_bytes(r, 32, s)[(factor - n) & 3]
                return value * scalar if product else _distance(value, scalar)

            register = 1 if n else 0
            return (
                part(register, 0, 0) + part(0, 1, 1) + part(0, 2, 2) + part(0, 3, 3),
                part(1, 0, 2) + part(1, 1, 3) + part(register, 2, 0) + part(0, 3, 1),
            )

        out = "w" if signed else "uw"
        _accumulating(f"VV.{out}={name}(VV.ub,R.{right},I)", 32, sums)
    for left, right, out in (("b", "ub", "w"), ("ub", "ub", "uw")):
        signed_left = INTEGER[left][1]

        def by_pair(u: Val, r: Val, s: bool = signed_left) -> Pair:
            """Bytes times the low word of a scalar pair, and times its high word."""
            results = []
            for half in (r.trunc(32), r.lshr(32).trunc(32)):
                factors = _scalar_bytes(half, 32, False)
                values = [(u.w << (24 - 8 * i)) >> 24 if s else u.w.lshr(8 * i) & 0xFF for i in range(4)]
                products = [v * f for v, f in zip(values, factors, strict=True)]
                results.append(products[0] + products[1] + products[2] + products[3])
            return results[0], results[1]

        _accumulating(f"VV.{out}=vrmpy(V.{left},RR.{right})", 32, by_pair)


_sliding()
_saturating_dot()
_multiply_add()
_rotated()
