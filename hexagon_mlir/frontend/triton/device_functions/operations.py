"""Functions that are one operation of MLIR's math dialect, and what the others here share."""

from __future__ import annotations

from typing import Any

import triton
import triton.language as tl
from triton.language import core

_FLOATS = ("fp32", "fp16", "bf16", "fp64")
_INTEGERS = ("int32", "uint32", "int64", "uint64")


def operation(name: str, mnemonic: str, arity: int = 1, types: tuple[str, ...] = _FLOATS) -> Any:
    """The function ``name``: ``math.mnemonic`` of ``arity`` operands of one of ``types``."""
    def function(*args: Any, _semantic: Any = None) -> Any:
        signatures = {(core.dtype(t),) * arity: (f"hexagon_{mnemonic}", core.dtype(t)) for t in types}
        return core.extern_elementwise("", "", list(args), signatures, is_pure=True, _semantic=_semantic)

    function.__name__ = name
    function.__doc__ = f"math.{mnemonic}"
    return core.extern(function)


def bound(name: str, function: Any, *constants: Any) -> Any:
    """The function ``name``: the Triton ``function`` with ``constants`` behind its arguments."""
    def call(*args: Any, _semantic: Any = None, _generator: Any = None) -> Any:
        return _generator.call_JitFunction(function, [*args, *(core.constexpr(c) for c in constants)], {})

    call.__name__ = name
    call.__doc__ = function.__doc__
    return core.extern(call)


leading_zeros = operation("leading_zeros", "ctlz", types=_INTEGERS)
set_bits = operation("set_bits", "ctpop", types=_INTEGERS)
exp = operation("exp", "exp")
log = operation("log", "log")
erfc = operation("erfc", "erfc")
pow = operation("pow", "powf", 2)
cbrt = operation("cbrt", "cbrt")
rint = operation("rint", "roundeven")
round = operation("round", "round")
trunc = operation("trunc", "trunc")
copysign = operation("copysign", "copysign", 2)


@triton.jit
def wide(x):
    """``x``, of at most 32 bits, as f32."""
    v = tl.to_tensor(x)
    tl.static_assert(v.dtype.primitive_bitwidth <= 32, "this function is for floats of up to 32 bits")
    return v.to(tl.float32)


@triton.jit
def like(value, x):
    """``value`` in the type of ``x`` when that is a float."""
    v = tl.to_tensor(x)
    if v.dtype.is_floating():
        value = value.to(v.dtype)
    return value


@triton.constexpr_function
def integer_of(dtype):
    """The signed integer type as wide as ``dtype``."""
    return core.dtype(f"int{dtype.primitive_bitwidth}")


@triton.jit
def polynomial(x, coefficients: tl.constexpr):
    """The polynomial with ``coefficients``, highest degree first."""
    result = x * coefficients[0] + coefficients[1]
    for k in tl.static_range(2, len(coefficients)):
        result = result * x + coefficients[k]
    return result
