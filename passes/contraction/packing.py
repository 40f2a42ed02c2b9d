"""Where an input of a contraction is packed: once for all the enclosing loops and threads that read the same values."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, is_noalias, root_buffer, uses_of_buffer
from hexagon_mlir.ir.query import input_count

_LOOPS = frozenset({"scf.for", "scf.forall", "scf.parallel"})
_CROSSED = _LOOPS | {"scf.if"}
_READERS = frozenset({"memref.load", "memref.dim", "vector.load", "vector.maskedload", "vector.transfer_read"})


@dataclass(frozen=True)
class Packing:
    """``buffer`` holds a copy of ``source``, made before ``place``; ``form`` identifies its layout."""

    source: ir.Value
    place: ir.Operation
    form: tuple[object, ...]
    buffer: ir.Value


def place_of_packing(op: ir.Operation, source: ir.Value) -> ir.Operation | None:
    """The outermost loop around ``op`` in which nothing writes to the buffer of ``source``; None when there is none.

    Views that lead to ``source`` are moved before that loop.
    """
    root = root_buffer(source)
    if not _is_alone(root):
        return None
    uses = uses_of_buffer(root)
    found, around = None, op.parent.operation
    while around.name in _CROSSED:
        if _is_inside(root.owner, around) or not _views_can_leave(source, around):
            break
        if any(_is_inside(use.owner.operation, around) and not _reads(use) for use in uses):
            break
        if around.name in _LOOPS:
            found = around
        around = around.parent.operation
    if found is not None:
        for view in reversed(_views(source, found)):
            view.move_before(found)
    return found


def _is_alone(root: ir.Value) -> bool:
    """True when the memory of ``root`` is reached through ``root`` alone."""
    if isinstance(root.owner, ir.Block):
        return is_noalias(root)
    return root.owner.operation.name in ("memref.alloc", "memref.alloca")


def _views(source: ir.Value, around: ir.Operation) -> list[ir.Operation]:
    """Operations inside ``around`` that make ``source`` a view of its buffer, the last one first."""
    found = []
    while not isinstance(source.owner, ir.Block) and source.owner.operation.name in VIEWS:
        if _is_inside(source.owner, around):
            found.append(source.owner.operation)
        source = source.owner.operation.operands[0]
    return found


def _views_can_leave(source: ir.Value, around: ir.Operation) -> bool:
    """True when the views inside ``around`` are loop-invariant and safe to compute unconditionally: all offsets, sizes
    and strides are static."""
    return all(len(view.operands) == 1 for view in _views(source, around))


def _is_inside(owner: ir.Block | ir.OpView | ir.Operation, around: ir.Operation) -> bool:
    op = owner.owner.operation if isinstance(owner, ir.Block) else owner.operation
    inside = isinstance(owner, ir.Block) and op == around
    while not inside and op.parent is not None and op.name != "func.func":
        op = op.parent.operation
        inside = op == around
    return inside


def _reads(use: ir.OpOperand) -> bool:
    """True when ``use`` only reads."""
    user = use.owner.operation
    if user.name in VIEWS or user.name in _READERS:
        return True
    if user.name == "memref.copy":
        return use.operand_number == 0
    if user.name.startswith("linalg."):
        return use.operand_number < input_count(user)
    return False
