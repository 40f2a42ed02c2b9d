"""Lowers index arithmetic that tiling leaves in loop bodies (affine.apply) to operations that have a vector form."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.ir import arith, ir
from hexagon_mlir.ir.constants import index

_OPERATIONS = {ir.AffineAddExpr: arith.addi, ir.AffineMulExpr: arith.muli}


def expand_applies(body: ir.Block) -> None:
    """Replace each affine.apply of ``body`` that only adds and multiplies by arith operations."""
    for op in [o.operation for o in body.operations if o.operation.name == "affine.apply"]:
        map_ = ir.AffineMapAttr(op.attributes["map"]).value
        if not _is_sum(map_.results[0]):
            continue
        with op.location, ir.InsertionPoint(op):
            values = list(op.operands)
            value = _value(map_.results[0], values[:map_.n_dims], values[map_.n_dims:])
        op.results[0].replace_all_uses_with(value)
        op.erase()


def _is_sum(expression: ir.AffineExpr) -> bool:
    if type(expression) in _OPERATIONS:
        return _is_sum(expression.lhs) and _is_sum(expression.rhs)
    return isinstance(expression, ir.AffineDimExpr | ir.AffineSymbolExpr | ir.AffineConstantExpr)


def _value(expression: ir.AffineExpr, dims: Sequence[ir.Value], symbols: Sequence[ir.Value]) -> ir.Value:
    if isinstance(expression, ir.AffineConstantExpr):
        return index(expression.value)
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineSymbolExpr):
        return symbols[expression.position]
    return _OPERATIONS[type(expression)](_value(expression.lhs, dims, symbols), _value(expression.rhs, dims, symbols))
