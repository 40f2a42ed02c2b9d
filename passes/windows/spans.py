"""Which strided windows of one array are worth a transfer of everything between their first and last element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

_SLACK = 1.25  # masks leave parts of windows out


@dataclass(frozen=True)
class Window:
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
        """Elements in the window."""
        return prod(self.sizes)


def shared_spans(windows: Sequence[Window]) -> list[list[int]]:
    """Groups of ``windows``, as positions, to be read from one transfer each.

    The spans of the windows of a group meet, elements of one are apart, and from the first to the last of the group
    there are about as many as its windows read together: every second element alone is not worth all of them.
    """
    groups: list[list[int]] = []
    end = -1
    for number in sorted(range(len(windows)), key=lambda n: windows[n].first):
        if groups and windows[number].first <= end:
            groups[-1].append(number)
        else:
            groups.append([number])
        end = max(windows[n].last for n in groups[-1])
    return [sorted(group) for group in groups if len(group) > 1 and _pays([windows[n] for n in group])]


def is_dense(window: Window, length: int) -> bool:
    """True for rows of fewer than ``length`` elements with nothing between them: they come best as one."""
    return (len(window.sizes) > 1 and window.strides[-1] == 1 and window.sizes[-1] < length
            and window.last - window.first + 1 == window.count)


def _pays(group: Sequence[Window]) -> bool:
    if all(w.strides[-1:] in ((), (1,)) for w in group):
        return False
    span = max(w.last for w in group) - min(w.first for w in group) + 1
    return span <= _SLACK * sum(w.count for w in set(group))
