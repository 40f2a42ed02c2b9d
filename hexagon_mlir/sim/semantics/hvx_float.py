"""HVX arithmetic and comparisons with sf, hf and bf operands; qfloat is in `hvx_qfloat`, conversions in `hvx_convert`.

f16 arithmetic is done in f32 and rounded once, which is exact for add, subtract and multiply. With `Arithmetic.CHIP`
every NaN result is the largest positive pattern, and the order of numbers is that of `float_order`; with
`Arithmetic.IEEE` a NaN is that of the host, ``vmax`` and ``vmin`` return the second operand when one is NaN, ``vfmax``
and ``vfmin`` the number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from hexagon_mlir.sim.semantics.float_order import above, larger, propagating
from hexagon_mlir.sim.semantics.lanes import VECTOR, Pair, halves_float, mask
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.value import F64, Type, Val
from hexagon_mlir.targets.disputed import DotAccumulation

Operation = Callable[[Val, Val], Val]
ARITHMETIC: dict[str, Operation] = {"vadd": operator.add, "vsub": operator.sub, "vmpy": operator.mul}
SINGLE_NAN, HALF_NAN = 0x7FFFFFFF, 0x7FFF


def single(value: Val) -> Val:
    """f32 lanes as a result; NaN becomes the chip's."""
    if not value.code.floats.chip:
        return value
    return value.fcmp("uno", value).select(SINGLE_NAN, value.w)


def half(value: Val) -> Val:
    """f32 lanes as a result in f16, rounded to nearest even."""
    rounded = value.fptrunc(16)
    if not value.code.floats.chip:
        return rounded
    return value.fcmp("uno", value).select(HALF_NAN, rounded.as_(rounded.ty.of(16)))


def bfloats(value: Val) -> Pair:
    """Even and odd bfloat16 lanes as two vectors of f32."""
    return (value.w << 16).sf, (value.w & 0xFFFF0000).sf


def _bfloat_lanes(value: Val) -> Val:
    """64 bf16 lanes as 64 f32."""
    wide = value.h.zext(32) << 16
    return wide.as_(Type(wide.ty.lanes, "f", 32))


# -- arithmetic ----------------------------------------------------------------------------------------------
def _half(a: Val, b: Val, op: Operation) -> Val:
    return half(op(a.hf.fpext(32), b.hf.fpext(32)))


def _widen(a: Val, b: Val, op: Operation) -> Pair:
    """f16 in, f32 pair out: even lanes low, odd lanes high."""
    (a0, a1), (b0, b1) = halves_float(a), halves_float(b)
    return op(a0, b0), op(a1, b1)


def fused_half(a: Val, b: Val, x: Val) -> Val:
    """a * b + x of f16 values in f32 lanes, rounded once to f16.

    The product is exact. The sum is rounded to odd, so that the second rounding is that of the exact sum.
    """
    product = a * b
    total = product + x
    back = total - product
    error = (product - (total - back)) + (x - back)
    bits, wrong = (value.as_(value.ty.of(32)) for value in (total, error))
    away = (bits ^ wrong).icmp("slt", 0)
    odd = away.select(bits - 1, bits + 1)
    change = error.fcmp("one", 0.0) & (bits & 1).icmp("eq", 0)
    return half(change.select(odd, bits).as_(total.ty))


def _arithmetic() -> None:
    for name, op in ARITHMETIC.items():
        semantics(f"V.sf={name}(V.sf,V.sf)", lambda a, b, f=op: single(f(a.sf, b.sf)))
        semantics(f"V.hf={name}(V.hf,V.hf)", lambda a, b, f=op: _half(a, b, f))
        semantics(f"VV.sf={name}(V.hf,V.hf)", lambda a, b, f=op: tuple(map(single, _widen(a, b, f))))
        semantics(f"VV.sf={name}(V.bf,V.bf)", lambda a, b, f=op: tuple(
            single(f(x, y)) for x, y in zip(bfloats(a), bfloats(b), strict=True)))  # fmt: skip

    semantics("V.hf+=vmpy(V.hf,V.hf)", lambda x, a, b: fused_half(
        a.hf.fpext(32), b.hf.fpext(32), x.hf.fpext(32)))  # fmt: skip
    for suffix, halves in (("hf", halves_float), ("bf", bfloats)):
        semantics(f"VV.sf+=vmpy(V.{suffix},V.{suffix})", lambda x, a, b, f=halves: tuple(
            single(o.code.intrinsic("fma", p.ty, p, q, o.sf)) for p, q, o in zip(f(a), f(b), x, strict=True)
        ))  # fmt: skip
    semantics("V.sf=vdmpy(V.hf,V.hf)", lambda a, b: single(operator.add(*_widen(a, b, operator.mul))))
    semantics("V.sf+=vdmpy(V.hf,V.hf)", _accumulated_dot)
    for suffix, bits in (("sf", 32), ("hf", 16)):
        semantics(f"V.{suffix}=vabs(V.{suffix})", lambda a, n=bits: a.view(n) & ((1 << (n - 1)) - 1))
        semantics(f"V.{suffix}=vfneg(V.{suffix})", lambda a, n=bits: a.view(n) ^ (1 << (n - 1)))


def _accumulated_dot(x: Val, a: Val, b: Val) -> Val:
    low, high = _widen(a, b, operator.mul)
    if x.code.floats.disputed.dot_accumulation is DotAccumulation.SEPARATE:
        return single(x.sf + single(low + high).sf)
    return single((x.sf.fpext(F64.bits) + (low.fpext(F64.bits) + high.fpext(F64.bits))).fptrunc(32))


# -- order ---------------------------------------------------------------------------------------------------
def _compare() -> None:
    def values(value: Val, suffix: str) -> Val:
        return {"sf": lambda: value.sf, "hf": lambda: value.hf, "bf": lambda: _bfloat_lanes(value)}[suffix]()

    for suffix, bits in (("sf", 32), ("hf", 16), ("bf", 16)):
        for name, code in (("gt", "ogt"), ("eq", "oeq")):
            if suffix == "bf" and name == "eq":
                continue

            def compare(a: Val, b: Val, s: str = suffix, n: int = bits, c: str = code) -> Val:
                if a.code.floats.chip and c == "ogt":
                    return mask(above(a.view(n), b.view(n), s)).as_(VECTOR)
                return mask(values(a, s).fcmp(c, values(b, s))).as_(VECTOR)

            call = f"vcmp.{name}(V.{suffix},V.{suffix})"
            semantics(f"Q={call}", compare)
            semantics(f"Q&={call}", lambda q, a, b, f=compare: q & f(a, b))
            semantics(f"Q|={call}", lambda q, a, b, f=compare: q | f(a, b))
            semantics(f"Q^={call}", lambda q, a, b, f=compare: q ^ f(a, b))
        for name, code, number, minimum in (
            ("max", "ogt", "maximumnum", False), ("min", "olt", "minimumnum", True)
        ):  # fmt: skip
            ordered = propagating if suffix == "bf" else larger

            def choice(
                a: Val, b: Val, s: str = suffix, n: int = bits, c: str = code, f: Callable[..., Val] = ordered,
                m: bool = minimum,
            ) -> Val:  # fmt: skip
                if a.code.floats.chip:
                    return f(a.view(n), b.view(n), s, m)
                return values(a, s).fcmp(c, values(b, s)).select(a.view(n), b.view(n))

            def number_of(a: Val, b: Val, s: str = suffix, n: int = bits, i: str = number, m: bool = minimum) -> Val:
                if a.code.floats.chip:
                    return propagating(a.view(n), b.view(n), s, m)
                return values(a, s).two(i, values(b, s))

            semantics(f"V.{suffix}=v{name}(V.{suffix},V.{suffix})", choice)
            if suffix != "bf":
                semantics(f"V.{suffix}=vf{name}(V.{suffix},V.{suffix})", number_of)


_arithmetic()
_compare()
