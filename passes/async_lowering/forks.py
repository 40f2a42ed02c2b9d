"""Which groups of tasks are a fork: one call for each number of a range, all started by one loop."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.async_lowering.frames import is_stored


@dataclass(frozen=True)
class Fork:
    """``loop`` makes a task of ``call``, whose first operand is the loop's number, and adds it to ``group``, for which
    ``wait`` waits."""

    group: ir.Operation
    loop: ir.Operation
    call: ir.Operation
    wait: ir.Operation

    @property
    def passed(self) -> list[ir.Value]:
        """What all tasks get besides their numbers."""
        return list(self.call.operands)[1:]


def fork_of(group: ir.Operation) -> Fork | str:
    """What ``group``, an ``async.create_group``, is part of; a reason where that is no fork."""
    users = [use.owner.operation for use in group.results[0].uses]
    adds = [user for user in users if user.name == "async.add_to_group"]
    waits = [user for user in users if user.name == "async.await_all"]
    if len(users) != 2 or len(adds) != 1 or len(waits) != 1:
        return "tasks join it in several places, or nothing or more waits for it"
    loop = adds[0].parent
    if loop is None or loop.operation.name != "scf.for" or len(loop.operation.results):
        return "no loop starts its tasks"
    loop = loop.operation
    if loop.block != waits[0].block or loop.block != group.block:
        return "its tasks are started under other conditions than it is waited for"
    if not _is_one(loop.operands[2]):
        return "the step of the loop that starts its tasks is not 1"
    body = [op.operation for op in loop.regions[0].blocks[0].operations]
    if [op.name for op in body] != ["async.execute", "async.add_to_group", "scf.yield"] or len(body[0].operands):
        return "the loop that starts its tasks does something else, too"
    task = [op.operation for op in body[0].regions[0].blocks[0].operations]
    if [op.name for op in task] != ["func.call", "async.yield"] or len(task[0].results):
        return "a task is not one call"
    call = task[0]
    number = loop.regions[0].blocks[0].arguments[0]
    operands = list(call.operands)
    if not operands or operands[0] != number or number in operands[1:]:
        return "the number of a task is not the first argument of its call alone"
    unstored = next((value.type for value in operands[1:] if not is_stored(value.type)), None)
    if unstored is not None:
        return f"a task gets a value of type '{unstored}'"
    return Fork(group, loop, call, waits[0])


def _is_one(value: ir.Value) -> bool:
    owner = value.owner
    return (isinstance(owner, ir.Operation | ir.OpView) and owner.operation.name == "arith.constant"
            and ir.IntegerAttr(owner.operation.attributes["value"]).value == 1)
