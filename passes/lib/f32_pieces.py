"""Matrices of f32 (bf16, f16) as pieces of f16 after scaling by powers of two, in linalg, by integers.

A number is ``2**scale * (first + second)``: ``first`` has the 11 leading bits, ``second`` the rest, rounded to 11 bits.
The scale is that of a row (a column): its largest magnitude becomes ``2**top`` at most. What HVX computes in floating
point is not exact on v68 to v75, so bits are moved with integer operations. A row with an infinity or a NaN becomes
zeros, and its scale says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.dialects.split_weights import FRACTION
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import addi, binary, cast, fill, subi
from hexagon_mlir.passes.lib.linalg_generic import generic

_BIAS, _LOST = 127, 13
"""Of f32: bias of the exponent; fraction bits that the first piece has not."""
_SIGN, _NAN = -(1 << 31), 0x7FC00000
_SPECIAL = 0xFF
"""The biased exponent of infinities and NaN."""
UNUSABLE = -256
"""The scale of a row with an infinity or a NaN: added to any biased exponent, it gives a negative one."""
_FLOOR = 36
"""Rows whose largest biased exponent is smaller, of numbers below 2**-90, are scaled as if it were this: the scaled
bits of zeros stay numbers that are zeros of f16."""
_LEAST = 64
"""The least biased exponent of a scaled number that is not taken as zero: it is far below what f16 holds."""


def scales(matrix: ir.Value, dim: int, top: int) -> ir.Value:
    """For each row of ``matrix`` along ``dim`` the power of two that its elements are to be multiplied by, so that the
    largest magnitude is at least ``2**(top - 1)`` and less than ``2**top``: a tensor of i32 without ``dim``."""
    return scales_of(matrix, dim, top, _i32(), FRACTION, _bits)


def scales_of(matrix: ir.Value, dim: int, top: int, word: ir.Type, fraction: int,
              bits: Callable[[ir.Value], ir.Value]) -> ir.Value:
    """`scales`, where ``bits`` are those of an element as a ``word``, an integer with a sign bit and an exponent above
    ``fraction`` bits."""
    type_ = ir.RankedTensorType(matrix.type)
    rank = type_.rank
    shape = [size for place, size in enumerate(type_.shape) if place != dim]

    def number(value: int) -> ir.Value:
        return constant(ir.IntegerAttr.get(word, value))

    def exponent(largest: ir.Value) -> ir.Value:
        moved = arith.shrui(largest, number(fraction))
        return moved if word == _i32() else cast("arith.extui", _i32(), moved)

    most = (1 << ir.IntegerType(word).width - 1) - 1
    start = fill(number(0), tensor.empty(shape, word)).result
    kinds = ["reduction" if place == dim else "parallel" for place in range(rank)]
    largest = generic([matrix], start, [ir.AffineMap.get_identity(rank), without(rank, dim)], kinds,
                      lambda given: arith.maxsi(arith.andi(bits(given[0]), number(most)), given[1]))
    same = ir.AffineMap.get_identity(rank - 1)
    return generic([largest], tensor.empty(shape, _i32()), [same, same], ["parallel"] * (rank - 1),
                   lambda given: scale_of(exponent(given[0]), top))


def scale_of(exponent: ir.Value, top: int) -> ir.Value:
    """The scale of a row whose largest number has this biased ``exponent``, an i32."""
    usable = subi(_number(_BIAS - 1 + top), arith.maxsi(exponent, _number(_FLOOR)))
    special = arith.cmpi(arith.CmpIPredicate.eq, exponent, _number(_SPECIAL))
    return arith.select(special, _number(UNUSABLE), usable)


def in_pieces(matrix: ir.Value, scale: ir.Value, dim: int, order: Sequence[int]) -> ir.Value:
    """Pieces of ``matrix`` times two to the power of ``scale`` (`scales` along ``dim``): a tensor of f16 with those of
    ``order`` one after the other along ``dim``."""
    type_ = ir.RankedTensorType(matrix.type)
    rank, f16 = type_.rank, ir.F16Type.get()
    shape = list(type_.shape)
    shape[dim:dim + 1] = [len(order), shape[dim]]
    identity = ir.AffineMap.get_identity(rank)
    parts = [generic([matrix, scale], tensor.empty(type_.shape, f16), [identity, without(rank, dim), identity],
                     ["parallel"] * rank, (_first, _second)[piece]) for piece in sorted(set(order))]
    pieces = tensor.empty(shape, f16)
    for place, piece in enumerate(order):
        pieces = _inserted(parts[piece], pieces, dim, place)
    whole = [size * len(order) if place == dim else size for place, size in enumerate(type_.shape)]
    groups = [[place + (place > dim)] if place != dim else [dim, dim + 1] for place in range(rank)]
    return tensor.collapse_shape(ir.RankedTensorType.get(whole, f16), pieces, groups)


def unscaled(total: ir.Value, scale: Sequence[ir.Value]) -> ir.Value:
    """The element of the product that ``total`` is the sum of pieces of, whose row and column have the ``scale``s; NaN
    where one of them holds an infinity or a NaN, or where the result is beyond f32."""
    bits, power = _bits(total), addi(*scale)
    own = arith.shrui(_magnitude(bits), _number(FRACTION))
    new = subi(own, power)
    small = arith.ori(_below(new, 1), _below(own, 1))
    found = arith.select(small, _number(0), subi(bits, arith.shli(power, _number(FRACTION))))
    unusable = arith.ori(_below(arith.minsi(*scale), UNUSABLE + 1), _below(_number(_SPECIAL - 1), new))
    return cast("arith.bitcast", ir.F32Type.get(), arith.select(unusable, _number(_NAN), found))


def _first(given: Sequence[ir.Value]) -> ir.Value:
    """The nearest number of 11 bits."""
    rounded = addi(_scaled(given), _number(1 << _LOST - 1))
    return _half(cast("arith.bitcast", ir.F32Type.get(), arith.andi(rounded, _number(-(1 << _LOST)))))


def _second(given: Sequence[ir.Value]) -> ir.Value:
    """What the first one lacks, times its unit: the last bits of the fraction as a number with sign."""
    scaled = _scaled(given)
    above = 31 - _LOST + 1
    rest = cast("arith.sitofp", ir.F32Type.get(), arith.shli(scaled, _number(above)))
    unit = arith.andi(subi(scaled, _number(FRACTION + above << FRACTION)), _number(-(1 << FRACTION)))
    return _half(binary("arith.mulf", rest, cast("arith.bitcast", ir.F32Type.get(), unit)))


def _scaled(given: Sequence[ir.Value]) -> ir.Value:
    """The bits of an element times its scale; zero where that is too small."""
    bits, step = _bits(given[0]), arith.shli(given[1], _number(FRACTION))
    small = _below(addi(_magnitude(bits), step), _LEAST << FRACTION)
    return arith.select(small, _number(0), addi(bits, step))


def _half(value: ir.Value) -> ir.Value:
    return cast("arith.truncf", ir.F16Type.get(), value)


def _magnitude(bits: ir.Value) -> ir.Value:
    return arith.andi(bits, _number(~_SIGN))


def _below(value: ir.Value, limit: int | ir.Value) -> ir.Value:
    limit = limit if isinstance(limit, ir.Value) else _number(limit)
    return arith.cmpi(arith.CmpIPredicate.slt, value, limit)


def without(rank: int, dim: int) -> ir.AffineMap:
    """From the dimensions of a tensor to all but ``dim``."""
    return ir.AffineMap.get(rank, 0, [ir.AffineDimExpr.get(place) for place in range(rank) if place != dim])


def _inserted(part: ir.Value, pieces: ir.Value, dim: int, place: int) -> ir.Value:
    """``pieces`` with ``part`` at ``place`` of dimension ``dim``."""
    shape = list(ir.RankedTensorType(pieces.type).shape)
    sizes = [1 if number == dim else size for number, size in enumerate(shape)]
    starts = [place if number == dim else 0 for number in range(len(shape))]
    return ir.Operation.create(
        "tensor.insert_slice", results=[pieces.type], operands=[part, pieces],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 0, 0, 0]),
                    "static_offsets": ir.DenseI64ArrayAttr.get(starts),
                    "static_sizes": ir.DenseI64ArrayAttr.get(sizes),
                    "static_strides": ir.DenseI64ArrayAttr.get([1] * len(shape))}).result


def _bits(value: ir.Value) -> ir.Value:
    f32 = ir.F32Type.get()
    return cast("arith.bitcast", _i32(), value if value.type == f32 else cast("arith.extf", f32, value))


def _i32() -> ir.Type:
    return ir.IntegerType.get_signless(32)


def _number(value: int) -> ir.Value:
    return constant(ir.IntegerAttr.get(_i32(), value))
