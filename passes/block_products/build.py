"""A product of a few rows with weights in blocks as linalg on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.dialects.block_weights import COLUMNS, LANES, PARITIES, PLANES, rows_shape
from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, cast
from hexagon_mlir.passes.block_products.read import LEFT, BlockProduct
from hexagon_mlir.passes.lib.block_products import FixedPointRows, block_product
from hexagon_mlir.passes.lib.engine_tiles import zeros
from hexagon_mlir.passes.lib.fixed_point import or_nan, planes_of, specials_of, sums_of, totals_of, units_of
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.static_slices import extract
from hexagon_mlir.passes.matrix_engine.read import starts_from_zero


class BlockProductBuilder:
    """Builds ``product`` at the insertion point."""

    def __init__(self, product: BlockProduct):
        self.product = product
        element = ir.RankedTensorType(product.op.operands[LEFT].type).element_type
        self.planes = PLANES[element.width]

    def build(self) -> ir.Value:
        """The result of the product."""
        product, f32 = self.product, ir.F32Type.get()
        tiles = -(-product.columns // COLUMNS)
        sums = zeros(tensor.empty([product.rows, tiles, LANES, PARITIES], f32))
        rows, specials = self._fixed_point()
        sums = block_product(rows, product.weights, sums).result
        whole = tensor.collapse_shape(ir.RankedTensorType.get([product.rows, tiles * COLUMNS], f32), sums,
                                      [[0], [1, 2, 3]])
        if tiles * COLUMNS > product.columns:
            whole = extract(whole, (product.rows, product.columns), (0, 0))
        return self._finished(whole, specials)

    def _fixed_point(self) -> tuple[FixedPointRows, ir.Value]:
        """The left factor, and what tells rows with an infinity or a NaN."""
        product = self.product
        blocks = -(-product.depth // product.weights.block)
        shape = [product.rows, blocks, product.weights.block]
        left = product.op.operands[LEFT]
        type_ = ir.RankedTensorType(left.type)
        if type_.rank == 1:
            row = [1, *type_.shape]
            left = tensor.expand_shape(ir.RankedTensorType.get(row, type_.element_type), left, [[0, 1]], [], row)
        left = _filled_up(left, blocks * product.weights.block)
        rows = tensor.expand_shape(ir.RankedTensorType.get(shape, ir.RankedTensorType(left.type).element_type), left,
                                   [[0], [1, 2]], [], shape)
        exponents, units = units_of(rows, self.planes)
        planes = planes_of(rows, exponents, self.planes)
        wide = rows_shape(product.rows, product.depth, product.weights.block, product.weights.bits, self.planes)
        expanded = tensor.expand_shape(ir.RankedTensorType.get(wide, ir.RankedTensorType(planes.type).element_type),
                                       planes, [[0], [1], [2], [3, 4, 5]], [], wide)
        sums = totals_of(rows) if product.weights.has_minima else sums_of(planes)
        return FixedPointRows(expanded, units, sums), specials_of(exponents)

    def _finished(self, sums: ir.Value, specials: ir.Value) -> ir.Value:
        """``sums`` of f32 as the product has them: added to what it adds to, of its type; NaN where a row has one."""
        op, f32 = self.product.op, ir.F32Type.get()
        start = op.operands[len(op.operands) - 1]
        result = ir.RankedTensorType(op.results[0].type)
        adds = not starts_from_zero(start)

        def body(given: Sequence[ir.Value]) -> ir.Value:
            total = or_nan(given[0], given[1])
            if adds:
                old = given[2] if isinstance(given[2].type, ir.F32Type) else cast("arith.extf", f32, given[2])
                total = binary("arith.addf", old, total)
            return total if result.element_type == f32 else cast("arith.truncf", result.element_type, total)

        if result.rank == 1:
            sums = tensor.collapse_shape(ir.RankedTensorType.get(result.shape, f32), sums, [[0, 1]])
        same = ir.AffineMap.get_identity(result.rank)
        row = ir.AffineConstantExpr.get(0) if result.rank == 1 else ir.AffineDimExpr.get(0)
        inputs = [sums, specials, start] if adds else [sums, specials]
        maps = [same, ir.AffineMap.get(result.rank, 0, [row]), same, *([same] if adds else [])]
        return generic(inputs, tensor.empty(result.shape, result.element_type), maps, ["parallel"] * result.rank, body)


def _filled_up(rows: ir.Value, depth: int) -> ir.Value:
    """``rows`` with zeros up to ``depth`` elements."""
    type_ = ir.RankedTensorType(rows.type)
    count, own = type_.shape
    if own == depth:
        return rows
    zero = constant(ir.FloatAttr.get(type_.element_type, 0.0))
    whole = ir.RankedTensorType.get([count, depth], type_.element_type)
    pad = ir.Operation.create("tensor.pad", results=[whole], operands=[rows], regions=1, attributes={
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 0]),
        "static_low": ir.DenseI64ArrayAttr.get([0, 0]), "static_high": ir.DenseI64ArrayAttr.get([0, depth - own])})
    index = ir.IndexType.get()
    block = pad.regions[0].blocks.append(index, index, arg_locs=[pad.location] * 2)
    with ir.InsertionPoint(block):
        ir.Operation.create("tensor.yield", operands=[zero])
    return pad.result
