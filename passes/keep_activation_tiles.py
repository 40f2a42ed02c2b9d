"""Activations that stay tiles of the matrix engine from kernel to kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import ir
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.activation_tiles.read import Activation, read_activation
from hexagon_mlir.passes.activation_tiles.rewrite import keep_tiles
from hexagon_mlir.passes.lib.constant_factors import models_of


@dataclass(frozen=True)
class KeepActivationTilesPass(Pass):
    """Lets kernels of a model return tiles of the matrix engine where other kernels multiply them by packed weights.

    Results of the engine have the layout of its left factors. A kernel that computes a product, and functions of its
    elements, and one that computes the heads of an attention, need not make rows of them, and the kernels that read
    them need not pack them: these begin to multiply at once. A function with ``hexagon.constants`` calls kernels; what
    `pack-engine-weights` has packed tells which products the engine computes.

    Before:
        func.func private @first(%a: tensor<32x64xf16>, %w: tensor<2x2x16x32x2xf16>) -> tensor<32x64xf16> {
          %zero = arith.constant 0.0 : f16
          %none = tensor.empty() : tensor<32x64xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x64xf16>) -> tensor<32x64xf16>
          %b = "hexagon.weight_matrix"(%w) : (tensor<2x2x16x32x2xf16>) -> tensor<64x64xf16>
          %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x64xf16>) outs(%sums : tensor<32x64xf16>) ->
              tensor<32x64xf16>
          return %0 : tensor<32x64xf16>
        }
        func.func private @second(%a: tensor<32x64xf16>, %w: tensor<1x2x16x32x2xf16>) -> tensor<32x32xf16> {
          %zero = arith.constant 0.0 : f16
          %none = tensor.empty() : tensor<32x32xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
          %b = "hexagon.weight_matrix"(%w) : (tensor<1x2x16x32x2xf16>) -> tensor<64x32xf16>
          %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x32xf16>) outs(%sums : tensor<32x32xf16>) ->
              tensor<32x32xf16>
          return %0 : tensor<32x32xf16>
        }
        func.func @model(%a: tensor<32x64xf16>, %v: tensor<2x2x16x32x2xf16>, %w: tensor<1x2x16x32x2xf16>) ->
            tensor<32x32xf16> attributes {hexagon.constants = array<i64: 1, 2>} {
          %0 = call @first(%a, %v) : (tensor<32x64xf16>, tensor<2x2x16x32x2xf16>) -> tensor<32x64xf16>
          %1 = call @second(%0, %w) : (tensor<32x64xf16>, tensor<1x2x16x32x2xf16>) -> tensor<32x32xf16>
          return %1 : tensor<32x32xf16>
        }

    After:
        func.func private @first(%a: tensor<32x64xf16>, %w: tensor<2x2x16x32x2xf16>) -> tensor<1x2x16x32x2xf16> {
          %zero = arith.constant 0.0 : f16
          %none = tensor.empty() : tensor<32x64xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x64xf16>) -> tensor<32x64xf16>
          %b = "hexagon.weight_matrix"(%w) : (tensor<2x2x16x32x2xf16>) -> tensor<64x64xf16>
          %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x64xf16>) outs(%sums : tensor<32x64xf16>) ->
              tensor<32x64xf16>
          %1 = "hexagon.activation_tiles"(%0) : (tensor<32x64xf16>) -> tensor<1x2x16x32x2xf16>
          return %1 : tensor<1x2x16x32x2xf16>
        }
        func.func private @second(%a: tensor<1x2x16x32x2xf16>, %w: tensor<1x2x16x32x2xf16>) -> tensor<32x32xf16> {
          %m = "hexagon.activation_matrix"(%a) : (tensor<1x2x16x32x2xf16>) -> tensor<32x64xf16>
          %zero = arith.constant 0.0 : f16
          %none = tensor.empty() : tensor<32x32xf16>
          %sums = linalg.fill ins(%zero : f16) outs(%none : tensor<32x32xf16>) -> tensor<32x32xf16>
          %b = "hexagon.weight_matrix"(%w) : (tensor<1x2x16x32x2xf16>) -> tensor<64x32xf16>
          %0 = linalg.matmul ins(%m, %b : tensor<32x64xf16>, tensor<64x32xf16>) outs(%sums : tensor<32x32xf16>) ->
              tensor<32x32xf16>
          return %0 : tensor<32x32xf16>
        }
        func.func @model(%a: tensor<32x64xf16>, %v: tensor<2x2x16x32x2xf16>, %w: tensor<1x2x16x32x2xf16>) ->
            tensor<32x32xf16> attributes {hexagon.constants = array<i64: 1, 2>} {
          %0 = call @first(%a, %v) : (tensor<32x64xf16>, tensor<2x2x16x32x2xf16>) -> tensor<1x2x16x32x2xf16>
          %1 = call @second(%0, %w) : (tensor<1x2x16x32x2xf16>, tensor<1x2x16x32x2xf16>) -> tensor<32x32xf16>
          return %1 : tensor<32x32xf16>
        }

    Options:
        none

    Refuses (with a remark; rows stay): results that are not computed element by element from one product of the
    engine, or with others of their size; columns, of a head too, that are no whole tiles: of the zeros that fill them
    up a function may make infinities; few rows, which tiles would fill up to more than one and a half times as many. It
    leaves alone what anything but products with packed weights reads, and kernels that are called several times.

    Needs: tensor.
    Leaves: tensor.
    """

    name: ClassVar[str] = "keep-activation-tiles"
    needs: ClassVar[str] = "tensor"
    leaves: ClassVar[str] = "tensor"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at each result of each kernel that a model calls once."""
        for _, pairs in models_of(module):
            calls = dict(pairs)
            for call in calls:
                for number in range(len(call.results)):
                    found = read_activation(call, number, calls)
                    if isinstance(found, Activation):
                        keep_tiles(found, self.name)
                    elif found is not None:
                        self.remark(context, call, f"result {number} stays rows: {found}")
