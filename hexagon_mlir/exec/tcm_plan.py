"""The TCM plan of a model's kernels, and which call starts the first tiles of which later one. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.dialects.kernel_memory import KernelMemory
from hexagon_mlir.targets import Target, get
from hexagon_mlir.targets.dma import Engine

WHOLE = -1
"""Arena of a kernel that allocates for itself."""
_WITHIN = 0.5
"""Part of a transfer that the call which starts it overlaps with: the rest delays activations of a kernel that would
wait for this tile as well."""


@dataclass(frozen=True)
class TileNeed:
    """The memory of one tile, and the time of its transfer in cycles."""

    nbytes: int
    cycles: float


@dataclass(frozen=True)
class Need:
    """The TCM that one call needs; ``arena_bytes`` may be `WHOLE`.

    ``spare_cycles`` is a lower bound of its work that can overlap with the transfers of another call's tiles. The call
    moves nothing else to TCM before its first ``leading`` tiles.
    """

    arena_bytes: int
    tiles: tuple[TileNeed, ...] = ()
    spare_cycles: float = 0.0
    leading: int = 0


@dataclass(frozen=True)
class Start:
    """Tiles that a call starts: ``count`` of those of call ``step``, from number ``first`` on."""

    step: int
    first: int
    count: int

    @property
    def tiles(self) -> range:
        """Their numbers."""
        return range(self.first, self.first + self.count)


@dataclass(frozen=True)
class Place:
    """Offsets in TCM of a call's arena and tiles; earlier calls start ``ahead`` of these tiles, the first ones.

    ``starts`` says which tiles of a later call it starts.
    """

    arena: int = 0
    tiles: tuple[int, ...] = ()
    starts: Start | None = None
    ahead: int = 0


@dataclass(frozen=True)
class TcmPlan:
    """A place for each call, within ``nbytes``."""

    places: tuple[Place, ...]
    nbytes: int


def plan_schedule(schedule: ModelSchedule) -> TcmPlan:
    """The plan of ``schedule`` for its target's TCM."""
    target = get(schedule.target)
    engine = Engine.of(target)
    memories = (schedule.kernels[call.kernel].memory for call in schedule.calls)
    return plan_tcm([_need(memory, engine) for memory in memories], target.tcm_budget_bytes, alignment_of(target))


def _need(memory: KernelMemory | None, engine: Engine) -> Need:
    """What a kernel with ``memory`` needs. The transfers of its tiles follow each other: one start is on their way."""
    if memory is None:
        return Need(WHOLE)
    tiles = tuple(TileNeed(tile.slot_bytes, engine.busy(tile.nbytes) + (0 if number else engine.start))
                  for number, tile in enumerate(memory.tiles))
    return Need(memory.arena_bytes, tiles, memory.spare_cycles, memory.leading)


def alignment_of(target: Target) -> int:
    """Bytes that the memory of each call is aligned to: tiles of the matrix engine may begin there."""
    return int(target.tcm_alignment.value)


def plan_tcm(calls: Sequence[Need], tcm_bytes: int, alignment: int) -> TcmPlan:
    """A place for the memory of each call in ``tcm_bytes``, whose last ``alignment`` bytes stay free.

    The tiles of a call are started, in their order and as early as possible, by the last call before it that has tiles,
    or by one between the two: as many as there is room for, and time, for the last one half of it. Leading tiles need
    no time where no call in between has TCM: they delay nothing that would come before them otherwise. So tiles of at
    most two calls are live at once: they are placed at the two ends of the TCM alternately, arenas between them.
    """
    sizes = [(_up(need.arena_bytes, alignment), [_up(tile.nbytes, alignment) for tile in need.tiles]) for need in calls]
    used = [max(arena, 0) + sum(tiles) for arena, tiles in sizes]
    starts = _starts(calls, sizes, used, tcm_bytes - alignment)
    size = max(used, default=0)
    places = [Place(starts=starts.get(step)) for step in range(len(calls))]
    ahead = dict.fromkeys(range(len(calls)), 0)
    for start in starts.values():
        ahead[start.step] += start.count
    low = [0] * len(calls)
    at_end = False
    for step, (_, tiles) in enumerate(sizes):
        if not tiles:
            continue
        at_end = not at_end
        edges = [sum(tiles[:number]) for number in range(len(tiles) + 1)]
        offsets = [size - edge for edge in edges[1:]] if at_end else edges[:-1]
        places[step] = replace(places[step], tiles=tuple(offsets), ahead=ahead[step])
        if not at_end:
            low[step] = edges[-1]
            for first, start in starts.items():
                if start.step == step:
                    for between in range(first, step):
                        low[between] = max(low[between], edges[start.first + start.count])
    return TcmPlan(tuple(replace(place, arena=at) for place, at in zip(places, low, strict=True)),
                   size + alignment if size else 0)


def _starts(calls: Sequence[Need], sizes: Sequence[tuple[int, Sequence[int]]], used: list[int],
            room: int) -> dict[int, Start]:
    """The calls that start tiles, and which; adds the tiles' bytes to those ``used`` of each call on the way."""
    found: dict[int, Start] = {}
    begin = 0
    for step, (need, (_, tiles)) in enumerate(zip(calls, sizes, strict=True)):
        if not tiles:
            continue
        number = 0
        for first in range(begin, step):
            between = range(first, step)
            left, start = calls[first].spare_cycles, number
            next_to_move = all(not arena for arena, _ in sizes[first + 1:step])
            while (number < len(tiles)
                   and (need.tiles[number].cycles * _WITHIN <= left
                        or (left and next_to_move and number < need.leading))
                   and all(sizes[at][0] != WHOLE and used[at] + tiles[number] <= room for at in between)):
                left = max(left - need.tiles[number].cycles, min(left, 1.0))
                for at in between:
                    used[at] += tiles[number]
                number += 1
            if number > start:
                found[first] = Start(step, start, number - start)
        begin = step
    return found


def _up(size: int, alignment: int) -> int:
    return size if size == WHOLE else -(-size // alignment) * alignment
