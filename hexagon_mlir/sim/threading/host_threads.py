"""A pool of host threads with deep stacks, for guest code that recurses.

Switches between them are on the path of every simulated thread: they use bare locks, which cost a fraction of the
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
    """One host thread; back among the idle ones after each job."""

    def __init__(self, hosts: HostThreads) -> None:
        self._hosts = hosts
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
            del job  # it may hold the last reference to the object that stops the threads
            self._hosts.give_back(self)


class HostThreads:
    """As many host threads as there were jobs at once."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._stopped = False

    def start(self, job: Callable[[], None]) -> None:
        """Do ``job``, which must not raise, on a thread of its own."""
        worker = self._take()
        if worker is None:
            previous = threading.stack_size(STACK_BYTES)
            worker = _Worker(self)
            threading.stack_size(previous)
        worker.start(job)

    def give_back(self, worker: _Worker) -> None:
        """Its job is done."""
        self._idle.append(worker)
        if self._stopped:
            self.stop()

    def stop(self) -> None:
        """End the idle threads, and the others when they are done."""
        self._stopped = True
        while worker := self._take():
            worker.start(None)

    def _take(self) -> _Worker | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None
