"""Weights of 4 bits in bytes, as linalg: one of the two nibbles of a byte, tiles of the matrix engine and matrices."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS, NIBBLES_PER_BYTE
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary
from hexagon_mlir.passes.lib import linalg_generic
from hexagon_mlir.passes.lib.engine_byte_generics import byte_type, elementwise, has_maps, loop_number

_NAMES = ("linalg.index", "arith.index_cast", "arith.muli", "arith.subi", "arith.shli", "arith.shrsi")
_LOOPS, _MAPS, _NIBBLE_LOOP = "(kt, k, h, l, ct, c)", ("(ct, kt, k, c, l)", "(kt, k, h, l, ct, c)"), 2
_ROWS = [[0, 1, 2, 3], [4, 5]]
_COLUMNS, _COLUMN_LOOP, _MATRIX = ("(k, n, h)", "(k, n)", "(k, n, h)"), 2, 2


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


def unpack_columns(packed: ir.Value, signed: bool) -> ir.Value:
    """The nibbles of the bytes ``packed``, with their ``signed`` value or without, as bytes: twice the columns."""
    shape = list(ir.RankedTensorType(packed.type).shape)
    rank = len(shape)
    halves = ir.AffineMap.get_identity(rank + 1)

    def half(given: Sequence[ir.Value]) -> ir.Value:
        value = nibble(given[0], rank)
        if signed:
            return value
        return binary("arith.andi", value, constant(ir.IntegerAttr.get(byte_type(), (1 << NIBBLE_BITS) - 1)))

    into = tensor.empty([*shape, NIBBLES_PER_BYTE], byte_type())
    bytes_ = ir.AffineMap.get(rank + 1, 0, list(halves.results)[:rank])
    wide = linalg_generic.generic([packed], into, [bytes_, halves], ["parallel"] * (rank + 1), half)
    groups = [*([dim] for dim in range(rank - 1)), [rank - 1, rank]]
    return tensor.collapse_shape(ir.RankedTensorType.get([*shape[:-1], NIBBLES_PER_BYTE * shape[-1]], byte_type()),
                                 wide, groups)


def nibble_pairs(matrix: ir.Value) -> ir.Value | None:
    """The bytes of which `unpack_columns` makes ``matrix``, K x N of signed nibbles; None for any other value."""
    op = _maker(matrix, "tensor.collapse_shape")
    wide = None if op is None or ir.RankedTensorType(matrix.type).rank != _MATRIX else _maker(
        op.operands[0], "linalg.generic")
    if wide is None or not has_maps(wide, _COLUMNS, 2) or not _gives_nibble(wide, _COLUMN_LOOP):
        return None
    depth, columns = ir.RankedTensorType(matrix.type).shape
    same = list(ir.RankedTensorType(wide.operands[0].type).shape) == [depth, columns // NIBBLES_PER_BYTE]
    return wide.operands[0] if same else None


def _gives_nibble(op: ir.Operation, loop: int) -> bool:
    """Whether linalg op ``op`` yields the `nibble` of its first input that ``loop`` says."""
    body = op.regions[0].blocks[0]
    bits = ir.IntegerAttr.get(byte_type(), NIBBLE_BITS)
    value = list(body.operations)[-1].operation.operands[0]
    found: list[ir.Operation] = []
    for name, place in (("arith.shrsi", 0), ("arith.shli", 1), ("arith.subi", 1), ("arith.muli", 0),
                        ("arith.index_cast", 0), ("linalg.index", 0)):
        maker = _maker(value, name)
        if maker is None:
            return False
        found.append(maker)
        value = maker.operands[place] if len(maker.operands) else value
    shifted, up, dropped, below, _, number = found
    constants = [shifted.operands[1], dropped.operands[0], below.operands[1]]
    return (up.operands[0] == body.arguments[0] and ir.IntegerAttr(number.attributes["dim"]).value == loop
            and all(_is_constant(value, bits) for value in constants))


def _is_constant(value: ir.Value, attribute: ir.Attribute) -> bool:
    maker = _maker(value, "arith.constant")
    return maker is not None and maker.attributes["value"] == attribute


def _maker(value: ir.Value, name: str) -> ir.Operation | None:
    """The op called ``name`` that makes ``value``, if one does."""
    return None if isinstance(value.owner, ir.Block) or value.owner.operation.name != name else value.owner.operation
