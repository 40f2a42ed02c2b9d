"""The matrix engine on this machine: its operations as linalg, and the routines that drive it as functions.

Sums are f32 here, not those of the engine's accumulators.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np

from hexagon_mlir.dialects.engine_tiles import (
    BYTE_ROWS,
    COLUMN_TABLE,
    HALF_BYTES,
    PAIR,
    PIECE_EXPONENTS,
    PIECES,
    PLANES,
    TILE,
    WORD,
    EngineProduct,
    byte_tiled_shape,
    tiled_shape,
)
from hexagon_mlir.dialects.engine_windows import UPPER_BIT
from hexagon_mlir.exec.host_byte_columns import bytes_of
from hexagon_mlir.exec.host_columns import convert, converted
from hexagon_mlir.exec.host_tiles import HostTiles, from_nibbles, tiles_to_calls
from hexagon_mlir.ir import HexError, arith, ir, memref
from hexagon_mlir.ir.engine_operations import ENGINE_PRODUCT, ENGINE_WAIT, NIBBLE_WEIGHTS
from hexagon_mlir.ir.make import fill
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.passes.lib.engine_byte_conversions import converting
from hexagon_mlir.passes.lib.engine_byte_products import planes, product_of_byte_tiles
from hexagon_mlir.passes.lib.engine_pieces import splitting
from hexagon_mlir.passes.lib.engine_tiles import product_of_tiles

_Store: TypeAlias = Callable[[np.ndarray, int, int], None]
"""What is done with sums: they, where results are and where tables."""
_Read: TypeAlias = Callable[..., np.ndarray]
"""The weights at an address, so many columns of so many tiles."""
_TILE_BYTES = HALF_BYTES * TILE * TILE


def engine_to_linalg(module: ir.Module) -> None:
    """Replace each operation of the engine in ``module``; those on tiles become calls of functions."""
    tiles_to_calls(module)
    for op in ops_named(module, ENGINE_PRODUCT, ENGINE_WAIT):
        if op.name == ENGINE_PRODUCT:
            with op.location, ir.InsertionPoint(op):
                _multiply(EngineProduct.of(op))
        op.erase()


def _multiply(product: EngineProduct) -> None:
    if not isinstance(ir.MemRefType(product.activations.type).element_type, ir.F16Type):
        _multiply_bytes(product)
        return
    f32 = ir.F32Type.get()
    rows, columns = ir.MemRefType(product.results.type).shape[:2]
    sums = memref.alloc(ir.MemRefType.get(tiled_shape(rows, columns), f32), [], [])
    fill(arith.constant(f32, 0.0), sums)
    product_of_tiles(product.activations, product.weights, sums, product.windows)
    if product.in_pieces:
        splitting(sums, product.results)
    else:
        convert(sums, product.columns, product.results)
    memref.dealloc(sums)


def _multiply_bytes(product: EngineProduct) -> None:
    i32 = ir.IntegerType.get_signless(32)
    rows, columns = ir.MemRefType(product.results.type).shape[:2]
    sums = memref.alloc(ir.MemRefType.get(byte_tiled_shape(rows, columns), i32), [], [])
    fill(arith.constant(i32, 0), sums)
    product_of_byte_tiles(product.activations, product.weights, sums, product.windows)
    if product.in_planes:
        planes(sums, product.results)
    else:
        converting(sums, product.columns, product.results)
    memref.dealloc(sums)


class HostEngine:
    """Who holds the engine, and its products, which only the holder may ask for."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._tiles = HostTiles()
        self.begin()

    def begin(self) -> None:
        """Nobody holds it, and nothing went wrong."""
        self._held = False
        self._fault = ""

    def end(self) -> None:
        """Raise `HexError` for an engine that is kept, or used by nobody that holds it."""
        if self._held:
            self._fault = self._fault or "the matrix engine was never released"
        if self._fault:
            raise HexError.plain(self._fault, origin=self._origin)

    def functions(self) -> dict[str, Any]:
        """The entry points by name."""
        pointer, i32 = ctypes.c_void_p, ctypes.c_int32
        routine = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, i32, i32, pointer)
        return {
            "hexmlir_rt_engine_acquire": ctypes.CFUNCTYPE(None)(lambda: self._hold(True)),
            "hexmlir_rt_engine_release": ctypes.CFUNCTYPE(None)(lambda: self._hold(False)),
            "hexmlir_engine_hf": routine(self._rounded),
            "hexmlir_engine_hf_runs": routine(self._rounded_runs),
            "hexmlir_engine_hf_pieces": routine(self._in_pieces),
            **{f"hexmlir_engine_ub_{kind}{runs}{planes}": routine(partial(multiply, read, store))
               for kind, read in (("b", _byte_weights), ("n", _nibble_weights))
               for runs, multiply in (("", self._multiply_bytes), ("_runs", self._multiply_byte_runs))
               for planes, store in (("", _store_bytes), ("_planes", _store_planes))},
            **self._tiles.functions(),
        }

    def _hold(self, held: bool) -> None:
        if self._held == held:
            self._fault = self._fault or f"the matrix engine was {'acquired' if held else 'released'} twice"
        self._held = held
        self._tiles.clear()

    def _rounded(self, activations: int, weights: int, results: int, reduction: int, columns: int,
                 tables: int) -> None:
        self._store(self._sums(activations, weights, reduction, columns), results, tables)

    def _rounded_runs(self, activations: int, weights: int, results: int, run: int, row: int, tables: int) -> None:
        (runs, tiles), (distance, columns) = divmod(run, 1 << UPPER_BIT), divmod(row, 1 << UPPER_BIT)
        self._check()
        starts = [activations + number * distance * _TILE_BYTES for number in range(runs)]
        left = np.concatenate([_tiles(start, tiles) for start in starts])
        self._store(_sums(left, _tiles(weights, runs * tiles * columns)), results, tables)

    @staticmethod
    def _store(sums: np.ndarray, results: int, tables: int) -> None:
        """Rounded to f16, as the tables say."""
        columns = len(sums)
        table = _table(tables, columns)
        with np.errstate(all="ignore"):  # as the engine, which reports nothing
            _tiles(results, columns)[:] = _in_tiles(converted(sums, table[:, :1], table[:, 1:]))

    def _in_pieces(self, activations: int, weights: int, results: int, reduction: int, columns: int, _: int) -> None:
        coarse, fine = (np.float32(2.0**exponent) for exponent in PIECE_EXPONENTS)
        with np.errstate(all="ignore"):
            sums = self._sums(activations, weights, reduction, columns)
            first = (sums / coarse).astype(np.float16)
            second = (sums - first * coarse) / fine
            tiles = _tiles(results, PIECES * columns)
            tiles[::PIECES], tiles[1::PIECES] = _in_tiles(first), _in_tiles(second)

    def _sums(self, activations: int, weights: int, reduction: int, columns: int) -> np.ndarray:
        """In f32, [column of tiles][row][column]."""
        self._check()
        return _sums(_tiles(activations, reduction), _tiles(weights, reduction * columns))

    def _check(self) -> None:
        if not self._held:
            self._fault = self._fault or "the matrix engine was used without being acquired"

    def _multiply_bytes(self, read: _Read, store: _Store, activations: int, weights: int, results: int, reduction: int,
                        columns: int, tables: int) -> None:
        self._check()
        left = _bytes(activations, reduction, BYTE_ROWS, TILE)
        store(_byte_sums(left, read(weights, columns, reduction)), results, tables)

    def _multiply_byte_runs(self, read: _Read, store: _Store, activations: int, weights: int, results: int, run: int,
                            row: int, tables: int) -> None:
        (runs, tiles), (distance, columns) = divmod(run, 1 << UPPER_BIT), divmod(row, 1 << UPPER_BIT)
        self._check()
        starts = [activations + number * distance * BYTE_ROWS * TILE for number in range(runs)]
        left = np.concatenate([_bytes(start, tiles, BYTE_ROWS, TILE) for start in starts])
        store(_byte_sums(left, read(weights, columns, len(left))), results, tables)


def _byte_sums(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Of activation tiles ``left`` times weight tiles [column of tiles][tile]..: i32 [column of tiles][row][column]."""
    rows = left.astype(np.int32).transpose(1, 0, 2).reshape(BYTE_ROWS, -1)
    matrix = right.astype(np.int32).transpose(0, 1, 2, 4, 3).reshape(len(right), len(left) * TILE, TILE)
    return rows @ matrix


def _byte_weights(address: int, *tiles: int) -> np.ndarray:
    return _bytes(address, *tiles, TILE // WORD, TILE, WORD).view(np.int8)


def _nibble_weights(address: int, *tiles: int) -> np.ndarray:
    return from_nibbles(_bytes(address, *tiles, *NIBBLE_WEIGHTS))


def _store_planes(sums: np.ndarray, results: int, _: int) -> None:
    """The four bytes of ``sums``."""
    parts = sums.astype("<i4").view(np.uint8).reshape(-1, BYTE_ROWS, TILE, PLANES)
    _bytes(results, len(sums), PLANES, BYTE_ROWS, TILE)[:] = parts.transpose(0, 3, 1, 2)


def _store_bytes(sums: np.ndarray, results: int, tables: int) -> None:
    """Scaled to bytes, as the tables say."""
    table = _table(tables, len(sums))
    _bytes(results, len(sums), BYTE_ROWS, TILE)[:] = bytes_of(sums, table[:, :1], table[:, 1:])


def _sums(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Of activation tiles along the reduction and the weight tiles of all columns."""
    reduction = len(left) * TILE
    rows = left.transpose(1, 3, 0, 2).reshape(TILE, reduction)  # [tile][pair][k][row of it]
    matrix = right.transpose(0, 1, 3, 2).reshape(-1, reduction, TILE)  # [tile][pair][column][k of it]
    with np.errstate(all="ignore"):
        return rows.astype(np.float32) @ matrix.astype(np.float32)  # one product for each column of tiles


def _bytes(address: int, *shape: int) -> np.ndarray:
    memory: Any = (ctypes.c_uint8 * prod(shape)).from_address(address)
    return np.frombuffer(memory, np.uint8).reshape(shape)


def _table(address: int, columns: int) -> np.ndarray:
    size = columns * COLUMN_TABLE[0] * COLUMN_TABLE[1]
    return np.frombuffer((ctypes.c_uint32 * size).from_address(address), np.uint32).reshape(columns, *COLUMN_TABLE)


def _in_tiles(sums: np.ndarray) -> np.ndarray:
    """[column of tiles][row][column] of f16, as result tiles."""
    return sums.astype(np.float16).reshape(-1, TILE // PAIR, PAIR, TILE).transpose(0, 1, 3, 2)


def _tiles(address: int, count: int) -> np.ndarray:
    elements = TILE * TILE
    halves = np.frombuffer((ctypes.c_uint16 * (elements * count)).from_address(address), np.float16)
    return halves.reshape(count, TILE // PAIR, TILE, PAIR)
