"""The semantics of forms: for each of `hexagon_mlir.isa.form.FORMS`, the function that emits its host code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hexagon_mlir.isa.form import FORMS

SEMANTICS: dict[str, Callable[..., Any]] = {}
"""Template to the function; it gets the sources, after the old destination if the form reads that too."""


def semantics(template: str, emit: Callable[..., Any]) -> None:
    """Register the semantics of the form ``template``. Raises `ValueError` for an unknown form or a second entry."""
    key = template.replace(" ", "")
    if key not in FORMS:
        raise ValueError(f"no such form: {key}")
    if key in SEMANTICS:
        raise ValueError(f"semantics entered twice: {key}")
    SEMANTICS[key] = emit
