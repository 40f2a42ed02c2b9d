"""What holds while Dynamo traces for this backend, and for no other.

Dynamo has callbacks around a compilation. They are not told the backend: it is a variable of the function that calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from torch._dynamo.callback import callback_handler

_TRACER = ("torch._dynamo.convert_frame", "_compile")
_entered: list[AbstractContextManager[Any]] = []


class _Callbacks(list[Callable[[Any], None]]):
    """Callbacks of which ``kept`` stays when ``torch._dynamo.reset`` clears them: it does not import backends again."""

    def __init__(self, others: Iterable[Callable[[Any], None]], kept: Callable[[Any], None]):
        super().__init__((*others, kept))
        self.kept = kept

    def clear(self) -> None:
        self[:] = [self.kept]


def while_tracing(backend: Callable[..., Any], context: Callable[[], AbstractContextManager[Any]]) -> None:
    """From now on, Dynamo compiles for ``backend`` within ``context()``."""
    def start(_: Any) -> None:
        if _current_backend() is backend:
            entered = context()
            entered.__enter__()
            _entered.append(entered)

    def end(_: Any) -> None:
        while _entered:
            _entered.pop().__exit__(None, None, None)

    callback_handler.start_callbacks = _Callbacks(callback_handler.start_callbacks, start)
    callback_handler.end_callbacks = _Callbacks(callback_handler.end_callbacks, end)


def _current_backend() -> Any:
    """The backend that Dynamo compiles for; None where this is not known."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == _TRACER:
            compiler = frame.f_locals.get("compiler_fn")
            return getattr(compiler, "compiler_fn", getattr(compiler, "_torchdynamo_orig_backend", None))
    return None
