"""Products of bytes by the matrix engine's routines, on tiles that are in TCM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench import byte_tiles
from bench.engine_kernel import engine_kernel
from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.sim import Machine


@dataclass(frozen=True)
class ByteProduct:
    """m x k of u8 times k x n of signed weights of ``bits``: sums of 32 bits, or scaled to u8 with ``requantized``."""

    m: int
    k: int
    n: int
    bits: int
    requantized: bool = False
    in_tcm = True

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{self.m}x{self.k}x{self.n} u8 x int{self.bits} to {'u8' if self.requantized else 'int32'}"

    @property
    def array(self) -> float:
        """Cycles of the multiplier array."""
        return byte_array(self.m, self.k, self.n)

    @property
    def bound(self) -> float:
        """Cycles at best."""
        return self.array

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest difference from the value in numpy."""
        left, right = byte_tiles.random_operands(0, self.m, self.k, self.n, self.bits)
        a, w = byte_tiles.activations(left), byte_tiles.weights(right, self.bits)
        tables = byte_scales(w.shape[0]) if self.requantized else byte_tiles.plane_tables()
        tile_bytes = byte_tiles.TILE * (1 if self.requantized else 4)
        routine = f"hexmlir_engine_ub_{'b' if self.bits == 8 else 'n'}{'' if self.requantized else '_planes'}"
        machine = Machine(emit(engine_kernel(routine, tile_bytes, *a.shape[:2], w.shape[0]), targets.get()))
        results = np.zeros((a.shape[0], w.shape[0], tile_bytes), np.uint8)
        addresses = []
        for array in (a, w, results, tables):
            addresses.append(machine.alloc_tcm(array.nbytes))
            machine.write(addresses[-1], array)
        cycles = machine.run("kernel", addresses).cycles
        found = machine.read(addresses[2], np.uint8, results.size).reshape(results.shape)
        exact = (left.astype(np.float64) @ right.astype(np.float64)).astype(np.int64)
        if self.requantized:
            matrix = found.reshape(*found.shape[:2], byte_tiles.ROWS, -1).transpose(0, 2, 1, 3)
            matrix = matrix.reshape(-1, found.shape[1] * byte_tiles.SIDE)[:self.m, :self.n]
            wanted = scaled(exact)
        else:
            matrix = np.concatenate([byte_tiles.sums(row) for row in found])[:self.m, :self.n]
            wanted = exact
        return cycles, float(np.max(np.abs(matrix - wanted)))


def byte_array(m: int, k: int, n: int) -> float:
    """Cycles of the multiplier array for m x k bytes times k x n bytes or narrower weights."""
    return -(-m // byte_tiles.ROWS) * tiles(k) * tiles(n) * float(targets.get().matrix_byte_tile_cycles.value)


_SHIFT, _BIAS = 12, 1 << 19


def byte_scales(columns: int) -> np.ndarray:
    """A table for each column of tiles: (sum + 2**19) / 2**12, rounded down."""
    tables = np.zeros((columns, 2, byte_tiles.SIDE), np.uint32)
    tables[:, 0], tables[:, 1] = 24 - _SHIFT << 10, _BIAS
    return tables


def scaled(sums: np.ndarray) -> np.ndarray:
    """The bytes that `byte_scales` give for ``sums``."""
    return np.asarray(np.clip(sums + _BIAS >> _SHIFT, 0, 255))
