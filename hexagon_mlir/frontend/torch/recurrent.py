"""Keeps recurrent layers decomposable while they are traced."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def decomposed() -> Iterator[None]:
    """Where gradients are needed, LSTM layers are traced inside as their steps, not as oneDNN's layers."""
    enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(enabled and not torch.is_grad_enabled())
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(enabled)
