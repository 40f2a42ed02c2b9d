"""Transfers in flight that one run of a program leaves to later ones.

The record of a tile, in guest memory, is ``hexmlir_rt_tile`` of runtime/include/hexmlir_rt.h: target, source, bytes of
a row, rows, stride in the source, tag (0 until the transfer is started).
"""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass

from hexagon_mlir.sim.memory_system.descriptors import Block
from hexagon_mlir.sim.memory_system.memory import Memory

_RECORD = struct.Struct("<IIIIii")
FIRST_TAG = 1
"""Tag of the first transfer that a run begins with; others follow."""


@dataclass(frozen=True)
class TileRecord:
    """A tile to fetch: ``rows`` of ``row_bytes``, ``stride`` apart at ``source``, to ``target``, where it is packed."""

    target: int
    source: int
    row_bytes: int
    rows: int
    stride: int
    tag: int = 0

    NBYTES = _RECORD.size

    @staticmethod
    def read(memory: Memory, address: int) -> TileRecord:
        """The record at ``address``."""
        return TileRecord(*_RECORD.unpack(memory.view(address, _RECORD.size).tobytes()))

    def write(self, memory: Memory, address: int) -> None:
        """Put it to ``address``."""
        memory.write(address, _RECORD.pack(*astuple(self)))

    @property
    def block(self) -> Block:
        """The transfer."""
        return Block(self.target, self.source, self.row_bytes, self.rows, self.row_bytes, self.stride)


@dataclass(frozen=True)
class Handover:
    """What a run shares with others. Times in 1/256 cycle.

    ``arriving`` are the transfers that earlier runs have started for this one, from tag `FIRST_TAG` on, each with what
    is left of its time. These, and those for later runs, occupy the memory interface for ``busy_q8`` after the start.
    ``leaving`` are the addresses of the records whose transfers a later run waits for.
    """

    arriving: tuple[tuple[Block, int], ...] = ()
    busy_q8: int = 0
    leaving: frozenset[int] = frozenset()
