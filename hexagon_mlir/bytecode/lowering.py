"""A group's operators as operations of the bytecode over values of known kinds: all that no size decides."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hexagon_mlir.bytecode.group import ORIGIN, Dim, Group, Inverse, Operand, Step, Value, broadcast
from hexagon_mlir.bytecode.operations import BY_NAME, Kind, Operation
from hexagon_mlir.ir.diagnostics import HexError

Number = float | Inverse
_MOST_LOOPS = 4
_SWAPPED = {"sub": "rsub", "div": "rdiv", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
"""What gives the same with operands exchanged, where that is another operation."""


@dataclass(frozen=True)
class Code:
    """An operation on values, by their numbers: ``kind`` is what an instruction says, that of the operands."""

    operation: Operation
    kind: Kind
    result: int
    operands: tuple[int, ...]
    numbers: tuple[Number, ...] = ()


@dataclass(frozen=True)
class Lowered:
    """``loops`` are the symbols whose sizes multiply to the size of each loop of the domain, at most four, columns
    last. ``present`` tells of each value along which of them it has elements of its own, ``kinds`` what it is of a
    tile. ``whole_rows``: a tile must have all columns."""

    loops: tuple[tuple[str, ...], ...]
    present: dict[int, tuple[bool, ...]]
    kinds: dict[int, Kind]
    half: dict[int, bool]
    code: tuple[Code, ...]
    outputs: tuple[int, ...]
    whole_rows: bool


def lower(group: Group) -> Lowered:
    """Raises `HexError` for a group with more than four loops, or an output that is not one element for each row."""
    return _Lowering(group).finish()


class _Lowering:
    def __init__(self, group: Group) -> None:
        if not group.outputs:
            raise HexError.plain("a group without outputs", "", ORIGIN)
        self.group = group
        values = [value for value, _ in group.inputs] + [step.result for step in group.steps]
        self.loops, self.present = _loops({value.number: value.dims for value in values})
        self.own = dict(self.present)
        self.kinds = {number: _kind(present) for number, present in self.present.items()}
        self.half: dict[int, bool] = dict.fromkeys(self.kinds, False)
        self.steps = _used(group)
        self.uses = Counter(operand.number for step in self.steps for operand in step.operands
                            if isinstance(operand, Value))
        self.uses.update(value.number for value, _ in group.outputs)
        self.code: list[Code] = []
        self.renamed: dict[int, int] = {}

    def finish(self) -> Lowered:
        for value, half in self.group.inputs:
            if half:
                self.half[value.number] = True
                self.renamed[value.number] = self._emit("widen", self._like(value.number, False), (value.number,))
        for step in self.steps:
            self._step(step.name, step.operands, step.result.number)
        outputs = tuple(self._output(value.number, half) for value, half in self.group.outputs)
        whole = any(code.operation.name.startswith("reduce_") for code in self.code) or any(
            not self.present[number][-1] for number in outputs)
        return Lowered(self.loops, self.present, self.kinds, self.half, tuple(self.code), outputs, whole)

    def _output(self, number: int, half: bool) -> int:
        if not all(self.own[number][:-1]):
            raise HexError.plain("an output without elements for each row", "compute it in a group of its own", ORIGIN)
        if half:
            return self._emit("narrow", self._like(number, True), (self._named(number),))
        own = self._named(number)
        is_input = any(own == value.number for value, _ in self.group.inputs)
        repeated = [value.number for value, _ in self.group.outputs].count(number) > 1
        return self._emit("copy", self._like(number, False), (own,)) if is_input or repeated else own

    def _named(self, number: int) -> int:
        return self.renamed.get(number, number)

    def _like(self, number: int, half: bool, present: tuple[bool, ...] | None = None) -> int:
        """A new value with the elements of value ``number``, or along the loops ``present``."""
        new = len(self.kinds)
        self.present[new] = present or self.present[number]
        self.kinds[new], self.half[new] = _kind(self.present[new]), half
        return new

    def _emit(self, name: str, result: int, operands: tuple[int, ...], numbers: tuple[Number, ...] = ()) -> int:
        operation = BY_NAME[name]
        kind = self.kinds[result] if not name.startswith("reduce_") else Kind.TILE
        self.code.append(Code(operation, kind, result, operands, numbers))
        return result

    def _step(self, name: str, operands: tuple[Operand, ...], result: int) -> None:
        given = [operand for operand in operands if isinstance(operand, Value)]
        values = tuple(self._named(operand.number) for operand in given)
        if name.startswith("reduce_") and given[0].dims[-1] != 1:
            self._emit(name, result, (self._as_tile(values[0]),))
            return
        if {self.kinds[value] for value in values} != {self.kinds[result]}:
            self._fill_tile(result)
        if name.startswith("reduce_"):
            self._emit("copy", result, values)
        elif len(operands) == 2:
            self._binary(name, operands, result)
        elif len(operands) == 3:
            self._ternary(name, operands, result)
        else:
            self._emit(name, result, values)

    def _ternary(self, name: str, operands: tuple[Operand, ...], result: int) -> None:
        values = [self._named(operand.number) if isinstance(operand, Value)
                  else self._emit("fill", self._like(result, False), (), (operand,)) for operand in operands]
        mixed = len({self.kinds[value] for value in values}) > 1
        self._emit(name, result, tuple(map(self._as_tile, values)) if mixed else tuple(values))

    def _binary(self, name: str, operands: tuple[Operand, ...], result: int) -> None:
        first, second = operands
        if not isinstance(first, Value):
            return self._binary(_SWAPPED.get(name, name), (second, first), result)
        a = self._named(first.number)
        if not isinstance(second, Value):
            if name == "add" and (fused := self._last("mul_number", a, first)):
                self._emit("scale_shift", result, fused.operands, (*fused.numbers, second))
            else:
                self._emit(f"{name}_number", result, (a,), (second,))
            return None
        b = self._named(second.number)
        if self.kinds[a] != self.kinds[b]:
            if self.kinds[a] is not Kind.TILE and self.kinds[b] is not Kind.TILE:
                a = self._as_tile(a)
            if self.kinds[a] is not Kind.TILE:
                name, a, b = _SWAPPED.get(name, name), b, a
            if (mixed := f"{name}_{self.kinds[b].name.lower()}") in BY_NAME:
                self._emit(mixed, result, (a, b))
                return None
            b = self._as_tile(b)
        if name in ("gt", "ge", "rsub", "rdiv"):
            name, a, b = {"gt": "lt", "ge": "le", "rsub": "sub", "rdiv": "div"}[name], b, a
        if name == "ne":
            equal = self._emit("eq", self._like(result, False), (a, b))
            self._emit("rsub_number", result, (equal,), (1.0,))
        else:
            self._emit(name, result, (a, b))
        return None

    def _last(self, name: str, number: int, operand: Operand) -> Code | None:
        """The operation ``name`` that has just computed value ``number``, which nothing else uses, taken back."""
        last = self.code[-1] if self.code else None
        if last is None or last.operation.name != name or last.result != number or not isinstance(operand, Value):
            return None
        return self.code.pop() if self.uses[operand.number] == 1 else None

    def _fill_tile(self, number: int) -> None:
        """Value ``number`` is computed as a tile, because its operands are, or are of several kinds: of a row and a
        scalar, too, which is held as a column."""
        self.present[number], self.kinds[number] = (True,) * len(self.loops), Kind.TILE

    def _as_tile(self, number: int) -> int:
        if self.kinds[number] is Kind.TILE:
            return number
        new = self._like(number, False, (True,) * len(self.loops))
        return self._emit(f"broadcast_{self.kinds[number].name.lower()}", new, (number,))


def _used(group: Group) -> list[Step]:
    """The steps that an output needs."""
    needed, found = {value.number for value, _ in group.outputs}, []
    for step in reversed(group.steps):
        if step.result.number in needed:
            found.append(step)
            needed.update(operand.number for operand in step.operands if isinstance(operand, Value))
    return found[::-1]


def _loops(dims: dict[int, tuple[Dim, ...]]) -> tuple[tuple[tuple[str, ...], ...], dict[int, tuple[bool, ...]]]:
    """Loops, each over neighbouring dimensions that every value has, or has not; and along which each value varies."""
    rank = max(map(len, dims.values()))
    aligned = {number: (1,) * (rank - len(of)) + of for number, of in dims.items()}
    symbols = broadcast(list(aligned.values()))
    loops: list[list[str]] = []
    present: dict[int, list[bool]] = {number: [] for number in dims}
    before: list[bool] | None = None
    for d, symbol in enumerate(symbols):
        if symbol == 1:
            continue
        here = [of[d] != 1 for of in aligned.values()]
        if here == before:
            loops[-1].append(str(symbol))
            continue
        loops.append([str(symbol)])
        for number, has in zip(aligned, here, strict=True):
            present[number].append(has)
        before = here
    if len(loops) > _MOST_LOOPS:
        raise HexError.plain(f"{len(loops)} loops: {loops}", f"at most {_MOST_LOOPS} dimensions that are broadcast "
                             "differently", ORIGIN)
    if not loops:  # scalars: one element
        loops, present = [[]], {number: [True] for number in dims}
    return tuple(map(tuple, loops)), {number: tuple(has) for number, has in present.items()}


def _kind(present: tuple[bool, ...]) -> Kind:
    if not present[-1]:
        return Kind.COLUMN
    return Kind.TILE if len(present) < 2 or present[-2] else Kind.ROW
