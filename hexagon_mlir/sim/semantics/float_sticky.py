"""When scalar floating point operations set the sticky bits of USR.

A single-precision result is compared with the exact one, a double that was rounded to odd, which preserves the
comparison. Tininess is detected before rounding, as QEMU does. ``:lib`` multiplies set nothing, and the steps of a
double multiply are not modelled.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.sim.semantics.sticky import FLOAT_OVERFLOW, INEXACT, INVALID, UNDERFLOW, raised
from hexagon_mlir.sim.semantics.value import F64, I64, Val

LEAST_NORMAL = 2.0**-126
Emit = Callable[..., Val]
FIELDS = {32: (0x7F800000, 1 << 22), 64: (0x7FF << 52, 1 << 51)}
"""Width -> infinity and the bit that makes a NaN quiet."""


def exact_sum(a: Val, b: Val) -> Val:
    """a + b of two f64, rounded to odd: an inexact sum ends in a one."""
    total = a + b
    bits = total.as_(I64)
    error = sum_error(a, b, total)
    overshoot = (error.as_(I64) ^ bits).icmp("slt", 0)
    odd = overshoot.select(bits - 1, bits) | 1
    return error.fcmp("one", 0.0).select(odd, bits).as_(F64)


def sum_error(a: Val, b: Val, total: Val) -> Val:
    """The exact rounding error of ``a + b`` = ``total`` (Knuth's two-sum)."""
    shadow = total - a
    return (a - (total - shadow)) + (b - shadow)


def is_nan(value: Val) -> Val:
    """Of the bits of a number."""
    infinity, _ = FIELDS[value.ty.bits]
    return (value & ((1 << value.ty.bits - 1) - 1)).icmp("ugt", infinity)


def signaling(*operands: Val) -> Val:
    """Some operand (bits of a number) is a signaling NaN."""
    found = [is_nan(v) & (v & FIELDS[v.ty.bits][1]).icmp("eq", 0) for v in operands]
    result = found[0]
    for other in found[1:]:
        result = result | other
    return result


def _invalid(operands: tuple[Val, ...], result: Val) -> Val:
    """A signaling operand, or a NaN from numbers."""
    some = is_nan(operands[0])
    for v in operands[1:]:
        some = some | is_nan(v)
    return signaling(*operands) | (result.fcmp("uno", result) & ~some)


def rounding(exact: Val, result: Val) -> None:
    """Bits for a single-precision ``result`` of the ``exact`` f64."""
    wrong = result.fpext(64).fcmp("one", exact)
    size = exact.code.intrinsic("fabs", F64, exact)
    infinite = exact.code.intrinsic("fabs", result.ty, result).fcmp("oeq", float("inf"))
    raised(INEXACT, wrong)
    raised(FLOAT_OVERFLOW, infinite & size.fcmp("olt", float("inf")))
    raised(UNDERFLOW, wrong & size.fcmp("olt", LEAST_NORMAL))


def single(compute: Emit, exact: Emit) -> Emit:
    """``compute`` gives f32 from bits of f32; ``exact`` the same as f64 rounded to odd."""

    def emit(*operands: Val) -> Val:
        result = compute(*operands)
        if operands[0].code.sticky is not None:
            rounding(exact(*operands), result)
            raised(INVALID, _invalid(operands, result))
        return result

    return emit


def invalid_fma(x: Val, a: Val, b: Val, result: Val) -> Val:
    """For x + a * b: infinity times zero is invalid whatever x is."""
    product = a.sf * b.sf
    return _invalid((x, a, b), result) | (product.fcmp("uno", product) & ~is_nan(a) & ~is_nan(b))


def fused(compute: Emit, exact: Emit) -> Emit:
    """`single` for x + a * b."""

    def emit(x: Val, a: Val, b: Val) -> Val:
        result = compute(x, a, b)
        if x.code.sticky is not None:
            rounding(exact(x, a, b), result)
            raised(INVALID, invalid_fma(x, a, b, result))
        return result

    return emit


def double_sum(compute: Emit, sign: float) -> Emit:
    """a + sign * b of f64; what is tiny is exact."""

    def emit(a: Val, b: Val) -> Val:
        result = compute(a, b)
        if a.code.sticky is not None:
            infinite = a.code.intrinsic("fabs", F64, result).fcmp("oeq", float("inf"))
            limits = FIELDS[64][0]
            finite = (a & limits).icmp("ne", limits) & (b & limits).icmp("ne", limits)
            error = sum_error(a.df, b.df * sign, result)
            raised(INEXACT, (error.fcmp("one", 0.0) & ~infinite) | (infinite & finite))
            raised(FLOAT_OVERFLOW, infinite & finite)
            raised(INVALID, _invalid((a, b), result))
        return result

    return emit


def quiet(compute: Emit) -> Emit:
    """Compares, extremes and widening: only a signaling NaN counts."""

    def emit(*operands: Val) -> Val:
        if operands[0].code.sticky is not None:
            raised(INVALID, signaling(*operands))
        return compute(*operands)

    return emit


def from_integer(width: int, signed: bool) -> Emit:
    """The number of ``width`` nearest to an integer; sets inexact where it differs."""

    def emit(value: Val) -> Val:
        result = value.sitofp(width) if signed else value.uitofp(width)
        if value.code.sticky is not None:
            top = 2.0 ** (value.ty.bits - signed)  # no integer of the type: saturation would hide it
            kind = "s" if signed else "u"
            name = f"llvm.fpto{kind}i.sat.{value.ty.mangle()}.{result.ty.mangle()}"
            back = value.code.call(name, value.ty, result)
            raised(INEXACT, back.icmp("ne", value) | result.fcmp("oge", top))
        return result

    return emit


def to_integer(value: Val, rounded: Val, bits: int, signed: bool) -> None:
    """A number that does not fit is invalid (unsigned: one with a sign, even -0), another one may lose its fraction."""
    low, high = (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if signed else (0.0, 2.0**bits)
    fits = rounded.fcmp("oge", low) & rounded.fcmp("olt", high)
    if not signed:
        fits = fits & value.as_(value.ty.of(value.ty.bits)).icmp("sge", 0)
    raised(INVALID, ~fits)
    raised(INEXACT, fits & rounded.fcmp("one", value))
