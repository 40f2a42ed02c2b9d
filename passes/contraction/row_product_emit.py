"""Products of rows with rows as HVX computes them: a vector of results at a time.

The products of two rows are added up in the lanes of a vector. The vectors of as many columns as a vector has lanes
are added pairwise: two exchange half of their lanes, so that after all exchanges lane n has the sum of column n.
Long rows are added up in loops, for a group of columns at a time.
"""

from __future__ import annotations

from hexagon_mlir.ir import arith, ir, make, memref, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.contraction.alignment import vector_alignment
from hexagon_mlir.passes.contraction.row_products import F32_BITS, RowProducts
from hexagon_mlir.passes.lib.contractions import Body, Contraction
from hexagon_mlir.passes.lib.loop_nests import split_operands
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.tail import Tail, zeros
from hexagon_mlir.passes.lib.transposes import exchange

_BYTE_BITS = 8
_STEPS = 2
"""Vectors along the reduction in one pass of the loop: 8x512x512 takes 78,784 cycles with one, 74,303 with two."""
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
        self.depth, self.width = contraction.extents[plan.reduction] or 0, contraction.extents[plan.columns]

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
        """Whole blocks of rows in a loop, then those that remain."""
        loop, together = self.plan.rows, self.plan.together
        if loop is None:
            self._columns([ivs])
            return

        def rows(first: ir.Value, count: int) -> None:
            self._columns([{**ivs, loop: make.addi(first, index(row))} for row in range(count)])

        def inside(iv: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            rows(iv, together)
            return carried

        count = self.contraction.extents[loop] or 0
        whole = count - count % together
        for_loop(index(0), index(whole), together, [], inside)
        if whole < count:
            rows(index(whole), count - whole)

    def _columns(self, rows: list[_Ivs]) -> None:
        """Whole vectors of columns in a loop, then those that remain."""
        left = [self._vectors(self.plan.left, row) for row in rows] if self.plan.kept else None

        def block(iv: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
            self._block(rows, left, iv, self.lanes)
            return carried

        if self.width is not None:
            whole = self.width - self.width % self.lanes
            for_loop(index(0), index(whole), self.lanes, [], block)
            if whole < self.width:
                self._block(rows, left, index(whole), self.width - whole)
            return
        places = [place.plain for place in self.contraction.accesses[self.plan.right].indices]
        width = memref.dim(self.values[self.plan.right], index(places.index(self.plan.columns)))
        last = make.muli(arith.divui(width, index(self.lanes)), index(self.lanes))
        for_loop(index(0), last, self.lanes, [], block)
        rest = make.subi(width, last)
        some = scf.IfOp(arith.cmpi(arith.CmpIPredicate.ne, rest, index(0)))
        with ir.InsertionPoint(some.then_block):
            self._block(rows, left, last, rest)
            scf.yield_([])

    def _block(self, rows: list[_Ivs], left: _Rows | None, first: ir.Value, valid: int | ir.Value) -> None:
        """The results of ``rows`` in ``valid`` columns from ``first`` on, in the lanes of a vector."""
        floats, output = ir.VectorType.get([self.lanes], ir.F32Type.get()), len(self.values) - 1
        static = valid if isinstance(valid, int) else None
        tail = None if valid == self.lanes else Tail(
            valid if static is None else index(static), static, self.lanes, F32_BITS)
        totals = (self._in_groups(rows, first, valid) if left is None else
                  self._sums(left, rows[0], first, range(self.lanes), valid))
        for row, total in zip(rows, totals, strict=True):
            place, target = self._place(output, {**row, self.plan.columns: first}), self.values[output]
            alignment = self._alignment(output, self.plan.columns)
            if tail is None:
                old = make.load(floats, target, place, alignment)
                make.store(make.binary("arith.addf", old, total), target, place, alignment)
            else:
                old = tail.load(floats, target, place, F32_BITS, alignment)
                tail.store(make.binary("arith.addf", old, total), target, place, F32_BITS, alignment)

    def _sums(self, left: _Rows, ivs: _Ivs, first: ir.Value, columns: range, valid: int | ir.Value) -> list[ir.Value]:
        """For each row a vector in whose lanes, with the period of the number of ``columns``, are parts of their sums.
        From ``valid`` on columns count as the last one."""
        count = len(columns)
        if count == 1:
            column = _column(first, index(columns[0]), valid) if isinstance(valid, ir.Value) else make.addi(
                first, index(min(columns[0], valid - 1)))
            right = self._vectors(self.plan.right, {**ivs, self.plan.columns: column})
            return [self._folded(_sum_of_products(row, right)) for row in left]
        low, high = (self._sums(left, ivs, first, part, valid) for part in (columns[:count // 2], columns[count // 2:]))
        return [make.binary("arith.addf", *exchange(a, b, count // 2)) for a, b in zip(low, high, strict=True)]

    def _in_groups(self, rows: list[_Ivs], first: ir.Value, valid: int | ir.Value) -> list[ir.Value]:
        """As `_sums`, of ``lanes`` columns from ``first`` on, in a loop over groups of columns: the sums of each group
        push those of the ones before it towards the first lane. LLVM would keep the vectors of all columns in memory,
        if they were exchanged in a tree."""
        group, columns = self.plan.group, self.plan.columns

        def some(places: list[ir.Value], old: list[ir.Value]) -> list[ir.Value]:
            sums = iter(self._along(rows, [{**rows[0], columns: place} for place in places]))
            new = self._totals([_merged([self._folded(next(sums)) for _ in places]) for _ in rows])
            return [make.shuffle(a, b, range(group, group + self.lanes)) for a, b in zip(old, new, strict=True)]

        def inside(iv: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
            return some([_column(first, make.addi(iv, index(column)), valid) for column in range(group)], old)

        totals = [zeros(ir.VectorType.get([self.lanes], ir.F32Type.get()))] * len(rows)
        whole, rest = divmod(valid if isinstance(valid, int) else self.lanes, group)
        totals = for_loop(index(0), index(whole * group), group, totals, inside)
        if rest:
            totals = some([make.addi(first, index(whole * group + min(column, rest - 1))) for column in range(group)],
                          totals)
        return [self._rotated(total, -(whole + (rest > 0)) * group % self.lanes) for total in totals]

    def _totals(self, sums: list[ir.Value]) -> list[ir.Value]:
        """For each row a vector that starts with the totals of its ``sums``, which are in parts, with the period of a
        group. Rows share vectors as long as their number is even."""
        period, vectors = self.plan.group, sums
        while len(vectors) % 2 == 0 and period < self.lanes:
            vectors = [make.binary("arith.addf", *exchange(a, b, period))
                       for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
            period *= 2
        while period < self.lanes:
            vectors = [make.binary("arith.addf", v, self._rotated(v, period)) for v in vectors]
            period *= 2
        shared = len(sums) // len(vectors)
        return [self._rotated(vectors[row // shared], row % shared * self.plan.group) for row in range(len(sums))]

    def _rotated(self, value: ir.Value, by: int) -> ir.Value:
        """``value`` with its lanes rotated towards the first one."""
        return make.shuffle(value, value, [(lane + by) % self.lanes for lane in range(self.lanes)]) if by else value

    def _along(self, rows: list[_Ivs], columns: list[_Ivs]) -> list[ir.Value]:
        """The products of all ``rows`` with ``columns``, those of a row together, each added up to one vector in a loop
        along the reduction."""
        whole = self.depth - self.depth % self.step
        steps = next(steps for steps in (_STEPS, 1) if whole // self.step % steps == 0)

        def inside(iv: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
            for step in range(steps):
                products = self._products(rows, columns, make.addi(iv, index(step * self.step)), self.step)
                old = [make.binary("arith.addf", *pair) for pair in zip(old, products, strict=True)]
            return old

        floats = ir.VectorType.get([self.step], ir.F32Type.get())
        start = self._products(rows, columns, index(whole), self.depth - whole) if whole < self.depth else [
            zeros(floats)] * (len(rows) * len(columns))
        return for_loop(index(0), index(whole), steps * self.step, start, inside)

    def _products(self, rows: list[_Ivs], columns: list[_Ivs], start: ir.Value, valid: int) -> list[ir.Value]:
        left = [self._vector(self.plan.left, row, start, valid) for row in rows]
        right = [self._vector(self.plan.right, column, start, valid) for column in columns]
        return [make.binary("arith.mulf", a, b) for a in left for b in right]

    def _folded(self, total: ir.Value) -> ir.Value:
        """One register: those of a product of f16 hold its even and its odd lanes."""
        if self.step == self.lanes:
            return total
        return make.binary("arith.addf", *(make.shuffle(total, total, range(start, self.step, 2)) for start in (0, 1)))

    def _vectors(self, operand: int, ivs: _Ivs) -> list[ir.Value]:
        """The vectors of ``operand`` along the reduction, as f32; zeros beyond its end."""
        return [self._vector(operand, ivs, index(start), min(self.depth - start, self.step))
                for start in range(0, self.depth, self.step)]

    def _vector(self, operand: int, ivs: _Ivs, start: ir.Value, valid: int) -> ir.Value:
        """The ``valid`` elements of ``operand`` from ``start`` on, as f32, then zeros."""
        value, widen = self.values[operand], self.widen[operand]
        type_ = ir.VectorType.get([self.step], ir.MemRefType(value.type).element_type)
        alignment = self._alignment(operand, self.plan.reduction)
        place = self._place(operand, {**ivs, self.plan.reduction: start})
        loaded = make.load(type_, value, place, alignment) if valid == self.step else Tail(
            index(valid), valid, self.step, self.bits).load(type_, value, place, self.bits, alignment)
        return loaded if widen is None else make.cast(
            widen.name, ir.VectorType.get([self.step], ir.F32Type.get()), loaded)

    def _alignment(self, operand: int, loop: int) -> int:
        return vector_alignment(self.values[operand], self.contraction.accesses[operand], loop, self.vector_bytes)

    def _place(self, operand: int, ivs: _Ivs) -> list[ir.Value]:
        return [index(place.constant) if place.plain is None else ivs[place.plain]
                for place in self.contraction.accesses[operand].indices]


def _sum_of_products(left: list[ir.Value], right: list[ir.Value]) -> ir.Value:
    total, *others = (make.binary("arith.mulf", a, b) for a, b in zip(left, right, strict=True))
    for product in others:
        total = make.binary("arith.addf", total, product)
    return total


def _column(first: ir.Value, number: ir.Value, valid: int | ir.Value) -> ir.Value:
    """The column so many after ``first``; the last of the ``valid`` ones where their number is known at run time
    only."""
    if isinstance(valid, ir.Value):
        number = arith.minsi(number, make.subi(valid, index(1)))
    return make.addi(first, number)


def _merged(vectors: list[ir.Value]) -> ir.Value:
    """The vectors of a power of two of columns, added pairwise after exchanges of half of their lanes."""
    half = len(vectors) // 2
    if not half:
        return vectors[0]
    return make.binary("arith.addf", *exchange(_merged(vectors[:half]), _merged(vectors[half:]), half))
