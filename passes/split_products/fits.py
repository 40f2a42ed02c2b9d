"""Whether products of pieces fit the TCM."""

from __future__ import annotations

from hexagon_mlir.passes.matrix_engine.sizes import GAPS, choose_blocks
from hexagon_mlir.passes.split_products.read import Split

_WIDE = 4
"""Bytes that a result of f32 takes more than one of f16, as tiles and as rows."""


def fits(split: Split, budget: int) -> bool:
    """Whether `hexagon-matrix-engine` can cut the product of pieces into blocks that fit ``budget`` bytes."""
    rows, columns, reduction = split.matmul.sizes
    return choose_blocks(rows, columns, split.products * reduction, budget - budget // GAPS, _WIDE) is not None
