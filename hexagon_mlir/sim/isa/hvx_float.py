"""HVX floating point forms.

Model: qf32 and qf16 registers hold plain f32 and f16 lanes, and every operation rounds to nearest even. The
chip's qfloat has its own fraction format, no infinities and von Neumann rounding (HVX V73 PRM 80-N2040-54,
5.6), so the last bits differ there. f16 arithmetic is done in f32 and rounded once, which is exact for
add, subtract and multiply. ``vmax``/``vmin`` return the second operand when an input is NaN.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from hexagon_mlir.sim.isa.lanes import (
    VECTOR,
    Pair,
    clamp,
    concat,
    even,
    halves_float,
    interleave_float,
    mask,
    narrow,
    odd,
    split,
)
from hexagon_mlir.sim.isa.spec import Unit, form
from hexagon_mlir.sim.isa.value import Val

VX, VX_DV, VX_LATE, VS, VA = Unit.VX, Unit.VX_DV, Unit.VX_LATE, Unit.VS, Unit.VA

ARITHMETIC: dict[str, Callable[[Val, Val], Val]] = {
    "vadd": operator.add, "vsub": operator.sub, "vmpy": operator.mul,
}  # fmt: skip


def _half(a: Val, b: Val, op: Callable[[Val, Val], Val]) -> Val:
    return op(a.hf.fpext(32), b.hf.fpext(32)).fptrunc(16)


def _widen(a: Val, b: Val, op: Callable[[Val, Val], Val]) -> Pair:
    """f16 in, f32 pair out: even lanes low, odd lanes high."""
    (a0, a1), (b0, b1) = halves_float(a), halves_float(b)
    return op(a0, b0), op(a1, b1)


def _qfloat() -> None:
    for name, op in ARITHMETIC.items():
        unit = VX_DV if name == "vmpy" else VS
        for left in ("qf32", "sf"):
            for right in ("qf32", "sf"):
                if left == right or (left == "qf32" and name != "vmpy") or name == "vsub":
                    form(f"V.qf32={name}(V.{left},V.{right})", unit, lambda a, b, f=op: f(a.sf, b.sf))
        for left in ("qf16", "hf"):
            for right in ("qf16", "hf"):
                if left == "hf" and right == "qf16" and name != "vsub":
                    continue
                form(f"V.qf16={name}(V.{left},V.{right})", unit, lambda a, b, f=op: _half(a, b, f))
                if name == "vmpy":
                    form(
                        f"VV.qf32=vmpy(V.{left},V.{right})",
                        VX_DV,
                        lambda a, b: _widen(a, b, operator.mul),
                    )
    form("V.sf=V.qf32", VS, lambda a: a)
    form("V.hf=V.qf16", VS, lambda a: a)
    form("V.qf32=V.sf", VS, lambda a: a)
    form("V.qf16=V.hf", VS, lambda a: a)
    form("V.hf=VV.qf32", VS, lambda pair: interleave_float(pair[0], pair[1]))


def _ieee() -> None:
    for name, op in ARITHMETIC.items():
        form(f"V.sf={name}(V.sf,V.sf)", VX_DV if name == "vmpy" else VX, lambda a, b, f=op: f(a.sf, b.sf))
        form(f"V.hf={name}(V.hf,V.hf)", VX, lambda a, b, f=op: _half(a, b, f))
        form(f"VV.sf={name}(V.hf,V.hf)", VX_DV, lambda a, b, f=op: _widen(a, b, f))
        form(f"VV.sf={name}(V.bf,V.bf)", VX_DV, lambda a, b, f=op: tuple(
            f(x, y) for x, y in zip(_bf(a), _bf(b), strict=True)))  # fmt: skip

    def fused(a: Val, b: Val, x: Val) -> Val:
        return a.code.intrinsic("fma", a.ty, a, b, x)

    form("V.hf+=vmpy(V.hf,V.hf)", VX, lambda x, a, b: fused(
        a.hf.fpext(32), b.hf.fpext(32), x.hf.fpext(32)).fptrunc(16))  # fmt: skip
    for suffix, halves in (("hf", halves_float), ("bf", _bf)):
        form(f"VV.sf+=vmpy(V.{suffix},V.{suffix})", VX_DV, lambda x, a, b, f=halves: tuple(
            fused(p, q, o.sf) for p, q, o in zip(f(a), f(b), x, strict=True)))  # fmt: skip

    def dot(a: Val, b: Val) -> Val:
        low, high = _widen(a, b, operator.mul)
        return low + high

    form("V.sf=vdmpy(V.hf,V.hf)", VX_DV, dot)
    form("V.sf+=vdmpy(V.hf,V.hf)", VX_DV, lambda x, a, b: x.sf + dot(a, b))
    for suffix, bits in (("sf", 32), ("hf", 16)):
        form(f"V.{suffix}=vabs(V.{suffix})", VX_LATE, lambda a, n=bits: a.view(n) & ((1 << (n - 1)) - 1))
        form(f"V.{suffix}=vfneg(V.{suffix})", VX_LATE, lambda a, n=bits: a.view(n) ^ (1 << (n - 1)))


def _bf(value: Val) -> Pair:
    """Even and odd bfloat16 lanes as two vectors of f32."""
    return (value.w << 16).sf, (value.w & 0xFFFF0000).sf


def _round_bf(value: Val) -> Val:
    """f32 lanes rounded to nearest even bfloat16, in the low halves of words; NaN stays NaN."""
    bits = value.w
    rounded = (bits + ((bits.lshr(16) & 1) + 0x7FFF)).lshr(16)
    return value.sf.fcmp("uno", value.sf).select(bits.lshr(16) | 0x40, rounded)


def _compare() -> None:
    def lanes(value: Val, suffix: str) -> Val:
        return {"sf": lambda: value.sf, "hf": lambda: value.hf, "bf": lambda: value.h}[suffix]()

    for suffix in ("sf", "hf"):
        for name, code in (("gt", "ogt"), ("eq", "oeq")):
            def compare(a: Val, b: Val, s: str = suffix, c: str = code) -> Val:
                return mask(lanes(a, s).fcmp(c, lanes(b, s))).as_(VECTOR)

            call = f"vcmp.{name}(V.{suffix},V.{suffix})"
            form(f"Q={call}", VA, compare)
            form(f"Q&={call}", VA, lambda q, a, b, f=compare: q & f(a, b))
            form(f"Q|={call}", VA, lambda q, a, b, f=compare: q | f(a, b))
            form(f"Q^={call}", VA, lambda q, a, b, f=compare: q ^ f(a, b))
        for name, code, number in (("max", "ogt", "maximumnum"), ("min", "olt", "minimumnum")):
            form(f"V.{suffix}=v{name}(V.{suffix},V.{suffix})", VA, lambda a, b, s=suffix, c=code: (
                lanes(a, s).fcmp(c, lanes(b, s)).select(lanes(a, s), lanes(b, s))))  # fmt: skip
            form(f"V.{suffix}=vf{name}(V.{suffix},V.{suffix})", VX_LATE, lambda a, b, s=suffix, n=number: (
                lanes(a, s).two(n, lanes(b, s))))  # fmt: skip


def _to_integer(value: Val, bits: int, signed: bool) -> Val:
    """f32 lanes truncated and saturated; NaN gives the largest value.

    The input is clamped below first and chosen above last (a lane that does not fit has no value, and is not chosen):
    LLVM 22 makes scalar code of ``llvm.fptosi.sat`` on vectors.
    """
    bottom, top = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    clamped = value.fcmp("ogt", bottom).select(value, value.lift(bottom))
    return value.fcmp("olt", top + 1).select(clamped.fptosi(32).trunc(bits), top)


def _conversions() -> None:
    form("V.hf=vcvt(V.sf,V.sf)", VX_DV, lambda u, v: interleave_float(v, u))
    form("VV.sf=vcvt(V.hf)", VX_DV, halves_float)
    form("V.bf=vcvt(V.sf,V.sf)", VX_DV, lambda u, v: narrow(_round_bf(v), _round_bf(u)))
    form("V.w=V.sf", VS, lambda a: _to_integer(a.sf, 32, True))
    form("V.sf=V.w", VS, lambda a: a.w.sitofp(32))
    form("V.h=V.hf", VS, lambda a: _to_integer(a.hf.fpext(32), 16, True))
    form("V.hf=V.h", VS, lambda a: a.h.sitofp(32).fptrunc(16))
    for suffix, signed in (("h", True), ("uh", False)):
        form(f"V.hf=vcvt(V.{suffix})", VX, lambda a, s=signed: (
            a.h.sitofp(32) if s else a.h.uitofp(32)).fptrunc(16))  # fmt: skip
        form(f"V.{suffix}=vcvt(V.hf)", VX, lambda a, s=signed: _to_integer(
            a.hf.fpext(32).one("rint"), 16, s))  # fmt: skip
    for suffix, signed in (("b", True), ("ub", False)):
        def from_bytes(parts: Pair) -> Pair:
            return tuple(part.sitofp(32).fptrunc(16) for part in parts)  # type: ignore[return-value]

        def to_bytes(u: Val, v: Val, s: bool = signed) -> Pair:
            low, high = (
                clamp(_to_integer(x.hf.fpext(32).one("rint"), 32, True), 8, s).trunc(16) for x in (v, u)
            )
            return low, high

        form(f"VV.hf=vcvt(V.{suffix})", VX_DV, lambda a, s=signed, f=from_bytes: f((even(a, 8, s), odd(a, 8, s))))
        form(f"V.{suffix}=vcvt(V.hf,V.hf)", VX_DV, lambda u, v, f=to_bytes: narrow(*f(u, v)))
        # vcvt2 keeps the order: the lower half of the bytes belongs to the low register
        form(f"VV.hf=vcvt2(V.{suffix})", VX_DV, lambda a, s=signed, f=from_bytes: f(split(a.b.ext(16, s))))
        form(f"V.{suffix}=vcvt2(V.hf,V.hf)", VX_DV, lambda u, v, f=to_bytes: concat(*(x.trunc(8) for x in f(u, v))))


_qfloat()
_ieee()
_compare()
_conversions()
