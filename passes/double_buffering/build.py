"""Restructures a tile loop: a prologue that fetches ahead, then a loop with one exclusive part per set of buffers."""

from __future__ import annotations

from hexagon_mlir.dialects.double_buffering import FETCH, IN_PLACE, LOOP, PREFETCH, PROLOGUE, STAGES, STORE
from hexagon_mlir.ir import arith, ir, memref, scf
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import TCM_SPACE, memory_space
from hexagon_mlir.passes.double_buffering.loops import TileBuffer, TileLoop
from hexagon_mlir.passes.lib.pure_slices import Mapping, clone, outside_operands, pure_slice


class Builder:
    """Builds the double-buffered form of ``found`` with ``count`` sets of buffers; ``trips`` is given where all tiles
    may be fetched before the loop: the number of its iterations."""

    def __init__(self, found: TileLoop, count: int, number: int, trips: int | None = None) -> None:
        self.found, self.count, self.number, self.trips = found, count, number, trips
        self.old, self.body = found.loop, found.body
        self.low, self.high, self.step = list(found.loop.operands)[:3]
        self.initial = list(found.loop.operands)[3:]
        self.loop_carried = {one.number: one.alloc for one in found.loop_carried}
        self.kept = [number for number in range(len(self.initial)) if number not in self.loop_carried]
        self.operations = [op.operation for op in self.body.operations][:-1]
        self.yielded = list(self.body.operations[len(self.operations)].operands)
        self.fetched = [b for b in found.buffers if b.producers]

    def build(self) -> None:
        """Emit everything before the old loop and erase that."""
        with self.old.location, ir.InsertionPoint(self.old):
            self.rings = {b.alloc: [_bytes_of(b) for _ in range(self.count)] for b in self.found.buffers}
            self.places = {alloc: [self._place_of(alloc) for _ in range(self.count)]
                           for alloc in self.loop_carried.values()}
            for number, alloc in self.loop_carried.items():  # the first iteration reads the last set
                memref.copy(self.initial[number], self.places[alloc][-1])
            if self.fetched:
                self._prologue()
            loop = self._loop()
            self._take_last(loop.results[0])
        for number, new in zip(self.kept, list(loop.results)[1:], strict=True):
            self.old.results[number].replace_all_uses_with(new)
        self.old.erase()

    @property
    def ahead(self) -> int:
        """How many tiles ahead of the work fetches go: all of them where each has a set of its own."""
        return self.count if self.count == self.trips else self.count - 1

    def _prologue(self) -> None:
        """Fetch the first tiles, those that exist."""
        mapping = self._start()
        for tile in range(self.ahead):
            if tile:
                mapping = self._next(mapping)
            branch = scf.IfOp(_less(mapping[self._variable], self.high))
            branch.operation.attributes[PROLOGUE] = _integer(self.number)
            with ir.InsertionPoint(branch.then_block):
                self._fetch(mapping, tile)
                scf.yield_([])

    def _loop(self) -> ir.Operation:
        """The loop; it carries the index of the current set of buffers besides the old values."""
        loop = scf.ForOp(self.low, self.high, self.step, [index(0), *(self.initial[n] for n in self.kept)])
        for attribute in self.old.attributes:
            name = attribute.name if isinstance(attribute, ir.NamedAttribute) else attribute
            loop.operation.attributes[name] = self.old.attributes[name]
        loop.operation.attributes[LOOP] = _integer(self.number)
        with ir.InsertionPoint(loop.body):
            variable, current, *values = list(loop.body.arguments)
            arguments: Mapping = {self._variable: variable}
            arguments.update((self.body.arguments[n + 1], value) for n, value in zip(self.kept, values, strict=True))
            for number in range(self.count):
                values = self._part(number, current, arguments, values)
            following = arith.addi(current, index(1))
            last = arith.cmpi(arith.CmpIPredicate.eq, current, index(self.count - 1))
            scf.yield_([arith.select(last, index(0), following), *values])
        return loop.operation

    def _part(self, number: int, current: ir.Value, arguments: Mapping, values: list[ir.Value]) -> list[ir.Value]:
        """The work on set ``number``, executed when that is the ``current`` one; returns the carried values after
        it."""
        mine = arith.cmpi(arith.CmpIPredicate.eq, current, index(number))
        types = [v.type for v in values]
        branch = scf.IfOp(mine, types, has_else=bool(values))
        branch.operation.attributes[STAGES[min(number, 1)]] = _integer(number)
        with ir.InsertionPoint(branch.then_block):
            if self.fetched and self.ahead < self.count:
                self._prefetch(number, arguments)
            mapping = dict(arguments)
            for carried, alloc in self.loop_carried.items():
                mapping[self.body.arguments[carried + 1]] = self.places[alloc][number - 1]
            moved = {op for b in self.fetched for op in b.producers}
            stores = {op: b for b in self.found.buffers for op in b.stores}
            for op in self.operations:
                if op in self.rings:
                    mapping[op.results[0]] = self._view(op, number, mapping)
                elif op in self.places:
                    mapping[op.results[0]] = self.places[op][number]
                elif op not in moved:
                    copy = clone(op, mapping)
                    if op in stores:
                        place = list(stores).index(op)
                        copy.attributes[STORE] = _numbers(self.number, number, place)
                        if stores[op].producers:
                            copy.attributes[IN_PLACE] = ir.UnitAttr.get()
            scf.yield_([mapping.get(v, v) for v in (self.yielded[n] for n in self.kept)])
        if values:
            with ir.InsertionPoint(branch.else_block):
                scf.yield_(values)
        return list(branch.results)

    def _prefetch(self, number: int, arguments: Mapping) -> None:
        mapping = arguments
        for _ in range(self.ahead):
            mapping = self._next(mapping)
        branch = scf.IfOp(_less(mapping[self._variable], self.high))
        branch.operation.attributes[PREFETCH] = _integer(self.number)
        with ir.InsertionPoint(branch.then_block):
            self._fetch(mapping, (number + self.ahead) % self.count)
            scf.yield_([])

    def _fetch(self, arguments: Mapping, number: int) -> None:
        """The producers of the tile of iteration ``arguments``, writing to set ``number``."""
        mapping = dict(arguments)
        count = 0
        for buffer in self.fetched:
            values = [v for op in buffer.producers for v in outside_operands(op)] + list(buffer.alloc.operands)
            self._compute([v for v in values if v != buffer.alloc.results[0]], mapping, buffer, number)
            for op in buffer.producers:
                copy = clone(op, mapping)
                if op.name == "memref.copy":
                    copy.attributes[FETCH] = _numbers(self.number, number, count)
                    count += 1

    def _compute(self, values: list[ir.Value], mapping: Mapping, buffer: TileBuffer, number: int) -> None:
        """Clone the operations that compute ``values``; the buffer and its views are replaced by those of set
        ``number``."""
        result = buffer.alloc.results[0]
        for op in pure_slice(list(buffer.alloc.operands), self.body, mapping) or []:
            clone(op, mapping)
        mapping[result] = self._view(buffer.alloc, number, mapping)
        for op in pure_slice(values, self.body, mapping) or []:
            clone(op, mapping)

    def _place_of(self, alloc: ir.Operation) -> ir.Value:
        """A buffer like the one that ``alloc`` makes."""
        return alloc.clone().operation.results[0]

    def _take_last(self, current: ir.Value) -> None:
        """After the loop: copy the buffers that the last iteration carried, in the set before ``current``, to the last
        set."""
        results = [(self.old.results[number], self.places[alloc]) for number, alloc in self.loop_carried.items()]
        wanted = [(result, places) for result, places in results if any(True for _ in result.uses)]
        for number in range(self.count - 1 if wanted else 0):
            branch = scf.IfOp(arith.cmpi(arith.CmpIPredicate.eq, current, index(number + 1)))
            with ir.InsertionPoint(branch.then_block):
                for _, places in wanted:
                    memref.copy(places[number], places[-1])
                scf.yield_([])
        for result, places in wanted:
            result.replace_all_uses_with(places[-1])

    def _view(self, alloc: ir.Operation, number: int, mapping: Mapping) -> ir.Value:
        sizes = [mapping.get(v, v) for v in alloc.operands]
        return memref.view(alloc.results[0].type, self.rings[alloc][number], index(0), sizes)

    # -- iterations ----------------------------------------------------------------------------------------------
    @property
    def _variable(self) -> ir.Value:
        return self.body.arguments[0]

    def _start(self) -> Mapping:
        return dict(zip(self.body.arguments, [self.low, *self.initial], strict=True))

    def _next(self, arguments: Mapping) -> Mapping:
        """The arguments of the iteration after that of ``arguments``, as far as fetches depend on them."""
        scratch = {argument: arguments[argument] for argument in self.body.arguments if argument in arguments}
        following: Mapping = {self._variable: arith.addi(scratch[self._variable], self.step)}
        for number in self.found.carried:
            value = self.yielded[number]
            for op in pure_slice([value], self.body, scratch) or []:
                clone(op, scratch)
            following[self.body.arguments[number + 1]] = scratch.get(value, value)
        return following


def _bytes_of(buffer: TileBuffer) -> ir.Value:
    type_ = ir.MemRefType.get([buffer.nbytes], ir.IntegerType.get_signless(8), memory_space=memory_space(TCM_SPACE))
    return memref.alloc(type_, [], [])


def _less(left: ir.Value, right: ir.Value) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.slt, left, right)


def _integer(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _numbers(*values: int) -> ir.Attribute:
    return ir.DenseI64ArrayAttr.get(list(values))
