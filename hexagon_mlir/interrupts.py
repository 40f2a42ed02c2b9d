"""Ctrl-C where native code calls Python, and when it takes effect."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

_Handler = Callable[[int, FrameType | None], object]


class _Deferral:
    """The handler while Ctrl-C is deferred: keeps the signal for the ``handler`` it stands in for."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler
        self._pending = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self._pending = True

    def deliver(self) -> None:
        """Handle a signal that came; raises `KeyboardInterrupt` by Python's own handler."""
        if self._pending:
            self._pending = False
            self._handler(signal.SIGINT, None)


@contextlib.contextmanager
def deferred() -> Iterator[None]:
    """Ctrl-C takes effect at the end, or at the next `deliver` inside, in a ``with`` or as a decorator.

    An exception in a callback of the MLIR bindings becomes a ``RuntimeError``; one while their modules are imported
    leaves them half registered, and the process cannot compile any more. Only the main thread gets signals, and only
    handlers written in Python are deferred.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or isinstance(handler, _Deferral) or not _in_main_thread():
        yield
        return
    deferral = _Deferral(handler)
    signal.signal(signal.SIGINT, deferral)
    _active.append(deferral)
    try:
        yield
    finally:
        _active.pop()
        signal.signal(signal.SIGINT, handler)
        deferral.deliver()


_active: list[_Deferral] = []
"""The main thread's handler while Ctrl-C is deferred: to ask the module `signal` for it takes ten times as long."""


def deliver() -> None:
    """Let a deferred Ctrl-C take effect now: nothing is half done."""
    if _active and _in_main_thread():
        _active[-1].deliver()


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()
