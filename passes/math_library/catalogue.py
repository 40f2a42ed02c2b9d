"""Which function computes which operation: each takes the operands and a `Mode`.

None instead of a value means that the function does not cover these operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from hexagon_mlir.passes.math_library.classification import isfinite, isinf, isnan, isnormal
from hexagon_mlir.passes.math_library.division import divide
from hexagon_mlir.passes.math_library.error_function import erf, erfc
from hexagon_mlir.passes.math_library.exponential import exp, exp2, expm1
from hexagon_mlir.passes.math_library.hyperbolic import acosh, asinh, atanh, cosh, sinh, tanh
from hexagon_mlir.passes.math_library.inverse_trigonometric import acos, asin, atan, atan2
from hexagon_mlir.passes.math_library.lanes import Float, Int, Mask
from hexagon_mlir.passes.math_library.logarithm import log, log1p, log2, log10
from hexagon_mlir.passes.math_library.power import fpowi, powf
from hexagon_mlir.passes.math_library.remainder import remf
from hexagon_mlir.passes.math_library.roots import cbrt, rsqrt, sqrt
from hexagon_mlir.passes.math_library.rounding import absf, ceil, copysign, floor, round_away, roundeven, trunc
from hexagon_mlir.passes.math_library.trigonometric import cos, sin, sincos, tan

Value: TypeAlias = Float | Int | Mask


def _exact(function: Callable[..., Value]) -> Callable[..., Value]:
    """``function``, which is the same in every mode."""
    return lambda *operands: function(*operands[:-1])


FUNCTIONS: dict[str, Callable[..., Value | tuple[Value, ...] | None]] = {
    "exp": exp, "exp2": exp2, "expm1": expm1,
    "log": log, "log2": log2, "log10": log10, "log1p": log1p,
    "sin": sin, "cos": cos, "sincos": sincos, "tan": tan,
    "asin": asin, "acos": acos, "atan": atan, "atan2": atan2,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "asinh": asinh, "acosh": acosh, "atanh": atanh,
    "erf": erf, "erfc": erfc,
    "powf": powf, "fpowi": fpowi, "sqrt": sqrt, "rsqrt": rsqrt, "cbrt": cbrt,
    "divf": divide, "remf": remf,
    "floor": _exact(floor), "ceil": _exact(ceil), "trunc": _exact(trunc),
    "round": _exact(round_away), "roundeven": _exact(roundeven),
    "fma": _exact(lambda a, b, c: a * b + c),
    "copysign": _exact(copysign), "absf": _exact(absf),
    "isnan": _exact(isnan), "isinf": _exact(isinf), "isfinite": _exact(isfinite), "isnormal": _exact(isnormal),
}
OP_NAMES = {name: f"arith.{name}" if name in ("divf", "remf") else f"math.{name}" for name in FUNCTIONS}
BITWISE = ("absf", "copysign", "isnan", "isinf", "isfinite", "isnormal")
"""Computed in the element's own width: no rounding to do in f32."""
