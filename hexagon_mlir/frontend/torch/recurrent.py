"""Lets Dynamo trace recurrent layers for this backend alone, and keeps their gradients decomposable.

Dynamo runs LSTM, GRU and RNN, and the function around them, in eager PyTorch unless ``torch._dynamo.config.allow_rnn``
is set: for all backends, some of which fail on the gradients of an LSTM. It is set here while Dynamo traces for this
backend, by callbacks around a compilation. They are not told the backend: it is a variable of the function that calls.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._dynamo.callback import callback_handler

_TRACER = ("torch._dynamo.convert_frame", "_compile")
_patches: list[Any] = []


class _Callbacks(list[Callable[[Any], None]]):
    """Callbacks of which ``kept`` stays when ``torch._dynamo.reset`` clears them: it does not import backends again."""

    def __init__(self, others: Iterable[Callable[[Any], None]], kept: Callable[[Any], None]):
        super().__init__((*others, kept))
        self.kept = kept

    def clear(self) -> None:
        self[:] = [self.kept]


def trace_for(backend: Callable[..., Any]) -> None:
    """From now on Dynamo traces recurrent layers where it compiles for ``backend``, and nowhere else."""
    def start(_: Any) -> None:
        if _current_backend() is backend:
            patch = torch._dynamo.config.patch(allow_rnn=True)
            patch.__enter__()
            _patches.append(patch)

    def end(_: Any) -> None:
        while _patches:
            _patches.pop().__exit__(None, None, None)

    callback_handler.start_callbacks = _Callbacks(callback_handler.start_callbacks, start)
    callback_handler.end_callbacks = _Callbacks(callback_handler.end_callbacks, end)


@contextmanager
def decomposed() -> Iterator[None]:
    """Where gradients are needed, LSTM layers are traced inside as their steps, not as oneDNN's layers."""
    enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(enabled and not torch.is_grad_enabled())
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(enabled)


def _current_backend() -> Any:
    """The backend that Dynamo compiles for; None where this is not known."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == _TRACER:
            compiler = frame.f_locals.get("compiler_fn")
            return getattr(compiler, "compiler_fn", getattr(compiler, "_torchdynamo_orig_backend", None))
    return None
