"""``tt.dot_scaled``: operands in microscaling formats are converted to f32 for an ordinary matrix product, or to bf16
where that is large and both fit: numbers of 8 and 4 bits times a power of two, or times an 8-bit float, have 8
significant bits at most. The matrix engine computes products of bf16.

A scale byte s stands for 2^(s - 127) and covers 32 (or 16) consecutive elements along the summed dimension; 255 is NaN
(OCP Microscaling Formats, version 1.0). A scale that is an 8-bit float is its value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.passes.triton_import import elementwise, float8, ints, reduce, shapes, types
from hexagon_mlir.passes.triton_import.types import Unsupported
from hexagon_mlir.passes.triton_import.values import Tensor

_FLOAT8 = {0: "f8E4M3FN", 1: "f8E5M2"}
_E2M1, _BF16, _F16 = 4, 5, 6
"""TTIR's numbers of the element types; 2 and 3, the 6-bit floats, have no layout of their own in Triton."""
_LEAST_OF_BF16 = 96**3
"""Multiplications; HVX computes smaller products in less time than the engine."""


@dataclass(frozen=True)
class Operand:
    """One side of the product: (rows, K), or two of K or of the rows to a byte; ``scale`` is (rows, K / group). A batch
    may stand before the rows.
    """

    value: Tensor
    kind: int
    scale: Tensor | None
    scale_type: ir.Type | None
    packed_along_k: bool


def dot(left: Operand, right: Operand, total: Tensor, multiplies_bf16: bool) -> Tensor:
    """left (M, K) times right (K, N), whose scale is (N, K / group), plus ``total`` (M, N), in f32; a large product of
    bf16, and of f16 without scales, where the target ``multiplies_bf16``."""
    f32 = ir.F32Type.get()
    right = _unpacked(right, -2)
    a, b = _scaled(_unpacked(left, -1)), _scaled(replace(right, value=_transposed(right.value)))
    (*_, rows, depth), columns = a.shape, b.shape[-2]
    fits = all(side.kind != _F16 or side.scale is None for side in (left, right))
    if multiplies_bf16 and fits and rows * columns * depth >= _LEAST_OF_BF16:
        a, b = (_narrowed(x, side.kind) for x, side in ((a, left), (b, right)))
    b = _transposed(b)
    wide = elementwise.apply([total], [f32], total.shape, lambda x: _resized(x, f32))[0]
    result = reduce.dot(a, b, wide)
    return elementwise.apply([result], [total.element], total.shape, lambda x: _resized(x, total.element))[0]


def _narrowed(product: Tensor, kind: int) -> Tensor:
    """The f32 ``product`` of numbers of a ``kind`` and their scales in 16 bits, which hold it: f16 has no scales."""
    short = ir.F16Type.get() if kind == _F16 else ir.BF16Type.get()
    return elementwise.apply([product], [short], product.shape, lambda x: arith.truncf(short, x))[0]


def _resized(x: ir.Value, element: ir.Type) -> ir.Value:
    if x.type == element:
        return x
    return arith.extf(element, x) if element.width > x.type.width else arith.truncf(element, x)


def _scaled(operand: Operand) -> Tensor:
    value = _decoded(operand)
    if operand.scale is None:
        return value
    (*rows, depth), groups = value.shape, operand.scale.shape[-1]
    factor = _factor(operand.scale, operand.scale_type)
    wide = _reshaped(value, (*rows, groups, depth // groups))
    scale = shapes.broadcast(shapes.expand_dims(factor, len(value.shape)), wide.shape)
    assert isinstance(scale, Tensor)
    product = elementwise.apply([wide, scale], [value.element], wide.shape, lambda x, s: arith.mulf(x, s))[0]
    return _reshaped(product, value.shape)


def _factor(scale: Tensor, type: ir.Type | None) -> Tensor:
    f32, i32 = ir.F32Type.get(), ir.IntegerType.get_signless(32)
    if str(type) in types.FLOAT8:
        return _each(scale, lambda x: float8.widen(x, str(type)))

    def power(byte: ir.Value) -> ir.Value:
        bits = arith.shli(arith.extui(i32, byte), ints.value(23, i32))
        least = arith.cmpi(arith.CmpIPredicate.eq, bits, ints.value(0, i32))  # 2^-127 is subnormal
        bits = arith.select(least, ints.value(1 << 22, i32), bits)
        nan = arith.cmpi(arith.CmpIPredicate.eq, bits, ints.value(255 << 23, i32))
        return arith.bitcast(f32, arith.select(nan, ints.value(0x7FC00000, i32), bits))

    return _each(scale, power)


def _decoded(operand: Operand) -> Tensor:
    value, kind = operand.value, operand.kind
    f32 = ir.F32Type.get()
    if kind in _FLOAT8:
        return _each(value, lambda x: float8.widen(x, _FLOAT8[kind]))
    if kind in (_BF16, _F16):
        return _each(value, lambda x: arith.extf(f32, x))
    if kind != _E2M1:
        raise Unsupported(f"element type number {kind} of a scaled product")
    return _each(value, _e2m1)


def _unpacked(operand: Operand, depth: int) -> Operand:
    """``operand``, whose K is dimension ``depth`` (-1 or -2), with one number of 4 bits to a byte, in its low bits."""
    if operand.kind != _E2M1:
        return operand
    value, byte, four = operand.value, ir.IntegerType.get_signless(8), 4
    axis = len(value.shape) + (depth if operand.packed_along_k else -3 - depth)
    shape = tuple(extent * (1 + (place == axis)) for place, extent in enumerate(value.shape))
    if axis == len(value.shape) - 1:  # vectors go along the bytes, whose numbers are interleaved afterwards
        high = elementwise.apply([value], [byte], value.shape, lambda x: arith.shrui(x, ints.value(four, byte)))[0]
        return replace(operand, value=_reshaped(shapes.join(value, high), shape))
    halves = (*value.shape[:axis + 1], 2, *value.shape[axis + 1:])
    both = shapes.broadcast(shapes.expand_dims(value, axis + 1), halves)
    numbers = tuple(2 if place == axis + 1 else 1 for place in range(len(halves)))
    wide = shapes.broadcast(_reshaped(shapes.make_range(0, 2, byte), numbers), halves)
    assert isinstance(both, Tensor)
    assert isinstance(wide, Tensor)
    found = elementwise.apply([both, wide], [byte], halves, lambda x, i: arith.shrui(x, arith.muli(i, ints.value(
        four, byte))))[0]
    return replace(operand, value=_reshaped(found, shape))


def _e2m1(byte: ir.Value) -> ir.Value:
    """The value of the low four bits: sign, two bits of exponent (bias 1), one of mantissa."""
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    bits = arith.extui(i32, byte)
    low = arith.andi(bits, ints.value(7, i32))
    normal = arith.addi(arith.shli(low, ints.value(22, i32)), ints.value(126 << 23, i32))
    half = arith.constant(f32, 0.5)
    small = arith.mulf(arith.sitofp(f32, low), half)
    is_small = arith.cmpi(arith.CmpIPredicate.ult, low, ints.value(2, i32))
    value = arith.bitcast(i32, arith.select(is_small, small, arith.bitcast(f32, normal)))
    sign = arith.shli(arith.andi(bits, ints.value(8, i32)), ints.value(28, i32))
    return arith.bitcast(f32, arith.ori(value, sign))


def _each(node: Tensor, emit: Callable[[ir.Value], ir.Value]) -> Tensor:
    return elementwise.apply([node], [ir.F32Type.get()], node.shape, emit)[0]


def _reshaped(node: Tensor, shape: tuple[int, ...]) -> Tensor:
    result = shapes.reshape(node, shape)
    assert isinstance(result, Tensor)
    return result


def _transposed(node: Tensor) -> Tensor:
    """``node`` with its last two dimensions exchanged."""
    rank = len(node.shape)
    result = shapes.transpose(node, [*range(rank - 2), rank - 1, rank - 2])
    assert isinstance(result, Tensor)
    return result
