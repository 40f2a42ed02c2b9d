"""Loops stay behind the stores in front of them, in LLVM IR text.

LLVM 22's software pipelining puts the first iterations of a one-block loop in front of it and notes for each access how
far its pointer has come. Where the offset is too large for the instruction, the pointer is a sum made in the loop, and
the pipeliner takes that sum's constant for the step of an iteration: the access is noted at another place, and goes
before stores that it must follow. A barrier without code ends the block with those stores.
"""

from __future__ import annotations

import re

from hexagon_mlir.codegen.llvm_ir.llvm_text import blocks_of, with_functions
from hexagon_mlir.codegen.llvm_ir.names import GLOBAL, LABEL, TARGET, VALUE
from hexagon_mlir.codegen.llvm_ir.store_order import BARRIER

_ACCESS = re.compile(rf"^  (?:{VALUE} = load |store |.*@llvm\.masked\.(?:load|store)\.)")
_STORE = re.compile(r"^  (?:store |.*@llvm\.masked\.store\.)")
_POINTED = f"(?:{VALUE}|{GLOBAL})"
_POINTER = re.compile(rf"\bptr (?:[a-z]+(?: \d+|\(\d+\))? )*({_POINTED})")
_MOVED = re.compile(rf"\n  ({VALUE}) = (?:getelementptr|select|phi ptr|freeze ptr)\b.*")
_INCOMING = re.compile(rf"\[ ({_POINTED}), %")
_BRANCH = "\n  br "
"""What begins the last instruction of a block that leads to others."""


def keep_loops_behind_stores(text: str) -> str:
    """``text`` with a barrier where a block stores to an object that the one-block loop after it accesses."""
    return with_functions(text, _ordered)


def _ordered(function: str) -> str:
    blocks = blocks_of(function)
    names = [_name(block) for block in blocks]
    targets = [TARGET.findall(block, at) if (at := block.rfind(_BRANCH)) >= 0 else [] for block in blocks]
    loops = {name: block for name, block, after in zip(names, blocks, targets, strict=True) if name in after}
    entered = [(number, [loops[name] for name in after if name in loops]) for number, after in enumerate(targets)
               if names[number] not in loops]
    stores = [(number, inside, stored) for number, inside in entered
              if inside and (stored := _pointers(blocks[number], _STORE))]
    if not stores:
        return function
    moves = {match[1]: _sources(match[0]) for match in _MOVED.finditer(function)}
    for number, inside, stored in stores:
        accessed = _roots([p for loop in inside for p in _pointers(loop, _ACCESS)], moves)
        if accessed & _roots(stored, moves):
            before, branch, after = blocks[number].rpartition(_BRANCH)
            blocks[number] = f"{before}\n{BARRIER}{branch}{after}"
    return "\n".join(blocks)


def _name(block: str) -> str:
    match = LABEL.match(block)
    return match[1] if match else ""


def _pointers(block: str, access: re.Pattern[str]) -> list[str]:
    return [name for line in block.split("\n") if access.match(line) for name in _POINTER.findall(line)]


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
