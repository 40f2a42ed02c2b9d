"""Guest memory as a host function sees it: bytes, words and strings, told to the checks of a checked run."""

from __future__ import annotations

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.checks import Checks
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.translation.program import SimError


class GuestMemory:
    """Accesses on behalf of the thread in ``context``."""

    def __init__(self, memory: Memory, checks: Checks | None, context: Context) -> None:
        self.memory = memory
        self.checks = checks
        self.context = context

    def _bounds(self, address: int, nbytes: int, write: bool) -> None:
        if nbytes < 0 or address < layout.NULL_PAGE_BYTES or address + nbytes > layout.SPACE_BYTES:
            verb = "writes" if write else "reads"
            raise SimError(f"a library function {verb} {nbytes} bytes at {address:#x}, outside memory")
        if self.checks:
            self.checks.touch(self.context, address, nbytes, write)

    def read(self, address: int, nbytes: int) -> bytes:
        if nbytes == 0:
            return b""
        self._bounds(address, nbytes, False)
        return self.memory.mapping[address : address + nbytes]

    def write(self, address: int, data: bytes) -> None:
        if data:
            self._bounds(address, len(data), True)
            self.memory.mapping[address : address + len(data)] = data

    def word(self, address: int) -> int:
        return int.from_bytes(self.read(address, 4), "little")

    def put_word(self, address: int, value: int) -> None:
        self.write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def string(self, address: int, limit: int | None = None) -> bytes:
        """Bytes up to the zero (which is read too) or ``limit`` of them."""
        last = layout.SPACE_BYTES if limit is None else min(address + limit, layout.SPACE_BYTES)
        end = self.memory.mapping.find(b"\0", address, last)
        if end < 0:
            return self.read(address, last - address)
        return self.read(address, end + 1 - address)[:-1]
