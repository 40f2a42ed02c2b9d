"""A function of LLVM IR: its blocks, and the definition and users of each value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hexagon_mlir.llvmir.instruction import TERMINATORS, Instruction
from hexagon_mlir.llvmir.names import GLOBAL_NAME, LABEL, NAME, VALUE
from hexagon_mlir.llvmir.reader import parse_line

_NUMBER = re.compile(r"%(?=\d)")
_QUOTED = re.compile(r'(?<=%)"[^"\n]*"|^"[^"\n]*"(?=:)', re.MULTILINE)
_NUMBERED_ARGUMENT = re.compile(r"%[0-9]+(?=[,)]|$)")
_LOCAL = re.compile(r"define (?:internal|private) ")
_ATTRIBUTES = re.compile(r"#\d+")
_ARGUMENT = re.compile(rf" {VALUE}(?=[,)])")
_FIRST_VECTOR = re.compile(r"<(\d+) x (\w+)> .*")


@dataclass(frozen=True, eq=False)
class Block:
    """A basic block. ``label`` is its first line."""

    name: str
    label: Instruction
    instructions: tuple[Instruction, ...]

    @property
    def terminator(self) -> Instruction | None:
        """The last instruction if it is a terminator."""
        last = self.instructions[-1] if self.instructions else None
        return last if last is not None and last.opcode in TERMINATORS else None

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The successors."""
        return tuple(self.terminator.targets) if self.terminator is not None else ()

    @property
    def is_loop(self) -> bool:
        """Whether it is its own successor."""
        return self.name in self.targets

    def with_instructions(self, instructions: Iterable[Instruction]) -> Block:
        """The block with other instructions."""
        return Block(self.name, self.label, tuple(instructions))

    def before_terminator(self, *lines: str) -> Block:
        """The block with ``lines`` before its terminator."""
        return self.with_instructions((*self.instructions[:-1], *self.read(lines), self.instructions[-1]))

    def after_phis(self, *lines: str) -> Block:
        """The block with ``lines`` right after its phis."""
        first = next((n for n, i in enumerate(self.instructions) if i.opcode != "phi"), len(self.instructions))
        return self.with_instructions((*self.instructions[:first], *self.read(lines), *self.instructions[first:]))

    def read(self, lines: Iterable[str]) -> Iterator[Instruction]:
        """``lines`` as instructions of the block."""
        return (parse_line(line, self.name) for line in lines)


class Function:
    """A function definition, immutable: rewriting makes a new one.

    It is parsed on first access. Unnamed values and blocks get names then, so that instructions can be inserted and
    removed without renumbering, and quoted names become words.
    """

    def __init__(self, text: str = "", records: Sequence[Instruction] | None = None):
        if text:
            self.text = text
        if records is not None:
            self.records = records

    @cached_property
    def text(self) -> str:
        """The text, without a newline at its end."""
        return "\n".join([i.text for i in self.records])

    @cached_property
    def records(self) -> Sequence[Instruction]:
        """Head, labels, instructions and closing brace, in order."""
        return _read(self.text)

    @classmethod
    def of(cls, lines: Iterable[str]) -> Function:
        """A function of lines whose values all have names; its first is the head, the second a label."""
        records: list[Instruction] = []
        block = ""
        for line in lines:
            if not line.startswith(" ") and (label := LABEL.match(line)):
                block = label[1]
            records.append(parse_line(line, block))
        return cls(records=records)

    @cached_property
    def head(self) -> str:
        """The line with name and arguments."""
        return self.text.partition("\n")[0]

    @cached_property
    def name(self) -> str:
        """With its ``@``."""
        found = GLOBAL_NAME.search(self.head)
        return found[0] if found else ""

    @property
    def is_local(self) -> bool:
        """Whether it has local linkage."""
        return _LOCAL.match(self.head) is not None

    @property
    def attributes(self) -> list[str]:
        """Numbers of its groups of attributes, with ``#``."""
        return _ATTRIBUTES.findall(self.head)

    @property
    def declaration(self) -> str:
        """Its declaration, for modules that call it."""
        head = _LOCAL.sub("define dso_local ", self.head)
        before, arguments = head.replace("define ", "declare ", 1).removesuffix(" {").split(self.name, 1)
        return f"{before}{self.name}{_ARGUMENT.sub('', arguments)}"

    @property
    def uses_of_arguments(self) -> list[bool]:
        """For each argument, whether the function uses it."""
        head, _, body = self.text.partition("\n")
        used = set(NAME.findall(body))
        return [value in used for value in NAME.findall(head.split(self.name, 1)[1])]

    @property
    def first_vectors(self) -> list[tuple[int, str]]:
        """Lanes and element of the first vector type of every line that has one."""
        return [(int(lanes), element) for lanes, element in _FIRST_VECTOR.findall(self.text)]

    @property
    def has_loops(self) -> bool:
        """Whether there is a branch to the same or an earlier block."""
        seen: set[str] = set()
        for block in self.blocks:
            seen.add(block.name)
            if not seen.isdisjoint(block.targets):
                return True
        return False

    def as_internal(self) -> Function:
        """The function with internal linkage."""
        head, newline, body = self.text.partition("\n")
        return Function(head.replace("define ", "define internal ", 1) + newline + body)

    @cached_property
    def globals(self) -> frozenset[str]:
        """The functions and variables that it refers to, itself included."""
        return frozenset(GLOBAL_NAME.findall(self.text))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """In order; the entry first."""
        blocks: list[Block] = []
        start = 1
        for number in range(2, len(self.records)):
            if not self.records[number].opcode:  # a label, or the closing brace
                label = self.records[start]
                blocks.append(Block(label.block, label, tuple(self.records[start + 1:number])))
                start = number
        return tuple(blocks)

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """The instructions of all blocks."""
        return tuple(i for i in self.records if i.opcode)

    @cached_property
    def definitions(self) -> dict[str, Instruction]:
        """Value -> its definition."""
        return {i.result: i for i in self.records if i.result}

    @cached_property
    def users(self) -> dict[str, list[Instruction]]:
        """Value -> the instructions that use it, each once, in order."""
        found: dict[str, list[Instruction]] = {}
        for i in self.records:
            if i.opcode:
                for name in dict.fromkeys(i.mentioned):
                    found.setdefault(name, []).append(i)
        return found

    @cached_property
    def by_opcode(self) -> dict[str, list[Instruction]]:
        """Opcode -> its instructions, in order."""
        found: dict[str, list[Instruction]] = {}
        for i in self.records:
            found.setdefault(i.opcode, []).append(i)
        return found

    @property
    def unparsed(self) -> list[Instruction]:
        """The instructions in forms that the reader does not know."""
        return [i for i in self.records if i.unparsed]

    def with_blocks(self, blocks: Iterable[Block]) -> Function:
        """The function with other blocks."""
        records = [self.records[0]]
        for block in blocks:
            records += (block.label, *block.instructions)
        return Function(records=[*records, self.records[-1]])


def _read(text: str) -> list[Instruction]:
    prefix = "n"
    while f"%{prefix}" in text or f"\n{prefix}" in text:
        prefix += "n"
    text = _in_words(text, f"{prefix}.")
    arguments = text.partition("\n")[0]
    entry = f"{prefix}{len(_NUMBERED_ARGUMENT.findall(arguments[: arguments.rfind(')')]))}"
    head, *lines = _NUMBER.sub(f"%{prefix}", text).split("\n")
    records = [parse_line(head)]
    if not (lines and LABEL.match(lines[0])):
        lines = [f"{entry}:", *lines]
    block, whole = "", ""
    for line in lines:
        if line.startswith("    ") or line == "  ]":  # the cases of a switch
            whole += f"\n{line}"
            continue
        if whole:
            records.append(parse_line(whole, block))
            whole = ""
        if line.startswith(" "):
            whole = line
        elif line:
            line = prefix + line if line[0].isdigit() else line
            label = LABEL.match(line)
            block = label[1] if label else block
            records.append(parse_line(line, block))
    return records


def _in_words(text: str, prefix: str) -> str:
    """The ``text`` of a function with quoted names replaced by words that begin with ``prefix``."""
    if '%"' not in text and '\n"' not in text:  # the search below reads every character
        return text
    words: dict[str, str] = {}
    return _QUOTED.sub(lambda name: words.setdefault(name[0], f"{prefix}{len(words)}"), text)
