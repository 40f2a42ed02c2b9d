"""Matrices, rows and columns in the layout of the matrix engine's tiles, in views whose last dimension is a vector.

=====================  =====================================================================================
tiles of M x N         ``[M / 32][N / 32][16][64]``: the last dimension is 32 columns of a pair of rows
one number a row       ``[M / 32][16][64]``: the number of each row of a pair, as often as a tile has columns
one number a column    ``[N / 32][64]``: each number twice
=====================  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.dialects.engine_tiles import PAIR, TILE, tiles
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor

PAIRS, LANES = TILE // PAIR, TILE * PAIR
LOOPS = 4
"""Of an op on tiles: rows of tiles, columns of tiles, pairs of rows, lanes."""
TILES, ROWS, COLUMNS, SCALAR = (0, 1, 2, 3), (0, 2, 3), (1, 3), ()
"""Which of these loops index an operand."""


def shape_of(dims: tuple[int, ...], rows: int, columns: int) -> list[int]:
    """Shape of an operand that loops ``dims`` index, of a matrix of ``rows`` x ``columns``."""
    sizes = [tiles(rows), tiles(columns), PAIRS, LANES]
    return [sizes[dim] for dim in dims]


def with_pairs(value: ir.Value) -> ir.Value:
    """``value`` with its lanes as columns and rows of a pair: ``[..][32][2]``."""
    type_ = ir.RankedTensorType(value.type)
    shape = [*type_.shape[:-1], TILE, PAIR]
    pairs = ir.RankedTensorType.get(shape, type_.element_type)
    return tensor.expand_shape(pairs, value, _groups(len(shape)), [], shape)


def with_lanes(value: ir.Value) -> ir.Value:
    """``value``, ``[..][32][2]``, with these two dimensions as one."""
    type_ = ir.RankedTensorType(value.type)
    shape = [*type_.shape[:-2], LANES]
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, type_.element_type), value, _groups(type_.rank))


def _groups(rank: int) -> list[list[int]]:
    return [*([dim] for dim in range(rank - 2)), [rank - 2, rank - 1]]


def generic(inputs: Sequence[tuple[ir.Value, Sequence[int]]], output: tuple[ir.Value, Sequence[int]],
            reductions: Sequence[int], body: Callable[[list[ir.Value]], ir.Value]) -> ir.Value:
    """A linalg.generic of operands and the loops that index them; ``body`` maps their elements to the new one. Loops
    are numbered as they are used; those that index nothing are left out.
    """
    operands = [*inputs, output]
    used = sorted({dim for _, dims in operands for dim in dims})
    maps = [ir.AffineMap.get(len(used), 0, [ir.AffineDimExpr.get(used.index(dim)) for dim in dims])
            for _, dims in operands]
    kinds = ", ".join(f"#linalg.iterator_type<{'reduction' if dim in reductions else 'parallel'}>" for dim in used)
    values = [value for value, _ in operands]
    op = ir.Operation.create(
        "linalg.generic", results=[output[0].type], operands=values, regions=1,
        attributes={"indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for map_ in maps]),
                    "iterator_types": ir.Attribute.parse(f"[{kinds}]"),
                    "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1])})
    elements = [getattr(value.type, "element_type", value.type) for value in values]
    block = op.regions[0].blocks.append(*elements, arg_locs=[op.location] * len(elements))
    with ir.InsertionPoint(block):
        ir.Operation.create("linalg.yield", operands=[body(list(block.arguments))])
    return op.result


def to_all_columns(value: ir.Value, combine: Callable[[ir.Value, ir.Value], ir.Value], start: ir.Value) -> ir.Value:
    """One number a row, from ``value`` that has one for each of 32 columns: all of them combined, from ``start``, one
    number a row, on."""
    rows, pair, column, row_of_pair, other = range(5)
    result = generic([(with_pairs(value), (rows, pair, other, row_of_pair))],
                     (with_pairs(start), (rows, pair, column, row_of_pair)), (other,),
                     lambda elements: combine(*elements))
    return with_lanes(result)


def copied(value: ir.Value, dims: Sequence[int], shape: Sequence[int], into: Sequence[int]) -> ir.Value:
    """``value``, which loops ``dims`` index, as a tensor of ``shape`` in TCM that loops ``into`` index."""
    out = tcm_tensor(shape, ir.RankedTensorType(value.type).element_type)
    return generic([(value, dims)], (out, into), (), lambda elements: elements[0])
