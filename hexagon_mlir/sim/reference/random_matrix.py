"""Random programs of the matrix engine: every form the reference models, register fields of any shape, odd numbers.

A program is a function without arguments that works in a window of TCM; its last packets store all that a program can
see of the engine: both kinds of accumulators, conversions of all ages, bias registers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.isa.matrix import OPERATIONS, Kind, Operation
from hexagon_mlir.sim import layout
from hexagon_mlir.sim.reference.matrix_engine import FIRST_GROUPS, FIRST_WIDE
from hexagon_mlir.sim.reference.random_floats import float_rows
from hexagon_mlir.sim.reference.random_operands import Operands

CHIPS = ("v73", "v75", "v79", "v81")
BASE = layout.TCM_BASE
TILE = 2048
TILES = 64
"""Tiles of activations; results go there too, and to the tiles after the bias tables."""
WEIGHTS = BASE + TILES * TILE
BIASES = WEIGHTS + (1 << 16)
BIAS_TABLES = 16
READOUT = BIASES + 256 * BIAS_TABLES
"""Where the last packets store."""
READOUT_TILES = 20
WINDOW = READOUT + TILE * READOUT_TILES - BASE
ROWS = 256
"""Rows of halves, 64 each, that tiles are made of."""
PLANES = (24, 16, 8, 0)
"""Exponents of the four conversions that show the bytes of an integer sum."""
WORD = 0xFFFFFFFF


@dataclass
class Program:
    """Assembly of function ``name``, the chip it is for and the window's bytes before it runs."""

    name: str
    chip: str
    packets: list[list[str]]
    memory: np.ndarray

    @property
    def text(self) -> str:
        lines = ("\t{\n" + "\n".join(f"\t\t{line}" for line in packet) + "\n\t}\n" for packet in self.packets)
        return f"\t.text\n\t.globl\t{self.name}\n\t.type\t{self.name},@function\n{self.name}:\n{''.join(lines)}"


def modelled(operation: Operation) -> bool:
    """False of forms whose numbers or results have no known format, on one of the simulators at least."""
    return operation.element != "f8"


class Generator(Operands):
    """Programs from a seed for one chip."""

    def __init__(self, seed: int, chip: str) -> None:
        super().__init__(seed)
        self.chip, self.version = chip, targets.get(chip).version
        self.forms: dict[Kind, list[Operation]] = {kind: [] for kind in Kind}
        for operation in OPERATIONS.values():
            if not operation.form.lacking(self.version) and modelled(operation):
                self.forms[operation.kind].append(operation)
        self.packets: list[list[str]] = []

    def program(self, name: str, length: int) -> Program:
        """A program of ``length`` packets for the engine before the last ones; a longer one begins like a shorter."""
        memory = self.memory()
        self.packets = [["r10 = #0"], ["usr = r10"]]
        for _ in range(self.number(1, 4)):
            self.load_bias()
        for _ in range(length):
            self.step()
        self.read_out()
        self.packets.append(["jumpr r31"])
        return Program(name, self.chip, self.packets, memory)

    # -- packets -------------------------------------------------------------------------------------------
    def emit(self, text: str | list[str], **registers: int) -> None:
        """A packet, after others that give its registers their values."""
        transfers = [f"{name} = ##{value & WORD}" for name, value in registers.items()]
        self.packets += [transfers[n : n + 2] for n in range(0, len(transfers), 2)]
        self.packets.append([text] if isinstance(text, str) else text)

    def step(self) -> None:
        choice = self.number(0, 99)
        if choice < 48:
            self.product(choice < 24)
        elif choice < 62:
            self.convert()
        elif choice < 76:
            self.store(self.pick(self.forms[Kind.STORE]))
        elif choice < 86:
            self.store(self.pick(self.forms[Kind.CONVERT_STORE]))
        elif choice < 91:
            self.load_bias()
        elif choice < 93:
            self.emit(_written(self.pick(self.forms[Kind.STORE_BIAS]), "r6"), r6=self.table() | self.number(0, 3))
        elif choice < 97:
            self.emit("usr = r10", r10=self.number(0, 3) << 20)
        else:
            self.other()

    def other(self) -> None:
        """A packet without registers."""
        kind = self.pick((Kind.CLEAR, Kind.SWAP, Kind.SWAP, Kind.SHIFT))
        forms = self.forms[kind] or self.forms[Kind.SWAP]
        self.emit(self.pick(forms).form.template.replace("I)", "#16)"))

    def product(self, floating: bool) -> None:
        """An activation and a weight of the same kind of number."""
        first = self.pick([one for one in self.forms[Kind.ACTIVATION] if one.floating == floating])
        second = self.pick([one for one in self.forms[Kind.WEIGHT] if one.floating == floating])
        lines = [_written(first, "r0", "r1"), _written(second, "r2", "r3")]
        r0, r1 = self.activation("deep" in first.modes)
        self.emit(lines, r0=r0, r1=r1, r2=self.weight_base(), r3=self.weight_extent())

    def activation(self, deep: bool) -> tuple[int, int]:
        """Both registers; windows reach tiles of the activations alone."""
        spatial = self.fields(0x7FF, 3)
        if deep:
            count = self.pick((1, 1, 2, 3, self.number(1, 40)))
            first = self.number(0, TILES - count)
            extent = (count - 1) * TILE | self.pick((0x7FF, self.fields(0x7FF, 1)))
            return BASE + first * TILE | spatial, extent
        tile, below = self.number(0, TILES - 1), self.number(0, TILES - 1)
        shape = self.pick((0x7FF, 0x77C, 0x700, 0x71F, self.fields(0x7FF, 1)))
        return BASE + tile * TILE | spatial, (below - tile) * TILE | shape

    def fields(self, mask: int, rarity: int) -> int:
        """Random bits under ``mask``, few of them for a high ``rarity``."""
        bits = mask
        for _ in range(rarity):
            bits &= self.number(0, mask)
        return bits

    def weight_base(self) -> int:
        """Without the bits for compressed weights and bfloat16."""
        start = WEIGHTS + 128 * self.pick((0, 0, self.number(0, 200)))
        low = self.pick((0, 0, self.number(0, 127))) & ~0x10
        return start | (low & ~0x40 if self.version >= FIRST_WIDE else low)

    def weight_extent(self) -> int:
        """Bytes minus 1, up to the end of the weights, rarely a negative number."""
        if self.chance(40):
            return -self.number(1, 1 << 20)
        return self.pick((0x3FF, 0x7FF, 0xFFF, self.number(0, 0x7FF), self.number(0, 0x97FF)))

    def convert(self) -> None:
        operation = self.pick(self.forms[Kind.CONVERT])
        rs = self.number(0, 0x3FFF) & ~0x00C
        if operation.floating and self.version >= FIRST_WIDE:
            rs &= ~0x080
        self.emit(_written(operation, "r7"), r7=rs)

    def store(self, operation: Operation) -> None:
        """Tiles of activations are written; rows may leave for any other tile."""
        tile, below = self.number(0, TILES - 1), self.number(0, TILES - 1)
        shape = self.pick((0, 0x700, 0x77C, self.fields(0x7FF, 1)))
        rs = BASE + tile * TILE | self.pick((0, self.fields(0x7FF, 1)))
        self.emit(_written(operation, "r8", "r9"), r8=rs, r9=(below - tile) * TILE | shape)

    def table(self) -> int:
        return BIASES + 256 * self.number(0, BIAS_TABLES - 1)

    def load_bias(self) -> None:
        operation = self.pick(self.forms[Kind.LOAD_BIAS])
        self.emit(_written(operation, "r6"), r6=self.table() | self.number(0, 3))

    # -- what is left --------------------------------------------------------------------------------------
    def read_out(self) -> None:
        """Store conversions of all ages, the bias registers, then both sets of both kinds of accumulators."""
        tiles = iter(range(READOUT, READOUT + READOUT_TILES * TILE, TILE))
        for form in ("mxmem(r8,r9) = cvt", *(["mxmem(r8,r9):deep = cvt"] if self.version >= 79 else [])):
            self.emit(form, r8=next(tiles) | 0x83, r9=0x700)
        tile = next(tiles)
        for group in range(4 if self.version >= FIRST_GROUPS else 1):
            self.emit("mxmem2(r6) = bias", r6=tile + 256 * group | group)
        for _ in range(2):
            self.emit("bias = mxmem2(r6)", r6=BIASES - 256)
            self.emit("cvt.hf = acc(r7)", r7=2)
            self.emit("mxmem(r8,r9) = cvt", r8=next(tiles), r9=0)
            for plane in range(len(PLANES)):
                self.emit("bias = mxmem2(r6)", r6=BIASES - 256 * (plane + 2))
                self.emit("cvt.ub = acc(r7)", r7=2 | (plane < len(PLANES) - 1))
                self.emit("mxmem(r8,r9) = cvt", r8=next(tiles), r9=0)

    def memory(self) -> np.ndarray:
        """The window: tiles and weights of halves or bytes, bias tables, the tables of `read_out` before them."""
        memory = self.random.integers(0, 256, WINDOW, np.uint8)
        tiles = memory[: BIASES - BASE].reshape(-1, TILE)
        halves = self.random.integers(0, 2, len(tiles)) == 1
        rows = float_rows(self.random, ROWS, ("hf",))
        chosen = self.random.integers(0, ROWS, (int(halves.sum()), TILE // 128))
        tiles[halves] = rows[chosen].reshape(-1, TILE)
        small = self.random.integers(0, 8, len(tiles)) == 0
        tiles[small] &= self.random.integers(0, 256, (int(small.sum()), 1), np.uint8)
        for table in range(BIAS_TABLES):
            self.put(memory, BIASES + 256 * table, self.bias_table())
        self.put(memory, BIASES - 256, np.array([0x3C00] * 32 + [0] * 32, np.uint32))
        for plane, exponent in enumerate(PLANES):
            self.put(memory, BIASES - 256 * (plane + 2), np.array([exponent << 10] * 32 + [0] * 32, np.uint32))
        return memory

    @staticmethod
    def put(memory: np.ndarray, address: int, words: np.ndarray) -> None:
        memory[address - BASE : address - BASE + words.nbytes] = words.view(np.uint8)

    def bias_table(self) -> np.ndarray:
        """Any bits; or halves as `float_rows` makes them; or scales and biases for integers of usual size."""
        kind = self.number(0, 2)
        if kind == 0:
            return self.random.integers(0, 1 << 32, 64, np.uint32)
        if kind == 1:
            words = float_rows(self.random, 2, ("hf",)).view(np.uint32).reshape(-1).copy()
            words[32:] &= self.pick((0, 0xFFFF0000, 0xFFFFFFFF))
            return words
        low = self.random.integers(0, 1 << 32, 32, np.uint32) & ~np.uint32(31 << 10)
        exponents = self.random.integers(8, 26, 32).astype(np.uint32)
        bias = self.random.integers(-(1 << 15), 1 << 15, 32).astype(np.int32).view(np.uint32)
        return np.concatenate([low | exponents << 10, bias])


def _written(operation: Operation, *registers: str) -> str:
    """The form with registers in place of R, in turn."""
    text = operation.form.template
    for register in registers:
        text = text.replace("(R", f"({register}", 1) if "(R" in text else text.replace(",R)", f",{register})", 1)
    return text
