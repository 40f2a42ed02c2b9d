"""Takes one table look-up out of a linalg op: an op for the offsets, one for the gather, the rest."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, bufferization, ir, linalg, tensor
from hexagon_mlir.ir.clones import clone_into
from hexagon_mlir.ir.order import external_values
from hexagon_mlir.ir.query import TCM_SPACE, input_count, memory_space
from hexagon_mlir.ir.query import in_tcm as is_in_tcm

PURE = ("arith", "math", "linalg.index")


def address_ops(extract: ir.Operation, body: ir.Block) -> list[ir.Operation] | None:
    """The ops of ``body`` that compute the indices of ``extract``, in order; None when one is not plain arithmetic."""
    needed: list[ir.Operation] = []
    wanted = list(extract.operands)[1:]
    for op in reversed([o.operation for o in body.operations]):
        if any(result in wanted for result in op.results):
            if not op.name.startswith(PURE):
                return None
            needed.append(op)
            wanted += external_values(op)
    return needed[::-1]


def depends_on_data(extract: ir.Operation, body: ir.Block, inputs: int) -> bool:
    """True when the last index of ``extract`` depends on an element of an input."""
    seen, waiting = set(), [list(extract.operands)[-1]]
    while waiting:
        value = waiting.pop()
        if isinstance(value.owner, ir.Block):
            if value.owner == body and ir.BlockArgument(value).arg_number < inputs:
                return True
            continue
        op = value.owner.operation
        if op.block == body and op not in seen:
            seen.add(op)
            waiting += list(op.operands)
    return False


def made_in_tcm(table: ir.Value) -> bool:
    """True for a table that was made in TCM."""
    if isinstance(table.owner, ir.Block):
        return False
    maker = table.owner.operation
    return maker.name == "bufferization.alloc_tensor" or (
        maker.name == "bufferization.to_tensor" and is_in_tcm(ir.MemRefType(maker.operands[0].type)))


def in_tcm(table: ir.Value) -> ir.Value:
    """``table`` in one dimension, copied into TCM unless it is there."""
    if made_in_tcm(table):
        return table
    type_ = ir.RankedTensorType(table.type)
    if type_.rank > 1:
        flat = ir.RankedTensorType.get([_product(type_.shape)], type_.element_type)
        table = tensor.collapse_shape(flat, table, [list(range(type_.rank))])
    return bufferization.AllocTensorOp(table.type, [], copy=table, memory_space=memory_space(TCM_SPACE)).result


def split(op: ir.Operation, extract: ir.Operation, addresses: Sequence[ir.Operation], own_buffers: bool) -> None:
    """Replace ``extract`` in ``op`` by an element of a new input that one op gathers. ``op`` is replaced.

    ``own_buffers``: the function places its buffers itself, so the gathered elements get one in TCM here.
    """
    inputs = input_count(op)
    body = op.regions[0].blocks[0]
    maps = [ir.AffineMapAttr(a).value for a in op.attributes["indexing_maps"]]
    count = maps[0].n_dims
    shape = _extents(op, maps)
    identity = ir.AffineMap.get_identity(count)
    i32, index = ir.IntegerType.get_signless(32), ir.IndexType.get()
    table_type = ir.RankedTensorType(extract.operands[0].type)
    used = [i for i in range(inputs) if any(body.arguments[i] in list(a.operands) for a in addresses)
            or body.arguments[i] in list(extract.operands)]
    with op.location, ir.InsertionPoint(op):
        table = in_tcm(extract.operands[0])

        def offset(arguments: Sequence[ir.Value]) -> ir.Value:
            values = dict(zip([body.arguments[i] for i in used], arguments, strict=False))
            for inner in addresses:
                clone_into(inner, values)
            found = [values.get(v, v) for v in list(extract.operands)[1:]]
            linear = found[0]
            for position, size in zip(found[1:], table_type.shape[1:], strict=True):
                linear = arith.addi(arith.muli(linear, arith.constant(index, size)), position)
            return arith.index_cast(i32, linear)

        offsets = generic([op.operands[i] for i in used], [maps[i] for i in used], tensor.empty(shape, i32), identity,
                          offset)

        def read(arguments: Sequence[ir.Value]) -> ir.Value:
            return tensor.extract(table, [arith.index_cast(index, arguments[0])])

        gathered_type = ir.RankedTensorType.get(shape, table_type.element_type)
        start = (bufferization.AllocTensorOp(gathered_type, [], memory_space=memory_space(TCM_SPACE)).result
                 if own_buffers else tensor.empty(shape, table_type.element_type))
        gathered = generic([offsets], [identity], start, identity, read)
        _replace(op, extract, gathered, identity)


def generic(inputs: Sequence[ir.Value], maps: Sequence[ir.AffineMap], output: ir.Value, output_map: ir.AffineMap,
            body: object) -> ir.Value:
    """A parallel linalg.generic; ``body`` takes the block's arguments and gives the element to yield."""
    parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
    op = ir.Operation.create(
        "linalg.generic", results=[output.type], operands=[*inputs, output], regions=1,
        attributes={
            "indexing_maps": ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in (*maps, output_map)]),
            "iterator_types": ir.ArrayAttr.get([parallel] * output_map.n_dims),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(inputs), 1]),
        })
    block = op.regions[0].blocks.append(*[_element(v) for v in (*inputs, output)])
    with ir.InsertionPoint(block):
        linalg.YieldOp([body(list(block.arguments))])  # type: ignore[operator]
    return op.result


def _replace(op: ir.Operation, extract: ir.Operation, gathered: ir.Value, map_: ir.AffineMap) -> None:
    """Rebuild ``op`` with ``gathered`` as an input in place of ``extract`` and without the inputs that only ``extract``
    used."""
    inputs, old = input_count(op), op.regions[0].blocks[0]
    live = _live_ops(old, extract)
    read = {operand for inner in live for operand in external_values(inner)}
    kept = [i for i in range(inputs) if old.arguments[i] in read]
    outputs = range(inputs, len(op.operands))
    maps = op.attributes["indexing_maps"]
    new = ir.Operation.create(
        "linalg.generic", results=[r.type for r in op.results],
        operands=[*(op.operands[i] for i in kept), gathered, *(op.operands[i] for i in outputs)], regions=1,
        attributes={
            "indexing_maps": ir.ArrayAttr.get([*(maps[i] for i in kept), ir.AffineMapAttr.get(map_),
                                               *(maps[i] for i in outputs)]),
            "iterator_types": op.attributes["iterator_types"],
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([len(kept) + 1, len(outputs)]),
        })
    types = [old.arguments[i].type for i in kept] + [_element(gathered)] + [old.arguments[i].type for i in outputs]
    block = new.regions[0].blocks.append(*types)
    places = [*kept, None, *outputs]
    values = {old.arguments[i]: argument for i, argument in zip(places, block.arguments, strict=True) if i is not None}
    values[extract.results[0]] = block.arguments[len(kept)]
    with ir.InsertionPoint(block):
        for inner in live:
            clone_into(inner, values)
    for before, after in zip(op.results, new.results, strict=True):
        before.replace_all_uses_with(after)
    op.erase()


def _live_ops(body: ir.Block, without: ir.Operation) -> list[ir.Operation]:
    """The ops that the yielded values depend on, except ``without`` and the ops that only it uses."""
    operations = [o.operation for o in body.operations]
    live, wanted = [operations[-1]], list(operations[-1].operands)
    for op in reversed(operations[:-1]):
        if op != without and any(result in wanted for result in op.results):
            live.append(op)
            wanted += external_values(op)
    return live[::-1]


def _extents(op: ir.Operation, maps: Sequence[ir.AffineMap]) -> list[int]:
    extents = [0] * maps[0].n_dims
    for value, map_ in zip(op.operands, maps, strict=True):
        for position, result in enumerate(map_.results):
            if isinstance(result, ir.AffineDimExpr):
                extents[result.position] = value.type.shape[position]
    return extents


def _element(value: ir.Value) -> ir.Type:
    return value.type.element_type if isinstance(value.type, ir.ShapedType) else value.type


def _product(shape: Sequence[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total
