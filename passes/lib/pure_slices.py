"""Values that can be computed again elsewhere: pure slices of a loop body, and cloning with replaced values."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.order import nested_ops

Mapping = dict[ir.Value, ir.Value]
_PURE = ("arith.", "affine.", "index.")
_PURE_OPS = frozenset({"memref.subview", "memref.cast", "memref.reinterpret_cast", "memref.dim", "memref.expand_shape",
                       "memref.collapse_shape", "memref.view", "memref.extract_strided_metadata"})


def is_pure(op: ir.Operation) -> bool:
    """True when ``op`` touches no memory: it may be computed again anywhere."""
    return op.name in _PURE_OPS or (op.name.startswith(_PURE) and not len(op.regions))


def outside_operands(op: ir.Operation) -> list[ir.Value]:
    """Values that ``op`` and the operations in its regions use but do not define."""
    if not len(op.regions):
        return list(op.operands)
    return [value for inner in nested_ops(op) for value in inner.operands if not _inside(value, op)]


def pure_slice(values: Iterable[ir.Value], body: ir.Block, given: Iterable[ir.Value]) -> list[ir.Operation] | None:
    """Operations of ``body``, in order, that compute ``values`` from outside values and the body's arguments.

    The slice ends at values in ``given``. None when it would contain an impure operation.
    """
    needed: set[ir.Operation] = set()
    pending, seen = list(values), set(given)
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(owner := value.owner, ir.Block) or (op := owner.operation).block != body:
            continue
        if not is_pure(op):
            return None
        if op not in needed:
            needed.add(op)
            pending += op.operands
    return sorted(needed, key=cmp_to_key(_in_order))


def clone(op: ir.Operation, mapping: Mapping) -> ir.Operation:
    """A copy of ``op`` at the insertion point with the values of ``mapping`` replaced; its results are added to
    ``mapping``."""
    copy = op.clone().operation
    for inner in nested_ops(copy) if len(copy.regions) else (copy,):
        operands = inner.operands
        for position, value in enumerate(operands):
            if value in mapping:
                operands[position] = mapping[value]
    mapping.update(zip(op.results, copy.results, strict=True))
    return copy


def _in_order(one: ir.Operation, other: ir.Operation) -> int:
    return -1 if one.is_before_in_block(other) else 1


def _inside(value: ir.Value, op: ir.Operation) -> bool:
    owner = value.owner
    if isinstance(owner, ir.Block):
        holder = owner.owner
        current = holder.operation if holder is not None else None
    else:
        current = owner.operation
        if current == op:
            return False
    while current is not None:
        if current == op:
            return True
        parent = current.parent
        current = parent.operation if parent is not None else None
    return False
