"""HVX sums and products with qf32 and qf16 operands."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from hexagon_mlir.sim.semantics import qfloat_extended as extended
from hexagon_mlir.sim.semantics import qfloat_legacy as legacy
from hexagon_mlir.sim.semantics.lanes import Pair, even, halves_float, odd, splat_word
from hexagon_mlir.sim.semantics.qfloat_forms import FORMATS, Emit, by_lanes, entered, kind, numbers, on_numbers
from hexagon_mlir.sim.semantics.routines import Body
from hexagon_mlir.sim.semantics.value import F32, Val

Operation = Callable[[Val, Val], Val]
ARITHMETIC: dict[str, Operation] = {"vadd": operator.add, "vsub": operator.sub, "vmpy": operator.mul}


# -- sums and products ---------------------------------------------------------------------------------------
def _legacy_sum(left: str, right: str, f: legacy.Format, minus: bool) -> Body:
    def compute(a: Val, b: Val) -> Val:
        if minus:
            b = legacy.negated(b, f, right)
        if left == right == "ieee":
            return legacy.add_ieee(legacy.ieee(a, f), legacy.ieee(b, f), f)
        second = legacy.qfloat(b, f) if right == "qf" else legacy.ieee(b, f).number()
        return legacy.add(legacy.qfloat(a, f), second, f)

    return by_lanes(f is legacy.SINGLE, compute)


def _legacy_product(left: str, right: str, f: legacy.Format, wide: bool = False) -> Operation:
    """The signs of IEEE factors are applied to the result."""
    result = legacy.SINGLE if wide else f

    def factor(word: Val, kind: str) -> tuple[legacy.Number, Val | None]:
        if kind == "qf":
            return legacy.qfloat(word, f), None
        number = legacy.ieee(word, f)
        return number.magnitude, number.sign

    def compute(a: Val, b: Val) -> Val:
        (first, s), (second, t) = factor(a, left), factor(b, right)
        word = legacy.multiply_widening(first, second) if wide else legacy.multiply(first, second, f)
        sign = t if s is None or t is None else s ^ t
        return word if sign is None else legacy.complement(word, sign, result)

    return compute


def _sum(f: extended.Format, minus: bool) -> Callable[..., extended.Words]:
    return lambda a, b: extended.add(a, extended.complement(b) if minus else b, f)


def _product(f: extended.Format) -> Callable[..., extended.Words]:
    return lambda a, b: extended.multiply(a, b, f, f)


def _legacy_products(kinds: tuple[str, str]) -> Body:
    compute = _legacy_product(*kinds, legacy.HALF, wide=True)
    return lambda a, b: tuple(compute(part(a, 16, True), part(b, 16, True)) for part in (even, odd))


def _products(kinds: tuple[str, str]) -> Body:
    def body(*words: Val) -> tuple[Val, ...]:
        f = extended.HALF
        low, high = (numbers(words, kinds, f, part) for part in (0, 1))
        return *extended.multiply(low[0], low[1], f, extended.SINGLE), *extended.multiply(
            high[0], high[1], f, extended.SINGLE)  # fmt: skip

    return body


def _half(a: Val, b: Val, op: Operation) -> Val:
    return op(a.hf.fpext(32), b.hf.fpext(32)).fptrunc(16)


def _widen(a: Val, b: Val) -> Pair:
    (a0, a1), (b0, b1) = halves_float(a), halves_float(b)
    return a0 * b0, a1 * b1


def _arithmetic() -> None:
    for name, op in ARITHMETIC.items():
        for register, suffix, f, g in FORMATS:
            for left, right in ((register, register), (suffix, suffix), (register, suffix), (suffix, register)):
                if left == suffix != right and name != "vsub":
                    continue
                if left == register != right and name == "vmpy" and register == "qf32":
                    continue
                _operation(name, op, register, (left, right), f, g)


def _operation(
    name: str, op: Operation, register: str, suffixes: tuple[str, str], f: legacy.Format, g: extended.Format
) -> None:
    kinds, wide = (kind(suffixes[0]), kind(suffixes[1])), f is legacy.SINGLE
    operands = f"(V.{suffixes[0]},V.{suffixes[1]})"
    function = f"{name}_{suffixes[0]}_{suffixes[1]}"
    plain = (lambda a, b: op(a.sf, b.sf)) if wide else (lambda a, b: _half(a, b, op))
    old: Body | None = _legacy_sum(*kinds, f, name == "vsub")
    new = on_numbers(kinds, g, _sum(g, name == "vsub"))
    if kinds == ("ieee", "qf"):
        old = None  # from v81
    if name == "vmpy":
        old, new = by_lanes(wide, _legacy_product(*kinds, f)), on_numbers(kinds, g, _product(g))
        if not wide:
            entered(f"VV.qf32=vmpy{operands}", _widen, f"{function}_wide", _legacy_products(kinds),
                    _products(kinds))  # fmt: skip
    entered(f"V.{register}={name}{operands}", plain, function, old, new)


def _scalar_factors() -> None:
    """A factor in a scalar register, of v79; 16-bit lanes take its low and its high half in turn."""

    def halves(call: Emit, a: Any, r: Val) -> Any:
        return call(a, splat_word(r))

    for source in ("hf", "qf16"):
        kinds = (kind(source), "ieee")
        entered(f"V.qf16=vmpy(V.{source},R.hf)", lambda a, b: _half(a, b, operator.mul), f"vmpy_{source}_r",
                None, on_numbers(kinds, extended.HALF, _product(extended.HALF)), halves)  # fmt: skip
    entered("V.qf32=vmpy(V.sf,R.sf)", lambda a, b: a.sf * b.sf, "vmpy_sf_r", None,
            on_numbers(("ieee", "ieee"), extended.SINGLE, _product(extended.SINGLE)),
            lambda call, a, r: call(a, r.as_(F32).splat(32).w))  # fmt: skip


_arithmetic()
_scalar_factors()
