"""Scalar floating point forms (32-bit ``sf``, 64-bit ``df``), IEEE round to nearest even.

Division is a sequence of ``sfrecipa``, ``sffixupn/d``, ``:lib`` and ``:scale`` multiply-adds (V73 PRM
80-N2040-53, XTYPE/FP). The compiler splits a double multiply into four steps, of which ``dfmpyhh`` computes the whole
product here.
"""

from __future__ import annotations

import math

from hexagon_mlir.sim.semantics.float_sticky import (
    double_sum,
    exact_sum,
    from_integer,
    fused,
    invalid_fma,
    quiet,
    rounding,
    signaling,
    single,
    to_integer,
)
from hexagon_mlir.sim.semantics.packed import table
from hexagon_mlir.sim.semantics.registry import semantics
from hexagon_mlir.sim.semantics.scalar import predicate
from hexagon_mlir.sim.semantics.sticky import DIVIDED_BY_ZERO, INVALID, raised
from hexagon_mlir.sim.semantics.value import F64, I32, Type, Val

INF, SIGN, ONE, QNAN = 0x7F800000, 0x80000000, 0x3F800000, 0xFFFFFFFF
MANTISSA_BITS, BIAS, MAX_EXPONENT = 23, 127, 254


def _fma(a: Val, b: Val, c: Val) -> Val:
    return a.code.intrinsic("fma", a.ty, a, b, c)


def _magnitude(bits: Val) -> Val:
    return bits & 0x7FFFFFFF


def _is_nan(bits: Val) -> Val:
    return _magnitude(bits).icmp("ugt", INF)


def _is_inf(bits: Val) -> Val:
    return _magnitude(bits).icmp("eq", INF)


def _is_zero(bits: Val) -> Val:
    return _magnitude(bits).icmp("eq", 0)


def _library_fma(x: Val, a: Val, b: Val, subtract: bool) -> Val:
    """``:lib``: infinity minus infinity is 0, and finite inputs never overflow to infinity."""
    left = -a.sf if subtract else a.sf
    raw = _fma(left, b.sf, x.sf).as_(I32)
    inputs_infinite = _is_inf(x) | _is_inf(a) | _is_inf(b)
    product_infinite = (_is_inf(a) & ~_is_zero(b) & ~_is_nan(b)) | (_is_inf(b) & ~_is_zero(a) & ~_is_nan(a))
    sign = left.as_(I32) ^ b ^ x
    cancels = _is_inf(x) & product_infinite & sign.icmp("slt", 0)
    clamped = (_is_inf(raw) & ~inputs_infinite).select(raw - 1, raw)
    return cancels.select(0, clamped)


def _exact_fma(x: Val, a: Val, b: Val) -> Val:
    """x + a*b of f32 as an f64 rounded to odd."""
    return exact_sum(a.sf.fpext(64) * b.sf.fpext(64), x.sf.fpext(64))


def _scaled_fma(x: Val, a: Val, b: Val, p: Val) -> Val:
    """x + a*b, times 2**p (p signed), rounded once."""
    power = ((p.sext(64) + 1023) << 52).as_(F64)
    exact = _exact_fma(x, a, b) * power
    result = exact.fptrunc(32)
    if x.code.sticky is not None:
        rounding(exact, result)
        raised(INVALID, invalid_fma(x, a, b, result))
    return result.as_(I32)


def _scale(bits: Val, exponent: Val) -> Val:
    """bits (f32) times 2**exponent, exact in f64 and rounded once."""
    power = ((exponent.sext(64) + 1023) << 52).as_(F64)
    return (bits.sf.fpext(64) * power).fptrunc(32).as_(I32)


def _reciprocal_common(n: Val, d: Val) -> tuple[Val, Val, Val, Val, Val]:
    """Adjusted numerator, denominator, seed for the special cases, predicate, and 'ordinary' (i1)."""
    sign = (n ^ d) & SIGN
    nan = _is_nan(n) | _is_nan(d) | (_is_inf(n) & _is_inf(d)) | (_is_zero(n) & _is_zero(d))
    gives_inf = _is_zero(d) | _is_inf(n)
    gives_zero = _is_inf(d) | _is_zero(n)
    special = nan | gives_inf | gives_zero
    if n.code.sticky is not None:
        raised(INVALID, signaling(n, d) | (nan & ~_is_nan(n) & ~_is_nan(d)))
        raised(DIVIDED_BY_ZERO, _is_zero(d) & ~nan & ~_is_inf(n))
    special_n = nan.select(QNAN, gives_inf.select(sign | INF, sign))
    special_d = nan.select(n.lift(QNAN), n.lift(ONE))
    exp_n = n.lshr(MANTISSA_BITS) & 255
    exp_d = d.lshr(MANTISSA_BITS) & 255
    quotient = exp_n - exp_d + BIAS
    near_underflow = quotient.icmp("sle", MANTISSA_BITS)
    near_overflow = quotient.icmp("sgt", MAX_EXPONENT - 24)
    small_n = exp_n.icmp("sle", MANTISSA_BITS + 2)
    denormal_d = exp_d.icmp("sle", 1)
    large_d = exp_d.icmp("sgt", 252)
    zero = n.lift(0)
    other = small_n.select(zero + 64, denormal_d.select(zero + 32, large_d.select(zero - 32, zero)))
    scale_n = near_underflow.select(zero + 64, near_overflow.select(zero - 32, other))
    scale_d = near_underflow.select(zero - 64, near_overflow.select(zero + 32, other))
    byte = Val(n.code, "0", Type(1, "i", 8))
    p = near_underflow.select(byte + 0x80, near_overflow.select(byte + 0x40, byte + 0))
    p = special.select(0, p)
    return (
        special.select(special_n, _scale(n, scale_n)),
        special.select(special_d, _scale(d, scale_d)),
        special_d,
        p,
        ~special,
    )


SEED_BITS, SEED_SHIFT = 7, 15
"""The seeds come from tables of 128 entries with 8 fraction bits."""
RECIPROCAL = bytes(
    {112: 0x11, 127: 0}.get(i, round((2 / (1 + (i + 0.5) / 128) - 1) * 256)) for i in range(1 << SEED_BITS)
)
"""1/x in the middle of each interval; the chip differs from rounding in two entries (checked with QEMU)."""
INVERSE_ROOT = bytes(
    round((2 / math.sqrt((1 + (i % 64 + 0.5) / 64) * (2 if i < 64 else 1)) - 1) * 256) for i in range(1 << SEED_BITS)
)
"""1/sqrt(x); the upper index bit is the lowest exponent bit."""


def _exponent(bits: Val) -> Val:
    return bits.lshr(MANTISSA_BITS) & 255


def _recipa(n: Val, d: Val) -> tuple[Val, Val]:
    _, divisor, special, p, ordinary = _reciprocal_common(n, d)
    mantissa = (table("reciprocal", RECIPROCAL, divisor.lshr(16)) << SEED_SHIFT) | 1
    exponent = -_exponent(divisor) + (2 * BIAS - 1)
    seed = (divisor & SIGN) | ((exponent & 255) << MANTISSA_BITS) | mantissa
    return ordinary.select(seed, special), p


def _root_common(x: Val) -> tuple[Val, Val, Val, Val]:
    """Adjusted operand, result of the special cases, predicate, and 'ordinary' (i1)."""
    bad = _is_nan(x) | (x.icmp("slt", 0) & ~_is_zero(x))
    infinite, zero = _is_inf(x) & ~bad, _is_zero(x)
    if x.code.sticky is not None:
        raised(INVALID, signaling(x) | (bad & ~_is_nan(x)))
    small = _exponent(x).icmp("sle", MANTISSA_BITS + 1)
    ordinary = ~(bad | infinite | zero)
    scaled = small.select(_scale(x, x.lift(64)), x)
    adjusted = bad.select(QNAN, infinite.select(SIGN | INF, zero.select(x, scaled)))
    special = bad.select(x.lift(QNAN), infinite.select(x.lift(SIGN | INF), ONE))
    byte = Val(x.code, "0", Type(1, "i", 8))
    p = (ordinary & small).select(byte + 0xE0, byte + 0)
    return adjusted, special, p, ordinary


def _invsqrta(x: Val) -> tuple[Val, Val]:
    operand, special, p, ordinary = _root_common(x)
    mantissa = table("inverse_root", INVERSE_ROOT, operand.lshr(17)) << SEED_SHIFT
    exponent = -((_exponent(operand) - BIAS) >> 1) + (BIAS - 1)
    seed = (operand & SIGN) | ((exponent & 255) << MANTISSA_BITS) | mantissa
    return ordinary.select(seed, special), p


def _df_class(bits: Val, mask: int) -> Val:
    """The classes of `_sf_class` for 64 bits."""
    magnitude = bits & ((1 << 63) - 1)
    least, infinity = 1 << 52, 0x7FF << 52
    tests = (
        magnitude.icmp("eq", 0),
        magnitude.icmp("uge", least) & magnitude.icmp("ult", infinity),
        magnitude.icmp("ne", 0) & magnitude.icmp("ult", least),
        magnitude.icmp("eq", infinity),
        magnitude.icmp("ugt", infinity),
    )
    result = tests[0].lift(0)
    for bit, test in enumerate(tests):
        if mask >> bit & 1:
            result = result | test
    return predicate(result)


def _sf_class(bits: Val, mask: int) -> Val:
    """Bit 0 zero, 1 normal, 2 subnormal, 3 infinite, 4 NaN."""
    magnitude = _magnitude(bits)
    tests = (
        magnitude.icmp("eq", 0),
        magnitude.icmp("uge", 0x00800000) & magnitude.icmp("ult", INF),
        magnitude.icmp("ne", 0) & magnitude.icmp("ult", 0x00800000),
        magnitude.icmp("eq", INF),
        magnitude.icmp("ugt", INF),
    )
    result = tests[0].lift(0)
    for bit, test in enumerate(tests):
        if mask >> bit & 1:
            result = result | test
    return predicate(result)


def _to_integer(value: Val, bits: int, signed: bool, chop: bool) -> Val:
    """Saturating conversion; NaN gives all ones."""
    rounded = value.one("trunc") if chop else value.one("rint")
    result = Type(1, "i", bits)
    name = f"llvm.fpto{'s' if signed else 'u'}i.sat.i{bits}.{value.ty.mangle()}"
    if value.code.sticky is not None:
        to_integer(value, rounded, bits, signed)
    converted = value.code.call(name, result, rounded)
    return value.fcmp("uno", value).select(-1, converted)


def _single() -> None:
    semantics("R=sfadd(R,R)", single(
        lambda a, b: a.sf + b.sf, lambda a, b: exact_sum(a.sf.fpext(64), b.sf.fpext(64))))  # fmt: skip
    semantics("R=sfsub(R,R)", single(
        lambda a, b: a.sf - b.sf, lambda a, b: exact_sum(a.sf.fpext(64), -b.sf.fpext(64))))  # fmt: skip
    semantics("R=sfmpy(R,R)", single(lambda a, b: a.sf * b.sf, lambda a, b: a.sf.fpext(64) * b.sf.fpext(64)))
    semantics("R=sfmax(R,R)", quiet(lambda a, b: a.sf.two("maximumnum", b.sf)))
    semantics("R=sfmin(R,R)", quiet(lambda a, b: a.sf.two("minimumnum", b.sf)))
    semantics("R+=sfmpy(R,R)", fused(lambda x, a, b: _fma(a.sf, b.sf, x.sf), _exact_fma))
    semantics("R-=sfmpy(R,R)", fused(
        lambda x, a, b: _fma(-a.sf, b.sf, x.sf), lambda x, a, b: _exact_fma(x, a ^ SIGN, b)))  # fmt: skip
    semantics("R+=sfmpy(R,R):lib", lambda x, a, b: _library_fma(x, a, b, False))
    semantics("R-=sfmpy(R,R):lib", lambda x, a, b: _library_fma(x, a, b, True))
    semantics("R+=sfmpy(R,R,P):scale", _scaled_fma)
    semantics("R,P=sfrecipa(R,R)", _recipa)
    semantics("R=sffixupn(R,R)", lambda n, d: _reciprocal_common(n, d)[0])
    semantics("R=sffixupd(R,R)", lambda n, d: _reciprocal_common(n, d)[1])
    semantics("R=sffixupr(R)", lambda x: _root_common(x)[0])
    semantics("R,P=sfinvsqrta(R)", _invsqrta)
    semantics("P=sfclass(R,I)", _sf_class)
    for name, sign in (("pos", 0), ("neg", 1)):
        semantics(f"R=sfmake(I):{name}", lambda n, s=sign: (BIAS - 6 << 23) + (n << 17) | s << 31)
        semantics(f"RR=dfmake(I):{name}", lambda n, s=sign: (1023 - 6 << 52) + (n << 46) | s << 63)


def _double() -> None:
    semantics("RR=dfadd(RR,RR)", double_sum(lambda a, b: a.df + b.df, 1.0))
    semantics("RR=dfsub(RR,RR)", double_sum(lambda a, b: a.df - b.df, -1.0))
    semantics("RR=dfmax(RR,RR)", quiet(lambda a, b: a.df.two("maximumnum", b.df)))
    semantics("RR=dfmin(RR,RR)", quiet(lambda a, b: a.df.two("minimumnum", b.df)))
    semantics("P=dfclass(RR,I)", _df_class)
    semantics("RR=dfmpyfix(RR,RR)", lambda a, b: a)
    semantics("RR=dfmpyll(RR,RR)", lambda a, b: a)
    semantics("RR+=dfmpylh(RR,RR)", lambda x, a, b: x)
    semantics("RR+=dfmpyhh(RR,RR)", lambda x, a, b: a.df * b.df)


def _compares() -> None:
    names = {"eq": "oeq", "gt": "ogt", "ge": "oge", "uo": "uno"}
    for name, code in names.items():
        semantics(f"P=sfcmp.{name}(R,R)", quiet(lambda a, b, c=code: predicate(a.sf.fcmp(c, b.sf))))
        semantics(f"P=dfcmp.{name}(RR,RR)", quiet(lambda a, b, c=code: predicate(a.df.fcmp(c, b.df))))


def _conversions() -> None:
    integers = {"w": (32, True), "uw": (32, False), "d": (64, True), "ud": (64, False)}
    floats = {"sf": (32, "R"), "df": (64, "RR")}
    for integer, (bits, signed) in integers.items():
        register = "R" if bits == 32 else "RR"
        for name, (width, float_register) in floats.items():
            semantics(f"{float_register}=convert_{integer}2{name}({register})", from_integer(width, signed))
            for chop in (True, False):
                semantics(
                    f"{register}=convert_{name}2{integer}({float_register})" + (":chop" if chop else ""),
                    lambda a, n=bits, s=signed, c=chop, w=width: _to_integer(a.view(w, "f"), n, s, c),
                )
    semantics("RR=convert_sf2df(R)", quiet(lambda a: a.sf.fpext(64)))
    semantics("R=convert_df2sf(RR)", single(lambda a: a.df.fptrunc(32), lambda a: a.df))


_single()
_double()
_compares()
_conversions()

