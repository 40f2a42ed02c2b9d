"""Kernels that change an argument: a result of theirs is the memory of the argument."""

from __future__ import annotations

from hexagon_mlir.ir import ir

IN_PLACE = "hexagon.in_place"
"""On a function: for each result, the number of the argument whose memory it has, or -1. Its caller passes that memory
twice, as the argument and for the result."""


def changed(function: ir.Operation) -> dict[int, int]:
    """The number of the argument by that of the result, of results in the memory of an argument."""
    if IN_PLACE not in function.attributes:
        return {}
    return {result: argument for result, argument in enumerate(ir.DenseI64ArrayAttr(function.attributes[IN_PLACE]))
            if argument >= 0}
