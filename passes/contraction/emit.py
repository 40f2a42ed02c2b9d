"""Emits the loops and vectors of one contraction for its `ContractionPlan`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from hexagon_mlir.ir import arith, ir, make, memref, scf
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import TCM_SPACE, memory_space
from hexagon_mlir.passes.contraction.alignment import vector_alignment
from hexagon_mlir.passes.contraction.packing import Packing, place_of_packing
from hexagon_mlir.passes.contraction.plan import ContractionPlan
from hexagon_mlir.passes.contraction.start import Start
from hexagon_mlir.passes.lib.contractions import Body, Contraction, Index, OperandAccess
from hexagon_mlir.passes.lib.loop_nests import split_operands
from hexagon_mlir.passes.lib.segments import for_loop
from hexagon_mlir.passes.lib.tail import Tail

Ivs = dict[int, ir.Value]
_FEW = 4  # elements along a reduction; fewer are loaded one by one
_PACKED_BLOCKS = 3  # an input that at least so many blocks of rows read is worth packing into whole vectors


@dataclass(frozen=True)
class Column:
    """One vector of the block: its first index along the vectorized loop, and its mask when it is the last one."""

    start: ir.Value
    tail: Tail | None


@dataclass(frozen=True)
class _Inner:
    """An operation of the body, read once: it is cloned for every vector, and reading takes as long as cloning."""

    name: str
    type_: ir.Type
    attributes: dict[str, ir.Attribute]
    location: ir.Location

    @staticmethod
    def of(op: ir.Operation) -> _Inner:
        """The parts of ``op`` that a clone needs."""
        return _Inner(op.name, op.results[0].type, {name: op.attributes[name] for name in op.attributes}, op.location)

    def clone(self, type_: ir.Type, operands: list[ir.Value]) -> ir.Value:
        """The same operation on vector operands, with a result of ``type_``."""
        return ir.Operation.create(self.name, results=[type_], operands=operands, attributes=self.attributes,
                                   loc=self.location).result


class ContractionEmitter:
    """Replaces one contraction by vector code; use as ``ContractionEmitter(op, ...).emit()`` at an insertion point."""

    def __init__(self, op: ir.Operation, contraction: Contraction, body: Body, plan: ContractionPlan, vector_bytes: int,
                 shared: list[Packing] | None, start: Start | None = None):
        """``shared`` are the packed copies made for earlier contractions, which this one may use; None: inputs are not
        packed.

        The sums start from ``start``, or from the output's elements where it is None.
        """
        self.contraction, self.body, self.plan, self.vector_bytes = contraction, body, plan, vector_bytes
        self.product = None if body.product is None else _Inner.of(body.product)
        self.combine = _Inner.of(body.combine)
        self.widen = [None if widen is None else _Inner.of(widen) for widen in body.widen]
        inputs, outputs = split_operands(op)
        self.values = [*inputs, *outputs]
        self.output = len(inputs)
        self.op, self.shared, self.start = op, shared, start
        self.packed = -1
        self.alignments: dict[tuple[int, int, ir.Value], int] = {}
        self.extents = [self._extent(loop) for loop in range(len(contraction.extents))]

    @property
    def may_wait(self) -> bool:
        """True where neither the allocation of the TCM nor outlining changes the code: all sizes are static, and inputs
        are read unpacked, in vectors."""
        inputs = [self.contraction.accesses[i] for i in self.contraction.inputs]
        return (None not in self.contraction.extents and self._packed_input() is None
                and all(access.uses(self.plan.loop) or access.walks(self.plan.reductions[-1]) for access in inputs))

    def emit(self) -> None:
        """Emit everything."""
        if 0 in self.contraction.extents:
            return  # nothing to compute, or nothing to add
        special = (self.plan.loop, self.plan.row_loop)
        outer = [i for i, r in enumerate(self.contraction.reduction) if not r and i not in special]
        packed = self._packed_input()
        if packed is not None and not any(self.contraction.accesses[packed].uses(loop) for loop in outer):
            place = place_of_packing(self.op, self.values[packed])
            if place is not None:
                self._pack_once(packed, place)
                packed = None
        if packed is not None:  # inside the loops that the access depends on, outside the others
            outer.sort(key=lambda loop: not self.contraction.accesses[packed].uses(loop))
        self._outer_loops(outer, {}, packed)

    # -- loops ---------------------------------------------------------------------------------------------------

    def _extent(self, loop: int) -> ir.Value:
        static = self.contraction.extents[loop]
        if static is not None:
            return index(static)
        for access, value in zip(self.contraction.accesses, self.values, strict=True):
            for dim, place in enumerate(access.indices):
                if place.plain == loop:
                    return memref.dim(value, index(dim))
        raise AssertionError("a loop whose length no operand tells")

    def _outer_loops(self, loops: list[int], ivs: Ivs, packed: int | None) -> None:
        if packed is not None and not any(self.contraction.accesses[packed].uses(loop) for loop in loops):
            buffer = self._pack(packed, ivs)
            self._read_packed(packed, buffer, ivs)
            self._outer_loops(loops, ivs, None)
            memref.dealloc(buffer)
            return
        if not loops:
            self._columns(ivs)
            return

        def body(iv: ir.Value, carried: list[ir.Value]) -> Sequence[ir.Value]:
            self._outer_loops(loops[1:], {**ivs, loops[0]: iv}, packed)
            return carried

        for_loop(index(0), self.extents[loops[0]], 1, [], body)

    def _columns(self, ivs: Ivs) -> None:
        """Blocks along the vectorized loop: whole ones, then one of what is left."""
        extent, lanes, width = self.contraction.extents[self.plan.loop], self.plan.lanes, self.plan.columns
        if extent is None:
            self._dynamic_columns(ivs)
            return
        whole = extent // (lanes * width)
        if whole:
            self._column_loop(ivs, index(0), index(whole * lanes * width), width)
        first = whole * lanes * width
        rest = []
        for start in range(first, extent, lanes):
            valid = min(extent - start, lanes)
            rest.append(Column(index(start), self._tail(index(valid), valid) if valid < lanes else None))
        if rest:
            self._rows(ivs, rest)

    def _dynamic_columns(self, ivs: Ivs) -> None:
        lanes, width = self.plan.lanes, self.plan.columns
        extent = self.extents[self.plan.loop]
        main = make.muli(arith.divui(extent, index(lanes * width)), index(lanes * width))
        single = make.muli(arith.divui(extent, index(lanes)), index(lanes))
        self._column_loop(ivs, index(0), main, width)
        if width > 1:
            self._column_loop(ivs, main, single, 1)
        left = make.subi(extent, single)
        some = scf.IfOp(arith.cmpi(arith.CmpIPredicate.ne, left, index(0)))
        with ir.InsertionPoint(some.then_block):
            self._rows(ivs, [Column(single, self._tail(left, None))])
            scf.yield_([])

    def _column_loop(self, ivs: Ivs, lower: ir.Value, upper: ir.Value, width: int) -> None:
        def body(iv: ir.Value, carried: list[ir.Value]) -> Sequence[ir.Value]:
            self._rows(ivs, [Column(_plus(iv, j * self.plan.lanes), None) for j in range(width)])
            return carried

        for_loop(lower, upper, width * self.plan.lanes, [], body)

    def _tail(self, valid: ir.Value, static: int | None) -> Tail:
        return Tail(valid, static, self.plan.lanes, self.contraction.narrowest_bits)

    def _rows(self, ivs: Ivs, columns: list[Column]) -> None:
        """Blocks along the row loop: whole ones, then one of what is left."""
        loop, height = self.plan.row_loop, self.plan.rows
        if loop is None:
            self._block([ivs], columns)
            return
        extent = self.contraction.extents[loop]
        if extent is None:
            main = make.muli(arith.divui(self.extents[loop], index(height)), index(height))
        else:
            main = index(extent - extent % height)
        if extent is None or extent >= height:
            self._row_loop(ivs, columns, index(0), main, height)
        if extent is None and height > 1:
            self._row_loop(ivs, columns, main, self.extents[loop], 1)
        elif extent is not None and extent % height:
            self._block([{**ivs, loop: index(row)} for row in range(extent - extent % height, extent)], columns)

    def _row_loop(self, ivs: Ivs, columns: list[Column], lower: ir.Value, upper: ir.Value, height: int) -> None:
        loop = self.plan.row_loop
        assert loop is not None

        def body(iv: ir.Value, carried: list[ir.Value]) -> Sequence[ir.Value]:
            self._block([{**ivs, loop: _plus(iv, j)} for j in range(height)], columns)
            return carried

        for_loop(lower, upper, height, [], body)

    # -- packing -------------------------------------------------------------------------------------------------

    def _packed_input(self) -> int | None:
        """The input whose vectors are unaligned and read by enough blocks to be worth packing."""
        loop, row_loop = self.plan.loop, self.plan.row_loop
        if self.shared is None or row_loop is None:
            return None
        if (self.contraction.extents[row_loop] or 0) < _PACKED_BLOCKS * self.plan.rows:
            return None
        for operand in self.contraction.inputs:
            access = self.contraction.accesses[operand]
            used = [index.plain for index in access.indices]
            if (access.uses(loop) and not access.uses(row_loop) and self._alignment(operand) < self.vector_bytes
                    and None not in used and all(self.contraction.extents[u] is not None for u in used)):
                return operand
        return None

    def _pack_once(self, operand: int, place: ir.Operation) -> None:
        """Copy all of ``operand`` before ``place``, or find the copy that an equal contraction has made there."""
        roles = {self.plan.loop: "lanes", self.plan.reductions[-1]: "steps"}
        loops = [i.plain or 0 for i in self.contraction.accesses[operand].indices]
        form = (self.plan.dot_products, self.plan.lanes,
                *((self.contraction.extents[loop], roles.get(loop)) for loop in loops))
        source = self.values[operand]
        assert self.shared is not None  # else `_packed_input` finds none
        buffer = next((p.buffer for p in self.shared if p.source == source and p.place == place and p.form == form),
                      None)
        if buffer is None:
            with ir.InsertionPoint(place):
                buffer = self._pack(operand, {})
            with ir.InsertionPoint.after(place):
                memref.dealloc(buffer)
            self.shared.append(Packing(source, place, form, buffer))
        self._read_packed(operand, buffer, {})

    def _pack(self, operand: int, ivs: Ivs) -> ir.Value:
        """A copy of what ``operand`` holds at ``ivs``: whole vectors in TCM."""
        access, source = self.contraction.accesses[operand], self.values[operand]
        loops = [place.plain for place in access.indices if place.plain not in ivs]
        extents = [self.contraction.extents[loop] for loop in loops]
        lanes, length = self.plan.lanes, extents[-1]
        columns = ceil(length / lanes)
        element = ir.MemRefType(source.type).element_type
        type_ = ir.MemRefType.get([*extents[:-1], columns * lanes], element, memory_space=memory_space(TCM_SPACE))
        buffer = memref.alloc(type_, [], [])
        vector_type = ir.VectorType.get([lanes], element)

        def copy(start: ir.Value, inner: Ivs, tail: Tail | None) -> None:
            indices = self.indices(access, {**ivs, **inner, loops[-1]: start})
            value = (make.load(vector_type, source, indices, alignment=self._alignment(operand)) if tail is None else
                     tail.load(vector_type, source, indices, access.bits, self._alignment(operand)))
            make.store(value, buffer, [*inner.values(), start], alignment=self.vector_bytes)

        def rows(left: list[int], inner: Ivs) -> None:
            if left:
                each(index(self.contraction.extents[left[0]]), lambda iv: rows(left[1:], {**inner, left[0]: iv}))
                return
            whole = length - length % lanes
            if whole:
                each(index(whole // lanes), lambda iv: copy(make.muli(iv, index(lanes)), inner, None))
            if length > whole:
                copy(index(whole), inner, self._tail(index(length - whole), length - whole))

        rows(loops[:-1], {})
        return buffer

    def _read_packed(self, operand: int, buffer: ir.Value, ivs: Ivs) -> None:
        """From now on ``operand`` is read from ``buffer``, which `_pack` made at ``ivs``."""
        loops = [place.plain for place in self.contraction.accesses[operand].indices if place.plain not in ivs]
        self.values[operand] = buffer
        self.contraction = replace(self.contraction, accesses=tuple(
            replace(a, indices=tuple(Index(((loop, 1),)) for loop in loops)) if i == operand else a
            for i, a in enumerate(self.contraction.accesses)))
        self.packed = operand

    # -- one block -----------------------------------------------------------------------------------------------

    def _block(self, rows: list[Ivs], columns: list[Column]) -> None:
        """The accumulators of ``rows`` x ``columns``, from the output through the reductions and back."""
        columns = [Column(c.start, replace(c.tail, masks={}) if c.tail else None) for c in columns]  # masks made here
        start = [self._first(row, column) for row in rows for column in columns]
        final = self._reduce(list(self.plan.reductions), {}, start, rows, columns)
        places = [(row, column) for row in rows for column in columns]
        access = self.contraction.output
        for (row, column), value in zip(places, final, strict=True):
            target, indices = self.values[self.output], self.indices(access, {**row, self.plan.loop: column.start})
            if column.tail is None:
                make.store(value, target, indices, alignment=self._alignment(self.output))
            else:
                column.tail.store(value, target, indices, access.bits, self._alignment(self.output))

    def _first(self, row: Ivs, column: Column) -> ir.Value:
        """The initial accumulator of one vector."""
        if self.start is None:
            return self._vector(self.output, row, column)
        value, access = self.start.value, self.contraction.output
        element = ir.MemRefType(self.values[self.output].type).element_type
        type_ = ir.VectorType.get([self.plan.lanes], element)
        if not isinstance(value.type, ir.MemRefType):
            return make.broadcast(type_, value)
        indices = [{**row, self.plan.loop: column.start}[loop] for loop in self.start.dims]
        if self.plan.loop not in self.start.dims:
            return make.broadcast(type_, memref.load(value, indices))
        bytes_ = access.bits // 8
        return (make.load(type_, value, indices, alignment=bytes_) if column.tail is None else
                column.tail.load(type_, value, indices, access.bits, bytes_))

    def _reduce(self, loops: list[int], inner: Ivs, carried: list[ir.Value], rows: list[Ivs],
                columns: list[Column]) -> list[ir.Value]:
        if not loops:
            return self._step(inner, carried, rows, columns, {})
        extent = self.contraction.extents[loops[0]]
        few = self.plan.unrolled > 0 and extent is not None and extent < _FEW
        if len(loops) == 1 and not few and self._spread_inputs(loops[0]):
            return self._spread(loops[0], inner, carried, rows, columns)
        if len(loops) <= self.plan.unrolled:
            assert extent is not None
            for k in range(extent):
                carried = self._reduce(loops[1:], {**inner, loops[0]: index(k)}, carried, rows, columns)
            return carried
        return for_loop(index(0), self.extents[loops[0]], 1, carried,
                        lambda iv, old: self._reduce(loops[1:], {**inner, loops[0]: iv}, old, rows, columns))

    def _step(self, inner: Ivs, carried: list[ir.Value], rows: list[Ivs], columns: list[Column],
              spread: dict[tuple[int, int], ir.Value]) -> list[ir.Value]:
        """One step of the innermost loop. ``spread`` holds (input, row) -> its element in all lanes, where known."""
        values: list[ir.Value] = []
        vectors: dict[tuple[int, int, int], ir.Value] = {}
        for number, row in enumerate(rows):
            for place, column in enumerate(columns):
                factors = []
                for i, operand in enumerate(self.contraction.inputs):
                    access = self.contraction.accesses[operand]
                    moves = self.plan.row_loop is not None and access.uses(self.plan.row_loop)
                    key = (i, number if moves else -1, place if access.uses(self.plan.loop) else -1)
                    if key not in vectors:
                        ready = spread.get((operand, number))
                        vectors[key] = self._factor(i, operand, {**row, **inner}, column, ready)
                    factors.append(vectors[key])
                value = factors[0]
                if self.product is not None:
                    value = self.product.clone(value.type, factors)
                old = carried[number * len(columns) + place]
                values.append(self.combine.clone(old.type, [old, value]))
        return values

    def _factor(self, i: int, operand: int, ivs: Ivs, column: Column, ready: ir.Value | None) -> ir.Value:
        """A widened vector of input number ``i``."""
        value = ready if ready is not None else self._vector(operand, ivs, column)
        widen = self.widen[i]
        return value if widen is None else widen.clone(ir.VectorType.get([self.plan.lanes], widen.type_), [value])

    # -- elements of a row out of vectors ------------------------------------------------------------------------

    def _spread_inputs(self, loop: int) -> list[int]:
        """Inputs whose elements are broadcast to the lanes and adjacent along ``loop``: they are loaded as vectors.

        A scalar load from TCM stalls the core each time, and one from DDR on a cache miss.
        """
        return [i for i in self.contraction.inputs if not self.contraction.accesses[i].uses(self.plan.loop)
                and self.contraction.accesses[i].walks(loop)
                ]

    def _spread(self, loop: int, inner: Ivs, carried: list[ir.Value], rows: list[Ivs],
                columns: list[Column]) -> list[ir.Value]:
        """The innermost loop with a vector of elements per row: its first lanes are broadcast, then it is rotated."""
        inputs = self._spread_inputs(loop)
        lanes = min(self.vector_bytes * 8 // self.contraction.accesses[i].bits for i in inputs)
        keys = [(i, number) for i in inputs for number in range(len(rows))]
        extent = self.contraction.extents[loop]
        count = len(carried)

        def chunk(first: ir.Value, accumulators: list[ir.Value], trips: int | ir.Value) -> list[ir.Value]:
            valid = index(trips) if isinstance(trips, int) else trips
            loaded = [self._elements(i, {**rows[number], **inner, loop: first}, valid, loop, lanes)
                      for i, number in keys]

            def steps(start: ir.Value, old: list[ir.Value], many: int) -> list[ir.Value]:
                sums, sources = old[:count], old[count:]
                for lane in range(many):
                    spread = {key: self._spread_lane(source, lane) for key, source in zip(keys, sources, strict=True)}
                    sums = self._step({**inner, loop: _plus(start, lane)}, sums, rows, columns, spread)
                return [*sums, *(rotated(source, many) for source in sources)]

            if not isinstance(trips, int):
                return for_loop(index(0), trips, 1, [*accumulators, *loaded],
                                lambda iv, old: steps(make.addi(first, iv), old, 1))[:count]
            rotation = self.plan.rotation_steps
            done = for_loop(index(0), index(trips // rotation), 1, [*accumulators, *loaded],
                            lambda iv, old: steps(make.addi(first, make.muli(iv, index(rotation))), old, rotation))
            return steps(_plus(first, trips - trips % rotation), done, trips % rotation)[:count]

        if extent is None:
            bound = self.extents[loop]
            chunks = arith.divui(make.addi(bound, index(lanes - 1)), index(lanes))

            def body(number: ir.Value, old: list[ir.Value]) -> list[ir.Value]:
                first = make.muli(number, index(lanes))
                return chunk(first, old, arith.minsi(make.subi(bound, first), index(lanes)))

            return for_loop(index(0), chunks, 1, carried, body)
        whole, rest = divmod(extent, lanes)
        if whole:
            carried = for_loop(index(0), index(whole), 1, carried,
                               lambda number, old: chunk(make.muli(number, index(lanes)), old, lanes))
        return chunk(index(whole * lanes), carried, rest) if rest else carried

    def _elements(self, operand: int, ivs: Ivs, valid: ir.Value, loop: int, step: int) -> ir.Value:
        """A vector of adjacent elements along ``loop``, of which ``valid`` exist; vectors start at multiples of
        ``step``."""
        access, source = self.contraction.accesses[operand], self.values[operand]
        lanes = self.vector_bytes * 8 // access.bits
        type_ = ir.VectorType.get([lanes], ir.MemRefType(source.type).element_type)
        static, alignment = constant_value(valid), min(self._alignment(operand, loop), step * access.bits // 8)
        indices = self.indices(access, ivs)
        if static == lanes:
            return make.load(type_, source, indices, alignment=alignment)
        return Tail(valid, static, lanes, access.bits).load(type_, source, indices, access.bits, alignment)

    def _spread_lane(self, source: ir.Value, lane: int) -> ir.Value:
        """One lane of ``source`` in every lane of a vector as long as the block's."""
        return make.shuffle(source, source, [lane] * self.plan.lanes)

    # -- memory --------------------------------------------------------------------------------------------------

    def _vector(self, operand: int, ivs: Ivs, column: Column) -> ir.Value:
        """The vector of ``operand`` at ``ivs``, or its element in all lanes when it does not depend on the vectorized
        loop."""
        access, source = self.contraction.accesses[operand], self.values[operand]
        element = ir.MemRefType(source.type).element_type
        type_ = ir.VectorType.get([self.plan.lanes], element)
        indices = self.indices(access, {**ivs, self.plan.loop: column.start})
        if not access.uses(self.plan.loop):
            return make.broadcast(type_, memref.load(source, indices))
        if column.tail is None or operand == self.packed:
            return make.load(type_, source, indices, alignment=self._alignment(operand))
        return column.tail.load(type_, source, indices, access.bits, self._alignment(operand))

    def indices(self, access: OperandAccess, ivs: Ivs) -> list[ir.Value]:
        """The indices of ``access`` at ``ivs``."""
        found = []
        for place in access.indices:
            total = index(place.constant) if place.constant or not place.terms else None
            for loop, factor in place.terms:
                term = ivs[loop] if factor == 1 else make.muli(ivs[loop], index(factor))
                total = term if total is None else make.addi(total, term)
            assert total is not None
            found.append(total)
        return found

    def _alignment(self, operand: int, loop: int | None = None) -> int:
        """Bytes the address of a vector along ``loop`` is known to be a multiple of; the vectorized loop by default."""
        value, loop = self.values[operand], self.plan.loop if loop is None else loop
        if (operand, loop, value) not in self.alignments:
            access = self.contraction.accesses[operand]
            self.alignments[operand, loop, value] = vector_alignment(value, access, loop, self.vector_bytes)
        return self.alignments[operand, loop, value]


def each(extent: ir.Value, inside: Callable[[ir.Value], None]) -> None:
    """A loop over ``extent`` steps that carries nothing."""

    def body(iv: ir.Value, carried: list[ir.Value]) -> Sequence[ir.Value]:
        inside(iv)
        return carried

    for_loop(index(0), extent, 1, [], body)


def _plus(value: ir.Value, constant: int) -> ir.Value:
    return make.addi(value, index(constant)) if constant else value


def rotated(value: ir.Value, by: int = 1) -> ir.Value:
    """``value`` with every lane moved down, the first ones to the end."""
    lanes = ir.VectorType(value.type).shape[0]
    return make.shuffle(value, value, [(i + by) % lanes for i in range(lanes)]) if by else value
