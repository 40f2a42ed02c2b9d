"""Settings of the Python interpreter, of the whole process, while code is compiled."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected(is_kept: bool = False) -> Iterator[None]:
    """Without the cycle collector, in a ``with`` or as a decorator: it goes over everything that the process holds,
    PyTorch included, again and again while much is made or imported, and finds next to nothing. What is made meanwhile
    and ``is_kept`` for long becomes old: the collector goes over it with all other old objects, not at the end."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_kept and not gc.get_freeze_count():  # else others have frozen objects, which would not be any more
            gc.freeze()
            gc.unfreeze()  # into the oldest generation
        if collects:
            gc.enable()


_SWITCH_SECONDS = 0.0005
"""A tenth of CPython's own. A thread that has LLVM's reply for the next request waits this long for the passes."""
_lock = threading.Lock()
_before: list[float] = []
"""The interval to restore, once for each `switching_often` that is active."""


@contextlib.contextmanager
def switching_often() -> Iterator[None]:
    """Threads that pass requests to other processes get the interpreter soon, in a ``with`` or as a decorator: the
    kernels of MobileViT compile in 6.4 s instead of 7.8 on two cores, which are idle for 0.3 s each instead of 1.4."""
    with _lock:
        _before.append(_before[0] if _before else sys.getswitchinterval())
        _set(min(_SWITCH_SECONDS, _before[0]))
    try:
        yield
    finally:
        with _lock:
            interval = _before.pop()
            if not _before:
                _set(interval)


def _set(interval: float) -> None:
    sys.setswitchinterval(interval + 5e-7)  # it keeps whole microseconds, and drops the rest
