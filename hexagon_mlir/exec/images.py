"""The memory image a linked kernel is called on (runtime/driver/main.c): its arguments, tensors in place."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from hexagon_mlir.exec.storage import guest_address, host_bytes, is_array, spans_of, storage_of

MAGIC = b"HXI1"
_HEADER_BYTES, _ARGUMENT_BYTES = 64, 16
_ALIGN = 128  # bytes, as the simulator's launches; with a vector behind each tensor for masked tails


class Image:
    """``data`` is the file's content; ``spans`` tell where host memory is in it.

    ``kinds`` name the types of scalars (``i64``, ``f64``, ``f32``); other numbers are 32-bit words.
    """

    def __init__(self, arguments: Sequence[Any], kinds: Sequence[str] = (),
                 grid: tuple[int, int, int] | None = None) -> None:
        kinds = [*kinds, *[""] * (len(arguments) - len(kinds))]
        self.spans = spans_of([storage_of(a) for a in arguments if is_array(a)])
        offset = _HEADER_BYTES + _ARGUMENT_BYTES * len(arguments)
        for span in self.spans:
            span.guest = -(-offset // _ALIGN) * _ALIGN
            offset = span.guest + span.nbytes + _ALIGN
        self.data = bytearray(offset)
        struct.pack_into("<4s4I", self.data, 0, MAGIC, len(arguments), *(grid or (0, 0, 0)))
        for number, (value, kind) in enumerate(zip(arguments, kinds, strict=True)):
            at = _HEADER_BYTES + _ARGUMENT_BYTES * number
            if is_array(value):
                struct.pack_into("<2I", self.data, at, 1, guest_address(self.spans, value))
            else:
                struct.pack_into("<I8s", self.data, at, 0, _scalar(value, kind))
        for span in self.spans:
            self.data[span.guest : span.guest + span.nbytes] = host_bytes(span.start, span.end).tobytes()


def read_back(image: Image, after: np.ndarray) -> None:
    """Copy the tensors of ``after``, the image as the program left it, to the arrays they came from."""
    for span in image.spans:
        if span.writable:
            host_bytes(span.start, span.end)[:] = after[span.guest : span.guest + span.nbytes]


def _scalar(value: Any, kind: str) -> bytes:
    """``value`` as the first bytes of a ``hexmlir_argument``."""
    kind = kind.replace("fp", "f").replace("u", "i")
    if kind == "f64":
        return struct.pack("<d", float(value))
    if kind == "f32" or isinstance(value, float | np.floating):
        return struct.pack("<f", float(value))
    return struct.pack("<Q", int(value) & (1 << 64) - 1)
