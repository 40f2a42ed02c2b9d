"""Computes one elementwise producer inside one consumer: the IR rewrite, without any decision."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.clones import clone_into
from hexagon_mlir.ir.query import input_count
from hexagon_mlir.passes.fusion.widen import is_contraction


@dataclass(frozen=True)
class Link:
    """A producer feeding input ``operand`` of a consumer; ``loops[p]`` is the consumer loop (or None for index 0) that
    corresponds to producer loop p."""

    producer: ir.Operation
    consumer: ir.Operation
    operand: int
    loops: tuple[int | None, ...]

    @property
    def used_loops(self) -> set[int]:
        """Consumer loops the producer's value depends on."""
        return {loop for loop in self.loops if loop is not None}


def find_link(consumer: ir.Operation, operand: int) -> Link | str:
    """The link through input ``operand`` of ``consumer``, or why there is none (empty: no remark)."""
    value = consumer.operands[operand]
    owner = value.owner
    if not isinstance(owner, ir.OpView) or owner.operation.name != "linalg.generic":
        return ""
    producer = owner.operation
    if len(producer.results) != 1:
        return "it has several results"
    if any("parallel" not in str(i) for i in producer.attributes["iterator_types"]):
        return "it is a reduction"
    if producer.parent != consumer.parent:
        return "it is outside the consumer's loop"
    body = producer.regions[0].blocks[0]
    if any(True for _ in body.arguments[input_count(producer)].uses):
        return "it reads its output"
    wanted = _maps(consumer)[operand].results
    given = _maps(producer)[-1].results
    loops: list[int | None] = [None] * _maps(producer)[-1].n_dims
    for expression, produced in zip(wanted, given, strict=True):
        if not isinstance(produced, ir.AffineDimExpr):
            return f"it writes at {produced}"
        if isinstance(expression, ir.AffineDimExpr):
            loops[produced.position] = expression.position
        elif not (isinstance(expression, ir.AffineConstantExpr) and expression.value == 0):
            return f"the consumer reads at {expression}"
    link = Link(producer, consumer, operand, tuple(loops))
    if not _keeps_extents(link):
        return "no other operand has the trip counts of the consumer's loops"
    return link


def _keeps_extents(link: Link) -> bool:
    """True when every loop of the merged op still indexes some operand: that is where its trip count comes from."""
    maps = _maps(link.consumer)
    indexed = {e.position for number, map_ in enumerate(maps) if number != link.operand
               for e in map_.results if isinstance(e, ir.AffineDimExpr)}
    for map_ in _maps(link.producer)[: input_count(link.producer)]:
        indexed |= {loop for e in map_.results if isinstance(e, ir.AffineDimExpr)
                    for loop in [link.loops[e.position]] if loop is not None}
    return indexed == set(range(maps[0].n_dims))


def merge(link: Link) -> ir.Operation:
    """Replace the consumer by one op that also computes the producer; returns the new op. The producer stays.

    Its inputs follow the consumer's; those of a factor of a product take its place: factors keep their order.
    """
    producer, consumer, operand = link.producer, link.consumer, link.operand
    count, extra = input_count(consumer), input_count(producer)
    old, source = consumer.regions[0].blocks[0], producer.regions[0].blocks[0]
    maps, produced = _maps(consumer), _maps(producer)
    loops = maps[0].n_dims
    inputs = [(consumer.operands[i], maps[i], old.arguments[i]) for i in range(count) if i != operand]
    place = operand if is_contraction(consumer) else len(inputs)
    inputs[place:place] = [(producer.operands[i], _through(produced[i], link.loops, loops), source.arguments[i])
                           for i in range(extra)]
    unique: list[tuple[ir.Value, ir.AffineMap]] = []
    places: list[int] = []  # position of each input among the unique ones: no input is read twice
    for value, map_, _ in inputs:
        if (value, map_) not in unique:
            unique.append((value, map_))
        places.append(unique.index((value, map_)))
    outputs = list(consumer.operands)[count:]
    new_maps = [*[map_ for _, map_ in unique], *maps[count:]]
    fused = ir.Operation.create(
        "linalg.generic", results=[r.type for r in consumer.results],
        operands=[*[value for value, _ in unique], *outputs], regions=1,
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in new_maps]),
            "iterator_types": consumer.attributes["iterator_types"],
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(unique), len(outputs)]),
        },
        loc=ir.Location.fused([producer.location, consumer.location]), ip=ir.InsertionPoint(consumer),
    )
    element_of = {place: argument.type for place, (_, _, argument) in zip(places, inputs, strict=True)}
    body = fused.regions[0].blocks.append(*[element_of[place] for place in range(len(unique))],
                                          *[a.type for a in list(old.arguments)[count:]])
    values: dict[ir.Value, ir.Value] = {
        argument: body.arguments[place] for place, (_, _, argument) in zip(places, inputs, strict=True)}
    values |= dict(zip(list(old.arguments)[count:], list(body.arguments)[len(unique):], strict=True))
    with ir.InsertionPoint(body):
        values[old.arguments[operand]] = _clone_body(source, values, link.loops)
    for argument in old.arguments:
        argument.replace_all_uses_with(values[argument])
    for inner in list(old.operations):  # moved: cloning would make a chain of producers quadratic
        body.append(inner)
    for before, after in zip(consumer.results, fused.results, strict=True):
        before.replace_all_uses_with(after)
    consumer.erase()
    return fused


def _clone_body(block: ir.Block, values: dict[ir.Value, ir.Value], loops: tuple[int | None, ...]) -> ir.Value:
    """Clone the producer's body; returns what it yields."""
    operations = [o.operation for o in block.operations]
    for op in operations[:-1]:
        if op.name == "linalg.index":
            values[op.results[0]] = _index(loops[ir.IntegerAttr(op.attributes["dim"]).value])
        else:
            clone_into(op, values)
    yielded = operations[-1].operands[0]
    return values.get(yielded, yielded)


def _index(loop: int | None) -> ir.Value:
    index = ir.IndexType.get()
    if loop is None:
        return ir.Operation.create("arith.constant", results=[index],
                                   attributes={"value": ir.IntegerAttr.get(index, 0)}).result
    dim = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), loop)
    return ir.Operation.create("linalg.index", results=[index], attributes={"dim": dim}).result


def _through(map_: ir.AffineMap, loops: tuple[int | None, ...], count: int) -> ir.AffineMap:
    """The producer's indexing map in terms of consumer loops."""
    replaced = [ir.AffineDimExpr.get(loop) if loop is not None else ir.AffineConstantExpr.get(0) for loop in loops]
    zero = ir.AffineMap.get(count, 0, replaced)
    return ir.AffineMap.get(count, 0, [e.compose(zero) for e in map_.results])


def _maps(op: ir.Operation) -> list[ir.AffineMap]:
    return [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
