"""What the registers of the matrix engine's packets say that the engine does not do: ignored bits and dropped work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hexagon_mlir.isa.matrix import Kind
from hexagon_mlir.sim.matrix_engine.engine import Packet
from hexagon_mlir.sim.matrix_engine.fields import CHANNEL_MAJOR, SPATIAL_MAJOR, TILE_MASK
from hexagon_mlir.sim.matrix_engine.formats import VECTOR_BYTES
from hexagon_mlir.sim.matrix_engine.products import BFLOAT, COMPRESSED, NEGATE
from hexagon_mlir.sim.matrix_engine.walks import Pair

BIAS_BYTES = 128
"""Of one word for each column."""
GROUP_BITS = 3
MOST_TILES = 1 << 7
"""Tiles that are walked through to see how much of a product is dropped."""


def ignored(packet: Packet, registers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(address, bits of it that the engine ignores) of each address of a packet that has such bits."""
    operation = packet.operation
    if packet.pair is not None:
        start, shape, place, _ = registers
        flags = COMPRESSED | (NEGATE | BFLOAT if packet.pair.floating else 0)
        found = [(start, _ignored_of_activation(packet.pair, shape)), (place, VECTOR_BYTES - 1 & ~flags)]
    elif operation.bias_words:
        found = [(registers[0], BIAS_BYTES * operation.bias_words - 1 & ~GROUP_BITS)]
    elif operation.kind in (Kind.STORE, Kind.CONVERT_STORE):
        layout = CHANNEL_MAJOR if "cm" in operation.modes else SPATIAL_MAJOR
        found = [(registers[0], TILE_MASK & ~layout.spatial)]
    else:
        found = []
    yield from ((address, address & bits) for address, bits in found if address & bits)


def _ignored_of_activation(pair: Pair, shape: int) -> int:
    """Bits that are neither taps nor a channel: of halves the last one, of a deep product the rows of a filter."""
    bits = 1 if pair.floating else 0
    return bits | (shape & pair.layout.spatial if pair.deep else 0)


def dropped(pair: Pair, registers: Sequence[int]) -> str:
    """Why the engine does not do all of a product; "" if it does."""
    start, shape, _, length = registers
    if length >> 31:
        return "the weights' number of bytes is negative, so the whole product is dropped"
    tiles = min((shape >> 11) + 1, MOST_TILES) if pair.deep else 1
    needed = pair.walk(start & TILE_MASK, shape & TILE_MASK, tiles, 1 << 31).stream
    if needed > pair.most:
        return f"{needed} channels times taps or more, and a packet takes {pair.most}"
    given = ((length >> 7) + 1) * pair.rows_of_vector
    return f"{needed} channels times taps with weights for {given}" if needed > given else ""
