"""Fits the coefficients of passes/math_library: near-minimax polynomials with f32 coefficients.

Usage: python scripts/fit_polynomials.py > passes/math_library/coefficients.py

Method: least squares in extended precision, reweighted (Lawson) until the error is level. Coefficients are
then rounded to f32 one by one from the lowest degree, the rest being refitted each time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LD = np.longdouble
Array = np.ndarray


def solve(rows: Array, target: Array) -> Array:
    """Least squares by Householder QR in extended precision (numpy's own solver is double only)."""
    a = np.concatenate([rows, target[:, None]], axis=1).astype(LD)
    n = rows.shape[1]
    for k in range(n):
        v = a[k:, k].copy()
        v[0] += np.copysign(np.sqrt(np.sum(v * v)), v[0])
        norm = np.sum(v * v)
        if norm > 0:
            a[k:, k:] -= (2 / norm) * np.outer(v, v @ a[k:, k:])
    x = np.zeros(n, LD)
    for k in reversed(range(n)):
        x[k] = (a[k, n] - a[k, k + 1:n] @ x[k + 1:]) / a[k, k]
    return x


def lawson(basis: Array, f: Array, fixed: Array, scale: Array, rounds: int = 60) -> Array:
    """Coefficients c that level ``(basis @ c + fixed - f) / scale``."""
    weight = np.ones(len(f), LD)
    best, best_error = None, np.inf
    for _ in range(rounds):
        s = np.sqrt(weight) / scale
        c = solve(basis * s[:, None], (f - fixed) * s)
        error = np.abs((basis @ c + fixed - f) / scale)
        if error.max() < best_error:
            best, best_error = c, error.max()
        weight *= error / error.max() + LD(1e-3)
        weight /= weight.max()
    assert best is not None
    return best


def round_in_turn(fit: Callable[[dict[int, LD]], Array], count: int, wide: bool, fraction_bits: int,
                  integers: int) -> Array:
    """Round coefficient 0 to f32 (``wide``: to two; or to ``fraction_bits``), refit the rest, round the next, ...

    Only the first ``integers`` have fraction bits.
    """
    unit = LD(2) ** fraction_bits
    done: dict[int, LD] = {}
    c = fit(done)
    for k in range(count):
        done[k] = np.rint(c[k] * unit) / unit if fraction_bits and k < integers else LD(np.float32(c[k]))
        if wide and k == 0:
            done[k] += LD(np.float32(c[k] - done[k]))
        if k + 1 < count:
            c = fit(done)
    return np.array([done[k] for k in range(count)], LD)


@dataclass(frozen=True)
class Polynomial:
    """f(x) ~ fixed(x) + factor(x) * (c0 + c1 v + c2 v^2 ...), v = variable(x), on [low, high]."""

    f: Callable[[Array], Array]
    low: float
    high: float
    degree: int
    variable: Callable[[Array], Array] = lambda x: x
    fixed: Callable[[Array], Array] = lambda x: 0 * x
    factor: Callable[[Array], Array] = lambda x: 0 * x + 1
    scale: Callable[[Array], Array] | None = None
    wide: bool = False
    """The lowest coefficient is the sum of two f32; the second is a table of its own."""
    fraction_bits: int = 0
    """Coefficients are integers, in units of this many fraction bits; 0: they are f32."""
    integers: int = 99
    """How many of them; the others are f32, in a table of their own."""

    def fit(self) -> tuple[Array, float]:
        """The coefficients and the largest relative error in units of 2^-24."""
        t = np.cos(np.pi * (np.arange(1200, dtype=LD) + LD(0.5)) / 1200)
        x = (LD(self.high) + LD(self.low)) / 2 + (LD(self.high) - LD(self.low)) / 2 * t
        f, v = self.f(x), self.variable(x)
        scale = np.abs(f if self.scale is None else self.scale(x))
        basis = self.factor(x)[:, None] * v[:, None] ** np.arange(self.degree + 1)

        def refit(done: dict[int, LD]) -> Array:
            known = list(done)
            fixed = self.fixed(x) + basis[:, known] @ np.array([done[k] for k in known], LD)
            rest = lawson(basis[:, len(known):], f, fixed, scale)
            return np.concatenate([np.array([done[k] for k in known], LD), rest])

        c = round_in_turn(refit, self.degree + 1, self.wide, self.fraction_bits, self.integers)
        error = np.abs((basis @ c + self.fixed(x) - f) / scale).max()
        return c, float(error * 2**24)


def erf(x: Array) -> Array:
    """erf in extended precision by its Taylor series, for |x| < 2."""
    total, term = x.copy(), x.copy()
    for n in range(1, 80):
        term = -term * x * x / n
        total += term / (2 * n + 1)
    return total * 2 / np.sqrt(LD(np.pi))


def log2_erfc(x: Array) -> Array:
    """log2(1 - erf(x)) in extended precision by the continued fraction, for x > 0.8."""
    tail = np.zeros_like(x)
    for k in range(4000, 0, -1):
        tail = (LD(k) / 2) / (x + tail)
    return (-x * x - np.log(x + tail) - np.log(np.pi * LD(1)) / 2) / LN2


def erf_logit(x: Array) -> Array:
    """2 atanh(erf(x)) in extended precision, for 0 < x."""
    near, far = np.minimum(x, LD(1.5)), np.maximum(x, LD(1.0))
    below = np.log1p(erf(near)) - np.log1p(-erf(near))
    beyond = np.log(2 - 2**log2_erfc(far)) - log2_erfc(far) * LN2
    return np.where(x < 1.2, below, beyond)


def half_tolerance(x: Array) -> Array:
    """What an error of `erf_logit` is relative to: 1, more where x erfc(x), as GELU's result, is no normal f16."""
    result = x / np.sqrt(LD(2)) * 2**log2_erfc(np.maximum(x, LD(0.5)))
    return np.maximum(1, LD(2)**-13 / result)


def binade(x: Array) -> Array:
    """The power of two at or below x: an error relative to it is an error in ulp."""
    return LD(2) ** np.floor(np.log2(x))


LN2 = np.log(LD(2))
HALF_LN2 = float(LN2 / 2) * 1.001


def square(x: Array) -> Array:
    """The variable of odd and even functions."""
    return x * x


def odd(f: Callable[[Array], Array], high: float, degree: int) -> Polynomial:
    """f(x) ~ x + x^3 P(x^2), |x| <= high."""
    return Polynomial(f, 1e-4, high, degree, square, lambda x: x, lambda x: x**3)


def correction(f: Callable[[Array], Array], line: Callable[[Array], Array], degree: int, scale: int = 1) -> Polynomial:
    """f(x) ~ line(x) + x (1 - x) P(x) / scale, equal at both ends of [0, 1], in 16-bit fractions."""
    return Polynomial(f, 0.0, 1.0, degree, fixed=line, factor=lambda x: x * (1 - x) / scale, fraction_bits=15)


def acosh_ratio(t: Array) -> Array:
    """acosh(1 + t) / sqrt(2 t)."""
    return np.log1p(t + np.sqrt(t * (t + 2))) / np.sqrt(2 * t)


def scaled_erfc(t: Array) -> Array:
    """(1 + 2 x) e^(x^2) erfc(x) with x = 4 (1 + t) / (1 - t), by Lentz's fraction or the complement of erf."""
    x = 4 * (1 + t) / (1 - t)
    near = np.exp(np.minimum(x, 3) ** 2) * (1 - erf(np.minimum(x, 1.5)))
    fraction = np.zeros_like(x)
    far = np.maximum(x, LD(0.3))
    for k in range(6000, 0, -1):
        fraction = (LD(k) / 2) / (far + fraction)
    return (1 + 2 * x) * np.where(x < 0.75, near, 1 / ((far + fraction) * np.sqrt(np.pi * LD(1))))


MIDDLE = LD(2**22 -81 + 0.2) / 2**23
"""Near 1/2 and 0.2 units of 2^-23 from a whole number of them; its power of 2 is nearly an f32."""
MIDDLE_POWER = LD(np.float32(LD(2) ** MIDDLE))
FITS: dict[str, tuple[str, Polynomial]] = {
    "EXP": ("e^r ~ 1 + r P(r), |r| <= ln(2)/2", Polynomial(
        np.exp, -HALF_LN2, HALF_LN2, 5, fixed=lambda r: 0 * r + 1, factor=lambda r: r,
        scale=lambda r: binade(np.exp(r)))),
    "EXP2": ("2^r ~ 1 + r P(r), |r| <= 1/2", Polynomial(
        np.exp2, -0.5005, 0.5005, 5, fixed=lambda r: 0 * r + 1, factor=lambda r: r,
        scale=lambda r: binade(np.exp2(r)))),
    "EXP2_CENTRED": ("2^(s + MIDDLE) ~ MIDDLE_POWER + s P(s), |s| <= 1/2", Polynomial(
        lambda s: np.exp2(s + MIDDLE), -0.50001, 0.50001, 5, fixed=lambda s: 0 * s + MIDDLE_POWER, factor=lambda s: s,
        scale=lambda s: 0 * s + 1)),
    "EXP2_FAST": ("2^(m - 1) ~ P(m), 1 <= m <= 2", Polynomial(lambda m: np.exp2(m - 1), 1.0, 2.0, 5)),
    "EXP2_CORRECTION": ("2^f ~ 1 + f + f (1 - f) P(f) / 2, 0 <= f <= 1, in units of 2^-15", correction(
        np.exp2, lambda f: 1 + f, 2, scale=2)),
    "RECIPROCAL_CORRECTION": ("2 / (1 + f) ~ 2 - f + f (1 - f) P(f), 0 <= f <= 1, in units of 2^-15", correction(
        lambda f: 2 / (1 + f), lambda f: 2 - f, 3)),
    "EXPM1": ("e^r - 1 ~ r + r^2 P(r), |r| <= ln(2)/2", Polynomial(
        np.expm1, -HALF_LN2, HALF_LN2, 4, fixed=lambda r: r, factor=lambda r: r * r)),
    "EXPM1_WIDE": ("e^r - 1 ~ r + r^2 P(r), |r| <= 1/2", Polynomial(
        np.expm1, -0.5, 0.5, 5, fixed=lambda r: r, factor=lambda r: r * r)),
    "EXPM1_SHORT": ("e^r - 1 ~ r + r^2 P(r), |r| <= 0.35", Polynomial(
        np.expm1, -0.35, 0.35, 2, fixed=lambda r: r, factor=lambda r: r * r)),
    "EXP2_SHORT": ("2^r ~ 1 + r P(r), |r| <= 1/2", Polynomial(
        np.exp2, -0.5005, 0.5005, 4, fixed=lambda r: 0 * r + 1, factor=lambda r: r)),
    "LOG": ("log(1 + f) ~ f - f^2/2 + f^3 P(f), 1 + f in [sqrt(1/2), sqrt(2)]", Polynomial(
        np.log1p, -0.2930, 0.4143, 6, fixed=lambda f: f - f * f / 2, factor=lambda f: f**3)),
    "LOG_FAST": ("log(1 + f) ~ f P(f), 1 + f in [sqrt(1/2), sqrt(2)]", Polynomial(
        np.log1p, -0.2930, 0.4143, 7, factor=lambda f: f)),
    "LOG_HALF": ("log(1 + f) ~ f P(f), 1 + f in [sqrt(1/2), sqrt(2)]", Polynomial(
        np.log1p, -0.2930, 0.4143, 4, factor=lambda f: f)),
    "LOG2_RATIO": ("log2(1 + g) ~ g P(g), 1 + g in [sqrt(1/2), sqrt(2)], the first in units of 2^-30", Polynomial(
        lambda g: np.log1p(g) / LN2, -0.2930, 0.4143, 12, factor=lambda g: g, fraction_bits=30, integers=5)),
    "SOFTPLUS": ("log(1 + t) ~ t + t^2 P(t), 0 <= t <= 1", Polynomial(
        np.log1p, 1e-5, 1.0, 8, fixed=lambda t: t, factor=square)),
    "SOFTPLUS_SHORT": ("log(1 + t) ~ t P(t), 0 <= t <= 1", Polynomial(
        np.log1p, 1e-6, 1.0, 6, factor=lambda t: t)),
    "SIN": ("sin(r) ~ r + r^3 P(r^2), |r| <= pi/4", odd(np.sin, 0.7860, 2)),
    "SIN_SHORT": ("sin(r) ~ r + r^3 P(r^2), |r| <= pi/4", odd(np.sin, 0.7860, 1)),
    "COS": ("cos(r) ~ 1 - r^2/2 + r^4 P(r^2), |r| <= pi/4", Polynomial(
        np.cos, 1e-4, 0.7860, 2, square, lambda r: 1 - r * r / 2, lambda r: r**4)),
    "COS_SHORT": ("cos(r) ~ 1 + r^2 P(r^2), |r| <= pi/4", Polynomial(
        np.cos, 1e-4, 0.7860, 2, square, lambda r: 0 * r + 1, square)),
    "TAN": ("tan(r) ~ r + r^3 P(r^2), |r| <= pi/4", odd(np.tan, 0.7860, 5)),
    "ASIN": ("asin(x) ~ x + x^3 P(x^2), |x| <= 1/2", odd(np.arcsin, 0.5, 4)),
    "ATAN": ("atan(x) ~ x + x^3 P(x^2), |x| <= 0.6", odd(np.arctan, 0.6001, 5)),
    "TANH_SHORT": ("tanh(x) ~ x + x^3 P(x^2), |x| <= 0.35", odd(np.tanh, 0.35, 1)),
    "TANH": ("tanh(x) ~ x + x^3 P(x^2), |x| <= 0.6", odd(np.tanh, 0.6, 4)),
    "SINH": ("sinh(x) ~ x + x^3 P(x^2), |x| <= 1", odd(np.sinh, 1.0, 2)),
    "ASINH": ("asinh(x) ~ x + x^3 P(x^2), |x| <= 1/2", odd(np.arcsinh, 0.5, 3)),
    "ATANH_NARROW": ("atanh(s) ~ s + s^3 P(s^2), |s| <= 0.1015", odd(np.arctanh, 0.1015, 2)),
    "ATANH": ("atanh(x) ~ x + x^3 P(x^2), |x| <= 1/2", odd(np.arctanh, 0.5, 4)),
    "ACOSH": ("acosh(1 + t) ~ sqrt(2 t) (1 + t P(t)), 0 < t <= 1", Polynomial(
        acosh_ratio, 1e-5, 1.0, 5, fixed=lambda t: 0 * t + 1, factor=lambda t: t)),
    "ERF_SMALL": ("erf(x) ~ x + x P(x^2), x <= 0.93", Polynomial(
        erf, 1e-4, 0.93, 5, square, lambda x: x, lambda x: x)),
    "ERF_LARGE": ("log2(1 - erf(x)) ~ x P(x), 0.92 <= x <= 4; error in erf", Polynomial(
        log2_erfc, 0.92, 4.0, 5, factor=lambda x: x, scale=lambda x: 1 / (2**log2_erfc(x) * LN2))),
    "ERF_LOGIT": ("2 atanh(erf(x)) ~ x P(x^2), x <= 4; absolute error, as seen in GELU of f16", Polynomial(
        erf_logit, 1e-3, 4.0, 6, square, factor=lambda x: x, scale=half_tolerance)),
    "ERFC": ("(1 + 2 x) e^(x^2) erfc(x) ~ P(t), t = (x - 4) / (x + 4), 0 <= x <= 10.2", Polynomial(
        scaled_erfc, -1.0, 0.4367, 10, wide=True)),
}
HEADER = """\
\"\"\"Coefficients, lowest degree first, exact as f32 or in 2^-15. Written by scripts/fit_polynomials.py; do not edit.

Errors are those of the formula in exact arithmetic, relative, in units of 2^-24 (half an ulp of 1.0).
\"\"\"
"""


def show(name: str, values: Array, fraction_bits: int = 0) -> str:
    """``NAME = (...)`` with four numbers a line."""
    numbers = [str(int(v * 2**fraction_bits)) if fraction_bits else repr(float(np.float32(v))) for v in values]
    lines = [", ".join(numbers[i:i + 4]) for i in range(0, len(numbers), 4)]
    return f"{name} = (\n" + "".join(f"    {line},\n" for line in lines) + ")"


def main(names: list[str]) -> None:
    """Print the coefficients file, or the named fits only."""
    print(HEADER)
    for name in names or list(FITS):
        meaning, fit = FITS[name]
        coefficients, error = fit.fit()
        print(f"# {meaning}; error {error:.2f}")
        print(show(name, coefficients[:fit.integers], fit.fraction_bits))
        if len(coefficients) > fit.integers:
            print(show(f"{name}_TAIL", coefficients[fit.integers:]))
        if fit.wide:
            print(show(f"{name}_LOW", coefficients[:1] - np.float32(coefficients[:1])))


if __name__ == "__main__":
    main(sys.argv[1:])
