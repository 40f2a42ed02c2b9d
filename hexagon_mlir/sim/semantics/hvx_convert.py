"""HVX conversions between sf, hf, bf and integers, rounded to nearest even; those of qfloat are in `hvx_qfloat`.

A NaN becomes the largest integer; with `Arithmetic.CHIP`, in all forms but ``vcvt``, a negative one the least.
"""

from __future__ import annotations

from hexagon_mlir.sim.semantics.hvx_float import HALF_NAN, half, single
from hexagon_mlir.sim.semantics.lanes import Pair, clamp, even, halves_float, narrow, odd
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import Val
from hexagon_mlir.targets.disputed import NarrowingOrder


# -- floats --------------------------------------------------------------------------------------------------
def round_bf(value: Val) -> Val:
    """f32 lanes rounded to nearest even bfloat16, in the low halves of words; NaN stays NaN."""
    bits = value.w
    rounded = (bits + ((bits.lshr(16) & 1) + 0x7FFF)).lshr(16)
    nan = bits.lift(HALF_NAN) if value.code.floats.chip else bits.lshr(16) | 0x40
    return value.sf.fcmp("uno", value.sf).select(nan, rounded)


def _round_half(value: Val) -> Val:
    """f32 lanes as hf in the low halves of words."""
    rounded = half(value.sf)
    return rounded.as_(rounded.ty.of(16)).zext(32)


def _in_order(u: Val, v: Val) -> Pair:
    """The operands of the even and of the odd lanes."""
    first_even = u.code.floats.disputed.narrowing_order is NarrowingOrder.FIRST_EVEN
    return (u, v) if first_even else (v, u)


def _between_floats() -> None:
    semantics("V.hf=vcvt(V.sf,V.sf)", lambda u, v: narrow(*map(_round_half, _in_order(u, v))))
    semantics("V.bf=vcvt(V.sf,V.sf)", lambda u, v: narrow(*map(round_bf, _in_order(u, v))))
    semantics("VV.sf=vcvt(V.hf)", lambda a: tuple(map(single, halves_float(a))))


# -- integers ------------------------------------------------------------------------------------------------
def _to_integer(value: Val, bits: int, signed: bool) -> Val:
    """f32 lanes truncated and saturated; NaN gives the largest value.

    The lower bound is a clamp before the conversion, the upper one a select after it (a lane that does not fit is
    poison and not selected): LLVM 22 scalarizes ``llvm.fptosi.sat`` on vectors.
    """
    bottom, top = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    clamped = value.fcmp("ogt", bottom).select(value, value.lift(bottom))
    return value.fcmp("olt", top + 1).select(clamped.fptosi(32).trunc(bits), top)


def _by_sign(value: Val, bits: int) -> Val:
    """The same to a signed integer; on the chip a negative NaN gives the least value."""
    result = _to_integer(value, bits, True)
    if not value.code.floats.chip:
        return result
    negative = value.fcmp("uno", value) & value.as_(value.ty.of(32)).icmp("slt", 0)
    return negative.select(-(1 << (bits - 1)), result)


def _integers() -> None:
    semantics("V.w=V.sf", lambda a: _by_sign(a.sf, 32))
    semantics("V.sf=V.w", lambda a: a.w.sitofp(32))
    semantics("V.h=V.hf", lambda a: _by_sign(a.hf.fpext(32), 16))
    semantics("V.h=V.hf:rnd", lambda a: _by_sign(a.hf.fpext(32).one("rint"), 16))
    semantics("V.hf=V.h", lambda a: a.h.sitofp(32).fptrunc(16))
    for suffix, signed in (("h", True), ("uh", False)):
        semantics(f"V.hf=vcvt(V.{suffix})", lambda a, s=signed: (
            a.h.sitofp(32) if s else a.h.uitofp(32)).fptrunc(16))  # fmt: skip
        semantics(f"V.{suffix}=vcvt(V.hf)", lambda a, s=signed: _to_integer(a.hf.fpext(32).one("rint"), 16, s))


# -- bytes ---------------------------------------------------------------------------------------------------
def _byte_halves(parts: Pair) -> Pair:
    """Extended bytes in i16 lanes to hf."""
    return tuple(part.sitofp(32).fptrunc(16) for part in parts)  # type: ignore[return-value]


def _to_bytes(value: Val, signed: bool) -> Val:
    """hf lanes rounded and saturated, in the low bytes of i16 lanes."""
    whole = _to_integer(value.hf.fpext(32).one("rint"), 32, True)
    return clamp(whole, 8, signed).trunc(16)


def _byte_pairs(a: Val, signed: bool) -> Pair:
    """Bytes 0 and 1 of each word, then 2 and 3, extended to i16 lanes."""
    extended = a.b.ext(16, signed)
    words = range(extended.ty.lanes // 4)
    low, high = ([4 * word + first + i for word in words for i in (0, 1)] for first in (0, 2))
    return extended.shuffle(None, low), extended.shuffle(None, high)


def _paired(u: Val, v: Val) -> Val:
    """The inverse of `_byte_pairs` on the low bytes of i16 lanes."""
    low, high = ((x.w & 0xFF) | (x.w.lshr(8) & 0xFF00) for x in (u, v))
    return low | (high << 16)


def _bytes() -> None:
    """``vcvt`` goes by pairs of bytes, ``vcvt2`` by even and odd ones."""
    for suffix, signed in (("b", True), ("ub", False)):
        semantics(f"VV.hf=vcvt(V.{suffix})", lambda a, s=signed: _byte_halves(_byte_pairs(a, s)))
        semantics(f"V.{suffix}=vcvt(V.hf,V.hf)", lambda u, v, s=signed: _paired(_to_bytes(u, s), _to_bytes(v, s)))
        semantics(f"VV.hf=vcvt2(V.{suffix})", lambda a, s=signed: _byte_halves((even(a, 8, s), odd(a, 8, s))))
        semantics(f"V.{suffix}=vcvt2(V.hf,V.hf)", lambda u, v, s=signed: narrow(_to_bytes(u, s), _to_bytes(v, s)))


_between_floats()
_integers()
_bytes()
