"""Which strided footprints of one array are worth a transfer of everything between their first and last element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

_SLACK = 1.25  # masks leave parts of footprints out


@dataclass(frozen=True)
class Footprint:
    """``sizes`` elements of an array along dimensions ``strides`` elements apart, from element ``first`` on."""

    first: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def last(self) -> int:
        """The last element; strides are not negative."""
        return self.first + sum((size - 1) * stride for size, stride in zip(self.sizes, self.strides, strict=True))

    @property
    def count(self) -> int:
        """Elements in the footprint."""
        return prod(self.sizes)


def shared_spans(footprints: Sequence[Footprint]) -> list[list[int]]:
    """Groups of ``footprints``, as positions, to be read from one transfer each.

    The spans of a group's footprints overlap, at least one is strided, and the union of the spans has about as many
    elements as the footprints read together: one footprint of every second element does not justify reading all.
    """
    groups: list[list[int]] = []
    end = -1
    for number in sorted(range(len(footprints)), key=lambda n: footprints[n].first):
        if groups and footprints[number].first <= end:
            groups[-1].append(number)
        else:
            groups.append([number])
        end = max(footprints[n].last for n in groups[-1])
    return [sorted(group) for group in groups if len(group) > 1 and _pays([footprints[n] for n in group])]


def is_dense(footprint: Footprint, length: int) -> bool:
    """True for contiguous rows of fewer than ``length`` elements: one transfer reads them best."""
    return (len(footprint.sizes) > 1 and footprint.strides[-1] == 1 and footprint.sizes[-1] < length
            and footprint.last - footprint.first + 1 == footprint.count)


def _pays(group: Sequence[Footprint]) -> bool:
    if all(w.strides[-1:] in ((), (1,)) for w in group):
        return False
    span = max(w.last for w in group) - min(w.first for w in group) + 1
    return span <= _SLACK * sum(w.count for w in set(group))
