"""Our own ONNX operators, by name: filled by the modules that define them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Operator:
    """``function`` takes an operator's inputs (None for those left out), and its attributes by name.

    Inputs at the places ``known`` decide sizes: they come as lists; those at ``numbers`` come as Python numbers if they
    are constants of one element, else as tensors. A parameter ``outputs`` gets the number of used
    results, ``version`` that of the file's operators. A `ValueError` says what is not supported.
    """

    function: Callable[..., Any]
    known: frozenset[int]
    numbers: frozenset[int]


OPERATORS: dict[str, Operator] = {}


def operator(name: str, known: tuple[int, ...] = (), numbers: tuple[int, ...] = ()
             ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The function below is ONNX's ``name``."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        OPERATORS[name] = Operator(function, frozenset(known), frozenset(numbers))
        return function

    return register
