"""How sums of the matrix engine become f16, as linalg on tiles: with a bias for each column, without negative ones,
times a power of two.

The engine does this while it reads its accumulators, as a table of two words for each column says.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import COLUMN_TABLE, RANK
from hexagon_mlir.ir import ir, memref
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast, fill
from hexagon_mlir.ir.query import TCM_SPACE, input_count, memory_space
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_COLUMNS = (1, 3)
"""The dimensions of result tiles that count columns."""


@dataclass(frozen=True)
class Conversion:
    """``f16(max(sums + bias, 0) * scale)``: ``bias`` is None or f32, [columns of tiles, columns of a tile]; the maximum
    is taken only where ``positive``; ``scale`` is a power of two that is a normal f16 number."""

    bias: ir.Value | None = None
    positive: bool = False
    scale: float = 1.0

    @property
    def plain(self) -> bool:
        """Whether sums are rounded and nothing else."""
        return self.bias is None and not self.positive and self.scale == 1.0


def converted(sums: ir.Value, conversion: Conversion) -> ir.Value:
    """The f32 tiles ``sums`` as tiles of f16."""
    f16, f32 = ir.F16Type.get(), ir.F32Type.get()
    into = tcm_tensor(list(ir.RankedTensorType(sums.type).shape), f16)
    inputs = [sums, *([conversion.bias] if conversion.bias is not None else [])]
    identity = ir.AffineMapAttr.get(ir.AffineMap.get_identity(RANK))
    zero = constant(ir.FloatAttr.get(f32, 0.0)) if conversion.positive else None
    op = ir.Operation.create(
        "linalg.generic", results=[into.type], operands=[*inputs, into], regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([identity, *([_bias_map()] * (len(inputs) - 1)), identity]),
                    "iterator_types": ir.Attribute.parse(
                        f"[{', '.join(['#linalg.iterator_type<parallel>'] * RANK)}]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1])})
    types = [f32] * len(inputs) + [f16]
    body = op.regions[0].blocks.append(*types, arg_locs=[op.location] * len(types))
    with ir.InsertionPoint(body):
        value = body.arguments[0]
        if conversion.bias is not None:
            value = binary("arith.addf", value, body.arguments[1])
        if zero is not None:
            value = binary("arith.maximumf", value, zero)
        if conversion.scale != 1.0:
            value = binary("arith.mulf", value, constant(ir.FloatAttr.get(f32, conversion.scale)))
        ir.Operation.create("linalg.yield", operands=[cast("arith.truncf", f16, value)])
    return op.result


def _bias_map() -> ir.AffineMapAttr:
    return ir.AffineMapAttr.get(ir.AffineMap.get(RANK, 0, [ir.AffineDimExpr.get(dim) for dim in _COLUMNS]))


def read_conversion(op: ir.Operation) -> Conversion | None:
    """What linalg op ``op``, on tensors or buffers, converts its first input with; None for any other op."""
    if op.name != "linalg.generic" or input_count(op) not in (1, 2) or len(op.operands) != input_count(op) + 1:
        return None
    maps = list(indexing_maps(op) or ())
    if maps[0] != maps[-1] or (len(maps) > 2 and maps[1] != _bias_map()):
        return None
    *operations, last = [view.operation for view in op.regions[0].blocks[0].operations]
    arguments = list(op.regions[0].blocks[0].arguments)
    value, bias, positive, scale = arguments[0], None, False, 1.0
    for inner in operations:
        if value not in list(inner.operands):
            return None
        factor = scale_of(inner)
        if factor is not None and scale == 1.0:
            scale = factor
        elif inner.name == "arith.addf" and bias is None and not positive and scale == 1.0 and len(maps) > 2 and (
                arguments[1] in list(inner.operands)):
            bias = op.operands[1]
        elif inner.name == "arith.maximumf" and not positive and scale == 1.0 and any(map(is_zero, inner.operands)):
            positive = True
        elif inner.name != "arith.truncf" or inner != operations[-1] or not isinstance(
                inner.results[0].type, ir.F16Type):
            return None
        value = inner.results[0]
    rounds = bool(operations) and operations[-1].name == "arith.truncf" and last.operands[0] == value
    return Conversion(bias, positive, scale) if rounds and (bias is not None or len(maps) == 2) else None


def scale_of(op: ir.Operation) -> float | None:
    """The constant that ``op`` multiplies its first operand by, where it can be the `Conversion.scale`."""
    if op.name != "arith.mulf" or isinstance(op.operands[1].owner, ir.Block):
        return None
    owner = op.operands[1].owner.operation
    attribute = owner.attributes["value"] if owner.name == "arith.constant" else None
    if not isinstance(attribute, ir.FloatAttr):
        return None
    return attribute.value if attribute.value in _SCALES else None


_SCALES = frozenset(2.0**exponent for exponent in range(-14, 16))
"""The powers of two among the normal f16 numbers."""


def is_zero(value: ir.Value) -> bool:
    """True for the constant 0.0."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return False
    attribute = value.owner.operation.attributes["value"]
    return isinstance(attribute, ir.FloatAttr) and attribute.value == 0.0


_GREATER = (2, 3, 9, 10)
"""arith.cmpf's predicates ogt, oge, ugt and uge."""


def is_greater(compare: ir.Operation) -> bool:
    """True for an arith.cmpf that is true where the first operand is greater."""
    return ir.IntegerAttr(compare.attributes["predicate"]).value in _GREATER


_SIGN, _MAGNITUDE = -1 << 31, (1 << 31) - 1
_FRACTION = 23
"""Of an f32 number; its exponents are `_REBIAS` above those of f16 with the same value."""
_REBIAS = 112
_KEPT = 15
"""Bits of the fraction of a bias: 10 of an f16 number and 5 more."""
_LOW = 11
"""The lowest bit of the bias in the high word of a column."""
_LARGEST = (_REBIAS + 32 << _FRACTION) - (1 << _FRACTION - _KEPT)
_SMALLEST = _REBIAS + 1 << _FRACTION
_MAXIMUM_WITH_ZERO = 2 << 8
_MOST_SHIFT = 31


def column_tables(columns: int, conversion: Conversion) -> ir.Value:
    """A buffer with the table of each of ``columns`` of result tiles, written at the insertion point.

    The scale is the low word, as f16. Of a bias 16 bits of its significand are kept, and magnitudes up to 131,068; the
    bias is added to the sum, and then the largest of the sum and zero taken (bits 31:11 and 9:8 of the high word; the
    fields of ``cvt.hf`` in QEMU).
    """
    i32 = ir.IntegerType.get_signless(32)
    sizes = [columns, *COLUMN_TABLE]
    table = memref.alloc(ir.MemRefType.get(sizes, i32, memory_space=memory_space(TCM_SPACE)), [], [])

    def words(half: int) -> ir.Value:
        return memref.subview(table, [0, half, 0], [columns, 1, COLUMN_TABLE[1]], [1, 1, 1])

    scale, = struct.unpack("<H", struct.pack("<e", conversion.scale))
    fill(constant(ir.IntegerAttr.get(i32, scale)), words(0))
    flags = _MAXIMUM_WITH_ZERO if conversion.positive else 0
    if conversion.bias is None:
        fill(constant(ir.IntegerAttr.get(i32, flags)), words(1))
    else:
        _write_biases(conversion.bias, words(1), flags)
    return table


def _write_biases(bias: ir.Value, words: ir.Value, flags: int) -> None:
    """The high words of columns with ``bias``, f32, by operations on its bits."""
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    d0, zero, d2 = ir.AffineDimExpr.get(0), ir.AffineConstantExpr.get(0), ir.AffineDimExpr.get(1)
    maps = [ir.AffineMap.get(2, 0, [d0, d2]), ir.AffineMap.get(2, 0, [d0, zero, d2])]
    op = ir.Operation.create(
        "linalg.generic", operands=[bias, words], regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
                    "iterator_types": ir.Attribute.parse(
                        "[#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])})

    def number(value: int) -> ir.Value:
        return constant(ir.IntegerAttr.get(i32, value))

    body = op.regions[0].blocks.append(f32, i32, arg_locs=[op.location] * 2)
    with ir.InsertionPoint(body):
        bits = cast("arith.bitcast", i32, body.arguments[0])
        size = binary("arith.andi", bits, number(_MAGNITUDE))
        small = _denormal(size, number)
        normal = binary("arith.minui", binary("arith.addi", size, number(1 << _FRACTION - _KEPT - 1)),
                        number(_LARGEST))
        normal = binary("arith.subi", normal, number(_REBIAS << _FRACTION))
        normal = binary("arith.shli", binary("arith.shrui", normal, number(_FRACTION - _KEPT)), number(_LOW))
        is_small = ir.Operation.create(
            "arith.cmpi", results=[ir.IntegerType.get_signless(1)], operands=[size, number(_SMALLEST)],
            attributes={"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _BELOW)}).result
        word = ir.Operation.create("arith.select", results=[i32], operands=[is_small, small, normal]).result
        word = binary("arith.ori", word, binary("arith.andi", bits, number(_SIGN)))
        ir.Operation.create("linalg.yield", operands=[binary("arith.ori", word, number(flags)) if flags else word])


_BELOW = 6
"""arith.cmpi's predicate ult."""


def _denormal(size: ir.Value, number: Callable[[int], ir.Value]) -> ir.Value:
    """The bits ``size`` of f32 magnitudes below the smallest normal f16 number, as a fraction without its first one."""
    fraction = binary("arith.andi", size, number((1 << _FRACTION) - 1))
    significand = binary("arith.ori", fraction, number(1 << _FRACTION))
    places = binary("arith.subi", number(_REBIAS + 1 + _FRACTION - _KEPT),
                    binary("arith.shrui", size, number(_FRACTION)))
    places = binary("arith.minui", places, number(_MOST_SHIFT))
    return binary("arith.shli", binary("arith.shrui", significand, places), number(_LOW))
