"""The runtime's DMA on this machine: stricter than any engine, to find transfers without a wait.

From its start to its wait a transfer's destination has an unexpected pattern, and its bytes are moved at its own wait:
premature reads of the destination and premature writes of the source give wrong values. Each transfer must be waited
for exactly once.
"""

from __future__ import annotations

import ctypes
from typing import Any

from hexagon_mlir.ir import HexError

_PENDING_BYTE = 0xA5  # -2.9e-16 as f32, -0.02 as f16: wrong wherever it is summed or compared
_Block = tuple[int, int, int, int, int, int]
"""Destination, source, bytes per row, rows, strides of both in bytes."""


class HostTile(ctypes.Structure):
    """``hexmlir_rt_tile`` of runtime/include/hexmlir_rt.h."""

    _fields_ = (("target", ctypes.c_void_p), ("source", ctypes.c_void_p), ("row_bytes", ctypes.c_uint32),
                ("rows", ctypes.c_uint32), ("stride", ctypes.c_int32), ("tag", ctypes.c_int32))


class HostDma:
    """The transfers of one run."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.begin()

    def begin(self) -> None:
        """Forget everything."""
        self.pending: dict[int, _Block] = {}
        self.last = 0
        self.fault = ""

    def end(self) -> None:
        """Raise `HexError` for a wait without a transfer, or a transfer without a wait."""
        if not self.fault and self.pending:
            self.fault = f"{len(self.pending)} DMA transfers were never waited for"
        if self.fault:
            raise HexError.plain(self.fault, origin=self.origin)

    def functions(self) -> dict[str, Any]:
        """The entry points by name."""
        pointer, i32 = ctypes.c_void_p, ctypes.c_int32
        block = [pointer, pointer, i32, i32, i32, i32]
        return {
            "hexmlir_rt_dma_start_2d": ctypes.CFUNCTYPE(i32, *block)(self._start),
            "hexmlir_rt_dma_wait": ctypes.CFUNCTYPE(None, i32)(self._wait),
            "hexmlir_rt_copy_2d": ctypes.CFUNCTYPE(None, *block)(self._copy),
            "hexmlir_rt_tile_start": ctypes.CFUNCTYPE(i32, pointer, i32, i32)(self._start_tile),
        }

    def _start(self, target: int, source: int, row_bytes: int, rows: int, stride: int, source_stride: int) -> int:
        for row in range(rows):
            ctypes.memset(target + row * stride, _PENDING_BYTE, row_bytes)
        self.last += 1
        self.pending[self.last] = (target, source, row_bytes, rows, stride, source_stride)
        return self.last

    def _start_tile(self, records: int | None, first: int, count: int) -> int:
        tag = 0
        for number in range(first, first + count):
            tile = HostTile.from_address((records or 0) + number * ctypes.sizeof(HostTile))
            if not tile.tag:
                tile.tag = self._start(tile.target, tile.source, tile.row_bytes, tile.rows, tile.row_bytes,
                                       tile.stride)
            tag = tile.tag
        return tag

    def _wait(self, tag: int) -> None:
        if tag in self.pending:
            self._copy(*self.pending.pop(tag))
        elif not self.fault:
            self.fault = f"wait for DMA transfer {tag}, which is not under way"

    @staticmethod
    def _copy(target: int, source: int, row_bytes: int, rows: int, target_stride: int, source_stride: int) -> None:
        for row in range(rows):
            ctypes.memmove(target + row * target_stride, source + row * source_stride, row_bytes)
