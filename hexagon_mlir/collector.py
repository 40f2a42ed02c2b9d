"""Python's collector of reference cycles, and when it is in the way."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Without the cycle collector, in a ``with`` or as a decorator: it goes over everything that the process holds,
    PyTorch included, again and again while much is made or imported, and finds next to nothing."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
