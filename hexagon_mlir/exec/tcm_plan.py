"""The TCM plan of a model's kernels, and which call starts the first tiles of which later one. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hexagon_mlir.codegen.memory_plan import round_up
from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.codegen.tcm_activations import Activations, padded_lifetimes, plan_activations
from hexagon_mlir.dialects.kernel_memory import KernelMemory
from hexagon_mlir.targets import Target, get
from hexagon_mlir.targets.dma import Engine

WHOLE = -1
"""Arena of a kernel that allocates for itself."""
_WITHIN = 0.5
"""Part of a transfer that the call which starts it overlaps with: the rest delays activations of a kernel that would
wait for this tile as well."""
_WITHIN_LATER = 0.75
"""The same of a tile for which the next kernel with TCM does not wait: spare cycles are a lower bound."""


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
    """Offsets in TCM of a call's tiles; earlier calls start ``ahead`` of these tiles, the first ones. Its arena is at
    the beginning of the TCM.

    ``starts`` says which tiles of later calls it starts: in their order, those of one call after all of those before.
    """

    tiles: tuple[int, ...] = ()
    starts: tuple[Start, ...] = ()
    ahead: int = 0


@dataclass(frozen=True)
class TcmPlan:
    """A place for each call, within ``nbytes``, and the offsets of activations, by the numbers of their buffers."""

    places: tuple[Place, ...]
    nbytes: int
    activations: Mapping[int, int] = field(default_factory=dict)


def plan_schedule(schedule: ModelSchedule) -> TcmPlan:
    """The plan of ``schedule`` for its target's TCM."""
    target = get(schedule.target)
    engine = Engine.of(target)
    alignment = alignment_of(target)
    memories = (schedule.kernels[call.kernel].memory for call in schedule.calls)
    lives = padded_lifetimes(schedule.calls, schedule.buffers, schedule.outputs)
    numbers = [number for number, buffer in enumerate(schedule.buffers) if buffer.in_tcm]
    kept = plan_activations(numbers, lives, len(schedule.calls), alignment)
    return plan_tcm([_need(memory, engine) for memory in memories], target.tcm_budget_bytes, alignment, kept)


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


def plan_tcm(calls: Sequence[Need], tcm_bytes: int, alignment: int, kept: Activations | None = None) -> TcmPlan:
    """A place for the memory of each call in ``tcm_bytes``, whose last ``alignment`` bytes stay free, as do those that
    activations take before them.

    Each call starts as many of the tiles that no earlier one has started, in the order of the calls that need them, as
    there is room for, and time: for half of a tile where the next call with TCM waits for it, for more elsewhere.
    Leading tiles need no time where no call in between has TCM: they delay nothing that would come before them
    otherwise. The arena of a call, and after it the tiles that it starts itself, are at the beginning of the TCM. A
    tile that comes ahead is in the highest gap, above what each call from its start to its use has there.
    """
    kept = kept or Activations({}, (0,) * len(calls))
    plan = _Plan(calls, tcm_bytes - alignment, alignment, kept)
    order = [(step, number) for step, need in enumerate(calls) for number in range(len(need.tiles))]
    at = 0
    for first, call in enumerate(calls):
        left = call.spare_cycles
        while at < len(order) and order[at][0] <= first:
            at += 1
        while left and at < len(order) and plan.start(first, *order[at], left):
            step, number = order[at]
            left = max(left - calls[step].tiles[number].cycles, min(left, 1.0))
            at += 1
    return plan.places()


class _Plan:
    """The plan so far, of ``calls`` in ``room`` bytes, whose end activations take: the tiles that come ahead, by call
    and number."""

    def __init__(self, calls: Sequence[Need], room: int, alignment: int, kept: Activations):
        self.calls, self.room, self.alignment, self.kept = calls, room, alignment, kept
        self.ahead: dict[tuple[int, int], tuple[int, int]] = {}  # the call that starts it, and its offset
        self.own = [  # bytes at the beginning of the TCM
            room + 1 if need.arena_bytes == WHOLE else
            sum(round_up(nbytes, alignment) for nbytes in (need.arena_bytes, *(tile.nbytes for tile in need.tiles)))
            for need in calls]
        self._live: list[tuple[int, int, int]] = []  # of tiles that come ahead: offset, end, the call that needs it

    def start(self, first: int, step: int, number: int, left: float) -> bool:
        """Let call ``first``, which has ``left`` cycles to spare, start tile ``number`` of call ``step``, if it can."""
        tile = self.calls[step].tiles[number]
        is_next = all(not need.arena_bytes for need in self.calls[first + 1:step])
        needed = tile.cycles * (_WITHIN if is_next else _WITHIN_LATER)
        if needed > left and not (is_next and number < self.calls[step].leading):
            return False
        size = round_up(tile.nbytes, self.alignment)
        offset = self._gap(first, size, self.room - max(self.kept.taken[first:step + 1]))
        if offset < max(*self.own[first:step], self.own[step] - size):
            return False
        self.ahead[step, number] = first, offset
        self.own[step] -= size
        self._live.append((offset, offset + size, step))
        return True

    def _gap(self, first: int, size: int, top: int) -> int:
        """The highest offset of ``size`` bytes below ``top`` that nothing takes which comes ahead for calls from
        ``first`` on."""
        self._live = sorted(span for span in self._live if span[2] >= first)
        for begin, end, _ in reversed(self._live):
            if top - end >= size:
                break
            top = min(top, begin)
        return top - size

    def places(self) -> TcmPlan:
        """The plan of all calls. What comes ahead, and activations, move down by what is free in all calls."""
        floors = {key: max(*self.own[first:key[0]], self.own[key[0]]) for key, (first, _) in self.ahead.items()}
        spaces = [self.ahead[key][1] - floor for key, floor in floors.items()]
        spaces += [self.room - own - taken for own, taken in zip(self.own, self.kept.taken, strict=True)
                   if own <= self.room]
        free = min(spaces, default=self.room)
        end = self.room - free
        starts: list[dict[int, list[int]]] = [{} for _ in self.calls]
        for (step, number), (first, _) in self.ahead.items():
            starts[first].setdefault(step, []).append(number)
        places = []
        for step, need in enumerate(self.calls):
            tiles, own = [], round_up(max(need.arena_bytes, 0), self.alignment)
            for number, tile in enumerate(need.tiles):
                came = self.ahead.get((step, number))
                tiles.append(own if came is None else came[1] - free)
                own += round_up(tile.nbytes, self.alignment) if came is None else 0
            begun = tuple(Start(later, min(numbers), len(numbers)) for later, numbers in starts[step].items())
            ahead = sum((step, number) in self.ahead for number in range(len(tiles)))
            places.append(Place(tuple(tiles), begun, ahead))
        return TcmPlan(tuple(places), end + self.alignment if end else 0,
                       {number: end - above for number, above in self.kept.from_end.items()})
