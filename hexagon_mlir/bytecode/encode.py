"""Bytecode of a group for concrete sizes. What no size decides is computed once: an `Encoder` only fills in numbers."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from math import copysign, inf, isnan, prod

from hexagon_mlir.bytecode import layout
from hexagon_mlir.bytecode.costs import costs_of
from hexagon_mlir.bytecode.group import ORIGIN, Group, Inverse
from hexagon_mlir.bytecode.layout import F16, F32, HALF, WRITTEN
from hexagon_mlir.bytecode.lowering import Code, lower
from hexagon_mlir.bytecode.operations import LOAD, STORE, Kind
from hexagon_mlir.bytecode.shape import Shape
from hexagon_mlir.bytecode.slots import assign
from hexagon_mlir.bytecode.tiles import Room, choose
from hexagon_mlir.ir.diagnostics import HexError
from hexagon_mlir.targets import Target

_HEADER = struct.Struct(f"<{layout.HEADER_WORDS}I")
_TRANSFER = struct.Struct("<8I")
_OPERATION = struct.Struct("<6I2f")
_LOOPS = 4
_LARGEST = (2 - 2**-23) * 2.0**127
"""The largest f32."""


class Encoder:
    """Encodes ``group`` for machines of ``target``; raises `HexError` for a group that has no bytecode."""

    def __init__(self, group: Group, target: Target) -> None:
        lowered = lower(group)
        self.group, self.lowered = group, lowered
        self.shape = Shape.of(target)
        inputs = [value.number for value, _ in group.inputs]
        self.slots, of = assign(lowered, inputs)
        transfers = [(LOAD, number) for number in inputs] + [(STORE, number) for number in lowered.outputs]
        instructions = len(transfers) + len(lowered.code)
        for what, count, most in (("tensors", len(transfers), layout.MAX_BUFFERS),
                                  ("values at a time", len(self.slots), layout.MAX_SLOTS),
                                  ("operations", instructions, layout.MAX_INSTRUCTIONS)):
            if count > most:
                raise HexError.plain(f"a group of {count} {what}", f"at most {most}: divide it", ORIGIN)
        self._row_shift = layout.ROW_SHIFTS[any(slot.half for slot in self.slots)]
        self._costs = costs_of(target, lowered, len(transfers))
        self._room = self._needed_room()
        self._places = [(slot.kind, slot.half, slot.doubled, slot.kind | (HALF if slot.half else 0))
                        for slot in self.slots]
        self._transfers = [(operation.number, of[number], buffer, lowered.present[number],
                            lowered.kinds[number] is not Kind.COLUMN, F16 if lowered.half[number] else F32)
                           for buffer, (operation, number) in enumerate(transfers)]
        self._computed = b"".join(_OPERATION.pack(
            code.operation.number, code.kind, of[code.result], *_padded([of[v] for v in code.operands], 3),
            *_padded([_single(number) for number in code.numbers], 2)) for code in lowered.code)
        self._inverses = [(at * _OPERATION.size + 4 * (6 + place), number.symbol)
                          for at, code in enumerate(lowered.code) for place, number in enumerate(code.numbers)
                          if isinstance(number, Inverse)]
        self._binding = [(at, d, dim) for at, (value, _) in enumerate(group.inputs)
                         for d, dim in enumerate(value.dims)]
        self._words = (layout.HEADER_WORDS + len(transfers) * layout.BUFFER_WORDS
                       + len(self.slots) * layout.SLOT_WORDS + instructions * layout.INSTRUCTION_WORDS)
        self._check_symbols(lowered.code)

    def _check_symbols(self, code: Sequence[Code]) -> None:
        known = {dim for _, _, dim in self._binding}
        for number in [number for one in code for number in one.numbers]:
            if isinstance(number, Inverse) and number.symbol not in known:
                raise HexError.plain(f"no input has the size '{number.symbol}'", "", ORIGIN)

    def _needed_room(self) -> Room:
        counts = dict.fromkeys(Kind, 0.0)
        for slot in self.slots:
            counts[slot.kind] += (2 if slot.doubled else 1) / (2 if slot.half else 1)
        return Room(self.shape.share // layout.VECTOR, counts[Kind.TILE], counts[Kind.COLUMN], counts[Kind.ROW])

    def sizes(self, shapes: Sequence[Sequence[int]]) -> dict[str, int]:
        """The size of each symbol for inputs of these shapes; raises `HexError` where they do not fit the group."""
        if [len(shape) for shape in shapes] != [len(value.dims) for value, _ in self.group.inputs]:
            raise HexError.plain(f"inputs of shapes {[tuple(shape) for shape in shapes]}",
                                 f"the group has {[value.dims for value, _ in self.group.inputs]}", ORIGIN)
        found: dict[str, int] = {}
        for at, d, dim in self._binding:
            size = shapes[at][d]
            expected = found.setdefault(dim, size) if isinstance(dim, str) else 1
            if size != expected or size < 0:
                raise HexError.plain(f"input {at} has {size} elements along dimension {d}",
                                     f"{dim} is {expected}", ORIGIN)
        return found

    def output_shapes(self, sizes: dict[str, int]) -> list[tuple[int, ...]]:
        """The shapes of the outputs for these sizes of the symbols."""
        return [tuple(sizes[dim] if isinstance(dim, str) else 1 for dim in value.dims)
                for value, _ in self.group.outputs]

    def encode(self, shapes: Sequence[Sequence[int]]) -> bytes:
        """The program for inputs of these shapes; raises `HexError`: also where a row that is reduced exceeds TCM."""
        sizes = self.sizes(shapes)
        loops = [prod([sizes[symbol] for symbol in symbols]) for symbols in self.lowered.loops]
        outer, inner, rows, columns = domain = [1] * (_LOOPS - len(loops)) + loops
        tiles = choose(outer * inner, rows, columns, self.lowered.whole_rows, self._row_shift, self._room, self._costs,
                       self.shape.threads)
        if not columns and rows and self.lowered.whole_rows:
            raise HexError.plain("rows of no elements are reduced", "", ORIGIN)
        if tiles is None:
            raise HexError.plain(f"rows of {columns} elements", "a row that is reduced must fit TCM", ORIGIN)
        row_tiles, column_tiles = -(-rows // tiles.rows), -(-columns // tiles.columns)
        if outer * inner * row_tiles * column_tiles > layout.MAX_TILES or max(domain) >> 31:
            raise HexError.plain(f"a domain of {' x '.join(map(str, domain))} elements", "divide it", ORIGIN)
        loads = len(self.group.inputs)
        parts = [_HEADER.pack(layout.MAGIC, layout.VERSION, self._words, tiles.threads, *domain, tiles.rows,
                              tiles.columns, row_tiles, column_tiles, self._row_shift, len(self._transfers),
                              len(self.slots), loads, len(self.lowered.code), len(self._transfers) - loads)]
        moves = []
        for number, slot, buffer, present, by_columns, element in self._transfers:
            stride, strides = 1, [0, 0, 0, 0]
            for loop in range(len(loops) - 1, -1, -1):
                if present[loop]:
                    strides[loop - len(loops)] = stride
                    stride *= loops[loop]
            strides[3] = 1 if by_columns else 0
            if stride << (2 - element) >> 31:
                raise HexError.plain(f"a tensor of {stride} elements", "less than 2 GiB", ORIGIN)
            written = WRITTEN if number == STORE.number else 0
            parts.append(struct.pack("<2I", stride, element | written))
            moves.append(_TRANSFER.pack(number, slot, buffer, 0, *strides))
        parts.append(self._slot_table(tiles.rows, tiles.columns))
        parts += moves[:loads]
        parts.append(self._with_inverses(sizes) if self._inverses else self._computed)
        parts += moves[loads:]
        return b"".join(parts)

    def _slot_table(self, tile_rows: int, tile_columns: int) -> bytes:
        row, column = layout.vectors(tile_columns, self._row_shift), layout.vectors(tile_rows, self._row_shift)
        needed = (tile_rows * row, column, row)
        words, place = [], 0
        for kind, half, doubled, flags in self._places:
            size = needed[kind] >> half
            odd = place + size if doubled else place
            words += [place, odd, size, flags]
            place = odd + size
        return struct.pack(f"<{len(words)}I", *words)

    def _with_inverses(self, sizes: dict[str, int]) -> bytes:
        code = bytearray(self._computed)
        for at, symbol in self._inverses:
            struct.pack_into("<f", code, at, 1 / sizes[symbol] if sizes[symbol] else 0.0)
        return bytes(code)


def _single(number: float | Inverse) -> float:
    """``number``, or infinity where f32 has no such number; 0 for one that a size decides."""
    if isinstance(number, Inverse):
        return 0.0
    return number if isnan(number) or abs(number) <= _LARGEST else copysign(inf, number)


def _padded(numbers: list, count: int) -> list:
    return numbers + [0] * (count - len(numbers))
