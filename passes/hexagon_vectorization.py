"""Linalg on buffers to HVX vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import CLEAN, GENERALIZE, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Unsupported, has_floats, read_nest
from hexagon_mlir.passes.vectorization.affine import expand_applies
from hexagon_mlir.passes.vectorization.bits import bits_as_bytes
from hexagon_mlir.passes.vectorization.choose import make_plan, vector_lanes
from hexagon_mlir.passes.vectorization.collapse import collapsed, loop_groups
from hexagon_mlir.passes.vectorization.emit import NestEmitter
from hexagon_mlir.passes.vectorization.periodic import choose_periodic_rows, in_one_loop
from hexagon_mlir.passes.vectorization.plan import VectorizationPlan
from hexagon_mlir.passes.vectorization.short_rows import choose_short_rows


@dataclass(frozen=True)
class HexagonVectorizationPass(Pass):
    """Turns each linalg op on buffers into loops over whole HVX vectors with a masked tail.

    Loops over contiguous memory are collapsed into one loop first; short rows also where a row is broadcast to them:
    its vectors repeat. An operand that is contiguous along another loop than the vectorized one (a transpose) is
    transposed in registers, block by block. Rows of up to 16 elements are deinterleaved, so that vectors run across the
    rows. An operand with a stride of up to 8, forwards or backwards, is loaded as so many vectors, from which lanes are
    picked; the elements between strided ones are never written. Elements of a table that are contiguous along the
    vectorized loop, in ascending or descending order from a position that the body computes, are loaded as vectors too.
    Elements at any position of a table of up to 256 elements are looked up in registers, by ``hexagon.look_up``.
    Conditions on indices become one comparison of lane numbers with a bound. Conditions in memory are bytes. Maxima and
    minima of floats, including NaN, are computed on integers in the same order.

    Before:
        func.func @double(%x: memref<32xf32>, %y: memref<32xf32>) {
          linalg.add ins(%x, %x : memref<32xf32>, memref<32xf32>) outs(%y : memref<32xf32>)
          return
        }

    After:
        func.func @double(%x: memref<32xf32>, %y: memref<32xf32>) {
          %c0 = arith.constant 0 : index
          %0 = vector.load %x[%c0] {alignment = 4 : i64} : memref<32xf32>, vector<32xf32>
          %1 = arith.addf %0, %0 : vector<32xf32>
          vector.store %1, %y[%c0] {alignment = 4 : i64} : memref<32xf32>, vector<32xf32>
          return
        }

    Options:
        unroll: vectors per loop iteration; 0 chooses by the size of the body.

    Refuses (with a remark; the op is left for scalar loops):
        elements without an HVX lane (f64, i64), indices other than plain loop indices, operands that are contiguous
        along three different loops, bodies with other ops than arith and math, reductions whose combiner is not known
        to be associative, floats on a target whose HVX has none.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-vectorization"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (GENERALIZE, CLEAN)

    unroll: int = 0

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Vectorize every linalg op of ``module`` that can be."""
        GENERALIZE.run(module, context)
        vector_bytes = int(context.target.vector_bytes.value)
        constants = SharedConstants()
        for op in [op for op in ops_named(module, "linalg.generic") if len(op.results) == 0]:
            if not len(op.attributes["iterator_types"]):
                continue  # one element: a scalar already
            if not context.target.vector_float and has_floats(op):
                self.remark(context, op, f"not vectorized: HVX of {context.target.name} has no floating point")
                continue
            expand_applies(op.regions[0].blocks[0])
            bits_as_bytes(op)
            try:
                own = read_nest(op)
                nest, groups, plan = self._plan(own, vector_bytes)
            except Unsupported as reason:
                self.remark(context, op, f"not vectorized: {reason}")
                continue
            if 0 not in nest.extents:  # without iterations nothing is written
                with op.location, ir.InsertionPoint(op), constants.around(op):
                    NestEmitter(op, own, nest, groups, plan, vector_bytes).emit()
            erase_op(op, self.name)
        CLEAN.run(module, context)  # folds bounds, shares addresses and splats of the unrolled bodies

    def _plan(self, own: LoopNest, vector_bytes: int) -> tuple[LoopNest, list[list[int]], VectorizationPlan]:
        """What to make vectors of for an op's ``own`` nest, the groups of its loops that are one loop there, and how.

        Raises `Unsupported`.
        """
        groups = loop_groups(own)
        nest = collapsed(own, groups)
        lanes = vector_lanes(nest, vector_bytes)
        rows = choose_periodic_rows(nest, lanes)
        if rows is not None:
            return in_one_loop(nest, own, groups, rows, lanes)
        plan = choose_short_rows(nest, lanes, vector_bytes * 8) or make_plan(nest, vector_bytes, self.unroll)
        return nest, groups, plan
