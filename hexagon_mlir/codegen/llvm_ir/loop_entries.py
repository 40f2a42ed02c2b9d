"""Loops stay behind the stores in front of them, in LLVM IR text.

LLVM 22's software pipelining puts the first iterations of a one-block loop in front of it and notes for each access how
far its pointer has come. Where the offset is too large for the instruction, the pointer is a sum made in the loop, and
the pipeliner takes that sum's constant for the step of an iteration: the access is noted at another place, and goes
before stores that it must follow. A barrier without code ends the block with those stores.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.llvm_text import functions
from hexagon_mlir.codegen.llvm_ir.store_order import BARRIER

_ACCESS = re.compile(r"^  (?:%\S+ = load |store |.*@llvm\.masked\.(?:load|store)\.)")
_STORE = re.compile(r"^  (?:store |.*@llvm\.masked\.store\.)")
_POINTER = re.compile(r"\bptr (?:[a-z]+(?: \d+|\(\d+\))? )*([%@][\w.$-]+)")
_MOVED = re.compile(r"^  (%\S+) = (?:getelementptr|select|phi ptr|freeze ptr)\b")
_INCOMING = re.compile(r"\[ ([%@][\w.$-]+), %")
_LABEL = re.compile(r"^([\w.$-]+|\"[^\"]*\"):")
_BRANCH = re.compile(r"^  br .*?label %")
_TARGET = re.compile(r"label %([\w.$-]+|\"[^\"]*\")")


def keep_loops_behind_stores(text: str) -> str:
    """``text`` with a barrier where a block stores to an object that the one-block loop after it accesses."""
    return "\n".join(line for inside, lines in functions(text) for line in (_ordered(lines) if inside else lines))


def _ordered(lines: list[str]) -> list[str]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if not line.startswith(" ") and _LABEL.match(line):
            blocks.append([])
        blocks[-1].append(line)
    targets = [(block, _targets(block)) for block in blocks]
    loops = {_name(block): block for block, names in targets if _name(block) in names}
    entered = [(block, [loops[name] for name in names if name in loops]) for block, names in targets
               if _name(block) not in loops]
    stores = [(block, inside, stored) for block, inside in entered if inside and (stored := _pointers(block, _STORE))]
    if not stores:
        return lines
    moves = {match[1]: _sources(line) for line in lines if (match := _MOVED.match(line))}
    for block, inside, stored in stores:
        accessed = _roots([p for loop in inside for p in _pointers(loop, _ACCESS)], moves)
        if accessed & _roots(stored, moves):
            block.insert(next(n for n, line in enumerate(block) if _BRANCH.match(line)), BARRIER)
    return [line for block in blocks for line in block]


def _name(block: list[str]) -> str:
    match = _LABEL.match(block[0])
    return match[1] if match else ""


def _targets(block: list[str]) -> list[str]:
    return [name for line in block if line.startswith("  br ") for name in _TARGET.findall(line)]


def _pointers(block: list[str], access: re.Pattern[str]) -> list[str]:
    return [name for line in block if access.match(line) for name in _POINTER.findall(line)]


def _sources(line: str) -> list[str]:
    """The pointers that the result of ``line`` may be, give or take an offset."""
    return _INCOMING.findall(line) if " = phi " in line else _POINTER.findall(line)


def _roots(pointers: list[str], moves: dict[str, list[str]]) -> set[str]:
    """The objects ``pointers`` point into: what their values come from."""
    found, left = set(), list(pointers)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += moves.get(name, [])
    return found - moves.keys()
