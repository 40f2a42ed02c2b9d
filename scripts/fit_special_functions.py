"""Fits the polynomials of hexagon_mlir/frontend/triton/device_functions.

Usage: python scripts/fit_special_functions.py > hexagon_mlir/frontend/triton/device_functions/coefficients.py

Chebyshev interpolation with mpmath (it comes with sympy), in a variable over [-1, 1] that each function names;
coefficients are rounded to f32 and stand highest degree first.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np

mp.mp.dps = 80
TINY = mp.mpf("1e-12")


def fit(function: Callable, degree: int) -> tuple[float, ...]:
    """The polynomial through ``function`` at the Chebyshev points of [-1, 1], highest degree first."""
    count = degree + 1
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    powers = mp.matrix([[node ** (degree - k) for k in range(count)] for node in nodes])
    solution = mp.lu_solve(powers, mp.matrix([function(node) for node in nodes]))
    return tuple(float(np.float32(float(c))) for c in solution)


def erfcx(x: mp.mpf) -> mp.mpf:
    return mp.exp(x * x) * mp.erfc(x)


def modulus_phase(order: int, inverse: mp.mpf) -> tuple[mp.mpf, mp.mpf]:
    """For x = 1 / ``inverse``: M and p of J = M cos(x - d + p / x) sqrt(2 / pi x), Y the same with sin."""
    x = 1 / inverse
    j, y = mp.besselj(order, x), mp.bessely(order, x)
    shift = x - mp.pi * (2 * order + 1) / 4
    angle = mp.atan2(y, j) - shift
    angle -= 2 * mp.pi * mp.nint(angle / (2 * mp.pi))
    return mp.sqrt((j * j + y * y) * mp.pi * x / 2), angle * x


def regular(order: int, x: mp.mpf) -> mp.mpf:
    """What Y adds to its logarithm (and pole): an even function of x, divided by x for order 1."""
    value = mp.bessely(order, x) - 2 / mp.pi * mp.log(x) * mp.besselj(order, x)
    return value if order == 0 else (value + 2 / (mp.pi * x)) / x



LIMIT = 8
"""Bessel functions: polynomials below, expansions for large arguments above."""


def inverse_square(t: mp.mpf) -> mp.mpf:
    """1 / x with t = 2 (LIMIT / x)^2 - 1."""
    return mp.sqrt(max((t + 1) / 2, TINY)) / LIMIT


def square(t: mp.mpf, low: int, high: int) -> mp.mpf:
    """x with t running over [-1, 1] as x^2 does over [low^2, high^2]."""
    return mp.sqrt(max(low * low + (t + 1) / 2 * (high * high - low * low), TINY))


TABLES: dict[str, tuple[Callable, int]] = {
    "GAMMA": (lambda t: mp.gamma(2.5 + t / 2), 12),
    "LOG_GAMMA_1": (lambda t: mp.loggamma(1 + t / 2) / (t / 2) if abs(t) > TINY else -mp.euler, 16),
    "LOG_GAMMA_2": (lambda t: mp.loggamma(2.25 + 0.75 * t) / (0.25 + 0.75 * t), 12),
    "STIRLING": (lambda t: (lambda x: (mp.loggamma(x) - ((x - 0.5) * mp.log(x) - x + mp.log(2 * mp.pi) / 2)) * x)(
        mp.sqrt(64 / max((t + 1) / 2, mp.mpf("1e-7")))), 4),
    "ERFINV_SMALL": (lambda t: (lambda w: mp.erfinv(mp.sqrt(-mp.expm1(-w))) / mp.sqrt(-mp.expm1(-w)))(
        max(3 * (t + 1), TINY)), 11),
    "ERFINV_LARGE": (lambda t: (lambda r: mp.erfinv(mp.sqrt(-mp.expm1(-1 / r**2))) * r)(0.2525 + 0.1575 * t), 11),
    "ERFCX": (lambda t: (lambda x: erfcx(x) * (1 + 2 * x))(4 * (1 + t) / (1 - t)) if t < 0.96 else (
        lambda x: (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * (1 - 1 / (2 * x * x) + 3 / (4 * x**4) - 15 / (8 * x**6)
                                                       + 105 / (16 * x**8)))(4 * (1 + t) / (1 - t)), 16),
    "I0_SMALL": (lambda t: mp.exp(-4 * (t + 1)) * mp.besseli(0, 4 * (t + 1)), 17),
    "I1_SMALL": (lambda t: (lambda x: mp.exp(-x) * mp.besseli(1, x) / x)(max(4 * (t + 1), TINY)), 17),
    "I0_LARGE": (lambda t: (lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(0, x))(16 / max(t + 1, mp.mpf("1e-3"))), 7),
    "I1_LARGE": (lambda t: (lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(1, x))(16 / max(t + 1, mp.mpf("1e-3"))), 7),
}
for _order in (0, 1):
    TABLES |= {
        f"J{_order}_LOW": (lambda t, n=_order: mp.besselj(n, square(t, 0, 4)) / square(t, 0, 4) ** n, 9),
        f"J{_order}_HIGH": (lambda t, n=_order: mp.besselj(n, 6 + 2 * t), 13),
        f"Y{_order}_LOW": (lambda t, n=_order: regular(n, square(t, 0, 4)), 9),
        f"Y{_order}_HIGH": (lambda t, n=_order: mp.bessely(n, 6 + 2 * t), 13),
        f"MODULUS_{_order}": (lambda t, n=_order: modulus_phase(n, inverse_square(t))[0], 5),
        f"PHASE_{_order}": (lambda t, n=_order: modulus_phase(n, inverse_square(t))[1], 6),
    }


def main() -> None:
    print('"""Coefficients of the special functions, as printed by scripts/fit_special_functions.py."""\n')
    print("from triton.language import constexpr\n")
    for name, (function, degree) in TABLES.items():
        row, lines = f"{name} = constexpr((", []
        for number in fit(function, degree):
            piece = f"{number!r}, "
            if len(row) + len(piece) > 120:
                lines.append(row.rstrip())
                row = "    "
            row += piece
        print("\n".join([*lines, row.rstrip(", ") + "))"]))


if __name__ == "__main__":
    main()
