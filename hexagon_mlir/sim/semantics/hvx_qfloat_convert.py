"""HVX forms with one qfloat operand: conversions, and from v79 and v81 copies, signs, logarithms and extension bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hexagon_mlir.sim.semantics import qfloat_extended as extended
from hexagon_mlir.sim.semantics import qfloat_legacy as legacy
from hexagon_mlir.sim.semantics import qfloat_legacy_convert as legacy_convert
from hexagon_mlir.sim.semantics.float_model import DEFAULT_EXTENSION
from hexagon_mlir.sim.semantics.hvx_convert import round_bf
from hexagon_mlir.sim.semantics.lanes import VECTOR, even, interleave_float, narrow, odd, splat_word
from hexagon_mlir.sim.semantics.qfloat_extended_convert import floor_log2, to_ieee
from hexagon_mlir.sim.semantics.qfloat_forms import (
    FORMATS,
    Emit,
    Extended,
    by_lanes,
    entered,
    kind,
    numbers,
    on_numbers,
)
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.routines import Body
from hexagon_mlir.sim.semantics.value import Val


# -- conversions ---------------------------------------------------------------------------------------------
def _to_ieee(f: extended.Format, target: extended.Format) -> Body:
    """A register of numbers of ``f`` to one of the same lanes."""
    if f is extended.SINGLE:
        return lambda word, bits: (to_ieee(extended.single(word, bits), f, target),)
    return lambda *words: (narrow(*(
        to_ieee(numbers(words, ("qf",), f, part)[0], f, target) for part in (0, 1))),)  # fmt: skip


def _narrowed(target: extended.Format) -> Body:
    """qf32 of two registers to 16 bits, even lanes from the low register."""
    return lambda a, x, b, y: (narrow(*(
        to_ieee(extended.single(word, bits), extended.SINGLE, target) for word, bits in ((a, x), (b, y))
    )),)  # fmt: skip


def _conversions() -> None:
    for register, suffix, f, g in FORMATS:
        old = by_lanes(f is legacy.SINGLE, lambda a, h=f: legacy_convert.to_ieee(a, h))
        entered(f"V.{suffix}=V.{register}", lambda a: a, f"{suffix}_{register}", old, _to_ieee(g, g))
    entered("V.hf=VV.qf32", lambda pair: interleave_float(*pair), "hf_pair",
            lambda low, high: (legacy_convert.narrowed((low, high)),), _narrowed(extended.HALF))  # fmt: skip
    entered("V.bf=VV.qf32", lambda pair: narrow(*map(round_bf, pair)), "bf_pair", None, _narrowed(extended.BRAIN))


# -- v81 -----------------------------------------------------------------------------------------------------
def _normalised(f: extended.Format, sign: str) -> Callable[..., extended.Words]:
    """A copy, the negative or the magnitude: the sum with the least zero, which has as many bits as fit."""

    def compute(number: extended.Number) -> extended.Words:
        if sign:
            number = extended.complement(number, number.negative if sign == "vabs" else None)
        return extended.add(number, extended.least_zero(number.whole, f), f)

    return compute


def _signs() -> None:
    for register, suffix, _, g in FORMATS:
        bits = 32 if register == "qf32" else 16
        plain: dict[str, Emit] = {
            "": lambda a: a,
            "vabs": lambda a, n=bits: a.view(n) & ((1 << (n - 1)) - 1),
            "vneg": lambda a, n=bits: a.view(n) ^ (1 << (n - 1)),
        }
        for source in (register, suffix):
            for sign, ieee in plain.items():
                call = f"{sign}(V.{source})" if sign else f"V.{source}"
                entered(f"V.{register}={call}", ieee, f"{sign or 'copy'}_{register}_{source}", None,
                        on_numbers((kind(source),), g, _normalised(g, sign)))  # fmt: skip


def _logarithms() -> None:
    for register, suffix, _, g in FORMATS:
        for source in (register, suffix):
            kinds = (kind(source),)

            def body(*words: Val, k: tuple[str, ...] = kinds, f: extended.Format = g) -> tuple[Val]:
                if f is extended.SINGLE:
                    return (floor_log2(numbers(words, k, f, None)[0], f),)
                return (narrow(*(floor_log2(numbers(words, k, f, part)[0], f) for part in (0, 1))),)

            def plain(a: Val, f: extended.Format = g) -> Val:
                if f is extended.SINGLE:
                    return floor_log2(extended.ieee(a.w, f), f)
                return narrow(*(floor_log2(extended.ieee(part(a, 16, True), f), f) for part in (even, odd)))

            entered(f"V.w=vilog2(V.{source})", plain, f"vilog2_{source}", None, body)


# -- extension bits ------------------------------------------------------------------------------------------
def _bytes_of(bits: Val) -> Val:
    """Extension bit n of a word as the mask of byte n."""
    spread = (bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21)
    return spread * 0xFF


def _bits_of(bytes_: Val) -> Val:
    """The extension bits whose bytes are not zero."""
    given = bytes_.b.icmp("ne", 0).zext(8).as_(bytes_.ty)
    return (given & 1) | (given.lshr(7) & 2) | (given.lshr(14) & 4) | (given.lshr(21) & 8)


def _extension_bits() -> None:
    """As ``V=vand(Q,R)`` and ``Q=vand(V,R)`` move predicates: byte by byte, under the bytes of the scalar register."""

    def bits_of(operand: Any) -> Val:
        if isinstance(operand, Extended):
            return operand.bits
        return operand.code.const(DEFAULT_EXTENSION, VECTOR)

    def get(a: Any, r: Val) -> Val:
        return _bytes_of(bits_of(a)) & splat_word(r)

    def put(a: Val, r: Val) -> Any:
        zero = a.code.const(0, VECTOR)
        return Extended(zero, _bits_of(a.w & splat_word(r))) if a.code.floats.extended else zero

    def merge(a: Any, b: Val) -> Any:
        return Extended(b.w, a.bits) if isinstance(a, Extended) else b.w

    semantics("V=vgetqfext(V.x,R)", get)
    semantics("V|=vgetqfext(V.x,R)", lambda x, a, r: x.w | get(a, r))
    semantics("V.x=vsetqfext(V,R)", put)
    semantics("V=vmerge(V.x,V.w)", merge)
    semantics("V=valign4(V,V,R)", _align_words)


def _align_words(u: Val, v: Val, r: Val) -> Val:
    """Each word of ``u`` shifted left by whole bytes, filled with the upper ones of that of ``v``."""
    amount = ((r & 3) << 3).splat(VECTOR.lanes)
    return u.code.intrinsic("fshl", VECTOR, u.w, v.w, amount)


_conversions()
_signs()
_logarithms()
_extension_bits()
