"""Copies between images of bytes and the matrix engine's tiles of their pixels, as linalg.

The pixels of a tile lie far apart, as `hexagon_mlir.dialects.engine_windows` says: those next to them are in the next
tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, PLANES, TILE
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.lib.contractions import read_index
from hexagon_mlir.passes.lib.engine_byte_generics import elementwise, has_maps
from hexagon_mlir.passes.lib.engine_byte_tiles import (
    LOOPS_OF_THREADS,
    SIGN,
    byte_copy,
    flipped_sign,
    is_plain_copy,
    join_names,
)
from hexagon_mlir.passes.lib.loop_nests import Unsupported
from hexagon_mlir.passes.lib.static_slices import extract
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.vector_loop import indexing_maps

_PACK_LOOPS, _JOIN_LOOPS = "(r, t, h, w, c)", "(h, ty, w, tx, ct, c)"
_UNPACK_LOOPS, _UNPACKED = "(h, r, w, t, c)", "(r, t, h, w, c)"
"""Tiles side by side and their channels are one loop."""
_OF_PLANES = [f"(ty, tx, ct, {plane}, h, w, c)" for plane in range(PLANES)]


@dataclass(frozen=True)
class Steps:
    """Where the pixels of tiles lie: rows of the image from a row of tiles to the next one, and from a row of a tile to
    the next one; elements of a row from a tile to the one beside it, and from a pixel of a tile to the next one.
    """

    tile_row: int
    row: int
    tile_column: int
    column: int


def pack_pixels(image: ir.Value, rows: int, columns: int, size: tuple[int, int], steps: Steps,
                signed: bool) -> ir.Value:
    """``rows`` and ``columns`` of tiles of the bytes ``image``, [rows][elements of a row], whose pixels are ``size``,
    [rows][columns][1][64][32]; 128 is added to ``signed`` bytes.
    """
    element, (height, width) = ir.RankedTensorType(image.type).element_type, size
    into = tcm_tensor([rows, columns, height, width, TILE], element)
    source = f"(r * {steps.tile_row} + h * {steps.row}, t * {steps.tile_column} + w * {steps.column} + c)"
    packed = elementwise([image], into, _PACK_LOOPS, [source, _PACK_LOOPS], lambda byte: (
        binary("arith.xori", byte, constant(ir.IntegerAttr.get(element, SIGN))) if signed else byte)).result
    flat = ir.RankedTensorType.get([rows, columns, BYTE_ROWS, TILE], element)
    tiles = tensor.collapse_shape(flat, packed, [[0], [1], [2, 3], [4]])
    shape = [rows, columns, 1, BYTE_ROWS, TILE]
    return tensor.expand_shape(ir.RankedTensorType.get(shape, element), tiles, [[0], [1, 2], [3], [4]], [], shape)


def join_pixels(planes: ir.Value, rows: int, size: tuple[int, int], of_columns: ir.Value | None,
                of_tiles: tuple[range, int]) -> ir.Value:
    """The sums of the ``planes`` of result tiles, ``rows`` of them, whose pixels are ``size``: i32 rows of pixels,
    [rows of pixels][columns of pixels][channels], each plus what ``of_columns``, i32 [N / 32][32], has for its channel.
    ``of_tiles``: the rows of each tile that are wanted, whose neighbours are in the next tile, and how many columns.
    """
    type_, (height, width), word = ir.RankedTensorType(planes.type), size, ir.IntegerType.get_signless(32)
    count, channels = type_.shape[:2]
    across = count // rows
    shape = [rows, across, channels, PLANES, height, width, TILE]
    view = tensor.expand_shape(ir.RankedTensorType.get(shape, type_.element_type), planes,
                               [[0, 1], [2], [3], [4, 5], [6]], [], shape)
    of_rows, width = of_tiles
    view = extract(view, [*shape[:4], len(of_rows), width, TILE], [0, 0, 0, 0, of_rows.start, 0, 0])
    into = tcm_tensor([len(of_rows), rows, width, across, channels, TILE], word)

    def body(*parts: ir.Value) -> ir.Value:
        total = cast("arith.extui", word, parts[0])
        for number, part in enumerate(parts[1:PLANES], 1):
            places = constant(ir.IntegerAttr.get(word, 8 * number))
            total = binary("arith.ori", total, binary("arith.shli", cast("arith.extui", word, part), places))
        return arith.addi(total, parts[PLANES]) if len(parts) > PLANES else total

    added = [] if of_columns is None else [of_columns]
    maps = [*_OF_PLANES, *(["(ct, c)"] * len(added)), _JOIN_LOOPS]
    joined = elementwise([*[view] * PLANES, *added], into, _JOIN_LOOPS, maps, body).result
    flat = ir.RankedTensorType.get([len(of_rows) * rows, width * across, channels * TILE], word)
    return tensor.collapse_shape(flat, joined, [[0, 1], [2, 3], [4, 5]])


def unpack_pixels(tiles: ir.Value, rows: int, size: tuple[int, int]) -> ir.Value:
    """The bytes of result ``tiles`` [M / 64][N / 32][64][32], ``rows`` of them, whose pixels are ``size``: rows of
    pixels [rows of pixels][columns of pixels][channels]."""
    type_, (height, width) = ir.RankedTensorType(tiles.type), size
    count, channels = type_.shape[:2]
    across, element = count // rows, type_.element_type
    shape = [rows, across * channels, height, width, TILE]
    flat = tensor.collapse_shape(ir.RankedTensorType.get([count * channels, BYTE_ROWS, TILE], element), tiles,
                                 [[0, 1], [2], [3]])
    view = tensor.expand_shape(ir.RankedTensorType.get(shape, element), flat, [[0, 1], [2, 3], [4]], [], shape)
    into = tcm_tensor([height, rows, width, across * channels, TILE], element)
    unpacked = elementwise([view], into, _UNPACK_LOOPS, [_UNPACKED, _UNPACK_LOOPS], lambda byte: byte).result
    image = tensor.expand_shape(
        ir.RankedTensorType.get([height, rows, width, across, channels, TILE], element), unpacked,
        [[0], [1], [2], [3, 4], [5]], [], [height, rows, width, across, channels, TILE])
    return tensor.collapse_shape(ir.RankedTensorType.get([height * rows, width * across, channels * TILE], element),
                                 image, [[0, 1], [2, 3], [4, 5]])


def unpacks_pixels(op: ir.Operation) -> bool:
    """True for what `unpack_pixels` writes, on tensors or on buffers."""
    return has_maps(op, (_UNPACK_LOOPS, _UNPACKED, _UNPACK_LOOPS), 2) and is_plain_copy(op)


def steps_of(op: ir.Operation) -> Steps | None:
    """Of the copy that `pack_pixels` writes, on tensors or on buffers; None for any other op."""
    if op.name != "linalg.generic" or len(op.operands) != 2 or input_count(op) != 1:
        return None
    if not isinstance(op.operands[0].type, ir.ShapedType):
        return None
    of_image, of_tiles = (ir.AffineMapAttr(map_).value for map_ in indexing_maps(op) or ())
    elements = [ir.ShapedType(value.type).element_type for value in op.operands]
    if of_tiles != ir.AffineMap.get_identity(_PACK_LOOPS.count(",") + 1) or len(of_image.results) != 2:
        return None
    if elements != [ir.IntegerType.get_signless(8)] * 2 or not (flipped_sign(op) == SIGN or is_plain_copy(op)):
        return None
    try:
        row, column = (read_index(index) for index in of_image.results)
    except Unsupported:
        return None
    r, t, h, w, c = range(of_tiles.n_dims)
    steps = Steps(row.factor(r), row.factor(h), column.factor(t), column.factor(w))
    fits = not row.constant and not column.constant and {loop for loop, _ in row.terms} <= {r, h} and (
        column.factor(c) == 1) and {loop for loop, _ in column.terms} <= {t, w, c}
    return steps if fits else None


def joins_pixels(op: ir.Operation) -> bool:
    """True for what `join_pixels` writes, on tensors or on buffers."""
    if op.name != "linalg.generic" or input_count(op) + 1 != len(op.operands):
        return False
    inputs = list(op.operands)[:-1]
    added = len(inputs) - PLANES
    if added not in (0, 1) or any(value != inputs[0] for value in inputs[:PLANES]):
        return False
    maps = [*_OF_PLANES, *["(ct, c)"] * added, _JOIN_LOOPS]
    names = [view.operation.name for view in op.regions[0].blocks[0].operations]
    return names == join_names(bool(added)) and list(indexing_maps(op) or ()) == _parsed(maps, op.context)


def _parsed(maps: Sequence[str], context: ir.Context) -> list[ir.Attribute]:
    return [ir.Attribute.parse(f"affine_map<{_JOIN_LOOPS} -> {map_}>", context) for map_ in maps]


def shared_loops(op: ir.Operation) -> tuple[int, ...] | None:
    """Loops of a copy to or from tiles of bytes that threads may share; None for any other op."""
    copy = byte_copy(op)
    if copy is not None:
        return LOOPS_OF_THREADS[copy]
    if steps_of(op) is not None:
        return 0, 2
    if unpacks_pixels(op):
        return 0, 1
    return (0, 1) if joins_pixels(op) else None
