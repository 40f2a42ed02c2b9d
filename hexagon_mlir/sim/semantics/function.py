"""Whole LLVM functions of `Val`s: the simulator's helpers, which translated code calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hexagon_mlir.sim.semantics.value import I32, Code, Type, Val

STATE = "%st"
"""The parameter of helpers that points to the state record."""


class Function(Code):
    """Writes one function, block after block; ``head`` and ``attributes`` are those of ``define``."""

    def __init__(self, head: str, attributes: str = "", declarations: set[str] | None = None) -> None:
        super().__init__(set() if declarations is None else declarations)
        self._head, self._attributes = head, attributes
        self._phis: dict[str, list[int]] = {}
        """Of an open loop: the numbers of the lines with its phis."""
        self.label("entry")

    def text(self) -> str:
        """The function, which ends after the last line written."""
        lines = [self.lines[0], *self.allocas, *self.lines[1:]]
        return f"define {self._head} {self._attributes} {{\n" + "\n".join(lines) + "\n}"

    def argument(self, name: str, type_: Type) -> Val:
        """The parameter ``%name``."""
        return Val(self, f"%{name}", type_)

    # -- memory --------------------------------------------------------------------------------------------
    def word(self, offset: int, type_: Type = I32) -> Val:
        """The word at ``offset`` of the state record."""
        return self.load(self.at(STATE, offset), type_)

    def pointer(self, offset: int) -> str:
        """The pointer at ``offset`` of the state record."""
        place, name = self.at(STATE, offset), "%" + self.name("p")
        self.put(f"{name} = load ptr, ptr {place}")
        return name

    def element(self, base: str, number: Val | int, type_: Type | str) -> str:
        """The pointer to element ``number`` of an array of ``type_``."""
        name, index = "%" + self.name("e"), f"i32 {number}" if isinstance(number, int) else f"{number.ty} {number.name}"
        self.put(f"{name} = getelementptr {type_}, ptr {base}, {index}")
        return name

    def count(self, place: str, amount: Val) -> None:
        """Add to the word in memory at ``place``."""
        self.store(self.load(place, amount.ty) + amount, place)

    # -- vectors -------------------------------------------------------------------------------------------
    def reduced(self, operation: str, vector: Val) -> Val:
        """``operation`` (and, or) over all lanes."""
        if vector.ty.lanes == 1:
            return vector
        type_ = Type(1, vector.ty.kind, vector.ty.bits)
        return self.call(f"llvm.vector.reduce.{operation}.{vector.ty.mangle()}", type_, vector)

    # -- control -------------------------------------------------------------------------------------------
    def label(self, name: str) -> None:
        """A block begins."""
        self.block = name
        super().label(name)

    def jump(self, label: str) -> None:
        """An unconditional branch."""
        self.put(f"br label %{label}")

    def branch(self, condition: Val, yes: str, no: str) -> None:
        """A conditional branch."""
        self.put(f"br i1 {condition.name}, label %{yes}, label %{no}")

    def begin(self, label: str) -> None:
        """Begin the next block, to which the current one falls through."""
        self.jump(label)
        self.label(label)

    @contextmanager
    def when(self, condition: Val, label: str, end: str) -> Iterator[None]:
        """Code emitted in this context runs if ``condition`` holds, as block ``label``; ``end`` is the block after
        it."""
        self.branch(condition, label, end)
        self.label(label)
        yield
        self.begin(end)

    def loop(self, label: str, start: Sequence[Val]) -> list[Val]:
        """Begin a loop that runs at least once; returns its values: those of ``start`` at first, then `repeat`'s."""
        before = self.block
        self.begin(label)
        phis = []
        for value in start:
            self._phis.setdefault(label, []).append(len(self.lines))
            phis.append(self.op(f"phi {value.ty} [ {value.name}, %{before} ]", value.ty))
        return phis

    def repeat(self, label: str, again: Val, values: Sequence[Val], end: str) -> None:
        """End loop ``label``: repeat it with ``values`` if ``again`` holds, else branch to ``end``."""
        for line, value in zip(self._phis.pop(label), values, strict=True):
            self.lines[line] += f", [ {value.name}, %{self.block} ]"
        self.branch(again, label, end)
        self.label(end)

    def phi(self, incoming: Sequence[tuple[Val, str]]) -> Val:
        """The value for the predecessor block."""
        type_ = incoming[0][0].ty
        return self.op(f"phi {type_} " + ", ".join(f"[ {value.name}, %{label} ]" for value, label in incoming), type_)
