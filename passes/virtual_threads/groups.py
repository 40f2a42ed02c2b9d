"""Finds linalg ops of one block that can run inside the same parallel loop, each on slices of its operands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from math import lcm

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.order import ancestor_in
from hexagon_mlir.passes.lib.outlining import values_from_outside
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

    @property
    def certain(self) -> float:
        """The fraction of these cycles that is certain."""
        return sum(member.nest.certain * member.nest.cycles for member in self.members) / (self.cycles or 1)

    @property
    def elementwise(self) -> bool:
        """Whether no member reduces, transposes or only copies: entering the loops of those takes longer than the
        estimate says, and few rows of a transpose take as long as a whole block of them."""
        return all(set(range(len(member.nest.extents))) <= set(member.nest.reads[-1])
                   and len(member.op.regions[0].blocks[0].operations) > 1
                   and all(_in_order(dims) for dims in member.nest.reads) for member in self.members)

    @property
    def longest_body(self) -> int:
        """The most operations of a member's body."""
        return max(len(member.op.regions[0].blocks[0].operations) for member in self.members)

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
        """Iterations of each axis in one vector step of the member with most work, and of those that have no vector
        code for fewer."""
        heaviest = max(self.members, key=lambda member: member.nest.cycles)
        return [max(heaviest.nest.lanes(loop, vector_bytes),
                    *(member.nest.lanes(member.loops[axis], vector_bytes) for member in self.members
                      if member.nest.needs_lanes(member.loops[axis], vector_bytes)), 1)
                for axis, loop in enumerate(heaviest.loops)]

    def even(self, vector_bytes: int) -> list[bool]:
        """Whether chunks of each axis must have equal lengths for the vector code of a member."""
        return [any(member.nest.even(member.loops[axis], vector_bytes) for member in self.members)
                for axis in range(len(self.extents))]

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


def _in_order(dims: Iterable[int | None]) -> bool:
    """Whether an operand with these loops along its dimensions has them in the order of the loops."""
    loops = [loop for loop in dims if loop is not None]
    return loops == sorted(loops)


@dataclass(frozen=True)
class Reads:
    """Numbers of the operations whose results an operation reads; those that operations nested in it read too."""

    all: frozenset[int]
    inside: frozenset[int]


class BlockOrder:
    """The operations of a block from ``first`` on in order, numbered. Valid until the block is rewritten."""

    def __init__(self, first: ir.Operation) -> None:
        self.block = first.block
        whole = [view.operation for view in self.block.operations]
        self.operations = whole[whole.index(first):]
        self.position = {op: number for number, op in enumerate(self.operations)}
        self._reads: dict[int, Reads] = {}
        self._readers: dict[int, set[int]] = {}

    def reads(self, number: int) -> Reads:
        """What operation ``number`` reads."""
        if number not in self._reads:
            op = self.operations[number]
            inside = self._makers(values_from_outside(op))
            self._reads[number] = Reads(self._makers(op.operands) | inside, inside)
        return self._reads[number]

    def readers(self, number: int) -> set[int]:
        """The operations that read results of operation ``number``, or hold such operations."""
        if number not in self._readers:
            users = {ancestor_in(use.owner.operation, self.block) for value in self.operations[number].results
                     for use in value.uses}
            self._readers[number] = {self.position[op] for op in users if op is not None}
        return self._readers[number]

    def _makers(self, values: Iterable[ir.Value]) -> frozenset[int]:
        owners = (value.owner.operation for value in values if not isinstance(value.owner, ir.Block))
        return frozenset(number for op in owners if (number := self.position.get(op)) is not None)

    def at_positions(self, nests: dict[ir.Operation, ThreadNest]) -> dict[int, ThreadNest]:
        """Those of ``nests`` that are in the block, by position."""
        return {self.position[op]: nest for op, nest in nests.items() if op in self.position}


def grow(first: int, loops: Loops, nests: dict[int, ThreadNest], order: BlockOrder, tasks: int,
         vector_bytes: int) -> Group:
    """The largest group that starts with operation ``first`` split along ``loops``; ``order`` is that of its block,
    ``nests`` are by position in it. Operations that read nothing of the group's are only looked at where some of their
    loops have as many iterations, whole vectors for each of so many ``tasks``, and what they read is there before the
    group.
    """
    seed = order.operations[first]
    members = [Member(seed, nests[first], loops)]
    made = {result: 0 for result in seed.results}
    early, end = {first}, None
    ranges = nests[first].ranges_of(loops)
    others = sorted((other for other, nest in nests.items() if other > first and ranges in nest.ranges), reverse=True)
    number, pending = first, sorted(order.readers(first))
    while pending or others:
        alone = not pending or (len(others) > 0 and others[-1] < pending[0])
        before, number = number, others.pop() if alone else heappop(pending)
        if number == before:
            continue
        reads = order.reads(number)
        needs = not reads.all.isdisjoint(early)
        whole = not reads.inside.isdisjoint(early)  # elements at any index
        if number in nests and not whole and (
                end is None or all(maker in early or maker < end for maker in reads.all)):
            op = order.operations[number]
            fitting = _aligned(op, nests[number], members, made)
            if fitting is not None and reads.all.isdisjoint(early) and any(
                    nests[number].is_cut_up(loop, tasks, vector_bytes) for loop in fitting):
                fitting = None
            if fitting is not None and not _overwritten(op, made, members):
                made |= {result: len(members) for result in op.results}
                early.add(number)
                members.append(Member(op, nests[number], fitting))
                _push(pending, order.readers(number))
                continue
        if needs and end is None:  # what depends on this one comes after it, too
            end = number
            others = [other for other in others if max(order.reads(other).all, default=-1) < end]
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
