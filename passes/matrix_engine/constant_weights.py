"""Constant right factors of products of bytes: whether the engine multiplies their tiles, and the tiles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hexagon_mlir.dialects.packed_weights import weight_matrix
from hexagon_mlir.dialects.weight_tiles import are_nibbles, nibble_tiles, signed_column_sums, weight_tiles
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates, ByteSizes, choose_byte_grid
from hexagon_mlir.passes.matrix_engine.byte_sizes import ByteCost, byte_cycles, choose_byte_blocks
from hexagon_mlir.targets import Target


def constant_array(value: ir.Value) -> NDArray[np.generic] | None:
    """The elements of ``value``, a matrix of bytes, if it is a constant whose elements are known here."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return None
    attribute = value.owner.operation.attributes["value"]
    return np.array(attribute) if isinstance(attribute, ir.DenseIntElementsAttr) else None


def estimated_cycles(sizes: tuple[int, int, int], nibbles: bool, budget: int, target: Target
                     ) -> tuple[float, float] | None:
    """Estimated cycles on the engine and on HVX of a product of ``sizes`` (rows, columns, steps) by tiles of bytes, or
    of ``nibbles``; None where no blocks fit ``budget`` bytes of TCM."""
    grid = choose_byte_grid(ByteSizes(*sizes, packed=True, nibbles=nibbles), budget, ByteRates.of(target))
    if grid is None and choose_byte_blocks(*sizes, budget) is None:
        return None
    return byte_cycles(*sizes, ByteCost.of(target), None if grid is None else (len(grid[0].steps), grid[1]))


def as_tiles(matrix: ir.Value, weight: NDArray[np.generic], signed: bool) -> ir.Value:
    """``matrix``, whose elements are ``weight``, as constant tiles at the insertion point; where the bytes it is
    multiplied by are ``signed``, with the sums of its columns."""
    made = nibble_tiles(weight) if are_nibbles(weight) else weight_tiles(weight)
    sums = _dense(signed_column_sums(weight)) if signed else None
    return weight_matrix(_dense(made), matrix.type, sums).results[0]


def _dense(values: NDArray[np.generic]) -> ir.Value:
    return constant(ir.DenseElementsAttr.get(values))
