"""A fused group of operators whose sizes are symbols: what a program is encoded from.

    group = Group()
    x = group.input("rows", "columns")
    e = group.apply("exp", group.apply("sub", x, group.apply("reduce_max", x)))
    group.output(group.apply("div", e, group.apply("reduce_sum", e)))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hexagon_mlir.bytecode.operations import BY_NAME, Form
from hexagon_mlir.ir.diagnostics import HexError

Dim = str | int
"""A symbol, or 1."""
ORIGIN = "bytecode"
_NO_OPERATORS = ("scale_shift", "fill")


@dataclass(frozen=True)
class Value:
    """A tensor of a group: ``number`` counts from its inputs on."""

    number: int
    dims: tuple[Dim, ...]


@dataclass(frozen=True)
class Inverse:
    """The number 1 / size of a symbol."""

    symbol: str


Operand = Value | float | Inverse


@dataclass(frozen=True)
class Step:
    """``result`` is what operator ``name`` makes of ``operands``."""

    name: str
    operands: tuple[Operand, ...]
    result: Value


@dataclass
class Group:
    """Inputs, operators in their order, and outputs. Values are of f32; inputs and outputs of f16 are converted."""

    inputs: list[tuple[Value, bool]] = field(default_factory=list)
    """Each with whether it is of f16."""
    steps: list[Step] = field(default_factory=list)
    outputs: list[tuple[Value, bool]] = field(default_factory=list)
    _values: int = 0

    def input(self, *dims: Dim, half: bool = False) -> Value:
        """A contiguous tensor of these sizes: symbols, or 1 where it is broadcast."""
        for dim in dims:
            if not isinstance(dim, str) and dim != 1:
                raise HexError.plain(f"a size of {dim}", "a symbol, or 1", ORIGIN)
        value = self._value(dims)
        self.inputs.append((value, half))
        return value

    def apply(self, name: str, *operands: Operand) -> Value:
        """The result of an operator: one of a single operand, arithmetic or a comparison of two, ``select`` (of the
        second operand where the first is not 0, else of the third), or a reduction of the last dimension, which becomes
        1. Operands are broadcast; raises `HexError`."""
        count = operand_count(name)
        if count is None:
            raise HexError.plain(f"no operator '{name}'", f"operators: {', '.join(sorted(operators()))}", ORIGIN)
        values = [operand for operand in operands if isinstance(operand, Value)]
        if len(operands) != count or not values or (count != 2 and operands[0] is not values[0]):
            raise HexError.plain(f"{name} of {len(operands)} operands, {len(values)} of them tensors",
                                 f"{count} operands; one is a tensor, and the first of any but two", ORIGIN)
        dims: tuple[Dim, ...] = broadcast([value.dims for value in values])
        if name.startswith("reduce_"):
            if not dims:
                raise HexError.plain(f"{name} of a scalar", "", ORIGIN)
            dims = (*dims[:-1], 1)
        result = self._value(dims)
        self.steps.append(Step(name, operands, result))
        return result

    def output(self, value: Value, half: bool = False) -> None:
        """Make ``value`` a result of the group."""
        self.outputs.append((value, half))

    def _value(self, dims: tuple[Dim, ...]) -> Value:
        self._values += 1
        return Value(self._values - 1, dims)


def operators() -> set[str]:
    """The names that `Group.apply` takes."""
    found = {op.name for op in BY_NAME.values() if op.form is Form.REDUCE or (
        op.form is Form.ELEMENTS and not op.name.endswith("_number"))}
    return (found | {"gt", "ge", "ne"}) - set(_NO_OPERATORS)


def operand_count(name: str) -> int | None:
    """How many operands an operator takes; None if there is none of this name."""
    if name not in operators():
        return None
    return BY_NAME[name].slots if name in BY_NAME else 2


def broadcast(dims: Sequence[tuple[Dim, ...]]) -> tuple[Dim, ...]:
    """The sizes of tensors of sizes ``dims`` together, as numpy broadcasts; raises `HexError`."""
    rank = max(map(len, dims))
    found: list[Dim] = []
    for place in zip(*((1,) * (rank - len(one)) + one for one in dims), strict=True):
        symbols = {dim for dim in place if dim != 1}
        if len(symbols) > 1:
            raise HexError.plain(f"sizes {' and '.join(sorted(map(str, symbols)))} meet", "equal symbols, or 1", ORIGIN)
        found.append(symbols.pop() if symbols else 1)
    return tuple(found)
