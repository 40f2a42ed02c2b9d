"""Which function computes which operation; each takes the operands and ``narrow`` (they come from f16).

None instead of a value means that the function does not cover these operands.
"""

from __future__ import annotations

from collections.abc import Callable

from hexagon_mlir.passes.math_library.division import divide
from hexagon_mlir.passes.math_library.error_function import erf
from hexagon_mlir.passes.math_library.exponential import exp, exp2, expm1
from hexagon_mlir.passes.math_library.hyperbolic import tanh
from hexagon_mlir.passes.math_library.lanes import Float
from hexagon_mlir.passes.math_library.logarithm import log, log1p, log2, log10
from hexagon_mlir.passes.math_library.power import powf
from hexagon_mlir.passes.math_library.roots import rsqrt, sqrt
from hexagon_mlir.passes.math_library.rounding import absf, ceil, copysign, floor, round_away, roundeven, trunc
from hexagon_mlir.passes.math_library.trigonometric import cos, sin


def _same(function: Callable[..., Float]) -> Callable[..., Float]:
    """``function`` for operands of any origin."""
    return lambda *operands, narrow: function(*operands)


FUNCTIONS: dict[str, Callable[..., Float | None]] = {
    "exp": _same(exp),
    "exp2": _same(exp2),
    "expm1": _same(expm1),
    "log": log,
    "log2": log2,
    "log10": log10,
    "log1p": _same(log1p),
    "tanh": _same(tanh),
    "erf": _same(erf),
    "sqrt": sqrt,
    "rsqrt": rsqrt,
    "sin": _same(sin),
    "cos": _same(cos),
    "floor": _same(floor),
    "ceil": _same(ceil),
    "trunc": _same(trunc),
    "round": _same(round_away),
    "roundeven": _same(roundeven),
    "copysign": _same(copysign),
    "absf": _same(absf),
    "fma": _same(lambda a, b, c: a * b + c),
    "divf": divide,
    "powf": powf,
}
OP_NAMES = {name: f"arith.{name}" if name == "divf" else f"math.{name}" for name in FUNCTIONS}
