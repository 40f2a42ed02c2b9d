"""The tag arrays of the cache model, and what a transfer past the caches does to them."""

from __future__ import annotations

import bisect

import numpy as np

from hexagon_mlir.sim.cache_model import Geometry


class CacheTags:
    """The tag arrays the JITted model works on."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.l1 = _aligned((geometry.l1_sets, geometry.l1_ways))
        self.l2 = _aligned((geometry.l2_sets, geometry.l2_ways))
        self.epoch = np.ones(2, np.int64)
        """Moves on when a tag changes, the second number only when a line comes, goes, or becomes dirty or clean.
        Never 0, which stands for "never"."""
        self._known: dict[str, tuple[int, list[int]]] = {}

    def reset(self) -> None:
        self.l1.fill(0)
        self.l2.fill(0)
        self.epoch += 1

    def dirty_bytes(self) -> int:
        """Bytes of L2 lines that are dirty."""
        return int(np.count_nonzero(self.l2 & 1)) * self.geometry.l2_line

    def clean(self, base: int, row_bytes: int, rows: int, stride: int) -> int:
        """Write back dirty L2 lines of a strided block; gives the bytes written."""
        shift = self.geometry.l2_shift
        if not self._near(self._starts("dirty", self.l2, 1, shift), 1 << shift, base, row_bytes, rows, stride):
            return 0
        tags = self.l2.reshape(-1)
        dirty = np.flatnonzero(tags & 1)
        dirty = dirty[_overlap(tags[dirty], shift, base, row_bytes, rows, stride)]
        tags[dirty] &= ~np.uint32(1)
        self.epoch += 1
        return dirty.size * self.geometry.l2_line

    def invalidate(self, base: int, row_bytes: int, rows: int, stride: int) -> None:
        """Drop the lines of a strided block from both levels."""
        for name, array, shift in (("l1", self.l1, self.geometry.l1_shift), ("l2", self.l2, self.geometry.l2_shift)):
            if self._near(self._starts(name, array, -1, shift), 1 << shift, base, row_bytes, rows, stride):
                tags = array.reshape(-1)
                filled = np.flatnonzero(tags)
                tags[filled[_overlap(tags[filled], shift, base, row_bytes, rows, stride)]] = 0
                self.epoch += 1

    def _starts(self, name: str, array: np.ndarray, mask: int, shift: int) -> list[int]:
        """Sorted addresses of the lines with a bit of ``mask`` in their tag; found again when they may be others."""
        epoch = int(self.epoch[1])
        known = self._known.get(name)
        if known is None or known[0] != epoch:
            tags = array[array & np.uint32(mask & 0xFFFFFFFF) != 0]
            known = self._known[name] = epoch, np.sort(tags.astype(np.int64) >> 1 << shift).tolist()
        return known[1]

    @staticmethod
    def _near(starts: list[int], size: int, base: int, row_bytes: int, rows: int, stride: int) -> bool:
        """Whether one of the lines lies between the first and the last byte of a strided block."""
        reach = (rows - 1) * stride
        first = bisect.bisect_right(starts, base + min(0, reach) - size)
        return first < len(starts) and starts[first] < base + max(0, reach) + row_bytes


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
