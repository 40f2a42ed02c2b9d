"""How a run ends from outside: a word for translated code (`layout.STOPPED`), and this for what runs on the host."""

from __future__ import annotations


class Stopped(Exception):
    """The run ends: unwind this guest thread."""


class Stop:
    """Whether the run is to end; library functions that may take long ask it again and again."""

    def __init__(self) -> None:
        self.asked = False

    def check(self) -> None:
        """Raises `Stopped` when the run is to end."""
        if self.asked:
            raise Stopped
