"""Comparisons of float vectors with zero as comparisons of bits.

LLVM's optimiser turns "no bit but the sign" into ``fcmp oeq x, 0.0``, which the Hexagon backend of LLVM 22 selects as
an equality of bits, for which -0.0 differs from 0.0.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Instruction, Module, rewrite
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import vector_type

_BITS = {"half": 16, "float": 32}
_RELATIONS = {"oeq": "eq", "une": "ne"}


def zero_tests_as_bits(module: Module) -> Module:
    """``module`` with every (in)equality of a vector and zero on the bits without the sign; a NaN is not zero."""
    return module.map(lambda function: rewrite(function, ("fcmp",), _as_bits))


def _as_bits(i: Instruction) -> list[str] | None:
    relation, vector = _RELATIONS.get(i.predicate), vector_type(i.types[0])
    if relation is None or vector is None or vector[1] not in _BITS or i.operands[1] != "zeroinitializer":
        return None
    bits = _BITS[vector[1]]
    type_ = f"<{vector[0]} x i{bits}>"
    pattern, size = derived("zero.bits", i.result), derived("zero.size", i.result)
    return [f"  {pattern} = bitcast {i.types[0]} {i.operands[0]} to {type_}",
            f"  {size} = and {type_} {pattern}, splat (i{bits} {(1 << (bits - 1)) - 1})",
            f"  {i.result} = icmp {relation} {type_} {size}, zeroinitializer{i.debug}"]
