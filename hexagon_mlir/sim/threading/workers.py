"""The runtime's workers: threads that take tasks, and poll for the next one when they have ended one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hexagon_mlir.sim.threading.threads import DONE, Scheduler, Thread


class Workers:
    """As many as hardware threads besides the main one."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.reset()

    def reset(self) -> None:
        self.tasks: list[Thread] = []
        """Those that have not ended, as far as noticed."""
        self.idle: list[int] = []
        """Since when workers have no task: the ends of their last ones, in order; before 0 in an earlier run."""

    def begin(self, idle_q8: Sequence[int]) -> None:
        """Workers have had no task for ``idle_q8`` when the run begins."""
        self.idle = sorted(-waited for waited in idle_q8)

    def start(self, spawn: Callable[[int], Thread]) -> Thread:
        """Queue a task: ``spawn`` makes its thread, given the delay until it begins in 1/256 cycle. The worker that
        had a task last takes it."""
        now = self.scheduler.now()
        self._find_idle()
        polling = self.scheduler.polling
        task = spawn(polling.handover(now - self.idle.pop()) if self.idle else polling.dispatch)
        self.tasks.append(task)
        return task

    def polling(self, at: int) -> tuple[int, ...]:
        """How long the workers that poll at the end of the run, ``at``, have had no task."""
        self._find_idle()
        waited = (max(at - end, 0) for end in reversed(self.idle))
        return tuple(time for time in waited if time < self.scheduler.polling.limit)

    def _find_idle(self) -> None:
        """Sort out the tasks that have ended; of their workers as many are idle as have no other task."""
        ends = [task.end for task in self.tasks if task.phase is DONE]
        self.tasks = [task for task in self.tasks if task.phase is not DONE]
        workers = max(self.scheduler.hardware_threads - 1 - len(self.tasks), 0)
        self.idle = sorted(self.idle + ends)
        del self.idle[:max(len(self.idle) - workers, 0)]
