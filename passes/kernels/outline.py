"""Moves a group of operations into a function of its own: the IR rewrite, without any decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hexagon_mlir.ir import func, ir
from hexagon_mlir.ir.order import external_values, nested_ops


def outline(function: ir.Operation, name: str, ops: Sequence[ir.Operation], copied: set[ir.Operation],
            at: ir.Operation) -> ir.Operation:
    """Replace ``ops`` of ``function`` (in order) by a call, placed before ``at``, of a new private function ``name``.

    Returns the call.
    Operations in ``copied`` that the group needs are cloned into it. The originals of ``ops`` are erased by
    `erase_all` once every group is outlined.
    """
    members = set(ops)
    body = _closure(ops, members, copied)
    inputs = list(dict.fromkeys(
        value for op in body for value in external_values(op)
        if not isinstance(value.owner, ir.OpView) or value.owner.operation not in set(body)))
    results = [result for op in ops for result in op.results if _escapes(result, function, members, copied)]
    with function.location, ir.InsertionPoint(function):
        kernel = func.FuncOp(name, ([v.type for v in inputs], [v.type for v in results]), visibility="private")
        block = kernel.add_entry_block()
    values: dict[ir.Value, ir.Value] = dict(zip(inputs, block.arguments, strict=True))
    for op in body:
        clone = op.clone(ip=ir.InsertionPoint(block))
        for inner in nested_ops(clone.operation):
            for position, value in enumerate(inner.operands):
                if value in values:
                    inner.operands[position] = values[value]
        values |= dict(zip(op.results, clone.operation.results, strict=True))
    with ops[-1].location:
        with ir.InsertionPoint(block):
            func.ReturnOp([values[v] for v in results])
        with ir.InsertionPoint(at):
            call = func.CallOp([v.type for v in results], ir.FlatSymbolRefAttr.get(name), inputs)
    for old, new in zip(results, call.results, strict=True):
        old.replace_all_uses_with(new)
    return call.operation


def _closure(ops: Sequence[ir.Operation], members: set[ir.Operation], copied: set[ir.Operation]
             ) -> list[ir.Operation]:
    """``ops`` and the copied operations they need, each before its first use."""
    ordered: dict[ir.Operation, None] = {}

    def add(op: ir.Operation) -> None:
        if op in ordered:
            return
        for value in external_values(op):
            owner = value.owner
            if isinstance(owner, ir.OpView) and owner.operation in copied:
                add(owner.operation)
        ordered[op] = None

    for op in ops:
        add(op)
    return list(ordered)


def _escapes(value: ir.Value, function: ir.Operation, members: set[ir.Operation], copied: set[ir.Operation]) -> bool:
    """True when an operation outside the group reads ``value``, directly or through copied operations."""
    for use in value.uses:
        user = _top(use.owner.operation, function)
        if user in copied:
            if any(_escapes(result, function, members, copied) for result in user.results):
                return True
        elif user not in members:
            return True
    return False


def _top(op: ir.Operation, function: ir.Operation) -> ir.Operation:
    """The operation in the body of ``function`` that holds ``op``."""
    while op.parent.operation != function:
        op = op.parent.operation
    return op


def erase_all(ops: Iterable[ir.Operation]) -> None:
    """Erase operations that have no uses left, last one first."""
    for op in reversed(list(ops)):
        if not any(True for result in op.results for _ in result.uses):
            op.erase()
