"""The requirements on a function's result: the element type of its operands, and the accuracy level."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mode:
    """``element``: the type from which the f32 operands were widened. ``fast``: the shorter formula, within its stated
    bound.

    ``numbers``: neither operands nor results are NaN (``fastmath<nnan>``). ``shared``: the elements of a row have the
    same last operand. ``rounded``: the 16-bit type to which every user rounds the f32 result, if there is one.
    """

    element: str = "f32"
    fast: bool = False
    numbers: bool = False
    shared: bool = False
    rounded: str = ""

    @property
    def narrow(self) -> bool:
        """Operands come from f16: in f32 they are zero or normal, and far from overflow."""
        return self.element == "f16"

    @property
    def result(self) -> str:
        """The type to which the result is rounded in the end."""
        return self.rounded or self.element

    @property
    def to_f16(self) -> bool:
        """The result is rounded to f16: from 2^16 on it is infinite, below 2^-25 zero."""
        return "f16" in (self.element, self.rounded)

    @property
    def short(self) -> bool:
        """A relative error near 2^-19 is acceptable."""
        return self.fast or self.half

    @property
    def half(self) -> bool:
        """A relative error near 2^-13 is acceptable: the result is rounded to 16 bits."""
        return bool(self.rounded) or self.element != "f32"


ACCURATE = Mode()
