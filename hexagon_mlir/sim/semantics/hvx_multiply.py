"""HVX integer multiplies (HVX V73 PRM 80-N2040-54, chapter 6).

A scalar operand ``R.b`` or ``R.h`` repeats in every word, so it is the vector form on a splat.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.sim.semantics.lanes import INTEGER, Pair, clamp, even, narrow, odd, splat_word
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import Val


def _scalar_right(function: Callable[..., object]) -> Callable[..., object]:
    """The vector form with its last operand a splat of a scalar register."""
    return lambda *arguments: function(*arguments[:-1], splat_word(arguments[-1]))


def _widening() -> None:
    for out, left, right, scalar in (
        ("w", "h", "h", True), ("uw", "uh", "uh", True), ("h", "b", "b", False), ("uh", "ub", "ub", True),
        ("h", "ub", "b", True), ("w", "h", "uh", False),
    ):  # fmt: skip
        bits, left_signed = INTEGER[left]
        right_signed = INTEGER[right][1]

        def multiply(a: Val, b: Val, n: int = bits, s: bool = left_signed, t: bool = right_signed) -> Pair:
            return even(a, n, s) * even(b, n, t), odd(a, n, s) * odd(b, n, t)

        def accumulate(x: Pair, a: Val, b: Val, n: int = bits, f=multiply) -> Pair:
            low, high = f(a, b)
            return x[0].view(2 * n) + low, x[1].view(2 * n) + high

        semantics(f"VV.{out}=vmpy(V.{left},V.{right})", multiply)
        semantics(f"VV.{out}+=vmpy(V.{left},V.{right})", accumulate)
        if scalar:
            semantics(f"VV.{out}=vmpy(V.{left},R.{right})", _scalar_right(multiply))
            semantics(f"VV.{out}+=vmpy(V.{left},R.{right})", _scalar_right(accumulate))


def _low_half() -> None:
    semantics("V.h=vmpyi(V.h,V.h)", lambda a, b: a.h * b.h)
    semantics("V.h+=vmpyi(V.h,V.h)", lambda x, a, b: x.h + a.h * b.h)

    def by_part(parts: int, signed: bool) -> Callable[[Val, Val], Val]:
        """Word lane i times part i % parts of the scalar."""

        def multiply(a: Val, r: Val) -> Val:
            repeated = r.view(32 // parts).shuffle(None, [i % parts for i in range(32)])
            return a.w * repeated.ext(32, signed)

        return multiply

    by_half = by_part(2, True)
    semantics("V.w=vmpyi(V.w,R.h)", by_half)
    semantics("V.w+=vmpyi(V.w,R.h)", lambda x, a, r: x.w + by_half(a, r))
    for suffix, signed in (("b", True), ("ub", False)):
        multiply = by_part(4, signed)
        semantics(f"V.w=vmpyi(V.w,R.{suffix})", multiply)
        semantics(f"V.w+=vmpyi(V.w,R.{suffix})", lambda x, a, r, f=multiply: x.w + f(a, r))

    def halves_by_bytes(a: Val, r: Val) -> Val:
        """Halfword lane j times byte j % 4 of the scalar: words alternate bytes (0,1), (2,3)."""
        bytes_ = splat_word(r).b.shuffle(None, list(range(64)))
        return a.h * bytes_.sext(16)

    semantics("V.h=vmpyi(V.h,R.b)", halves_by_bytes)
    semantics("V.h+=vmpyi(V.h,R.b)", lambda x, a, r: x.h + halves_by_bytes(a, r))
    semantics("V.w=vmpyieo(V.h,V.h)", lambda a, b: (even(a, 16, True) * odd(b, 16, True)) << 16)
    semantics("V.w=vmpyio(V.w,V.h)", lambda a, b: a.w * odd(b, 16, True))
    for suffix, signed in (("uh", False), ("h", True)):
        if not signed:
            semantics("V.w=vmpyie(V.w,V.uh)", lambda a, b: a.w * even(b, 16, False))
        semantics(f"V.w+=vmpyie(V.w,V.{suffix})", lambda x, a, b, s=signed: x.w + a.w * even(b, 16, s))


def _high_word() -> None:
    def product(a: Val, b: Val) -> Val:
        return a.w.sext(64) * b.sext(64)

    def even_pair(a: Val, b: Val) -> Pair:
        wide = a.w.sext(64) * even(b, 16, False).zext(64)
        return (wide << 16).trunc(32), (wide >> 16).trunc(32)

    def odd_accumulate(x: Pair, a: Val, b: Val) -> Pair:
        wide = product(a, odd(b, 16, True)) + x[1].w.sext(64)
        low_half = x[0].w.lshr(16)
        return low_half | (wide.trunc(32) << 16), (wide >> 16).trunc(32)

    semantics("VV=vmpye(V.w,V.uh)", even_pair)
    semantics("VV+=vmpyo(V.w,V.h)", odd_accumulate)
    semantics("V.w=vmpye(V.w,V.uh)", lambda a, b: even_pair(a, b)[1])
    for mark in ("", ":rnd"):
        half = 0x8000 if mark else 0
        semantics(f"V.w=vmpyo(V.w,V.h):<<1{mark}:sat", lambda a, b, h=half: clamp(
            ((product(a, odd(b, 16, True)) << 1) + h) >> 16, 32, True).trunc(32))  # fmt: skip


def _fractional() -> None:
    def fractional(a: Val, b: Val, rounded: bool) -> Val:
        parts = []
        for take in (even, odd):
            doubled = (take(a, 16, True).sext(64) * take(b, 16, True).sext(64)) << 1
            parts.append((clamp(doubled + (0x8000 if rounded else 0), 32, True) >> 16).trunc(32))
        return narrow(parts[0], parts[1])

    semantics("V.h=vmpy(V.h,V.h):<<1:rnd:sat", lambda a, b: fractional(a, b, True))
    semantics("V.h=vmpy(V.h,R.h):<<1:rnd:sat", lambda a, r: fractional(a, splat_word(r), True))
    semantics("V.h=vmpy(V.h,R.h):<<1:sat", lambda a, r: fractional(a, splat_word(r), False))


def _reducing() -> None:
    def byte(words: Val, index: int, signed: bool) -> Val:
        if signed:
            return (words << (24 - 8 * index)) >> 24
        return words.lshr(8 * index) & 0xFF

    for out, left, right, scalar in (
        ("w", "b", "b", False), ("uw", "ub", "ub", True), ("w", "ub", "b", True),
    ):  # fmt: skip
        signs = INTEGER[left][1], INTEGER[right][1]

        def dot4(a: Val, b: Val, s: tuple[bool, bool] = signs) -> Val:
            products = [byte(a.w, i, s[0]) * byte(b.w, i, s[1]) for i in range(4)]
            return (products[0] + products[1]) + (products[2] + products[3])

        def accumulate(x: Val, a: Val, b: Val, f=dot4) -> Val:
            return x.w + f(a, b)

        semantics(f"V.{out}=vrmpy(V.{left},V.{right})", dot4)
        semantics(f"V.{out}+=vrmpy(V.{left},V.{right})", accumulate)
        if scalar:
            semantics(f"V.{out}=vrmpy(V.{left},R.{right})", _scalar_right(dot4))
            semantics(f"V.{out}+=vrmpy(V.{left},R.{right})", _scalar_right(accumulate))

    def dot2(a: Val, b: Val) -> Val:
        return even(a, 16, True) * even(b, 16, True) + odd(a, 16, True) * odd(b, 16, True)

    def dot2_saturated(a: Val, b: Val, x: Val | None = None) -> Val:
        parts = [take(a, 16, True).sext(64) * take(b, 16, True).sext(64) for take in (even, odd)]
        total = parts[0] + parts[1]
        total = total if x is None else total + x.w.sext(64)
        return clamp(total, 32, True).trunc(32)

    semantics("V.w=vdmpy(V.h,V.h):sat", lambda a, b: dot2_saturated(a, b))
    semantics("V.w+=vdmpy(V.h,V.h):sat", lambda x, a, b: dot2_saturated(a, b, x))
    semantics("V.w=vdmpy(V.h,R.h):sat", lambda a, r: dot2_saturated(a, splat_word(r)))
    semantics("V.w+=vdmpy(V.h,R.h):sat", lambda x, a, r: dot2_saturated(a, splat_word(r), x))

    def bytes_to_half(a: Val, r: Val) -> Val:
        b = splat_word(r)
        return even(a, 8, False) * even(b, 8, True) + odd(a, 8, False) * odd(b, 8, True)

    semantics("V.h=vdmpy(V.ub,R.b)", bytes_to_half)
    semantics("V.h+=vdmpy(V.ub,R.b)", lambda x, a, r: x.h + bytes_to_half(a, r))

    def halves_to_word(a: Val, r: Val) -> Val:
        pairs = splat_word(r).b.shuffle(None, list(range(64))).sext(16).as_(a.ty)
        return dot2(a, pairs)

    semantics("V.w=vdmpy(V.h,R.b)", halves_to_word)
    semantics("V.w+=vdmpy(V.h,R.b)", lambda x, a, r: x.w + halves_to_word(a, r))


_widening()
_low_half()
_high_word()
_fractional()
_reducing()
