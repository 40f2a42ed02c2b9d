"""Memory below 4 GiB for code that was compiled for a 32-bit machine but runs on the host."""

from __future__ import annotations

import ctypes
import mmap
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from hexagon_mlir.exec.storage import address_of, storage_of

_MAP_32BIT = 0x40  # x86-64 Linux: an address in the low 2 GiB
_PAGE = 4096
_ALIGN = 128  # bytes: one HVX vector
_POOL_BYTES = 16 << 20
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def _map(nbytes: int) -> int:
    protection = mmap.PROT_READ | mmap.PROT_WRITE
    kind = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address = _libc.mmap(None, nbytes, protection, kind | _MAP_32BIT, -1, 0)
    if address in (None, _FAILED):  # no such memory here, which only matters if the code truncates pointers to 32 bits
        address = _libc.mmap(None, nbytes, protection, kind, -1, 0)
    if address in (None, _FAILED):
        raise MemoryError(f"cannot map {nbytes} bytes")
    return address


class HostMemory:
    """Allocations of one run: argument buffers, and what the code allocates itself."""

    def __init__(self) -> None:
        self.maps: list[tuple[int, int]] = []
        self.free_blocks: dict[int, list[int]] = defaultdict(list)
        self.sizes: dict[int, int] = {}
        self.next = self.end = 0

    def allocate(self, nbytes: int) -> int:
        """Address of ``nbytes``, aligned for HVX."""
        size = max(_ALIGN, 1 << (max(nbytes, 1) - 1).bit_length())
        if self.free_blocks[size]:
            address = self.free_blocks[size].pop()
        elif size >= _POOL_BYTES:
            address = self._own(size)
        else:
            if self.next + size > self.end:
                self.next = self._own(_POOL_BYTES)
                self.end = self.next + _POOL_BYTES
            address = self.next
            self.next += size
        self.sizes[address] = size
        return address

    def free(self, address: int) -> None:
        """Give ``address`` back; null is allowed."""
        if address in self.sizes:
            self.free_blocks[self.sizes.pop(address)].append(address)

    def free_all_but(self, kept: set[int]) -> None:
        """Give back every allocation that is not in ``kept``."""
        for address in [a for a in self.sizes if a not in kept]:
            self.free(address)

    def close(self) -> None:
        """Unmap everything; the next allocation starts anew."""
        for address, nbytes in self.maps:
            _libc.munmap(address, nbytes)
        self.maps.clear()
        self.free_blocks.clear()
        self.sizes.clear()
        self.next = self.end = 0

    def _own(self, nbytes: int) -> int:
        nbytes = (nbytes + _PAGE - 1) & -_PAGE
        address = _map(nbytes)
        self.maps.append((address, nbytes))
        return address


class SharedArrays:
    """Numpy arrays and their base arrays, copied to `HostMemory` and back; overlaps are preserved."""

    def __init__(self, memory: HostMemory, arrays: Sequence[np.ndarray]) -> None:
        self.spans: list[list[int]] = []  # start, end, address of the copy
        for start, nbytes, _ in sorted(storage_of(a) for a in arrays if a.size):
            end = start + nbytes
            if self.spans and start < self.spans[-1][1]:
                self.spans[-1][1] = max(end, self.spans[-1][1])
            else:
                self.spans.append([start, end, 0])
        for span in self.spans:
            span[2] = memory.allocate(span[1] - span[0])
            ctypes.memmove(span[2], span[0], span[1] - span[0])

    def address(self, array: np.ndarray) -> int:
        """The address of the first element of ``array`` in the copy."""
        if not array.size:
            return 0
        first = address_of(array)
        start, _, copy = next(span for span in self.spans if span[0] <= first < span[1])
        return copy + first - start

    def resolved(self, address: int) -> int:
        """The address of the byte at ``address`` in its copy, or itself."""
        for start, end, copy in self.spans:
            if start <= address < end:
                return copy + address - start
        return address

    def write_back(self, arrays: Sequence[np.ndarray]) -> None:
        """Copy the spans of ``arrays`` back in place."""
        wanted = {address_of(a) for a in arrays if a.size}
        for start, end, copy in self.spans:
            if any(start <= low < end for low in wanted):
                ctypes.memmove(start, copy, end - start)
