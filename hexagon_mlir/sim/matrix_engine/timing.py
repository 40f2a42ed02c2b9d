"""When the matrix engine does what it is handed: a queue in front of two servers, each in order.

The *array* sums products; the *converter* converts, stores and moves bias registers. A conversion waits for the
products in its set of accumulators. Products do not wait for conversions: on v69, chains of 1x1 layers with weights for
both sets run at the array's rate from 256 channels on. But they wait for data that the engine itself stores: that it
keeps this order is assumed, as it does everything else in order; no public source says so. Times are in 1/256 cycle.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from hexagon_mlir.isa.matrix import Kind
from hexagon_mlir.sim.matrix_engine.formats import BYTE_ROWS, COLUMNS, ROWS
from hexagon_mlir.sim.memory_system.cache_model import Q8, cycles_q8
from hexagon_mlir.targets import Target

ARRAY, CONVERTER = 0, 1
SERVERS = "array", "converter"


@dataclass(slots=True)
class Effect:
    """What a packet did that costs time."""

    kind: Kind
    floating: bool
    current: int
    """The set of accumulators it worked on first."""
    both: bool = False
    """Whether it added to the other set, too."""
    channels: int = 0
    """Channels times taps of a product."""
    columns: int = 0
    """Columns that each channel is multiplied with."""
    read_bytes: int = 0
    written_bytes: int = 0
    activations: tuple[int, int] = (0, 0)
    """Where the activations of a product begin and end."""
    result: tuple[int, int] = (0, 0)
    """Where the tile of a store begins and ends."""


@dataclass(frozen=True)
class Span:
    """What a server did for one packet."""

    server: int
    what: str
    begin: int
    end: int
    thread: int


@dataclass
class Use:
    """What the engine did in a run. Times in cycles."""

    products: int = 0
    """Packets of activation and weight."""
    conversions: int = 0
    stores: int = 0
    macs: int = 0
    """Multiplications of a cell of the array."""
    array_cycles: int = 0
    """In which the array worked, with what each packet takes besides its tiles."""
    tile_cycles: int = 0
    """In which it worked at its full rate."""
    converter_cycles: int = 0
    first_cycle: int = 0
    """When the array begins its first products."""
    last_cycle: int = 0
    """When it has done its last ones."""
    read_bytes: int = 0
    """From TCM."""
    written_bytes: int = 0

    def utilization(self, cycles: int) -> float:
        """Part of ``cycles`` that the array would take at its full rate: its products over those it could do."""
        return self.tile_cycles / cycles if cycles else 0.0


class Clock:
    """The engine's time in one run."""

    def __init__(self, target: Target) -> None:
        def cycles(name: str) -> int:
            return cycles_q8(float(getattr(target, f"matrix_{name}").value))

        self.tile = {True: cycles("half_tile_cycles"), False: cycles("byte_tile_cycles")}
        """Of the array, for floats and for integers."""
        self.packet = cycles("packet_cycles")
        self.times = {
            Kind.CONVERT: cycles("convert_cycles"), Kind.STORE: cycles("store_cycles"),
            Kind.CONVERT_STORE: cycles("convert_cycles") + cycles("store_cycles"),
            Kind.LOAD_BIAS: cycles("bias_cycles"), Kind.STORE_BIAS: cycles("bias_cycles"),
        }  # fmt: skip
        """Of the converter."""
        self.arrival = max(cycles("result_cycles") - self.times[Kind.CONVERT_STORE], 0)
        """From the end of a store until its data can be read."""
        self.trace = False
        """Whether to keep `spans`."""
        self.places = int(target.matrix_queue_packets.value)
        self.reset()

    def reset(self) -> None:
        self.free = [0, 0]
        """When each server has done all it has been handed."""
        self.summed = {floating: [0, 0] for floating in (True, False)}
        """When the last products of each set end."""
        self.waiting: list[int] = []
        """When packets in the queue begin, the earliest first."""
        self.visible = 0
        self.stored: list[tuple[int, int, int]] = []
        """Tiles that are stored: where they begin and end, when they can be read."""
        self.first_q8: int | None = None
        """When the first products begin."""
        self.tile_q8 = 0
        self.busy_q8 = [0, 0]
        self.use = Use()
        self.spans: list[Span] = []

    def next_place(self, now: int) -> int:
        """From when on the queue takes one more packet."""
        waiting = self.waiting
        del waiting[: bisect.bisect(waiting, now)]
        return now if len(waiting) < self.places else waiting[len(waiting) - self.places]

    def drained(self) -> int:
        """When everything is done, and results can be read."""
        return max(*self.free, self.visible)

    def issue(self, effect: Effect, now: int, thread: int) -> None:
        """A packet of ``thread`` arrives at ``now``."""
        self.use.read_bytes += effect.read_bytes
        self.use.written_bytes += effect.written_bytes
        if effect.kind is Kind.ACTIVATION:
            self._sum(effect, now, thread)
        elif effect.kind in self.times:
            self._convert(effect, now, thread)

    def _sum(self, effect: Effect, now: int, thread: int) -> None:
        floating, current = effect.floating, effect.current
        summed = self.summed[floating]
        self.use.products += 1
        self.use.macs += effect.channels * (ROWS if floating else BYTE_ROWS) * effect.columns
        tiles = -(-effect.channels * self.tile[floating] // COLUMNS)
        self.tile_q8 += tiles
        begin = max(now, self.free[ARRAY], self._arrival(effect.activations, now))
        self.first_q8 = begin if self.first_q8 is None else self.first_q8
        end = summed[current] = begin + tiles + self.packet
        if effect.both:
            summed[1 - current] = end
        self._serve(ARRAY, "products", begin, end, thread)

    def _convert(self, effect: Effect, now: int, thread: int) -> None:
        kind, current = effect.kind, effect.current
        begin = max(now, self.free[CONVERTER])
        if kind in (Kind.CONVERT, Kind.CONVERT_STORE):
            begin = max(begin, self.summed[effect.floating][current])
            self.use.conversions += 1
        end = begin + self.times[kind]
        if effect.written_bytes:
            self.visible = max(self.visible, end + self.arrival)
            self.stored.append((*effect.result, end + self.arrival))
        self.use.stores += kind in (Kind.STORE, Kind.CONVERT_STORE)
        self._serve(CONVERTER, kind.name.lower().replace("_", " "), begin, end, thread)

    def _arrival(self, read: tuple[int, int], now: int) -> int:
        """When all that the engine stores to addresses from ``read[0]`` to ``read[1]`` is there."""
        self.stored = [tile for tile in self.stored if tile[2] > now]
        return max((time for first, last, time in self.stored if first < read[1] and read[0] < last), default=now)

    def _serve(self, server: int, what: str, begin: int, end: int, thread: int) -> None:
        self.free[server] = end
        self.busy_q8[server] += end - begin
        bisect.insort(self.waiting, begin)
        if self.trace:
            self.spans.append(Span(server, what, begin, end, thread))

    def result(self) -> Use:
        """The run's."""
        self.use.array_cycles, self.use.converter_cycles = (busy // Q8 for busy in self.busy_q8)
        self.use.tile_cycles = self.tile_q8 // Q8
        self.use.first_cycle, self.use.last_cycle = (self.first_q8 or 0) // Q8, self.free[ARRAY] // Q8
        return self.use
