"""One number for each row of pairs of rows, to all columns: reductions and broadcasts to HVX vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.dialects.engine_tiles import PAIR
from hexagon_mlir.ir import erase_op, ir, make, vector
from hexagon_mlir.ir.constants import SharedConstants, index
from hexagon_mlir.ir.query import element_bytes, input_count, ops_named
from hexagon_mlir.pass_infra import Pass, PassContext
from hexagon_mlir.passes.lib.horizontal_reductions import combine
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Unsupported, read_nest
from hexagon_mlir.passes.lib.pair_vectors import end_of, ends_with_pairs, joined
from hexagon_mlir.passes.lib.segments import for_loop


@dataclass(frozen=True)
class RowPlan:
    """A row of columns of pairs, one vector, is combined and written to all columns; or there are only the pairs, which
    are written to all columns. ``outer`` are the loops around."""

    outer: tuple[int, ...]
    combiner: str | None


def make_plan(nest: LoopNest, copies: bool, vector_bytes: int) -> RowPlan | None:
    """How ``nest``, whose body is one combiner, or ``copies`` its input, works on pairs; None for any other nest."""
    if len(nest.operands) != PAIR or nest.indexed or nest.tables:
        return None
    source, target = nest.operands
    if min(len(source.dims), len(target.dims) - 1) < 1 or None in (*source.dims, *target.dims):
        return None
    *outer, column, pair = target.dims
    lanes = vector_bytes * 8 // target.bits
    extents = nest.extents
    if source.bits != target.bits or extents[pair] != PAIR or (extents[column] or 0) * PAIR != lanes:
        return None
    if not target.unit_stride or not target.collapsible[-1] or not source.unit_stride or any(
            nest.reduction[loop] for loop in target.dims if loop is not None):
        return None
    if copies:
        return RowPlan(_loops(outer), None) if source.dims == (*outer, pair) else None
    *same, other, last = source.dims
    fits = (last == pair and same == outer and other is not None and nest.reduction[other]
            and extents[other] == extents[column] and source.collapsible[-1])
    return RowPlan(_loops(outer), nest.combiners[0]) if fits and nest.combiners[0] else None


def _loops(dims: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(loop for loop in dims if loop is not None)


@dataclass(frozen=True)
class HexagonPairReductionPass(Pass):
    """Vectorizes reductions of the rows of pairs of rows that write the result to all columns, and copies that write
    pairs to all columns.

    A vector of the matrix engine's tiles holds the elements of 32 columns of two rows. Rotations by powers of two
    combine them, five for 32 columns, and leave the result in all columns, where ops on tiles need it.

    Before:
        func.func @f(%rows: memref<32x2xf16, 1>, %out: memref<32x2xf16, 1>) {
          linalg.generic {indexing_maps = [affine_map<(c, p, k) -> (k, p)>, affine_map<(c, p, k) -> (c, p)>],
              iterator_types = ["parallel", "parallel", "reduction"]}
              ins(%rows : memref<32x2xf16, 1>) outs(%out : memref<32x2xf16, 1>) {
          ^bb0(%x: f16, %most: f16):
            %0 = arith.maxnumf %x, %most : f16
            linalg.yield %0 : f16
          }
          return
        }

    After, folded:
        func.func @f(%arg0: memref<32x2xf16, 1>, %arg1: memref<32x2xf16, 1>) {
          %0 = ub.poison : vector<64xf16>
          %c0 = arith.constant 0 : index
          %collapse_shape = memref.collapse_shape %arg1 [[0, 1]] : memref<32x2xf16, 1> into memref<64xf16, 1>
          %collapse_shape_0 = memref.collapse_shape %arg0 [[0, 1]] : memref<32x2xf16, 1> into memref<64xf16, 1>
          %1 = vector.load %collapse_shape_0[%c0] {alignment = 2 : i64} : memref<64xf16, 1>, vector<64xf16>
          %2 = vector.shuffle %1, %0 [32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
              52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<64xf16>, vector<64xf16>
          %3 = arith.maxnumf %1, %2 : vector<64xf16>
          %4 = vector.shuffle %3, %0 [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
              36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61,
              62, 63, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<64xf16>, vector<64xf16>
          %5 = arith.maxnumf %3, %4 : vector<64xf16>
          %6 = vector.shuffle %5, %0 [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
              28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53,
              54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 1, 2, 3, 4, 5, 6, 7] : vector<64xf16>, vector<64xf16>
          %7 = arith.maxnumf %5, %6 : vector<64xf16>
          %8 = vector.shuffle %7, %0 [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
              25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50,
              51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 1, 2, 3] : vector<64xf16>, vector<64xf16>
          %9 = arith.maxnumf %7, %8 : vector<64xf16>
          %10 = vector.shuffle %9, %0 [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
              24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49,
              50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 0, 1] : vector<64xf16>, vector<64xf16>
          %11 = arith.maxnumf %9, %10 : vector<64xf16>
          %12 = vector.load %collapse_shape[%c0] {alignment = 2 : i64} : memref<64xf16, 1>, vector<64xf16>
          %13 = arith.maxnumf %11, %12 : vector<64xf16>
          vector.store %13, %collapse_shape[%c0] {alignment = 2 : i64} : memref<64xf16, 1>, vector<64xf16>
          return
        }

    Options: none.

    Refuses: nothing; it leaves alone rows other than of one vector, and everything else that computes.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-pair-reduction"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Vectorize every such op of ``module``."""
        vector_bytes = int(context.target.vector_bytes.value)
        constants = SharedConstants()
        for op in ops_named(module, "linalg.generic"):
            body = [view.operation for view in op.regions[0].blocks[0].operations]
            if len(op.operands) != PAIR or not ends_with_pairs(op.operands[1]):
                continue
            if input_count(op) != 1 or len(body) > PAIR:
                continue
            try:
                nest = read_nest(op)
            except Unsupported:
                continue
            copies = len(body) == 1 and body[0].operands[0] == op.regions[0].blocks[0].arguments[0]
            plan = make_plan(nest, copies, vector_bytes)
            if plan is not None:
                with op.location, ir.InsertionPoint(op), constants.around(op):
                    _emit(op, nest, plan, vector_bytes)
                erase_op(op, self.name)


def _emit(op: ir.Operation, nest: LoopNest, plan: RowPlan, vector_bytes: int) -> None:
    """Loops over rows of pairs; each is one vector."""
    source, target = op.operands
    element = ir.MemRefType(target.type).element_type
    width = element_bytes(element)
    lanes = vector_bytes // width
    whole = ir.VectorType.get([lanes], element)
    target = joined(target)

    def row(at: list[ir.Value]) -> None:
        if plan.combiner is None:
            pair = make.load(ir.VectorType.get([PAIR], element), source, [*at, index(0)], width)
            make.store(_repeated(pair, lanes), target, [*at, index(0)], width)
            return
        combined = make.load(whole, joined(source), [*at, index(0)], width)
        step = lanes // PAIR
        while step >= PAIR:
            combined = combine(plan.combiner, combined, make.shuffle(
                combined, combined, [(lane + step) % lanes for lane in range(lanes)]))
            step //= PAIR
        old = make.load(whole, target, [*at, index(0)], width)
        make.store(combine(plan.combiner, combined, old), target, [*at, index(0)], width)

    _around([end_of(op, nest, loop) for loop in plan.outer], [], row)


def _repeated(pair: ir.Value, lanes: int) -> ir.Value:
    """``pair`` as often as ``lanes`` are: as a word in all words of a vector."""
    element = ir.VectorType(pair.type).element_type
    i32 = ir.IntegerType.get_signless(32)
    word = vector.extract(vector.bitcast(ir.VectorType.get([1], i32), pair), [], [0])
    return vector.bitcast(ir.VectorType.get([lanes], element),
                          make.broadcast(ir.VectorType.get([lanes // PAIR], i32), word))


def _around(ends: Sequence[ir.Value], at: list[ir.Value], row: Callable[[list[ir.Value]], None]) -> None:
    """``row`` for all indices of the loops that end at ``ends``, inside those of ``at``."""
    if not ends:
        row(at)
        return

    def body(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
        _around(ends[1:], [*at, iv], row)
        return []

    for_loop(index(0), ends[0], 1, [], body)

