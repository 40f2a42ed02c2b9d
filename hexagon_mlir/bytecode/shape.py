"""What a bytecode machine has of a chip."""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.bytecode import layout
from hexagon_mlir.targets import Target


@dataclass(frozen=True)
class Shape:
    """``threads``, and bytes of TCM for the slots of each of them (``share``), a multiple of a vector."""

    threads: int
    share: int

    @property
    def stride(self) -> int:
        """Bytes from the TCM of one thread to that of the next."""
        return self.share + layout.SCRATCH * layout.VECTOR

    @property
    def arena(self) -> int:
        """Bytes of TCM of all threads."""
        return self.threads * self.stride

    @staticmethod
    def of(target: Target) -> Shape:
        """The machine of ``target``: a thread for each HVX context, and half of the TCM, so that what else is there may
        stay."""
        threads, vector = int(target.hvx_contexts.value), int(target.vector_bytes.value)
        return Shape(threads, int(target.tcm_bytes.value) // 2 // threads // vector * vector)
