"""The tag arrays of the cache model, and what a transfer past the caches does to them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hexagon_mlir.sim.cache_model import NEAR_STEP, Geometry

ALL = 0xFFFFFFFF
Near = Callable[[int, int, int, int, int], bool]
"""`cache_model`'s ``mm_near``."""


def never(tags: int, count: int, mask: int, first: int, span: int) -> bool:
    """`Near` of caches that no access goes through."""
    return False


class CacheTags:
    """The tag arrays the JITted model works on."""

    def __init__(self, geometry: Geometry, near: Near = never) -> None:
        self.geometry = geometry
        self._near_tags = near
        self.l1 = _aligned((geometry.l1_sets, geometry.l1_ways))
        self.l2 = _aligned((geometry.l2_sets, geometry.l2_ways))
        self._addresses = self.l1.ctypes.data, self.l2.ctypes.data
        self.marks = np.array([1, geometry.l2_sets, -1], np.int64)
        """The epoch, which moves on when a tag changes (never 0, which stands for "never"), and the first and the last
        set of L2 that may have lines: most programs use few."""

    def _level(self, level: int) -> tuple[np.ndarray, int, int]:
        """The tags of a level that may not be empty, the host address of the first, and the line's shift."""
        geometry, address = self.geometry, self._addresses[level]
        if level == 0:
            return self.l1.reshape(-1), address, geometry.l1_shift
        _, first, last = self.marks.tolist()
        begin = first * geometry.l2_ways // NEAR_STEP * NEAR_STEP
        end = -(-(last + 1) * geometry.l2_ways // NEAR_STEP) * NEAR_STEP
        return self.l2.reshape(-1)[begin : max(end, begin)], address + 4 * begin, geometry.l2_shift

    def reset(self) -> None:
        self._level(1)[0].fill(0)
        self.l1.fill(0)
        self.marks[:] = self.marks[0] + 1, self.geometry.l2_sets, -1

    def dirty_bytes(self) -> int:
        """Bytes of L2 lines that are dirty."""
        return int(np.count_nonzero(self._level(1)[0] & 1)) * self.geometry.l2_line

    def clean(self, base: int, row_bytes: int, rows: int, stride: int) -> int:
        """Write back dirty L2 lines of a strided block; gives the bytes written."""
        tags, address, shift = self._level(1)
        if not self._near(address, tags.size, 1, shift, base, row_bytes, rows, stride):
            return 0
        dirty = np.flatnonzero(tags & 1)
        dirty = dirty[_overlap(tags[dirty], shift, base, row_bytes, rows, stride)]
        tags[dirty] &= ~np.uint32(1)
        self.marks[0] += 1
        return dirty.size * self.geometry.l2_line

    def invalidate(self, base: int, row_bytes: int, rows: int, stride: int) -> None:
        """Drop the lines of a strided block from both levels."""
        for level in (0, 1):
            tags, address, shift = self._level(level)
            if self._near(address, tags.size, ALL, shift, base, row_bytes, rows, stride):
                filled = np.flatnonzero(tags)
                tags[filled[_overlap(tags[filled], shift, base, row_bytes, rows, stride)]] = 0
                self.marks[0] += 1

    def _near(
        self, tags: int, count: int, mask: int, shift: int, base: int, row_bytes: int, rows: int, stride: int
    ) -> bool:
        """Whether a line with a bit of ``mask`` in its tag lies between the first and last byte of a strided block."""
        if not count:
            return False
        reach = (rows - 1) * stride
        first = base + min(0, reach) >> shift
        last = base + max(0, reach) + row_bytes - 1 >> shift
        return self._near_tags(tags, count, mask, first, last - first)


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
