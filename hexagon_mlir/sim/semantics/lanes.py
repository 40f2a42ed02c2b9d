"""Lane helpers shared by the HVX tables: even/odd halves, interleaving, vector predicates.

Even and odd sub-lanes are taken with shifts inside the wider lane: cheaper on the host than shuffles.
"""

from __future__ import annotations

from hexagon_mlir.sim.semantics.value import Type, Val

VECTOR = Type(32, "i", 32)
"""The storage type of a vector register and of a vector predicate (a mask byte per vector byte)."""
VECTOR_BYTES = 128

INTEGER = {
    "b": (8, True), "ub": (8, False), "h": (16, True), "uh": (16, False), "w": (32, True), "uw": (32, False),
}  # fmt: skip
"""Lane suffix -> (bits, signed)."""

Pair = tuple[Val, Val]
"""A vector pair as (low register, high register)."""


def even(value: Val, bits: int, signed: bool) -> Val:
    """Even sub-lanes of ``bits``, extended to lanes of twice the width."""
    wide = value.view(2 * bits)
    if signed:
        return (wide << bits) >> bits
    return wide & ((1 << bits) - 1)


def odd(value: Val, bits: int, signed: bool) -> Val:
    """Odd sub-lanes of ``bits``, extended to lanes of twice the width."""
    wide = value.view(2 * bits)
    return wide >> bits if signed else wide.lshr(bits)


def narrow(low: Val, high: Val) -> Val:
    """Interleave back: even sub-lanes from the low halves of ``low``, odd ones from those of ``high``."""
    half = low.ty.bits // 2
    return (low & ((1 << half) - 1)) | (high << half)


def halves_float(value: Val) -> Pair:
    """Even and odd f16 lanes as two vectors of f32."""
    even_bits = value.w.trunc(16)
    odd_bits = value.w.lshr(16).trunc(16)
    return tuple(bits.as_(bits.ty.of(16, "f")).fpext(32) for bits in (even_bits, odd_bits))  # type: ignore[return-value]


def interleave_float(low: Val, high: Val) -> Val:
    """f32 lanes of two vectors rounded to f16, interleaved: even from ``low``, odd from ``high``."""
    words = []
    for value in (low, high):
        rounded = value.sf.fptrunc(16)
        words.append(rounded.as_(rounded.ty.of(16, "i")).zext(32))
    return words[0] | (words[1] << 16)


def concat(low: Val, high: Val) -> Val:
    """Both registers' lanes in one long vector."""
    n = low.ty.lanes
    return low.shuffle(high, list(range(2 * n)))


def split(long: Val) -> Pair:
    """A long vector as two registers."""
    n = long.ty.lanes // 2
    return long.shuffle(None, list(range(n))), long.shuffle(None, list(range(n, 2 * n)))


def mask(bits: Val) -> Val:
    """A vector predicate from lane results."""
    result = bits.sext(VECTOR_BYTES * 8 // bits.ty.lanes)
    bits.code.conditions[result.as_(VECTOR).name] = bits
    return result


def blend(q: Val, yes: Val, no: Val) -> Val:
    """Bytes of ``yes`` where the predicate holds, else of ``no``."""
    bits = q.code.conditions.get(q.name)
    if bits is not None:
        width = VECTOR_BYTES * 8 // bits.ty.lanes
        return bits.select(yes.view(width), no.view(width)).as_(VECTOR)
    return (q & yes.w) | (~q & no.w)


def splat_word(scalar: Val) -> Val:
    """A 32-bit scalar in every word."""
    return scalar.as_(Type(1, "i", 32)).splat(32)


def clamp(value: Val, bits: int, signed: bool) -> Val:
    """Saturate signed lanes to ``bits``, without narrowing."""
    top = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
    bottom = -(1 << (bits - 1)) if signed else 0
    return value.two("smin", top).two("smax", bottom)
