"""Products of rows with rows as HVX computes them: a vector of results at a time.

The products of two rows are added up in the lanes of a vector. The vectors of as many columns as a vector has lanes
are added pairwise: two exchange half of their lanes, so that after all exchanges lane n has the sum of column n.
"""

from __future__ import annotations

from hexagon_mlir.ir import ir, make
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.contraction.alignment import vector_alignment
from hexagon_mlir.passes.contraction.row_products import F32_BITS, RowProducts
from hexagon_mlir.passes.lib.contractions import Body, Contraction
from hexagon_mlir.passes.lib.loop_nests import split_operands
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.tail import Tail
from hexagon_mlir.passes.lib.transposes import exchange

_BYTE_BITS = 8
_Ivs = dict[int, ir.Value]
_Rows = list[list[ir.Value]]
"""For each left row its vectors along the reduction."""


class RowProductEmitter:
    """Emits the loops of ``op`` at the insertion point."""

    def __init__(self, op: ir.Operation, contraction: Contraction, body: Body, plan: RowProducts, vector_bytes: int):
        inputs, outputs = split_operands(op)
        self.values, self.contraction, self.plan = [*inputs, *outputs], contraction, plan
        self.widen = dict(zip(contraction.inputs, body.widen, strict=True))
        self.vector_bytes = vector_bytes
        self.lanes = vector_bytes * _BYTE_BITS // F32_BITS
        self.bits = contraction.accesses[plan.right].bits
        self.step = vector_bytes * _BYTE_BITS // self.bits
        self.depth, self.width = (contraction.extents[loop] or 0 for loop in (plan.reduction, plan.columns))

    def emit(self) -> None:
        """All blocks of columns, for a few rows at a time."""
        self._outer(list(self.plan.others), {})

    def _outer(self, loops: list[int], ivs: _Ivs) -> None:
        if not loops:
            self._rows(ivs)
            return

        def inside(iv: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            self._outer(loops[1:], {**ivs, loops[0]: iv})
            return carried

        for_loop(index(0), index(self.contraction.extents[loops[0]] or 0), 1, [], inside)

    def _rows(self, ivs: _Ivs) -> None:
        loop, whole = self.plan.rows, self.width - self.width % self.lanes
        count = 1 if loop is None else self.contraction.extents[loop] or 0
        for first in range(0, count, self.plan.together):
            rows = [ivs if loop is None else {**ivs, loop: index(row)}
                    for row in range(first, min(first + self.plan.together, count))]
            left = [self._vectors(self.plan.left, row) for row in rows]

            def block(iv: ir.Value, carried: list[ir.Value], rows: list[_Ivs] = rows,
                      left: _Rows = left) -> list[ir.Value]:
                self._block(rows, left, iv, self.lanes)
                return carried

            for_loop(index(0), index(whole), self.lanes, [], block)
            if whole < self.width:
                self._block(rows, left, index(whole), self.width - whole)

    def _block(self, rows: list[_Ivs], left: _Rows, first: ir.Value, valid: int) -> None:
        """The results of ``rows`` in ``valid`` columns from ``first`` on, in the lanes of a vector."""
        floats, output = ir.VectorType.get([self.lanes], ir.F32Type.get()), len(self.values) - 1
        tail = None if valid == self.lanes else Tail(index(valid), valid, self.lanes, F32_BITS)
        for row, total in zip(rows, self._sums(rows[0], left, first, range(self.lanes), valid), strict=True):
            place, target = self._place(output, {**row, self.plan.columns: first}), self.values[output]
            alignment = self._alignment(output, self.plan.columns)
            if tail is None:
                old = make.load(floats, target, place, alignment)
                make.store(make.binary("arith.addf", old, total), target, place, alignment)
            else:
                old = tail.load(floats, target, place, F32_BITS, alignment)
                tail.store(make.binary("arith.addf", old, total), target, place, F32_BITS, alignment)

    def _sums(self, ivs: _Ivs, left: _Rows, first: ir.Value, columns: range, valid: int) -> list[ir.Value]:
        """For each row a vector in whose lanes, with the period of the number of ``columns``, are parts of their sums.
        From ``valid`` on columns count as the last one."""
        count = len(columns)
        if count == 1:
            column = make.addi(first, index(min(columns[0], valid - 1)))
            return self._partial(left, self._vectors(self.plan.right, {**ivs, self.plan.columns: column}))
        low, high = (self._sums(ivs, left, first, part, valid)
                     for part in (columns[:count // 2], columns[count // 2:]))
        return [make.binary("arith.addf", *exchange(a, b, count // 2)) for a, b in zip(low, high, strict=True)]

    def _partial(self, left: _Rows, right: list[ir.Value]) -> list[ir.Value]:
        """For each row its products with ``right``, added up to one vector."""
        found = []
        for row in left:
            products = [make.binary("arith.mulf", a, b) for a, b in zip(row, right, strict=True)]
            total = products[0]
            for product in products[1:]:
                total = make.binary("arith.addf", total, product)
            if self.step > self.lanes:  # the registers of a product of f16 hold its even and its odd lanes
                total = make.binary("arith.addf", *(make.shuffle(total, total, range(start, self.step, 2))
                                                    for start in (0, 1)))
            found.append(total)
        return found

    def _vectors(self, operand: int, ivs: _Ivs) -> list[ir.Value]:
        """The vectors of ``operand`` along the reduction, as f32; zeros beyond its end."""
        value, widen = self.values[operand], self.widen[operand]
        type_ = ir.VectorType.get([self.step], ir.MemRefType(value.type).element_type)
        found, alignment = [], self._alignment(operand, self.plan.reduction)
        for start in range(0, self.depth, self.step):
            place, valid = self._place(operand, {**ivs, self.plan.reduction: index(start)}), self.depth - start
            loaded = make.load(type_, value, place, alignment) if valid >= self.step else Tail(
                index(valid), valid, self.step, self.bits).load(type_, value, place, self.bits, alignment)
            found.append(loaded if widen is None else make.cast(
                widen.name, ir.VectorType.get([self.step], ir.F32Type.get()), loaded))
        return found

    def _alignment(self, operand: int, loop: int) -> int:
        return vector_alignment(self.values[operand], self.contraction.accesses[operand], loop, self.vector_bytes)

    def _place(self, operand: int, ivs: _Ivs) -> list[ir.Value]:
        return [index(place.constant) if place.plain is None else ivs[place.plain]
                for place in self.contraction.accesses[operand].indices]
