"""f16 arithmetic in f32, for chips that compute f16 lanes in legacy qfloat (v68 to v75).

A sum in qf16 is off by up to one unit in the last place of f16 even where the exact sum is representable, and small
products are off by hundreds. A product of two f16 vectors as qf32 takes one instruction, rounding to f16 another.
"""

from __future__ import annotations

from operator import add, mul, sub

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library.lanes import Float

_OPERATIONS = {"addf": add, "subf": sub, "mulf": mul}


class HalfArithmetic:
    """Keeps the f32 value of each f16 result it has made: later operations on that result use the f32 value."""

    def __init__(self) -> None:
        self._wide: dict[ir.Value, Float] = {}

    def in_f32(self, name: str, operands: list[Float]) -> Float:
        """``arith.<name>`` of f16 operands, computed in f32 and rounded to f16."""
        a, b = (self._wide.get(x.value) or x.extend() for x in operands)
        wide = _OPERATIONS[name](a, b)
        result = wide.truncate("f16")
        self._wide[result.value] = wide
        return result
