"""Weights of 4 bits in bytes, as linalg: one of the two nibbles of a byte, tiles of the matrix engine and matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS, NIBBLES_PER_BYTE, OFFSET_BITS
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary
from hexagon_mlir.passes.lib import linalg_generic
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type, elementwise, has_maps, loop_number

_NAMES = ("linalg.index", "arith.index_cast", "arith.muli", "arith.subi", "arith.shli", "arith.shrsi")
_LOOPS, _MAPS, _NIBBLE_LOOP = "(kt, k, h, l, ct, c)", ("(ct, kt, k, c, l)", "(kt, k, h, l, ct, c)"), 2
_ROWS = [[0, 1, 2, 3], [4, 5]]
_ROW_PAIRS, _COLUMN_PAIRS, _MATRIX = ("(k, h, n)", "(k, n)", "(k, h, n)"), ("(k, n, h)", "(k, n)", "(k, n, h)"), 2


def nibble(byte: ir.Value, loop: int) -> ir.Value:
    """In the body of a linalg.generic: the lower nibble of ``byte`` with its sign, a byte, where loop number ``loop``
    is 0, the upper one where it is 1."""
    number = loop_number(loop)
    bits = constant(ir.IntegerAttr.get(byte_type(), NIBBLE_BITS))
    dropped = binary("arith.subi", bits, binary("arith.muli", number, bits))
    return binary("arith.shrsi", binary("arith.shli", byte, dropped), bits)


def reads_nibbles(op: ir.Operation) -> bool:
    """Whether the body of linalg op ``op`` is that of a product, or of a copy, of what `nibble` gives."""
    names = [view.operation.name for view in op.regions[0].blocks[0].operations]
    product = "arith.extui", "arith.extsi", "arith.muli", "arith.addi"
    return sorted(names) in (sorted((*_NAMES, *product, "linalg.yield")), sorted((*_NAMES, "linalg.yield")))


def bytes_of_nibbles(weights: ir.Value) -> ir.Value:
    """The matrix, whole tiles of K x N bytes, of the tiles of nibbles ``weights``, a tensor."""
    columns, depth, rows, width, words = ir.RankedTensorType(weights.type).shape
    into = tensor.empty([depth, rows, 2, words, columns, width], byte_type())
    wide = elementwise([weights], into, _LOOPS, _MAPS, lambda byte: nibble(byte, _NIBBLE_LOOP)).result
    shape = [depth * rows * 2 * words, columns * width]
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, byte_type()), wide, _ROWS)


def unpacked(packed: ir.Value, axis: int, signed: bool, offset: bool = False) -> ir.Value:
    """The halves of the bytes ``packed`` as bytes, next to each other along ``axis``, the lower half of each first:
    ``signed``, or from 0 to 15; or with an ``offset``, from 0 to 15 less 8."""
    shape = list(ir.RankedTensorType(packed.type).shape)
    rank, half = len(shape), axis + 1
    wide_shape = [*shape[:half], NIBBLES_PER_BYTE, *shape[half:]]
    halves = ir.AffineMap.get_identity(rank + 1)
    read = [result for dim, result in enumerate(halves.results) if dim != half]

    def value(given: Sequence[ir.Value]) -> ir.Value:
        number = nibble(_without_offset(given[0]) if offset else given[0], half)
        if signed or offset:
            return number
        return binary("arith.andi", number, constant(ir.IntegerAttr.get(byte_type(), (1 << NIBBLE_BITS) - 1)))

    into = tensor.empty(wide_shape, byte_type())
    wide = linalg_generic.generic([packed], into, [ir.AffineMap.get(rank + 1, 0, read), halves],
                                  ["parallel"] * (rank + 1), value)
    shape[axis] *= NIBBLES_PER_BYTE
    groups = [[dim + (dim > axis)] if dim != axis else [dim, half] for dim in range(rank)]
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, byte_type()), wide, groups)


@dataclass(frozen=True)
class NibblePairs:
    """Bytes, the halves of which are the elements of a matrix, as `unpacked` has them with their sign."""

    packed: ir.Value
    axis: int
    offset: bool


def nibble_pairs(matrix: ir.Value) -> NibblePairs | None:
    """What `unpacked` makes ``matrix`` of, K x N of signed nibbles; None for any other value."""
    op = _maker(matrix, "tensor.collapse_shape")
    wide = None if op is None or ir.RankedTensorType(matrix.type).rank != _MATRIX else _maker(
        op.operands[0], "linalg.generic")
    if wide is None:
        return None
    for axis, maps in enumerate((_ROW_PAIRS, _COLUMN_PAIRS)):
        offset = _offset_of_nibble(wide, axis + 1) if has_maps(wide, maps, 2) else None
        if offset is not None and _is_half(wide.operands[0], matrix, axis):
            return NibblePairs(wide.operands[0], axis, offset)
    return None


def _is_half(packed: ir.Value, matrix: ir.Value, axis: int) -> bool:
    """Whether ``packed`` has the shape of ``matrix``, but half of it along ``axis``."""
    shape = list(ir.RankedTensorType(packed.type).shape)
    shape[axis] *= NIBBLES_PER_BYTE
    return shape == list(ir.RankedTensorType(matrix.type).shape)


def _without_offset(byte: ir.Value) -> ir.Value:
    """Both halves of ``byte``, from 0 to 15, less 8 with their sign."""
    return binary("arith.xori", byte, constant(ir.IntegerAttr.get(byte_type(), OFFSET_BITS)))


def _offset_of_nibble(op: ir.Operation, loop: int) -> bool | None:
    """Whether linalg op ``op`` subtracts an offset as it yields the `nibble` of its first input that ``loop`` says;
    None where it yields anything else."""
    body = op.regions[0].blocks[0]
    bits = ir.IntegerAttr.get(byte_type(), NIBBLE_BITS)
    value = list(body.operations)[-1].operation.operands[0]
    found: list[ir.Operation] = []
    for name, place in (("arith.shrsi", 0), ("arith.shli", 1), ("arith.subi", 1), ("arith.muli", 0),
                        ("arith.index_cast", 0), ("linalg.index", 0)):
        maker = _maker(value, name)
        if maker is None:
            return None
        found.append(maker)
        value = maker.operands[place] if len(maker.operands) else value
    shifted, up, dropped, below, _, number = found
    constants = [shifted.operands[1], dropped.operands[0], below.operands[1]]
    if ir.IntegerAttr(number.attributes["dim"]).value != loop or not all(
            _is_constant(value, bits) for value in constants):
        return None
    flip = _maker(up.operands[0], "arith.xori")
    if flip is None:
        return False if up.operands[0] == body.arguments[0] else None
    known = _is_constant(flip.operands[1], ir.IntegerAttr.get(byte_type(), OFFSET_BITS))
    return True if known and flip.operands[0] == body.arguments[0] else None


def _is_constant(value: ir.Value, attribute: ir.Attribute) -> bool:
    maker = _maker(value, "arith.constant")
    return maker is not None and maker.attributes["value"] == attribute


def _maker(value: ir.Value, name: str) -> ir.Operation | None:
    """The op called ``name`` that makes ``value``, if one does."""
    return None if isinstance(value.owner, ir.Block) or value.owner.operation.name != name else value.owner.operation
