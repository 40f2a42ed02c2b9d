"""Convolutions by the matrix engine's routines, on tiles that are in TCM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench import byte_tiles
from bench.byte_products import byte_scales, scaled
from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.dialects.engine_tiles import BYTE_ROWS, COLUMN_TABLE, IDENTITY_SCALE, PAIR, TILE
from hexagon_mlir.dialects.engine_windows import UPPER_BIT
from hexagon_mlir.passes.engine_convolution.sizes import tile_shapes
from hexagon_mlir.sim import Machine

_TILE_BYTES = 2048
_KERNEL = """
declare void @hexmlir_rt_engine_acquire()
declare void @hexmlir_rt_engine_release()
declare void @{routine}(ptr, ptr, ptr, i32, i32, ptr)
define void @kernel(ptr %a, ptr %w, ptr %o, ptr %t) {{
entry:
  call void @hexmlir_rt_engine_acquire()
  br label %row.begin
row.begin:
  %y = phi i32 [ 0, %entry ], [ %y.next, %row.end ]
  %a.y = phi ptr [ %a, %entry ], [ %a.below, %row.end ]
  %o.y = phi ptr [ %o, %entry ], [ %o.next, %row.end ]
  br label %tile
tile:
  %x = phi i32 [ 0, %row.begin ], [ %x.next, %tile ]
  %a.x = phi ptr [ %a.y, %row.begin ], [ %a.right, %tile ]
  %o.x = phi ptr [ %o.y, %row.begin ], [ %o.next, %tile ]
  call void @{routine}(ptr %a.x, ptr %w, ptr %o.x, i32 {runs}, i32 {outputs}, ptr %t)
  %a.right = getelementptr i8, ptr %a.x, i32 {column}
  %o.next = getelementptr i8, ptr %o.x, i32 {result}
  %x.next = add i32 %x, 1
  %more.x = icmp slt i32 %x.next, {columns}
  br i1 %more.x, label %tile, label %row.end
row.end:
  %a.below = getelementptr i8, ptr %a.y, i32 {row}
  %y.next = add i32 %y, 1
  %more.y = icmp slt i32 %y.next, {rows}
  br i1 %more.y, label %row.begin, label %end
end:
  call void @hexmlir_rt_engine_release()
  ret void
}}
"""
"""Calls ``routine`` for each result tile: those of a row are ``column`` bytes of activations apart, rows ``row``. Sizes
are constants: arguments beyond six would come from the stack, which is in DDR."""


@dataclass(frozen=True)
class TileConvolution:
    """``size`` x ``size`` pixels of the result, ``taps`` x ``taps`` windows, ``step`` pixels apart; channels are whole
    tiles. Elements are f16, or with ``of_bytes`` u8 times s8, scaled to u8."""

    inputs: int
    outputs: int
    size: int
    taps: int
    step: int = 1
    of_bytes: bool = False

    @property
    def name(self) -> str:
        """What the table calls it."""
        step = f"/{self.step}" if self.step > 1 else ""
        return (f"{self.taps}x{self.taps}{step} {self.inputs} to {self.outputs}, {self.size}x{self.size} pixels, "
                f"{'u8 x int8 to u8' if self.of_bytes else 'f16'}")

    @property
    def pixels(self) -> int:
        """Of a tile."""
        return BYTE_ROWS if self.of_bytes else TILE

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the pixels of a tile: few tiles cover the result."""
        return min(tile_shapes(self.size, self.size, self.pixels), key=lambda found: found[1])[0]

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of result tiles."""
        height, width = self.shape
        return -(-self.size // height), -(-self.size // width)

    @property
    def results(self) -> int:
        """Tiles of the result."""
        rows, columns = self.grid
        return rows * columns * (self.outputs // TILE)

    @property
    def bounds(self) -> dict[str, float]:
        """Cycles at best: the products of tiles, and the conversions of results, which run beside them."""
        chip = targets.get()
        cycles = float((chip.matrix_byte_tile_cycles if self.of_bytes else chip.matrix_half_tile_cycles).value)
        read_out = float(chip.matrix_convert_cycles.value) + float(chip.matrix_store_cycles.value)
        return {"MACs": self.results * self.taps**2 * (self.inputs // TILE) * cycles,
                "conversions": self.results * read_out}

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest difference from the value in numpy, of f16 over the sum of magnitudes."""
        (rows, columns), channels = self.grid, self.inputs // TILE
        places = [(count - 1) * self.step + self.taps for count in (rows, columns)]
        image, weights = self._operands()
        run, runs = (self.taps * channels, self.taps) if self.taps > 1 else (channels, 1)
        row = places[1] * channels
        kernel = _KERNEL.format(
            routine=f"hexmlir_engine_{'ub_b' if self.of_bytes else 'hf'}_runs", rows=rows, columns=columns,
            row=self.step * row * _TILE_BYTES, column=self.step * channels * _TILE_BYTES,
            result=self.outputs // TILE * _TILE_BYTES, runs=run + (runs << UPPER_BIT),
            outputs=self.outputs // TILE + (row << UPPER_BIT))
        machine = Machine(emit(kernel, targets.get()))
        results = np.zeros((rows, columns, self.outputs // TILE, _TILE_BYTES), np.uint8)
        addresses = []
        for array in (self._activations(image, places), self._weight_tiles(weights), results, self._table()):
            addresses.append(machine.alloc_tcm(array.nbytes, _TILE_BYTES))
            machine.write(addresses[-1], np.ascontiguousarray(array).view(np.uint8).reshape(-1))
        cycles = machine.run("kernel", addresses).cycles
        found = self._pixels(machine.read(addresses[2], np.uint8, results.size).reshape(results.shape))
        return cycles, self._error(found, image, weights)

    def _operands(self) -> tuple[np.ndarray, np.ndarray]:
        """The image with all pixels that the tiles' windows read, and the weights (taps, taps, inputs, outputs)."""
        height, width = ((side * count - 1) * self.step + self.taps
                         for side, count in zip(self.shape, self.grid, strict=True))
        rng, window = np.random.default_rng(0), (self.taps, self.taps, self.inputs, self.outputs)
        if self.of_bytes:
            return (rng.integers(0, 256, (height, width, self.inputs)).astype(np.uint8),
                    rng.integers(-128, 128, window).astype(np.int8))
        return (rng.standard_normal((height, width, self.inputs)).astype(np.float16),
                rng.standard_normal(window).astype(np.float16))

    def _activations(self, image: np.ndarray, places: list[int]) -> np.ndarray:
        """A tile for each place of a tap: its pixels are as far apart as there are rows and columns of tiles."""
        far = [count * self.step for count in self.grid]
        tiles = np.empty((*places, self.inputs // TILE, self.pixels, TILE), image.dtype)
        for y, x in np.ndindex(*places):
            part = image[y::far[0], x::far[1]][:self.shape[0], :self.shape[1]]
            tiles[y, x] = part.reshape(self.pixels, -1, TILE).transpose(1, 0, 2)
        if self.of_bytes:
            return tiles
        return tiles.reshape(*tiles.shape[:3], TILE // PAIR, PAIR, TILE).swapaxes(-1, -2)

    def _weight_tiles(self, weights: np.ndarray) -> np.ndarray:
        matrix = weights.reshape(-1, self.outputs)
        if self.of_bytes:
            return byte_tiles.weights(matrix, 8)
        columns = self.outputs // TILE
        return matrix.reshape(-1, TILE // PAIR, PAIR, columns, TILE).transpose(3, 0, 1, 4, 2)

    def _table(self) -> np.ndarray:
        if self.of_bytes:
            return byte_scales(self.outputs // TILE)
        tables = np.zeros((self.outputs // TILE, *COLUMN_TABLE), np.uint32)
        tables[:, 0] = IDENTITY_SCALE
        return tables

    def _pixels(self, tiles: np.ndarray) -> np.ndarray:
        """The result (height, width, outputs) of all pixels of tiles."""
        rows, columns, outputs, _ = tiles.shape
        height, width = self.shape
        if self.of_bytes:
            matrix = tiles.reshape(rows, columns, outputs, height, width, TILE)
        else:
            pairs = tiles.view(np.float16).reshape(rows, columns, outputs, TILE // PAIR, TILE, PAIR)
            matrix = pairs.swapaxes(-1, -2).reshape(rows, columns, outputs, height, width, TILE)
        return matrix.transpose(3, 0, 4, 1, 2, 5).reshape(height * rows, width * columns, -1)

    def _error(self, found: np.ndarray, image: np.ndarray, weights: np.ndarray) -> float:
        exact, size = np.zeros(found.shape), np.zeros(found.shape)
        for y, x in np.ndindex(self.taps, self.taps):
            part = image[y::self.step, x::self.step][:found.shape[0], :found.shape[1]].astype(np.float64)
            matrix = weights[y, x].astype(np.float64)
            exact += part @ matrix
            size += np.abs(part) @ np.abs(matrix)
        if self.of_bytes:
            return float(np.max(np.abs(found - scaled(exact.astype(np.int64)))))
        return float(np.max(np.abs(found - exact) / size))
