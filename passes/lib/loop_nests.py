"""What `hexagon-vectorization` needs to know of a linalg op on buffers, read once into plain records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.dialects.look_ups import INDEX_BITS
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import size_multiple
from hexagon_mlir.ir.buffers import has_vectors, root_buffer
from hexagon_mlir.ir.query import in_tcm, input_count
from hexagon_mlir.passes.lib.table_reads import LOAD, Table, address_ops, is_lookup, read_tables

DYNAMIC = None
MOST_STRIDE = 8
"""The largest stride, in elements, for which whole vectors are loaded to use a part of their elements."""
_FLOATS = (ir.F16Type, ir.BF16Type, ir.F32Type)


@dataclass(frozen=True)
class Operand:
    """One memref operand: ``dims[i]`` is the loop that indexes its dimension i, None for index 0.

    ``unit_stride``: the last dimension has stride 1. ``strides`` are in elements (None: not known). ``collapsible[i]``:
    dimensions i and i + 1 are contiguous, one step in dimension i is all of dimension i + 1. ``pitch`` divides the
    strides of all dimensions but the last, in bytes; 0 where none does. An operand with a ``period`` has that many
    elements, which repeat along its loop. ``in_tcm``: a scalar load stalls.
    """

    dims: tuple[int | None, ...]
    bits: int
    is_output: bool
    unit_stride: bool
    collapsible: tuple[bool, ...]
    strides: tuple[int | None, ...] = ()
    pitch: int = 0
    period: int | None = None
    in_tcm: bool = False

    def contiguous_in(self, loop: int) -> bool:
        """True when stepping ``loop`` walks this operand's memory element by element."""
        return bool(self.dims) and self.dims[-1] == loop and self.unit_stride and self.dims.count(loop) == 1

    def stride_in(self, loop: int) -> int | None:
        """Elements from one iteration of ``loop`` to the next; None where it is not known or not one dimension's."""
        if not self.strides or self.dims.count(loop) != 1:
            return None
        return self.strides[self.dims.index(loop)]

    def strided_in(self, loop: int) -> bool:
        """True when ``loop`` has a small stride, positive or negative, other than 1."""
        stride = self.stride_in(loop)
        return (stride is not None and None not in self.strides and 0 < abs(stride) <= MOST_STRIDE
                and not self.contiguous_in(loop))

    def uses(self, loop: int) -> bool:
        """True when ``loop`` indexes this operand at all."""
        return loop in self.dims


@dataclass(frozen=True)
class LoopNest:
    """The loop nest of one op. ``extents`` holds trip counts (None = dynamic)."""

    extents: tuple[int | None, ...]
    reduction: tuple[bool, ...]
    operands: tuple[Operand, ...]
    combiners: tuple[str | None, ...]
    """Per output: the name of the reduction's combining op, or None for any other computation."""
    nnan: bool
    """True when the combining ops have ``nnan``."""
    op_loops: tuple[frozenset[int], ...]
    """For each operation of the body that computes no address: the loops on which its value depends."""
    narrowest_bits: int
    """Bits of the narrowest element in the body: it determines the lanes of a vector."""
    indexed: frozenset[int] = frozenset()
    """The loops whose index the body uses."""
    widening: int = 1
    """Widest element over narrowest: the HVX vectors of a step's widest values. 1 where the body has a stage on values
    of the narrowest width (see `_passes_through`)."""
    tables: tuple[Table, ...] = ()
    """The reads of the body at computed indices."""
    multiples: tuple[int, ...] = ()
    """A known divisor of each trip count, 1 where there is none; empty: the trip count itself."""

    def whole(self, loop: int, lanes: int) -> int:
        """A divisor of the trip count of ``loop`` that is whole vectors of ``lanes``; 1 where none is known."""
        known = self.multiples[loop] if self.multiples else self.extents[loop] or 1
        return known if known % lanes == 0 else 1

    def ops_along(self, *loops: int) -> int:
        """Operations of the body that depend on every one of ``loops``."""
        return sum(own.issuperset(loops) for own in self.op_loops)


_WIDENINGS = ("arith.extsi", "arith.extui", "arith.extf")
_NARROW = {8: ("i8",), 16: ("i16", "f16", "bf16")}


class Unsupported(Exception):
    """Why an op cannot be vectorized; the text of the remark."""


# name -> True when the op is associative and commutative (floats: up to rounding)
COMBINERS = frozenset({
    "arith.addf", "arith.mulf", "arith.addi", "arith.muli", "arith.maxnumf", "arith.minnumf", "arith.maximumf",
    "arith.minimumf", "arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui", "arith.andi", "arith.ori",
    "arith.xori",
})


def element_bits(element: ir.Type) -> int:
    """Bits of one element in an HVX lane; raises `Unsupported` for a type HVX has no lanes for."""
    if isinstance(element, _FLOATS) or (isinstance(element, ir.IntegerType) and element.width in (8, 16, 32)):
        return element.width
    if isinstance(element, ir.IndexType):
        return 32
    raise Unsupported(f"element type {element} has no HVX lane")


def has_lanes(element: ir.Type) -> bool:
    """True for an element that vector code computes with, i1 included."""
    try:
        return (isinstance(element, ir.IntegerType) and element.width == 1) or bool(element_bits(element))
    except Unsupported:
        return False


def read_nest(op: ir.Operation) -> LoopNest:
    """The `LoopNest` of ``op``, a linalg.generic on memrefs; raises `Unsupported` with the reason."""
    inputs, outputs = split_operands(op)
    iterators = [str(a) for a in op.attributes["iterator_types"]]
    operands = read_operands(op)
    body = op.regions[0].blocks[0]
    operations = [o.operation for o in body.operations]
    bits = [operand.bits for operand in operands]
    scalar = address_ops(body)
    for inner in operations[:-1]:
        inner_bits = _body_op_bits(inner)
        bits += [] if inner in scalar else inner_bits
        bits += [INDEX_BITS] if is_lookup(inner) else []
        if inner.name == LOAD and any(root_buffer(inner.operands[0]) == root_buffer(o) for o in outputs):
            raise Unsupported("the body reads elsewhere in what it writes")
    combiners = tuple(
        reduction_combiner(body, len(inputs) + index, value) for index, value in enumerate(operations[-1].operands)
    )
    return LoopNest(
        extents=_extents(len(iterators), operands, (*inputs, *outputs)),
        reduction=tuple("reduction" in text for text in iterators),
        operands=operands,
        combiners=combiners,
        nnan=any("nnan" in str(o.attributes["fastmath"]) or "fast>" in str(o.attributes["fastmath"])
                 for o in operations if o.name in COMBINERS and "fastmath" in o.attributes),
        op_loops=_op_loops(body, [op for op in operations[:-1] if op not in scalar], operands),
        narrowest_bits=min(bits),
        widening=1 if _passes_through(operations, min(bits)) else max(bits) // min(bits),
        indexed=frozenset(ir.IntegerAttr(o.attributes["dim"]).value for o in operations if o.name == "linalg.index"),
        tables=read_tables(body, [o.dims for o in operands]),
        multiples=_multiples(len(iterators), operands, (*inputs, *outputs)),
    )


def _op_loops(body: ir.Block, operations: Sequence[ir.Operation], operands: Sequence[Operand],
              ) -> tuple[frozenset[int], ...]:
    loops = {argument: frozenset(d for d in operand.dims if d is not None)
             for argument, operand in zip(body.arguments, operands, strict=True)}
    for op in operations:
        own = {ir.IntegerAttr(op.attributes["dim"]).value} if op.name == "linalg.index" else set()
        found = frozenset(own.union(*(loops.get(value, ()) for value in op.operands)))
        loops |= dict.fromkeys(op.results, found)
    return tuple(loops[op.results[0]] for op in operations)


def _passes_through(operations: Sequence[ir.Operation], bits: int) -> bool:
    """True when the body has a stage on elements of ``bits``: a third or more of its operations precede the widening
    back, and at most two wide values are live across that stage.
    """
    place = {result: number for number, op in enumerate(operations) for result in op.results}
    narrow = {value for value in place if str(value.type) in _NARROW.get(bits, ())}
    widened = [number for number, op in enumerate(operations) if op.name in _WIDENINGS and op.operands[0] in narrow]
    if not widened:
        return False
    first = min(place[operations[number].operands[0]] for number in widened)
    waiting = {value for op in operations[max(widened):] for value in op.operands
               if place.get(value, len(operations)) < first and value.owner.operation.name != "arith.constant"
               and value not in narrow}
    return len(waiting) <= 2 and 3 * max(widened) >= len(operations)


def read_operands(op: ir.Operation) -> tuple[Operand, ...]:
    """The operands of ``op``, inputs first; raises `Unsupported` with the reason."""
    inputs, outputs = split_operands(op)
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    return tuple(
        _operand(value, map_, position >= len(inputs))
        for position, (value, map_) in enumerate(zip((*inputs, *outputs), maps, strict=True))
    )


def has_floats(op: ir.Operation) -> bool:
    """True when the body of ``op`` takes or makes a float."""
    body = op.regions[0].blocks[0]
    values = [*body.arguments, *(result for inner in body.operations for result in inner.operation.results)]
    return any(isinstance(value.type, ir.FloatType) for value in values)


def split_operands(op: ir.Operation) -> tuple[list[ir.Value], list[ir.Value]]:
    """Inputs and outputs of a linalg op."""
    values, inputs = list(op.operands), input_count(op)
    return values[:inputs], values[inputs:]


def _operand(value: ir.Value, map_: ir.AffineMap, is_output: bool) -> Operand:
    if not isinstance(value.type, ir.MemRefType):
        if map_.results and len(map_.results):
            raise Unsupported(f"operand of type {value.type}")
        return Operand((), element_bits(value.type), is_output, False, ())
    dims: list[int | None] = []
    for result in map_.results:
        if isinstance(result, ir.AffineDimExpr):
            dims.append(result.position)
        elif isinstance(result, ir.AffineConstantExpr) and result.value == 0:
            dims.append(None)
        else:
            raise Unsupported(f"index expression {result} is not a plain loop index")
    unit = bool(dims) and has_vectors(value.type)
    unknown = ir.ShapedType.get_dynamic_stride_or_offset()
    strides = tuple(None if stride == unknown else stride for stride in value.type.get_strides_and_offset()[0])
    return Operand(tuple(dims), element_bits(value.type.element_type), is_output, unit, _collapsible(value.type),
                   strides, _pitch(value.type), in_tcm=in_tcm(value.type))


def _collapsible(type_: ir.MemRefType) -> tuple[bool, ...]:
    if type_.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank)):
        return (True,) * max(type_.rank - 1, 0)
    strides, _ = type_.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    return tuple(
        dynamic not in (strides[i], strides[i + 1]) and not type_.is_dynamic_dim(i + 1)
        and strides[i] == type_.shape[i + 1] * strides[i + 1] for i in range(type_.rank - 1)
    )


def _pitch(type_: ir.MemRefType) -> int:
    strides = type_.get_strides_and_offset()[0][:-1]
    if ir.ShapedType.get_dynamic_stride_or_offset() in strides:
        return 1
    return math.gcd(*strides) * element_bits(type_.element_type) // 8


def _extents(loops: int, operands: tuple[Operand, ...], values: tuple[ir.Value, ...]) -> tuple[int | None, ...]:
    extents: list[int | None] = [DYNAMIC] * loops
    for operand, value in zip(operands, values, strict=True):
        for position, loop in enumerate(operand.dims):
            size = value.type.shape[position]
            if loop is not None and not value.type.is_dynamic_dim(position):
                extents[loop] = size
    return tuple(extents)


def _multiples(loops: int, operands: tuple[Operand, ...], values: tuple[ir.Value, ...]) -> tuple[int, ...]:
    found = [1] * loops
    for operand, value in zip(operands, values, strict=True):
        for position, loop in enumerate(operand.dims):
            if loop is not None:
                found[loop] = math.lcm(found[loop], size_multiple(value, position))
    return tuple(found)


def _body_op_bits(op: ir.Operation) -> list[int]:
    dialect = op.name.split(".")[0]
    if op.name == LOAD:
        return [element_bits(op.results[0].type)]
    if dialect not in ("arith", "math") and op.name != "linalg.index":
        raise Unsupported(f"'{op.name}' in the body has no vector form")
    types = [v.type for v in (*op.operands, *op.results)]
    return [element_bits(t) for t in types if not (isinstance(t, ir.IntegerType) and t.width == 1)]


def reduction_combiner(body: ir.Block, argument: int, yielded: ir.Value) -> str | None:
    """Name of the op that combines the output's old value with one new value, if that is its only use."""
    old = body.arguments[argument]
    users = [use.owner.operation for use in old.uses]
    if len(users) != 1 or users[0].name not in COMBINERS or len(users[0].operands) != 2:
        return None
    return users[0].name if users[0].results[0] == yielded else None
