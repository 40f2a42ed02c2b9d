"""Tasks that run side by side, and make more of them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count


@dataclass(frozen=True)
class Task:
    """What ``run`` does, which may give more tasks; the one of the largest ``size`` runs first."""

    size: int
    run: Callable[[], Sequence[Task]]


def run_all(tasks: Sequence[Task], threads: int) -> None:
    """Run ``tasks`` and those that they give, ``threads`` at a time; raises what one of them raises."""
    line = _Line()
    line.add(tasks)
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(line.work) for _ in range(threads)]:
            done.result()


class _Line:
    """Tasks that wait for a thread."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, Task]] = []
        self._running = 0
        self._changed = threading.Condition()
        self._numbers = count()

    def add(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            heappush(self._waiting, (-task.size, next(self._numbers), task))

    def work(self) -> None:
        """Run one task after the other until none is left and nobody can give more."""
        while (task := self._next()) is not None:
            more: Sequence[Task] | None = None
            try:
                more = task.run()
            finally:
                with self._changed:
                    self._running -= 1
                    if more is None:  # it failed
                        self._waiting.clear()
                    self.add(more or ())
                    self._changed.notify_all()

    def _next(self) -> Task | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or not self._running)
            if not self._waiting:
                return None
            self._running += 1
            return heappop(self._waiting)[2]
