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
    """left (M, K) times right, given transposed (N, K), plus ``total`` (M, N), in f32; a large product of bf16 where
    the target ``multiplies_bf16``."""
    f32 = ir.F32Type.get()
    a, b = _scaled(left), _scaled(right)
    (*_, rows, depth), columns = a.shape, b.shape[-2]
    fits = all(side.kind != _F16 for side in (left, right))
    if multiplies_bf16 and fits and rows * columns * depth >= _LEAST_OF_BF16:
        bf16 = ir.BF16Type.get()
        a, b = (elementwise.apply([x], [bf16], x.shape, lambda x: arith.truncf(bf16, x))[0] for x in (a, b))
    b = _transposed(b)
    wide = elementwise.apply([total], [f32], total.shape, lambda x: _resized(x, f32))[0]
    result = reduce.dot(a, b, wide)
    return elementwise.apply([result], [total.element], total.shape, lambda x: _resized(x, total.element))[0]


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
    *batch, rows, columns = value.shape
    shape, rank = (*value.shape, 2), len(value.shape)
    pairs = shapes.broadcast(shapes.expand_dims(value, rank), shape)
    byte = ir.IntegerType.get_signless(8)
    half = _reshaped(shapes.make_range(0, 2, byte), (*[1] * rank, 2))
    wide = shapes.broadcast(half, shape)
    assert isinstance(pairs, Tensor)
    assert isinstance(wide, Tensor)
    both = elementwise.apply([pairs, wide], [f32], shape, lambda x, i: _e2m1(
        arith.shrui(x, arith.muli(i, ints.value(4, byte)))))[0]
    if operand.packed_along_k:
        return _reshaped(both, (*batch, rows, 2 * columns))
    return _reshaped(_transposed(both), (*batch, 2 * rows, columns))


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


def transposed(operand: Operand) -> Operand:
    """The right side as TTIR gives it, (K, N), with its scale already (N, K / group)."""
    return replace(operand, value=_transposed(operand.value))


def _transposed(node: Tensor) -> Tensor:
    """``node`` with its last two dimensions exchanged."""
    rank = len(node.shape)
    result = shapes.transpose(node, [*range(rank - 2), rank - 1, rank - 2])
    assert isinstance(result, Tensor)
    return result
