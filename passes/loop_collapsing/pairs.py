"""Which neighbouring loops of linalg ops become one: a decision over plain records of the ops and their tensors.

A pair of loops, and a pair of dimensions of a tensor, is collapsed together with all that it is tied to: the pairs of
dimensions that the loops of an op run through, in all of its operands, and the loops of all ops that use a tensor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Pair = tuple[str, int, int, int]
"""Of loops, "op", its number, and the two loops; or of dimensions, "tensor", its number, and the two positions."""


@dataclass(frozen=True)
class Nest:
    """The loops of one op: ``tensors[i]`` is the number of operand i, None for a scalar, and ``dims[i]`` are the loops
    that index its dimensions."""

    tensors: tuple[int | None, ...]
    dims: tuple[tuple[int, ...], ...]
    parallel: tuple[bool, ...]

    def is_whole(self, a: int, b: int) -> bool:
        """Whether loops ``a`` and ``b`` are of one kind, and every operand has both, side by side, or neither."""
        return self.parallel[a] == self.parallel[b] and all(
            (a not in loops and b not in loops) or (a, b) in pairwise(loops) for loops in self.dims)


def collapsed_pairs(nests: Sequence[Nest], fixed: Iterable[int],
                    pays: Callable[[int, int, bool], bool]) -> set[Pair]:
    """The pairs that are collapsed.

    Tensors that are ``fixed`` keep their shapes. ``pays`` tells whether it pays for a tensor to collapse a dimension,
    the first of a pair, with the next one; whether the next one is collapsed with its own next one is given, too.
    """
    ties: dict[Pair, set[Pair]] = defaultdict(set)
    refused: set[Pair] = set()
    kept = set(fixed)
    for number, nest in enumerate(nests):
        for tensor, loops in zip(nest.tensors, nest.dims, strict=True):
            for at, (a, b) in enumerate(pairwise(loops)):
                assert tensor is not None
                of_op, of_tensor = ("op", number, a, b), ("tensor", tensor, at, at + 1)
                ties[of_op].add(of_tensor)
                ties[of_tensor].add(of_op)
                if not nest.is_whole(a, b):
                    refused.add(of_op)
                if tensor in kept:
                    refused.add(of_tensor)
    found: set[Pair] = set()
    groups = [group for group in _tied(ties) if not group & refused]
    while True:
        new = [group for group in groups if not group & found and all(
            pays(number, at, ("tensor", number, at + 1, at + 2) in found)
            for kind, number, at, _ in group if kind == "tensor")]
        if not new:
            return found
        found = found.union(*new)


def _tied(ties: Mapping[Pair, set[Pair]]) -> Iterator[set[Pair]]:
    """The pairs in groups that are tied together, directly or by others."""
    seen: set[Pair] = set()
    for first in ties:
        if first in seen:
            continue
        group, todo = {first}, [first]
        while todo:
            new = ties[todo.pop()] - group
            group |= new
            todo += new
        seen |= group
        yield group


def groups_of(count: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The numbers below ``count`` in groups, those of a pair together, in the order of the first of each.

    >>> groups_of(4, [(1, 2)])
    [[0], [1, 2], [3]]
    """
    after = dict(pairs)
    found = []
    for first in range(count):
        if first in after.values():
            continue
        group = [first]
        while group[-1] in after:
            group.append(after[group[-1]])
        found.append(group)
    return found
