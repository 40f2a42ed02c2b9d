"""Finds linalg ops of one block that can run inside the same parallel loop, each on slices of its operands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from math import lcm

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.virtual_threads.nests import Loops, ThreadNest

_UNWRITTEN = frozenset({"tensor.empty", "bufferization.alloc_tensor"})


@dataclass(frozen=True)
class Member:
    """One op of a group."""

    op: ir.Operation
    nest: ThreadNest
    loops: Loops


@dataclass
class Place:
    """A tensor that members compute in, one after the other: ``results`` in order."""

    start: ir.Value
    results: list[tuple[Member, int]]
    read: bool = False
    """True when a member loads vectors of it."""
    kept: bool = False
    """True when all iterations share it: the last result is used outside the group, or the initial contents are
    read."""

    @property
    def last(self) -> ir.Value:
        """The last result."""
        member, output = self.results[-1]
        return member.op.results[output]


@dataclass(frozen=True)
class Group:
    """Ops in order. The parallel loop is inserted before ``end``; no operation between the members depends on them."""

    members: tuple[Member, ...]
    end: ir.Operation

    @property
    def extents(self) -> tuple[int, ...]:
        """Iterations along each axis."""
        first = self.members[0]
        return tuple(first.nest.extents[loop] for loop in first.loops)

    @property
    def counts(self) -> tuple[ir.Value | None, ...]:
        """Iterations along each axis that are known only at run time."""
        first = self.members[0]
        return tuple(first.nest.counts[loop] for loop in first.loops)

    @property
    def cycles(self) -> float:
        """Cycles of all members on one thread."""
        return sum(member.nest.cycles for member in self.members)

    @cached_property
    def places(self) -> list[Place]:
        """Where the members compute."""
        found: list[Place] = []
        of: dict[ir.Value, Place] = {}
        inside = [member.op for member in self.members]
        for member in self.members:
            inputs = len(member.op.operands) - len(member.op.results)
            body = member.op.regions[0].blocks[0]
            for position, value in enumerate(list(member.op.operands)[:inputs]):
                if value in of:
                    of[value].read |= member.nest.by_vectors(position)
            for output, result in enumerate(member.op.results):
                start = member.op.operands[inputs + output]
                if start not in of:
                    found.append(Place(start, []))
                of[result] = place = of[start] if start in of else found[-1]
                place.results.append((member, output))
                read = any(True for _ in body.arguments[inputs + output].uses)
                place.read |= read and member.nest.by_vectors(inputs + output)
                place.kept |= start not in of and (read or not unwritten(start))
        for place in found:
            place.kept |= any(use.owner.operation not in inside for use in place.last.uses)
        return found

    def lanes(self, vector_bytes: int) -> list[int]:
        """Iterations of each axis in one vector step of the member with most work."""
        heaviest = max(self.members, key=lambda member: member.nest.cycles)
        return [heaviest.nest.lanes(loop, vector_bytes) for loop in heaviest.loops]

    def units(self, read: int, written: int) -> tuple[int, ...] | None:
        """Iterations of each axis that stay together, so that different threads write to different ``written`` bytes.

        ``read`` replaces it for tensors that members also read: a load of a whole vector would race with another
        thread's stores to adjacent bytes. None: no number suffices.
        """
        kept = [(member, output, read if place.read else written)
                for place in self.places if place.kept for member, output in place.results]
        found = [lcm(*(m.nest.unit(m.loops[axis], output, together) or 0 for m, output, together in kept))
                 for axis in range(len(self.extents))]
        return tuple(found) if all(found) else None


class BlockOrder:
    """The operations of a block from ``first`` on in order, numbered; values that they make have numbers too: the
    numbers of those that each ``uses``, nested operations included, and that only nested operations read (``inside``).
    Valid until the block is rewritten."""

    def __init__(self, first: ir.Operation) -> None:
        self.block = first.block
        whole = [view.operation for view in self.block.operations]
        self.operations = whole[whole.index(first):]
        self.position = {op: number for number, op in enumerate(self.operations)}
        self.made_at: list[int] = []
        self.results: list[range] = []
        self.inside: list[set[int]] = [set() for _ in self.operations]
        self.uses: list[set[int]] = [set() for _ in self.operations]
        self.readers: list[set[int]] = [set() for _ in self.operations]
        for number, op in enumerate(self.operations):
            values = list(op.results)
            self.results.append(range(len(self.made_at), len(self.made_at) + len(values)))
            for value in values:
                self.made_at.append(number)
                for use in value.uses:
                    self._add(len(self.made_at) - 1, use.owner.operation)

    def _add(self, value: int, user: ir.Operation) -> None:
        """Note that ``user`` reads ``value``, somewhere in the block."""
        direct = user.block == self.block
        while user.block != self.block:
            user = user.parent.operation
        at = self.position[user]
        self.uses[at].add(value)
        self.readers[self.made_at[value]].add(at)
        if not direct:
            self.inside[at].add(value)

    def at_positions(self, nests: dict[ir.Operation, ThreadNest]) -> dict[int, ThreadNest]:
        """Those of ``nests`` that are in the block, by position."""
        return {self.position[op]: nest for op, nest in nests.items() if op in self.position}


def grow(first: int, loops: Loops, nests: dict[int, ThreadNest], order: BlockOrder) -> Group:
    """The largest group that starts with operation ``first`` split along ``loops``; ``order`` is that of its block,
    ``nests`` are by position in it. Operations that read nothing of the group's are only looked at where some of their
    loops have as many iterations.
    """
    seed = order.operations[first]
    members = [Member(seed, nests[first], loops)]
    made = {result: 0 for result in seed.results}
    early, late, end = set(order.results[first]), set[int](), None
    ranges = nests[first].ranges_of(loops)
    others = {number for number, nest in nests.items() if number > first and ranges in nest.ranges}
    most, number = max(nests), first
    pending = [*others | order.readers[first]]
    heapify(pending)
    while pending:
        before, number = number, heappop(pending)
        if number > most and end is not None:
            break
        if number == before:
            continue
        used = order.uses[number]
        needs, waits = not used.isdisjoint(early), not used.isdisjoint(late)
        whole = not order.inside[number].isdisjoint(early)  # elements at any index
        if number in nests and not whole and not waits and (
                end is None or all(value in early or order.made_at[value] < end for value in used)):
            op = order.operations[number]
            fitting = _aligned(op, nests[number], members, made)
            if fitting is not None and not _overwritten(op, made, members):
                made |= {result: len(members) for result in op.results}
                early.update(order.results[number])
                members.append(Member(op, nests[number], fitting))
                _push(pending, order.readers[number])
                continue
        if needs or waits:
            late.update(order.results[number])
            _push(pending, order.readers[number])
            end = number if end is None else end
    last = order.position[members[-1].op] + 1 if end is None else end
    return Group(tuple(members), order.operations[last])


def _push(pending: list[int], numbers: Iterable[int]) -> None:
    for number in numbers:
        heappush(pending, number)


def _aligned(op: ir.Operation, nest: ThreadNest, members: list[Member], made: dict[ir.Value, int]) -> Loops | None:
    """The loops of ``op`` that match the group's split; None when a slice would depend on other slices."""
    ranges = members[0].nest.ranges_of(members[0].loops)
    wanted: list[int | None] = [None] * len(ranges)
    for value, dims in zip(op.operands, nest.reads, strict=True):
        if value not in made:
            continue
        for axis, dim in enumerate(split_dims(members[made[value]], value)):
            if dims[dim] is None or wanted[axis] not in (None, dims[dim]):
                return None
            wanted[axis] = dims[dim]
    if None in wanted:  # independent of the group: any loops of equal extents match
        fitting = [loops for loops in nest.splits if nest.ranges_of(loops) == ranges]
        if not fitting or any(loop is not None for loop in wanted):
            return None
        wanted = list(fitting[0])
    loops = tuple(loop for loop in wanted if loop is not None)
    same = nest.ranges_of(loops) == ranges
    return loops if same and len(set(loops)) == len(loops) and all(nest.splittable(loop) for loop in loops) else None


def unwritten(value: ir.Value) -> bool:
    """True for a fresh tensor without contents."""
    owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
    return owner is not None and owner.name in _UNWRITTEN and not any(
        isinstance(operand.type, ir.RankedTensorType) for operand in owner.operands)


def split_dims(member: Member, value: ir.Value) -> list[int]:
    """Which dimension of result ``value`` each axis cuts."""
    dims = member.nest.reads[len(member.nest.reads) - member.nest.outputs + ir.OpResult(value).result_number]
    return [dims.index(loop) for loop in member.loops]


def _overwritten(op: ir.Operation, made: dict[ir.Value, int], members: list[Member]) -> bool:
    """True when ``op`` overwrites a member's result that another operation reads."""
    outputs = list(op.operands)[len(op.operands) - len(op.results):]
    return any(value in made and sum(1 for _ in value.uses) > 1 for value in outputs)
