"""Cuts the reduction of a product by weights in blocks, whose left factor exceeds TCM, into products of shorter ones:
each adds its sums, in f32, to those of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from hexagon_mlir.dialects.block_weights import SUPERBLOCK
from hexagon_mlir.dialects.engine_tiles import TILE
from hexagon_mlir.ir import ir, linalg, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.hexagon_dialect import ENGINE_MATRIX
from hexagon_mlir.ir.make import binary, cast, fill
from hexagon_mlir.passes.lib.block_weights import BlockWeights, block_matrix, weights_for_engine
from hexagon_mlir.passes.lib.engine_byte_generics import elementwise
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.static_slices import extract
from hexagon_mlir.passes.lib.vector_loop import indexing_maps
from hexagon_mlir.passes.matrix_engine.read import Matmul

LEFT, RIGHT = range(2)
_LOOPS, _IDENTITY = "(m, n)", "(m, n)"


def can_split(matmul: Matmul, cuts: Sequence[int]) -> bool:
    """Whether `split_reduction` knows the form of ``matmul``: rows by columns, the right factor of codes in blocks, or
    superblocks, that no cut takes apart."""
    row, column, reduction = matmul.row, matmul.column, matmul.reduction
    weights = weights_for_engine(matmul.op.operands[RIGHT])
    if weights is None or any(TILE * cut % (SUPERBLOCK if weights.shared else weights.block) for cut in cuts):
        return False
    return matmul.reads == ((row, reduction), (reduction, column), (row, column))


def split_reduction(matmul: Matmul, cuts: Sequence[int]) -> tuple[list[ir.Operation], ir.Value]:
    """Products of f32 by ``cuts`` tiles of the reduction each, at the insertion point, and the value that replaces the
    result of `Matmul.last`."""
    weights = weights_for_engine(matmul.op.operands[RIGHT])
    assert weights is not None
    rows, columns, reduction = matmul.sizes
    shape = rows, columns
    f32 = ir.F32Type.get()
    products: list[ir.Operation] = []
    sums: ir.Value | None = None
    for first, part in zip(accumulate((0, *cuts)), cuts, strict=False):
        steps = min(part * TILE, reduction - first * TILE)
        left = extract(matmul.op.operands[LEFT], (None, steps), (0, first * TILE))
        of_part = _rows(weights, TILE * first, TILE * part)
        right = block_matrix(ENGINE_MATRIX, of_part, ir.RankedTensorType.get([steps, columns], ir.F16Type.get()))
        zero = fill(constant(ir.FloatAttr.get(f32, 0.0)), tensor.empty(shape, f32)).result
        product = linalg.matmul(left, right, outs=[zero])
        products.append(product.owner.operation)
        if len(products) == len(cuts) and sums is not None:
            return products, _last(matmul, product, sums)
        sums = product if sums is None else elementwise(
            [product, sums], tensor.empty(shape, f32), _LOOPS, (_IDENTITY,) * 3,
            lambda one, other: binary("arith.addf", one, other)).result
    assert sums is not None
    return products, sums


def _rows(weights: BlockWeights, first: int, count: int) -> BlockWeights:
    """``count`` rows of ``weights`` from the ``first`` one on, both whole blocks."""
    def part(value: ir.Value) -> ir.Value:
        each = SUPERBLOCK if value in weights.shared else weights.block
        others = ir.RankedTensorType(value.type).rank - 2
        return extract(value, (None, count // each, *[None] * others), (0, first // each, *[0] * others))

    return weights.mapped(part)


def _last(matmul: Matmul, product: ir.Value, sums: ir.Value) -> ir.Value:
    """What `Matmul.last` makes of ``product`` + ``sums``."""
    if matmul.epilogue is None:
        element = matmul.element

        def total(one: ir.Value, other: ir.Value) -> ir.Value:
            found = binary("arith.addf", one, other)
            return found if element == found.type else cast("arith.truncf", element, found)

        return elementwise([product, sums], tensor.empty(list(ir.RankedTensorType(product.type).shape), element),
                           _LOOPS, (_IDENTITY,) * 3, total).result
    return _with_sums(matmul.epilogue, matmul.op.results[0], product, sums)


def _with_sums(epilogue: ir.Operation, old: ir.Value, product: ir.Value, sums: ir.Value) -> ir.Value:
    """``epilogue``, which reads ``product`` + ``sums`` instead of ``old``."""
    operands, block = list(epilogue.operands), epilogue.regions[0].blocks[0]
    place = operands.index(old)
    *of_inputs, of_output = [ir.AffineMapAttr(map_).value for map_ in indexing_maps(epilogue) or ()]
    inputs = [product if value == old else value for value in operands[:-1]]

    def body(elements: Sequence[ir.Value]) -> ir.Value:
        *given, added, last = elements
        mapping = dict(zip(block.arguments, [*given, last], strict=True))
        mapping[block.arguments[place]] = binary("arith.addf", given[place], added)
        *operations, end = [view.operation for view in block.operations]
        for inner in operations:
            clone(inner, mapping)
        return mapping.get(end.operands[0], end.operands[0])

    return generic([*inputs, sums], operands[-1], [*of_inputs, of_inputs[place], of_output],
                   ["parallel"] * of_output.n_dims, body)
