"""How exactly a function is wanted: the element type its operands come from, and the accuracy level."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Accuracy(StrEnum):
    """How exact every function is."""

    ACCURATE = "accurate"
    FAST = "fast"


@dataclass(frozen=True)
class Mode:
    """``element``: what the f32 operands were widened from. ``fast``: the shorter formula, within its stated bound.

    ``numbers``: neither operands nor results are NaN (``fastmath<nnan>``). ``shared``: the elements of a row have the
    same last operand.
    """

    element: str = "f32"
    fast: bool = False
    numbers: bool = False
    shared: bool = False

    @property
    def narrow(self) -> bool:
        """Operands come from f16: far from the limits of f32, and zero or normal numbers there."""
        return self.element == "f16"

    @property
    def short(self) -> bool:
        """A relative error near 2^-19 is small enough."""
        return self.fast or self.element != "f32"

    @property
    def half(self) -> bool:
        """A relative error near 2^-13 is small enough: the result is rounded to 16 bits."""
        return self.element != "f32"


ACCURATE = Mode()
