"""Tile sizes that fit a budget: pure functions over loop extents and operand footprints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod


@dataclass(frozen=True)
class Footprint:
    """Bytes of one operand as a function of the tile: element size times the tile sizes of ``loops``."""

    loops: tuple[int, ...]
    element_bytes: int

    def bytes(self, tile: Sequence[int], alignment: int) -> int:
        """Bytes the operand's tile takes, rounded up to whole ``alignment`` units."""
        size = self.element_bytes * prod(tile[loop] for loop in self.loops)
        return -(-size // alignment) * alignment


def working_set(tile: Sequence[int], operands: Sequence[Footprint], alignment: int) -> int:
    """Bytes all operands of one tile take together."""
    return sum(operand.bytes(tile, alignment) for operand in operands)


def choose_tile(extents: Sequence[int], parallel: Sequence[bool], operands: Sequence[Footprint], budget: int,
                lanes: int, alignment: int) -> list[int] | None:
    """Sizes of a tile whose working set fits ``budget`` bytes, or None when even the smallest does not.

    Outer parallel loops are cut first, so that inner, contiguous runs stay long. The last parallel loop is cut
    to multiples of ``lanes``. Reductions are never cut: their operands stay whole.
    """
    tile = list(extents)
    candidates = [loop for loop, is_parallel in enumerate(parallel) if is_parallel]
    for loop in candidates:
        if working_set(tile, operands, alignment) <= budget:
            break
        unit = lanes if loop == candidates[-1] else 1
        tile[loop] = _largest(tile, loop, unit, operands, budget, alignment)
    return tile if working_set(tile, operands, alignment) <= budget else None


def _largest(tile: list[int], loop: int, unit: int, operands: Sequence[Footprint], budget: int, alignment: int) -> int:
    """The largest multiple of ``unit`` for ``loop`` that fits, ``unit`` (or the whole extent) when none does."""
    low, high = 1, max(tile[loop] // unit, 1)
    while low < high:
        middle = (low + high + 1) // 2
        trial = [*tile[:loop], middle * unit, *tile[loop + 1:]]
        if working_set(trial, operands, alignment) <= budget:
            low = middle
        else:
            high = middle - 1
    count = -(-tile[loop] // (low * unit))  # tiles needed: spread the loop evenly over them
    even = -(-tile[loop] // count)
    return min(-(-even // unit) * unit, tile[loop])
