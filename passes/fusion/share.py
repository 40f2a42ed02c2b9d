"""What a reduction and an elementwise op after it both compute, computed once: the centred elements of a layer norm.

HVX adds floats in one pipe, while load and store slots are idle: an element that is kept costs a conversion; one that
is recomputed costs its additions and, before a product, their normalization.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import erase_op, ir, tensor
from hexagon_mlir.ir.clones import clone_into
from hexagon_mlir.ir.order import external_values
from hexagon_mlir.ir.query import element_bytes, input_count
from hexagon_mlir.passes.fusion.decide import worth_keeping

Operand = tuple[ir.Value, ir.AffineMap]


@dataclass(frozen=True)
class Common:
    """``first`` in the body of reduction ``op`` and ``second`` in that of elementwise ``later``: equal everywhere."""

    op: ir.Operation
    first: ir.Value
    later: ir.Operation
    second: ir.Value


def find_common(op: ir.Operation, later: ir.Operation, limit: int, multiple: int) -> Common | None:
    """The most work that ``op`` and ``later`` share, if it is worth keeping where ``later`` writes.

    A row of it, over the loops that ``op`` reduces, has at most ``limit`` bytes, so that it stays in TCM for the ops
    that read it, and is a ``multiple`` of whole vectors.
    """
    place, row = _maps(later)[-1], row_bytes(op, later)
    if (row is None or row > limit or row % multiple or place.n_dims != _maps(op)[0].n_dims or not place.is_permutation
            or any(True for _ in later.regions[0].blocks[0].arguments[input_count(later)].uses)):
        return None
    element = ir.RankedTensorType(later.results[0].type).element_type
    known = {found.key: value for value, found in _expressions(op).items()}
    shared = [(len(found.names), known[found.key], value) for value, found in _expressions(later).items()
              if found.key in known and value.type == element and worth_keeping(found.names)]
    if not shared:
        return None
    _, first, second = max(shared, key=lambda entry: entry[0])
    return Common(op, first, later, second)


def keep_common(common: Common, name: str) -> None:
    """Compute ``common`` in an op of its own before both ops, which are rebuilt to read it; ``name`` is the pass's."""
    op, later = common.op, common.later
    place = _maps(later)[-1]
    with op.location, ir.InsertionPoint(op):
        destination = _destination(later.operands[input_count(later)], op)
        body = op.regions[0].blocks[0]
        live = _needed(body, [common.first], ())
        kept = _generic(op, [o for o, a in zip(_inputs(op), body.arguments, strict=False) if a in live],
                        [(destination, place)], ["parallel"] * place.n_dims)
        arguments = [a for a in list(body.arguments)[:input_count(op)] if a in live]
        _fill(kept, body, dict(zip(arguments, kept.regions[0].blocks[0].arguments, strict=False)), [common.first])
    for user, value in ((op, common.first), (later, common.second)):
        _let_read(user, value, (kept.results[0], place), name)


# -- what is equal ---------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Expression:
    """The expression of a value: equal ``key``s mean equal values. It depends on ``loops``; ``names`` are its
    operations that all loops repeat.
    """

    key: tuple
    loops: frozenset[int]
    names: tuple[str, ...] = ()


def _expressions(op: ir.Operation) -> dict[ir.Value, _Expression]:
    """The results of operations in the body of ``op`` that all its loops repeat and that depend on inputs alone."""
    body = op.regions[0].blocks[0]
    loops = _maps(op)[0].n_dims
    found = {a: _Expression(("input", value, str(map_)), frozenset(_loops(map_)))
             for a, (value, map_) in zip(body.arguments, _inputs(op), strict=False)}
    outputs = set(list(body.arguments)[input_count(op):])
    for view in list(body.operations)[:-1]:
        inner = view.operation
        parts = [found.get(v, _Expression(("value", v), frozenset())) for v in inner.operands]
        unknown = any(v in outputs or (v not in found and _stands_in(v, body)) for v in inner.operands)
        if unknown or inner.name == "linalg.index" or len(inner.results) != 1 or len(inner.regions):
            continue
        used = frozenset[int]().union(*(part.loops for part in parts))
        names = [n for part in parts for n in part.names] + [inner.name] * (len(used) == loops)
        attributes = tuple(sorted((a, str(inner.attributes[a])) for a in inner.attributes))
        key = (inner.name, str(inner.results[0].type), attributes, *(part.key for part in parts))
        found[inner.results[0]] = _Expression(key, used, tuple(names))
    return {value: e for value, e in found.items() if e.names}


def _stands_in(value: ir.Value, body: ir.Block) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.block == body


def row_bytes(op: ir.Operation, later: ir.Operation) -> int | None:
    """Bytes of ``later``'s result that correspond to one result of reduction ``op``, if they are one row."""
    kinds = ["reduction" in str(i) for i in op.attributes["iterator_types"]]
    type_ = ir.RankedTensorType(later.results[0].type)
    order = _loops(_maps(later)[-1])
    if (not any(kinds) or not type_.has_static_shape or len(order) != type_.rank or len(kinds) != type_.rank
            or any("parallel" not in str(i) for i in later.attributes["iterator_types"])):
        return None
    first = next(n for n, loop in enumerate(order) if kinds[loop])
    if not all(kinds[loop] for loop in order[first:]):
        return None
    return math.prod(type_.shape[first:]) * element_bytes(type_.element_type)


# -- the rewrite -----------------------------------------------------------------------------------------------------

def _destination(value: ir.Value, op: ir.Operation) -> ir.Value:
    """``value`` if it dominates ``op``, else a fresh tensor of its sizes."""
    before = list(op.block.operations)
    before = before[:next(n for n, o in enumerate(before) if o.operation == op)]
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.block != op.block or any(o.operation == owner.operation
                                                                             for o in before):
        return value
    type_ = ir.RankedTensorType(value.type)
    return tensor.empty(type_.shape, type_.element_type)


def _let_read(op: ir.Operation, value: ir.Value, operand: Operand, name: str) -> None:
    """Replace ``op`` by one that reads ``operand`` in place of ``value`` in its body."""
    body = op.regions[0].blocks[0]
    results = list(body.operations)[-1].operands
    count = input_count(op)
    live = _needed(body, results, {value})
    inputs = [entry for entry in zip(_inputs(op), body.arguments, strict=False) if entry[1] in live]
    outputs = list(zip(list(op.operands)[count:], _maps(op)[count:], strict=True))
    with op.location, ir.InsertionPoint(op):
        iterators = [str(i) for i in op.attributes["iterator_types"]]
        new = _generic(op, [operand, *(o for o, _ in inputs)], outputs, iterators)
    arguments = new.regions[0].blocks[0].arguments
    values = dict(zip([value, *(a for _, a in inputs), *list(body.arguments)[count:]], arguments, strict=True))
    _fill(new, body, values, results)
    for before, after in zip(op.results, new.results, strict=True):
        before.replace_all_uses_with(after)
    erase_op(op, name)


def _generic(like: ir.Operation, inputs: Sequence[Operand], outputs: Sequence[Operand],
             iterators: Sequence[str]) -> ir.Operation:
    """A generic with an empty body."""
    iterators = [i if i.startswith("#") else f"#linalg.iterator_type<{i}>" for i in iterators]
    op = ir.Operation.create(
        "linalg.generic", results=[value.type for value, _ in outputs],
        operands=[value for value, _ in (*inputs, *outputs)], regions=1,
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(map_) for _, map_ in (*inputs, *outputs)]),
            "iterator_types": ir.ArrayAttr.get([ir.Attribute.parse(i) for i in iterators]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), len(outputs)]),
        }, loc=like.location)
    op.regions[0].blocks.append(*(getattr(v.type, "element_type", v.type) for v, _ in (*inputs, *outputs)))
    return op


def _fill(op: ir.Operation, source: ir.Block, values: Mapping[ir.Value, ir.Value], results: Sequence[ir.Value]) -> None:
    """Let ``op`` yield ``results`` of ``source``; ``values`` maps the values that exist already."""
    known, live = dict(values), _needed(source, results, values)
    with ir.InsertionPoint(op.regions[0].blocks[0]):
        for view in source.operations:
            inner = view.operation
            if any(r in live and r not in values for r in inner.results):
                clone_into(inner, known)
        ir.Operation.create("linalg.yield", operands=[known.get(r, r) for r in results])


def _needed(body: ir.Block, results: Sequence[ir.Value], given: Container[ir.Value]) -> set[ir.Value]:
    """Values in the backward slice of ``results`` in ``body``, which ends at ``given``."""
    live = set(results)
    for view in reversed(list(body.operations)):
        inner = view.operation
        if any(r in live and r not in given for r in inner.results):
            live |= set(external_values(inner))
    return live


def _inputs(op: ir.Operation) -> list[Operand]:
    count = input_count(op)
    return list(zip(list(op.operands)[:count], _maps(op)[:count], strict=True))


def _loops(map_: ir.AffineMap) -> list[int]:
    return [e.position for e in map_.results if isinstance(e, ir.AffineDimExpr)]


def _maps(op: ir.Operation) -> list[ir.AffineMap]:
    return [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
