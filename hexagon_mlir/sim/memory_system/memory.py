"""Guest memory: one 4 GiB reservation, the allocators of DDR and TCM, and numpy views.

The host reserves address space only; pages appear when touched. Every 32-bit guest address is therefore
readable, and a stray access cannot crash the host process.
"""

from __future__ import annotations

import bisect
import ctypes
import mmap
from collections.abc import Callable

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.stopping import Stop
from hexagon_mlir.targets import Target

MAP_NORESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000)
"""Linux's flag; Python names it from 3.12 on."""
MADV_HUGEPAGE = getattr(mmap, "MADV_HUGEPAGE", None)
HUGE_BYTES = 2 << 20
"""Allocations of this size and more ask the host for huge pages: copies of megabytes take half as long."""
GUARD_BYTES = 256
"""Readable bytes after each DDR allocation (and each in TCM of a checked run): masked vector loads read whole
vectors past the end."""


class OutOfMemory(Exception):
    """An allocator's region is full."""


class Allocator:
    """First fit over a sorted free list of one region."""

    def __init__(self, name: str, base: int, size: int, guard: int = 0) -> None:
        self.name = name
        self.base = base
        self.size = size
        self.guard = guard
        self.reset()

    def reset(self) -> None:
        self.free_list: list[tuple[int, int]] = [(self.base, self.size)]
        self.live: dict[int, tuple[int, int]] = {}
        self.used = 0
        self.high_water = 0

    def allocate(self, nbytes: int, align: int) -> int:
        """Address of ``nbytes`` (at least one) aligned to ``align``."""
        if align <= 0 or align & (align - 1):
            raise OutOfMemory(f"{self.name}: alignment {align} is not a power of two")
        need = max(nbytes, 1) + self.guard
        for index, (start, length) in enumerate(self.free_list):
            address = (start + align - 1) & -align
            end = address + ((need + 15) & ~15)
            if end <= start + length:
                self._take(index, address, end)
                return address
        raise OutOfMemory(
            f"{self.name}: no room for {nbytes} bytes ({self.used} of {self.size} bytes are in use)"
        )

    def allocate_at(self, address: int, nbytes: int) -> None:
        """Take ``nbytes`` (at least one) at ``address``, a multiple of 16; no guard is taken behind them."""
        end = address + ((max(nbytes, 1) + 15) & ~15)
        for index, (start, length) in enumerate(self.free_list):
            if start <= address and end <= start + length:
                self._take(index, address, end)
                return
        raise OutOfMemory(f"{self.name}: no room for {nbytes} bytes at {address:#x}")

    def _take(self, index: int, address: int, end: int) -> None:
        """Cut ``address`` to ``end`` out of free block ``index``."""
        start, length = self.free_list[index]
        pieces = [(start, address - start), (end, start + length - end)]
        self.free_list[index : index + 1] = [piece for piece in pieces if piece[1]]
        self.live[address] = (address, end - address)
        self.used += end - address
        self.high_water = max(self.high_water, self.used)

    def free(self, address: int) -> bool:
        """Give back an allocation; False when ``address`` is not one."""
        block = self.live.pop(address, None)
        if block is None:
            return False
        start, length = block
        self.used -= length
        index = bisect.bisect(self.free_list, (start, 0))
        if index < len(self.free_list) and self.free_list[index][0] == start + length:
            length += self.free_list.pop(index)[1]
        if index and sum(self.free_list[index - 1]) == start:
            start, previous = self.free_list[index - 1]
            length += previous
            self.free_list[index - 1] = (start, length)
        else:
            self.free_list.insert(index, (start, length))
        return True


class Memory:
    """The guest's address space."""

    def __init__(self, target: Target, tcm_guard: int = 0) -> None:
        self.target = target
        self.mapping = mmap.mmap(
            -1,
            layout.SPACE_BYTES + layout.MARGIN_BYTES + mmap.PAGESIZE,
            flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE,
        )
        self.bytes = np.frombuffer(self.mapping, dtype=np.uint8)
        self.host_base = ctypes.addressof(ctypes.c_char.from_buffer(self.mapping))
        ddr_bytes = min(int(target.ddr_bytes.value), layout.TCM_BASE - layout.DDR_BASE)
        self.ddr = Allocator("DDR", layout.DDR_BASE, ddr_bytes, GUARD_BYTES)
        self.tcm = Allocator("TCM", layout.TCM_BASE, int(target.tcm_bytes.value), tcm_guard)
        self.on_write: Callable[[int, int], None] = lambda address, nbytes: None
        """Called with (address, bytes) of each write by the host."""
        self.stop = Stop()
        self.stack_bytes = int(target.stack_bytes.value)
        self._huge: set[tuple[int, int]] = set()
        """Ranges (start and bytes) that have asked for huge pages."""

    def holds(self, address: int, nbytes: int) -> bool:
        """Whether a range is in one of the regions: data and stacks, DDR, TCM."""
        regions = ((layout.DATA_BASE, layout.DDR_BASE), (self.ddr.base, self.ddr.base + self.ddr.size),
                   (self.tcm.base, self.tcm.base + self.tcm.size))  # fmt: skip
        return any(low <= address and address + nbytes <= high for low, high in regions)

    def in_tcm(self, address: int) -> bool:
        return self.tcm.base <= address < self.tcm.base + self.tcm.size

    def reset(self) -> None:
        """Free everything and give the pages back; all bytes read zero again."""
        self.ddr.reset()
        self.tcm.reset()
        self.mapping.madvise(mmap.MADV_DONTNEED)

    def allocate(self, allocator: Allocator, nbytes: int, align: int) -> int:
        """Like `Allocator.allocate`, and advises the host about huge pages."""
        address = allocator.allocate(nbytes, align)
        if nbytes >= HUGE_BYTES and MADV_HUGEPAGE is not None:
            first, last = (self.host_base + at & -HUGE_BYTES for at in (address, address + nbytes - 1))
            start = max(first - self.host_base, 0)
            end = min(last + HUGE_BYTES - self.host_base, layout.SPACE_BYTES)
            if (start, end - start) not in self._huge:
                self._huge.add((start, end - start))
                self.mapping.madvise(MADV_HUGEPAGE, start, end - start)
        return address

    def view(self, address: int, nbytes: int) -> np.ndarray:
        """``nbytes`` at ``address`` as uint8, without a copy."""
        if not 0 <= address <= address + nbytes <= layout.SPACE_BYTES:
            raise ValueError(f"guest range {address:#x} + {nbytes} is outside the address space")
        return self.bytes[address : address + nbytes]

    def move(self, to: int, source: int, nbytes: int) -> None:
        """Copy guest bytes; the ranges, checked by the caller, may overlap."""
        ctypes.memmove(self.host_base + to, self.host_base + source, nbytes)

    def write(self, address: int, data: np.ndarray | bytes) -> None:
        nbytes = data.nbytes if isinstance(data, np.ndarray) else len(data)
        if isinstance(data, np.ndarray):
            self.view(address, nbytes).view(data.dtype)[:] = data.reshape(-1)
        else:
            self.view(address, nbytes)
            self.mapping[address : address + nbytes] = data
        self.on_write(address, nbytes)

    def read(self, address: int, dtype: np.dtype, count: int) -> np.ndarray:
        return self.view(address, count * dtype.itemsize).copy().view(dtype)
