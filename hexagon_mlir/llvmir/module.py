"""A module of LLVM IR: functions, and the text between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from hexagon_mlir.llvmir.function import Function
from hexagon_mlir.llvmir.names import GLOBAL, GLOBAL_NAME
from hexagon_mlir.llvmir.types import split_commas

MODULE_END = "\n; end of module\n"
"""Separator of modules in one text."""
_DECLARED = re.compile(rf"^declare [^@\n]*({GLOBAL})", re.MULTILINE)
_DEFINED = re.compile(rf"({GLOBAL}) = ")
_PRIVATE_CONSTANT = re.compile(r"private (?:unnamed_addr )?constant ")
_ATTRIBUTES = re.compile(r"attributes (#\d+) = \{([^}]*)\}")
_METADATA = re.compile(r"^!(\d+) = ", re.MULTILINE)
_REMARK = "; remark: "
_BEFORE = "\ndefine "


class Module:
    """Functions and the text around them; immutable."""

    def __init__(self, parts: Sequence[Function | str]):
        self.parts = tuple(parts)
        """In order; joined by newlines they are the text."""

    @classmethod
    def parse(cls, text: str) -> Module:
        """``text``, one instruction per line, as LLVM and MLIR print it."""
        return cls([*_parts(text)])

    @cached_property
    def text(self) -> str:
        """The whole text."""
        return "\n".join([part if isinstance(part, str) else part.text for part in self.parts])

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """The definitions, in order."""
        return tuple(part for part in self.parts if isinstance(part, Function))

    @cached_property
    def around(self) -> tuple[str, ...]:
        """The lines outside of functions."""
        return tuple(line for part in self.parts if isinstance(part, str) for line in part.split("\n"))

    @cached_property
    def variables(self) -> dict[str, bool]:
        """Name of each variable, with ``@`` -> whether it is a private constant."""
        return {found[1]: _PRIVATE_CONSTANT.match(line, found.end()) is not None for line in self.around
                if (found := _DEFINED.match(line))}

    def with_attribute(self, attribute: str) -> set[str]:
        """Numbers, with ``#``, of the groups of attributes that have ``attribute``."""
        return {found[1] for line in self.around if (found := _ATTRIBUTES.match(line))
                and attribute in found[2].split()}

    @cached_property
    def declared(self) -> frozenset[str]:
        """The functions that are declared, with ``@``."""
        return frozenset(name for part in self.parts if isinstance(part, str) for name in _DECLARED.findall(part))

    def parameters(self, name: str) -> list[str]:
        """Types and attributes of the arguments of declared function ``name``, with ``@``."""
        line = next(line for line in self.around if line.startswith("declare ") and f" {name}(" in line)
        return split_commas(line[line.index(f" {name}(") + len(name) + 2:line.rindex(")")])

    def without_declarations(self, names: Collection[str]) -> Module:
        """The module without the declarations of ``names``, with ``@``."""
        def kept(line: str) -> bool:
            found = _DECLARED.match(line)
            return found is None or found[1] not in names

        return Module([part if isinstance(part, Function) else "\n".join(filter(kept, part.split("\n")))
                       for part in self.parts])

    @cached_property
    def next_metadata(self) -> int:
        """The first unused metadata number."""
        return max((int(n) for part in self.parts if isinstance(part, str) for n in _METADATA.findall(part)),
                   default=-1) + 1

    @property
    def remarks(self) -> tuple[str, ...]:
        """The remarks in its comments."""
        return tuple(line.removeprefix(_REMARK) for line in self.around if line.startswith(_REMARK))

    def with_remarks(self, remarks: Iterable[str]) -> Module:
        """The module with additional remarks."""
        lines = [f"{_REMARK}{remark}" for remark in remarks]
        return Module(["\n".join(lines), *self.parts]) if lines else self

    @property
    def unparsed(self) -> list[str]:
        """A remark for each opcode, or callee, of instructions in forms that the reader does not know."""
        found: dict[str, str] = {}
        for function in self.functions:
            for i in function.unparsed:
                found.setdefault(i.opcode, f"{function.name}: no rewrite sees what '{i.text.strip()}' takes")
        return list(found.values())

    def lines_for(self, uses: frozenset[str]) -> list[str]:
        """The lines outside of functions, without those about variables and functions not in ``uses``."""
        return [line for line in self.around
                if not line.startswith(("@", "declare ")) or uses.intersection(GLOBAL_NAME.findall(line)[:1])]

    def map(self, rewritten: Callable[[Function], Function]) -> Module:
        """The module with ``rewritten`` applied to each function; itself where nothing changes."""
        parts = [rewritten(part) if isinstance(part, Function) else part for part in self.parts]
        return self if all(a is b for a, b in zip(parts, self.parts, strict=True)) else Module(parts)

    def declaring(self, declarations: Mapping[str, str]) -> Module:
        """The module with those ``declarations`` (name -> line) that are missing."""
        return self.with_lines([line for name, line in declarations.items() if name not in self.declared])

    def with_lines(self, lines: Sequence[str]) -> Module:
        """The module with ``lines`` at its end."""
        if not lines:
            return self
        *parts, last = self.parts
        if isinstance(last, str):
            parts += [last.rstrip("\n")] if last.strip() else []
        else:
            parts.append(last)
        return Module([*parts, "\n".join([*lines, ""])])


def _parts(text: str) -> Iterator[Function | str]:
    at = 0
    begin = 0 if text.startswith(_BEFORE[1:]) else text.find(_BEFORE) + 1 or -1
    while begin >= 0:
        if begin > at:
            yield text[at:begin - 1]
        end = text.find("\n}\n", begin)
        end = len(text) if end < 0 else end + 2
        yield Function(text[begin:end])
        at = end + 1
        begin = text.find(_BEFORE, end) + 1 or -1
    if at <= len(text):
        yield text[at:]
