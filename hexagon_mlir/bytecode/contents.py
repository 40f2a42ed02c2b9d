"""What a bytecode program contains: its words as header, tables and instructions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from hexagon_mlir.bytecode import layout
from hexagon_mlir.bytecode.layout import F16, F32, HALF, WRITTEN
from hexagon_mlir.bytecode.operations import Kind
from hexagon_mlir.ir.diagnostics import NO_FILE, HexError

ORIGIN = "bytecode"
SIGNED = 1 << 31
"""A number of this size or more is negative as an index, or too large for one."""
_WIDTHS = {F32: 4, F16: 2}


@dataclass(frozen=True)
class Buffer:
    """Elements of f32, or f16 if ``half``."""

    elements: int
    half: bool
    written: bool


@dataclass(frozen=True)
class Slot:
    """``places`` are those for even and odd tiles, in vectors, and so is ``vectors``, its size."""

    places: tuple[int, int]
    vectors: int
    kind: Kind
    half: bool

    @property
    def doubled(self) -> bool:
        """Whether a transfer may use it while another tile is computed."""
        return self.places[0] != self.places[1]


@dataclass(frozen=True)
class Program:
    """Bytecode: its words, header, tables and instructions."""

    words: np.ndarray
    header: dict[str, int]
    buffers: tuple[Buffer, ...]
    slots: tuple[Slot, ...]
    instructions: tuple[tuple[int, ...], ...]


class Refused(Exception):
    """What is wrong with a program, and a hint."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what, self.hint = what, hint


def refuse(what: str, hint: str = "") -> NoReturn:
    """Raise `Refused`."""
    raise Refused(what, hint)


@contextmanager
def naming(file: str) -> Iterator[None]:
    """`Refused` becomes a `HexError` that names ``file``."""
    try:
        yield
    except Refused as refusal:
        raise HexError.plain(refusal.what, refusal.hint, ORIGIN, file) from None


def read(code: bytes, file: str = NO_FILE) -> Program:
    """The parts of ``code``, of which only the sizes of tables are checked; raises `HexError`."""
    with naming(file):
        return parts(code)


def parts(code: bytes) -> Program:
    """As `read`; raises `Refused`."""
    if len(code) % 4 or not 4 * layout.HEADER_WORDS <= len(code) <= 4 * layout.MAX_WORDS:
        refuse(f"a program of {len(code)} bytes",
                f"whole words, {layout.HEADER_WORDS} to {layout.MAX_WORDS} of them")
    words = np.frombuffer(code, "<u4")
    numbers = words.tolist()
    header = dict(zip(layout.FIELDS, numbers, strict=False))
    if header["magic"] != layout.MAGIC:
        refuse("no bytecode: it does not begin with HXBC")
    if header["version"] != layout.VERSION:
        refuse(f"bytecode of version {header['version']}", f"this machine executes version {layout.VERSION}")
    instructions = header["loads"] + header["computed"] + header["stores"]
    for what, count, most in (("buffers", header["buffers"], layout.MAX_BUFFERS),
                              ("slots", header["slots"], layout.MAX_SLOTS),
                              ("instructions", instructions, layout.MAX_INSTRUCTIONS)):
        if count > most:
            refuse(f"{count} {what}", f"at most {most}")
    slots_at = layout.HEADER_WORDS + header["buffers"] * layout.BUFFER_WORDS
    code_at = slots_at + header["slots"] * layout.SLOT_WORDS
    end = code_at + instructions * layout.INSTRUCTION_WORDS
    if not end == len(numbers) == header["words"]:
        refuse(f"{len(numbers)} words; the header says {header['words']}, its tables and instructions take {end}")
    buffers, slots = [], []
    for number, at in enumerate(range(layout.HEADER_WORDS, slots_at, layout.BUFFER_WORDS)):
        elements, flags = numbers[at:at + layout.BUFFER_WORDS]
        if flags & ~WRITTEN not in _WIDTHS:
            refuse(f"buffer {number} has type {flags:#x}")
        if elements * _WIDTHS[flags & ~WRITTEN] >= SIGNED:
            refuse(f"buffer {number} has {elements} elements", "less than 2 GiB")
        buffers.append(Buffer(elements, flags & ~WRITTEN == F16, bool(flags & WRITTEN)))
    for number, at in enumerate(range(slots_at, code_at, layout.SLOT_WORDS)):
        even, odd, vectors, flags = numbers[at:at + layout.SLOT_WORDS]
        if flags & ~HALF not in tuple(Kind):
            refuse(f"slot {number} has kind {flags:#x}")
        slots.append(Slot((even, odd), vectors, Kind(flags & ~HALF), bool(flags & HALF)))
    return Program(words, header, tuple(buffers), tuple(slots), tuple(
        tuple(numbers[at:at + layout.INSTRUCTION_WORDS]) for at in range(code_at, end, layout.INSTRUCTION_WORDS)))
