"""The 8-bit floats of v79.

f8 is sign, 4 exponent bits with bias 8 and 3 fraction bits; 0x80 is the only NaN, there is no infinity and no
negative zero (QEMU patch series for v79, hvx_ieee_fp). Overflow gives NaN.
"""

from __future__ import annotations

import operator

from hexagon_mlir.sim.semantics.hvx_float import fused_half, half
from hexagon_mlir.sim.semantics.lanes import Pair, even, narrow, odd
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import Type, Val

F8_NAN, F8_MAX, F8_BIAS, F8_FRACTION = 0x80, 0x7F, 8, 3
F32_BIAS, F32_FRACTION = 127, 23


# -- f8 ------------------------------------------------------------------------------------------------------
def f8_to_f32(bits: Val) -> Val:
    """Zero-extended f8 lanes (i16) as f32: the fields of a half with another bias."""
    fields = ((bits & 0x80) << 8) | ((bits & 0x7F) << 7)
    scaled = fields.as_(Type(fields.ty.lanes, "f", 16)).fpext(32) * float(1 << (15 - F8_BIAS))
    nan = scaled.lift(float("nan"))
    return bits.icmp("eq", F8_NAN).select(nan, scaled)


def f32_to_f8(value: Val) -> Val:
    """f32 lanes rounded to nearest even f8, in the low byte of i16 lanes."""
    bits = value.as_(Type(value.ty.lanes, "i", 32))
    magnitude = bits & 0x7FFFFFFF
    cut = F32_FRACTION - F8_FRACTION
    rounded = (magnitude + ((magnitude.lshr(cut) & 1) + ((1 << (cut - 1)) - 1))).lshr(cut)
    normal = rounded - ((F32_BIAS - F8_BIAS) << F8_FRACTION)
    # below the smallest normal number: a count of its eighths
    small_scale = float(1 << (F8_BIAS + F8_FRACTION - 1))
    absolute = magnitude.as_(value.ty)
    count = (absolute * small_scale).two("minimumnum", 16.0).one("rint")
    code = count.fptosi(32)
    least = value.lift(2.0 ** (1 - F8_BIAS))
    field = absolute.fcmp("olt", least).select(code, normal)
    signed = field | (bits.lshr(24) & 0x80)
    signed = field.icmp("eq", 0).select(0, signed)
    bad = field.icmp("sgt", F8_MAX) | value.fcmp("uno", value)
    return bad.select(F8_NAN, signed).trunc(16)


def _halves(value: Val) -> Pair:
    return f8_to_f32(even(value, 8, False)), f8_to_f32(odd(value, 8, False))


def _chosen(a: Val, b: Val, name: str) -> Val:
    """On the chip NaN when one of them is."""
    return a.two(name if a.code.floats.chip else f"{name}num", b)


def _f8() -> None:
    for name, op in (("vadd", operator.add), ("vsub", operator.sub), ("vmpy", operator.mul)):
        semantics(f"VV.hf={name}(V.f8,V.f8)", lambda a, b, f=op: tuple(
            half(f(x, y)) for x, y in zip(_halves(a), _halves(b), strict=True)))  # fmt: skip
    semantics("VV.hf+=vmpy(V.f8,V.f8)", lambda o, a, b: tuple(
        fused_half(x, y, w.hf.fpext(32)) for w, x, y in zip(o, _halves(a), _halves(b), strict=True)))  # fmt: skip
    semantics("VV.hf=vcvt(V.f8)", lambda a: tuple(half(x) for x in _halves(a)))
    semantics("V.f8=vcvt(V.hf,V.hf)", lambda u, v: narrow(
        f32_to_f8(u.hf.fpext(32)), f32_to_f8(v.hf.fpext(32))))  # fmt: skip
    semantics("V.f8=vabs(V.f8)", lambda a: a.b.icmp("eq", F8_NAN).select(F8_NAN, a.b & 0x7F))
    semantics("V.f8=vfneg(V.f8)", lambda a: (a.b & 0x7F).icmp("eq", 0).select(a.b, a.b ^ 0x80))
    for name in ("maximum", "minimum"):
        semantics(f"V.f8=vf{name[:3]}(V.f8,V.f8)", lambda a, b, i=name: narrow(*(
            f32_to_f8(_chosen(x, y, i)) for x, y in zip(_halves(a), _halves(b), strict=True))))  # fmt: skip



_f8()
