"""Kernels that change an argument: a result of theirs is the memory of the argument."""

from __future__ import annotations

from hexagon_mlir.ir import ir

IN_PLACE = "hexagon.in_place"
"""On a function: for each result, the number of the argument whose memory it has, or -1. Its caller passes that memory
twice, as the argument and for the result."""


def changed(function: ir.Operation) -> dict[int, int]:
    """The number of the argument by that of the result, of results in the memory of an argument; raises `ValueError`
    for an attribute that no kernel has."""
    if IN_PLACE not in function.attributes:
        return {}
    numbers = numbers_of(function)
    return {result: argument for result, argument in enumerate(numbers) if argument >= 0}


def numbers_of(function: ir.Operation) -> list[int]:
    """The attribute of ``function``, checked: one number for each result; arguments that are no results themselves."""
    attribute = function.attributes[IN_PLACE]
    if not isinstance(attribute, ir.DenseI64ArrayAttr):
        raise ValueError(f"{IN_PLACE} is {attribute}, not array<i64: ...>")
    numbers = list(ir.DenseI64ArrayAttr(attribute))
    type_ = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    results, arguments = type_.results, type_.inputs
    if not results:  # all of them have become arguments, the last ones
        results, arguments = arguments[len(arguments) - min(len(numbers), len(arguments)):], arguments[:-len(numbers)]
    if len(numbers) != len(results) or any(
            number >= len(arguments) or (number >= 0 and arguments[number] != result)
            for number, result in zip(numbers, results, strict=True)):
        raise ValueError(f"{IN_PLACE} is {attribute}: a number is not that of an argument of the result's type")
    return numbers
