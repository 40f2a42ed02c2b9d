"""Messages between the code generation worker and its parent: a JSON header, then raw bytes."""

from __future__ import annotations

import json
import os
import select
import struct
from collections.abc import Callable
from typing import IO

_LENGTH = struct.Struct("<II")  # header bytes, body bytes
Wait = Callable[[IO[bytes], int], None]
"""Returns when a stream is ready for ``select.POLLIN`` or ``select.POLLOUT``, or raises."""


def _ready(stream: IO[bytes], event: int) -> None:
    """The default wait: reading and writing block."""


def send(stream: IO[bytes], header: dict, body: bytes, wait: Wait = _ready) -> None:
    """Write one message; `OSError` when the reader is gone, and exceptions of ``wait``."""
    encoded = json.dumps(header).encode()
    left = memoryview(_LENGTH.pack(len(encoded), len(body)) + encoded + body)
    while left:
        wait(stream, select.POLLOUT)
        left = left[os.write(stream.fileno(), left):]


def receive(stream: IO[bytes], wait: Wait = _ready) -> tuple[dict, bytes]:
    """Read one message; `EOFError` at the end, and exceptions of ``wait``."""
    header_size, body_size = _LENGTH.unpack(_read(stream, _LENGTH.size, wait))
    header = json.loads(_read(stream, header_size, wait))
    return header, _read(stream, body_size, wait)


def _read(stream: IO[bytes], size: int, wait: Wait) -> bytes:
    data = bytearray()
    while len(data) < size:
        wait(stream, select.POLLIN)
        chunk = os.read(stream.fileno(), size - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)
