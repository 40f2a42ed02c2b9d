"""The assembly of a run, packet by packet, with the source line of each: lines and packets point at each other."""

from __future__ import annotations

import linecache
import os
from dataclasses import dataclass
from pathlib import Path

from hexagon_mlir.exec.session import Trace
from hexagon_mlir.ir.text import named_files
from hexagon_mlir.isa.reader import AsmError, parse

_MARGIN = (10, 21, 55)
"""Where the columns of `sim.trace.annotate` end: count, cycles, stalls."""
_LEAST_SHARE = 0.001


@dataclass(frozen=True)
class SourceLine:
    """A line of the program, its text if it can be read, and its cycles of issue and interlocks."""

    number: int
    place: str
    text: str
    cycles: int
    share: float


@dataclass(frozen=True)
class Listing:
    """``rows`` of the assembly: count, cycles, stalls, text, number of the source line (-1: none)."""

    lines: list[SourceLine]
    rows: list[tuple[str, str, str, str, int]]


def listing(asm: str, trace: Trace | None) -> Listing:
    """Of ``asm`` as it ran; without a ``trace`` it has no cycles."""
    cycles = trace.lines if trace is not None else {}
    numbers = {place: number for number, place in enumerate(cycles)}
    of_row = _places(asm) if cycles else {}
    texts = trace.annotated_asm.split("\n")[1:] if trace is not None else [" " * 56 + line for line in asm.split("\n")]
    rows = []
    for number, text in enumerate(texts, 1):
        first, second, third = _MARGIN
        place = numbers.get(of_row.get(number, ""), -1)
        code = text[third + 1:]
        if not code.strip().startswith((".loc", ".file", ".cfi", ".Ltmp", ".Lfunc")):
            rows.append((text[:first].strip(), text[first:second].strip(), text[second:third].strip(), code, place))
    total = sum(cycles.values())
    lines = [SourceLine(numbers[place], _name(place), _text(place), spent, spent / total)
             for place, spent in cycles.items() if spent >= total * _LEAST_SHARE]
    return Listing(lines, rows)


def _places(asm: str) -> dict[int, str]:
    """Line of the assembly -> 'file:line'. Line 0 marks code of several lines: it is the preceding one's."""
    found: dict[int, str] = {}
    try:
        functions = parse(asm).functions.values()
    except AsmError:  # what only LLVM reads
        return {}
    for function in functions:
        place = ""
        for packet in function.packets:
            if packet.loc is None:
                place = ""
            elif packet.loc[1]:
                place = f"{packet.loc[0]}:{packet.loc[1]}"
            found.update((line, place) for line, _ in packet.lines)
    return found


def _name(place: str) -> str:
    file, _, line = place.rpartition(":")
    return f"{Path(file).name}:{line}"


def _text(place: str) -> str:
    """The text of a line, of files the user named and those whose code Python has read; a place may name any file."""
    file, _, line = place.rpartition(":")
    known = file in linecache.cache or os.path.realpath(file) in named_files
    return linecache.getline(file, int(line)).strip() if known else ""
