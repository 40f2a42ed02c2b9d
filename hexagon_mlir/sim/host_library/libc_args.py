"""Variable arguments under the Hexagon ABI of musl: in registers and on the stack, or behind a va_list.

Arguments go to r0..r5 and then the stack; one of 64 bits takes an even pair (or 8 aligned bytes of stack), and once
one has gone to the stack all later ones do. A va_list is three words: where the next saved register is, where the
saved registers end, and where the arguments on the stack are.
"""

from __future__ import annotations

import numpy as np

from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.host_library.libc_memory import GuestMemory

REGISTER_BYTES = 6 * 4


class VaReader:
    """The next argument, from saved registers in ``bytes`` first and then from guest memory."""

    def __init__(self, memory: GuestMemory, saved: bytes, at: int, base: int, overflow: int) -> None:
        self.memory = memory
        self.saved = saved
        self.at = at
        """Offset of the next argument in ``saved``."""
        self.base = base
        """Address (or any number with its alignment) of ``saved``."""
        self.overflow = overflow

    @classmethod
    def of_call(cls, memory: GuestMemory, context: Context, named: int) -> VaReader:
        """The arguments of the running call after its ``named`` first words."""
        saved = context.registers[:6].tobytes()
        return cls(memory, saved, 4 * named, 0, int(context.registers[29]))

    @classmethod
    def of_list(cls, memory: GuestMemory, address: int) -> VaReader:
        """The arguments of a va_list; the list itself stays as it is."""
        current, end, overflow = (memory.word(address + 4 * i) for i in range(3))
        size = end - current
        if not 0 <= size <= REGISTER_BYTES:
            return cls(memory, b"", 0, 0, overflow)  # all registers are used up
        return cls(memory, memory.read(current, size), 0, current, overflow)

    def take(self, size: int) -> int:
        at = self.at + -(self.base + self.at) % size
        if at + size <= len(self.saved):
            self.at = at + size
            return int.from_bytes(self.saved[at : at + size], "little")
        self.at = len(self.saved)
        self.overflow += -self.overflow % size
        value = int.from_bytes(self.memory.read(self.overflow, size), "little")
        self.overflow += size
        return value

    # -- what a format asks for (`libc_format.Arguments`) ----------------------------------------------------
    def word(self) -> int:
        return self.take(4)

    def wide(self) -> int:
        return self.take(8)

    def double(self) -> float:
        return float(np.array([self.take(8)], np.uint64).view(np.float64)[0])

    def check(self) -> None:
        self.memory.memory.stop.check()

    def string(self, address: int, limit: int) -> bytes:
        return self.memory.string(address, limit)

    def count(self, address: int, nbytes: int, value: int) -> None:
        self.memory.write(address, (value & ((1 << 8 * nbytes) - 1)).to_bytes(nbytes, "little"))
