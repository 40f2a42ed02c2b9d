"""The functions of `bench/maths.py`: how to write them, what they should give, and the error each may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

Array = np.ndarray
Interval = tuple[float, float]
EVERY = 0.51  # computed in f32, rounded to 16 bits
SHORT = 0.66  # the same from a shorter formula


@dataclass(frozen=True, eq=False)
class Function:
    """``body`` computes %r from %a (and %b, %c) in the type E, each operation with the flags FLAGS.

    ``ulp``: largest error when accurate, by element type; ``fast``: the same when fast, f32 in ``fast_range``, where
    it is 0 the formula is the accurate one. ``ranges``: where samples are dense, beside all bit patterns.
    ``flushes``: where the result is of smaller magnitude than this, any such number is right. ``legacy``,
    ``legacy_fast`` and ``legacy_flushes``: the same as ``ulp``, ``fast`` and ``flushes`` for the formulas of v68 to
    v75, whose sums and products are not those of IEEE 754; what is not given is as there.
    """

    name: str
    body: str
    reference: Callable[..., Array]
    ranges: tuple[tuple[Interval, ...], ...]
    ulp: dict[str, float]
    fast: float = 0
    fast_range: tuple[Interval, ...] = ()
    result: str = "E"
    notes: str = ""
    flushes: float = 0.0
    legacy: dict[str, float] = field(default_factory=dict)
    legacy_fast: float = 0.0
    legacy_flushes: float = 0.0
    fast_notes: str = field(default="", kw_only=True)
    """What holds in ``fast_range`` beside the error."""
    whole: bool = field(default=False, kw_only=True)
    """The second operand is a whole number as often as not."""

    @property
    def arity(self) -> int:
        """Operands."""
        return len(self.ranges)


def _torch(function: Callable) -> Callable[[Array], Array]:
    return lambda x: function(torch.from_numpy(np.ascontiguousarray(x))).numpy()


def _round_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _unary(name: str, reference: Callable[[Array], Array], low: float, high: float, ulp: float, short: float = EVERY,
           fast: float = 0, fast_range: Interval | None = None, op: str = "", notes: str = "", legacy: float = 0,
           legacy_fast: float = 0, legacy_short: float = 0, fast_notes: str = "") -> Function:
    return Function(name, f"%r = {op or 'math.' + name} %a FLAGS : E", reference, (((low, high), (-1, 1), (-30, 30)),),
                    {"f32": ulp, "f16": short, "bf16": short}, fast, (fast_range or (low, high),), notes=notes,
                    legacy={k: v for k, v in zip(("f32", "f16", "bf16"), (legacy, legacy_short, legacy_short),
                                                 strict=True) if v}, legacy_fast=legacy_fast, fast_notes=fast_notes)


def _exact(name: str, reference: Callable[..., Array], arity: int = 1, op: str = "", result: str = "E") -> Function:
    operands = ", ".join(f"%{c}" for c in "abc"[:arity])
    body = f"%r = {op or 'math.' + name} {operands} FLAGS : E"
    if result == "i1":
        body = f"%q = math.{name} {operands} FLAGS : E\n%r = arith.uitofp %q : i1 to E"
    return Function(name, body, reference, (((-1e3, 1e3),),) * arity, {"f32": 0, "f16": 0, "bf16": 0}, result=result)


COMPOSED = ("the errors of two operations and of their sum add up, each within 2 ulp; results below 2^-118 become 0; "
            "fast: -inf gives the infinity of the numerator, not NaN")
FLUSHES = 2.0**-118
REDUCED = "the sign of a zero may change; IEEE forms reduce the angle to within 2^-38"
DIVISORS = "divisors of 2^-125 and more in magnitude"
_ONE = "%one = arith.constant 1.0 : E\n"
_SIGMOID = _ONE + "%n = arith.negf %a FLAGS : E\n%e = math.exp %n FLAGS : E\n%d = arith.addf %e, %one FLAGS : E\n"
_GELU = """%k = arith.constant 0.044715 : E
%c = arith.constant 0.7978845608028654 : E
%one = arith.constant 1.0 : E
%half = arith.constant 0.5 : E
%s = arith.mulf %a, %a FLAGS : E
%s3 = arith.mulf %s, %a FLAGS : E
%ks = arith.mulf %k, %s3 FLAGS : E
%i = arith.addf %a, %ks FLAGS : E
%ci = arith.mulf %c, %i FLAGS : E
%t = math.tanh %ci FLAGS : E
%t1 = arith.addf %t, %one FLAGS : E
%h = arith.mulf %a, %half FLAGS : E
%r = arith.mulf %h, %t1 FLAGS : E
"""


def _gelu(x: Array) -> Array:
    """tanh's cancellation near -1 done away with."""
    return x * _sigmoid(1.5957691216057308 * (x + 0.044715 * x**3))


FUNCTIONS = (
    _unary("exp", np.exp, -104, 89, 1.8, SHORT, 70, (-87.3, 88.7), legacy=4, legacy_fast=110),
    _unary("exp2", np.exp2, -150, 129, 1.6, SHORT, 4, (-125.99, 127.9), legacy=4.5, legacy_fast=96),
    _unary("expm1", np.expm1, -20, 90, 1.7, legacy=5, legacy_short=SHORT),
    _unary("log", np.log, 0.4, 2.5, 1.2, SHORT, 5, (1e-37, 1e38), legacy=5.5, legacy_fast=7),
    _unary("log2", np.log2, 0.4, 2.5, 1.4, SHORT, 6, (1e-37, 1e38), legacy=6, legacy_fast=7),
    _unary("log10", np.log10, 0.4, 2.5, 1.3, SHORT, 5, (1e-37, 1e38), legacy=7, legacy_fast=7),
    _unary("log1p", np.log1p, -1, 3, 1.8, legacy=10),
    _unary("sin", np.sin, -1e5, 1e5, 1.6, EVERY, 40, (-65536, 65536), legacy=6,
           fast_notes=REDUCED),
    _unary("cos", np.cos, -1e5, 1e5, 1.6, EVERY, 40, (-65536, 65536), legacy=6,
           fast_notes=REDUCED),
    _unary("tan", np.tan, -1e5, 1e5, 1.6, EVERY, 50, (-65536, 65536), legacy=8, legacy_fast=128,
           fast_notes=REDUCED),
    _unary("asin", np.arcsin, -1, 1, 1.5, legacy=8),
    _unary("acos", np.arccos, -1, 1, 1.6, legacy=8),
    _unary("atan", np.arctan, -10, 10, 1.5, EVERY, 6, legacy=4.5, legacy_fast=32),
    Function("atan2", "%r = math.atan2 %a, %b FLAGS : E", np.arctan2, (((-10, 10),), ((-10, 10), (-1e3, 1e3))),
             {"f32": 1.9, "f16": EVERY, "bf16": EVERY},
             legacy={"f32": 128}, legacy_flushes=2.0**-126,
             notes="v75: within 8 ulp from 2^-100 on; more below, where the last correction underflows"),
    _unary("sinh", np.sinh, -90, 90, 2.0, legacy=6),
    _unary("cosh", np.cosh, -90, 90, 2.0, legacy=4),
    _unary("tanh", np.tanh, -10, 10, 1.9, SHORT, 64, legacy=6.5),
    _unary("asinh", np.arcsinh, -10, 10, 1.9, legacy=8),
    _unary("acosh", np.arccosh, 1, 3, 2.0, legacy=7.5),
    _unary("atanh", np.arctanh, -1, 1, 2.0, legacy=7.5),
    _unary("erf", _torch(torch.erf), -4, 4, 1.8, legacy=4),
    _unary("erfc", _torch(torch.erfc), -4, 10.5, 2.0, legacy=14),
    _unary("sqrt", np.sqrt, 0, 100, 0.9, EVERY, 16, (1e-37, 1e38), legacy=6, legacy_fast=300),
    _unary("rsqrt", lambda x: 1 / np.sqrt(x), 0, 100, 1.4, EVERY, 16, (1e-37, 1e38), legacy=7, legacy_fast=220),
    _unary("cbrt", np.cbrt, -100, 100, 0.6, 0.6, 10, legacy=20, legacy_fast=20),
    Function("powf", "%r = math.powf %a, %b FLAGS : E", np.power,
             (((0.5, 2), (0, 30), (-30, 30)), ((-30, 30), (-6, 6))),
             {"f32": 2.0, "f16": EVERY, "bf16": EVERY}, 512, ((0.01, 100), (-8, 8)), whole=True, legacy={"f32": 6}),
    Function("division", "%r = arith.divf %a, %b FLAGS : E", np.divide, (((-10, 10),), ((-10, 10),)),
             {"f32": 2.0, "f16": EVERY, "bf16": EVERY}, 20, ((-1e3, 1e3),),
             legacy={"f32": 5, "f16": 0.75}, legacy_fast=100, fast_notes=DIVISORS),
    Function("reciprocal", _ONE + "%r = arith.divf %one, %a FLAGS : E", np.reciprocal, (((-10, 10),),),
             {"f32": 2.0, "f16": EVERY, "bf16": EVERY}, 20, ((-1e3, 1e3),),
             legacy={"f32": 3.5}, legacy_fast=36, fast_notes=DIVISORS),
    Function("fmod", "%r = arith.remf %a, %b FLAGS : E", np.fmod, (((-100, 100),), ((-10, 10),)),
             {"f32": 0, "f16": 0, "bf16": 0}),
    Function("sigmoid", _SIGMOID + "%r = arith.divf %one, %d FLAGS : E", _sigmoid, (((-87, 87), (-10, 10)),),
             {"f32": 3.3, "f16": 0.68, "bf16": SHORT}, 80, ((-87, 87),), notes=COMPOSED, flushes=FLUSHES,
             legacy={"f32": 8}, legacy_fast=130),
    Function("silu", _SIGMOID + "%r = arith.divf %a, %d FLAGS : E", lambda x: x * _sigmoid(x),
             (((-87, 87), (-10, 10)),),
             {"f32": 3.3, "f16": SHORT, "bf16": SHORT}, 80, ((-80, 87),), notes=COMPOSED, flushes=FLUSHES,
             legacy={"f32": 8}, legacy_fast=200),
    Function("softplus", "%e = math.exp %a FLAGS : E\n%r = math.log1p %e FLAGS : E", lambda x: np.logaddexp(x, 0),
             (((-87, 87), (-10, 10)),), {"f32": 2.0, "f16": SHORT, "bf16": SHORT}, 80, ((-87, 87),),
             notes="results below 2^-125 become 0", flushes=2.0**-125, legacy={"f32": 7}, legacy_fast=110),
    Function("gelu (tanh)", _GELU, _gelu, (((-5, 5),),), {"f32": 200}, 128, ((-5, 5),),
             notes="most of the error comes from the rounding of tanh's argument; results below 2^-118 become 0",
             flushes=FLUSHES,
             legacy={"f32": 600}),
    _exact("floor", np.floor), _exact("ceil", np.ceil), _exact("trunc", np.trunc), _exact("round", _round_away),
    _exact("roundeven", np.rint), _exact("absf", np.abs), _exact("copysign", np.copysign, 2),
    _exact("isnan", np.isnan, result="i1"), _exact("isinf", np.isinf, result="i1"),
    _exact("isfinite", np.isfinite, result="i1"),
)
BY_NAME = {function.name: function for function in FUNCTIONS}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3, -3, 1e-45,
                    -1e-45, 1.1754942e-38, -1.1754942e-38, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 8388607.5,
                    -8388607.5, 8388608, 4194304.5, 16777216, -16777215, 0.49999997, 0.99999994, 1.0000001, 65504,
                    88.72283, 88.72284, -87.33654, -103.9, -104, 127.99999, 128, -126, -149, -150, 1e10, -1e-10,
                    89.415985, -89.415985, 89.41599],
                   np.float32)
"""Zeros, infinities, NaN, the ends of the formats, halves, arguments at the limits of functions."""
