"""Products of f16 with two pieces for each sum by the matrix engine's routine, on tiles that are in TCM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.engine_kernel import engine_kernel
from bench.engine_product import EngineProduct
from hexagon_mlir import targets
from hexagon_mlir.codegen import emit
from hexagon_mlir.dialects.engine_tiles import PAIR, PIECE_EXPONENTS, PIECES, TILE, piece_fills, tiles
from hexagon_mlir.sim import Machine, RunResult


@dataclass(frozen=True)
class PieceProduct(EngineProduct):
    """m x k times k x n of f16, in whole tiles, with results of f32 as two pieces."""

    in_tcm = True

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"{super().name} to f32"

    def run(self) -> tuple[int, float]:
        """Cycles, and the largest difference from the exact value, over the sum of magnitudes."""
        rng = np.random.default_rng(0)
        left, right = (rng.standard_normal(shape).astype(np.float16)
                       for shape in ((self.m, self.k), (self.k, self.n)))
        found, result = on_tiles(left, right)
        wide = [array.astype(np.float64) for array in (left, right)]
        size = np.abs(wide[0]) @ np.abs(wide[1])
        return result.cycles, float(np.max(np.abs(found - wide[0] @ wide[1]) / size))


def on_tiles(left: np.ndarray, right: np.ndarray, chip: str = targets.DEFAULT,
             check: bool = False) -> tuple[np.ndarray, RunResult]:
    """The sums of both pieces in f64, and the run; sizes are whole tiles."""
    m, k, n = (tiles(size) for size in (*left.shape, right.shape[1]))
    kernel = engine_kernel("hexmlir_engine_hf_pieces", PIECES * PAIR * TILE * TILE, m, k, n)
    machine = Machine(emit(kernel, targets.get(chip)), chip, check=check)
    half = TILE // PAIR
    activations = left.reshape(m, half, PAIR, k, TILE).transpose(0, 3, 1, 4, 2)
    weights = right.reshape(k, half, PAIR, n, TILE).transpose(3, 0, 1, 4, 2)
    results = np.zeros((m, n, PIECES, half, TILE, PAIR), np.float16)
    addresses = []
    for array in (activations, weights, results, piece_table()):
        addresses.append(machine.alloc_tcm(array.nbytes, TILE * TILE * PAIR))
        machine.write(addresses[-1], np.ascontiguousarray(array).view(np.uint8).reshape(-1))
    result = machine.run("kernel", addresses)
    pieces = machine.read(addresses[2], np.float16, results.size).reshape(results.shape).astype(np.float64)
    sums = sum(pieces[:, :, piece] * 2.0**exponent for piece, exponent in enumerate(PIECE_EXPONENTS))
    return np.asarray(sums).transpose(0, 2, 4, 1, 3).reshape(m * TILE, n * TILE), result


def piece_table() -> np.ndarray:
    """The words of the routine's table."""
    fills = piece_fills()
    table = np.zeros(fills[0].number, np.uint32)
    for fill in fills:
        table[fill.first:fill.first + fill.number * fill.step:fill.step] = fill.word
    return table
