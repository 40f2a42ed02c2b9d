"""Products whose right factor is a matrix of weights in blocks, read into plain records."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.dialects.block_weights import BLOCKS
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.hexagon_dialect import BLOCK_MATRIX
from hexagon_mlir.passes.lib.block_weights import BlockWeights, weights_of
from hexagon_mlir.passes.lib.contractions import multiplies_and_adds
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_product

LEFT, RIGHT = range(2)
_VECTOR_MAPS = (["(d0, d1) -> (d1)", "(d0, d1) -> (d1, d0)", "(d0, d1) -> (d0)"],
                ["(d0, d1) -> (d0)", "(d0, d1) -> (d0, d1)", "(d0, d1) -> (d1)"])
"""Of a row times a matrix, its columns' loop first or last."""


@dataclass(frozen=True)
class BlockProduct:
    """``op`` multiplies ``rows`` x ``depth`` floats with ``weights`` of ``depth`` x ``columns``, in
    blocks."""

    op: ir.Operation
    rows: int
    columns: int
    depth: int
    weights: BlockWeights


def read_block_product(op: ir.Operation) -> BlockProduct | str | None:
    """What linalg op ``op`` on tensors multiplies with such weights; why it is computed otherwise; None for others."""
    if len(op.operands) <= RIGHT or isinstance(op.operands[RIGHT].owner, ir.Block):
        return None
    matrix = op.operands[RIGHT].owner.operation
    if matrix.name != BLOCK_MATRIX:
        return None
    sizes = product_sizes(op)
    if not isinstance(sizes, tuple):
        return sizes
    rows, columns, depth = sizes
    weights = weights_of(matrix)
    if weights.block not in BLOCKS:
        return f"blocks of {weights.block}"
    return BlockProduct(op, rows, columns, depth, weights)


def product_sizes(op: ir.Operation) -> tuple[int, int, int] | str | None:
    """Rows, columns and depth of linalg op ``op`` on tensors, if it multiplies a vector or matrix of floats with a
    matrix; why it cannot be a product with weights in blocks; None for others."""
    types = [ir.RankedTensorType(value.type) for value in (op.operands[LEFT], op.results[0])]
    if not all(isinstance(type_.element_type, ir.F16Type | ir.BF16Type | ir.F32Type) for type_ in types):
        return "its factors are not floats"
    sizes = _vector_sizes(op)
    if sizes is not None:
        return sizes
    found = read_product(op)
    if not isinstance(found, Matmul):
        return found
    if found.batches or any(map(found.transposed, range(3))):
        return "batches, or a transposed factor"
    return found.sizes


def _vector_sizes(op: ir.Operation) -> tuple[int, int, int] | None:
    """Sizes of a product of a vector with a matrix; None for any other op."""
    maps = indexing_maps(op)
    if maps is None or [str(ir.AffineMapAttr(map_).value) for map_ in maps] not in _VECTOR_MAPS:
        return None
    depth, columns = ir.RankedTensorType(op.operands[RIGHT].type).shape
    return (1, columns, depth) if multiplies_and_adds(op) else None
