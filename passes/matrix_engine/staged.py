"""Tiles of a block of rows, of which a few at a time are transferred and packed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.dialects.engine_tiles import TILE, tiled_shape, tiles
from hexagon_mlir.ir import arith, ir, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.engine_tiles import pack_activations
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.matrix_engine.read import Matmul
from hexagon_mlir.passes.matrix_engine.sizes import staged_tiles

LEFT = 0

Fetch = Callable[[ir.Value | None, int], ir.Value]
"""First row in the block, or None for all rows, and number of rows -> these in TCM, filled up to whole tiles."""


def activation_tiles(matmul: Matmul, count: int, fetch: Fetch) -> ir.Value:
    """Tiles of a block of ``count`` rows of the left factor; beside weights in blocks, which leave more room for tiles
    than for rows, `staged_tiles` of them at a time.
    """
    reduction, transposed = matmul.extents[matmul.reduction], matmul.transposed(LEFT)
    step = TILE * staged_tiles(reduction)
    if matmul.codes is None or count <= step:
        return pack_activations(fetch(None, count), transposed)
    shape = tiled_shape(tiles(count), tiles(reduction))

    def packed(first: ir.Value, rows: int, so_far: ir.Value) -> ir.Value:
        part, start = [tiles(rows), *shape[1:]], arith.divui(first, index(TILE))
        into = ir.Operation.create(
            "tensor.extract_slice", results=[ir.RankedTensorType.get(part, ir.F16Type.get())],
            operands=[so_far, start], attributes=_attributes(part, 1)).result
        made = pack_activations(fetch(first, rows), transposed, into)
        return ir.Operation.create("tensor.insert_slice", results=[so_far.type], operands=[made, so_far, start],
                                   attributes=_attributes(part, 2)).result

    block, whole = tcm_tensor(shape, ir.F16Type.get()), count - count % step
    loop = scf.ForOp(index(0), index(whole), index(step), [block])
    with ir.InsertionPoint(loop.body):
        scf.YieldOp([packed(loop.induction_variable, step, loop.inner_iter_args[0])])
    block = loop.results[0]
    return packed(index(whole), count - whole, block) if count > whole else block


def _attributes(sizes: Sequence[int], tensors: int) -> dict[str, ir.Attribute]:
    """Of a slice of ``sizes`` whose first offset is an operand."""
    return {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([*([1] * tensors), 1, 0, 0]),
            "static_offsets": ir.DenseI64ArrayAttr.get([ir.ShapedType.get_dynamic_size(), *[0] * (len(sizes) - 1)]),
            "static_sizes": ir.DenseI64ArrayAttr.get(sizes),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * len(sizes))}
