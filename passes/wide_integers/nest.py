"""Linalg ops on buffers of 64-bit integers as ops on buffers of words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from hexagon_mlir.ir import arith, ir, linalg, memref
from hexagon_mlir.ir.clones import clone_into
from hexagon_mlir.ir.constants import index
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.wide_integers import floats, words
from hexagon_mlir.passes.wide_integers.division import DIVISIONS, Divided, divide
from hexagon_mlir.passes.wide_integers.words import Words

EXTENSIONS = frozenset({"arith.extsi", "arith.extui", "arith.index_cast", "arith.index_castui"})
_BACK = frozenset({"arith.trunci", "arith.index_cast", "arith.index_castui"})
DYNAMIC, STRIDE = ir.ShapedType.get_dynamic_size(), ir.ShapedType.get_dynamic_stride_or_offset()


def is_wide_type(type_: ir.Type) -> bool:
    """True for 64-bit integers."""
    return isinstance(type_, ir.IntegerType) and type_.width == 64


def is_wide(op: ir.Operation) -> bool:
    """True when the body of ``op``, a linalg op, takes or makes a 64-bit integer."""
    body = op.regions[0].blocks[0]
    return any(is_wide_type(v.type) for v in body.arguments) or any(
        is_wide_type(v.type) for o in body.operations for v in (*o.operation.operands, *o.operation.results))


def is_known(op: ir.Operation) -> bool:
    """True when ``op`` of a body has a form in words."""
    if op.name in words.SHIFTS:
        by = number_of(op.operands[1])
        return by is not None and 0 <= by < 64
    if op.name in floats.TO_FLOAT:
        return isinstance(op.results[0].type, ir.F32Type | ir.F16Type)
    if op.name in EXTENSIONS and not is_wide_type(op.operands[0].type):
        return True
    others = ("arith.cmpi", "arith.select", "arith.constant", "linalg.yield")
    return op.name in (*words.BINARY, *DIVISIONS, *_BACK, *others)


def number_of(value: ir.Value) -> int | None:
    """The value of a constant."""
    if isinstance(value.owner, ir.Block) or value.owner.operation.name != "arith.constant":
        return None
    return ir.IntegerAttr(value.owner.operation.attributes["value"]).value


def in_words(op: ir.Operation, qfloat: bool) -> None:
    """Create an equivalent of ``op`` on words at the insertion point; ``qfloat`` as in `floats`."""
    parts = [halves_of(value) for value in op.operands]
    maps = [map_ for map_, own in zip(op.attributes["indexing_maps"], parts, strict=True) for _ in own]
    inputs, outputs = (list(chain(*some)) for some in (parts[:input_count(op)], parts[input_count(op):]))
    new = new_generic(inputs, outputs, maps, op.attributes["iterator_types"])
    block = new.regions[0].blocks[0]
    body = Body(op.regions[0].blocks[0], list(block.arguments), new.operation, qfloat)
    with ir.InsertionPoint(block):
        body.emit()


def new_generic(inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], maps: Sequence[ir.Attribute],
                iterators: ir.Attribute) -> linalg.GenericOp:
    """A linalg.generic on buffers with an empty body, at the insertion point."""
    new = linalg.GenericOp([], inputs, outputs, ir.ArrayAttr.get(list(maps)), iterators)
    new.regions[0].blocks.append(*(element_of(value.type) for value in (*inputs, *outputs)))
    return new


def element_of(type_: ir.Type) -> ir.Type:
    """The type of one element of a buffer, or of a scalar."""
    return type_.element_type if isinstance(type_, ir.MemRefType) else type_


def halves_of(value: ir.Value) -> list[ir.Value]:
    """Lower and upper words of a 64-bit operand (of a buffer: views of every other word); another operand itself."""
    if not is_wide_type(element_of(value.type)):
        return [value]
    if not isinstance(value.type, ir.MemRefType):
        pair = words.of_scalar(value)
        return [pair.low, pair.high]
    type_, i32 = ir.MemRefType(value.type), ir.IntegerType.get_signless(words.WORD)
    start, offset, sizes, steps = as_words(value)
    strides, first = type_.get_strides_and_offset()
    twice = [stride if stride == STRIDE else 2 * stride for stride in strides]
    parts = []
    for half in range(2):
        at = first if first == STRIDE else 2 * first + half
        offsets = [arith.addi(offset, index(half))] if first == STRIDE else []
        layout = ir.StridedLayoutAttr.get(at, twice)
        seen = ir.MemRefType.get(type_.shape, i32, layout, type_.memory_space)
        parts.append(memref.reinterpret_cast(seen, start, offsets, sizes, steps, [at], type_.shape, twice))
    return parts


def as_words(value: ir.Value) -> tuple[ir.Value, ir.Value, list[ir.Value], list[ir.Value]]:
    """The memory of a buffer of 64-bit integers as i32, and its offset, dynamic sizes and strides in words."""
    type_ = ir.MemRefType(value.type)
    base, offset, *rest = memref.extract_strided_metadata(value)
    start = ir.Operation.create("builtin.unrealized_conversion_cast", operands=[base], results=[
        ir.MemRefType.get([], ir.IntegerType.get_signless(words.WORD), memory_space=type_.memory_space)]).results[0]
    strides, first = type_.get_strides_and_offset()
    sizes = [size for size, known in zip(rest[:type_.rank], type_.shape, strict=True) if known == DYNAMIC]
    steps = [_twice(step) for step, known in zip(rest[type_.rank:], strides, strict=True) if known == STRIDE]
    return start, _twice(offset) if first == STRIDE else offset, sizes, steps


def _twice(value: ir.Value) -> ir.Value:
    return arith.muli(value, index(2))


class Body:
    """Re-emits the operations of ``old`` with 64-bit values as `Words`; ``arguments`` are those of the new block."""

    def __init__(self, old: ir.Block, arguments: list[ir.Value], op: ir.Operation, qfloat: bool):
        self.old, self.op, self.qfloat = old, op, qfloat
        self.plain: dict[ir.Value, ir.Value] = {}
        self.pairs: dict[ir.Value, Words] = {}
        self.divided: dict[tuple[bool, ir.Value, ir.Value], Divided] = {}
        given = iter(arguments)
        for argument in old.arguments:
            if is_wide_type(argument.type):
                self.pairs[argument] = Words(next(given), next(given))
            else:
                self.plain[argument] = next(given)

    def emit(self) -> None:
        """All operations, at the insertion point."""
        for op in [o.operation for o in self.old.operations]:
            with op.location:
                self.add(op)

    def add(self, op: ir.Operation) -> None:
        """``op`` of the old body, at the insertion point."""
        if op.name == "linalg.yield":
            linalg.yield_([part for value in op.operands for part in self._parts(value)])
        elif any(is_wide_type(v.type) for v in op.results):
            self.pairs[op.results[0]] = self._made(op)
        elif any(is_wide_type(v.type) for v in op.operands):
            self.plain[op.results[0]] = self._read(op)
        else:
            clone_into(op, self.plain)

    def _made(self, op: ir.Operation) -> Words:
        """The 64-bit result of ``op``."""
        if op.name == "arith.constant":
            return words.constant(ir.IntegerAttr(op.attributes["value"]).value)
        if op.name in EXTENSIONS:
            return words.widened(op.name, self._plain(op.operands[0]))
        if op.name in words.SHIFTS:
            by = number_of(op.operands[1])
            assert by is not None
            return words.shift(op.name, self.pair(op.operands[0]), by)
        if op.name in DIVISIONS:
            return self._divided(not op.name.endswith("ui"), *op.operands).result(op.name)
        if op.name == "arith.select":
            condition, a, b = op.operands
            return words.select(self._plain(condition), self.pair(a), self.pair(b))
        return words.BINARY[op.name](*map(self.pair, op.operands))

    def _divided(self, is_signed: bool, n: ir.Value, d: ir.Value) -> Divided:
        """Quotient and remainder, computed once for the operations that use either."""
        key = (is_signed, n, d)
        if key not in self.divided:
            self.divided[key] = divide(is_signed, self.pair(n), self.pair(d), number_of(d), self.qfloat)
        return self.divided[key]

    def _read(self, op: ir.Operation) -> ir.Value:
        """The result of ``op`` with 64-bit operands that is none itself: a condition, a float, or a narrower
        integer."""
        if op.name == "arith.cmpi":
            return words.compare(ir.IntegerAttr(op.attributes["predicate"]).value, *map(self.pair, op.operands))
        if op.name in floats.TO_FLOAT:
            return floats.to_float(op.name, self.pair(op.operands[0]), op.results[0].type, self.qfloat)
        return words.narrowed(self.pair(op.operands[0]), op.results[0].type)

    def _parts(self, value: ir.Value) -> list[ir.Value]:
        if not is_wide_type(value.type):
            return [self._plain(value)]
        pair = self.pair(value)
        return [pair.low, pair.high]

    def _plain(self, value: ir.Value) -> ir.Value:
        return self.plain.get(value, value)

    def pair(self, value: ir.Value) -> Words:
        """The words of ``value`` in the old body."""
        if value not in self.pairs:  # defined outside
            with ir.InsertionPoint(self.op):
                number = number_of(value)
                self.pairs[value] = words.of_scalar(value) if number is None else words.constant(number)
        return self.pairs[value]
