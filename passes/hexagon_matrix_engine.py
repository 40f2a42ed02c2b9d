"""Products of matrices to tiles for the matrix engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

from hexagon_mlir.dialects.nibble_weights import has_nibbles
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.hexagon_dialect import ACTIVATION_MATRIX, ACTIVATION_TILES, ENGINE_MATRIX, WEIGHT_MATRIX
from hexagon_mlir.ir.query import functions, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.block_tiles import tile_bytes, vector_cycles
from hexagon_mlir.passes.lib.block_weights import erase_unused
from hexagon_mlir.passes.lib.close_estimates import Close, goes_to_engine
from hexagon_mlir.passes.lib.engine_cost import EngineCost, block_cycles, loop_cycles
from hexagon_mlir.passes.lib.engine_tiles import is_engine_product
from hexagon_mlir.passes.lib.half_product_cost import batch_cycles, hvx_cycles, row_cycles
from hexagon_mlir.passes.matrix_engine.batch_grid import BatchGridBuilder, in_groups
from hexagon_mlir.passes.matrix_engine.batch_schedule import choose_groups
from hexagon_mlir.passes.matrix_engine.build import MatmulBuilder
from hexagon_mlir.passes.matrix_engine.build_bytes import ByteMatmulBuilder
from hexagon_mlir.passes.matrix_engine.byte_grid import ByteGridBuilder
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates, ByteSizes, choose_byte_grid
from hexagon_mlir.passes.matrix_engine.byte_sizes import (
    FIRST_WITH_PLANES,
    SUM_BYTES,
    ByteCost,
    byte_cycles,
    choose_byte_blocks,
)
from hexagon_mlir.passes.matrix_engine.columns import ColumnsBuilder
from hexagon_mlir.passes.matrix_engine.estimate import Rates, Sizes, choose_grid
from hexagon_mlir.passes.matrix_engine.folding import bias_bytes
from hexagon_mlir.passes.matrix_engine.grid import GridBuilder
from hexagon_mlir.passes.matrix_engine.head_grid import HeadGridBuilder, fits
from hexagon_mlir.passes.matrix_engine.heads import read_heads
from hexagon_mlir.passes.matrix_engine.packed import packed_weights, tiles_or_rows, unpack_matrix
from hexagon_mlir.passes.matrix_engine.programs import in_program, is_local
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_matmul
from hexagon_mlir.passes.matrix_engine.read_bytes import ByteMatmul, read_byte_matmul
from hexagon_mlir.passes.matrix_engine.rounding import round_once
from hexagon_mlir.passes.matrix_engine.schedule import Grid
from hexagon_mlir.passes.matrix_engine.sizes import GAPS, choose_blocks, choose_column_parts, choose_cuts
from hexagon_mlir.passes.matrix_engine.split_reduction import can_split, split_reduction
from hexagon_mlir.passes.matrix_engine.tile_grid import TileGridBuilder, kept_as_tiles
from hexagon_mlir.passes.matrix_engine.vectors import NAMES, as_one_row, multiplies_vector

_RIGHT = 1
_FEW_ROWS = 4
"""Of each product of a batch: HVX reads the other factor once for them, the engine takes it as tiles."""
_CLOSE = 1.5
"""Of 800 random products of f16 and 400 of bytes, measured both ways, those that an estimate puts in the wrong place
have estimates closer than 1.4."""
_CLOSE_TRANSPOSED = 4.0
"""Where an operand is transposed, which neither estimate knows: of 20 such products, 3.1."""
_CLOSE_WIDE = 2.0
"""Where the result is of f32, which takes the engine two conversions: of 200 such products, 1.6."""
_CLOSE_ROW = 3.0
"""Of one row: HVX takes up to three times the estimate where the rows of the matrix are no whole vectors."""


@dataclass(frozen=True)
class HexagonMatrixEnginePass(Pass):
    """Rewrites products of matrices so that the matrix engine can compute them: as products of tiles in TCM.

    Blocks of both factors are copied to TCM, filled up with zeros to whole tiles and transposed to the engine's
    layouts; tiles are multiplied; the sums rounded to f16, or split into two pieces of f16 where the program reads them
    as f32; the result's tiles transposed to rows, pieces added, on which an elementwise op that reads the product
    follows (an activation function, a residual). If this op adds a bias of f16 for each column, or takes the maximum
    with zero, and rounds to f16, the engine does so before it rounds; a bias of sums that stay f32 is added as pieces
    are. f32 sums that several ops read and round are rounded once. Weights that
    `pack-engine-weights` has packed are multiplied as they are, those of 4 bits after each was multiplied by its scale:
    of these, a few rows of the left factor at a time are transferred and packed, so that more of them stay in TCM. A
    vector times a matrix is a matrix of one row. All of this is linalg, which `form-virtual-threads` works on;
    `form-engine-products` gives the products of tiles to the engine.

    The blocks are a grid without loops where that fits TCM. One factor stays there, packed once; blocks of the other
    one follow. Copies stand where their transfers should start (`overlap-transfers`), two blocks ahead; results are
    unpacked two products later, while the engine computes; a result that is only read as heads of columns goes to where
    these are read. An estimate of the time chooses the blocks. Of a batch,
    the products of several matrices are one product of tiles: the group that is transferred, packed and unpacked at
    once. Other products, and batches that are not an outer dimension of all operands, are loops over blocks, which the
    double-buffering passes work on. By weights of 4 bits these are loops over columns,
    ``hexagon.scheduled``: a few parts of the columns beside each other, as in a grid, and the next iteration's first
    part beside the last product. Where all rows of the left factor do not fit, the reduction is cut: sums of f32 are
    added up.

    Products of bytes with sums of 32 bits are exact: the engine gives each sum as four planes of bytes, which are
    joined. The left factor's bytes have no sign there, so 128 is added to those with sign, unless they were bytes
    without sign before 128 was subtracted, and 128 times the sum of the weights of each column is subtracted
    afterwards, which comes with weights that `pack-engine-weights` has packed. These may have 4 bits: two of them are
    in a byte in memory, in TCM too, and the engine multiplies them so. In a grid, so are weights of which two columns
    or two rows are in a byte, as `widen-nibbles` and `recognize-nibbles` unpack them: the bytes are transferred, and
    HVX makes tiles of them. Where an
    elementwise op begins with the conversion of the sums to bytes that is the engine's
    (`hexagon_mlir.dialects.byte_conversions`), the engine does it, by a table for each column, and gives one tile of
    bytes.

    Before:
        func.func @f(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>) -> tensor<32x32xf16> {
          %zero = arith.constant 0.0 : f16
          %init = tensor.empty() : tensor<32x32xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%init : tensor<32x32xf16>) -> tensor<32x32xf16>
          %0 = linalg.matmul ins(%a, %b : tensor<32x32xf16>, tensor<32x32xf16>) outs(%sums : tensor<32x32xf16>)
              -> tensor<32x32xf16>
          return %0 : tensor<32x32xf16>
        }

    After, folded (always=true):
        #map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, d2, d6 * 2 + d7, d4)>
        #map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d5, d6, d3, d7)>
        #map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
        #map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
        func.func @f(%arg0: tensor<32x32xf16>, %arg1: tensor<32x32xf16>) -> tensor<32x32xf16> {
          %cst = arith.constant 0.000000e+00 : f32
          %0 = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<32x32xf16>
          %1 = bufferization.alloc_tensor() copy(%arg1) {memory_space = 1 : i64} : tensor<32x32xf16>
          %expanded = tensor.expand_shape %0 [[0, 1, 2], [3, 4]] output_shape [1, 16, 2, 1, 32] : tensor<32x32xf16>
              into tensor<1x16x2x1x32xf16>
          %2 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %transposed = linalg.transpose ins(%expanded : tensor<1x16x2x1x32xf16>) outs(%2 : tensor<1x1x16x32x2xf16>)
              permutation = [0, 3, 1, 4, 2]
          %expanded_0 = tensor.expand_shape %1 [[0, 1, 2], [3, 4]] output_shape [1, 16, 2, 1, 32] :
              tensor<32x32xf16> into tensor<1x16x2x1x32xf16>
          %3 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %transposed_1 = linalg.transpose ins(%expanded_0 : tensor<1x16x2x1x32xf16>) outs(%3 :
              tensor<1x1x16x32x2xf16>) permutation = [3, 0, 1, 4, 2]
          %4 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf32>
          %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<1x1x16x32x2xf32>) -> tensor<1x1x16x32x2xf32>
          %6 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel",
              "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%transposed,
              %transposed_1 : tensor<1x1x16x32x2xf16>, tensor<1x1x16x32x2xf16>) outs(%5 : tensor<1x1x16x32x2xf32>) {
          ^bb0(%in: f16, %in_3: f16, %out: f32):
            %10 = arith.extf %in : f16 to f32
            %11 = arith.extf %in_3 : f16 to f32
            %12 = arith.mulf %10, %11 : f32
            %13 = arith.addf %out, %12 : f32
            linalg.yield %13 : f32
          } -> tensor<1x1x16x32x2xf32>
          %7 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %8 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel",
              "parallel", "parallel"]} ins(%6 : tensor<1x1x16x32x2xf32>) outs(%7 : tensor<1x1x16x32x2xf16>) {
          ^bb0(%in: f32, %out: f16):
            %10 = arith.truncf %in : f32 to f16
            linalg.yield %10 : f16
          } -> tensor<1x1x16x32x2xf16>
          %9 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x16x2x1x32xf16>
          %transposed_2 = linalg.transpose ins(%8 : tensor<1x1x16x32x2xf16>) outs(%9 : tensor<1x16x2x1x32xf16>)
              permutation = [0, 2, 4, 1, 3]
          %collapsed = tensor.collapse_shape %transposed_2 [[0, 1, 2], [3, 4]] : tensor<1x16x2x1x32xf16> into
              tensor<32x32xf16>
          return %collapsed : tensor<32x32xf16>
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.
        matrix-engine: whether the engine may be used.
        always: also products that the cost estimate leaves to HVX.
        gaps: what part of these bytes, one over it, is left for tables and gaps between buffers.
        close: products whose two estimates are within a factor of 1.5, of 2 with results of f32, of 3 with one row,
            of 4 with transposed operands: "estimated" goes where less time is estimated, "engine" and "hvx" there,
            "refused" is an error. The compiler refuses them, where it can measure both ways.

    Refuses (with a remark; the op is left for HVX): factors other than f16 and bytes, products of f16 with sums other
    than f16 and f32 (v73: f32 that are not rounded to f16) or sums that start from anything but zeros, right factors of
    bytes without sign, sums of bytes that are not i32 or start from a matrix, transposed results of bytes, sizes known
    at run time only, several loops of rows or of the reduction, one row of tiles whose factors exceed the budget,
    products that HVX is estimated to compute in less time, batches of products of up to four rows.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-matrix-engine"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    tcm_bytes: int = 0
    matrix_engine: bool = True
    always: bool = False
    gaps: int = GAPS
    close: Close = Close.ESTIMATED

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every product of ``module`` that pays."""
        if self.matrix_engine and context.target.has_matrix_engine:
            self._rewrite_products(module, context)
        for op in ops_named(module, WEIGHT_MATRIX, ENGINE_MATRIX):
            if any(True for _ in op.results[0].uses):
                with op.location, ir.InsertionPoint(op):
                    op.results[0].replace_all_uses_with(unpack_matrix(op))
        for op in ops_named(module, ACTIVATION_MATRIX, ACTIVATION_TILES):
            if any(True for _ in op.results[0].uses):
                with op.location, ir.InsertionPoint(op):
                    op.results[0].replace_all_uses_with(tiles_or_rows(op))
        erase_unused(module, [WEIGHT_MATRIX, ENGINE_MATRIX, ACTIVATION_MATRIX, ACTIVATION_TILES], self.name)

    def _rewrite_products(self, module: ir.Module, context: PassContext) -> None:
        constants = SharedConstants()
        for op in [op for op in ops_named(module, *NAMES) if multiplies_vector(op)]:
            if packed_weights(op.operands[1]) is None and not self._row_pays(op, context):
                continue
            with op.location, ir.InsertionPoint(op):
                op.results[0].replace_all_uses_with(as_one_row(op))
            erase_op(op, self.name)
        for function in functions(module):
            cost = EngineCost.of(context.target)
            byte_cost = ByteCost.of(context.target)
            products = [op for op in ops_named(function, *names_of("linalg"))
                        if not is_engine_product(op) and not multiplies_vector(op) and read_matmul(op) is not None]
            for op in products:
                found = read_byte_matmul(op)
                if found is None:
                    found = read_matmul(op)  # again: its epilogue may have been rewritten with another product
                if isinstance(found, ByteMatmul):
                    with op.location, constants.around(op):
                        self._rewrite_bytes(found, byte_cost, context)
                elif isinstance(found, str):
                    self.remark(context, op, f"left to HVX: {found}")
                elif found is not None:
                    with op.location, ir.InsertionPoint(found.last), constants.around(op):
                        self._rewrite(found, cost, context)

    def _rewrite(self, matmul: Matmul, cost: EngineCost, context: PassContext) -> None:
        target, sizes = context.target, matmul.sizes
        if matmul.in_f32 and not target.has_matrix_pieces:
            self.remark(context, matmul.op, "left to HVX: the engine's bias registers hold one table, f32 takes two")
            return
        if matmul.batches and matmul.packed is None and sizes[0] <= _FEW_ROWS:
            self.remark(context, matmul.op, f"left to HVX: batches of {sizes[0]} rows")
            return
        budget = self.tcm_bytes or target.tcm_budget_bytes
        folding, for_tables = matmul.folding, budget // self.gaps // 2
        if folding is not None and folding.bias is not None and bias_bytes(sizes[1]) > for_tables:
            unfolded = read_matmul(matmul.op, folds=False)
            assert isinstance(unfolded, Matmul)
            matmul = unfolded
        budget -= budget // self.gaps
        weights, grid = matmul.packed, None
        codes = matmul.codes
        code_bytes = 0 if codes is None else tile_bytes(codes)
        code_cycles = 0.0 if codes is None else vector_cycles(codes.operands, codes.bits, target)
        alone = matmul.op.parent.operation.name == "func.func"  # loops where others stand around it
        of_factors = Sizes(*sizes, matmul.epilogue_bytes, weights is not None, code_bytes, code_cycles)
        if matmul.batches and alone and in_groups(matmul) and self._rewrite_batch(matmul, of_factors, budget, cost,
                                                                                  context):
            return
        if not matmul.batches and alone:
            grid = choose_grid(of_factors, budget, Rates.of(target))
        hvx = hvx_cycles(*sizes, cost.hvx) if sizes[0] > 1 else row_cycles(*sizes[1:], cost.hvx)
        if matmul.packed is None and not self._pays(
                matmul.op, _engine_cycles(sizes, grid, cost), hvx, _close(matmul), context):
            return
        loaded = in_program(matmul.op) and all(is_local(factor) for factor in list(matmul.op.operands)[:2])
        blocks = choose_blocks(*sizes, budget, matmul.epilogue_bytes, code_bytes, loaded)
        if blocks is None and grid is None:
            self.remark(context, matmul.op, "left to HVX: one row and one column of tiles exceed the TCM budget")
            return
        matmul = round_once(matmul)
        parts = None
        if code_bytes and grid is None:
            cuts = choose_cuts(*sizes, budget, code_bytes, matmul.epilogue_bytes) if target.has_matrix_pieces else ()
            cuts = cuts if can_split(matmul, cuts) else ()
            if len(cuts) > 1:
                self._rewrite_cut(matmul, cuts, cost, context)
                return
            parts = choose_column_parts(*sizes, budget, code_bytes, matmul.epilogue_bytes)
        taken = kept_as_tiles(matmul) if grid is not None else None
        if grid is not None and taken is not None:
            taken.results[0].replace_all_uses_with(TileGridBuilder(matmul, grid[0]).build())
            erase_op(taken, self.name)
            self._erase(matmul)
            return
        heads = read_heads(matmul) if grid is not None else None
        if grid is not None and heads is not None and fits(grid[0], heads):
            for one, result in zip(heads, HeadGridBuilder(matmul, grid[0], heads).build_all(), strict=True):
                one.op.results[0].replace_all_uses_with(result)
            read = [op for one in heads for op in (*one.views, one.op)]
            for op in [view.operation for view in reversed(list(matmul.last.block.operations))]:
                if op in read:
                    erase_op(op, self.name)
        else:
            builder = (GridBuilder(matmul, grid[0]) if grid is not None else ColumnsBuilder(matmul, parts)
                       if parts is not None else MatmulBuilder(matmul, blocks))
            matmul.last.results[0].replace_all_uses_with(builder.build())
        self._erase(matmul)

    def _rewrite_batch(self, matmul: Matmul, sizes: Sizes, budget: int, cost: EngineCost, context: PassContext) -> bool:
        """Whether ``matmul``, products of ``sizes``, is written in groups or left to HVX; False for loops."""
        *outer, count = (matmul.extents[loop] for loop in matmul.batches)
        found = choose_groups(prod(outer), count, sizes, budget, Rates.of(context.target))
        if found is None:
            return False
        groups, cycles = found
        rows, columns, steps = matmul.sizes
        hvx = batch_cycles(prod(outer) * count, rows, columns, steps, cost.hvx)
        if self._pays(matmul.op, cycles, hvx, _close(matmul), context):
            matmul = round_once(matmul)
            matmul.last.results[0].replace_all_uses_with(BatchGridBuilder(matmul, groups).build())
            self._erase(matmul)
        return True

    def _row_pays(self, op: ir.Operation, context: PassContext) -> bool:
        """Whether ``op``, of `multiplies_vector`, goes to the engine."""
        target = context.target
        columns, = ir.RankedTensorType(op.operands[2].type).shape
        depth, = ir.RankedTensorType(op.operands[0].type).shape
        in_f32 = not isinstance(ir.RankedTensorType(op.operands[2].type).element_type, ir.F16Type)
        if in_f32 and not target.has_matrix_pieces:
            self.remark(context, op, "left to HVX: the engine's bias registers hold one table, f32 takes two")
            return False
        cost, budget = EngineCost.of(target), self.tcm_bytes or target.tcm_budget_bytes
        sizes = Sizes(1, columns, depth, SUM_BYTES if in_f32 else 0)
        grid = choose_grid(sizes, budget - budget // self.gaps, Rates.of(target))
        return self._pays(op, _engine_cycles((1, columns, depth), grid, cost), row_cycles(columns, depth, cost.hvx),
                          _CLOSE_ROW, context)

    def _pays(self, op: ir.Operation, engine: float, hvx: float, factor: float, context: PassContext) -> bool:
        """Whether product ``op`` goes to the engine; these cycles are estimated there and on HVX, and close to each
        other within ``factor``."""
        return self.always or goes_to_engine(op, (engine, hvx), factor, self.close, self, context)

    def _rewrite_cut(self, matmul: Matmul, cuts: tuple[int, ...], cost: EngineCost, context: PassContext) -> None:
        """Rewrite ``matmul`` as products of ``cuts`` tiles of its reduction."""
        products, result = split_reduction(matmul, cuts)
        matmul.last.results[0].replace_all_uses_with(result)
        self._erase(matmul)
        for op in products:
            found = read_matmul(op)
            assert isinstance(found, Matmul)
            with ir.InsertionPoint(found.last):
                self._rewrite(found, cost, context)

    def _rewrite_bytes(self, product: ByteMatmul, cost: ByteCost, context: PassContext) -> None:
        target, matmul = context.target, product.matmul
        if target.version < FIRST_WITH_PLANES:
            self.remark(context, matmul.op, f"left to HVX: sums of 32 bits need v{FIRST_WITH_PLANES}")
            return
        budget = self.tcm_bytes or target.tcm_budget_bytes
        budget -= budget // self.gaps
        grid = None
        if not matmul.batches and matmul.op.parent.operation.name == "func.func":  # loops where others stand around it
            nibbles = (product.nibble_pairs is not None if matmul.packed is None
                       else has_nibbles(matmul.packed.type))
            sizes = ByteSizes(*matmul.sizes, matmul.epilogue_bytes, matmul.packed is not None, nibbles=nibbles)
            grid = choose_byte_grid(sizes, budget, ByteRates.of(target))
        of_grid = None if grid is None else (len(grid[0].steps), grid[1])
        engine, hvx = byte_cycles(*matmul.sizes, cost, of_grid)
        if matmul.packed is None and not self._pays(matmul.op, engine, hvx, _close(matmul), context):
            return
        product = product.to_bytes()
        matmul = product.matmul
        if grid is not None and product.conversion is not None:
            sizes = replace(sizes, epilogue_bytes=matmul.epilogue_bytes, converted=True)
            grid = choose_byte_grid(sizes, budget, ByteRates.of(target)) or grid
        blocks = choose_byte_blocks(*matmul.sizes, budget, matmul.epilogue_bytes)
        if grid is None and blocks is None:
            self.remark(context, matmul.op, "left to HVX: one row and one column of tiles exceed the TCM budget")
            return
        product = product.without_signs()
        with ir.InsertionPoint(matmul.last):
            builder = ByteGridBuilder(product, grid[0]) if grid is not None else ByteMatmulBuilder(product, blocks)
            matmul.last.results[0].replace_all_uses_with(builder.build())
        unpacking = product.matmul.op.operands[_RIGHT].owner if grid is not None and product.nibble_pairs else None
        self._erase(matmul)
        if unpacking is not None:
            self._erase_unpacking(unpacking)

    def _erase_unpacking(self, collapse: ir.Operation) -> None:
        """What unpacked the nibbles of a product that has their bytes now, unless others read it."""
        wide = collapse.operands[0].owner
        for op in (collapse, wide):
            if any(True for _ in op.results[0].uses):
                return
            erase_op(op, self.name)

    def _erase(self, matmul: Matmul) -> None:
        """What computed the product before."""
        start = matmul.op.operands[2].owner
        for op in dict.fromkeys((matmul.last, matmul.converted or matmul.op, matmul.op)):
            erase_op(op, self.name)
        if not any(True for result in start.results for _ in result.uses):
            erase_op(start, self.name)


def _engine_cycles(sizes: tuple[int, int, int], grid: tuple[Grid, float] | None, cost: EngineCost) -> float:
    """Estimated cycles on the engine of a product of ``sizes`` in ``grid``; None for loops over blocks."""
    if grid is None:
        return loop_cycles(*sizes, cost)
    return grid[1] if len(grid[0].steps) > 1 else block_cycles(*sizes, cost)


def _close(matmul: Matmul) -> float:
    """The factor within which estimates of ``matmul`` are too close to tell which way takes less time."""
    if matmul.sizes[0] == 1:
        return _CLOSE_ROW
    if any(map(matmul.transposed, range(3))):
        return _CLOSE_TRANSPOSED
    return _CLOSE_WIDE if matmul.in_f32 else _CLOSE
