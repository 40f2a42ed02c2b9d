"""Choices between masks by and, or and not: the backend has no select of predicates."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.passes.math_library.lanes import Lanes, Mask


def chooses_masks(op: ir.Operation) -> bool:
    """True for an ``arith.select`` of masks lane by lane; between whole masks the backend jumps."""
    return all(_is_mask(value.type) for value in op.operands)


def choose(condition: ir.Value, a: ir.Value, b: ir.Value) -> ir.Value:
    """``a`` in the lanes where ``condition`` holds, else ``b``; 4 operations."""
    which, first, second = (Mask(Lanes(a.type), value) for value in (condition, a, b))
    return ((which & first) | (~which & second)).value


def _is_mask(type_: ir.Type) -> bool:
    return isinstance(type_, ir.VectorType) and type_.element_type == ir.IntegerType.get_signless(1)
