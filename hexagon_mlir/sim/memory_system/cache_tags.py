"""The tag arrays of the cache model, and the effect of DMA transfers on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hexagon_mlir.sim.memory_system.cache_model import NEAR_STEP, Geometry

ALL = 0xFFFFFFFF
Near = Callable[[int, int, int, int, int], bool]
"""`cache_model`'s ``mm_near``."""


def never(tags: int, count: int, mask: int, first: int, span: int) -> bool:
    """`Near` of caches that no access goes through."""
    return False


class CacheTags:
    """The tag arrays of the JIT-compiled model."""

    def __init__(self, geometry: Geometry, near: Near = never) -> None:
        self.geometry = geometry
        self._near_tags = near
        self.l1 = _aligned((geometry.l1_sets, geometry.l1_ways))
        self.l2 = _aligned((geometry.l2_sets, geometry.l2_ways))
        self._l1, self._l2 = self.l1.reshape(-1), self.l2.reshape(-1)
        self._levels = (self.l1.ctypes.data, geometry.l1_shift), (self.l2.ctypes.data, geometry.l2_shift)
        """Host address of the first tag, and log2 of the line."""
        self._unused = geometry.l2_sets, -1, 1 << 32, -1, 0
        self.marks = np.array([1, *self._unused], np.int64)
        """The epoch, which moves on when a tag changes (never 0, which stands for "never"), the first and the last
        set of L2 that may have lines, since most programs use few, the first and the last of all lines that were in
        either level, and how many are dirty."""
        self._marks = self.marks.data

    def _used(self) -> tuple[int, int]:
        """The first tag of L2 that may not be empty, and how many may follow it."""
        first, last = self._marks[1], self._marks[2]
        if last < first:
            return 0, 0
        ways = self.geometry.l2_ways
        begin = first * ways // NEAR_STEP * NEAR_STEP
        return begin, -(-(last + 1) * ways // NEAR_STEP) * NEAR_STEP - begin

    def reset(self) -> None:
        begin, count = self._used()
        self._l2[begin : begin + count] = 0
        self._l1.fill(0)
        self.marks[:] = self._marks[0] + 1, *self._unused

    def dirty_bytes(self) -> int:
        """Bytes of L2 lines that are dirty."""
        return self._marks[5] * self.geometry.l2_line

    def store(self, base: int, nbytes: int) -> int:
        """Allocate the L2 lines of a block that was stored just now; returns the bytes that were written back."""
        if not nbytes or self._near_tags is never:
            return 0
        written = 0
        for line in range(base >> self.geometry.l2_shift, (base + nbytes - 1 >> self.geometry.l2_shift) + 1):
            number, tag = line & (self.geometry.l2_sets - 1), line << 1 | 1
            tags = self.l2[number]
            if tags[0] == tag:
                continue
            found = np.flatnonzero(tags >> 1 == line)
            way = int(found[0]) if found.size else tags.size - 1
            old_dirty = int(tags[way]) & 1
            tags[1 : way + 1] = tags[:way].copy()
            tags[0] = tag
            written += self.geometry.l2_line * (old_dirty and not found.size)
            marks = self._marks
            marks[0] += 1
            marks[1], marks[2] = min(marks[1], number), max(marks[2], number)
            marks[3], marks[4] = min(marks[3], line), max(marks[4], line)
            marks[5] += 1 - old_dirty
        return written

    def clean(self, base: int, row_bytes: int, rows: int, stride: int) -> int:
        """Write back dirty L2 lines of a strided block; returns the bytes written."""
        if self._apart(base, row_bytes, rows, stride):
            return 0
        begin, count = self._used()
        if not self._near(1, begin, count, 1, base, row_bytes, rows, stride):
            return 0
        tags = self._l2[begin : begin + count]
        dirty = np.flatnonzero(tags & 1)
        dirty = dirty[_overlap(tags[dirty], self.geometry.l2_shift, base, row_bytes, rows, stride)]
        tags[dirty] &= ~np.uint32(1)
        self.marks[5] -= dirty.size
        self.marks[0] += 1
        return dirty.size * self.geometry.l2_line

    def drop(self, base: int, row_bytes: int, rows: int, stride: int) -> int:
        """Write back dirty lines of a strided block, and invalidate its lines in both levels; returns the bytes
        written."""
        if self._apart(base, row_bytes, rows, stride):
            return 0
        written = 0
        begin, count = self._used()
        if self._near(1, begin, count, ALL, base, row_bytes, rows, stride):
            written = self.clean(base, row_bytes, rows, stride)
            self._drop(self._l2[begin : begin + count], self.geometry.l2_shift, base, row_bytes, rows, stride)
        if self._near(0, 0, self._l1.size, ALL, base, row_bytes, rows, stride):
            self._drop(self._l1, self.geometry.l1_shift, base, row_bytes, rows, stride)
        return written

    def _drop(self, tags: np.ndarray, shift: int, base: int, row_bytes: int, rows: int, stride: int) -> None:
        filled = np.flatnonzero(tags)
        tags[filled[_overlap(tags[filled], shift, base, row_bytes, rows, stride)]] = 0
        self.marks[0] += 1

    def _apart(self, base: int, row_bytes: int, rows: int, stride: int) -> bool:
        """Whether a strided block lies before or after everything that was cached."""
        shift, marks = self.geometry.l2_shift, self._marks
        reach = (rows - 1) * stride
        return base + max(0, reach) + row_bytes - 1 >> shift < marks[3] or base + min(0, reach) >> shift > marks[4]

    def _near(
        self, level: int, begin: int, count: int, mask: int, base: int, row_bytes: int, rows: int, stride: int
    ) -> bool:
        """Whether a line with a bit of ``mask`` in its tag lies between the first and last byte of a strided block.

        Only the ``count`` tags of the level from number ``begin`` on are looked at.
        """
        address, shift = self._levels[level]
        reach = (rows - 1) * stride
        first = base + min(0, reach) >> shift
        last = base + max(0, reach) + row_bytes - 1 >> shift
        return self._near_tags(address + 4 * begin, count, mask, first, last - first)


def _aligned(shape: tuple[int, int]) -> np.ndarray:
    """A zeroed uint32 array on a 128-byte boundary."""
    nbytes = 4 * shape[0] * shape[1]
    raw = np.zeros(nbytes + 128, np.uint8)
    start = -raw.ctypes.data % 128
    return raw[start : start + nbytes].view(np.uint32).reshape(shape)


def _overlap(tags: np.ndarray, shift: int, base: int, row_bytes: int, rows: int, stride: int) -> np.ndarray:
    """Which of the tags (none empty) hold a line that overlaps one of the rows."""
    if rows > 1 and stride < 0:
        base, stride = base + (rows - 1) * stride, -stride
    if rows > 1 and stride == row_bytes:
        rows, row_bytes = 1, rows * row_bytes
    size = 1 << shift
    start = (tags.astype(np.int64) >> 1) * size - base
    if rows == 1 or stride == 0:
        return (start + size > 0) & (start < row_bytes)
    begin = np.clip((start + size - 1) // stride, 0, rows - 1) * stride
    return (begin < start + size) & (begin + row_bytes > start)
