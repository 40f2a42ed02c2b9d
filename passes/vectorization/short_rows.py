"""Nests over rows of a few elements: vectors are across the rows, whose elements are deinterleaved, and the results
interleaved.

After `Phases` there are as many vectors as a row has elements, with one row per lane: the body runs for each of them,
and its results are interleaved before they are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from hexagon_mlir.ir import arith, ir, vector
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.lib.loop_nests import LoopNest, Operand
from hexagon_mlir.passes.lib.segments import for_loop, segments, when
from hexagon_mlir.passes.lib.tail import Tail, concatenate, shifted
from hexagon_mlir.passes.vectorization.body import BodyEmitter, Ivs, Scope
from hexagon_mlir.passes.vectorization.plan import ShortRowsPlan
from hexagon_mlir.passes.vectorization.strided import StridedView, strided_view
from hexagon_mlir.passes.vectorization.strides import Phases, interleaved

MOST_ELEMENTS = 16
"""Elements of a row: as many vectors are live in registers, half of all."""
_MOST_BLENDS = 7  # selects per vector: where more are needed, a transpose is cheaper


def choose_short_rows(nest: LoopNest, lanes: int, vector_bits: int) -> ShortRowsPlan | None:
    """The plan where operands are rows of a few elements, one after the other; ``vector_bits`` of an HVX vector."""
    if nest.tables or sum(nest.reduction) > 1:
        return None
    for row, extent in enumerate(nest.extents):
        if extent is None or not 1 < extent <= MOST_ELEMENTS or extent // (extent & -extent) > _MOST_BLENDS:
            continue
        if any(nest.reduction) and not nest.reduction[row]:
            continue
        for loop, number in enumerate(nest.extents):
            users = [o for o in nest.operands if o.uses(loop)]
            rows = [o for o in users if is_row(o, loop, row, extent)]
            vectors = max((o.bits * lanes // vector_bits for o in rows), default=0) * extent * len(rows)
            if (loop != row and not nest.reduction[loop] and 0 < vectors <= 2 * MOST_ELEMENTS
                    and (number is None or 2 * number >= lanes)
                    and all(o in rows or o.contiguous_in(loop) for o in users)
                    and all(o.uses(loop) for o in nest.operands if o.is_output)):
                return ShortRowsPlan(loop, lanes, row, extent)
    return None


def is_row(operand: Operand, loop: int, row: int, extent: int) -> bool:
    """True when each iteration of ``loop`` has a row of ``extent`` elements of ``operand``, along loop ``row``."""
    return (operand.stride_in(loop) == extent and operand.stride_in(row) == 1
            and all(stride is not None and stride >= 0 for stride in operand.strides))


class ShortRowsEmitter:
    """Emits the loop over rows, inside the loops around it."""

    def __init__(self, plan: ShortRowsPlan, body: BodyEmitter, outputs: range, extents: Sequence[ir.Value]):
        self.body, self.nest, self.plan, self.outputs = body, body.nest, plan, outputs
        self.extent = extents[plan.loop]
        self.views = {number: strided_view(body.values[number], operand.dims.index(plan.loop))
                      for number, operand in enumerate(self.nest.operands)
                      if is_row(operand, plan.loop, plan.row_loop, plan.row_length)}

    def emit(self, ivs: Ivs) -> None:
        """All rows at the outer loops' ``ivs``."""
        scopes = [self.body.uniform(Scope(), here, set(here)) for here in self._columns(ivs)]
        for segment in segments(self.nest.extents[self.plan.loop], self.extent, self.plan.lanes):
            tail = segment.tail(self.nest.narrowest_bits)

            def one_vector(iv: ir.Value, carried: list[ir.Value], tail: Tail | None = tail) -> list[ir.Value]:
                self._rows({**ivs, self.plan.loop: iv}, scopes, tail)
                return carried

            if tail is None:
                for_loop(segment.lower, segment.upper, segment.width, [], one_vector)
            elif tail.static is not None:
                one_vector(segment.lower, [])
            else:  # HVX loads masked-off lanes: an empty block would be read past the last row
                some = arith.cmpi(arith.CmpIPredicate.sgt, tail.valid, index(0))
                when(some, [], partial(one_vector, segment.lower))

    def _columns(self, ivs: Ivs) -> list[Ivs]:
        return [{**ivs, self.plan.row_loop: index(column)} for column in range(self.plan.row_length)]

    def _rows(self, ivs: Ivs, scopes: list[Scope], tail: Tail | None) -> None:
        """As many rows as there are lanes, from ``ivs`` on."""
        lanes, columns = self.plan.lanes, self._columns(ivs)
        apart = {number: self._load(number, columns[0], tail) for number in self.views if self.body.is_read(number)}
        given = [{number: concatenate([part[column] for part in parts]) for number, parts in apart.items()}
                 for column in range(self.plan.row_length)]
        if self.nest.reduction[self.plan.row_loop]:
            values = [self.body.load(output, ivs, lanes, tail) for output in self.outputs]
            for here, scope, vectors in zip(columns, scopes, given, strict=True):
                values = self.body.vectors(scope, here, lanes, tail, values, vectors)
            for output, value in zip(self.outputs, values, strict=True):
                self.body.store(output, value, ivs, lanes, tail)
            return
        results = [self.body.vectors(scope, here, lanes, tail, given=vectors)
                   for here, scope, vectors in zip(columns, scopes, given, strict=True)]
        for output, of_columns in zip(self.outputs, zip(*results, strict=True), strict=True):
            if output in self.views:
                self._store(output, columns[0], of_columns, tail)
                continue
            for here, value in zip(columns, of_columns, strict=True):
                self.body.store(output, value, here, lanes, tail)

    def _place(self, operand: int, ivs: Ivs) -> tuple[StridedView, list[ir.Value], int, int]:
        bits = self.nest.operands[operand].bits
        view = self.views[operand]
        return view, view.indices(self.body.indices(operand, ivs)), bits, self.body.vector_bytes * 8 // bits

    def _load(self, operand: int, ivs: Ivs, tail: Tail | None) -> list[Phases]:
        """The elements of all rows, as one `Phases` per HVX vector of lanes."""
        view, first, bits, native = self._place(operand, ivs)
        type_ = ir.VectorType.get([native], self.body.element_type(operand))
        if tail is None:
            loaded = [vector.load(type_, view.buffer, shifted(first, start), alignment=bits // 8)
                      for start in range(0, self.plan.lanes * self.plan.row_length, native)]
        else:
            whole = ir.VectorType.get([self.plan.lanes * self.plan.row_length], type_.element_type)
            loaded = tail.rows(self.plan.row_length).load_parts(whole, view.buffer, first, bits, bits // 8)
        length = self.plan.row_length
        return [Phases(loaded[start:start + length]) for start in range(0, len(loaded), length)]

    def _store(self, operand: int, ivs: Ivs, columns: Sequence[ir.Value], tail: Tail | None) -> None:
        view, first, bits, native = self._place(operand, ivs)
        columns = [c if isinstance(c.type, ir.VectorType) else self.body.widen(c, self.plan.lanes) for c in columns]
        parts = [part for start in range(0, self.plan.lanes, native)
                 for part in interleaved([_lanes(c, start, native) for c in columns])]
        if tail is not None:
            tail.rows(self.plan.row_length).store_parts(parts, view.buffer, first, bits, bits // 8)
            return
        for number, part in enumerate(parts):
            vector.store(part, view.buffer, shifted(first, number * native), alignment=bits // 8)


def _lanes(value: ir.Value, start: int, width: int) -> ir.Value:
    if ir.VectorType(value.type).shape[0] == width:
        return value
    return vector.shuffle(value, value, list(range(start, start + width)))
