"""Operations on the matrix engine's tiles on this machine: accumulators, and what a conversion left to be stored.

Sums of f16 are f32 here, not those of the engine's accumulators.
"""

from __future__ import annotations

import ctypes
from math import prod
from typing import Any

import numpy as np

from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, COLUMN_TABLE, PAIR, TILE, WORD
from hexagon_mlir.dialects.nibble_weights import has_nibbles
from hexagon_mlir.exec.host_byte_columns import bytes_of, low_bytes_of
from hexagon_mlir.exec.host_columns import converted
from hexagon_mlir.ir import func, ir
from hexagon_mlir.ir.address import element_address
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.engine_operations import (
    ENGINE_CONVERT,
    ENGINE_MULTIPLY,
    ENGINE_SCOPE,
    ENGINE_STORE,
    IN_SCOPE,
    NIBBLE_WEIGHTS,
    RETAIN,
    SATURATE,
)
from hexagon_mlir.ir.order import nested_ops
from hexagon_mlir.ir.query import element_bytes, ops_named

ACQUIRE, RELEASE = "hexmlir_rt_engine_acquire", "hexmlir_rt_engine_release"
TILE_BYTES = 2 * TILE * TILE
_NAMES = {name: f"host_{name.partition('.')[2]}" for name in IN_SCOPE}
_BYTES, _NIBBLES = "_bytes", "_nibbles"
_SATURATES = 2


def tiles_to_calls(module: ir.Module) -> None:
    """Replace each operation on tiles in ``module`` by a call of a function of `HostTiles`, each scope by calls that
    acquire and release the engine."""
    for scope in ops_named(module, ENGINE_SCOPE):
        for op in nested_ops(scope):
            if op.name in IN_SCOPE:
                with op.location, ir.InsertionPoint(op):
                    _call_for(module, op)
                op.erase()
        with scope.location, ir.InsertionPoint(scope):
            _call(module, ACQUIRE, [])
            for view in [view for block in scope.regions[0].blocks for view in block.operations]:
                view.operation.move_before(scope)
            _call(module, RELEASE, [])
        scope.erase()


def _call_for(module: ir.Module, op: ir.Operation) -> None:
    numbers: list[int] = []
    kind = ""  # a tile that is stored is a tile
    if op.name == ENGINE_MULTIPLY:
        type_ = ir.MemRefType(op.operands[0].type)
        width = element_bytes(type_.element_type)
        distance = type_.get_strides_and_offset()[0][0] * width
        numbers = [type_.shape[0], prod(type_.shape[1:]) * width // TILE_BYTES, distance]
        kind = "" if width != 1 else _NIBBLES if has_nibbles(op.operands[1].type) else _BYTES
    elif op.name == ENGINE_CONVERT:
        numbers = [int(RETAIN in op.attributes) | int(SATURATE in op.attributes) << 1]
        kind = _BYTES if str(ir.TypeAttr(op.attributes["to"]).value) == "i8" else ""
    addresses = [_address(value) for value in op.operands]
    _call(module, _NAMES[op.name] + kind, [*addresses, *map(index, numbers)])


def _address(buffer: ir.Value) -> ir.Value:
    type_ = ir.MemRefType(buffer.type)
    return element_address(buffer, [index(0)] * type_.rank, element_bytes(type_.element_type))


def _call(module: ir.Module, symbol: str, arguments: list[ir.Value]) -> None:
    if not any(op.operation.name == "func.func" and op.sym_name.value == symbol for op in module.body.operations):
        with ir.InsertionPoint.at_block_begin(module.body):
            func.FuncOp(symbol, ([value.type for value in arguments], []), visibility="private")
    func.CallOp([], ir.FlatSymbolRefAttr.get(symbol), arguments)


class HostTiles:
    """The accumulators, of f32 or of i32, and the tile that the last conversion made of them."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Nothing is summed or converted."""
        self._halves = np.zeros((TILE, TILE), np.float32)
        self._words = np.zeros((BYTE_ROWS, TILE), np.int32)
        self._converted: bytes = b""

    def functions(self) -> dict[str, Any]:
        """The entry points by name."""
        size = ctypes.c_size_t
        multiply, convert, store = (ctypes.CFUNCTYPE(None, *[size] * number) for number in (5, 2, 1))
        return {
            _NAMES[ENGINE_MULTIPLY]: multiply(self._multiply),
            _NAMES[ENGINE_MULTIPLY] + _BYTES: multiply(self._multiply_bytes),
            _NAMES[ENGINE_MULTIPLY] + _NIBBLES: multiply(self._multiply_nibbles),
            _NAMES[ENGINE_CONVERT]: convert(self._convert),
            _NAMES[ENGINE_CONVERT] + _BYTES: convert(self._convert_bytes),
            _NAMES[ENGINE_STORE]: store(self._store),
        }

    def _multiply(self, activations: int, weights: int, runs: int, tiles: int, distance: int) -> None:
        left = _runs(activations, runs, tiles, distance).view(np.float16).reshape(-1, TILE // PAIR, TILE, PAIR)
        right = _memory(weights, len(left) * TILE_BYTES).view(np.float16).reshape(left.shape)
        rows, matrix = left.transpose(1, 3, 0, 2).reshape(TILE, -1), right.transpose(0, 1, 3, 2).reshape(-1, TILE)
        with np.errstate(all="ignore"):  # as the engine, which reports nothing
            self._halves += rows.astype(np.float32) @ matrix.astype(np.float32)

    def _multiply_bytes(self, activations: int, weights: int, runs: int, tiles: int, distance: int) -> None:
        right = _memory(weights, runs * tiles * TILE * TILE).view(np.int8).reshape(-1, TILE // WORD, TILE, WORD)
        self._add_products(_runs(activations, runs, tiles, distance), right)

    def _multiply_nibbles(self, activations: int, weights: int, runs: int, tiles: int, distance: int) -> None:
        right = _memory(weights, runs * tiles * prod(NIBBLE_WEIGHTS)).reshape(-1, *NIBBLE_WEIGHTS)
        self._add_products(_runs(activations, runs, tiles, distance), from_nibbles(right))

    def _add_products(self, activations: np.ndarray, right: np.ndarray) -> None:
        left = activations.reshape(-1, BYTE_ROWS, TILE)
        rows, matrix = left.transpose(1, 0, 2).reshape(BYTE_ROWS, -1), right.transpose(0, 1, 3, 2).reshape(-1, TILE)
        self._words += rows.astype(np.int32) @ matrix.astype(np.int32)

    def _convert(self, table: int, retain: int) -> None:
        low, high = _table(table)
        with np.errstate(all="ignore"):
            tile = converted(self._halves, low, high)
        self._converted = tile.reshape(TILE // PAIR, PAIR, TILE).transpose(0, 2, 1).tobytes()
        if not retain:
            self._halves[:] = 0

    def _convert_bytes(self, table: int, flags: int) -> None:
        low, high = _table(table)
        self._converted = (bytes_of if flags & _SATURATES else low_bytes_of)(self._words, low, high).tobytes()
        if not flags & 1:
            self._words[:] = 0

    def _store(self, tile: int) -> None:
        ctypes.memmove(tile, self._converted, len(self._converted))


def from_nibbles(weights: np.ndarray) -> np.ndarray:
    """Weight tiles of nibbles, u8 [..][4][32][4], as those of bytes, int8 [..][8][32][4]."""
    signed = weights.view(np.int8)
    both = np.stack([signed << 4 >> 4, signed >> 4], -3)
    return both.reshape(*weights.shape[:-3], TILE // WORD, TILE, WORD)


def _runs(address: int, runs: int, tiles: int, distance: int) -> np.ndarray:
    return np.concatenate([_memory(address + number * distance, tiles * TILE_BYTES) for number in range(runs)])


def _table(address: int) -> np.ndarray:
    return _memory(address, COLUMN_TABLE[0] * COLUMN_TABLE[1] * 4).view(np.uint32).reshape(COLUMN_TABLE)


def _memory(address: int, size: int) -> np.ndarray:
    memory: Any = (ctypes.c_uint8 * size).from_address(address)
    return np.frombuffer(memory, np.uint8)
