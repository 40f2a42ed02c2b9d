"""Keeps long-lived qfloat values in IEEE format between distant uses, because LLVM may spill them.

A spilled vector keeps its IEEE bits only (llvm issue #204825), and LLVM spills the longest live ranges. A value is
converted at its definition, and used as IEEE or converted back from the first use that is too far from the previous
one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hexagon_mlir.codegen.hvx.native_parts import FORMATS
from hexagon_mlir.llvmir import Declarations, Function, Instruction, Module, renamed

WORDS = "<32 x i32>"
LIVE_RANGE = 80
"""Vector instructions between two uses; no target computes in qfloat with hidden bits."""
_SUMS = ("vadd", "vsub")
_FLOATS = ("qf32", "qf16", "sf", "hf")
_CHAINS = {ieee: chain for ieee, chain in FORMATS.values()}
_IEEE = {chain: ieee for ieee, chain in FORMATS.values()}


def shorten_lifetimes(module: Module, live_range: int = LIVE_RANGE) -> Module:
    """``module`` with no qfloat value that is live for more than ``live_range`` vector instructions between two uses.

    Uses in other blocks count as too far. Loop-carried sums stay in qfloat.
    """
    declared: Declarations = {}
    return module.map(lambda function: _Rewriter(function, live_range, declared).rewrite() if ".qf" in function.text
                      else function).declaring(declared)


def far_uses(made: tuple[str, int], uses: Sequence[tuple[str, int]], live_range: int) -> list[bool]:
    """For each of ``uses``, places (block, number of vector instructions before it) in order: whether the value is live
    for more than ``live_range`` instructions before it.
    """
    places = [made, *uses]
    return [block != before or at - last > live_range
            for (before, last), (block, at) in zip(places, uses, strict=False)]


def _called(i: Instruction) -> str:
    return i.intrinsic.removeprefix("V6.")


def _sum_of(name: str) -> tuple[str, str, bool] | None:
    """Operation and format of the float sum ``name``, and whether its second operand is IEEE; None for others."""
    operation, *formats = name.split(".")
    if operation not in _SUMS or formats[:1] == [] or formats[0] not in _FLOATS or formats[1:] not in ([], ["mix"]):
        return None
    return operation, formats[0], formats[1:] == ["mix"]


@dataclass
class _Changes:
    """The changes to one instruction: ``operands`` that are read in IEEE format, under their new names, ``names`` that
    are replaced, and lines before and after it.
    """

    operands: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


class _Rewriter:
    """Rewrites one function."""

    def __init__(self, function: Function, live_range: int, declared: Declarations):
        self.function, self.live_range, self.declared = function, live_range, declared
        self.instructions = instructions = function.records
        self.definitions = {i.result: number for number, i in enumerate(instructions) if i.result}
        self.users: dict[str, list[int]] = {}
        self.places: list[tuple[str, int]] = []
        count = 0
        for number, i in enumerate(instructions):
            self.places.append((i.block, count))
            count += i.type.startswith("<") or i.opcode == "store"
            for name in set(i.mentioned):
                self.users.setdefault(name, []).append(number)
        self.changes = [_Changes() for _ in instructions]
        self.counter = 0

    def rewrite(self) -> Function:
        """The rewritten function; itself where nothing changes."""
        for number, i in enumerate(self.instructions):
            chain = self._chain(i) if i.type == WORDS else ""
            users = self.users.get(i.result, [])
            if chain and users and not any(self.instructions[u].opcode == "phi" for u in users):
                self._shorten(number, chain, users)
        if all(change == _Changes() for change in self.changes):
            return self.function
        return Function.of(line for i, change in zip(self.instructions, self.changes, strict=True)
                           for line in self._lines(i, change))

    def _chain(self, i: Instruction) -> str:
        """The qfloat format of the result of ``i``; "" for any other result, and for IEEE values plus or minus zero."""
        name = _called(i)
        if name in ("lo", "hi") and i.operands[0] in self.definitions:
            return self._chain(self.instructions[self.definitions[i.operands[0]]])
        operation, format_, *_ = [*name.split("."), ""]
        if operation not in (*_SUMS, "vmpy") or format_ not in _FLOATS:
            return ""
        if operation in _SUMS and format_ in _CHAINS and "zeroinitializer" in i.operands:
            return ""
        return _CHAINS.get(format_, format_)

    def _shorten(self, number: int, chain: str, users: Sequence[int]) -> None:
        """Plan the changes to a value and its ``users`` where uses are far apart."""
        made = self.instructions[number]
        far = far_uses(self.places[number], [self.places[u] for u in users], self.live_range)
        convert = f"vconv.{_IEEE[chain]}.{chain}"
        ieee, now = "", made.result  # the names of the value in both formats; "" where it is not available
        for user, waits in zip(users, far, strict=True):
            change, name = self.changes[user], _called(self.instructions[user])
            if waits and not ieee:
                ieee = self._call(self.changes[number].after, convert, made.result)
            now = "" if waits else now
            if name == convert and ieee:
                change.operands[made.result] = ieee
            elif name == convert:
                ieee = self.instructions[user].result if self.instructions[user].block == made.block else ""
            elif not now and _sum_of(name) is not None:
                change.operands[made.result] = ieee
            elif not now:
                now = self._lifted(change.before, _IEEE[chain], ieee)
            if now not in ("", made.result):
                change.names[made.result] = now

    def _lines(self, i: Instruction, change: _Changes) -> list[str]:
        """``i`` with the changes planned for it."""
        text = renamed(i.text, change.names) if change.names else i.text
        if change.operands and (sum_ := _sum_of(_called(i))):
            text = self._sum(i, change, *sum_)
        elif change.operands:
            (ieee,) = change.operands.values()
            text = f"  {i.result} = bitcast {WORDS} {ieee} to {WORDS}"
        return [*change.before, text, *change.after]

    def _sum(self, i: Instruction, change: _Changes, operation: str, format_: str, mix: bool) -> str:
        """The sum ``i`` with IEEE operands in place of qfloat ones; there is no sf - qf32."""
        ieee = _IEEE.get(format_, format_)
        operands = [(change.operands.get(o, change.names.get(o, o)),
                     o in change.operands or ieee == format_ or (mix and place == 1))
                    for place, o in enumerate(i.operands)]
        (left, left_ieee), (right, right_ieee) = operands
        if left_ieee and not right_ieee:
            if operation == "vadd":
                left, right = right, left
            else:
                left = self._lifted(change.before, ieee, left)
        suffix = ieee if left_ieee and right_ieee else f"{format_}.mix"
        if operation == "vsub" and left_ieee and not right_ieee:
            suffix = format_
        lines: list[str] = []
        made = self._call(lines, f"{operation}.{suffix}", left, right)
        return lines[0].replace(f"{made} = ", f"{i.result} = ", 1)

    def _lifted(self, lines: list[str], ieee: str, value: str) -> str:
        """The name of IEEE ``value`` converted to qfloat: minus zero, which keeps the sign of zero."""
        return self._call(lines, f"vsub.{ieee}", value, "zeroinitializer")

    def _call(self, lines: list[str], name: str, *operands: str) -> str:
        """Append a call of intrinsic ``name`` to ``lines``; returns the name of its result."""
        self.counter += 1
        full = f"@llvm.hexagon.V6.{name}.128B"
        self.declared[full] = f"declare {WORDS} {full}({', '.join([WORDS] * len(operands))})"
        arguments = ", ".join(f"{WORDS} {o}" for o in operands)
        lines.append(f"  %lifetime.{self.counter} = call {WORDS} {full}({arguments})")
        return f"%lifetime.{self.counter}"
