"""``triton.language.extra.libdevice`` for Hexagon: operations of MLIR's math dialect, and functions written in Triton.

Imported by Triton when it compiles a kernel, never before. Every name of Triton's list is here.
"""

from __future__ import annotations

from typing import Any

import triton.language as tl
from triton import JITFunction
from triton.language.math import abs, fma

from hexagon_mlir.frontend.triton.device_functions import bessel, floats, gamma, integers, normal, powers, rounding
from hexagon_mlir.frontend.triton.device_functions.operations import bound, operation

__all__ = ["abs", "fma"]

_UNARY = {
    "acos": "acos", "acosh": "acosh", "asin": "asin", "asinh": "asinh", "atan": "atan", "atanh": "atanh",
    "cbrt": "cbrt", "ceil": "ceil", "cos": "cos", "cosh": "cosh", "erf": "erf", "erfc": "erfc", "exp": "exp",
    "exp2": "exp2", "expm1": "expm1", "floor": "floor", "log": "log", "log10": "log10", "log1p": "log1p",
    "log2": "log2", "rint": "roundeven", "nearbyint": "roundeven", "round": "round", "rsqrt": "rsqrt", "sin": "sin",
    "sinh": "sinh", "sqrt": "sqrt", "tan": "tan", "tanh": "tanh", "trunc": "trunc", "rsqrt_rn": "rsqrt",
    "fast_expf": "exp", "fast_exp2f": "exp2", "fast_logf": "log", "fast_log2f": "log2", "fast_log10f": "log10",
    "fast_sinf": "sin", "fast_cosf": "cos", "fast_tanf": "tan", "fast_tanhf": "tanh",
}
_BINARY = {"atan2": "atan2", "copysign": "copysign", "fast_powf": "powf"}
_INTEGERS = {"int": tl.int32, "uint": tl.uint32, "ll": tl.int64, "ull": tl.uint64}


def _every() -> dict[str, Any]:
    """The functions that come in families."""
    found = {name: operation(name, mnemonic) for name, mnemonic in _UNARY.items()}
    found |= {name: operation(name, mnemonic, 2) for name, mnemonic in _BINARY.items()}
    for mode in rounding.MODES:
        for name in ("add", "sub", "mul", "div", "fma", "rcp", "sqrt"):
            found[f"{name}_{mode}"] = bound(f"{name}_{mode}", getattr(rounding, name), mode)
        found[f"double2float_{mode}"] = bound(f"double2float_{mode}", rounding.narrowed, mode)
        for name, integer in _INTEGERS.items():
            for source in ("float", "double"):
                to = f"{source}2{name}_{mode}"
                found[to] = bound(to, rounding.to_integer, integer, mode)
            for target, function in (("float", rounding.to_float), ("double", rounding.from_integer)):
                to = f"{name}2{target}_{mode}"
                found[to] = bound(to, function, integer, mode)
    for name, target in (("int_as_float", tl.float32), ("uint_as_float", tl.float32), ("float_as_int", tl.int32),
                         ("float_as_uint", tl.int32), ("longlong_as_double", tl.float64),
                         ("double_as_longlong", tl.int64)):
        found[name] = bound(name, rounding.reinterpreted, target)
    for module in (bessel, floats, gamma, integers, normal, powers):
        found |= {name: function for name, function in vars(module).items() if isinstance(function, JITFunction)
                  and function.__module__ == module.__name__ and not name.startswith("_")}
    found |= {"finitef": found["isfinited"], "scalbn": found["ldexp"], "fast_exp10f": found["exp10"],
              "hiloint2double": rounding.hiloint2double, "rcp64h": rounding.rcp64h}
    found["double2hiint"] = bound("double2hiint", rounding.half_of, True)
    found["double2loint"] = bound("double2loint", rounding.half_of, False)
    found["llround"] = bound("llround", rounding.to_integer, tl.int64, "away")
    found["llrint"] = bound("llrint", rounding.to_integer, tl.int64, "rn")
    return found


globals().update(_every())
