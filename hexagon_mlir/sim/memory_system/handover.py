"""A transfer in flight that one run of a program leaves to the next.

The record of a tile, in guest memory, is ``hexmlir_rt_tile`` of runtime/include/hexmlir_rt.h: source, bytes of a row,
rows, stride in the source, tag (0 until the transfer is started).
"""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass

from hexagon_mlir.sim.memory_system.descriptors import Block
from hexagon_mlir.sim.memory_system.memory import Memory

_RECORD = struct.Struct("<IIIii")
FIRST_TAG = 1
"""Tag of the transfer that a run begins with."""


@dataclass(frozen=True)
class TileRecord:
    """A tile to fetch: ``rows`` of ``row_bytes``, ``stride`` apart at ``source`` and packed in TCM."""

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

    def block(self, target: int) -> Block:
        """The transfer to ``target``."""
        return Block(target, self.source, self.row_bytes, self.rows, self.row_bytes, self.stride)


@dataclass(frozen=True)
class Handover:
    """What a run shares with others. Times in 1/256 cycle.

    ``block`` is the transfer that an earlier run has started for this one, with tag `FIRST_TAG`. A transfer, this one
    or one for a later run, occupies the memory interface for ``left_q8`` after the start. ``leaving`` is the address of
    the record whose transfer a later run waits for.
    """

    block: Block | None = None
    left_q8: int = 0
    leaving: int = 0
