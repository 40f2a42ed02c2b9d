"""Results of a loop or branch are computed in their destination buffer: no buffer per iteration.

An element-wise operation overwrites its ``outs`` entirely, so any tensor of its type may be the operand; the choice
decides whether bufferization works in place. Where that is impossible the result is copied to the destination.
"""

from __future__ import annotations

from hexagon_mlir.ir import bufferization, ir
from hexagon_mlir.ir.order import ancestor_in


def carried(values: list[ir.Value], targets: list[ir.Value], block: ir.Block) -> list[ir.Value]:
    """The operands to yield from loop body ``block`` for ``values``, each computed in place of its iter_arg if
    possible.

    A result that cannot be (the iter_arg is still read later) is copied there at the end, unless the values are
    permuted.
    """
    roots = [_root(value, block) for value in values]
    if any(root == target for i, root in enumerate(roots) for j, target in enumerate(targets) if i != j):
        return values
    return [value if _reuse(value, target, block) or not _is_fresh(root, block) else
            bufferization.MaterializeInDestinationOp(target.type, value, target).result
            for value, target, root in zip(values, targets, roots, strict=True)]


def into(value: ir.Value, place: ir.Value | None, block: ir.Block) -> ir.Value:
    """``value``, computed in branch ``block``, in destination ``place`` (of `fresh`)."""
    if place is None or _reuse(value, place, block):
        return value
    return bufferization.MaterializeInDestinationOp(place.type, value, place).result


def fresh(types: list[ir.Type]) -> list[ir.Value | None]:
    """A new destination for each tensor among ``types``, None for the others."""
    return [bufferization.AllocTensorOp(type, []).result if isinstance(type, ir.RankedTensorType) else None
            for type in types]


def _step(value: ir.Value, block: ir.Block) -> tuple[ir.Operation, int] | None:
    """The operation of ``block`` that computes ``value``, and the number of the operand that it may overwrite."""
    op = _owner(value)
    if op is None or op.block != block:
        return None
    number = ir.OpResult(value).result_number
    if op.name.startswith("linalg."):
        return op, len(op.operands) - len(op.results) + number
    return (op, 3 + number) if op.name == "scf.for" else None


def _root(value: ir.Value, block: ir.Block) -> ir.Value:
    """The tensor that the computation of ``value`` in ``block`` overwrites first."""
    while (step := _step(value, block)) is not None:
        value = step[0].operands[step[1]]
    return value


def _is_fresh(root: ir.Value, block: ir.Block) -> bool:
    """True when ``root`` is a new tensor of ``block``."""
    op = _owner(root)
    return isinstance(root.type, ir.RankedTensorType) and op is not None and op.block == block and (
        op.name in ("tensor.empty", "bufferization.to_tensor"))


def _reuse(value: ir.Value, target: ir.Value, block: ir.Block) -> bool:
    """Let the operations of ``block`` that compute ``value`` start from ``target``, not from an empty tensor.

    Returns False, without a change, when another operation overwrites or reads ``target`` later.
    """
    while value != target:
        step = _step(value, block)
        if step is None:
            return False
        op, place = step
        value = op.operands[place]
        producer = _owner(value)
        if producer is not None and producer.name == "tensor.empty":
            if value.type != target.type or _used_after(target, op, block):
                return False
            op.operands[place] = target
            return True
    return True


def _used_after(value: ir.Value, op: ir.Operation, block: ir.Block) -> bool:
    """True when an operation of ``block`` after ``op`` uses ``value``, nested regions included."""
    users = {ancestor_in(use.owner.operation, block) for use in value.uses}
    after = False
    for view in block.operations:
        if after and view.operation in users:
            return True
        after = after or view.operation == op
    return False


def _owner(value: ir.Value) -> ir.Operation | None:
    """The operation that computes ``value``; None for a block argument."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation
