"""The sizes that a program takes: symbols with ranges, found from the sizes of inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from hexagon_mlir.ir import HexError

ORIGIN = "torch-sizes"
EXAMPLES = 3
"""Sizes at which a model is looked at to generalize it: see `codegen.generic_sizes.formulas`."""
_SMALL = 16
"""A size at which nothing is cut into tiles, of more rows than those that rewrites treat as few."""
_LEAST_EXAMPLE = 5
"""Below it, rewrites do what is right for few rows only."""


@dataclass(frozen=True)
class Size:
    """A dimension of ``factor * symbol + offset`` elements."""

    symbol: str
    factor: int = 1
    offset: int = 0

    def at(self, sizes: Mapping[str, int]) -> int:
        """Its elements for these ``sizes`` of the symbols."""
        return self.factor * sizes[self.symbol] + self.offset


@dataclass(frozen=True)
class Domain:
    """``inputs`` are the sizes of the flat arguments, None of what is no tensor; ``ranges`` the least and the largest
    value of each symbol (None: any), ``typical`` one that is usual."""

    inputs: tuple[tuple[int | Size, ...] | None, ...]
    ranges: Mapping[str, tuple[int, int | None]]
    typical: Mapping[str, int]

    def bind(self, arguments: Sequence[Any]) -> dict[str, int]:
        """The symbols' values for flat ``arguments``; raises `HexError` for sizes that the program does not take."""
        found: dict[str, int] = {}
        if len(arguments) != len(self.inputs):
            raise _refused(arguments, f"it has {len(self.inputs)} inputs")
        for number, (argument, dims) in enumerate(zip(arguments, self.inputs, strict=True)):
            if dims is None:
                continue
            shape = tuple(argument.shape) if isinstance(argument, torch.Tensor) else None
            if shape is None or len(shape) != len(dims):
                raise _refused(arguments, f"input {number} is a tensor of {len(dims)} dimensions")
            for d, (size, given) in enumerate(zip(dims, shape, strict=True)):
                value = given
                if isinstance(size, Size):
                    value, rest = divmod(given - size.offset, size.factor)
                    if rest:
                        raise _refused(arguments, f"dimension {d} of input {number} is a multiple of {size.factor}"
                                       + f" plus {size.offset}" * bool(size.offset))
                if value != (found.setdefault(size.symbol, value) if isinstance(size, Size) else size):
                    raise _refused(arguments, f"dimension {d} of input {number} is {given}, not "
                                   f"{self._value(size, found)}")
        for symbol, value in found.items():
            low, high = self.ranges.get(symbol, (0, None))
            if value < low or (high is not None and value > high):
                raise _refused(arguments, f"a size of {value} is not in {low} to {'any' if high is None else high}")
        return found

    def _value(self, size: int | Size, found: Mapping[str, int]) -> int:
        return size.at(found) if isinstance(size, Size) else size

    def renamed(self, names: Mapping[str, str]) -> Domain:
        """The same with other ``names`` of the symbols; those with one name are equal, in both ranges."""
        inputs = tuple(dims and tuple(replace(size, symbol=names[size.symbol]) if isinstance(size, Size) else size
                                      for size in dims) for dims in self.inputs)
        ranges: dict[str, tuple[int, int | None]] = {}
        for symbol, (low, high) in self.ranges.items():
            least, most = ranges.get(names[symbol], (low, high))
            ranges[names[symbol]] = max(low, least), high if most is None else most if high is None else min(high, most)
        return Domain(inputs, ranges, {names[symbol]: value for symbol, value in self.typical.items()})

    def shapes(self, sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
        """The shapes of the tensors among the arguments for ``sizes`` of the symbols."""
        return [tuple(self._value(size, sizes) for size in dims) for dims in self.inputs if dims is not None]

    def examples(self, small: bool = False) -> list[dict[str, int]]:
        """`EXAMPLES` values of each symbol, all different, near the usual ones or ``small``. Raises `HexError` if a
        range has too few."""
        taken: set[int] = set()
        chosen: dict[str, list[int]] = {}
        for symbol, (low, high) in self.ranges.items():
            typical = min(self.typical.get(symbol, 0), _SMALL if small else 1 << 31)
            chosen[symbol] = [n for n in _candidates(typical, low, high) if n not in taken][:EXAMPLES]
            if len(chosen[symbol]) < EXAMPLES:
                raise HexError.plain(f"sizes from {low} to {high} are too few to compile for any of them",
                                     origin=ORIGIN)
            taken.update(chosen[symbol])
        return [{symbol: values[n] for symbol, values in chosen.items()} for n in range(EXAMPLES)]


def _candidates(typical: int, low: int, high: int | None) -> list[int]:
    """Numbers in the range, primes near the usual size first: no others are multiples of them by chance."""
    middle = max(typical, _LEAST_EXAMPLE)
    most = min(2 * middle + 64, high if high is not None else 2 * middle + 64)
    numbers = range(max(low, 2), most + 1)
    primes = [n for n in numbers if n >= _LEAST_EXAMPLE and all(n % d for d in range(2, int(n**0.5) + 1))]
    others = [n for n in reversed(numbers) if n not in primes]
    return [*sorted(primes, key=lambda n: (abs(n - middle), n)), *others]


def of_symbols(shapes: Sequence[Any], constraints: Mapping[Any, Any]) -> Domain:
    """The domain of inputs with these ``shapes`` of PyTorch's symbolic sizes; ``constraints`` are the ranges of its
    symbols. Raises `HexError` for sizes that are no multiples of one symbol."""
    typical: dict[str, int] = {}
    inputs: list[tuple[int | Size, ...] | None] = []
    for shape in shapes:
        if shape is None:
            inputs.append(None)
            continue
        inputs.append(tuple(size if isinstance(size, int) else _typical(size, typical) for size in shape))
    ranges: dict[str, tuple[int, int | None]] = {symbol: (0, None) for dims in inputs for symbol in _symbols(dims)}
    for symbol, bounds in constraints.items():
        if str(symbol) in ranges:
            high = bounds.upper
            ranges[str(symbol)] = (max(int(bounds.lower), 0), int(high) if high.is_Integer and high < 1 << 31 else None)
    for expression, bounds in constraints.items():  # of a multiple, PyTorch's least value of the symbol itself is 2
        size = _linear(expression)
        if size is not None and size.symbol in ranges and expression.free_symbols != {expression}:
            least = max(-(-(int(bounds.lower) - size.offset) // size.factor), 0)
            ranges[size.symbol] = (least, ranges[size.symbol][1])
    return Domain(tuple(inputs), ranges, typical)


def check_formulas(graph: torch.fx.Graph) -> None:
    """Raise `HexError` for a size in ``graph`` that is no polynomial of the inputs': others have several cases."""
    for node in graph.nodes:
        for value in torch.utils._pytree.tree_leaves(node.meta.get("val")):
            sizes = value.shape if isinstance(value, torch.Tensor) else [value]
            for size in sizes:
                if isinstance(size, torch.SymInt | torch.SymFloat | torch.SymBool):
                    expression = size.node.expr
                    if not expression.is_polynomial():
                        raise HexError.plain(f"'{node.name}' has the size {expression}", origin=ORIGIN)


def _symbols(dims: tuple[int | Size, ...] | None) -> Iterator[str]:
    return (size.symbol for size in dims or () if isinstance(size, Size))


def size_of(size: Any) -> Size:
    """What PyTorch's symbolic ``size`` is; raises `HexError` for one that is no multiple of one symbol."""
    found = _linear(size.node.expr)
    if found is None:
        raise HexError.plain(f"a size of {size.node.expr} is no multiple of one symbol", origin=ORIGIN)
    return found


def _typical(size: Any, typical: dict[str, int]) -> Size:
    """`size_of`, and in ``typical`` the value of its symbol that PyTorch has seen."""
    found = size_of(size)
    if size.node.has_hint():
        typical.setdefault(found.symbol, (int(size.node.hint) - found.offset) // found.factor)
    return found


def _linear(expression: Any) -> Size | None:
    """The multiple of one symbol, plus a number, that ``expression`` is; None for others."""
    symbols = list(expression.free_symbols)
    if len(symbols) != 1:
        return None
    offset = expression.subs(symbols[0], 0)
    factor = expression.subs(symbols[0], 1) - offset
    if expression != factor * symbols[0] + offset or not (factor.is_Integer and offset.is_Integer and factor > 0):
        return None
    return Size(str(symbols[0]), int(factor), int(offset))


def _refused(arguments: Sequence[Any], reason: str) -> HexError:
    shapes = ", ".join("x".join(map(str, a.shape)) or "scalar" for a in arguments if isinstance(a, torch.Tensor))
    return HexError.plain(f"the program does not take {shapes}: {reason}", origin=ORIGIN)
