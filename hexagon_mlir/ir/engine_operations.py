"""The operations of the matrix engine in the dialect ``hexagon``: their names, and what holds for each of them.

What they mean stands in `hexagon_mlir.dialects.engine_tiles`.
"""

from __future__ import annotations

from math import prod

from torch_mlir import ir

ENGINE_PRODUCT = "hexagon.engine_product"
"""``(activations, weights, columns, results)``: a product of tiles, which runs while the thread goes on."""
ENGINE_WAIT = "hexagon.engine_wait"
"""``() {pending?}``: the thread waits for products of the block."""
ENGINE_SCOPE = "hexagon.engine_scope"
"""``() ({ })``: the region holds the engine."""
ENGINE_MULTIPLY = "hexagon.engine_multiply"
"""``(activations, weights)``: adds the product of one row of tiles and one column of tiles to the accumulators."""
ENGINE_CONVERT = "hexagon.engine_convert"
"""``(table) {to, retain?, saturate?}``: converts the accumulators to a tile of numbers of type ``to``."""
ENGINE_STORE = "hexagon.engine_store"
"""``(tile)``: stores the converted tile."""
IN_SCOPE = (ENGINE_MULTIPLY, ENGINE_CONVERT, ENGINE_STORE)
"""Operations on tiles, which stand in a scope."""
RETAIN = "retain"
"""On a conversion that keeps the accumulators; others clear them."""

SATURATE = "saturate"
"""On a conversion to bytes that takes the nearest of 0 to 255; others take the low 8 bits."""

HALF_TILE = (16, 32, 2)
"""Of activations, weights and results in f16."""
BYTE_TILE, BYTE_WEIGHTS = (64, 32), (8, 32, 4)
"""Of activations and planes of results, and of weights, in bytes."""
NIBBLE_WEIGHTS = (4, 32, 4)
"""Of weights of 4 bits, two in a byte."""
PLANES = 4
WORD_BITS = 32
TABLE = (2, 32)
"""Words of a column table."""
PIECE_WORDS = 640
"""Words of the table of a product whose sums become two pieces: a tile of weights and two column tables."""
_TCM = 1
_TILE_DIMS = (2, 3)
"""Dimensions of tiles of a matrix, and of activations that windows share."""


def problem_of(op: ir.Operation) -> str | None:
    """Why the operation of the engine ``op`` is not as it must be; None if it is."""
    types = [value.type for value in op.operands]
    if not all(isinstance(type_, ir.MemRefType) for type_ in types):
        return "works on buffers only"
    for type_ in types:
        if not isinstance(type_.memory_space, ir.IntegerAttr) or type_.memory_space.value != _TCM:
            return f"reads and writes TCM only (memory space 1), not {type_}"
        if not type_.has_static_shape:
            return f"takes tiles of static shape only, not {type_}"
        if not _is_strided(type_):
            return f"takes strided buffers only, not {type_}"
    scope = _scope(op)
    if op.name in IN_SCOPE and scope is None:
        return "must be in a hexagon.engine_scope"
    if op.name not in IN_SCOPE and scope is not None:
        return "must not be in a hexagon.engine_scope"
    return _CHECKS[op.name](op, *types)


def _scope(op: ir.Operation) -> ir.Operation | None:
    """The scope that ``op`` is in."""
    outer = op.parent
    while outer is not None and outer.name not in (ENGINE_SCOPE, "func.func"):
        outer = outer.parent
    return outer if outer is not None and outer.name == ENGINE_SCOPE else None


def _product(op: ir.Operation, *types: ir.MemRefType) -> str | None:
    if len(types) != 4:
        return "takes activations, weights, column tables and results"
    activations, weights, columns, results = types
    tile = _tile(activations)
    if tile is None or _tile_of_weights(weights) != tile or not _ends_with(results, tile):
        return f"takes tiles of f16 or of bytes, not {activations}, {weights} and {results}"
    outer = [list(type_.shape)[:type_.rank - len(of)] for type_, of in (
        (activations, tile), (weights, HALF_TILE), (results, tile))]
    if len(outer[0]) not in _TILE_DIMS or len(outer[1]) != _TILE_DIMS[0] or len(outer[2]) < _TILE_DIMS[0]:
        return f"takes two dimensions of tiles, with windows three of activations, not {activations} and {weights}"
    pieces = tile == HALF_TILE and len(outer[2]) == 3
    per_result = outer[2][2:]
    planes = tile == BYTE_TILE and len(outer[2]) == 3
    if per_result != ([2] if pieces else [PLANES] if planes else []):
        return f"has one tile of f16 or of bytes, two pieces or {PLANES} planes for each sum, not {results}"
    if outer[2][1] != outer[1][0]:
        return f"has {outer[1][0]} columns of weights and {outer[2][1]} of results"
    if len(outer[0]) == _TILE_DIMS[0] and outer[0] != [outer[2][0], outer[1][1]]:
        return f"multiplies {outer[2][0]} rows of {outer[1][1]} tiles, not of {activations}"
    shape = list(columns.shape)
    tables = PLANES if planes else outer[1][0]
    right = shape == [PIECE_WORDS] if pieces else shape[1:] == list(TABLE) and shape[0] >= tables
    return None if right and _is_word(columns) else f"has a table of words for each column or plane, not {columns}"


def _multiply(op: ir.Operation, *types: ir.MemRefType) -> str | None:
    if len(types) != 2:
        return "takes activations and weights"
    activations, weights = types
    tile = _tile(activations)
    if tile is None or tile not in (_tile_of_weights(weights), HALF_TILE if _is_word(weights) else None):
        return f"takes tiles of f16 or of bytes, not {activations} and {weights}"
    if not _is_contiguous(weights, 0) or not _is_contiguous(activations, 1):
        return "takes contiguous weights, and runs of contiguous activations"
    numbers = [prod(activations.shape) // prod(tile), tiles_of_weights(weights)]
    return None if numbers[0] == numbers[1] else f"has {numbers[0]} tiles of activations and {numbers[1]} of weights"


def _convert(op: ir.Operation, *types: ir.MemRefType) -> str | None:
    if len(types) != 1:
        return "takes a column table"
    shape = list(types[0].shape)
    if not _is_word(types[0]) or prod(shape) != prod(TABLE) or not _is_contiguous(types[0], 0):
        return f"takes a contiguous table of {prod(TABLE)} words, not {types[0]}"
    to = op.attributes.get("to")
    if not isinstance(to, ir.TypeAttr) or str(to.value) not in ("f16", "i8"):
        return "converts to f16 or i8"
    for name in (RETAIN, SATURATE):
        if not isinstance(op.attributes.get(name), ir.UnitAttr | None):
            return f"has {name} without a value"
    return "saturates to i8 only" if SATURATE in op.attributes and str(to.value) != "i8" else None


def _store(op: ir.Operation, *types: ir.MemRefType) -> str | None:
    if len(types) != 1:
        return "takes a tile"
    tile = _tile(types[0])
    one = tile is not None and prod(types[0].shape) == prod(tile) and _is_contiguous(types[0], 0)
    return None if one else f"stores one contiguous tile of f16 or of bytes, not {types[0]}"


def _wait(op: ir.Operation) -> str | None:
    pending = op.attributes.get("pending")
    if pending is None or (isinstance(pending, ir.IntegerAttr) and pending.value >= 0):
        return None
    return "has a number of pending products, 0 or more"


_CHECKS = {ENGINE_PRODUCT: _product, ENGINE_WAIT: _wait, ENGINE_SCOPE: lambda op: None, ENGINE_MULTIPLY: _multiply,
           ENGINE_CONVERT: _convert, ENGINE_STORE: _store}


def tiles_of_weights(type_: ir.MemRefType) -> int:
    """Tiles in a buffer of weights, which may be the words of tiles of f16."""
    if _is_word(type_):
        return prod(type_.shape) * 2 // prod(HALF_TILE)
    return prod(list(type_.shape)[:-len(HALF_TILE)])


def _tile(type_: ir.MemRefType) -> tuple[int, ...] | None:
    """The shape of a tile of activations or results of type ``type_``."""
    return next((tile for tile in (HALF_TILE, BYTE_TILE) if _ends_with(type_, tile)), None)


def _tile_of_weights(type_: ir.MemRefType) -> tuple[int, ...] | None:
    """The shape of the activations' tiles that weights of type ``type_`` are multiplied with."""
    if isinstance(type_.element_type, ir.F16Type):
        return HALF_TILE if _ends_with(type_, HALF_TILE) else None
    of_weights = tuple(type_.shape[-len(HALF_TILE):]) in (BYTE_WEIGHTS, NIBBLE_WEIGHTS)
    return BYTE_TILE if _is_integer(type_, 8) and of_weights else None


def _ends_with(type_: ir.MemRefType, tile: tuple[int, ...]) -> bool:
    element = isinstance(type_.element_type, ir.F16Type) if tile == HALF_TILE else _is_integer(type_, 8)
    return element and tuple(type_.shape[-len(tile):]) == tile


def _is_word(type_: ir.MemRefType) -> bool:
    return _is_integer(type_, WORD_BITS)


def _is_integer(type_: ir.MemRefType, bits: int) -> bool:
    return isinstance(type_.element_type, ir.IntegerType) and type_.element_type.width == bits


def _is_strided(type_: ir.MemRefType) -> bool:
    """Whether strides tell where the elements are."""
    try:
        type_.get_strides_and_offset()
    except RuntimeError:
        return False
    return True


def _is_contiguous(type_: ir.MemRefType, outer: int) -> bool:
    """Whether the elements follow each other, but for the first ``outer`` dimensions."""
    expected = 1
    for size, stride in reversed(list(zip(type_.shape, type_.get_strides_and_offset()[0], strict=True))[outer:]):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True
