"""Vectors of integers truncated to their lowest bits as comparisons.

LLVM's optimiser turns ``(x & 1) != 0`` into ``trunc x to i1``, which the Hexagon backend of LLVM 22 selects as a test
of the lowest bit of every byte (``q = vand(v, 0x01010101)``): a predicate that holds for the first byte of a lane of 16
or 32 bits at most, so that a select mixes the bytes of its operands. For lanes of 8 bits that is right.
"""

from __future__ import annotations

from hexagon_mlir.llvmir import Instruction, Module, rewrite
from hexagon_mlir.llvmir.names import derived
from hexagon_mlir.llvmir.types import vector_type

_WIDE = ("i16", "i32", "i64")


def lowest_bits_as_tests(module: Module) -> Module:
    """``module`` with every truncation of a vector of i16, i32 or i64 to i1 as ``(x & 1) > 0``.

    LLVM would turn an equality with 1 into an inverted test for zero.
    """
    return module.map(lambda function: rewrite(function, ("trunc",), _as_test))


def _as_test(i: Instruction) -> list[str] | None:
    source, result = vector_type(i.types[0]), vector_type(i.type)
    if source is None or result is None or result[1] != "i1" or source[1] not in _WIDE:
        return None
    lowest = derived("lowest", i.result)
    return [f"  {lowest} = and {i.types[0]} {i.operands[0]}, splat ({source[1]} 1)",
            f"  {i.result} = icmp sgt {i.types[0]} {lowest}, zeroinitializer{i.debug}"]
