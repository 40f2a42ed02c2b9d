"""Copies between rows and pairs of rows, transposes of pairs, and sums of pieces, to HVX vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from hexagon_mlir.ir import erase_op, ir, make, vector
from hexagon_mlir.ir.constants import SharedConstants, index
from hexagon_mlir.ir.query import element_bytes, ops_named, yields_input
from hexagon_mlir.pass_infra import GENERALIZE, Pass, PassContext, UpstreamStep
from hexagon_mlir.passes.lib.engine_pieces import adds_pieces
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand, Unsupported, read_nest
from hexagon_mlir.passes.lib.move_order import beside_each_other, iterations_together
from hexagon_mlir.passes.lib.pair_transposes import PairTranspose
from hexagon_mlir.passes.lib.pair_vectors import alignment, end_of, ends_with_pairs, joined
from hexagon_mlir.passes.lib.piece_rows import emit_piece_rows, make_piece_plan
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.pair_interleaving.neighbours import NeighbourPlan, emit_neighbours, make_neighbour_plan
from hexagon_mlir.passes.pair_interleaving.transposes import emit_transposes, make_transpose_plan
from hexagon_mlir.passes.pair_interleaving.windows import PAIR, WindowEmitter, read_windows


@dataclass(frozen=True)
class PairPlan:
    """Loops of a copy: ``pair`` has two iterations, which are neighbours in memory on the side of the pairs, as those
    of ``column`` are on the side of the rows. There, ``piece`` goes from one row of ``column`` to the next, which
    follows in memory. Two pieces fill a vector, as the pairs of one piece do.
    """

    pair: int
    column: int
    piece: int
    interleaves: bool
    """From rows to pairs, or back."""

    @property
    def inner(self) -> tuple[int, int, int]:
        """The loops that vectors go along."""
        return self.pair, self.column, self.piece


def make_plan(nest: LoopNest, vector_bytes: int) -> PairPlan | None:
    """How ``nest`` interleaves pairs or takes them apart; None for any other nest."""
    if len(nest.operands) != 2 or nest.op_loops or nest.indexed or nest.tables:
        return None
    source, target = nest.operands
    lanes = vector_bytes * 8 // nest.narrowest_bits
    for pairs, rows in ((target, source), (source, target)):
        found = _inner_loops(nest, pairs, rows)
        if found is None:
            continue
        pair, column, piece = found
        length, count = nest.extents[column], nest.extents[piece]
        if length is not None and count is not None and length * PAIR == lanes and count >= PAIR:
            return PairPlan(pair, column, piece, pairs is target)
    return None


def _inner_loops(nest: LoopNest, pairs: Operand, rows: Operand) -> tuple[int, int, int] | None:
    """Pair, column and piece, where ``pairs`` ends with column and pair, ``rows`` with piece and column."""
    if min(len(pairs.dims), len(rows.dims)) < 2 or None in (*pairs.dims, *rows.dims):
        return None
    (column, pair), (piece, same) = pairs.dims[-2:], rows.dims[-2:]
    if column != same or not pairs.unit_stride or not rows.unit_stride or piece in (pair, column):
        return None
    if not (pairs.collapsible[-1] and rows.collapsible[-1]) or len(set(pairs.dims)) < len(pairs.dims):
        return None
    if set(pairs.dims) != set(rows.dims) or len(rows.dims) != len(nest.extents) or any(nest.reduction):
        return None
    assert column is not None and pair is not None and piece is not None
    return (pair, column, piece) if nest.extents[pair] == PAIR else None


@dataclass(frozen=True)
class HexagonPairInterleavingPass(Pass):
    """Vectorizes copies that interleave pairs of rows, take such pairs apart or transpose them, and sums of two pieces.

    These are the layouts of the matrix engine's tiles. One shuffle of two whole vectors serves two tiles that follow
    each other in the rows; `hexagon-vectorization` would use half of each vector. Rows may overlap: where their indices
    are sums of loops, windows of an image are interleaved. A square of pairs is transposed in registers. Where the rows
    of a pair follow each other, each vector is shuffled by itself.

    Before:
        func.func @f(%rows: memref<2x2x32xf16, 1>, %tiles: memref<2x32x2xf16, 1>) {
          linalg.transpose ins(%rows : memref<2x2x32xf16, 1>) outs(%tiles : memref<2x32x2xf16, 1>)
              permutation = [1, 2, 0]
          return
        }

    After, folded:
        func.func @f(%arg0: memref<2x2x32xf16, 1>, %arg1: memref<2x32x2xf16, 1>) {
          %0 = ub.poison : vector<128xf16>
          %c1 = arith.constant 1 : index
          %c0 = arith.constant 0 : index
          %collapse_shape = memref.collapse_shape %arg0 [[0], [1, 2]] : memref<2x2x32xf16, 1> into memref<2x64xf16, 1>
          %collapse_shape_0 = memref.collapse_shape %arg1 [[0], [1, 2]] : memref<2x32x2xf16, 1> into
              memref<2x64xf16, 1>
          %1 = vector.load %collapse_shape[%c0, %c0] {alignment = 2 : i64} : memref<2x64xf16, 1>, vector<64xf16>
          %2 = vector.load %collapse_shape[%c1, %c0] {alignment = 2 : i64} : memref<2x64xf16, 1>, vector<64xf16>
          %3 = vector.interleave %1, %2 : vector<64xf16> -> vector<128xf16>
          %4 = vector.shuffle %3, %0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
              22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46,
              47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] : vector<128xf16>, vector<128xf16>
          %5 = vector.shuffle %3, %0 [64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82,
              83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105,
              106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125,
              126, 127] : vector<128xf16>, vector<128xf16>
          vector.store %4, %collapse_shape_0[%c0, %c0] {alignment = 2 : i64} : memref<2x64xf16, 1>, vector<64xf16>
          vector.store %5, %collapse_shape_0[%c1, %c0] {alignment = 2 : i64} : memref<2x64xf16, 1>, vector<64xf16>
          return
        }

    Options: none.

    Refuses: nothing; it leaves alone copies whose rows are not contiguous and of known size, of other lengths
    than half a vector, and everything else that computes.

    Needs: buffer.
    Leaves: buffer.
    """

    name: ClassVar[str] = "hexagon-pair-interleaving"
    needs: ClassVar[str] = "buffer"
    leaves: ClassVar[str] = "buffer"
    runs: ClassVar[tuple[UpstreamStep, ...]] = (GENERALIZE,)

    def run(self, module: ir.Module, context: PassContext) -> None:
        """Vectorize every such copy of ``module``."""
        if ops_named(module, "linalg.transpose"):
            GENERALIZE.run(module, context)
        vector_bytes = int(context.target.vector_bytes.value)
        constants = SharedConstants()
        for op in [op for op in ops_named(module, "linalg.generic") if _copies(op) or adds_pieces(op)]:
            windows = read_windows(op, vector_bytes) if _copies(op) else None
            if windows is not None and windows.is_sum:
                with op.location, ir.InsertionPoint(op), constants.around(op):
                    WindowEmitter(op, windows, vector_bytes).emit()
                erase_op(op, self.name)
                continue
            if not (adds_pieces(op) or any(map(ends_with_pairs, op.operands))):
                continue
            try:
                nest = read_nest(op)
            except Unsupported:
                continue
            plan = make_piece_plan(nest, vector_bytes) if adds_pieces(op) else (
                make_plan(nest, vector_bytes) or make_transpose_plan(nest, vector_bytes)
                or make_neighbour_plan(nest, vector_bytes))
            if plan is not None:
                with op.location, ir.InsertionPoint(op), constants.around(op):
                    if isinstance(plan, PairPlan):
                        _Emitter(op, nest, plan, vector_bytes).emit()
                    elif isinstance(plan, PairTranspose):
                        emit_transposes(op, nest, plan, vector_bytes)
                    elif isinstance(plan, NeighbourPlan):
                        emit_neighbours(op, nest, plan, vector_bytes)
                    else:
                        emit_piece_rows(op, nest, plan)
                erase_op(op, self.name)


def _copies(op: ir.Operation) -> bool:
    """True for an op that writes its only input somewhere."""
    return len(op.operands) == 2 and yields_input(op)


class _Emitter:
    """Writes the loops and vectors of one copy."""

    def __init__(self, op: ir.Operation, nest: LoopNest, plan: PairPlan, vector_bytes: int) -> None:
        self._op, self._nest, self._plan, self._vector_bytes = op, nest, plan, vector_bytes
        self._buffers = [joined(value) for value in op.operands]
        self._loops = [loop for loop in range(len(nest.extents)) if loop not in plan.inner]
        element = ir.MemRefType(op.operands[0].type).element_type
        self._lanes = vector_bytes // element_bytes(element)
        self._vector = ir.VectorType.get([self._lanes], element)
        self._alignments = [alignment(buffer, self._vector) for buffer in self._buffers]

    def emit(self) -> None:
        """Everything, at the insertion point."""
        self._around(self._loops, {})

    def _around(self, loops: Sequence[int], ivs: dict[int, ir.Value]) -> None:
        """The loops ``loops`` inside those of ``ivs``; the innermost does several iterations at a time."""
        if not loops:
            self._pieces(ivs, 1)
            return
        extent = self._nest.extents[loops[0]]
        unroll = iterations_together(extent) if len(loops) == 1 and extent is not None else 1

        def body(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            inside = {**ivs, loops[0]: iv}
            if len(loops) > 1:
                self._around(loops[1:], inside)
            else:
                self._pieces(inside, unroll)
            return []

        for_loop(index(0), end_of(self._op, self._nest, loops[0]), unroll, [], body)

    def _pieces(self, ivs: dict[int, ir.Value], unroll: int) -> None:
        """All pieces; where they do not fill the last vector, it reaches back to the one before."""
        plan = self._plan
        count = self._nest.extents[plan.piece]
        assert count is not None
        whole = count - count % PAIR

        def body(piece: ir.Value, _: list[ir.Value], aligned: bool = True) -> list[ir.Value]:
            moves = [self._move({**ivs, self._loops[-1]: make.addi(ivs[self._loops[-1]], index(number))}
                                if number else dict(ivs), piece, aligned) for number in range(unroll)]
            beside_each_other(moves)
            return []

        for_loop(index(0), index(whole), PAIR, [], body)
        if whole < count:
            body(index(count - PAIR), [], aligned=False)

    def _move(self, ivs: dict[int, ir.Value], piece: ir.Value, aligned: bool) -> Iterator[None]:
        """Two vectors of rows and those of the pairs that they hold, step by step: two loads, the shuffle, two
        stores."""
        plan = self._plan
        rows = [{**ivs, plan.pair: index(number)} for number in range(PAIR)]
        pairs = [{**ivs, plan.piece: make.addi(piece, index(number)) if number else piece}
                 for number in range(PAIR)]
        start = make.muli(piece, index(self._nest.extents[plan.column] or 0))
        loaded = []
        for at in rows if plan.interleaves else pairs:
            loaded.append(self._load(0, at, start, aligned) if plan.interleaves
                          else self._load(0, at, index(0), True))
            yield
        if plan.interleaves:
            both = vector.interleave(*loaded)
            parts = [make.shuffle(both, both, range(number * self._lanes, (number + 1) * self._lanes))
                     for number in range(PAIR)]
        else:
            first, second = loaded
            parts = list(vector.deinterleave(make.shuffle(first, second, range(PAIR * self._lanes))))
        yield
        for part, at in zip(parts, pairs if plan.interleaves else rows, strict=True):
            if plan.interleaves:
                self._store(1, part, at, index(0), True)
            else:
                self._store(1, part, at, start, aligned)
            yield

    def _load(self, operand: int, ivs: dict[int, ir.Value], last: ir.Value, aligned: bool) -> ir.Value:
        return make.load(self._vector, self._buffers[operand], self._indices(operand, ivs, last),
                         self._alignment(operand, aligned))

    def _store(self, operand: int, value: ir.Value, ivs: dict[int, ir.Value], last: ir.Value, aligned: bool) -> None:
        make.store(value, self._buffers[operand], self._indices(operand, ivs, last), self._alignment(operand, aligned))

    def _indices(self, operand: int, ivs: dict[int, ir.Value], last: ir.Value) -> list[ir.Value]:
        return [*(ivs[loop] for loop in self._nest.operands[operand].dims[:-2] if loop is not None), last]

    def _alignment(self, operand: int, aligned: bool) -> int:
        """Bytes that the addresses of the vectors of ``operand`` are a multiple of."""
        return self._alignments[operand] if aligned else self._vector_bytes // self._lanes
