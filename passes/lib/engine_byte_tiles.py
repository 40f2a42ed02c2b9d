"""Copies between rows of bytes and tiles of the matrix engine as linalg: packing factors, joining the planes of sums.

Activations are unsigned bytes. Signed ones are stored plus 128, and 128 times the sums of the weights of each column is
subtracted afterwards. The engine gives each sum as four bytes, each in a tile of its own (a plane).
"""

from __future__ import annotations

from enum import Enum, auto
from math import prod

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, PLANES, TILE, WORD
from hexagon_mlir.dialects.nibble_weights import NIBBLE_BITS, NIBBLES_PER_BYTE, OFFSET_BITS, has_nibbles
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.engine_byte_generics import (
    body_of,
    byte_type,
    elementwise,
    generic,
    has_maps,
    loop_number,
    word_type,
    yield_value,
)
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

SIGN = -128
"""Flips the first bit of a byte: signed bytes plus 128."""
_RESULTS = ("(rt, r, ct, c)", "(rt, ct, r, c)", "(rt, r, ct, c)")
_ACTIVATIONS = ("(rt, kt, r, k)", "(rt, r, kt, k)", "(rt, kt, r, k)")
_WEIGHTS = ("(ct, kt, k, c, l)", "(kt, k, l, ct, c)", "(ct, kt, k, c, l)")
_WEIGHTS_BY_COLUMN = ("(ct, kt, k, c, l)", "(ct, c, kt, k, l)", "(ct, kt, k, c, l)")
_SUMS = ("(ct, c, kt, k, l)", "(ct, kt, k, c, l)", "(ct, c)")
_NIBBLES = ("(ct, kt, k, c, h, l)", "(kt, k, 0, l, ct, c)", "(kt, k, 1, l, ct, c)", "(ct, kt, k, c, h, l)")
_NIBBLES_OF_ROWS = ("(ct, kt, k, c, l, h)", "(kt, k, 0, l, ct, c)", "(kt, k, 1, l, ct, c)", "(ct, kt, k, c, l, h)")
_JOIN = ("(rt, r, ct, c)", *(f"(rt, ct, {plane}, r, c)" for plane in range(PLANES)), "(rt, r, ct, c)")
_JOIN_AND_ADD = (*_JOIN[:-1], "(ct, c)", _JOIN[-1])


def pack_byte_activations(matrix: ir.Value, transposed: bool, signed: bool) -> ir.Value:
    """Tiles of ``matrix``, whole tiles of M x K bytes, or of K x M if ``transposed``."""
    rows, columns = ir.RankedTensorType(matrix.type).shape[::-1 if transposed else 1]
    view = _expanded(matrix, [TILE], [BYTE_ROWS]) if transposed else _expanded(matrix, [BYTE_ROWS], [TILE])
    into = tcm_tensor([rows // BYTE_ROWS, columns // TILE, BYTE_ROWS, TILE], byte_type())
    loops, source, _ = _ACTIVATIONS
    return elementwise([view], into, loops, ["(kt, k, rt, r)" if transposed else source, loops], lambda byte: (
        binary("arith.xori", byte, constant(ir.IntegerAttr.get(byte_type(), SIGN))) if signed else byte)).result


def pack_byte_weights(matrix: ir.Value, transposed: bool) -> ir.Value:
    """Tiles of ``matrix``, whole tiles of K x N bytes, or of N x K if ``transposed``."""
    reduction, columns = ir.RankedTensorType(matrix.type).shape[::-1 if transposed else 1]
    words = [TILE // WORD, WORD]
    view = _expanded(matrix, [TILE], words) if transposed else _expanded(matrix, words, [TILE])
    into = tcm_tensor([columns // TILE, reduction // TILE, TILE // WORD, TILE, WORD], byte_type())
    loops, *maps = _WEIGHTS_BY_COLUMN if transposed else _WEIGHTS
    return elementwise([view], into, loops, maps, lambda byte: byte).result


def pack_nibble_weights(pairs: ir.Value, axis: int, offset: bool) -> ir.Value:
    """Tiles of nibbles (`hexagon_mlir.dialects.nibble_weights`) of the bytes ``pairs`` in whole tiles, K / 2 x N or
    K x N / 2: their lower and upper halves are neighbours along ``axis``, and have an ``offset`` of 8 or a sign."""
    of_rows = axis == 0
    words, width = (WORD // NIBBLES_PER_BYTE, TILE) if of_rows else (WORD, TILE // NIBBLES_PER_BYTE)
    view = _expanded(pairs, [TILE // (NIBBLES_PER_BYTE * WORD), NIBBLES_PER_BYTE, words], [width])
    steps, *_, columns, _ = ir.RankedTensorType(view.type).shape
    outer = [columns, steps, TILE // (NIBBLES_PER_BYTE * WORD)]
    loops, *maps = _NIBBLES_OF_ROWS if of_rows else _NIBBLES
    inner = [width, words, NIBBLES_PER_BYTE] if of_rows else [width, NIBBLES_PER_BYTE, words]
    groups = [[0], [1], [2], [3], [4, 5]] if of_rows else [[0], [1], [2], [3, 4], [5]]

    def both(first: ir.Value, second: ir.Value) -> ir.Value:
        bits, mask, flip = (constant(ir.IntegerAttr.get(byte_type(), value)) for value in (
            NIBBLE_BITS, (1 << NIBBLE_BITS) - 1, OFFSET_BITS))
        places = binary("arith.muli", loop_number(5 if of_rows else 4), bits)
        low = binary("arith.andi", binary("arith.shrui", first, places), mask)
        byte = binary("arith.ori", low, binary("arith.shli", binary("arith.shrui", second, places), bits))
        return binary("arith.xori", byte, flip) if offset else byte

    tiles = elementwise([view, view], tcm_tensor([*outer, *inner], byte_type()), loops, maps, both).result
    return tensor.collapse_shape(ir.RankedTensorType.get([*outer, TILE, WORD], byte_type()), tiles, groups)


def column_sums(weights: ir.Value, start: ir.Value) -> ir.Value:
    """``start``, i32 [N / 32][32], minus 128 times the sum of each column of the tiles ``weights``, bytes or nibbles.
    """
    op = generic([weights], start, _SUMS[0], _SUMS[1:], reductions=3)
    with body_of(op) as (byte, old):
        if has_nibbles(weights.type):
            bits = constant(ir.IntegerAttr.get(byte_type(), NIBBLE_BITS))
            low = binary("arith.shrsi", binary("arith.shli", byte, bits), bits)
            byte = binary("arith.addi", low, binary("arith.shrsi", byte, bits))
        wide = cast("arith.extsi", word_type(), byte)
        sign = constant(ir.IntegerAttr.get(word_type(), SIGN))
        yield_value(binary("arith.addi", old, binary("arith.muli", wide, sign)))
    return op.result


def join_planes(tiles: ir.Value, of_columns: ir.Value | None, into: ir.Value) -> ir.Value:
    """``into``, i32 rows [M / 64][64][N / 32][32], with the sums that the planes ``tiles`` give, each plus what
    ``of_columns``, i32 [N / 32][32], has for its column.
    """
    inputs = [tiles] * PLANES

    def body(*parts: ir.Value) -> ir.Value:
        total = cast("arith.extui", word_type(), parts[0])
        for number, part in enumerate(parts[1:PLANES], 1):
            places = constant(ir.IntegerAttr.get(word_type(), 8 * number))
            total = binary("arith.ori", total, binary("arith.shli", cast("arith.extui", word_type(), part), places))
        return binary("arith.addi", total, parts[PLANES]) if len(parts) > PLANES else total

    loops, *maps = _JOIN if of_columns is None else _JOIN_AND_ADD
    return elementwise([*inputs, *([] if of_columns is None else [of_columns])], into, loops, maps, body).result


def rows_of_bytes(tiles: ir.Value, into: ir.Value | None = None) -> ir.Value:
    """``into``, rows [M / 64][64][N / 32][32] of bytes, a new tensor without it, with those of the result ``tiles``."""
    rows, columns = ir.RankedTensorType(tiles.type).shape[:2]
    into = tcm_tensor([rows, BYTE_ROWS, columns, TILE], byte_type()) if into is None else into
    return elementwise([tiles], into, _RESULTS[0], _RESULTS[1:], lambda byte: byte).result


def _expanded(matrix: ir.Value, rows: list[int], columns: list[int]) -> ir.Value:
    """``matrix`` with both dimensions cut into tiles of ``rows`` and ``columns``."""
    type_ = ir.RankedTensorType(matrix.type)
    counts = [size // prod(sizes) for size, sizes in zip(type_.shape, (rows, columns), strict=True)]
    shape = [counts[0], *rows, counts[1], *columns]
    cut = 1 + len(rows)
    return tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), matrix,
                               [list(range(cut)), list(range(cut, len(shape)))], [], shape)


_HALVES = ["arith.shli", "arith.shrsi", "arith.shrsi", "arith.addi"]
_PACK_NIBBLES = ["linalg.index", "arith.index_cast", "arith.muli", "arith.shrui", "arith.andi", "arith.shrui",
                 "arith.shli", "arith.ori", "linalg.yield"]
_PACK_OFFSET_NIBBLES = [*_PACK_NIBBLES[:-1], "arith.xori", "linalg.yield"]


class ByteCopy(Enum):
    """What moves bytes between rows and tiles."""

    ACTIVATIONS = auto()
    WEIGHTS = auto()
    WEIGHTS_BY_COLUMN = auto()
    NIBBLES = auto()
    NIBBLES_OF_ROWS = auto()
    RESULTS = auto()
    JOIN = auto()
    SUMS = auto()
    """Not a copy: sums of the columns of weights."""


_COPIES = {_ACTIVATIONS: ByteCopy.ACTIVATIONS, _WEIGHTS: ByteCopy.WEIGHTS,
           _WEIGHTS_BY_COLUMN: ByteCopy.WEIGHTS_BY_COLUMN, _NIBBLES: ByteCopy.NIBBLES,
           _NIBBLES_OF_ROWS: ByteCopy.NIBBLES_OF_ROWS, _RESULTS: ByteCopy.RESULTS, _JOIN: ByteCopy.JOIN,
           _JOIN_AND_ADD: ByteCopy.JOIN, _SUMS: ByteCopy.SUMS}
LOOPS_OF_THREADS = {ByteCopy.ACTIVATIONS: (0, 2), ByteCopy.WEIGHTS: (1, 2), ByteCopy.WEIGHTS_BY_COLUMN: (0,),
                    ByteCopy.NIBBLES: (1, 2), ByteCopy.NIBBLES_OF_ROWS: (1, 2), ByteCopy.RESULTS: (0, 1),
                    ByteCopy.JOIN: (0, 2), ByteCopy.SUMS: (0,)}
"""Loops that threads may share: not those that vectors, or several of them at a time, go along."""


def byte_copy(op: ir.Operation) -> ByteCopy | None:
    """Which copy of this file the linalg op ``op``, on tensors or on buffers, is; None for any other."""
    for maps, kind in _COPIES.items():
        if has_maps(op, maps, len(maps) - 1) and _computes(op, kind):
            return kind
    return None


def _computes(op: ir.Operation, kind: ByteCopy) -> bool:
    """Whether the elements of ``op`` and its body are those of ``kind``."""
    *inputs, output = (ir.ShapedType(value.type).element_type for value in op.operands)
    body = op.regions[0].blocks[0]
    names = [view.operation.name for view in body.operations]
    if kind is ByteCopy.JOIN:
        same = all(value == op.operands[0] for value in list(op.operands)[:PLANES])
        adds = len(inputs) > PLANES
        return same and inputs[0] == byte_type() and output == word_type() and names == join_names(adds)
    if kind is ByteCopy.SUMS:
        of_nibbles = has_nibbles(op.operands[0].type)
        return inputs == [byte_type()] and output == word_type() and names == [
            *(_HALVES if of_nibbles else ()), "arith.extsi", "arith.muli", "arith.addi", "linalg.yield"]
    if kind in (ByteCopy.NIBBLES, ByteCopy.NIBBLES_OF_ROWS):
        return (op.operands[0] == op.operands[1] and inputs == [byte_type()] * 2 and output == byte_type()
                and (names == _PACK_NIBBLES or (names == _PACK_OFFSET_NIBBLES and flipped_bits(op) == OFFSET_BITS)))
    if inputs != [byte_type()] or output != byte_type():
        return False
    if kind is ByteCopy.ACTIVATIONS and flipped_sign(op) == SIGN:
        return True
    return is_plain_copy(op)


def is_plain_copy(op: ir.Operation) -> bool:
    """Whether the linalg op ``op`` writes what it reads."""
    body = op.regions[0].blocks[0]
    operations = [view.operation for view in body.operations]
    return [inner.name for inner in operations] == ["linalg.yield"] and operations[0].operands[0] == body.arguments[0]


def join_names(adds: bool) -> list[str]:
    """The operations that join planes, and add a number of the column if it ``adds`` one."""
    return ["arith.extui", *["arith.extui", "arith.shli", "arith.ori"] * (PLANES - 1), *["arith.addi"] * adds,
            "linalg.yield"]


def flipped_sign(op: ir.Operation) -> int:
    """What the copy of activations ``op`` flips in each byte; 0 where it just copies."""
    return flipped_bits(op) if len(op.regions[0].blocks[0].operations) == 2 else 0


def flipped_bits(op: ir.Operation) -> int:
    """What linalg op ``op`` flips last in each byte; 0 where it flips none."""
    flip = [view.operation for view in op.regions[0].blocks[0].operations][-2:][0]
    if flip.name != "arith.xori":
        return 0
    value = flip.operands[1]
    known = not isinstance(value.owner, ir.Block) and value.owner.operation.name == "arith.constant"
    return ir.IntegerAttr(value.owner.operation.attributes["value"]).value if known else 0


def unflipped(value: ir.Value) -> ir.Value | None:
    """The bytes of which ``value``, a tensor of signed ones, has all with the first bit flipped; None where an op that
    does just that does not compute it."""
    if isinstance(value.owner, ir.Block):
        return None
    op = value.owner.operation
    if op.name != "linalg.generic" or len(op.operands) != 2 or input_count(op) != 1 or flipped_sign(op) != SIGN:
        return None
    identity = ir.AffineMap.get_identity(ir.RankedTensorType(value.type).rank)
    same = all(ir.AffineMapAttr(map_).value == identity for map_ in indexing_maps(op) or ())
    return op.operands[0] if same else None
