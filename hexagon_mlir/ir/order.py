"""Operations of one block and what they depend on."""

from __future__ import annotations

from collections.abc import Iterable

from torch_mlir import ir


def nested_ops(op: ir.Operation) -> list[ir.Operation]:
    """``op`` and every operation in its regions."""
    found: list[ir.Operation] = []
    advance = ir.WalkResult.ADVANCE  # to look it up takes half as long as the visit

    def visit(inner: ir.Operation) -> ir.WalkResult:
        found.append(inner)
        return advance

    op.walk(visit)
    return found


def ancestor_in(op: ir.Operation, block: ir.Block) -> ir.Operation | None:
    """The operation of ``block`` that is ``op`` or holds it; None where none does."""
    while op.parent is not None:  # a module has no block: asking for it is a crash
        if op.block == block:
            return op
        op = op.parent.operation
    return None


def external_values(op: ir.Operation) -> list[ir.Value]:
    """What ``op`` and its regions read from outside, each once, in order."""
    if not len(op.regions):
        return list(dict.fromkeys(op.operands))
    all_ops = nested_ops(op)
    inside = set(all_ops)
    found: dict[ir.Value, None] = {}
    for inner in all_ops:
        for value in inner.operands:
            owner = value.owner
            maker = owner.owner.operation if isinstance(owner, ir.Block) else owner.operation
            if maker not in inside:
                found[value] = None
    return list(found)


def sort(ops: Iterable[ir.Operation], end: ir.Operation) -> None:
    """Move ``ops``, and what they read, before ``end``, each behind its operands; all stand in the block of ``end``."""
    done: set[ir.Operation] = set()

    def place(op: ir.Operation) -> None:
        if op in done:
            return
        done.add(op)
        for value in external_values(op):
            if isinstance(value.owner, ir.OpView):
                place(value.owner.operation)
        op.move_before(end)

    for op in ops:
        place(op)
    for value in end.operands:
        if isinstance(value.owner, ir.OpView):
            place(value.owner.operation)
