"""Gather, scatter and histogram on plain values (HVX V73 PRM 80-N2040-54, chapter 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hexagon_mlir.sim import layout
from hexagon_mlir.sim.translation.program import SimError

VECTOR_BYTES = 128
ELEMENTS: dict[str, np.dtype[Any]] = {"h": np.dtype(np.uint16), "w": np.dtype(np.uint32)}
WEIGHTED: dict[str, np.dtype[Any]] = {"vwhist256": np.dtype(np.uint16), "vwhist128": np.dtype(np.uint32)}
Vectors = list[np.ndarray]


def offsets(suffix: str, source: Any) -> list[int]:
    """The offset of each element; word offsets of halfwords stand in a pair, even elements in the low register."""
    if isinstance(source, tuple):
        return [int(x) for pair in zip(*(half.view(np.uint32) for half in source), strict=True) for x in pair]
    return [int(x) for x in source.view(ELEMENTS[suffix])]


def places(suffix: str, base: int, limit: int, source: Any, whole: bool) -> Iterator[tuple[int, int]]:
    """(byte of the vector, guest address) of everything inside the region; ``whole`` elements must fit and align."""
    size = ELEMENTS[suffix].itemsize
    base, last = base & -size, limit | size - 1
    if base < layout.TCM_BASE or base + last >= layout.SPACE_BYTES:
        raise SimError(f"a gather or scatter outside TCM at {base:#x}")
    for index, offset in enumerate(offsets(suffix, source)):
        if whole:
            offset &= -size
            if offset + size - 1 <= last:
                yield size * index, base + offset
        else:
            yield from ((size * index + b, base + offset + b) for b in range(size) if offset + b <= last)


def gather(
    suffix: str, base: int, limit: int, source: Any, mask: np.ndarray | None, memory: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The gathered vector, and which of its bytes were."""
    data, written = np.zeros(VECTOR_BYTES, np.uint8), np.zeros(VECTOR_BYTES, bool)
    for byte, address in places(suffix, base, limit, source, False):
        if mask is None or mask[byte]:
            data[byte], written[byte] = memory[address], True
    return data, written


def scatter(
    suffix: str, base: int, limit: int, source: Any, data: np.ndarray, add: bool, mask: np.ndarray | None,
) -> Callable[[np.ndarray], None]:  # fmt: skip
    """What the instruction does to memory, element after element."""
    found = [(b, a) for b, a in places(suffix, base, limit, source, add) if mask is None or mask[b]]
    dtype = ELEMENTS[suffix]

    def action(memory: np.ndarray) -> None:
        for byte, address in found:
            if add:
                cell = memory[address : address + dtype.itemsize]
                total = int(cell.view(dtype)[0]) + int(data.view(dtype)[byte // dtype.itemsize])
                cell[:] = np.array([total & (1 << 8 * dtype.itemsize) - 1], dtype).view(np.uint8)
            else:
                memory[address] = data[byte]

    return action


def histogram(
    op: str, saturating: bool, vectors: Vectors, data: np.ndarray, mask: np.ndarray, parity: int | None
) -> Vectors:
    """All 32 registers after counting the bytes of ``data`` (or its halfwords: bucket below, weight above)."""
    if op == "vhist":
        table = np.stack(vectors).view(np.uint16).astype(np.int64)
        for byte, value in enumerate(data.tolist()):
            if mask[byte]:
                table[value >> 3, byte // 16 * 8 + value % 8] += 1
        return list(table.astype(np.uint16).view(np.uint8))
    dtype = WEIGHTED[op]
    table = np.stack(vectors).view(dtype).astype(np.int64)
    group = 8 if dtype.itemsize == 2 else 4
    limit = (1 << 8 * dtype.itemsize) - 1
    for index, value in enumerate(data.view(np.uint16).tolist()):
        bucket, weight = value & 0xFF, value >> 8
        if not mask[2 * index] or parity not in (None, bucket & 1):
            continue
        column = bucket % 8 if group == 8 else bucket >> 1 & 3
        lane = index // 8 * group + column
        total = int(table[bucket >> 3, lane]) + weight
        table[bucket >> 3, lane] = min(total, limit) if saturating else total & limit
    return list(table.astype(dtype).view(np.uint8))
