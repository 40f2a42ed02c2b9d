"""Messages between the code generation worker and its parent: a JSON header, then raw bytes."""

from __future__ import annotations

import json
import os
import select
import struct
import time
from typing import IO

_LENGTH = struct.Struct("<II")  # header bytes, body bytes


def send(stream: IO[bytes], header: dict, body: bytes) -> None:
    """Write one message and flush."""
    encoded = json.dumps(header).encode()
    stream.write(_LENGTH.pack(len(encoded), len(body)) + encoded + body)
    stream.flush()


def receive(stream: IO[bytes], deadline: float | None) -> tuple[dict, bytes]:
    """Read one message; TimeoutError after ``deadline`` (monotonic seconds; None waits), EOFError at the end."""
    header_size, body_size = _LENGTH.unpack(_read(stream, _LENGTH.size, deadline))
    header = json.loads(_read(stream, header_size, deadline))
    return header, _read(stream, body_size, deadline)


def _read(stream: IO[bytes], size: int, deadline: float | None) -> bytes:
    data = bytearray()
    while len(data) < size:
        if deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                raise TimeoutError
        chunk = os.read(stream.fileno(), size - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)
