"""Writes a product with few columns as one of few rows with rows, on tensors."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import ir, linalg, tensor
from hexagon_mlir.ir.constants import constant
from hexagon_mlir.ir.make import binary, fill
from hexagon_mlir.ir.query import yields_input
from hexagon_mlir.passes.few_columns.read import FewColumns
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.vector_loop import dims_of


def as_rows(found: FewColumns) -> ir.Value:
    """What ``found`` computes, at the insertion point: its columns times its rows, transposed."""
    op, out = found.op, found.dims[-1]
    factors = [op.operands[0], op.operands[1]]
    dims = [*found.dims[:2], (*out[:-2], found.column, found.row)]
    dims[found.right] = (*(loop for loop in dims[found.right] if loop in out[:-2]), found.column, found.depth)
    factors[found.right] = _transposed(factors[found.right], found.dims[found.right], dims[found.right])
    type_ = ir.RankedTensorType(op.results[0].type)
    *batches, rows, columns = type_.shape
    number = filled_with(op.operands[2])
    empty = tensor.empty([*batches, columns, rows], type_.element_type)
    start = fill(constant(ir.FloatAttr.get(type_.element_type, 0.0)) if number is None else number, empty).result
    loops = 1 + max(loop for of in found.dims for loop in of)
    maps = [ir.AffineMap.get(loops, 0, [ir.AffineDimExpr.get(loop) for loop in of]) for of in dims]
    product = generic(factors, start, maps, ["reduction" if loop == found.depth else "parallel"
                                             for loop in range(loops)], lambda given: _body(op, given))
    result = _transposed(product, dims[-1], out)
    if number is not None:
        return result
    same = [ir.AffineMap.get_identity(len(out))] * 2
    return generic([result], op.operands[2], same, ["parallel"] * len(out),
                   lambda given: binary("arith.addf", given[1], given[0]))


def filled_with(value: ir.Value) -> ir.Value | None:
    """The number that all elements of ``value`` are, where an op before it fills it."""
    owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    if owner is None or not owner.name.startswith("linalg.") or len(owner.operands) != 2 or not yields_input(owner):
        return None
    return None if isinstance(owner.operands[0].type, ir.ShapedType) else owner.operands[0]


def _body(op: ir.Operation, given: Sequence[ir.Value]) -> ir.Value:
    block = op.regions[0].blocks[0]
    mapping = dict(zip(block.arguments, given, strict=True))
    *operations, end = [view.operation for view in block.operations]
    for inner in operations:
        clone(inner, mapping)
    return mapping[end.operands[0]]


def _transposed(value: ir.Value, given: Sequence[int], wanted: Sequence[int]) -> ir.Value:
    """``value``, whose dimensions are loops ``given``, with those loops in order ``wanted``; what it is a transposed
    copy of, where that has this order."""
    if list(given) == list(wanted):
        return value
    source = _source(value, given)
    if source is not None and source[1] == list(wanted):
        return source[0]
    order = [list(given).index(loop) for loop in wanted]
    type_ = ir.RankedTensorType(value.type)
    empty = tensor.empty([type_.shape[dim] for dim in order], type_.element_type)
    return linalg.transpose(value, outs=[empty], permutation=order).results[0]


def _source(value: ir.Value, loops: Sequence[int]) -> tuple[ir.Value, list[int]] | None:
    """The tensor of which ``value`` is a copy with its dimensions in another order, and the ``loops`` along them."""
    owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    dims = None if owner is None or len(owner.operands) != 2 else dims_of(owner)
    if owner is None or dims is None or sorted(dims[0]) != sorted(dims[1]) or not yields_input(owner):
        return None
    return owner.operands[0], [loops[dims[1].index(dim)] for dim in dims[0]]
