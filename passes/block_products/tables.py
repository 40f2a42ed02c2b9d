"""Constants that are several matrices, of which kernels multiply by the one at an index that the run computes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import ir, tensor
from hexagon_mlir.passes.block_products.read import RIGHT

_SOURCE, _OFFSET = range(2)
_SLICE, _COLLAPSE = "tensor.extract_slice", "tensor.collapse_shape"
_TABLE = 3
"""Dimensions of such a constant: its matrices, and theirs."""


@dataclass(frozen=True)
class TableRead:
    """``product`` multiplies by the matrix that ``cut`` takes out of ``argument`` of a kernel in ``call``."""

    call: ir.Operation
    argument: ir.BlockArgument
    cut: ir.Operation
    product: ir.Operation


def reads_of(table: ir.BlockArgument, kernels: Sequence[tuple[ir.Operation, ir.Operation]]) -> list[TableRead] | None:
    """How ``kernels``, with their calls, read argument ``table`` of a model; None where one reads it otherwise."""
    type_ = ir.RankedTensorType(table.type)
    if type_.rank != _TABLE or not type_.has_static_shape:
        return None
    found = []
    for use in table.uses:
        call = use.owner.operation
        kernel = next((kernel for one, kernel in kernels if one == call), None)
        read = None if kernel is None else _read(call, kernel, use.operand_number)
        if read is None:
            return None
        found.append(read)
    return found or None


def _read(call: ir.Operation, kernel: ir.Operation, number: int) -> TableRead | None:
    argument = ir.BlockArgument(kernel.regions[0].blocks[0].arguments[number])
    cut = _only_user(argument)
    if cut is None or cut.name != _SLICE or len(cut.operands) != _OFFSET + 1:
        return None
    shape = list(ir.RankedTensorType(argument.type).shape)
    static = {name: list(ir.DenseI64ArrayAttr(cut.attributes[f"static_{name}"])) for name in ("offsets", "sizes")}
    if static["sizes"] != [1, *shape[1:]] or static["offsets"][1:] != [0, 0]:
        return None
    collapse = _only_user(cut.results[0])
    if collapse is None or collapse.name != _COLLAPSE or list(
            ir.RankedTensorType(collapse.results[0].type).shape) != shape[1:]:
        return None
    product = _only_user(collapse.results[0])
    if product is None or len(product.operands) <= RIGHT or product.operands[RIGHT] != collapse.results[0]:
        return None
    return TableRead(call, argument, cut, product)


def _only_user(value: ir.Value) -> ir.Operation | None:
    users = [use.owner.operation for use in value.uses]
    return users[0] if len(users) == 1 else None


def part_of(table: ir.Value, read: TableRead) -> ir.Value:
    """The part of ``table``, codes or scales of all matrices, for the matrix of ``read``; at the insertion point."""
    type_ = ir.RankedTensorType(table.type)
    shape, zeros = list(type_.shape), [0] * (type_.rank - 1)
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    cut = ir.Operation.create(
        _SLICE, results=[ir.RankedTensorType.get([1, *shape[1:]], type_.element_type)],
        operands=[table, read.cut.operands[_OFFSET]], attributes={
            "static_offsets": ir.DenseI64ArrayAttr.get([dynamic, *zeros]),
            "static_sizes": ir.DenseI64ArrayAttr.get([1, *shape[1:]]),
            "static_strides": ir.DenseI64ArrayAttr.get([1] * type_.rank),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 0, 0])})
    return tensor.collapse_shape(ir.RankedTensorType.get(shape[1:], type_.element_type), cut.result,
                                 [[0, 1], *([dim] for dim in range(2, type_.rank))])
