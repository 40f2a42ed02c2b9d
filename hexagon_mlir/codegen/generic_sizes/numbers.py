"""Numbers of a kernel that depend on sizes, as index values at its start."""

from __future__ import annotations

from collections.abc import Sequence

from hexagon_mlir.codegen.generic_sizes.formulas import Formula, Numbers, fit
from hexagon_mlir.ir import arith, ir, tensor
from hexagon_mlir.ir.constants import index

Dimension = tuple[int, int]
"""Number of an argument, and a dimension of it."""


class Numerals:
    """Makes index values of ``function`` that are certain numbers at its examples.

    ``arguments`` are the dimensions of its arguments at the examples; ``added`` the numbers of the arguments of index
    type that `finish` adds, which no formula over these dimensions gives.
    """

    def __init__(self, function: ir.Operation, arguments: Sequence[Sequence[Numbers]]) -> None:
        self.function, self.arguments = function, arguments
        self.block = function.regions[0].blocks[0]
        self.known: dict[Dimension, Numbers] = {
            (number, d): numbers for number, dims in enumerate(arguments) for d, numbers in enumerate(dims)}
        self.added: list[Numbers] = []
        self._values: dict[Numbers, ir.Value] = {}
        with ir.InsertionPoint.at_block_begin(self.block), function.location:
            self._start = ir.InsertionPoint(index(0).owner)  # the first operation may be replaced

    def value(self, numbers: Numbers) -> ir.Value:
        """The index that is ``numbers[i]`` at example i."""
        if numbers not in self._values:
            formula = fit(numbers, self.known)
            with self._start, self.function.location:
                self._values[numbers] = self._argument(numbers) if formula is None else self._computed(formula)
        return self._values[numbers]

    def size(self, numbers: Numbers) -> ir.Value | int:
        """As `value`; a number where all are equal."""
        return numbers[0] if len(set(numbers)) == 1 else self.value(numbers)

    def _argument(self, numbers: Numbers) -> ir.Value:
        self.added.append(numbers)
        return self.block.add_argument(ir.IndexType.get(), self.function.location)

    def _computed(self, formula: Formula[Dimension]) -> ir.Value:
        result: ir.Value | None = None
        for number, d in formula.symbols:
            dim = tensor.dim(self.block.arguments[number], index(d))
            result = dim if result is None else arith.muli(result, dim)
        if result is None:
            return index(formula.offset)
        if formula.factor != 1:
            result = arith.muli(result, index(formula.factor))
        if formula.divisor != 1:
            result = arith.divui(result, index(formula.divisor))
        return arith.addi(result, index(formula.offset)) if formula.offset else result

    def finish(self) -> None:
        """The attributes of the function's arguments, one set for each."""
        if "arg_attrs" in self.function.attributes:
            given = list(self.function.attributes["arg_attrs"])
            more = [ir.DictAttr.get({})] * (len(self.block.arguments) - len(given))
            self.function.attributes["arg_attrs"] = ir.ArrayAttr.get([*given, *more])
