"""Finds linalg ops of one block that can run inside the same parallel loop, each on its own slice of everything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import lcm

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.virtual_threads.nests import Nest

Loops = tuple[int, ...]
"""The loops of an op that are split, one for each axis of the parallel loop."""
_SMALL = 0.1
"""An output below this part of the largest one has no say in where slices end."""


@dataclass(frozen=True)
class Member:
    """One op of a group."""

    op: ir.Operation
    nest: Nest
    loops: Loops


@dataclass(frozen=True)
class Group:
    """Ops in order. The parallel loop stands before ``end``; nothing between them depends on them."""

    members: tuple[Member, ...]
    end: ir.Operation

    @property
    def extents(self) -> tuple[int, ...]:
        """Iterations along each axis."""
        first = self.members[0]
        return tuple(first.nest.extents[loop] for loop in first.loops)

    def units(self, large: int, small: int) -> tuple[int, ...] | None:
        """Iterations of each axis that stay together, so that no two threads write to the same ``large`` bytes.

        Of outputs far smaller than the largest one they may share those, but not ``small`` bytes. None: impossible.
        """
        outputs = [(m, output) for m in self.members for output in range(m.nest.outputs)]
        largest = max(m.nest.bytes(output) for m, output in outputs)
        found = []
        for axis in range(len(self.extents)):
            units = [m.nest.unit(m.loops[axis], output, large if m.nest.bytes(output) >= _SMALL * largest else small)
                     for m, output in outputs]
            found.append(lcm(*(unit or 0 for unit in units)))
        return tuple(found) if all(found) else None

    @property
    def cycles(self) -> float:
        """What one thread takes for all of them."""
        return sum(member.nest.cycles for member in self.members)


def splits(nest: Nest) -> Iterator[Loops]:
    """The loops of an op that could be split: one or two of them, outer ones first."""
    fitting = [loop for loop, extent in enumerate(nest.extents) if extent > 1 and nest.splittable(loop)]
    yield from ((loop,) for loop in fitting)
    yield from combinations(fitting, 2)


def grow(seed: ir.Operation, loops: Loops, nests: dict[ir.Operation, Nest], order: list[ir.Operation]) -> Group:
    """The largest group that starts with ``seed`` split along ``loops``; ``order`` are the block's operations."""
    position = {op: number for number, op in enumerate(order)}
    members = [Member(seed, nests[seed], loops)]
    made = {result: 0 for result in seed.results}
    late: set[ir.Value] = set()
    end: int | None = None
    for number in range(position[seed] + 1, len(order)):
        op = order[number]
        used = _uses(op)
        if op in nests and not used & late and (end is None or _ready(op, made, position, end)):
            fitting = _aligned(op, nests[op], members, made)
            if fitting is not None and not _overwritten(op, made, members):
                made |= {result: len(members) for result in op.results}
                members.append(Member(op, nests[op], fitting))
                continue
        if used & late or any(value in made for value in used):
            late |= set(op.results)
            end = number if end is None else end
    last = position[members[-1].op] + 1 if end is None else end
    return Group(tuple(members), order[last])


def _aligned(op: ir.Operation, nest: Nest, members: list[Member], made: dict[ir.Value, int]) -> Loops | None:
    """The loops of ``op`` that go with the group's split; None when a slice would need more than its own part."""
    first = members[0]
    extents = tuple(first.nest.extents[loop] for loop in first.loops)
    wanted: list[int | None] = [None] * len(extents)
    for value, dims in zip(op.operands, nest.reads, strict=True):
        if value not in made:
            continue
        for axis, dim in enumerate(split_dims(members[made[value]], value)):
            if dims[dim] is None or wanted[axis] not in (None, dims[dim]):
                return None
            wanted[axis] = dims[dim]
    if None in wanted:  # depends on nothing of the group: any equal loops do
        fitting = [loops for loops in splits(nest) if tuple(nest.extents[loop] for loop in loops) == extents]
        if not fitting or any(loop is not None for loop in wanted):
            return None
        wanted = list(fitting[0])
    loops = tuple(loop for loop in wanted if loop is not None)
    same = tuple(nest.extents[loop] for loop in loops) == extents
    return loops if same and len(set(loops)) == len(loops) and all(nest.splittable(loop) for loop in loops) else None


def split_dims(member: Member, value: ir.Value) -> list[int]:
    """Which dimension of result ``value`` each axis cuts."""
    dims = member.nest.reads[len(member.nest.reads) - member.nest.outputs + ir.OpResult(value).result_number]
    return [dims.index(loop) for loop in member.loops]


def _overwritten(op: ir.Operation, made: dict[ir.Value, int], members: list[Member]) -> bool:
    """True when ``op`` computes in the place of a member's result that somebody else needs as well."""
    outputs = list(op.operands)[len(op.operands) - len(op.results):]
    return any(value in made and sum(1 for _ in value.uses) > 1 for value in outputs)


def _ready(op: ir.Operation, made: dict[ir.Value, int], position: dict[ir.Operation, int], end: int) -> bool:
    """True when what ``op`` uses, besides the group's results, is there before operation number ``end``."""
    for value in _uses(op):
        owner = None if isinstance(value.owner, ir.Block) else value.owner.operation
        if value not in made and owner in position and position[owner] >= end:
            return False
    return True


def _uses(op: ir.Operation) -> set[ir.Value]:
    """What ``op`` uses, nested operations included."""
    found = set(op.operands)
    for region in op.regions:
        for block in region:
            for inner in block:
                found |= _uses(inner.operation)
    return found
