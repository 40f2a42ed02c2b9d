"""Whether products of pieces fit the TCM."""

from __future__ import annotations

from math import prod

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.matrix_engine.programs import in_program
from hexagon_mlir.passes.matrix_engine.sizes import GAPS, choose_blocks
from hexagon_mlir.passes.split_products.read import Split

_FACTORS_PART = 4
"""Factors of bf16 stay in TCM where they take one part of so many of it: beside them stand their pieces, the tiles of
these, and results."""
_WIDE = 4
"""Bytes that a result of f32 takes more than one of f16, as tiles and as rows."""


def fits(split: Split, budget: int) -> bool:
    """Whether `hexagon-matrix-engine` can cut the product of pieces into blocks that fit ``budget`` bytes."""
    rows, columns, reduction = split.matmul.sizes
    return choose_blocks(rows, columns, split.products * reduction, budget - budget // GAPS, _WIDE) is not None


def stays_in_tcm(split: Split, budget: int) -> bool:
    """Whether factors of bf16 of a program that loads nothing itself are transferred to TCM, once."""
    types = [ir.RankedTensorType(value.type) for value in split.factors]
    total = sum(element_bytes(type_.element_type) * prod(type_.shape) for type_ in types)
    return not in_program(split.matmul.op) and _FACTORS_PART * total <= budget
