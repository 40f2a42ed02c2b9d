"""Our own decompositions of ATen ops, by op: filled by the modules that define them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OURS: dict[Any, Callable[..., Any]] = {}


def decomposes(*ops: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The function below computes ``ops``; `NotImplemented` leaves the op as it is."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        OURS.update(dict.fromkeys(ops, function))
        return function

    return register
