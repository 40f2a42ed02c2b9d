"""Factors of products whose vectors would have to be gathered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import GENERALIZE, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.contraction.packing import Packing
from hexagon_mlir.passes.contraction.row_products import find_row_products
from hexagon_mlir.passes.contraction.transposed import (
    may_contract,
    scattered_factor,
    straighten,
    transposed_factor,
)
from hexagon_mlir.passes.lib.contractions import read_contraction
from hexagon_mlir.passes.lib.loop_nests import Unsupported, has_floats
from hexagon_mlir.passes.lib.vector_loop import FEW_ROWS


@dataclass(frozen=True)
class HexagonTransposeFactorsPass(Pass):
    """Transposes the factor of a product whose elements along the output's rows are not neighbours in memory.

    The second factor of x @ w.T is such: `hexagon-contraction-vectorization` needs vectors along the columns of the
    output, and would have to gather them. The copy is made in TCM, before the outermost loop in which the factor does
    not change; its rows are padded to whole vectors. Contractions that read the same factor share one copy. A first
    factor in TCM that is given as columns, as in x.T @ w, becomes rows: its elements are loaded as vectors.

    Before:
        func.func @f(%x: memref<64x2xf32>, %w: memref<32x2xf32>, %y: memref<64x32xf32>) {
          linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
              affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%x, %w : memref<64x2xf32>, memref<32x2xf32>) outs(%y : memref<64x32xf32>) {
          ^bb0(%a: f32, %b: f32, %old: f32):
            %0 = arith.mulf %a, %b : f32
            %1 = arith.addf %old, %0 : f32
            linalg.yield %1 : f32
          }
          return
        }

    After:
        func.func @f(%x: memref<64x2xf32>, %w: memref<32x2xf32>, %y: memref<64x32xf32>) {
          %t = memref.alloc() : memref<2x32xf32, 1>
          linalg.transpose ins(%w : memref<32x2xf32>) outs(%t : memref<2x32xf32, 1>) permutation = [1, 0]
          linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
              affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%x, %t : memref<64x2xf32>, memref<2x32xf32, 1>) outs(%y : memref<64x32xf32>) {
          ^bb0(%a: f32, %b: f32, %old: f32):
            %0 = arith.mulf %a, %b : f32
            %1 = arith.addf %old, %0 : f32
            linalg.yield %1 : f32
          }
          memref.dealloc %t : memref<2x32xf32, 1>
          return
        }

    Options: none.

    Refuses: nothing; it leaves alone factors that fewer than eight rows read, those that up to sixteen rows of floats
    read along the reduction, those that give fewer than eight columns where both factors are rows, those of unknown
    size, convolutions, floats on a target whose HVX has none.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-transpose-factors"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (GENERALIZE,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Transpose what pays of every contraction of ``module``."""
        GENERALIZE.run(module, context)
        vector_bytes = int(context.target.vector_bytes.value)
        shared: list[Packing] = []
        for op in [op for op in ops_named(module, "linalg.generic") if may_contract(op)]:
            if not context.target.vector_float and has_floats(op):
                continue
            try:
                contraction, body = read_contraction(op)
            except Unsupported:
                continue
            factor = None if body.product is None else (
                transposed_factor(contraction) or scattered_factor(contraction, op))
            few = FEW_ROWS if find_row_products(contraction, vector_bytes) is not None else 0
            if factor is not None and straighten(op, *factor, vector_bytes, shared, few) is not None:
                erase_op(op, self.name)
