"""Stops a run from outside: `layout.STOPPED` for translated code, and this for functions on the host."""

from __future__ import annotations


class Stopped(Exception):
    """The run ends: unwind this guest thread."""


class Stop:
    """Whether the run is to end; long library functions poll it."""

    def __init__(self) -> None:
        self.asked = False

    def check(self) -> None:
        """Raises `Stopped` when the run is to end."""
        if self.asked:
            raise Stopped
