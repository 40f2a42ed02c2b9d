"""Waits for a child process; notices its end at once, and soon when it is stopped."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import threading
import time
from pathlib import Path
from typing import IO

TICK_SECONDS = 0.25
STOPPED_SECONDS = 1.5
"""How long a child may be observed stopped. LLVM cannot answer while it runs, so a heartbeat of the child would show no
more than its state in the kernel, which is reliable on a busy machine, too."""
KEPT_BYTES = 64 << 10


class Stopped(Exception):
    """A signal (SIGSTOP) stopped the child."""


class Watch:
    """A `wire.Wait` for the pipes of ``process``, for ``seconds`` altogether.

    Time in which this process itself is stopped (Ctrl-Z) does not count. Raises `TimeoutError`, `EOFError` when the
    child is dead, or `Stopped`.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float):
        self._process = process
        self._left = seconds
        self._stopped = 0.0

    def __call__(self, stream: IO[bytes], event: int) -> None:
        poll = select.poll()
        poll.register(stream, event)
        while True:
            start = time.monotonic()
            if poll.poll(max(min(TICK_SECONDS, self._left), 0) * 1000):
                return
            passed = min(time.monotonic() - start, 2 * TICK_SECONDS)
            self._left -= passed
            if self._process.poll() is not None:
                raise EOFError
            self._stopped = self._stopped + passed if _is_stopped(self._process.pid) else 0.0
            if self._stopped >= STOPPED_SECONDS:
                raise Stopped
            if self._left <= 0:
                raise TimeoutError


def _is_stopped(pid: int) -> bool:
    """Whether a signal stopped the process; tracing by a debugger does not count."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    return False


class Tail:
    """Reads ``stream`` to its end in a thread, so that the writer never blocks, and keeps its tail."""

    def __init__(self, stream: IO[bytes]):
        self._kept = b""
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            while chunk := os.read(stream.fileno(), KEPT_BYTES):
                self._kept = (self._kept + chunk)[-KEPT_BYTES:]

    def lines(self) -> list[str]:
        """The last lines of a process that has ended."""
        self._thread.join(timeout=5)
        return self._kept.decode(errors="replace").strip().splitlines()
