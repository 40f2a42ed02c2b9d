"""A quick `run_decompositions`: half of its time for a small program goes to work that it does again and again.

PyTorch searches for its composite operators once for each library of operators, and evaluates annotations of some
thousand functions that nobody reads.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch._export import utils

_changing = threading.RLock()
"""Decompositions change the kernels of PyTorch's operators: one thread at a time."""


class _Annotation:
    """Stands for ``Callable``."""

    __class_getitem__ = classmethod(lambda cls, types: cls)


@contextmanager
def searched_once() -> Iterator[None]:
    """Within this context PyTorch searches once; the next context searches again, for operators may have been added."""
    with _changing:
        search, annotation = utils._materialize_cpp_cia_ops, torch._ops.Callable
        utils._materialize_cpp_cia_ops, torch._ops.Callable = functools.cache(search), _Annotation  # type: ignore[assignment]
        try:
            yield
        finally:
            utils._materialize_cpp_cia_ops, torch._ops.Callable = search, annotation
