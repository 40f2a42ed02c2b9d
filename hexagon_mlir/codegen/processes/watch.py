"""Waits for a child process; notices its end at once, and soon when it is stopped."""

from __future__ import annotations

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
WAITS = 10
"""Of the seconds that a child may compute, how many times as many it may take by the clock: a busy machine or a low
priority gives it a small share of a core."""
KEPT_BYTES = 64 << 10


class Stopped(Exception):
    """A signal (SIGSTOP) stopped the child."""


class Watch:
    """A `wire.Wait` for the pipes of ``process``, until it has computed for ``seconds`` altogether.

    Where the system does not tell how long it has, time by the clock counts. Time in which this process itself is
    stopped (Ctrl-Z) does not. Raises `TimeoutError`, `EOFError` when the child is dead, or `Stopped`.
    """

    def __init__(self, process: subprocess.Popen[bytes], seconds: float):
        self._process, self._seconds = process, seconds
        self._before = _state(process.pid)[1]
        self._passed = self._stopped = 0.0

    def __call__(self, stream: IO[bytes], event: int) -> None:
        poll = select.poll()
        poll.register(stream, event)
        while True:
            start = time.monotonic()
            if poll.poll(min(TICK_SECONDS, self._seconds) * 1000):
                return
            passed = min(time.monotonic() - start, 2 * TICK_SECONDS)
            self._passed += passed
            if self._process.poll() is not None:
                raise EOFError
            is_stopped, computed = _state(self._process.pid)
            self._stopped = self._stopped + passed if is_stopped else 0.0
            if self._stopped >= STOPPED_SECONDS:
                raise Stopped
            if self._before is None or computed is None:
                computing, waits = self._passed, 1
            else:
                computing, waits = computed - self._before, WAITS
            if computing >= self._seconds or self._passed >= waits * self._seconds:
                raise TimeoutError


def _state(pid: int) -> tuple[bool, float | None]:
    """Whether a signal stopped the process (tracing by a debugger does not count), and for how many seconds it has
    computed; None where the system does not tell."""
    try:
        words = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False, None
    return words[0] == b"T", (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")  # see proc_pid_stat(5)


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
