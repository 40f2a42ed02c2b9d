"""Functions that are one operation of MLIR's math dialect, and helpers of the others."""

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
        given = tuple(_semantic.to_tensor(arg).dtype for arg in args)
        if given not in signatures:
            raise TypeError(f"libdevice.{name}({', '.join(map(str, given))}) is none of its forms; hint: it takes "
                            f"{arity} of one type: {', '.join(types)}")
        return core.extern_elementwise("", "", list(args), signatures, is_pure=True, _semantic=_semantic)

    function.__name__ = name
    function.__doc__ = f"math.{mnemonic}"
    return core.extern(function)


def bound(name: str, function: Any, *constants: Any) -> Any:
    """The function ``name``: the Triton ``function`` with ``constants`` appended to its arguments."""
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
    tl.static_assert(v.dtype.primitive_bitwidth <= 32, "this function of libdevice is computed in f32; hint: convert "
                     "the argument with .to(tl.float32)")
    return v.to(tl.float32)


@triton.jit
def own(x):
    """``x`` as f64 where it is that, else as f32."""
    v = tl.to_tensor(x)
    if v.dtype != tl.float64:
        v = v.to(tl.float32)
    return v


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


@triton.constexpr_function
def fraction_bits(dtype):
    """Bits of the fraction of an f32 or f64 number."""
    return {32: 23, 64: 52}[dtype.primitive_bitwidth]


@triton.constexpr_function
def highest_exponent(dtype):
    """The largest exponent of an f32 or f64 number; the least of a normal one is 1 more than the opposite."""
    return {32: 127, 64: 1023}[dtype.primitive_bitwidth]


@triton.jit
def polynomial(x, coefficients: tl.constexpr):
    """The polynomial with ``coefficients``, highest degree first."""
    result = x * coefficients[0] + coefficients[1]
    for k in tl.static_range(2, len(coefficients)):
        result = result * x + coefficients[k]
    return result
