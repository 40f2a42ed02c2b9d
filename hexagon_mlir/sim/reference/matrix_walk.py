"""The order in which a packet goes through tiles, taps and channels, from the four registers of its operands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.matrix_tile import CHANNELS, TILE_BYTES, Layout, Shape

WORD = 0xFFFFFFFF


@dataclass(frozen=True)
class Operand:
    """``mxmem(Rs,Rt)`` and the word after it: "" or deep, above, single, dilate, after, drop."""

    base: int
    extent: int
    mode: str = ""


@dataclass(frozen=True)
class Pass:
    """Products of all positions of a tile under one tap.

    ``channels`` is (entries, 1), or (entries, 32) where each output column has channels of its own; ``stream`` is the
    number of the first entry's weights. The row that position p reads stands at ``addresses[p]``; its products
    go to ``rows[p]`` of the current set, or of the other set where ``other[p]``, and nowhere unless ``kept[p]``.
    """

    addresses: np.ndarray
    channels: np.ndarray
    stream: int
    rows: np.ndarray
    other: np.ndarray
    kept: np.ndarray


def taps(mode: str, last: int, size: int) -> Sequence[int]:
    """Taps along y (rows) or x (columns): the filter reaches ``last``, the tile has ``size`` of them."""
    if mode in ("above", "after"):
        return range(last, size)
    if mode == "single":
        return [last]
    if mode == "deep":
        return [0]
    return range(0, last + 1, 2 if mode == "dilate" else 1)


def group_size(first: int, last: int) -> int:
    """Channels of a group: 32, halved for each leading borrow of the 5-bit difference ``last - first``."""
    borrows, borrow = [], False
    for bit in range(5):
        borrow = (last >> bit & 1) - (first >> bit & 1) - borrow < 0
        borrows.append(borrow)
    size = CHANNELS
    for borrow in reversed(borrows):
        if not borrow:
            break
        size >>= 1
    return size


def channel_steps(layout: Layout, activation: Operand, whole: bool) -> list[np.ndarray]:
    """The ``channels`` of each tile of a packet; ``whole`` ones go on to the last channel, as narrow weights ask."""
    deep = activation.mode == "deep"
    tiles = (activation.extent >> 11) + 1 if deep else 1
    first, last = layout.channel(activation.base), layout.channel(activation.extent)
    if whole:
        last = CHANNELS - 1
    if first > last and not deep:
        size = group_size(first, last)
        return [np.arange(CHANNELS) // size * size + np.arange(size)[:, None]]
    first, last = first & -layout.group, last | 3
    return [
        np.arange(first if tile == 0 else 0, last + 1 if tile == tiles - 1 else CHANNELS)[:, None]
        for tile in range(tiles)
    ]


def walk(layout: Layout, activation: Operand, weight: Operand, entries: int, whole: bool) -> Iterator[Pass]:
    """The passes of a packet in order; the last one ends where the stream of ``entries`` weights does."""
    shape = Shape.of(layout, activation.extent)
    fy, fx = shape.split(activation.base)
    y, x = shape.coordinates()
    x_taps = taps(weight.mode, fx, shape.width)
    y_taps = taps(activation.mode, fy, shape.height)
    rows_at = layout.offsets()[:, 0]
    stream = 0
    for tile, channels in enumerate(channel_steps(layout, activation, whole)):
        base = (activation.base & -TILE_BYTES) + tile * TILE_BYTES
        for ty in y_taps:
            below = y + ty >= shape.height
            source = shape.grid()[(y + ty) % shape.height, x]
            distance = np.where(below, activation.extent & -TILE_BYTES, 0)
            addresses = (base + rows_at[source] + distance) & WORD
            for half in (False, True) if weight.mode == "deep" else (False,):
                for tx in x_taps:
                    count = min(len(channels), entries - stream)
                    if count <= 0:
                        return
                    over = x + tx >= shape.width
                    yield Pass(
                        addresses, channels[:count], stream, shape.grid()[y, (x + tx) % shape.width], over ^ half,
                        ~over if weight.mode == "drop" else np.ones_like(over),
                    )  # fmt: skip
                    stream += count
