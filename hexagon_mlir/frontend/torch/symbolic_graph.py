"""Graphs of torch.compile with symbolic sizes: the sizes that they take, and copies of them for certain sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import sympy
import torch
from torch.fx import GraphModule

from hexagon_mlir.frontend.torch.domain import check_formulas, of_symbols, size_of
from hexagon_mlir.frontend.torch.specialize import specialize
from hexagon_mlir.ir import HexError

ORIGIN = "torch-specialize"


def is_symbolic(module: GraphModule) -> bool:
    """True when a size in ``module`` is a symbol."""
    values = (node.meta.get("val") for node in module.graph.nodes)
    return any(isinstance(value, torch.SymInt) or
               not all(isinstance(size, int) for size in getattr(value, "shape", ())) for value in values)


class SymbolicGraph:
    """``module`` with symbolic sizes. Raises `HexError` if they are no formulas over multiples of symbols.

    ``domain`` are the sizes of the tensors among its arguments, with symbols named by their order: PyTorch's names are
    others in each trace.
    """

    def __init__(self, module: GraphModule) -> None:
        check_formulas(module.graph)
        self.module = module
        inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
        tensors = [node.meta["val"] for node in inputs if isinstance(node.meta.get("val"), torch.Tensor)]
        self._values = [node.meta.get("val") if node.users or isinstance(node.meta.get("val"), torch.Tensor) else None
                        for node in inputs]  # strides are arguments that nothing uses
        sizes = [value for value in self._values if isinstance(value, torch.SymInt)]
        if any(isinstance(value, torch.SymFloat | torch.SymBool) for value in self._values):
            raise HexError.plain("an argument is a number that is no size", origin=ORIGIN)
        first = next((size for size in (*sizes, *(size for tensor in tensors for size in tensor.shape))
                      if isinstance(size, torch.SymInt)), None)
        if first is None:
            raise HexError.plain("no argument has a dynamic size", origin=ORIGIN)
        self._environment = first.node.shape_env
        domain = of_symbols([tensor.shape for tensor in tensors], self._environment.var_to_range)
        self._names = {symbol: f"s{number}" for number, symbol in enumerate(domain.ranges)}
        numbers = [size_of(size) for size in sizes]
        if unknown := [size.symbol for size in numbers if size.symbol not in self._names]:
            raise HexError.plain(f"{unknown[0]} is the size of no argument", origin=ORIGIN)
        self._numbers = [replace(size, symbol=self._names[size.symbol]) for size in numbers]
        self.domain = domain.renamed(self._names)

    def equal_sizes(self, arguments: Sequence[Any]) -> dict[str, str]:
        """For each symbol the first one with the same value for ``arguments``."""
        sizes, names = self.bind(arguments), dict[str, str]()
        for name in self.domain.ranges:
            names[name] = next((one for one in names if sizes[one] == sizes[name]), name)
        return names

    def renamed(self, names: Mapping[str, str]) -> SymbolicGraph:
        """The same with other ``names`` of the symbols of `domain`; those with one name are equal."""
        made = copy(self)
        made._names = {symbol: names[name] for symbol, name in self._names.items()}
        made._numbers = [replace(size, symbol=names[size.symbol]) for size in self._numbers]
        made.domain = self.domain.renamed(names)
        return made

    @property
    def content(self) -> tuple[Any, ...]:
        """What the sizes and types of the arguments are."""
        types = tuple(value.dtype for value in self._values if isinstance(value, torch.Tensor))
        return self.domain.inputs, types, tuple(self.domain.ranges.items()), tuple(self._numbers)

    def bind(self, arguments: Sequence[Any]) -> dict[str, int]:
        """The symbols' values for ``arguments``; raises `HexError` for sizes that the graph does not take."""
        sizes = self.domain.bind([given for given in arguments if isinstance(given, torch.Tensor)])
        numbers = [given for given, value in zip(arguments, self._values, strict=True)
                   if isinstance(value, torch.SymInt)]
        for size, given in zip(self._numbers, numbers, strict=True):
            if given != size.at(sizes):
                raise HexError.plain(f"a size is {given}, not {size.at(sizes)}", origin=ORIGIN)
        return sizes

    def at(self, sizes: Mapping[str, int], arguments: Sequence[Any]) -> GraphModule:
        """The graph for ``sizes`` of the symbols, with what has other sizes in place of ``arguments``.

        Raises `HexError` where it computes something else at these sizes than symbols say.
        """
        self._check_guards(sizes)
        shapes, numbers = iter(self.domain.shapes(sizes)), iter(self._numbers)
        given = []
        for argument, value in zip(arguments, self._values, strict=True):
            if isinstance(value, torch.Tensor):
                shape = next(shapes)
                given.append(argument if tuple(argument.shape) == shape else argument.new_empty(shape))
            else:
                given.append(next(numbers).at(sizes) if isinstance(value, torch.SymInt) else argument)
        module = specialize(self.module, given)
        self._check_shapes(module, sizes)
        return module

    def _check_guards(self, sizes: Mapping[str, int]) -> None:
        """PyTorch traced the graph for sizes of which these hold."""
        for guard in self._environment.guards:
            names = {str(symbol) for symbol in guard.expr.free_symbols}
            if names & set(self._names) and self._value(guard.expr, sizes) not in (True, 1):
                raise HexError.plain(f"the graph is for sizes with {guard.expr}", origin=ORIGIN)

    def _check_shapes(self, module: GraphModule, sizes: Mapping[str, int]) -> None:
        """A slice, for one, ends where its operand does."""
        found = {node.name: node.meta["val"] for node in module.graph.nodes if node.op != "output"}
        for node in self.module.graph.nodes:
            value = node.meta.get("val")
            if node.name in found and isinstance(value, torch.Tensor):
                wanted = [size if isinstance(size, int) else self._value(size.node.expr, sizes) for size in value.shape]
                if list(found[node.name].shape) != wanted:
                    raise HexError.plain(f"'{node.name}' has other sizes than {tuple(value.shape)}", origin=ORIGIN)

    def _value(self, expression: Any, sizes: Mapping[str, int]) -> Any:
        """The value of ``expression`` for these sizes; itself if it has other symbols."""
        found = expression.xreplace({symbol: sympy.Integer(sizes[self._names[str(symbol)]])
                                     for symbol in expression.free_symbols if str(symbol) in self._names})
        if found.free_symbols:
            return found
        return bool(found) if found.is_Boolean else int(found)
