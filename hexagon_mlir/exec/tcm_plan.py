"""The TCM plan of a model's kernels, and which call starts the first tile of which later one. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.targets import Target, get
from hexagon_mlir.targets.dma import Engine

WHOLE = -1
"""Arena of a kernel that allocates for itself."""


@dataclass(frozen=True)
class Need:
    """The TCM that one call needs; ``arena_bytes`` may be `WHOLE`.

    ``tile_cycles`` is the time of its tile's transfer, ``spare_cycles`` a lower bound of its work that can overlap with
    the transfer of another call's tile.
    """

    arena_bytes: int
    tile_bytes: int = 0
    tile_cycles: float = 0.0
    spare_cycles: float = 0.0


@dataclass(frozen=True)
class Place:
    """Offsets in TCM of a call's arena and tile. ``starts`` is the step whose tile it starts, or None.

    ``ahead``: an earlier call starts this call's tile.
    """

    arena: int = 0
    tile: int = 0
    starts: int | None = None
    ahead: bool = False


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
    calls = [Need(WHOLE) if memory is None else
             Need(memory.arena_bytes, memory.tile_bytes,
                  engine.start + engine.busy(memory.tile.nbytes) if memory.tile else 0.0, memory.spare_cycles)
             for memory in memories]
    return plan_tcm(calls, target.tcm_budget_bytes, alignment_of(target))


def alignment_of(target: Target) -> int:
    """Bytes that the memory of each call is aligned to: tiles of the matrix engine may begin there."""
    return int(target.tcm_alignment.value)


def plan_tcm(calls: Sequence[Need], tcm_bytes: int, alignment: int) -> TcmPlan:
    """A place for the memory of each call in ``tcm_bytes``, whose last ``alignment`` bytes stay free.

    A tile is started by the last earlier call that works as long after its own last fetch as the transfer takes, if it
    is the last one that has a tile too or comes after that, and the tile fits from then on. At most two tiles are live
    at once, the call's own and one in flight: they are placed at the two ends alternately, arenas between them.
    """
    sizes = [(_up(need.arena_bytes, alignment), _up(need.tile_bytes, alignment)) for need in calls]
    starters = _starters(calls, sizes, tcm_bytes - alignment)
    used = [max(arena, 0) + tile for arena, tile in sizes]
    for step, first in starters.items():
        for between in range(first, step):
            used[between] += sizes[step][1]
    size = max(used, default=0)
    places: list[Place] = []
    at_end = False
    for step, (_, tile) in enumerate(sizes):
        if not tile:
            places.append(Place())
            continue
        at_end = not at_end
        starter = starters.get(step)
        if starter is not None:
            places[starter] = replace(places[starter], starts=step)
            for between in range(starter, 0 if at_end else step):
                places[between] = replace(places[between], arena=max(places[between].arena, tile))
        places.append(Place(0 if at_end else tile, size - tile if at_end else 0, ahead=starter is not None))
    return TcmPlan(tuple(places), size + alignment if size else 0)


def _starters(calls: Sequence[Need], sizes: Sequence[tuple[int, int]], room: int) -> dict[int, int]:
    """Call whose tile is started early -> the call that starts it."""
    found: dict[int, int] = {}
    begin = 0
    for step, (need, (_, tile)) in enumerate(zip(calls, sizes, strict=True)):
        if not tile:
            continue
        for first in reversed(range(begin, step)):
            arena, own = sizes[first]
            if arena == WHOLE or arena + own + tile > room:
                break
            if calls[first].spare_cycles >= need.tile_cycles:
                found[step] = first
                break
        begin = step
    return found


def _up(size: int, alignment: int) -> int:
    return size if size == WHOLE else -(-size // alignment) * alignment
