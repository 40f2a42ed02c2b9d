"""A queue of tasks that run in parallel and may add more tasks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count


@dataclass(frozen=True)
class Task:
    """``run`` may return more tasks; of the waiting tasks the one of the largest ``size`` runs first."""

    size: int
    run: Callable[[], Sequence[Task]]


class TaskQueue:
    """Tasks that are run by ``helpers`` threads and by the thread that calls `finish`.

    Threads start with the first task and end when the queue is closed and empty.
    """

    def __init__(self, helpers: int):
        self._helpers = helpers
        self._waiting: list[tuple[int, int, Task]] = []
        self._running = 0
        self._closed = False
        self._error: BaseException | None = None
        self._changed = threading.Condition()
        self._numbers = count()

    def add(self, tasks: Sequence[Task]) -> None:
        """Add ``tasks``; no task is started once one has failed."""
        with self._changed:
            self._add(tasks)
            while tasks and self._helpers:
                self._helpers -= 1
                threading.Thread(target=self._work, daemon=True).start()

    def close(self) -> None:
        """No tasks will be added but those that tasks return."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def finish(self) -> None:
        """Run tasks until all are done; raises the exception of a failed task."""
        self.close()
        self._work()
        with self._changed:
            self._changed.wait_for(lambda: not self._running)
        if self._error is not None:
            raise self._error

    def _add(self, tasks: Sequence[Task]) -> None:
        if self._error is None:
            for task in tasks:
                heappush(self._waiting, (-task.size, next(self._numbers), task))
        self._changed.notify_all()

    def _work(self) -> None:
        """Run one task after the other until none is left and none can be added."""
        while (task := self._next()) is not None:
            more: Sequence[Task] = ()
            try:
                more = task.run()
            except BaseException as error:  # raised by `finish`; Ctrl-C does not wait for tasks
                with self._changed:
                    self._error = self._error or error
                    self._waiting.clear()
                if not isinstance(error, Exception):
                    raise
            finally:
                with self._changed:
                    self._running -= 1
                    self._add(more)

    def _next(self) -> Task | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or (self._closed and not self._running))
            if not self._waiting:
                return None
            self._running += 1
            return heappop(self._waiting)[2]
