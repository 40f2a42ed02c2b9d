"""A progress bar on standard error, for compiling and simulating models."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE_SECONDS = 1.0
"""No bar is shown for shorter work."""


class ProgressBar:
    """Called as ``progress(what, done, total)``: draws a bar in a terminal only, and removes it when ``done`` reaches
    ``total``.
    """

    def __init__(self) -> None:
        self._begun: dict[str, float] = {}
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` parts of ``what`` are done."""
        if not sys.stderr.isatty():
            return
        if done >= total:
            self._stop()
            self._begun.pop(what, None)
        elif time.monotonic() - self._begun.setdefault(what, time.monotonic()) >= PATIENCE_SECONDS:
            self._draw(what, done, total)

    def _draw(self, what: str, done: int, total: int) -> None:
        if self._bar is None or self._task is None:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(file=sys.stderr), transient=True)
            self._task = self._bar.add_task(what, total=total)
            self._bar.start()
        self._bar.update(self._task, description=what, completed=done, total=total)

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
        self._bar = self._task = None
