"""Convolutions to tiles for the matrix engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from hexagon_mlir.dialects.kernel_memory import IN_MODEL
from hexagon_mlir.dialects.nibble_weights import has_nibbles
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import functions, names_of, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.engine_convolution.build import ConvolutionBuilder
from hexagon_mlir.passes.engine_convolution.build_bytes import ByteConvolutionBuilder
from hexagon_mlir.passes.engine_convolution.byte_schedule import byte_estimates, bytes_pay, choose_byte_schedule
from hexagon_mlir.passes.engine_convolution.epilogue import bytes_beside, round_once
from hexagon_mlir.passes.engine_convolution.grid import ConvolutionGridBuilder
from hexagon_mlir.passes.engine_convolution.image import Image
from hexagon_mlir.passes.engine_convolution.read import Convolution, read_convolution
from hexagon_mlir.passes.engine_convolution.read_bytes import ByteConvolution, read_byte_convolution
from hexagon_mlir.passes.engine_convolution.schedule import choose_schedule
from hexagon_mlir.passes.engine_convolution.sizes import CLOSE, ConvolutionCost, choose_plan, estimates
from hexagon_mlir.passes.engine_convolution.weights import Weights
from hexagon_mlir.passes.lib.close_estimates import Close, goes_to_engine
from hexagon_mlir.passes.lib.thread_cost import ForkCost
from hexagon_mlir.passes.matrix_engine.byte_schedule import ByteRates
from hexagon_mlir.passes.matrix_engine.byte_sizes import FIRST_WITH_PLANES
from hexagon_mlir.passes.matrix_engine.estimate import Rates

_GAPS = 16
"""The part of TCM that is left for tables, tags and gaps between buffers."""


@dataclass(frozen=True)
class HexagonEngineConvolutionPass(Pass):
    """Rewrites convolutions of f16 or bytes so that the matrix engine can compute them: as products of tiles in TCM.

    A tile of activations has 32 channels of 32 pixels. These lie far apart: the pixels next to them are those of the
    next tile, so that what one tap of a window reads is what other taps of the windows beside it read, and each pixel
    becomes part of one tile or of few. Where taps are no neighbours, there is a tile for each. Groups of channels are
    groups of tiles: each result tile reads those of its group. The image is transferred to TCM once, inside its frame
    of zeros, and there is no matrix of windows in DDR. One of f32 that is rounded for the convolution alone is
    transferred as it is, and rounded there. One image is a grid of parts without loops, as in `hexagon-matrix-engine`:
    of rows of tiles and of the result's channels. Transfers start two parts ahead; while the engine multiplies a part,
    HVX unpacks one before and packs one after. An estimate of the time chooses the parts, and the shape of tiles.
    Several images, and those that exceed the TCM so, are loops over blocks of rows or of channels. Sums stay in the
    engine through all taps; a bias of each channel and a maximum with zero are added to their rounding. Other
    elementwise ops that read the sums follow on rows of the result. All of this is linalg.

    Images of bytes with sums of 32 bits have tiles of 64 pixels, and are exact: the engine gives each sum as four
    planes of bytes, which are joined. Bytes have no sign there, so 128 is added to those with sign, also to the border,
    and 128 times the sum of the weights of each result is subtracted afterwards; where the program subtracts 128 from
    bytes without sign, these are multiplied as they are. Sums that become bytes as the engine converts them are read
    out as such. Several images are a loop. Where the channels of a row of a window are less than a tile, as of images
    of three, the row is one tile: with what follows it in the image, times zeros.

    Before:
        func.func @f(%image: tensor<1x7x15x32xf16>, %weights: tensor<1x1x32x32xf16>) -> tensor<1x4x8x32xf16> {
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<1x4x8x32xf32>
          %start = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4x8x32xf32>) -> tensor<1x4x8x32xf32>
          %sums = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> :
              tensor<2xi64>}
              ins(%image, %weights : tensor<1x7x15x32xf16>, tensor<1x1x32x32xf16>) outs(%start :
                  tensor<1x4x8x32xf32>)
              -> tensor<1x4x8x32xf32>
          %h = tensor.empty() : tensor<1x4x8x32xf16>
          %0 = linalg.generic {indexing_maps = [affine_map<(n, y, x, o) -> (n, y, x, o)>,
              affine_map<(n, y, x, o) -> (n, y, x, o)>], iterator_types = ["parallel", "parallel", "parallel",
                  "parallel"]}
              ins(%sums : tensor<1x4x8x32xf32>) outs(%h : tensor<1x4x8x32xf16>) {
            ^bb0(%x: f32, %old: f16):
              %t = arith.truncf %x : f32 to f16
              linalg.yield %t : f16
          } -> tensor<1x4x8x32xf16>
          return %0 : tensor<1x4x8x32xf16>
        }

    After, folded (always=true):
        #map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0 * 2 + d2 + d5 * 2, d1 * 64 + d3 * 32 + (d6 * 2
            + d8) * 64 + d4 * 32 + d7)>
        #map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d1, d2, d3, d4, d5, d6, d7, d8)>
        #map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d5, d2, d6 * 2 + d7, d4)>
        #map3 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d5, d6, d3, d7)>
        #map4 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
        #map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
        func.func @f(%arg0: tensor<1x7x15x32xf16>, %arg1: tensor<1x1x32x32xf16>) -> tensor<1x4x8x32xf16> {
          %cst = arith.constant 0.000000e+00 : f32
          %cst_0 = arith.constant 0.000000e+00 : f16
          %0 = tensor.empty() : tensor<1x4x8x32xf16>
          %collapsed = tensor.collapse_shape %arg1 [[0], [1, 2], [3]] : tensor<1x1x32x32xf16> into
              tensor<1x32x32xf16>
          %1 = bufferization.alloc_tensor() copy(%collapsed) {memory_space = 1 : i64} : tensor<1x32x32xf16>
          %collapsed_1 = tensor.collapse_shape %arg0 [[0], [1], [2, 3]] : tensor<1x7x15x32xf16> into
              tensor<1x7x480xf16>
          %extracted_slice = tensor.extract_slice %collapsed_1[0, 0, 0] [1, 7, 480] [1, 1, 1] : tensor<1x7x480xf16> to
              tensor<7x480xf16>
          %2 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<7x512xf16>
          %3 = linalg.fill ins(%cst_0 : f16) outs(%2 : tensor<7x512xf16>) -> tensor<7x512xf16>
          %inserted_slice = tensor.insert_slice %extracted_slice into %3[0, 0] [7, 480] [1, 1] : tensor<7x480xf16>
              into tensor<7x512xf16>
          %expanded = tensor.expand_shape %1 [[0], [1, 2], [3, 4]] output_shape [1, 16, 2, 1, 32] :
              tensor<1x32x32xf16> into tensor<1x16x2x1x32xf16>
          %4 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %transposed = linalg.transpose ins(%expanded : tensor<1x16x2x1x32xf16>) outs(%4 : tensor<1x1x16x32x2xf16>)
              permutation = [3, 0, 1, 4, 2]
          %5 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x1x1x1x4x4x32x2xf16>
          %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel",
              "parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%inserted_slice :
                  tensor<7x512xf16>) outs(%5 : tensor<1x1x1x1x1x4x4x32x2xf16>) {
          ^bb0(%in: f16, %out: f16):
            linalg.yield %in : f16
          } -> tensor<1x1x1x1x1x4x4x32x2xf16>
          %collapsed_2 = tensor.collapse_shape %6 [[0, 1], [2, 3, 4], [5, 6], [7], [8]] :
              tensor<1x1x1x1x1x4x4x32x2xf16> into tensor<1x1x16x32x2xf16>
          %7 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf32>
          %8 = linalg.fill ins(%cst : f32) outs(%7 : tensor<1x1x16x32x2xf32>) -> tensor<1x1x16x32x2xf32>
          %9 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel",
              "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%collapsed_2,
                  %transposed : tensor<1x1x16x32x2xf16>, tensor<1x1x16x32x2xf16>) outs(%8 : tensor<1x1x16x32x2xf32>) {
          ^bb0(%in: f16, %in_8: f16, %out: f32):
            %13 = arith.extf %in : f16 to f32
            %14 = arith.extf %in_8 : f16 to f32
            %15 = arith.mulf %13, %14 : f32
            %16 = arith.addf %out, %15 : f32
            linalg.yield %16 : f32
          } -> tensor<1x1x16x32x2xf32>
          %10 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1x1x16x32x2xf16>
          %11 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel",
              "parallel", "parallel"]} ins(%9 : tensor<1x1x16x32x2xf32>) outs(%10 : tensor<1x1x16x32x2xf16>) {
          ^bb0(%in: f32, %out: f16):
            %13 = arith.truncf %in : f32 to f16
            linalg.yield %13 : f16
          } -> tensor<1x1x16x32x2xf16>
          %collapsed_3 = tensor.collapse_shape %11 [[0, 1, 2, 3, 4]] : tensor<1x1x16x32x2xf16> into tensor<1024xf16>
          %expanded_4 = tensor.expand_shape %collapsed_3 [[0, 1, 2, 3, 4]] output_shape [1, 4, 4, 32, 2] :
              tensor<1024xf16> into tensor<1x4x4x32x2xf16>
          %12 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4x1x4x2x32xf16>
          %transposed_5 = linalg.transpose ins(%expanded_4 : tensor<1x4x4x32x2xf16>) outs(%12 :
              tensor<4x1x4x2x32xf16>) permutation = [1, 0, 2, 4, 3]
          %collapsed_6 = tensor.collapse_shape %transposed_5 [[0], [1, 2, 3], [4]] : tensor<4x1x4x2x32xf16> into
              tensor<4x8x32xf16>
          %inserted_slice_7 = tensor.insert_slice %collapsed_6 into %0[0, 0, 0, 0] [1, 4, 8, 32] [1, 1, 1, 1] :
              tensor<4x8x32xf16> into tensor<1x4x8x32xf16>
          return %inserted_slice_7 : tensor<1x4x8x32xf16>
        }

    Options:
        tcm-bytes: bytes one kernel may use; 0 takes the target's whole TCM.
        matrix-engine: whether the engine may be used.
        always: also convolutions that the cost estimate leaves to HVX.
        close: convolutions whose two estimates are within a factor of 2.5, as that of `hexagon-matrix-engine`.

    Refuses (with a remark; the op is left for HVX): images other than f16 and bytes, sums in f32 that are read before
    they are rounded to f16, sums that start from anything but zeros or a bias of each channel, groups of channels that
    are no whole tiles or whose taps of a row are no neighbours, channels that are not last, sizes known at run time
    only, blocks that exceed the budget, convolutions that HVX is estimated to compute in less time. Of bytes: weights
    without sign, sums that are not i32, groups, channels that are no whole tiles (unless those of a row of a window are
    less than one), taps that are no neighbours.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "hexagon-engine-convolution"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    tcm_bytes: int = 0
    matrix_engine: bool = True
    always: bool = False
    close: Close = Close.ESTIMATED

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Rewrite every convolution of ``module`` that pays."""
        if not (self.matrix_engine and context.target.has_matrix_engine):
            return
        constants = SharedConstants()
        for function in functions(module):
            cost = ConvolutionCost.of(context.target, IN_MODEL in function.attributes)
            for op in [op for op in ops_named(function, *names_of("linalg")) if read_convolution(op) is not None]:
                found: Convolution | ByteConvolution | str | None = read_byte_convolution(op)
                if found is None:
                    found = read_convolution(op)  # again: its epilogue may have been rewritten with another convolution
                if isinstance(found, ByteConvolution):
                    with op.location, constants.around(op):
                        self._rewrite_bytes(found, context)
                elif isinstance(found, str):
                    self.remark(context, op, f"left to HVX: {found}")
                elif found is not None:
                    with op.location, constants.around(op):
                        self._rewrite(found, cost, context)

    def _rewrite(self, convolution: Convolution, cost: ConvolutionCost, context: PassContext) -> None:
        target, geometry = context.target, convolution.geometry
        if not self._pays(convolution.op, estimates(geometry, target.lanes(16), cost), context):
            return
        budget = self.tcm_bytes or target.tcm_budget_bytes
        beside = bytes_beside(convolution.epilogues, convolution.op.results[0])
        budget -= budget // _GAPS
        ready = Weights(convolution.weights, geometry).ready
        schedule, rates = None, Rates.of(target)
        if Image.of(convolution.image, convolution.image_shape).wide() is not None:
            schedule = choose_schedule(geometry, budget, beside, ready, True, rates)
        schedule = schedule or choose_schedule(geometry, budget, beside, ready, False, rates)
        plan = choose_plan(geometry, budget, beside)
        if schedule is None and plan is None:
            self.remark(context, convolution.op, "left to HVX: one row of tiles exceeds the TCM budget")
            return
        if not convolution.epilogues:
            convolution = replace(convolution, epilogues=(round_once(convolution.op),))
        with ir.InsertionPoint(convolution.epilogues[0]):
            builder = (ConvolutionBuilder(convolution, plan) if schedule is None
                       else ConvolutionGridBuilder(convolution, schedule))
            results = builder.build()
        operands = [convolution.op.operands[2], convolution.weights, convolution.image]
        for op, result in zip(convolution.epilogues, results, strict=True):
            op.results[0].replace_all_uses_with(result)
            erase_op(op, self.name)
        erase_op(convolution.op, self.name)
        for value in operands:
            _erase_unused(value, self.name)

    def _pays(self, op: ir.Operation, cycles: tuple[float, float], context: PassContext) -> bool:
        return self.always or goes_to_engine(op, cycles, CLOSE, self.close, self, context)

    def _rewrite_bytes(self, convolution: ByteConvolution, context: PassContext) -> None:
        target, geometry, op = context.target, convolution.geometry, convolution.op
        if target.version < FIRST_WITH_PLANES:
            self.remark(context, op, f"left to HVX: sums of 32 bits need v{FIRST_WITH_PLANES}")
            return
        budget = self.tcm_bytes or target.tcm_budget_bytes
        beside = 0 if convolution.epilogue is None else bytes_beside([convolution.epilogue], op.results[0])
        ready, rates = convolution.tiles is not None, ByteRates.of(target)
        nibbles = convolution.tiles is not None and has_nibbles(convolution.tiles.type)
        found = choose_byte_schedule(geometry, budget - budget // _GAPS, beside, ready, rates, nibbles=nibbles)
        if found is None:
            self.remark(context, op, "left to HVX: one row of tiles exceeds the TCM budget")
            return
        schedule, cycles = found
        if ready and not self.always and not bytes_pay(geometry, cycles):
            self.remark(context, op, "left to HVX, which is estimated to compute it in less time")
            return
        if not ready and not self._pays(op, byte_estimates(geometry, cycles, ForkCost.of(target)), context):
            return
        convolution = convolution.to_bytes()
        if convolution.conversion is not None:
            beside = 0 if convolution.epilogue is None else bytes_beside([convolution.epilogue], convolution.read_out)
            found = choose_byte_schedule(geometry, budget - budget // _GAPS, beside, ready, rates, True, nibbles)
            schedule = schedule if found is None else found[0]
        last, operands = convolution.last, list(op.operands)
        with ir.InsertionPoint(last):
            last.results[0].replace_all_uses_with(ByteConvolutionBuilder(convolution, schedule).build())
        for old in convolution.operations:
            erase_op(old, self.name)
        for value in operands:
            _erase_unused(value, self.name)


def _erase_unused(value: ir.Value, origin: str) -> None:
    """The operations that make ``value`` alone, if nothing reads it."""
    if isinstance(value.owner, ir.Block) or any(True for result in value.owner.results for _ in result.uses):
        return
    op = value.owner.operation
    operands = list(op.operands)
    erase_op(op, origin)
    for operand in operands:
        _erase_unused(operand, origin)
