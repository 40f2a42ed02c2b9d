"""Which activations of a model stay in TCM from the kernel that makes them to those that read them. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain
from math import prod
from typing import TypeAlias

from hexagon_mlir.codegen.memory_plan import Interval, lifetimes, plan, round_up
from hexagon_mlir.codegen.model_calls import Buffer, Call
from hexagon_mlir.dialects.activation_tiles import is_tiled
from hexagon_mlir.dialects.kernel_memory import padded_elements
from hexagon_mlir.targets import Target

Port: TypeAlias = tuple[int, int]
"""A kernel, and the number of an argument of it; results are numbered after the arguments."""


@dataclass(frozen=True)
class Activations:
    """The buffers that stay in TCM, at its end: ``from_end`` has, by number, the bytes from the start of each to the
    end of all of them. ``taken`` are the bytes there that no call may use for anything else, of each call; none where
    it is empty."""

    from_end: dict[int, int] = field(default_factory=dict)
    taken: tuple[int, ...] = ()

    def taken_from(self, kernel: int, calls: Sequence[Call]) -> int:
        """The most that is taken in a call of ``kernel``."""
        taken = zip(self.taken or (0,) * len(calls), calls, strict=True)
        return max((nbytes for nbytes, call in taken if call.kernel == kernel), default=0)


def ports(call: Call) -> list[tuple[Port, int]]:
    """The ports of the kernel of ``call``, each with the buffer that is there."""
    return [((call.kernel, place), number) for place, number in enumerate((*call.arguments, *call.results))]


def choose_activations(calls: Sequence[Call], buffers: Sequence[Buffer], outputs: Sequence[int],
                       refused: Collection[Port], room: Sequence[int], chip: Target) -> Activations:
    """The buffers that stay in TCM, where there are ``room`` bytes for them in each call.

    A kernel is compiled once for all its calls: what is at one port is in TCM in all of them or in none. So buffers
    that share ports are chosen together, first those that save most transfers for each step in which they take
    memory. In DDR are arguments and results of the model, buffers that are changed in place, those that one call gets
    twice (it may write their padding), those whose rows are shorter than a vector (DMA copies them faster than HVX),
    and those at a ``refused`` port.
    """
    alignment, vector = int(chip.tcm_alignment.value), int(chip.vector_bytes.value)
    lives = padded_lifetimes(calls, buffers, outputs)
    uses = [0] * len(buffers)
    for call in calls:
        for number in {*call.arguments, *call.results}:
            uses[number] += 1
    left = list(room)
    chosen: list[list[int]] = []
    groups = _groups(calls, buffers, outputs, refused, vector)
    for group in sorted(groups, key=lambda group: _rank(group, lives, uses)):
        needed = _needed([lives[number] for number in group], len(calls), alignment)
        if all(size <= free for size, free in zip(needed, left, strict=True)):
            left = [free - size for size, free in zip(needed, left, strict=True)]
            chosen.append(group)
    while True:
        found = plan_activations([*chain(*chosen)], lives, len(calls), alignment)
        if all(taken <= free for taken, free in zip(found.taken, room, strict=True)):
            return found
        chosen.pop()  # they leave gaps


def plan_activations(numbers: Collection[int], lives: dict[int, Interval], steps: int, alignment: int) -> Activations:
    """Places of the buffers ``numbers`` with ``lives``, in ``steps`` calls."""
    intervals = [lives[number] for number in sorted(numbers)]
    offsets = plan(intervals, alignment).offsets
    ends = [offset + round_up(interval.nbytes, alignment) for offset, interval in zip(offsets, intervals, strict=True)]
    taken = [0] * steps
    for interval, end in zip(intervals, ends, strict=True):
        for step in range(interval.begin, interval.end + 1):
            taken[step] = max(taken[step], end)
    return Activations(dict(zip(sorted(numbers), ends, strict=True)), tuple(taken))


def padded_bytes(buffer: Buffer) -> int:
    """Bytes that ``buffer`` takes in TCM, with the padding after it."""
    return buffer.nbytes // prod(buffer.shape) * padded_elements(buffer.shape) if buffer.nbytes else 0


def padded_lifetimes(calls: Sequence[Call], buffers: Sequence[Buffer], outputs: Sequence[int]) -> dict[int, Interval]:
    """`lifetimes` of buffers with the bytes that they take in TCM."""
    return {number: replace(interval, nbytes=padded_bytes(buffers[number]))
            for number, interval in lifetimes(calls, buffers, outputs).items()}


def _row_bytes(buffer: Buffer) -> int:
    """Bytes of all elements along the last dimension of ``buffer``, which has some, or of a tile."""
    return buffer.nbytes // prod(buffer.shape[:2] if is_tiled(buffer.shape) else buffer.shape[:-1])


def _rank(group: Sequence[int], lives: dict[int, Interval], uses: Sequence[int]) -> tuple[float, int]:
    """The order of choice: most transferred bytes for the bytes of a step first, then the larger ones."""
    moved = sum(lives[number].nbytes * uses[number] for number in group)
    held = sum(lives[number].nbytes * (lives[number].end - lives[number].begin + 1) for number in group)
    return -moved / max(held, 1), -moved


def _needed(lives: Sequence[Interval], steps: int, alignment: int) -> list[int]:
    """Bytes of ``lives`` in each step."""
    changes = [0] * (steps + 1)
    for one in lives:
        changes[one.begin] += round_up(one.nbytes, alignment)
        changes[one.end + 1] -= round_up(one.nbytes, alignment)
    return [*accumulate(changes)][:steps]


def _groups(calls: Sequence[Call], buffers: Sequence[Buffer], outputs: Sequence[int],
            refused: Collection[Port], vector: int) -> list[list[int]]:
    """The buffers that may be in TCM, those together that share ports."""
    parent = list(range(len(buffers)))

    def find(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    first: dict[Port, int] = {}
    unfit = {number for number, buffer in enumerate(buffers)
             if buffer.argument is not None or not buffer.nbytes or _row_bytes(buffer) < vector}
    unfit |= {*outputs}
    for call in calls:
        unfit |= {*call.arguments} & {*call.results}
        unfit |= {number for number in call.arguments if call.arguments.count(number) > 1}
        for port, number in ports(call):
            parent[find(number)] = find(first.setdefault(port, number))
            if port in refused:
                unfit.add(number)
    roots = {find(number) for number in unfit}
    groups: dict[int, list[int]] = {}
    for number in sorted({number for call in calls for number in call.results}):
        if find(number) not in roots:
            groups.setdefault(find(number), []).append(number)
    return [*groups.values()]
