"""Tile sizes that fit a budget and overlap well: pure functions over loop extents and operand footprints."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from math import gcd, prod

from hexagon_mlir.ir.windows import Window
from hexagon_mlir.passes.lib.fetch_choice import fetch_cycles
from hexagon_mlir.targets.dma import Engine

_MOST_TILES = 64  # more tiles never pay: only one tile's transfer is left exposed
_TRANSFER_CYCLES = 60  # core cycles around one transfer: start, wait, addresses
_OP_CYCLES = 100  # entering and leaving the vector loop of one op
_WIDE = 4  # vectors of a row that share the loads of a product's other factor
_PAIR = 2  # vectors of a row that a block of several rows has at least
_NARROW = 0.97  # penalty: products of narrow columns are slower, and short rows slower to transfer
_EXPOSED = 1.025
"""Penalty: nothing hides the transfers of a single tile. Measured (GELU, SiLU, softmax): estimates err so much.
Of sums, which store next to nothing, the time on each tile is estimated too low instead."""
_SETS = 4
"""Of buffers that weights have whose first tiles earlier kernels fetch."""
_RAGGED = 1.03  # tiles of unequal size: bounds known at run time only


class Role(Enum):
    """What happens to an operand's tile."""

    KEEP = "stays in TCM"
    FETCH = "comes from DDR"
    STORE = "goes to DDR"


@dataclass(frozen=True)
class Footprint:
    """Bytes of one operand as a function of the tile: element size times tile sizes of ``loops`` and ``windows``."""

    loops: tuple[int, ...]
    element_bytes: int
    role: Role = Role.KEEP
    windows: tuple[Window, ...] = ()
    """Dimensions in which adjacent tiles overlap: the image of a convolution."""

    def bytes(self, tile: Sequence[int], alignment: int) -> int:
        """Bytes the operand's tile takes, rounded up to whole ``alignment`` units."""
        size = self.element_bytes * prod(tile[loop] for loop in self.loops) * prod(
            window.size(tile[window.loop]) for window in self.windows)
        return -(-size // alignment) * alignment

    def moves(self, tile: Sequence[int], extents: Sequence[int]) -> bool:
        """True when every tile has a transfer of its own."""
        loops = (*self.loops, *(window.loop for window in self.windows))
        return self.role is not Role.KEEP and any(tile[loop] < extents[loop] for loop in loops)


def working_set(tile: Sequence[int], operands: Sequence[Footprint], alignment: int,
                extents: Sequence[int] | None = None) -> int:
    """Total bytes of the operands of one tile; those with a transfer per tile count twice."""
    return sum(operand.bytes(tile, alignment) * (1 + operand.moves(tile, extents or tile)) for operand in operands)


def choose_tile(extents: Sequence[int], cuttable: Sequence[bool], operands: Sequence[Footprint], budget: int,
                lanes: int, alignment: int, transposed: Collection[int] = ()) -> list[int] | None:
    """Sizes of the largest tile whose working set fits ``budget`` bytes, or None when even the smallest does not.

    Outer loops are tiled first, so that inner, contiguous runs stay long, unless tiling another loop moves less data:
    tiling the rows of a product does not make its weights fit. Each contiguous run of
    elements counts as ``alignment`` bytes more. The last loop that may be tiled gets multiples of ``lanes``, as do
    ``transposed`` loops.
    """
    candidates = [loop for loop, may_be in enumerate(cuttable) if may_be]
    found = []
    for first in candidates or [-1]:
        tile = list(extents)
        for loop in sorted(candidates, key=lambda loop: loop != first):
            if working_set(tile, operands, alignment, extents) <= budget:
                break
            unit = lanes if loop == candidates[-1] or loop in transposed else 1
            tile[loop] = _largest(tile, loop, unit, operands, budget, alignment, extents)
        if working_set(tile, operands, alignment, extents) <= budget:
            found.append(tile)
    return min(found, default=None, key=lambda tile: (
        _moved(tile, operands, extents) + alignment * _runs(tile, operands, extents)))


def transposed_loops(operands: Sequence[Sequence[int]], count: int) -> frozenset[int]:
    """The loops, other than the last of ``count``, along which elements of an operand follow each other that has the
    last one, too: blocks of whole vectors are transposed. ``operands`` are the loops of the dimensions of each.
    """
    return frozenset(loops[-1] for loops in operands if count - 1 in loops[:-1])


def _moved(tile: Sequence[int], operands: Sequence[Footprint], extents: Sequence[int]) -> int:
    """Bytes moved from and to DDR in all tiles."""
    counts = [-(-e // t) for e, t in zip(extents, tile, strict=True)]
    moved = 0
    for operand in operands:
        if not operand.moves(tile, extents):
            moved += operand.bytes(tile, 1) * (operand.role is not Role.KEEP)
            continue
        others = set(range(len(extents))) - set(operand.loops)
        moved += operand.element_bytes * prod(extents[loop] for loop in operand.loops) * prod(
            counts[loop] for loop in others) * prod(window.size(tile[window.loop]) for window in operand.windows)
    return moved


def _runs(tile: Sequence[int], operands: Sequence[Footprint], extents: Sequence[int]) -> int:
    """Contiguous runs of elements that are moved from and to DDR in all tiles, without windows."""
    count = prod(-(-e // t) for e, t in zip(extents, tile, strict=True))
    runs = 0
    for operand in operands:
        if operand.role is not Role.KEEP:
            outer = list(operand.loops)
            while outer and tile[outer[-1]] == extents[outer[-1]]:
                outer.pop()
            runs += prod(tile[loop] for loop in outer[:-1]) * (count if operand.moves(tile, extents) else 1)
    return runs


def overlapping_tile(extents: Sequence[int], tile: Sequence[int], cuttable: Sequence[bool],
                     operands: Sequence[Footprint], lanes: int, engine: Engine, work: float, ops: int,
                     spread: Callable[[float], float] = float, tasks: int = 1,
                     transposed: Collection[int] = (), cached: int = 0, together: int = 1) -> list[int]:
    """``tile``, which fits, or smaller tiles that hide more of the transfers behind ``work`` (cycles of all tiles).

    ``spread`` gives the cycles that ``tasks`` threads take for a tile from those that one takes.
    One loop is tiled further, the outermost that is not cut into single steps or one that is tiled already: tiles stay
    contiguous. A product that fits as a whole may be cut into columns instead, the only way to cut its weights; columns
    are wide enough for each of ``tasks`` to have enough accumulators. ``transposed`` loops get multiples of ``lanes``.
    For ``cached`` see `predicted_cycles`. Threads share whole sets of ``together`` steps of the first loop.
    """
    candidates = [loop for loop, may_be in enumerate(cuttable) if may_be]
    longer = [loop for loop in candidates if tile[loop] > 1]
    tiles = [list(tile)]
    of_first = lanes if all(cuttable) else lanes * tasks  # tasks share a row of sums in whole vectors
    for loop in longer[:1] + [loop for loop in longer[1:] if tile[loop] < extents[loop]]:
        unit = 1 if loop != candidates[-1] else of_first if loop == longer[0] else lanes * _WIDE
        unit = max(unit, lanes) if loop in transposed else unit
        sizes = {_even(tile[loop], unit, count) for count in range(2, _MOST_TILES + 1)}
        sizes |= {_even(extents[loop], unit, count) for count in range(2, _MOST_TILES + 1)}
        if loop == 0 and together > 1:
            sizes |= {_even(extents[loop], together * tasks, count) for count in range(2, _MOST_TILES + 1)}
        tiles += [[*tile[:loop], size, *tile[loop + 1:]] for size in sorted(sizes, reverse=True)
                  if size < tile[loop] and (extents[loop] % size == 0 or 2 * size < extents[loop])]  # two make a loop

    def cycles(tile: Sequence[int]) -> float:
        share = longest_share(tile[0], together, tasks) if tile[0] < extents[0] else 1.0
        return predicted_cycles(extents, tile, operands, engine, work * share, ops, spread, cached)

    stores = any(operand.role is Role.STORE and operand.loops for operand in operands)
    best = min(tiles, key=lambda tile: cycles(tile) * (_EXPOSED if stores and tile == list(extents) else 1))
    if list(tile) != list(extents) or longer[-1:] == longer[:1] or longer[-1] != candidates[-1]:
        return best
    columns = [[*tile[:longer[-1]], size, *tile[longer[-1] + 1:]]
               for size in _columns(tile[longer[-1]], prod(tile[loop] for loop in longer[:-1]), lanes, tasks)]
    narrow = min(columns, key=cycles, default=best)
    return narrow if cycles(narrow) < _NARROW * cycles(best) else best


def longest_share(steps: int, together: int, tasks: int) -> float:
    """How many times longer one of ``tasks`` works on a tile of ``steps`` than if they had equal shares, where each
    takes whole sets of ``together``; sets of unequal lengths take longer, too.

    >>> longest_share(128, 32, 4), longest_share(96, 32, 2)
    (1.0, 1.3333333333333333)
    """
    sets = -(-steps // together)
    if sets < 2 or together < 2:
        return 1.0
    share = together * -(-sets // min(tasks, sets)) * min(tasks, sets) / steps
    return share * (_RAGGED if steps % together else 1.0)


def steps_together(operands: Sequence[Footprint], vector_bytes: int) -> int:
    """Steps of the first loop that threads do not share, since they write to one vector: of results with one element
    for each step."""
    return max((vector_bytes // gcd(vector_bytes, operand.element_bytes) for operand in operands
                if operand.role is not Role.FETCH and operand.loops == (0,) and operand.element_bytes), default=1)


def streamed_tile(extents: Sequence[int], tile: Sequence[int], loop: int, operands: Sequence[Footprint], budget: int,
                  tasks: int, most: int) -> list[int]:
    """``tile``, or the largest one with more steps of ``loop`` for which at most ``most`` bytes are fetched and
    `_SETS` of which fit ``budget``: equal tiles in which each of ``tasks`` has as many steps. For weights whose first
    tiles earlier kernels fetch: only entering the work on a tile costs time.
    """
    size = extents[loop] // 2 // tasks * tasks
    while size > tile[loop]:
        larger = [*tile[:loop], size, *tile[loop + 1:]]
        fetched = sum(o.bytes(larger, 1) for o in operands if o.role is Role.FETCH and o.moves(larger, extents))
        sets = min(_SETS, extents[loop] // size)
        if extents[loop] % size == 0 and fetched <= most and sets * fetched <= budget:
            return larger
        size -= tasks
    return list(tile)


def _columns(extent: int, rows: int, lanes: int, tasks: int) -> list[int]:
    """Widths that divide ``extent`` columns evenly and leave each of ``tasks`` a block of accumulators."""
    least = lanes * max(_PAIR, -(-_WIDE * tasks // rows))
    return [size for size in range(extent - extent % lanes, least - 1, -lanes) if size < extent and extent % size == 0]


def predicted_cycles(extents: Sequence[int], tile: Sequence[int], operands: Sequence[Footprint], engine: Engine,
                     work: float, ops: int, spread: Callable[[float], float] = float, cached: int = 0) -> float:
    """Cycles of all tiles, with transfers double-buffered in the innermost loop over several tiles, each time that the
    loops around it start it; ``ops`` are done per tile.

    Results of one tile that take at most ``cached`` bytes are stored through the cache, which nothing waits for.
    """
    counts = [-(-e // t) for e, t in zip(extents, tile, strict=True)]
    count, inner = prod(counts), next((n for n in reversed(counts) if n > 1), 1)
    resident: list[tuple[Role, int]] = []
    moving: list[tuple[Role, int]] = []
    for operand in operands:
        if operand.role is not Role.KEEP:
            (moving if operand.moves(tile, extents) else resident).append((operand.role, operand.bytes(tile, 1)))
    once = fetch_cycles([size for role, size in resident if role is Role.FETCH], engine) + sum(
        engine.waited_for(size) for role, size in resident if role is Role.STORE and size > cached)
    if count == 1:
        return spread(work) + once
    if any(e % t for e, t in zip(extents, tile, strict=True)):
        work *= _RAGGED
    first, last = ([size for role, size in moving if role is wanted] for wanted in (Role.FETCH, Role.STORE))
    exposed = sum((engine.start + sum(n / engine.rate for n in part)) if part else 0.0 for part in (first, last))
    core = spread(work / count) + _TRANSFER_CYCLES * len(moving) + _OP_CYCLES * ops
    transfers = engine.start * (bool(first) + bool(last)) + inner * sum(engine.busy(size) for _, size in moving)
    return once + count // inner * max(exposed + inner * core, transfers + core)  # nothing hides the last tile's work


def _even(extent: int, unit: int, count: int) -> int:
    """The size, in whole units, of ``count`` tiles as equal as possible."""
    size = -(-extent // count)
    return min(-(-size // unit) * unit, extent)


def _largest(tile: list[int], loop: int, unit: int, operands: Sequence[Footprint], budget: int, alignment: int,
             extents: Sequence[int]) -> int:
    """The largest multiple of ``unit`` for ``loop`` that fits, ``unit`` (or the whole extent) when none does."""
    low, high = 1, max(tile[loop] // unit, 1)
    while low < high:
        middle = (low + high + 1) // 2
        trial = [*tile[:loop], middle * unit, *tile[loop + 1:]]
        if working_set(trial, operands, alignment, extents) <= budget:
            low = middle
        else:
            high = middle - 1
    count = -(-tile[loop] // (low * unit))  # tiles needed: distribute the loop evenly
    return _even(tile[loop], unit, count)
