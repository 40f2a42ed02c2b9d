"""Places in TCM for what every iteration of a loop of the program reads, and for what the loop carries."""

from __future__ import annotations

from collections.abc import Iterator

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import find_ops, static_bytes
from hexagon_mlir.passes.lib.tcm_tensors import tcm_copy
from hexagon_mlir.passes.lib.vector_loop import takes_scalars
from hexagon_mlir.passes.tcm_tiling.groups import Group
from hexagon_mlir.passes.tcm_tiling.promote import VIEWS, is_in_ddr

_BOUNDS = 3
"""Operands of a loop before the values that it carries."""


def place_for_loops(function: ir.Operation, groups: list[Group], budget: int, small: int) -> int:
    """Copy tensors to TCM before the outermost loops in ``function`` if only ``groups`` read them there: the initial
    values of those that a loop carries, and then those that it reads as a whole in every iteration, as far as
    ``budget`` bytes allow; returns the bytes used.
    """
    grouped = {op for group in groups for op in group.members}
    given = 0
    for loop in find_ops(function, lambda op: op.name == "scf.for" and op.parent.operation == function):
        for place in (*_carried(loop, grouped), *_invariant(loop, grouped)):
            operand = place[0].operands[place[1]]
            size = static_bytes(operand.type)
            if size is None or size < small or given + size > budget or not is_in_ddr(operand):
                continue
            with loop.location, ir.InsertionPoint(loop):
                copy = tcm_copy(operand)
            for op, number in _same(loop, *place):
                op.operands[number] = copy
            given += size
    return given


def _carried(loop: ir.Operation, grouped: set[ir.Operation]) -> Iterator[tuple[ir.Operation, int]]:
    """Places of initial values whose later ones ``grouped`` operations compute and alone read in the loop."""
    body = loop.regions[0].blocks[0]
    yielded = body.operations[len(body.operations) - 1].operation
    for number, argument in enumerate(list(body.arguments)[1:]):
        owner = yielded.operands[number].owner
        if isinstance(owner, ir.Block) or owner.operation not in grouped:
            continue
        if _only_read_by(argument, grouped):
            yield loop, _BOUNDS + number


def _invariant(loop: ir.Operation, grouped: set[ir.Operation]) -> Iterator[tuple[ir.Operation, int]]:
    """Places of inputs of ``grouped`` operations that are made before the loop."""
    for op in find_ops(loop, lambda op: op in grouped):
        for number, value in enumerate(list(op.operands)[:len(op.operands) - len(op.results)]):
            outside = isinstance(value.type, ir.RankedTensorType) and not _is_inside(value, loop)
            if outside and not takes_scalars(op, number):
                yield op, number


def _same(loop: ir.Operation, op: ir.Operation, number: int) -> list[tuple[ir.Operation, int]]:
    """The place itself, and others where operations in ``loop`` read the same tensor."""
    if op == loop:
        return [(op, number)]
    uses = [(use.owner.operation, use.operand_number) for use in op.operands[number].uses]
    return [(user, place) for user, place in uses if user.name.startswith("linalg.") and _is_in(user, loop)]


def _only_read_by(value: ir.Value, grouped: set[ir.Operation]) -> bool:
    for use in value.uses:
        user = use.owner.operation
        if user.name in VIEWS:
            if not _only_read_by(user.results[0], grouped):
                return False
        elif user not in grouped or takes_scalars(user, use.operand_number):
            return False
    return True


def _is_inside(value: ir.Value, loop: ir.Operation) -> bool:
    return _is_in(value.owner.owner.operation if isinstance(value.owner, ir.Block) else value.owner.operation, loop)


def _is_in(op: ir.Operation | None, loop: ir.Operation) -> bool:
    while op is not None and op != loop:
        op = op.parent.operation if op.parent is not None else None
    return op is not None
