"""The memory that the matrix engine works on: TCM and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.translation.program import SimError

WORD = 0xFFFFFFFF


class Tcm:
    """Operands by guest address; `SimError` for one that is not in TCM."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.low, self.high = memory.tcm.base, memory.tcm.base + memory.tcm.size
        self.moved: Callable[[str, int, int, bool], None] = lambda what, address, nbytes, write: None
        """Told of each operand: activation, weight, bias or result, address, bytes, whether it is written."""

    def _inside(self, what: str, address: int, nbytes: int) -> int:
        address &= WORD
        if not self.low <= address <= address + nbytes <= self.high:
            raise SimError(f"the matrix engine's {what} of {nbytes} bytes at {address:#x} is not in TCM")
        return address

    def source(self, what: str, address: int, nbytes: int) -> int:
        """Host address of an operand that is read."""
        address = self._inside(what, address, nbytes)
        self.moved(what, address, nbytes, False)
        return self.memory.host_base + address

    def read(self, what: str, address: int, nbytes: int) -> np.ndarray:
        """An operand that is read, as bytes."""
        address = self._inside(what, address, nbytes)
        self.moved(what, address, nbytes, False)
        return self.memory.bytes[address : address + nbytes]

    def target(self, what: str, address: int, nbytes: int) -> np.ndarray:
        """Bytes that are to be written."""
        address = self._inside(what, address, nbytes)
        self.moved(what, address, nbytes, True)
        self.memory.on_write(address, nbytes)
        return self.memory.bytes[address : address + nbytes]
