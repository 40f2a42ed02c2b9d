"""Host threads with deep stacks, for guest code that recurses; kept for the next job.

Hand-overs between them are on the path of every simulated thread: they use bare locks, which cost a fraction of the
semaphores, events and futures of the standard library.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

STACK_BYTES = 1 << 30
"""Host stack of a thread, reserved; pages appear when touched."""


def closed() -> threading.Lock:
    """A lock that another thread will open: ``acquire`` waits for its ``release``."""
    lock = threading.Lock()
    lock.acquire()
    return lock


class _Worker:
    """One host thread; back in ``idle`` after each job."""

    def __init__(self, idle: list[_Worker]) -> None:
        self._idle = idle
        self._go = closed()
        self._job: Callable[[], None] | None = None
        threading.Thread(target=self._work, daemon=True).start()

    def start(self, job: Callable[[], None] | None) -> None:
        """Do ``job``, or end the thread."""
        self._job = job
        self._go.release()

    def _work(self) -> None:
        while True:
            self._go.acquire()
            job, self._job = self._job, None
            if job is None:
                return
            job()
            del job
            self._idle.append(self)


class HostThreads:
    """As many host threads as there were jobs at once."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []

    def start(self, job: Callable[[], None]) -> None:
        """Do ``job``, which must not raise, on a thread of its own."""
        try:
            worker = self._idle.pop()
        except IndexError:
            previous = threading.stack_size(STACK_BYTES)
            worker = _Worker(self._idle)
            threading.stack_size(previous)
        worker.start(job)

    def stop(self) -> None:
        """End the idle threads."""
        while self._idle:
            self._idle.pop().start(None)
