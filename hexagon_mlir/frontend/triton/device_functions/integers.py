"""Bits and averages of 32-bit and 64-bit integers."""

import triton
import triton.language as tl

from hexagon_mlir.frontend.triton.device_functions.operations import leading_zeros, set_bits


@triton.jit
def clz(x):
    """int32: the number of leading zero bits."""
    return leading_zeros(x).to(tl.int32)


@triton.jit
def popc(x):
    """int32: the number of bits that are set."""
    return set_bits(x).to(tl.int32)


@triton.jit
def ffs(x):
    """int32: the place of the lowest bit that is set, from 1; 0 for 0."""
    v = tl.to_tensor(x)
    return tl.where(v == 0, 0, popc(v ^ (v - 1))).to(tl.int32)


@triton.constexpr_function
def _lower_halves(bits, width):
    """The lower half of each pair of fields of ``width`` bits: 0x55.., 0x33.., ..."""
    return ((1 << bits) - 1) // ((1 << width) + 1)


@triton.jit
def brev(x):
    """The bits in reverse order."""
    v = tl.to_tensor(x)
    bits: tl.constexpr = v.dtype.primitive_bitwidth
    unsigned: tl.constexpr = tl.uint32 if bits == 32 else tl.uint64
    u = v.to(unsigned, bitcast=True)
    for k in tl.static_range(5 if bits == 32 else 6):
        m = tl.full(u.shape, _lower_halves(bits, 1 << k), unsigned)
        u = ((u >> (1 << k)) & m) | ((u & m) << (1 << k))
    return u.to(v.dtype, bitcast=True)


@triton.jit
def byte_perm(x, y, s):
    """Four bytes of y:x, chosen by the lowest three bits of each nibble of ``s`` (the fourth spreads the sign)."""
    a, b, s = tl.to_tensor(x), tl.to_tensor(y), tl.to_tensor(s)
    result = a ^ a
    for k in tl.static_range(4):
        selector = (s >> (4 * k)).to(tl.uint32)
        word = tl.where((selector & 4) == 0, a, b).to(tl.uint32, bitcast=True)
        byte = (word >> ((selector & 3) * 8)) & 0xFF
        byte = tl.where((selector & 8) == 0, byte, tl.where((byte & 0x80) == 0, 0, 0xFF))
        result = result | (byte << (8 * k)).to(tl.int32, bitcast=True)
    return result


@triton.jit
def mulhi(x, y):
    """The upper half of the product."""
    a, b = tl.to_tensor(x), tl.to_tensor(y)
    if a.dtype.is_int_unsigned():
        return tl.umulhi(a, b)
    bits: tl.constexpr = a.dtype.primitive_bitwidth
    unsigned: tl.constexpr = tl.uint32 if bits == 32 else tl.uint64
    high = tl.umulhi(a.to(unsigned, bitcast=True), b.to(unsigned, bitcast=True)).to(a.dtype, bitcast=True)
    return high - tl.where(a < 0, b, 0).to(a.dtype) - tl.where(b < 0, a, 0).to(a.dtype)


@triton.jit
def mul24(x, y):
    """The lower 32 bits of the product of the lower 24 bits."""
    return ((tl.to_tensor(x) << 8) >> 8) * ((tl.to_tensor(y) << 8) >> 8)


@triton.jit
def sad(x, y, z):
    """z + |x - y|"""
    a, b = tl.to_tensor(x), tl.to_tensor(y)
    return z + tl.where(a > b, a - b, b - a).to(tl.uint32, bitcast=True)


@triton.jit
def hadd(x, y):
    """(x + y) / 2 rounded down, without overflow."""
    a, b = tl.to_tensor(x), tl.to_tensor(y)
    return (a & b) + ((a ^ b) >> 1)


@triton.jit
def rhadd(x, y):
    """(x + y + 1) / 2 rounded down, without overflow."""
    a, b = tl.to_tensor(x), tl.to_tensor(y)
    return (a | b) - ((a ^ b) >> 1)
