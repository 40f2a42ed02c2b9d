"""Emits the body of a linalg op for one vector: loads, the cloned operations, stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hexagon_mlir.dialects import tcm_slots
from hexagon_mlir.ir import ir, make, memref, vector
from hexagon_mlir.ir.buffers import VIEWS, is_noalias, start_alignment
from hexagon_mlir.ir.constants import constant, index
from hexagon_mlir.passes.lib.horizontal_reductions import combine
from hexagon_mlir.passes.lib.look_ups import load_table, look_up, low_byte
from hexagon_mlir.passes.lib.loop_nests import LoopNest, element_bits
from hexagon_mlir.passes.lib.table_reads import LOAD, address_ops, is_lookup, runs_backward
from hexagon_mlir.passes.lib.tail import Tail
from hexagon_mlir.passes.vectorization.masks import emit_test, emit_uniform, lane_tests, mask_bits, threshold
from hexagon_mlir.passes.vectorization.order import Order
from hexagon_mlir.passes.vectorization.strided import StridedView, strided_view

Ivs = dict[int, ir.Value]
_SAME_MEMORY = VIEWS | {"memref.extract_strided_metadata", "builtin.unrealized_conversion_cast"}
"""The last: views of `hexagon-wide-integers` as words, and addresses."""


@dataclass
class Scope:
    """Values already computed: by number of the body argument, and by number of the operation."""

    arguments: dict[int, ir.Value] = field(default_factory=dict)
    results: dict[int, list[ir.Value]] = field(default_factory=dict)


@dataclass(frozen=True)
class _Inner:
    """An operation of the body, read once: it is cloned for every vector, and reading takes longer than cloning."""

    name: str
    operands: list[ir.Value]
    types: list[ir.Type]
    attributes: dict[str, ir.Attribute]
    location: ir.Location

    @staticmethod
    def of(op: ir.Operation) -> _Inner:
        """The parts of ``op`` that a clone needs."""
        return _Inner(op.name, list(op.operands), [result.type for result in op.results],
                      {name: op.attributes[name] for name in op.attributes}, op.location)

    def clone(self, operands: list[ir.Value], width: int | None = None) -> list[ir.Value]:
        """The same operation on ``operands``, scalars or vectors of ``width``."""
        if self.name == "arith.constant":
            return [constant(self.attributes["value"])]
        types = self.types if width is None else [ir.VectorType.get([width], type_) for type_ in self.types]
        made = ir.Operation.create(self.name, results=types, operands=operands, attributes=self.attributes,
                                   loc=self.location)
        return [made.result] if len(types) == 1 else list(made.results)


class BodyEmitter:
    """Clones the body of ``op`` for vectors of a given width.

    Values that do not depend on the vectorized loop stay scalar and are computed once, before that loop.
    """

    def __init__(self, op: ir.Operation, nest: LoopNest, values: Sequence[ir.Value], loop: int, vector_bytes: int,
                 numbers: Sequence[int]):
        """``numbers`` gives the loop of ``nest`` for each loop of ``op``."""
        self.nest, self.loop, self.vector_bytes = nest, loop, vector_bytes
        self.values = list(values)
        self.views = {number: strided_view(values[number], operand.dims.index(loop))
                      for number, operand in enumerate(nest.operands) if operand.strided_in(loop)}
        self.loop_numbers = numbers
        self.unaligned: set[int] = set()
        """Loops whose indices are not always multiples of a vector."""
        self.alignments: dict[int, int] = {}
        """Cache: operand -> alignment of its rows in bytes."""
        self.block = op.regions[0].blocks[0]
        operations = [o.operation for o in self.block.operations]
        self.operations, self.yielded = operations[:-1], list(operations[-1].operands)
        self.read = {number for number, value in enumerate(self.block.arguments) if any(True for _ in value.uses)}
        self.numbers = {o: i for i, o in enumerate(self.operations)}
        self.inner = [_Inner.of(o) for o in self.operations]
        self.places: dict[ir.Value, tuple[int | None, int]] = {}
        """Cache: value -> (number of its operation, number of the result), or (None, number of the body argument)."""
        self.addresses = {self.numbers[o] for o in address_ops(self.block)}
        self.varying: set[int] = set()
        """Operations whose result differs between lanes."""
        for number, inner in enumerate(self.operations):
            if any(map(self._varies, inner.operands)) or (
                    inner.name == "linalg.index" and self._dim(inner) == self.loop):
                self.varying.add(number)
        self.masks = {self.numbers[o]: bits for o, bits in mask_bits(self.block, self._varies).items()}
        self.tests = lane_tests(self.operations, self.masks, self._is_lane, self._varies)
        self.tables = {number: load_table(o.operands[0], vector_bytes)
                       for number, o in enumerate(self.operations) if is_lookup(o)}
        self.orders = {} if nest.nnan or not any(nest.reduction) else self._orders()
        """The outputs that are carried as integers."""
        self.combiners = {self.numbers[self.yielded[output - len(self.values)].owner.operation]: output
                          for output in self.orders}

    def _orders(self) -> dict[int, Order]:
        outputs = range(len(self.values) - len(self.nest.combiners), len(self.values))
        found = {output: Order.of(name, self.element_type(output))
                 for output, name in zip(outputs, self.nest.combiners, strict=True)}
        return {output: order for output, order in found.items() if order is not None}

    def carried(self, output: int) -> tuple[str, ir.Type]:
        """The combiner of reduction ``output`` for values carried from one vector to the next, and their element type.
        """
        if output in self.orders:
            return self.orders[output].combiner, self.orders[output].integer
        name = self.nest.combiners[output - len(self.values)]
        assert name is not None
        return name, self.element_type(output)

    # -- memory --------------------------------------------------------------------------------------------------

    def element_type(self, operand: int) -> ir.Type:
        """Element type of operand number ``operand``."""
        type_ = self.values[operand].type
        return type_.element_type if isinstance(type_, ir.MemRefType) else type_

    def load(self, operand: int, ivs: Ivs, width: int, tail: Tail | None) -> ir.Value:
        """A vector of ``width`` elements, or a scalar when the operand does not depend on the vectorized loop.

        The output of a reduction is returned in the form in which it is carried; `store` takes that form.
        """
        if not self.nest.operands[operand].uses(self.loop):
            return self.load_scalar(operand, ivs)
        if operand in self.views:
            bits = self.nest.operands[operand].bits
            type_ = ir.VectorType.get([width], self.element_type(operand))
            return self._as_carried(operand, self.views[operand].load(type_, self.indices(operand, ivs), bits,
                                                                      self.vector_bytes * 8 // bits, tail))
        return self.load_along(operand, ivs, width, tail)

    def _as_carried(self, operand: int, value: ir.Value) -> ir.Value:
        return self.orders[operand].integers(value) if operand in self.orders else value

    def load_along(self, operand: int, ivs: Ivs, width: int, tail: Tail | None) -> ir.Value:
        """``width`` contiguous elements from the current loop indices on."""
        type_ = ir.VectorType.get([width], self.element_type(operand))
        source, indices, bits = self.values[operand], self.indices(operand, ivs), self.nest.operands[operand].bits
        if tail is None:
            return self._as_carried(operand, make.load(type_, source, indices, alignment=self._alignment(operand)))
        return self._as_carried(operand, tail.load(type_, source, indices, bits, self._alignment(operand)))

    def load_scalar(self, operand: int, ivs: Ivs) -> ir.Value:
        """One element at the current loop indices."""
        if not isinstance(self.values[operand].type, ir.MemRefType):
            return self.values[operand]
        return memref.load(self.values[operand], self.indices(operand, ivs))

    def store(self, operand: int, value: ir.Value, ivs: Ivs, width: int, tail: Tail | None) -> None:
        """Store ``value`` (splat when scalar) to the operand."""
        if not isinstance(value.type, ir.VectorType):
            value = self.widen(value, width)
        if operand in self.orders:
            value = self.orders[operand].floats(value)
        target, indices, bits = self.values[operand], self.indices(operand, ivs), self.nest.operands[operand].bits
        if operand in self.views:
            self.views[operand].store(value, indices, bits, self.vector_bytes * 8 // bits, tail)
        elif tail is None:
            make.store(value, target, indices, alignment=self._alignment(operand))
        else:
            tail.store(value, target, indices, bits, self._alignment(operand))

    def store_scalar(self, operand: int, value: ir.Value, ivs: Ivs) -> None:
        """Store one element."""
        memref.store(value, self.values[operand], self.indices(operand, ivs))

    def indices(self, operand: int, ivs: Ivs) -> list[ir.Value]:
        """The indices of ``operand`` in its buffer at ``ivs``."""
        return [ivs[d] if d is not None else index(0)
                for d in self.nest.operands[operand].dims]

    def _alignment(self, operand: int) -> int:
        """Known alignment of the address in bytes: a whole vector inside our own buffers."""
        if self.nest.operands[operand].dims[-1] in self.unaligned:
            return max(self.nest.operands[operand].bits // 8, 1)
        if operand not in self.alignments:
            self.alignments[operand] = self._aligned(operand)
        return self.alignments[operand]

    def _aligned(self, operand: int) -> int:
        value, bytes_ = self.values[operand], max(self.nest.operands[operand].bits // 8, 1)
        strides = ir.MemRefType(value.type).get_strides_and_offset()[0]
        aligned = (start_alignment(value, self.vector_bytes) % self.vector_bytes == 0
                   and all(s > 0 and s * bytes_ % self.vector_bytes == 0 for s in strides[:-1]))
        return self.vector_bytes if aligned else bytes_

    def outputs_apart(self, outputs: range) -> bool:
        """True when no output is read, by the body or through an aliasing input: its elements may be written twice.

        Two arguments may alias, unless the caller promises otherwise.
        """
        inputs = [_whole(v) for o, v in enumerate(self.values) if o not in outputs and self._reads_along(o)]
        for output in (_whole(self.values[o]) for o in outputs):
            unknown = isinstance(output.owner, ir.Block) and not is_noalias(output)
            if any(output == i or (unknown and isinstance(i.owner, ir.Block)) for i in inputs):
                return False
        return not any(self.is_read(o) for o in outputs)

    def _reads_along(self, operand: int) -> bool:
        in_memory = isinstance(self.values[operand].type, ir.MemRefType)
        return in_memory and self.nest.operands[operand].contiguous_in(self.loop)

    # -- values --------------------------------------------------------------------------------------------------

    def uniform(self, scope: Scope, ivs: Ivs, loops: set[int]) -> Scope:
        """``scope`` and every scalar that depends on the loops in ``loops`` only."""
        inputs = [i for i, o in enumerate(self.nest.operands) if not o.is_output]
        for operand in inputs:
            dims = {d for d in self.nest.operands[operand].dims if d is not None}
            if dims <= loops and self.loop not in dims:
                scope.arguments[operand] = self.load_scalar(operand, ivs)
        for number, op in enumerate(self.inner):
            if op.name == "linalg.index":
                dim = self._dim(self.operations[number])
                if dim in loops and dim != self.loop:
                    scope.results[number] = [ivs[dim]]
                continue
            operands = [o for value in op.operands if (o := self._scalar(scope, value)) is not None]
            if len(operands) == len(op.operands):
                scope.results[number] = op.clone(operands)
        return scope

    def vectors(self, scope: Scope, ivs: Ivs, width: int, tail: Tail | None,
                old: list[ir.Value] | None = None, given: Mapping[int, ir.Value] | None = None) -> list[ir.Value]:
        """The yielded values for one vector; ``old`` are the outputs' carried values, ``given`` vectors of operands
        that are not loaded here.
        """
        local = Scope({**scope.arguments, **(given or {})}, dict(scope.results))
        for operand, description in enumerate(self.nest.operands):
            if operand in local.arguments or not self.is_read(operand):
                continue
            if description.is_output and old is not None:
                local.arguments[operand] = old[operand - (len(self.nest.operands) - len(old))]
            else:
                local.arguments[operand] = self.load(operand, ivs, width, tail)
        for number, op in enumerate(self.inner):
            if number in local.results or number in self.addresses:
                continue
            if op.name == LOAD:
                index = self._scalar(local, low_byte(op.operands[-1], self.block)) if number in self.tables else None
                local.results[number] = [self._look_up(number, index) if _is_vector(index) else
                                         self._row(self.operations[number], local, ivs, width, tail)]
            elif op.name == "linalg.index":
                local.results[number] = [self._index(self._dim(self.operations[number]), ivs, width)]
            elif number in self.tests:
                local.results[number] = [self._test(number, local, ivs, width)]
            elif number in self.combiners:
                local.results[number] = [self._combined(self.combiners[number], op, local, width)]
            else:
                mask_bits = self._mask_bits(op, number)
                operands = [self._wide(local, value, width, mask_bits) for value in op.operands]
                local.results[number] = op.clone(operands, width)
        return [self._wide(local, value, width) for value in self.yielded]

    def _combined(self, output: int, op: _Inner, scope: Scope, width: int) -> ir.Value:
        """Combiner ``op`` applied to the carried integer of ``output`` and one more value."""
        carried = self.block.arguments[output]
        values = [self._wide(scope, value, width) for value in op.operands]
        values = [value if operand == carried else self.orders[output].integers(value)
                  for value, operand in zip(values, op.operands, strict=True)]
        return combine(self.orders[output].combiner, *values)

    def _test(self, number: int, scope: Scope, ivs: Ivs, width: int) -> ir.Value:
        """Condition ``number`` of the body as a comparison of lane numbers."""
        test, bits = self.tests[number], self.masks[number]
        scalars = [self._first(value, scope, ivs) for _, value in test.terms]
        gates = [self._first(value, scope, ivs) for _, value in test.gates]
        return emit_test(test.predicate, threshold(test, scalars, gates, ivs[self.loop]), bits, width,
                         self.vector_bytes * 8 // bits)

    def _mask_bits(self, op: _Inner, number: int) -> int:
        """Element bits of the integer comparison that makes a condition used by ``op``; 0 where unknown."""
        if op.name == "arith.select" and not _is_condition(op.types[0]):
            return element_bits(op.types[0])
        return self.masks.get(number, 0)

    def _is_lane(self, value: ir.Value) -> bool:
        if isinstance(value.owner, ir.Block):
            return False
        op = value.owner.operation
        return op in self.numbers and op.name == "linalg.index" and self._dim(op) == self.loop

    def _varies(self, value: ir.Value) -> bool:
        """True for a value that is not the same in every lane."""
        if isinstance(value.owner, ir.Block):
            if value.owner != self.block:
                return False
            operand = self.nest.operands[ir.BlockArgument(value).arg_number]
            return operand.is_output or operand.uses(self.loop)
        return self.numbers.get(value.owner.operation) in self.varying

    def _look_up(self, number: int, index: ir.Value) -> ir.Value:
        """The elements that look-up ``number`` of the body reads at the lanes of ``index``."""
        type_ = ir.MemRefType(self.operations[number].operands[0].type)
        return look_up(self.tables[number], type_.shape[0], index, type_.element_type)

    def _row(self, load: ir.Operation, scope: Scope, ivs: Ivs, width: int, tail: Tail | None) -> ir.Value:
        """The vector that ``load`` reads: contiguous elements from the first lane's index on."""
        table, *indices = load.operands
        at = [self._first(value, scope, ivs) for value in indices]
        if not any(self._moves(value) for value in indices):
            return memref.load(table, at)
        type_ = ir.VectorType.get([width], load.results[0].type)
        bits = element_bits(type_.element_type)
        if runs_backward(load):
            view = StridedView(table, 1, True, len(at) - 1, (None,) * len(at))
            return view.load(type_, at, bits, self.vector_bytes * 8 // bits, tail)
        if tail is None:
            return make.load(type_, table, at, alignment=bits // 8)
        return tail.load(type_, table, at, bits, bits // 8)

    def _moves(self, value: ir.Value) -> bool:
        """True for an index that depends on the vectorized loop."""
        if isinstance(value.owner, ir.Block) or value.owner.operation not in self.numbers:
            return False
        op = value.owner.operation
        return self._dim(op) == self.loop if op.name == "linalg.index" else any(map(self._moves, op.operands))

    def _first(self, value: ir.Value, scope: Scope, ivs: Ivs) -> ir.Value:
        """An index in the first lane, a scalar."""
        found = self._scalar(scope, value)
        if found is not None and not isinstance(found.type, ir.VectorType):
            return found
        op = value.owner.operation
        if op.name == "linalg.index":
            return ivs[self._dim(op)]
        inner = self.inner[self.numbers[op]]
        operands = [self._first(operand, scope, ivs) for operand in inner.operands]
        return inner.clone(operands)[ir.OpResult(value).result_number]

    def is_read(self, operand: int) -> bool:
        """True for an operand of which the body takes elements."""
        return operand in self.read

    def _scalar(self, scope: Scope, value: ir.Value) -> ir.Value | None:
        """The scalar of ``scope`` for ``value`` of the body; None where it is not computed yet."""
        place = self.places.get(value)
        if place is None:
            place = self.places[value] = self._place(value)
        number, which = place
        if number is None:
            return value if which < 0 else scope.arguments.get(which)
        results = scope.results.get(number)
        return None if results is None else results[which]

    def _place(self, value: ir.Value) -> tuple[int | None, int]:
        """As in ``places``; None and -1 for a value defined outside of the body."""
        if isinstance(value.owner, ir.Block):
            return None, ir.BlockArgument(value).arg_number if value.owner == self.block else -1
        number = self.numbers.get(value.owner.operation)
        return number, -1 if number is None else ir.OpResult(value).result_number

    def _wide(self, scope: Scope, value: ir.Value, width: int, mask_bits: int = 0) -> ir.Value:
        found = self._scalar(scope, value)
        assert found is not None
        if isinstance(found.type, ir.VectorType):
            return found
        if mask_bits and _is_condition(found.type) and not _is_constant(found):
            return emit_uniform(found, mask_bits, width, self.vector_bytes * 8 // mask_bits)
        return self.widen(found, width)

    def widen(self, value: ir.Value, width: int) -> ir.Value:
        """``value`` in every lane."""
        type_ = ir.VectorType.get([width], value.type)
        if _is_constant(value):
            attribute = value.owner.operation.attributes["value"]
            return constant(ir.DenseElementsAttr.get_splat(type_, attribute))
        return make.broadcast(type_, value)

    def _dim(self, op: ir.Operation) -> int:
        return self.loop_numbers[ir.IntegerAttr(op.attributes["dim"]).value]

    def _index(self, dim: int, ivs: Ivs, width: int) -> ir.Value:
        if dim != self.loop:
            return self.widen(ivs[dim], width)
        type_ = ir.VectorType.get([width], ir.IndexType.get())
        return make.addi(make.broadcast(type_, ivs[dim]), vector.step(type_))


def _whole(value: ir.Value) -> ir.Value:
    """The buffer that ``value`` is a part of, as far as parts of it can overlap: slots of the TCM arena do not."""
    while isinstance(value.owner, ir.OpView | ir.Operation) and value.owner.operation.name in _SAME_MEMORY:
        if value.owner.operation.name == "memref.view" and tcm_slots.is_slot(value.owner.operation):
            break
        value = value.owner.operation.operands[0]
    return value


def _is_constant(value: ir.Value) -> bool:
    return isinstance(value.owner, ir.OpView) and value.owner.operation.name == "arith.constant"


def _is_condition(type_: ir.Type) -> bool:
    return isinstance(type_, ir.IntegerType) and type_.width == 1


def _is_vector(value: ir.Value | None) -> bool:
    return value is not None and isinstance(value.type, ir.VectorType)
