"""Arithmetic and conversions in a stated rounding mode: rn to nearest, rz to zero, rd down, ru up.

A directed result is the nearest number or the adjacent one, by the sign of the rounding error; in f64 the products of
two f32 numbers are exact, and `doubles` has the errors of f64 operations. All other operations are in f32.
"""

import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.device_functions import doubles
from hexagon_mlir.frontend.triton.device_functions.floats import isfinited, nextafter
from hexagon_mlir.frontend.triton.device_functions.operations import rint, round, trunc, wide

MODES = ("rn", "rz", "rd", "ru")


@triton.jit
def _directed(nearest, below, above, MODE: tl.constexpr):
    """``nearest``, which is ``above`` or ``below`` the exact value, in ``MODE``."""
    down, up = below & False, above & False
    if MODE == "rd":
        down = above
    elif MODE == "ru":
        up = below
    elif MODE == "rz":
        down, up = above & (nearest > 0), below & (nearest < 0)
    result = tl.where(down, nextafter(nearest, float("-inf")), nearest)
    return tl.where(up, nextafter(nearest, float("inf")), result)


@triton.jit
def _beside(nearest, error, MODE: tl.constexpr):
    """``nearest`` or the adjacent number; ``error`` has the sign of the exact value minus ``nearest``."""
    return _directed(nearest, error > 0, error < 0, MODE)


@triton.jit
def _is_double(x):
    """constexpr: whether this is arithmetic of f64 numbers."""
    return tl.to_tensor(x).dtype == tl.float64


@triton.jit
def _fused_doubles(x, y, z, MODE: tl.constexpr):
    """x y + z of f64 numbers."""
    a, b, c = tl.to_tensor(x), tl.to_tensor(y).to(tl.float64), tl.to_tensor(z).to(tl.float64)
    a, b = tl.broadcast(a, b)
    a, c = tl.broadcast(a, c)
    a, b = tl.broadcast(a, b)
    nearest, error = doubles.fma(a, b, c)
    result = _beside(nearest, error, MODE)
    if MODE == "rd":  # exact cancellation gives -0
        product = a * b
        nothing = (nearest == 0) & (error == 0)
        result = tl.where(nothing & ((product != 0) | (1 / product != 1 / c)), -0.0, result)
    return result


@triton.jit
def _fused_singles(x, y, z, MODE: tl.constexpr):
    """x y + z of numbers of at most 32 bits."""
    a, b, c = wide(x).to(tl.float64), wide(y).to(tl.float64), wide(z).to(tl.float64)
    product = a * b
    total = product + c
    other = total - product
    rest = (product - (total - other)) + (c - other)  # total + rest is exact
    # rounded to odd, so that rounding to f32 sees on which side of a tie the exact value is
    bits = total.to(tl.int64, bitcast=True)
    inexact = (rest != 0) & (rest == rest) & ((bits & 1) == 0)
    bits = tl.where(inexact, tl.where((rest > 0) == (total > 0), bits + 1, bits - 1), bits)
    odd = bits.to(tl.float64, bitcast=True)
    nearest = odd.to(tl.float32)
    back = nearest.to(tl.float64)
    result = _directed(nearest, back < odd, back > odd, MODE)
    if MODE == "rd":  # exact cancellation gives -0
        result = tl.where((odd == 0) & ((product != 0) | (1 / product != 1 / c)), -0.0, result)
    return result.to(tl.float32)


@triton.jit
def fma(x, y, z, MODE: tl.constexpr):
    """x y + z, rounded once."""
    if _is_double(x):
        return _fused_doubles(x, y, z, MODE)
    else:
        return _fused_singles(x, y, z, MODE)


@triton.jit
def add(x, y, MODE: tl.constexpr):
    """x + y"""
    return fma(x, 1.0, y, MODE)


@triton.jit
def sub(x, y, MODE: tl.constexpr):
    """x - y"""
    return fma(x, 1.0, -tl.to_tensor(y), MODE)


@triton.jit
def mul(x, y, MODE: tl.constexpr):
    """x y"""
    if _is_double(x):
        a, b = tl.broadcast(tl.to_tensor(x), tl.to_tensor(y).to(tl.float64))
        nearest, error = doubles.fma(a, b, tl.zeros_like(a))
        return _beside(a * b, error, MODE)  # a product of zero keeps its sign
    else:
        exact = wide(x).to(tl.float64) * wide(y).to(tl.float64)
        nearest = exact.to(tl.float32)
        back = nearest.to(tl.float64)
        return _directed(nearest, back < exact, back > exact, MODE)


@triton.jit
def div(x, y, MODE: tl.constexpr):
    """x / y"""
    if _is_double(x):
        a, b = tl.broadcast(tl.to_tensor(x), tl.to_tensor(y).to(tl.float64))
        nearest, error = doubles.div(a, b)
        return _beside(nearest, error, MODE)
    else:
        a, b = wide(x), wide(y)
        nearest = tl.math.div_rn(a, b)
        product, wanted = nearest.to(tl.float64) * b.to(tl.float64), a.to(tl.float64)
        finite = isfinited(a) & isfinited(b) & (b != 0)
        below = tl.where(b > 0, product < wanted, product > wanted) & finite
        above = tl.where(b > 0, product > wanted, product < wanted) & finite
        return _directed(nearest, below, above, MODE)


@triton.jit
def rcp(x, MODE: tl.constexpr):
    """1 / x"""
    v = tl.to_tensor(x)
    return div(tl.full(v.shape, 1.0, tl.float64 if _is_double(v) else tl.float32), v, MODE)


@triton.jit
def sqrt(x, MODE: tl.constexpr):
    """The square root."""
    if _is_double(x):
        nearest, error = doubles.sqrt(tl.to_tensor(x))
        return _beside(nearest, error, MODE)
    else:
        a = wide(x)
        nearest = tl.sqrt_rn(a)
        square, wanted = nearest.to(tl.float64) * nearest.to(tl.float64), a.to(tl.float64)
        return _directed(nearest, square < wanted, square > wanted, MODE)


@triton.jit
def _whole(v, MODE: tl.constexpr):
    if MODE == "rn":
        return rint(v)
    elif MODE == "rd":
        return tl.floor(v)
    elif MODE == "ru":
        return tl.ceil(v)
    elif MODE == "away":
        return round(v)
    else:
        return trunc(v)


@triton.jit
def to_integer(x, target: tl.constexpr, MODE: tl.constexpr):
    """A float as an integer of type ``target``: the nearest in its range, 0 for NaN."""
    v = _whole(tl.to_tensor(x), MODE)
    bits: tl.constexpr = target.primitive_bitwidth - (0 if target.is_int_unsigned() else 1)
    lowest: tl.constexpr = 0 if target.is_int_unsigned() else -(1 << bits)
    inside = (v >= lowest) & (v < 2.0**bits)
    result = tl.where(inside, v, 0.0).to(target)
    result = tl.where(v >= 2.0**bits, tl.full(v.shape, (1 << bits) - 1, target), result)
    return tl.where(v < lowest, tl.full(v.shape, lowest, target), result)


@triton.jit
def to_float(x, source: tl.constexpr, MODE: tl.constexpr):
    """An integer of type ``source`` as f32."""
    v = tl.to_tensor(x).to(source)
    nearest = v.to(tl.float32)
    bits: tl.constexpr = source.primitive_bitwidth - (0 if source.is_int_unsigned() else 1)
    top = nearest >= 2.0**bits  # above every integer of the type
    back = tl.where(top, 0.0, nearest).to(source)
    return _directed(nearest, (back < v) & ~top, (back > v) | top, MODE)


@triton.jit
def from_integer(x, source: tl.constexpr, MODE: tl.constexpr):
    """An integer of type ``source`` as f64; 32-bit ones exactly."""
    v = tl.to_tensor(x).to(source)
    if source.primitive_bitwidth == 32 or MODE == "rn":
        return v.to(tl.float64)
    else:
        high, low = (v >> 32).to(tl.float64) * 2.0**32, (v & 0xFFFFFFFF).to(tl.float64)  # both exact
        nearest, rest = doubles.two_sum(high, low)
        return _beside(nearest, rest, MODE)


@triton.jit
def narrowed(x, MODE: tl.constexpr):
    """An f64 number as f32."""
    v = tl.to_tensor(x).to(tl.float64)
    nearest = v.to(tl.float32)
    back = nearest.to(tl.float64)
    return _directed(nearest, back < v, back > v, MODE)


@triton.jit
def reinterpreted(x, target: tl.constexpr):
    """The bits of ``x`` as ``target``."""
    return tl.to_tensor(x).to(target, bitcast=True)


@triton.jit
def half_of(x, HIGH: tl.constexpr):
    """int32: the upper or lower half of an f64 number."""
    bits = tl.to_tensor(x).to(tl.int64, bitcast=True)
    return (bits >> 32 if HIGH else bits).to(tl.int32)


@triton.jit
def hiloint2double(high, low):
    """The f64 number with these halves."""
    h, lo = tl.to_tensor(high).to(tl.int64), tl.to_tensor(low).to(tl.uint32, bitcast=True).to(tl.int64)
    return ((h << 32) | lo).to(tl.float64, bitcast=True)


@triton.jit
def rcp64h(x):
    """1 / x of an f64 number, of which only the upper half's bits are given."""
    bits = (1 / tl.to_tensor(x)).to(tl.int64, bitcast=True)
    return ((bits >> 32) << 32).to(tl.float64, bitcast=True)
