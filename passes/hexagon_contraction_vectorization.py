"""Matrix products, convolutions and poolings to HVX vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.double_buffering import STAGES
from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.constants import SharedConstants
from hexagon_mlir.ir.query import names_of, ops_named
from hexagon_mlir.pass_infra import GENERALIZE, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.contraction.channel_product_emit import ChannelProductEmitter
from hexagon_mlir.passes.contraction.channel_products import find_channel_products
from hexagon_mlir.passes.contraction.dot_products import DotProductEmitter
from hexagon_mlir.passes.contraction.emit import ContractionEmitter
from hexagon_mlir.passes.contraction.packing import Packing
from hexagon_mlir.passes.contraction.plan import make_plan
from hexagon_mlir.passes.contraction.row_product_emit import RowProductEmitter
from hexagon_mlir.passes.contraction.row_products import find_row_products
from hexagon_mlir.passes.contraction.start import find_start
from hexagon_mlir.passes.contraction.transposed import may_contract, transposed_factor
from hexagon_mlir.passes.contraction.word_factors import with_one_reduction
from hexagon_mlir.passes.contraction.word_products import WordProductEmitter, words_are_neighbours
from hexagon_mlir.passes.lib.contractions import read_contraction
from hexagon_mlir.passes.lib.loop_nests import Unsupported, has_floats

_CONTRACTIONS = ("batch_", "contract", "conv_", "depthwise_", "dot", "matmul", "matvec", "mmt4d", "pooling_",
                 "quantized_", "vecmat")
"""How the names of linalg's contractions begin."""


@dataclass(frozen=True)
class HexagonContractionVectorizationPass(Pass):
    """Turns each contraction on buffers into blocks of accumulators that stay in registers through its reductions.

    A contraction sums products of two inputs (matrix products, batched and transposed ones, convolutions) or reduces
    one input (poolings). A block is a few iterations of one parallel loop by a few vectors along another, remainders
    included. Its accumulators are initialized directly if the op that initializes the output only broadcasts a number
    or a bias. Unaligned vectors are first copied to aligned ones in TCM if enough blocks read them. Bytes that are
    summed in words are copied so that four neighbours along the reduction form a word; where each channel has its own
    filter, four rows of the window do, and the words of a pixel serve all of its windows. Factors that would have to be
    gathered are left to `hexagon-transpose-factors`, which runs before; but where a few rows are multiplied by rows, as
    a query by keys, the products of two rows are added up in the lanes of a vector, and the vectors of as many columns
    as there are lanes then exchange half of their lanes until lane n has the sum of column n.

    Before:
        func.func @f(%a: memref<1x2xf32>, %b: memref<2x32xf32>, %c: memref<1x32xf32>) {
          linalg.matmul ins(%a, %b : memref<1x2xf32>, memref<2x32xf32>) outs(%c : memref<1x32xf32>)
          return
        }

    After, folded:
        func.func @f(%a: memref<1x2xf32>, %b: memref<2x32xf32>, %c: memref<1x32xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %0 = vector.load %c[%c0, %c0] {alignment = 4 : i64} : memref<1x32xf32>, vector<32xf32>
          %1 = memref.load %a[%c0, %c0] : memref<1x2xf32>
          %2 = vector.broadcast %1 : f32 to vector<32xf32>
          %3 = vector.load %b[%c0, %c0] {alignment = 4 : i64} : memref<2x32xf32>, vector<32xf32>
          %4 = arith.mulf %2, %3 : vector<32xf32>
          %5 = arith.addf %0, %4 : vector<32xf32>
          %6 = memref.load %a[%c0, %c1] : memref<1x2xf32>
          %7 = vector.broadcast %6 : f32 to vector<32xf32>
          %8 = vector.load %b[%c1, %c0] {alignment = 4 : i64} : memref<2x32xf32>, vector<32xf32>
          %9 = arith.mulf %7, %8 : vector<32xf32>
          %10 = arith.addf %5, %9 : vector<32xf32>
          vector.store %10, %c[%c0, %c0] {alignment = 4 : i64} : memref<1x32xf32>, vector<32xf32>
          return
        }

    Options:
        rows: steps of the row loop per block; 0 chooses by registers and remainders.
        columns: vectors per block; 0 chooses too.
        copies: inputs may be copied to buffers in TCM. A product in a stage of a double-buffered loop that needs none
            then waits for a run without copies, after `outline-stages`: the stages do the same, and when
            `merge-functions` has made them one function, there are fewer products to vectorize.

    Refuses (with a remark; the op is left for `hexagon-vectorization`):
        bodies that do more than multiply and combine, no loop that walks the output and its inputs element by
        element, a loop of less than eight elements along the lanes, operands that run backwards in memory, floats on
        a target whose HVX has none.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-contraction-vectorization"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (GENERALIZE,)

    rows: int = 0
    columns: int = 0
    copies: bool = True

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Vectorize every contraction of ``module`` that can be."""
        if ops_named(module, *(name for name in names_of("linalg")
                               if name.removeprefix("linalg.").startswith(_CONTRACTIONS))):
            GENERALIZE.run(module, context)
        vector_bytes = int(context.target.vector_bytes.value)
        constants = SharedConstants()
        shared: list[Packing] = []
        for op in [op for op in ops_named(module, "linalg.generic") if may_contract(op)]:
            if not context.target.vector_float and has_floats(op):
                continue  # hexagon-vectorization says so
            try:
                contraction, body = read_contraction(op)
                if body.product is None and not contraction.is_strided:
                    continue  # a plain reduction
                of_rows = find_row_products(contraction, vector_bytes) if body.product is not None else None
                if of_rows is not None:
                    if not (self.copies and _in_stage(op)):
                        with op.location, ir.InsertionPoint(op), constants.around(op):
                            RowProductEmitter(op, contraction, body, of_rows, vector_bytes).emit()
                        erase_op(op, self.name)
                    continue
                of_channels = find_channel_products(contraction) if body.product is not None and self.copies else None
                words = with_one_reduction(contraction) if body.product is not None else None
                if words is not None and words_are_neighbours([op.operands[i] for i in contraction.inputs]):
                    contraction = words[0]
                    plan = make_plan(contraction, vector_bytes, self.rows, self.columns, words=True)
                else:
                    words = None
                    plan = (make_plan(contraction, vector_bytes, self.rows, self.columns) if of_channels is None else
                            of_channels.blocks(vector_bytes))
            except Unsupported as reason:
                self.remark(context, op, f"left to hexagon-vectorization: {reason}")
                continue
            with op.location, ir.InsertionPoint(op), constants.around(op):
                start = find_start(op, contraction, plan.loop) if 0 not in contraction.extents else None
                work: ContractionEmitter
                if of_channels is not None:
                    work = ChannelProductEmitter(op, contraction, body, of_channels, vector_bytes, start)
                elif words is not None:
                    work = WordProductEmitter(op, contraction, body, plan, vector_bytes, words[1], start)
                else:
                    emitter = DotProductEmitter if plan.dot_products else ContractionEmitter
                    work = emitter(op, contraction, body, plan, vector_bytes, shared if self.copies else None, start)
                if self.copies and _in_stage(op) and transposed_factor(contraction) is None and work.may_wait:
                    continue
                work.emit()
            erase_op(op, self.name)
            if start is not None:
                erase_op(start.op, self.name)


def _in_stage(op: ir.Operation) -> bool:
    """True in a stage of a double-buffered loop."""
    while (op := op.parent.operation).name != "func.func":
        if op.name == "scf.if" and any(name in op.attributes for name in STAGES):
            return True
    return False
