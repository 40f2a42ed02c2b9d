"""64-bit integers as pairs of words, which HVX has lanes for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import CLEAN, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.wide_integers.decide import reason_against
from hexagon_mlir.passes.wide_integers.fills import fill_with_words, word_filled
from hexagon_mlir.passes.wide_integers.nest import in_words, is_wide
from hexagon_mlir.passes.wide_integers.sums import chunked_loop, in_chunks, in_half_words, sum_of

_GENERALIZE = UpstreamStep("linalg-generalize-named-ops")


@dataclass(frozen=True)
class HexagonWideIntegersPass(Pass):
    """Computes 64-bit integers as pairs of words, because HVX has no 64-bit lanes.

    PyTorch's labels, indices and offsets are 64-bit integers; without this pass one comparison with them would keep a
    whole loop from being vectorized. A buffer of them is viewed as two buffers of words with stride two. Sums carry,
    comparisons compare the upper words first; a value that is known to fit one word needs no upper word. A fill with 0
    or -1 fills words. Divisions multiply by the divisor's inverse. A reduction by addition sums half words, up to
    65,536 elements at a time.

    Before:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%x: memref<64xi32>, %label: i64, %y: memref<64xi8>) {
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%x : memref<64xi32>) outs(%y : memref<64xi8>) {
          ^bb0(%in: i32, %out: i8):
            %0 = arith.extsi %in : i32 to i64
            %1 = arith.cmpi eq, %0, %label : i64
            %2 = arith.extui %1 : i1 to i8
            linalg.yield %2 : i8
          }
          return
        }

    After:
        #map = affine_map<(d0) -> (d0)>
        func.func @f(%arg0: memref<64xi32>, %arg1: i64, %arg2: memref<64xi8>) {
          %c32_i64 = arith.constant 32 : i64
          %c31_i32 = arith.constant 31 : i32
          %0 = arith.trunci %arg1 : i64 to i32
          %1 = arith.shrui %arg1, %c32_i64 : i64
          %2 = arith.trunci %1 : i64 to i32
          linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
              ins(%arg0 : memref<64xi32>) outs(%arg2 : memref<64xi8>) {
          ^bb0(%in: i32, %out: i8):
            %3 = arith.shrsi %0, %c31_i32 : i32
            %4 = arith.cmpi eq, %in, %0 : i32
            %5 = arith.cmpi eq, %3, %2 : i32
            %6 = arith.andi %4, %5 : i1
            %7 = arith.extui %6 : i1 to i8
            linalg.yield %7 : i8
          }
          return
        }

    Options:
        none

    Refuses (with a remark; the op is left for scalar loops): conversions from floats, and to floats other than f32 and
    f16; shifts by a variable; reductions to 64-bit integers other than sums; 64-bit integers that the body itself
    loads; and little work whose result is 64-bit integers, since storing every other word twice takes as long.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-wide-integers"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (_GENERALIZE, CLEAN)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Look at every linalg op with 64-bit integers."""
        if not any(is_wide(op) for op in ops_named(module, "linalg.generic", "linalg.fill", "linalg.copy")):
            return
        _GENERALIZE.run(module, context)
        for op in [op for op in ops_named(module, "linalg.generic") if is_wide(op)]:
            with op.location, ir.InsertionPoint(op):
                if (filled := word_filled(op)) is not None:
                    fill_with_words(op, filled)
                    erase_op(op, self.name)
                    continue
            reason = reason_against(op)
            if reason is not None:
                self.remark(context, op, f"64-bit integers stay: {reason}")
                continue
            with op.location, ir.InsertionPoint(op):
                self._rewrite(op, context.target.computes_in_legacy_qfloat)
            erase_op(op, self.name)
        CLEAN.run(module, context)

    def _rewrite(self, op: ir.Operation, qfloat: bool) -> None:
        """Make what does the same in words, at the insertion point."""
        value = sum_of(op)
        if value is None:
            in_words(op, qfloat)
            return
        loop = chunked_loop(op)
        if loop is not None and loop >= 0:
            part = in_chunks(op, loop)
            with ir.InsertionPoint(part):
                self._sum(part, qfloat)
            erase_op(part, self.name)
        else:
            self._sum(op, qfloat)

    def _sum(self, op: ir.Operation, qfloat: bool) -> None:
        value = sum_of(op)
        assert value is not None
        last = in_half_words(op, value, qfloat)
        if last is not None and reason_against(last) is None:
            with ir.InsertionPoint(last):
                in_words(last, qfloat)
            erase_op(last, self.name)
