"""The walk of a product over tiles, taps and channels, as its registers say."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hexagon_mlir.isa.matrix import Operation
from hexagon_mlir.sim.matrix_engine import fields
from hexagon_mlir.sim.matrix_engine.fields import CHANNEL_MAJOR, HALF, SPATIAL_MAJOR, Layout, Rows, Taps
from hexagon_mlir.sim.matrix_engine.formats import BYTE_GROUP, COLUMNS, GROUP, VECTOR_BYTES, WEIGHT_BITS

BYTE_BITS = 8
MOST_HALVES, MOST_BYTES = 1024, 2048
"""Channels times taps that one packet takes; it drops the rest."""
Y_TAPS = {"deep": Taps.NONE, "above": Taps.REST, "single": Taps.LAST, "dilate": Taps.EVEN}
X_TAPS = {"deep": Taps.NONE, "after": Taps.REST, "single": Taps.LAST, "dilate": Taps.EVEN}
"""Modes of activations and weights."""


@dataclass(frozen=True)
class Step:
    """One tile and tap: ``count`` channels from ``first`` on, with weights from row ``stream`` of their stream on."""

    tile: int
    y_tap: int
    half: int
    """1 for the other set's 32 columns of a ``:deep`` weight."""
    x_tap: int
    first: int
    count: int
    stream: int
    source: Rows
    """Slot of each row's activation, see `fields.sources`."""
    targets: tuple[Rows, Rows]
    """Accumulator of each row by current set, see `fields.targets`."""


@dataclass(frozen=True)
class Walk:
    """The steps of a packet that find weights."""

    steps: tuple[Step, ...]
    stream: int
    """Rows of weights that they use."""
    channels: int
    """Channels times taps that the array passes, in whole groups."""
    below: bool
    """Whether rows of the tile at dY are read."""
    both: bool
    """Whether sums go to both sets."""
    y_mask: int
    group: int
    """Channels of each group of a grouped convolution, or 0."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The instructions of a product."""

    activation: Operation
    weight: Operation

    @functools.cached_property
    def layout(self) -> Layout:
        if self.activation.floating:
            return HALF
        return CHANNEL_MAJOR if "cm" in self.activation.modes else SPATIAL_MAJOR

    @functools.cached_property
    def floating(self) -> bool:
        return self.activation.floating

    @functools.cached_property
    def deep(self) -> bool:
        """Whether it walks through tiles along the channels."""
        return "deep" in self.activation.modes

    @functools.cached_property
    def drops(self) -> bool:
        """Whether results that leave the tile are dropped."""
        return "drop" in self.weight.modes

    @functools.cached_property
    def unpacking(self) -> str:
        """Name of the weights in `operand_functions`."""
        return "n2x" if "2x" in self.weight.modes else self.weight.element

    @functools.cached_property
    def columns(self) -> int:
        """Columns of a row of the stream."""
        return COLUMNS * (1 + ("2x" in self.weight.modes))

    @functools.cached_property
    def rows_of_vector(self) -> int:
        """Rows of the stream in 128 bytes."""
        return VECTOR_BYTES * 8 // WEIGHT_BITS[self.unpacking] // COLUMNS

    @functools.cached_property
    def most(self) -> int:
        return MOST_HALVES if self.floating else MOST_BYTES

    @functools.lru_cache(64)  # noqa: B019  pairs are few and live as long as their program
    def walk(self, start: int, shape: int, tiles: int, weights: int) -> Walk:
        """``start``, ``shape``: bits inside a tile of the activation's registers; ``weights``: rows of the stream."""
        layout = self.layout
        group = GROUP if self.floating else BYTE_GROUP
        y_mask = shape & layout.spatial
        x_mask = layout.spatial & ~y_mask
        y_taps = fields.taps(y_mask, start & y_mask, _mode(Y_TAPS, self.activation))
        x_taps = fields.taps(x_mask, start & x_mask, _mode(X_TAPS, self.weight))
        first, last = layout.channel(start), layout.channel(shape)
        if WEIGHT_BITS[self.unpacking] < BYTE_BITS:
            last = COLUMNS - 1
        grouped = first > last and not self.deep
        if grouped:
            first, last = 0, (COLUMNS >> fields.borrows(first, last)) - 1
        else:
            first, last = first & -group, last | BYTE_GROUP - 1
        steps = []
        stream = channels = 0
        for tile, y_tap, half, x_tap in _positions(tiles, y_taps, 1 + ("deep" in self.weight.modes), x_taps):
            begin, end = first if tile == 0 else 0, last + 1 if tile == tiles - 1 else COLUMNS
            count = min(end - begin, weights - stream)
            if count <= 0:
                break
            source = fields.sources(layout, y_mask, y_tap)
            targets = [fields.targets(layout, y_mask, x_tap, current ^ half, self.drops) for current in (0, 1)]
            steps.append(Step(tile, y_tap, half, x_tap, begin, count, stream, source, (targets[0], targets[1])))
            stream += count
            channels += (count + group - 1) // group * group
        below = y_mask > 0 and any(step.y_tap for step in steps)
        both = "deep" in self.weight.modes or (not self.drops and any(step.x_tap for step in steps))
        return Walk(tuple(steps), stream, channels, below, both, y_mask, last + 1 if grouped else 0)


def _mode(names: dict[str, Taps], operation: Operation) -> Taps:
    return next((taps for name, taps in names.items() if name in operation.modes), Taps.ALL)


def _positions(
    tiles: int, y_taps: Sequence[int], halves: int, x_taps: Sequence[int]
) -> Iterator[tuple[int, int, int, int]]:
    for tile in range(tiles):
        for y in y_taps:
            for half in range(halves):
                for x in x_taps:
                    yield tile, y, half, x
