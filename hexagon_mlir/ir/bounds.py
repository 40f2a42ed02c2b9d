"""What is known of index values: how large dynamic sizes can be at most, what offsets are multiples of."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from torch_mlir import ir

_MINIMA = ("arith.minsi", "arith.minui")
_MAXIMA = ("arith.maxsi", "arith.maxui")
_COLLAPSES = ("memref.collapse_shape", "tensor.collapse_shape")
_SAME = ("arith.index_cast", "arith.index_castui")
_DEPTH = 8  # how far back definitions are followed


def constant_value(value: ir.Value) -> int | None:
    """The number that ``value`` is, where it is an integer constant."""
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.operation.name != "arith.constant":
        return None
    attribute = owner.operation.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def upper_bound(value: ir.Value, depth: int = _DEPTH) -> int | None:
    """Largest number ``value`` (index or integer) can be, or None when nothing bounds it."""
    owner = value.owner
    if depth == 0 or not isinstance(owner, ir.OpView | ir.Operation):
        return None
    op = owner.operation
    if op.name == "arith.constant":
        attribute = op.attributes["value"]
        return attribute.value if isinstance(attribute, ir.IntegerAttr) else None
    if op.name == "affine.min":
        map_ = op.attributes["map"].value
        return _least(_of_expression(e, list(op.operands), map_.n_dims, depth) for e in map_.results)
    if op.name in _MINIMA:
        return _least(upper_bound(v, depth - 1) for v in op.operands)
    if op.name in _MAXIMA:
        return _greatest(upper_bound(v, depth - 1) for v in op.operands)
    if op.name == "arith.select":
        return _greatest(upper_bound(v, depth - 1) for v in list(op.operands)[1:])
    if op.name in _SAME:
        return upper_bound(op.operands[0], depth - 1)
    if op.name in ("memref.dim", "tensor.dim"):
        return _of_dim(op, depth)
    return None


def multiple_of(value: ir.Value, depth: int = _DEPTH) -> int:
    """A number that divides ``value``: 1 when nothing is known, 0 for the constant 0 (which everything divides)."""
    owner = value.owner
    if depth == 0:
        return 1
    if isinstance(owner, ir.Block):
        return _of_variable(ir.BlockArgument(value), depth)
    op = owner.operation
    if op.name == "arith.constant":
        attribute = op.attributes["value"]
        return abs(attribute.value) if isinstance(attribute, ir.IntegerAttr) else 1
    if op.name in ("arith.addi", "arith.subi", *_MINIMA, *_MAXIMA):
        return gcd(*(multiple_of(v, depth - 1) for v in op.operands))
    if op.name == "arith.muli":
        return multiple_of(op.operands[0], depth - 1) * multiple_of(op.operands[1], depth - 1)
    if op.name == "arith.select":
        return gcd(*(multiple_of(v, depth - 1) for v in list(op.operands)[1:]))
    if op.name in _SAME:
        return multiple_of(op.operands[0], depth - 1)
    return 1


def _of_variable(value: ir.BlockArgument, depth: int) -> int:
    """What the variable of a loop is a multiple of: where it starts, and its steps; 1 for any other argument."""
    loop = value.owner.owner.operation if value.owner.owner is not None else None
    if loop is not None and loop.name == "scf.for" and value.arg_number == 0:
        return gcd(multiple_of(loop.operands[0], depth - 1), multiple_of(loop.operands[2], depth - 1))
    if loop is None or loop.name != "scf.forall":
        return 1
    at, given = value.arg_number, list(loop.operands)
    known = []
    for name in ("staticLowerBound", "staticUpperBound", "staticStep"):
        numbers = list(ir.DenseI64ArrayAttr(loop.attributes[name]))
        values = [given.pop(0) if number == ir.ShapedType.get_dynamic_size() else number for number in numbers]
        known.append(values[at] if at < len(values) else 1)
    return gcd(*(number if isinstance(number, int) else multiple_of(number, depth - 1)
                 for number in (known[0], known[2])))


def _of_expression(expression: ir.AffineExpr, operands: list[ir.Value], dims: int, depth: int) -> int | None:
    """Bound of a constant or of a plain operand, a symbol after ``dims`` others; all else is taken as unbounded."""
    if isinstance(expression, ir.AffineConstantExpr):
        return expression.value
    if isinstance(expression, ir.AffineDimExpr):
        return upper_bound(operands[expression.position], depth - 1)
    if isinstance(expression, ir.AffineSymbolExpr):
        return upper_bound(operands[dims + expression.position], depth - 1)
    return None


def _of_dim(op: ir.Operation, depth: int) -> int | None:
    shaped, position = ir.ShapedType(op.operands[0].type), upper_bound(op.operands[1], 1)
    if position is None or not 0 <= position < shaped.rank:
        return None
    return size_bound(op.operands[0], position, depth)


def size_bound(value: ir.Value, position: int, depth: int = _DEPTH) -> int | None:
    """Largest size that dimension ``position`` of the shaped ``value`` can have, or None when nothing bounds it."""
    shaped = ir.ShapedType(value.type)
    if not shaped.is_dynamic_dim(position):
        return shaped.get_dim_size(position)
    if not isinstance(value.owner, ir.OpView | ir.Operation):
        return None
    source = value.owner.operation
    dynamic = sum(shaped.is_dynamic_dim(d) for d in range(position))
    if source.name in _COLLAPSES:
        origin = collapsed_dim(source, position)
        return None if origin is None else size_bound(source.operands[0], origin, depth - 1)
    if source.name in ("memref.alloc", "tensor.empty"):
        return upper_bound(source.operands[dynamic], depth - 1)
    if source.name != "memref.subview" or len(list(ir.DenseI64ArrayAttr(source.attributes["static_sizes"]))
                                              ) != shaped.rank:
        return None
    before = sum(list(ir.DenseI32ArrayAttr(source.attributes["operandSegmentSizes"]))[:2])
    return upper_bound(source.operands[before + dynamic], depth - 1)


def collapsed_dim(op: ir.Operation, position: int) -> int | None:
    """The dimension that ``op``, a collapse_shape, makes dimension ``position`` of its result from; None where it is
    not the only one longer than one element.
    """
    shaped = ir.ShapedType(op.operands[0].type)
    dims = [ir.IntegerAttr(dim).value for dim in ir.ArrayAttr(ir.ArrayAttr(op.attributes["reassociation"])[position])]
    longer = [dim for dim in dims if shaped.is_dynamic_dim(dim) or shaped.get_dim_size(dim) > 1]
    return longer[0] if len(longer) == 1 else None


def size_multiple(value: ir.Value, position: int) -> int:
    """A number that divides the size of dimension ``position`` of the buffer ``value``: 1 when nothing is known."""
    type_, source = ir.ShapedType(value.type), value.owner
    if not type_.is_dynamic_dim(position):
        return type_.get_dim_size(position)
    if isinstance(source, ir.Block) or source.operation.name != "memref.subview":
        return 1
    view = source.operation
    if len(list(ir.DenseI64ArrayAttr(view.attributes["static_sizes"]))) != type_.rank:
        return 1  # dimensions of size one are dropped
    before = sum(list(ir.DenseI32ArrayAttr(view.attributes["operandSegmentSizes"]))[:2])
    return multiple_of(view.operands[before + sum(type_.is_dynamic_dim(d) for d in range(position))]) or 1


def _least(bounds: Iterable[int | None]) -> int | None:
    return min((b for b in bounds if b is not None), default=None)


def _greatest(bounds: Iterable[int | None]) -> int | None:
    found = list(bounds)
    return None if None in found else max(b for b in found if b is not None)
