"""Selects between masks as and, or and not.

LLVM's optimiser combines such operations to ``select`` of vectors of i1, which the Hexagon backend of LLVM 22 cannot
select: it aborts with "Cannot select". A select with all ones or zeros on one side it lowers to logic itself. The side
that is not selected may be poison, which must not reach the result: it is frozen.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Instruction, Module, rewrite
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import vector_type

_SIDES = ("%", "<i1 ")
"""First characters of values and of constants that are no splats."""


def mask_selects_as_logic(module: Module) -> Module:
    """``module`` without selects of two vectors of i1 by a third."""
    return module.map(lambda function: rewrite(function, ("select",), _as_logic))


def _as_logic(i: Instruction) -> list[str] | None:
    vector = vector_type(i.type)
    if vector is None or vector[1] != "i1" or i.types[0] != i.type:
        return None
    condition, a, b = i.operands
    if not condition.startswith("%") or not all(side.startswith(_SIDES) for side in (a, b)):
        return None
    other, first, second, x, y = (derived(f"mask.{what}", i.result) for what in ("not", "first", "second", "x", "y"))
    return [f"  {other} = xor {i.type} {condition}, splat (i1 true)",
            f"  {first} = freeze {i.type} {a}",
            f"  {second} = freeze {i.type} {b}",
            f"  {x} = and {i.type} {condition}, {first}",
            f"  {y} = and {i.type} {other}, {second}",
            f"  {i.result} = or {i.type} {x}, {y}{i.debug}"]
