"""Rewrites a result of a kernel, and what reads it, to tiles of the matrix engine."""

from __future__ import annotations

from hexagon_mlir.dialects.activation_tiles import activation_matrix, activation_tiles, tiles_type
from hexagon_mlir.dialects.engine_tiles import tiles
from hexagon_mlir.ir import arith, erase_op, ir, tensor
from hexagon_mlir.ir.constants import index
from hexagon_mlir.passes.activation_tiles.read import RESHAPES, Activation, split
from hexagon_mlir.passes.lib.constant_factors import retype


def keep_tiles(activation: Activation, origin: str) -> None:
    """Let the kernel of ``activation`` return tiles, and its readers take them."""
    type_ = tiles_type(*activation.shape)
    *_, end = activation.kernel.regions[0].blocks[0].operations
    if activation.forall is None:
        with end.operation.location, ir.InsertionPoint(end.operation):
            made = activation_tiles(_as_matrix(activation.returned, activation.shape)).results[0]
    else:
        made = _tiles_of_heads(activation.forall, type_, origin)
    views = _views_to(activation.returned)
    end.operation.operands[activation.number] = made
    for view in views:
        if not any(True for _ in view.results[0].uses):
            erase_op(view, origin)
    retype(activation.kernel)
    result = activation.call.results[activation.number]
    result.set_type(type_)
    _forget_views(result, result, origin)
    for reader in activation.readers:
        reader.set_type(type_)
        kernel = reader.owner.owner.operation
        with kernel.location, ir.InsertionPoint.at_block_begin(reader.owner):
            matrix = activation_matrix(reader, activation.shape)
        _forget_views(reader, matrix.results[0], origin)
        for use in [use for use in reader.uses if use.owner.operation != matrix]:
            use.owner.operation.operands[use.operand_number] = matrix.results[0]
        retype(kernel)


def _as_matrix(value: ir.Value, shape: tuple[int, int]) -> ir.Value:
    """``value`` as a matrix of ``shape``."""
    type_ = ir.RankedTensorType(value.type)
    rows = split(type_.shape, shape)
    assert rows is not None
    if type_.rank == len(shape):
        return value
    groups = [list(range(rows)), list(range(rows, type_.rank))]
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, type_.element_type), value, groups)


def _views_to(value: ir.Value) -> list[ir.Operation]:
    """The reshapes that make ``value``, the last one first."""
    found = []
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in RESHAPES:
        found.append(value.owner.operation)
        value = found[-1].operands[0]
    return found


def _forget_views(value: ir.Value, new: ir.Value, origin: str) -> None:
    """Let all that reads views of ``value`` read ``new``, and erase the views."""
    for view in [use.owner.operation for use in value.uses if use.owner.operation.name in RESHAPES]:
        _forget_views(view.results[0], new, origin)
        view.results[0].replace_all_uses_with(new)
        erase_op(view, origin)


def _tiles_of_heads(forall: ir.Operation, type_: ir.RankedTensorType, origin: str) -> ir.Value:
    """The result of ``forall``, which makes the columns of one head in each iteration, as tiles."""
    body = forall.regions[0].blocks[0]
    *_, end = body.operations
    insert = end.operation.regions[0].blocks[0].operations[0].operation
    head = insert.operands[0]
    heads, into = body.arguments
    with forall.location, ir.InsertionPoint(forall):
        empty = tensor.empty(type_.shape, type_.element_type)
    place = list(forall.operands).index(_start_of(forall))
    forall.operands[place] = empty
    into.set_type(type_)
    forall.results[0].set_type(type_)
    columns = tiles(ir.RankedTensorType(head.type).shape[1])
    with insert.location, ir.InsertionPoint(end.operation):
        made = activation_tiles(head).results[0]
        first = arith.muli(heads, index(columns))
    sizes = [type_.shape[0], columns, *type_.shape[2:]]
    dynamic = ir.ShapedType.get_dynamic_size()
    with insert.location, ir.InsertionPoint(insert):
        ir.Operation.create(
            insert.name, operands=[made, into, first],
            attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 1, 0, 0]),
                        "static_offsets": ir.DenseI64ArrayAttr.get([0, dynamic, 0, 0, 0]),
                        "static_sizes": ir.DenseI64ArrayAttr.get(sizes),
                        "static_strides": ir.DenseI64ArrayAttr.get([1] * len(sizes))})
    erase_op(insert, origin)
    return forall.results[0]


def _start_of(forall: ir.Operation) -> ir.Value:
    """The tensor that the iterations of ``forall``, which has one result, write to."""
    return next(value for value in forall.operands if value.type == forall.results[0].type)
