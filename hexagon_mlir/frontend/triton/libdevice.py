"""``triton.language.extra.libdevice`` for Hexagon: each function is an operation of MLIR's math dialect.

Imported by Triton when it compiles a kernel, never before.
"""

from __future__ import annotations

from typing import Any

from triton.language import core

_FLOATS = ("fp32", "fp16", "bf16", "fp64")
_UNARY = {
    "abs": "absf", "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan",
    "atanh": "atanh", "cbrt": "cbrt", "ceil": "ceil", "cos": "cos", "cosh": "cosh", "erf": "erf", "erfc": "erfc",
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "floor": "floor", "log": "log", "log10": "log10",
    "log1p": "log1p", "log2": "log2", "rint": "roundeven", "nearbyint": "roundeven", "round": "round",
    "rsqrt": "rsqrt", "sin": "sin", "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh", "trunc": "trunc",
    "fast_expf": "exp", "fast_exp2f": "exp2", "fast_logf": "log", "fast_log2f": "log2", "fast_sinf": "sin",
    "fast_cosf": "cos", "fast_tanhf": "tanh",
}
_BINARY = {"atan2": "atan2", "copysign": "copysign", "pow": "powf", "fast_powf": "powf"}


def _function(name: str, operation: str, arity: int) -> Any:
    def function(*args: Any, _semantic: Any = None) -> Any:
        types = {(core.dtype(t),) * arity: (f"hexagon_{operation}", core.dtype(t)) for t in _FLOATS}
        return core.extern_elementwise("", "", list(args), types, is_pure=True, _semantic=_semantic)

    function.__name__ = name
    function.__doc__ = f"math.{operation}"
    return core.extern(function)


for _name, _operation in _UNARY.items():
    globals()[_name] = _function(_name, _operation, 1)
for _name, _operation in _BINARY.items():
    globals()[_name] = _function(_name, _operation, 2)
