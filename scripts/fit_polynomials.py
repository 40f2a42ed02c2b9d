"""Fits the coefficients of passes/math_library: near-minimax polynomials and rationals, printed as f32.

Usage: python scripts/fit_polynomials.py [name ...]

Method: least squares in extended precision, reweighted (Lawson) until the relative error is level; rationals
p/q by the linearised problem p - f q, reweighted by the last q. Coefficients are then rounded to f32 one by one
from the lowest degree, the rest being refitted each time. Printed errors are of the formula with f32
coefficients in exact arithmetic, relative to f, in units of 2^-24 (half an ulp of 1.0 is 0.5).
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


def round_in_turn(fit: Callable[[dict[int, LD]], Array], count: int) -> Array:
    """Round coefficient 0 to f32, refit the rest, round coefficient 1, ..."""
    done: dict[int, LD] = {}
    c = fit(done)
    for k in range(count):
        done[k] = LD(np.float32(c[k]))
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

        c = round_in_turn(refit, self.degree + 1)
        error = np.abs((basis @ c + self.fixed(x) - f) / scale).max()
        return c, float(error * 2**24)


@dataclass(frozen=True)
class Rational:
    """f(x) ~ x * P(x^2) / Q(x^2), Q(0) = 1, on (0, high]: for odd functions."""

    f: Callable[[Array], Array]
    high: float
    p_degree: int
    q_degree: int

    def fit(self) -> tuple[Array, float]:
        """P's coefficients then Q's without the leading 1, and the error in units of 2^-24."""
        t = np.cos(np.pi * (np.arange(1500, dtype=LD) + LD(0.5)) / 3000)
        x = LD(self.high) * t + LD(1e-4)
        f, u = self.f(x), x * x
        np_, nq = self.p_degree + 1, self.q_degree
        basis = np.concatenate([x[:, None] * u[:, None] ** np.arange(np_),
                                -f[:, None] * u[:, None] ** np.arange(1, nq + 1)], axis=1)

        def quotient(c: Array) -> Array:
            q = 1 + (u[:, None] ** np.arange(1, nq + 1)) @ c[np_:]
            return x * ((u[:, None] ** np.arange(np_)) @ c[:np_]) / q, q

        def refit(done: dict[int, LD]) -> Array:
            known = list(done)
            fixed = basis[:, known] @ np.array([done[k] for k in known], LD)
            q, weight, best, best_error = np.ones_like(f), np.ones(len(f), LD), None, np.inf
            for _ in range(80):
                s = np.sqrt(weight) / (np.abs(f) * q)
                rest = solve(basis[:, len(known):] * s[:, None], (f - fixed) * s)
                c = np.concatenate([np.array([done[k] for k in known], LD), rest])
                value, q = quotient(c)
                error = np.abs(value / f - 1)
                if error.max() < best_error and q.min() > 0:
                    best, best_error = c, error.max()
                weight *= error / error.max() + LD(1e-3)
                weight /= weight.max()
            assert best is not None
            return best

        c = round_in_turn(refit, np_ + nq)
        return c, float(np.abs(quotient(c)[0] / f - 1).max() * 2**24)


def erf(x: Array) -> Array:
    """erf in extended precision: Taylor below 2.5, continued fraction of erfc above."""
    x = x.astype(LD)
    total, term = x.copy(), x.copy()
    for n in range(1, 120):
        term = -term * x * x / n
        total += term / (2 * n + 1)
    small = total * 2 / np.sqrt(LD(np.pi))
    tail = np.zeros_like(x)
    for k in range(120, 0, -1):
        tail = (LD(k) / 2) / (np.maximum(x, 1) + tail)
    large = 1 - np.exp(-x * x) / np.sqrt(LD("3.14159265358979323846264")) / (np.maximum(x, 1) + tail)
    return np.where(x < 2.5, small, large)


LN2 = np.log(LD(2))
HALF_LN2 = float(LN2 / 2) * 1.001
FITS: dict[str, Polynomial | Rational] = {
    # exp(r) - 1 = r + r^2 P(r)
    "exp": Polynomial(np.exp, -HALF_LN2, HALF_LN2, 3, fixed=lambda r: 1 + r, factor=lambda r: r * r),
    "exp6": Polynomial(np.exp, -HALF_LN2, HALF_LN2, 4, fixed=lambda r: 1 + r, factor=lambda r: r * r),
    "expm1": Polynomial(np.expm1, -HALF_LN2, HALF_LN2, 4, fixed=lambda r: r, factor=lambda r: r * r),
    # 2^r = 1 + r P(r)
    "exp2": Polynomial(np.exp2, -0.5005, 0.5005, 5, fixed=lambda r: 0 * r + 1, factor=lambda r: r),
    # log(1 + f) = f - f^2/2 + f^3 P(f)
    "log": Polynomial(np.log1p, -0.2930, 0.4143, 8, fixed=lambda f: f - f * f / 2, factor=lambda f: f**3),
    "log_third": Polynomial(np.log1p, -0.33334, 0.33334, 8, fixed=lambda f: f - f * f / 2, factor=lambda f: f**3),
    # sin(r) = r + r^3 P(r^2), cos(r) = 1 - r^2/2 + r^4 P(r^2), |r| <= pi/4
    "sin": Polynomial(np.sin, 1e-4, 0.7860, 3, lambda r: r * r, lambda r: r, lambda r: r**3),
    "cos": Polynomial(np.cos, 1e-4, 0.7860, 2, lambda r: r * r, lambda r: 1 - r * r / 2, lambda r: r**4),
    "sin_short": Polynomial(np.sin, 1e-4, 0.7860, 2, lambda r: r * r, lambda r: r, lambda r: r**3),
    "tanh": Rational(np.tanh, 9.02, 6, 3),
    "tanh54": Rational(np.tanh, 9.02, 5, 4),
    "tanh44": Rational(np.tanh, 9.02, 4, 4),
    "erf": Rational(erf, 3.92, 6, 4),
    "erf55": Rational(erf, 3.92, 5, 5),
    "erf65": Rational(erf, 3.92, 5, 4),
}


def main(names: list[str]) -> None:
    """Print each fit."""
    for name in names or list(FITS):
        coefficients, error = FITS[name].fit()
        print(f"{name}: error {error:.3f} x 2^-24")
        print("    " + ", ".join(repr(float(np.float32(c))) for c in coefficients))


if __name__ == "__main__":
    main(sys.argv[1:])
