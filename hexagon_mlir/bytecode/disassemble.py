"""Bytecode as text."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from hexagon_mlir.bytecode.contents import Program, Slot
from hexagon_mlir.bytecode.operations import BY_NUMBER, LOAD, Form, Kind


def disassemble(program: Program) -> str:
    """The header, buffers, slots and instructions of ``program``, one to a line."""
    return "".join(f"{line}\n" for line in _lines(program))


def _lines(program: Program) -> Iterator[str]:
    header = program.header
    domain = " x ".join(str(header[name]) for name in ("outer", "inner", "rows", "columns"))
    tiles = header["outer"] * header["inner"] * header["row_tiles"] * header["column_tiles"]
    yield (f"version {header['version']}: {domain} elements in {tiles} tiles of {header['tile_rows']} x "
           f"{header['tile_columns']}, {header['threads']} threads")
    for number, buffer in enumerate(program.buffers):
        yield (f"buffer b{number}: {buffer.elements} x {_type(buffer.half)}, {'written' if buffer.written else 'read'}")
    for number, slot in enumerate(program.slots):
        yield f"slot s{number}: {slot.kind.name.lower()} of {_type(slot.half)}, {_places(slot)}"
    for words in program.instructions:
        yield _instruction(words)


def _type(half: bool) -> str:
    return "f16" if half else "f32"


def _places(slot: Slot) -> str:
    places = dict.fromkeys(slot.places)
    return f"{slot.vectors} vectors at {' and '.join(map(str, places))}"


def _instruction(words: tuple[int, ...]) -> str:
    operation = BY_NUMBER.get(words[0])
    if operation is None:
        return f"unknown {words}"
    if operation.form in (Form.LOAD, Form.STORE):
        _, slot, buffer, first, *strides = words
        place = f"b{buffer}[{first}] by {', '.join(map(str, strides))}"
        return f"s{slot} = load {place}" if operation is LOAD else f"store s{slot}, {place}"
    _, kind, result, *rest = words
    numbers = struct.unpack("<2f", struct.pack("<2I", *rest[3:]))
    operands = [f"s{slot}" for slot in rest[:operation.slots]]
    operands += [f"{number:.9g}" for number in numbers[:operation.numbers]]
    name = Kind(kind).name.lower() if kind in tuple(Kind) else f"kind {kind}"
    return f"s{result} = {operation.name} {', '.join(operands)} : {name}"
