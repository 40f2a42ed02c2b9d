"""Checks bytecode before it is executed: what passes reads and writes nothing outside its buffers and its TCM."""

from __future__ import annotations

from itertools import pairwise

from hexagon_mlir.bytecode import layout
from hexagon_mlir.bytecode.contents import SIGNED, Program, Slot, naming, parts, refuse
from hexagon_mlir.bytecode.operations import BY_NUMBER, LOAD, STORE, Form, Kind, Operation
from hexagon_mlir.bytecode.shape import Shape
from hexagon_mlir.ir.diagnostics import NO_FILE


def check(code: bytes, shape: Shape, file: str = NO_FILE) -> Program:
    """``code`` as a `Program` for a machine of this ``shape``; raises `HexError` unless it is well formed and safe."""
    with naming(file):
        program = parts(code)
        _check_program(program, shape)
    return program


def _check_program(program: Program, shape: Shape) -> None:
    _check_header(program.header, shape)
    _check_slots(program, shape)
    defined: set[int] = set()
    loaded: set[int] = set()
    stored: set[int] = set()
    first, last = program.header["loads"], program.header["loads"] + program.header["computed"]
    for number, words in enumerate(program.instructions):
        where = f"instruction {number}"
        if number < first:
            _check_transfer(program, words, where, LOAD)
            if words[1] in loaded:
                refuse(f"{where} loads slot {words[1]}, as one before does")
            loaded.add(words[1])
            defined.add(words[1])
        elif number < last:
            _check_operation(program, words, where, defined)
        else:
            _check_transfer(program, words, where, STORE)
            if words[1] not in defined:
                refuse(f"{where} stores slot {words[1]}, which nothing has written")
            if words[1] in loaded:
                refuse(f"{where} stores slot {words[1]}, which is loaded", "the transfers would overlap")
            if words[2] in stored:
                refuse(f"{where} stores to buffer {words[2]}, as one before does")
            stored.add(words[2])


def _check_header(header: dict[str, int], shape: Shape) -> None:
    if not 1 <= header["threads"] <= shape.threads:
        refuse(f"{header['threads']} threads", f"1 to {shape.threads}")
    for name in ("outer", "inner", "rows", "columns"):
        if header[name] >= SIGNED:
            refuse(f"{name}={header[name]}", "less than 2 ** 31")
    for name, most in (("tile_rows", layout.MAX_TILE_ROWS), ("tile_columns", shape.share // 4)):
        if not 1 <= header[name] <= most:
            refuse(f"{name}={header[name]}", f"1 to {most}")
    for name, size, tile in (("row_tiles", "rows", "tile_rows"), ("column_tiles", "columns", "tile_columns")):
        if header[name] != -(-header[size] // header[tile]):
            refuse(f"{name}={header[name]}, {size}={header[size]} and {tile}={header[tile]} do not fit each other")
    tiles = header["outer"] * header["inner"] * header["row_tiles"] * header["column_tiles"]
    if tiles > layout.MAX_TILES or header["outer"] * header["inner"] >= SIGNED:
        refuse(f"{tiles} tiles", f"at most {layout.MAX_TILES}")
    if header["row_shift"] not in layout.ROW_SHIFTS:
        refuse(f"row_shift={header['row_shift']}", f"one of {layout.ROW_SHIFTS}")


def _check_slots(program: Program, shape: Shape) -> None:
    """Each is large enough for its part of a tile, in TCM, and overlaps no other."""
    header = program.header
    row, column = (layout.vectors(header[name], header["row_shift"]) for name in ("tile_columns", "tile_rows"))
    needed = {Kind.TILE: header["tile_rows"] * row, Kind.COLUMN: column, Kind.ROW: row}
    ends: list[tuple[int, int]] = []
    for number, slot in enumerate(program.slots):
        if slot.half and header["row_shift"] != layout.ROW_SHIFTS[1]:
            refuse(f"slot {number} of f16: rows are not whole vectors of f16", f"row_shift={layout.ROW_SHIFTS[1]}")
        least = needed[slot.kind] // (2 if slot.half else 1)
        if slot.vectors < least:
            refuse(f"slot {number} has {slot.vectors} vectors, a tile needs {least}")
        ends += [(place, place + slot.vectors) for place in set(slot.places)]
    ends.sort()
    if ends and ends[-1][1] > shape.share // layout.VECTOR:
        refuse(f"slots end at vector {ends[-1][1]}", f"a thread has {shape.share // layout.VECTOR}")
    for (_, end), (begin, _) in pairwise(ends):
        if begin < end:
            refuse(f"slots overlap at vector {begin}")


def _check_transfer(program: Program, words: tuple[int, ...], where: str, operation: Operation) -> None:
    number, slot_number, buffer_number, first, *strides = words
    if number != operation.number:
        refuse(f"{where} is no {operation.name}: number {number}")
    slot = _slot(program, slot_number, where)
    if buffer_number >= len(program.buffers):
        refuse(f"{where}: no buffer {buffer_number}")
    buffer = program.buffers[buffer_number]
    if buffer.half != slot.half:
        refuse(f"{where}: buffer {buffer_number} and slot {slot_number} have different types")
    if not slot.doubled:
        refuse(f"{where}: slot {slot_number} has one place for all tiles", "transfers need two")
    if buffer.written != (operation is STORE):
        refuse(f"{where}: buffer {buffer_number} is {'written' if buffer.written else 'read'} only")
    of_row, of_column = strides[2:]
    if of_column != (slot.kind is not Kind.COLUMN) or (slot.kind is Kind.ROW and of_row):
        refuse(f"{where}: strides {of_row} and {of_column} of rows and columns", {
            Kind.TILE: "elements of a row follow each other", Kind.COLUMN: "a column has one element for each row",
            Kind.ROW: "a row has one element for each column"}[slot.kind])
    sizes = [program.header[name] for name in ("outer", "inner", "rows", "columns")]
    reach = 0
    for dim in (3, 2, 1, 0):
        stored_once = strides[dim] > reach or sizes[dim] < 2 or (dim == 3 and slot.kind is Kind.COLUMN)
        if operation is STORE and not stored_once:
            refuse(f"{where}: elements of buffer {buffer_number} are stored more than once")
        reach += (sizes[dim] - 1) * strides[dim]
    if operation is STORE and slot.kind is not Kind.TILE and program.header["column_tiles"] > 1:
        refuse(f"{where}: a {slot.kind.name.lower()} is stored by several tiles")
    if 0 not in sizes and first + reach >= buffer.elements:
        refuse(f"{where}: element {first + reach} of buffer {buffer_number}", f"it has {buffer.elements}")


def _check_operation(program: Program, words: tuple[int, ...], where: str, defined: set[int]) -> None:
    number, kind, result, *operands = words
    operation = BY_NUMBER.get(number)
    if operation is None or operation.form in (Form.LOAD, Form.STORE):
        refuse(f"{where}: no operation {number} on tiles")
    if kind not in tuple(Kind):
        refuse(f"{where}: kind {kind}")
    slots, numbers = operands[:3], operands[3:]
    if any(slots[operation.slots:]) or any(numbers[operation.numbers:]):
        refuse(f"{where}: {operation.name} has {operation.slots} operands in slots and {operation.numbers} numbers",
                "what is unused is 0")
    expected = operand_kinds(operation, Kind(kind))
    if expected is None:
        refuse(f"{where}: {operation.name} on a {Kind(kind).name.lower()}")
    halves = {Form.WIDEN: (False, True), Form.NARROW: (True, False)}.get(operation.form, (False,) * 4)
    for position, (slot_number, want) in enumerate(zip([result, *slots[:operation.slots]], expected, strict=True)):
        slot = _slot(program, slot_number, where)
        if slot.kind is not want or slot.half != halves[position]:
            refuse(f"{where}: slot {slot_number} is a {slot.kind.name.lower()} of {'f16' if slot.half else 'f32'}",
                    f"{operation.name} takes a {want.name.lower()} of {'f16' if halves[position] else 'f32'}")
        if position and slot_number not in defined:
            refuse(f"{where} reads slot {slot_number}, which nothing has written")
    defined.add(result)


def operand_kinds(operation: Operation, kind: Kind) -> tuple[Kind, ...] | None:
    """The kinds of result and operands of ``operation`` on a ``kind``; None where there is no such operation."""
    match operation.form:
        case Form.ELEMENTS | Form.WIDEN | Form.NARROW:
            return (kind,) * (1 + operation.slots)
        case Form.COLUMN | Form.ROW if kind is Kind.TILE:
            last = Kind.COLUMN if operation.form is Form.COLUMN else Kind.ROW
            return (Kind.TILE,) * operation.slots + (last,)
        case Form.REDUCE if kind is Kind.TILE:
            return (Kind.COLUMN, Kind.TILE)
    return None


def _slot(program: Program, number: int, where: str) -> Slot:
    if number >= len(program.slots):
        refuse(f"{where}: no slot {number}")
    return program.slots[number]
