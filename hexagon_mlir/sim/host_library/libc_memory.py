"""Guest memory for host functions: bytes, words and strings, with the accesses passed to the checks of a checked
run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.checking.checks import Checks
from hexagon_mlir.sim.context import Context
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.translation.program import SimError

_EVERY_BYTE = bytes(range(256))
_FIRST_PIECE = 256
"""Bytes that a search looks at first: most strings are short."""


class GuestMemory:
    """Accesses on behalf of the thread in ``context``."""

    def __init__(self, memory: Memory, checks: Checks | None, context: Context) -> None:
        self.memory = memory
        self.checks = checks
        self.context = context

    def bounds(self, address: int, nbytes: int, write: bool) -> None:
        """Refuse a range outside memory, or a long one that is not in one region; the run may be stopped here, too."""
        self.memory.stop.check()
        outside = nbytes < 0 or address < layout.NULL_PAGE_BYTES or address + nbytes > layout.SPACE_BYTES
        if outside or (nbytes > layout.LARGE_BYTES and not self.memory.holds(address, nbytes)):
            verb = "writes" if write else "reads"
            raise SimError(f"a library function {verb} {nbytes} bytes at {address:#x}, outside memory")
        if self.checks:
            self.checks.touch(self.context, address, nbytes, write)

    def read(self, address: int, nbytes: int) -> bytes:
        if nbytes == 0:
            return b""
        self.bounds(address, nbytes, False)
        return self.memory.mapping[address : address + nbytes]

    def write(self, address: int, data: bytes) -> None:
        if data:
            self.bounds(address, len(data), True)
            self.memory.mapping[address : address + len(data)] = data

    def fill(self, address: int, nbytes: int) -> None:
        """Write zeros."""
        if nbytes:
            self.bounds(address, nbytes, True)
            self.memory.view(address, nbytes)[:] = 0

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Copy the bytes at ``source``, which `length` has checked; the ranges may overlap."""
        if nbytes:
            self.bounds(to, nbytes, True)
            self.memory.move(to, source, nbytes)

    def length(self, address: int, limit: int | None = None) -> int:
        """Bytes before the zero (which is read too), at most ``limit``."""
        last = layout.SPACE_BYTES if limit is None else min(address + limit, layout.SPACE_BYTES)
        end = self.find(b"\0", address, last)
        if last > address:
            self.bounds(address, (last if end < 0 else end + 1) - address, False)
        return (last if end < 0 else end) - address

    def find(self, part: bytes, address: int, end: int) -> int:
        """The address of the first ``part`` that ends by ``end``, or -1; the caller checks the bounds."""
        for start, stop in self._pieces(address, end + 1, len(part)):
            # bytes.find is linear in both lengths; that of a mapping is not
            found = self.memory.mapping[start : min(stop + len(part) - 1, end)].find(part)
            if found >= 0:
                return start + found
        return -1

    def span(self, address: int, members: bytes, inside: bool = True) -> int:
        """Length of the string's prefix whose bytes are all (``inside``) or never among ``members``."""
        end = address + self.length(address)
        passed = members if inside else _EVERY_BYTE.translate(None, members)
        for start, stop in self._pieces(address, end):
            piece = self.memory.mapping[start:stop]
            if others := piece.translate(None, passed):
                return start + piece.index(others[:1]) - address
        return end - address

    def _pieces(self, start: int, end: int, least: int = 1) -> Iterator[tuple[int, int]]:
        """Pieces of a range, each of ``least`` bytes or more, small ones first; the run may be stopped here."""
        size = max(_FIRST_PIECE, least)
        while start < end:
            self.memory.stop.check()
            yield start, min(start + size, end)
            start += size
            size = min(2 * size, max(layout.LARGE_BYTES, least))

    def difference(self, left: int, right: int, nbytes: int, fold: bool = False) -> tuple[int, int]:
        """The difference of the first two different bytes, and the number of bytes compared; the caller checks the
        bounds."""
        for start in range(0, nbytes, layout.LARGE_BYTES):
            self.memory.stop.check()
            end = min(start + layout.LARGE_BYTES, nbytes)
            a, b = (self.memory.mapping[at + start : at + end] for at in (left, right))
            if fold:
                a, b = a.lower(), b.lower()
            if a != b:
                place = int(np.flatnonzero(np.frombuffer(a, np.uint8) != np.frombuffer(b, np.uint8))[0])
                return a[place] - b[place], start + place + 1
        return 0, nbytes

    def word(self, address: int) -> int:
        return int.from_bytes(self.read(address, 4), "little")

    def put_word(self, address: int, value: int) -> None:
        self.write(address, (value & 0xFFFFFFFF).to_bytes(4, "little"))

    def string(self, address: int, limit: int | None = None) -> bytes:
        """Bytes up to the zero (which is read too) or ``limit`` of them."""
        return self.memory.mapping[address : address + self.length(address, limit)]
