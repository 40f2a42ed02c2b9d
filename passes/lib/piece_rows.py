"""Rows of f32 from tiles of the matrix engine with pieces of them, a vector of pairs of each piece at a time, plus a
bias for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.engine_tiles import PAIR, PIECE_EXPONENTS, PIECES
from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.lib.loop_nests import LoopNest
from hexagon_mlir.passes.lib.pair_vectors import alignment, end_of, joined
from hexagon_mlir.passes.lib.segments import for_loop

_UNROLL = 4
"""Vectors of pairs in one iteration."""


@dataclass(frozen=True)
class PiecePlan:
    """Loops of an op that adds pieces: ``column`` and ``pair`` are the last ones of the pieces, ``column`` is that of
    the rows; a row of a tile fills a vector."""

    column: int
    pair: int


def make_piece_plan(nest: LoopNest, vector_bytes: int) -> PiecePlan | None:
    """How ``nest``, of an op that adds pieces, is vectorized; None where its rows are others."""
    pieces, rows = nest.operands[:PIECES], nest.operands[-1]
    biases = nest.operands[PIECES:-1]
    column, pair = pieces[0].dims[-2:]
    if None in (*pieces[0].dims, *rows.dims) or any(piece.dims != pieces[0].dims for piece in pieces):
        return None
    if rows.dims[-1] != column or any(bias.dims[-1] != column or None in bias.dims for bias in biases):
        return None
    if nest.indexed or any(nest.reduction):
        return None
    if not all(operand.unit_stride for operand in nest.operands) or not all(p.collapsible[-1] for p in pieces):
        return None
    assert column is not None and pair is not None
    fits = nest.extents[pair] == PAIR and nest.extents[column] == vector_bytes * 8 // rows.bits
    return PiecePlan(column, pair) if fits else None


def emit_piece_rows(op: ir.Operation, nest: LoopNest, plan: PiecePlan) -> None:
    """The loops and vectors of ``op``, at the insertion point."""
    _Emitter(op, nest, plan).around(
        [loop for loop in range(len(nest.extents)) if loop not in (plan.column, plan.pair)], {})


class _Emitter:
    def __init__(self, op: ir.Operation, nest: LoopNest, plan: PiecePlan) -> None:
        self._op, self._nest, self._plan = op, nest, plan
        *inputs, self._rows = op.operands
        self._pieces, self._biases = [joined(value) for value in inputs[:PIECES]], inputs[PIECES:]
        lanes = nest.extents[plan.column]
        assert lanes is not None
        f32 = ir.F32Type.get()
        self._row, self._wide = (ir.VectorType.get([count], f32) for count in (lanes, PAIR * lanes))
        self._halves = ir.VectorType.get([PAIR * lanes], ir.F16Type.get())

    def around(self, loops: Sequence[int], ivs: dict[int, ir.Value]) -> None:
        """The loops ``loops`` inside those of ``ivs``; the innermost does several iterations at a time."""
        if not loops:
            self._add(ivs)
            return
        extent = self._nest.extents[loops[0]]
        unroll = _UNROLL if len(loops) == 1 and extent is not None and extent % _UNROLL == 0 else 1

        def body(iv: ir.Value, _: list[ir.Value]) -> list[ir.Value]:
            for number in range(unroll):
                self.around(loops[1:], {**ivs, loops[0]: make.addi(iv, index(number)) if number else iv})
            return []

        for_loop(index(0), end_of(self._op, self._nest, loops[0]), unroll, [], body)

    def _add(self, ivs: dict[int, ir.Value]) -> None:
        """One vector of each piece: both rows of a pair."""
        parts = []
        for number in range(PIECES):
            buffer, dims = self._pieces[number], self._nest.operands[number].dims[:-2]
            where = [*(ivs[loop] for loop in dims if loop is not None), index(0)]
            halves = make.load(self._halves, buffer, where, alignment(buffer, self._halves))
            scale = ir.FloatAttr.get(ir.F32Type.get(), 2.0**PIECE_EXPONENTS[number])
            scales = constant(ir.DenseElementsAttr.get_splat(self._wide, scale))
            parts.append(make.binary("arith.mulf", make.cast("arith.extf", self._wide, halves), scales))
        sums = make.binary("arith.addf", *parts)
        lanes = self._row.shape[0]
        for number in range(PAIR):
            at = {**ivs, self._plan.pair: index(number), self._plan.column: index(0)}
            row = make.shuffle(sums, sums, range(number, PAIR * lanes, PAIR))
            for place, bias in enumerate(self._biases, PIECES):
                added = make.load(self._row, bias, self._where(place, at), alignment(bias, self._row))
                row = make.binary("arith.addf", row, added)
            make.store(row, self._rows, self._where(-1, at), alignment(self._rows, self._row))

    def _where(self, operand: int, ivs: dict[int, ir.Value]) -> list[ir.Value]:
        """The indices of ``operand``."""
        return [ivs[loop] for loop in self._nest.operands[operand].dims if loop is not None]
