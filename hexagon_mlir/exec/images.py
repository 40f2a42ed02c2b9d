"""The memory image a linked kernel is called on (runtime/driver/main.c): its arguments, tensors in place."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hexagon_mlir.exec.storage import address_of, storage_of

MAGIC = b"HXI1"
_HEADER_BYTES, _ARGUMENT_BYTES = 64, 16
_ALIGN = 128  # bytes, as the simulator's launches; with a vector behind each tensor for masked tails


@dataclass
class Span:
    """One piece of host memory and its place in the image; overlapping arguments share one."""

    start: int
    end: int
    writable: bool
    offset: int = 0


class Image:
    """``data`` is the file's content; ``spans`` tell where host memory is in it.

    ``kinds`` name the types of scalars (``i64``, ``f64``, ``f32``); other numbers are 32-bit words.
    """

    def __init__(self, arguments: Sequence[Any], kinds: Sequence[str] = (),
                 grid: tuple[int, int, int] | None = None) -> None:
        kinds = [*kinds, *[""] * (len(arguments) - len(kinds))]
        self.spans = _spans([a for a in arguments if is_array(a)])
        offset = _HEADER_BYTES + _ARGUMENT_BYTES * len(arguments)
        for span in self.spans:
            span.offset = -(-offset // _ALIGN) * _ALIGN
            offset = span.offset + span.end - span.start + _ALIGN
        self.data = bytearray(offset)
        struct.pack_into("<4s4I", self.data, 0, MAGIC, len(arguments), *(grid or (0, 0, 0)))
        for number, (value, kind) in enumerate(zip(arguments, kinds, strict=True)):
            at = _HEADER_BYTES + _ARGUMENT_BYTES * number
            if is_array(value):
                struct.pack_into("<2I", self.data, at, 1, self._offset(value))
            else:
                struct.pack_into("<I8s", self.data, at, 0, _scalar(value, kind))
        for span in self.spans:
            self.data[span.offset : span.offset + span.end - span.start] = host_bytes(span.start, span.end).tobytes()

    def _offset(self, array: Any) -> int:
        first = address_of(array)
        for span in self.spans:
            if span.start <= first < span.end:
                return span.offset + first - span.start
        return 0  # no memory


def read_back(image: Image, after: np.ndarray) -> None:
    """Copy the tensors of ``after``, the image as the program left it, to the arrays they came from."""
    for span in image.spans:
        if span.writable:
            host_bytes(span.start, span.end)[:] = after[span.offset : span.offset + span.end - span.start]


def is_array(argument: Any) -> bool:
    """True for numpy arrays and torch tensors."""
    return isinstance(argument, np.ndarray) or hasattr(argument, "untyped_storage")


def host_bytes(start: int, end: int) -> np.ndarray:
    """Host memory as an array of bytes."""
    return np.ctypeslib.as_array((ctypes.c_uint8 * (end - start)).from_address(start))


def _spans(arrays: Sequence[Any]) -> list[Span]:
    spans: list[Span] = []
    for start, nbytes, writable in sorted(storage_of(a) for a in arrays):
        if not nbytes:
            continue
        if spans and start < spans[-1].end:
            spans[-1].end = max(spans[-1].end, start + nbytes)
            spans[-1].writable |= writable
        else:
            spans.append(Span(start, start + nbytes, writable))
    return spans


def _scalar(value: Any, kind: str) -> bytes:
    """``value`` as the first bytes of a ``hexmlir_argument``."""
    kind = kind.replace("fp", "f").replace("u", "i")
    if kind == "f64":
        return struct.pack("<d", float(value))
    if kind == "f32" or isinstance(value, float | np.floating):
        return struct.pack("<f", float(value))
    return struct.pack("<Q", int(value) & (1 << 64) - 1)
