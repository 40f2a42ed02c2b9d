"""The memory image a linked kernel is called on (runtime/driver/main.c): its arguments, tensors in place."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from hexagon_mlir.exec.storage import guest_address, host_bytes, is_array, live_storages, spans_of, storage_of

MAGIC = b"HXI1"
_HEADER_BYTES, _ENTRY_BYTES = 64, 16
_RANGES_AT = 20
_GUEST_BYTES = 1 << 32  # smaller integers are the program's own addresses
_ALIGN = 128  # bytes, as in the simulator's launches; tensors are padded by one vector for masked tails


class Image:
    """``data`` is the file's content; ``spans`` map host memory to it.

    ``kinds`` name the types of scalars (``i64``, ``f64``, ``f32``); other numbers are 32-bit words.
    """

    def __init__(self, arguments: Sequence[Any], kinds: Sequence[str] = (),
                 grid: tuple[int, int, int] | None = None) -> None:
        kinds = [*kinds, *[""] * (len(arguments) - len(kinds))]
        arrays = [a for a in arguments if is_array(a)]
        self.spans = spans_of([*map(storage_of, arrays), *_pointed(arrays)])
        offset = _HEADER_BYTES + _ENTRY_BYTES * (len(arguments) + len(self.spans))
        for span in self.spans:
            span.guest = -(-offset // _ALIGN) * _ALIGN
            offset = span.guest + span.nbytes + _ALIGN
        self.data = bytearray(offset)
        struct.pack_into("<4s4I", self.data, 0, MAGIC, len(arguments), *(grid or (0, 0, 0)))
        struct.pack_into("<I", self.data, _RANGES_AT, len(self.spans))
        for number, (value, kind) in enumerate(zip(arguments, kinds, strict=True)):
            at = _HEADER_BYTES + _ENTRY_BYTES * number
            if is_array(value):
                struct.pack_into("<2I", self.data, at, 1, guest_address(self.spans, value))
            else:
                struct.pack_into("<I8s", self.data, at, 0, _scalar(value, kind))
        for number, span in enumerate(self.spans, len(arguments)):
            at = _HEADER_BYTES + _ENTRY_BYTES * number
            struct.pack_into("<Q2I", self.data, at, span.start, span.nbytes, span.guest)
            self.data[span.guest : span.guest + span.nbytes] = host_bytes(span.start, span.end).tobytes()


def read_back(image: Image, after: np.ndarray) -> None:
    """Copy the tensors of ``after``, the image as the program left it, to the arrays they came from."""
    for span in image.spans:
        if span.writable:
            host_bytes(span.start, span.end)[:] = after[span.guest : span.guest + span.nbytes]


def _pointed(arrays: Sequence[Any]) -> list[tuple[int, int, bool]]:
    """The live tensors to which 64-bit integers among ``arrays`` point: kernels can cast these to pointers."""
    numbers = [np.asarray(a).reshape(-1) for a in arrays if str(a.dtype).removeprefix("torch.") in ("int64", "uint64")]
    values = np.unique(np.concatenate(numbers)) if numbers else np.zeros(0, np.int64)
    values = values[values > _GUEST_BYTES]
    if not values.size:
        return []
    return [(start, nbytes, writable) for start, nbytes, writable in live_storages()
            if np.any((values >= start) & (values < start + nbytes))]


def _scalar(value: Any, kind: str) -> bytes:
    """``value`` as the first bytes of a ``hexmlir_argument``."""
    kind = kind.replace("fp", "f").replace("u", "i")
    if kind == "f64":
        return struct.pack("<d", float(value))
    if kind == "f32" or isinstance(value, float | np.floating):
        return struct.pack("<f", float(value))
    return struct.pack("<Q", int(value) & (1 << 64) - 1)
