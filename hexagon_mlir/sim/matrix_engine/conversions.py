"""Conversions of accumulators, and stores of what they gave."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hexagon_mlir.isa.matrix import Kind, Operation
from hexagon_mlir.sim.matrix_engine.fields import (
    CHANNEL_MAJOR,
    SPATIAL_MAJOR,
    TILE_BYTES,
    TILE_MASK,
    Layout,
    placements,
)
from hexagon_mlir.sim.matrix_engine.formats import BYTE_ROWS, COLUMNS
from hexagon_mlir.sim.matrix_engine.functions import Functions
from hexagon_mlir.sim.matrix_engine.state import BIAS_GROUPS, State
from hexagon_mlir.sim.matrix_engine.tcm import Tcm
from hexagon_mlir.sim.translation.program import SimError

WORD_BYTES = 4
ENTRY_FRACTION = 4
"""Bits of an entry of the conversion state that a store drops."""
FIRST_BIAS_GROUPS = 75
"""The first version with four groups of bias registers."""
FIRST_BFLOAT = 81
SIGN_OF_HALF = 0x800
"""In the upper entry of a result in half precision."""
IEEE, NAN_THROUGH = 1 << 20, 1 << 21
"""Bits of USR."""


@dataclass(frozen=True)
class Choice:
    """What a conversion's register, or the name of a store that converts, asks for."""

    retain: bool = False
    wrap: bool = False
    """Integers keep their low bits instead of being saturated; floats keep negative results."""
    more: bool = False
    maxnorm: bool = False
    wide: bool = False
    columns: int = 3
    group: int = 0
    legacy: bool = False
    """Of a store that converts: no sticky bit."""

    @classmethod
    def of_register(cls, value: int, groups: int) -> Choice:
        if value >> 2 & 3:
            raise SimError("a conversion that takes the one before it as a limit is not modelled")
        return cls(bool(value & 1), bool(value & 2), bool(value >> 5 & 1), bool(value >> 6 & 1), bool(value >> 8 & 1),
                   value >> 9 & 3, (value >> 12 & 3) % groups)  # fmt: skip

    @classmethod
    def of_store(cls, operation: Operation) -> Choice:
        modes = operation.modes
        wrap = "pos" not in modes if operation.floating else "sat" not in modes
        return cls("retain" in modes, wrap, legacy=True)


class Conversions:
    """Executes conversions, stores and moves of bias registers on ``state``."""

    def __init__(self, state: State, functions: Functions, tcm: Tcm, version: int) -> None:
        self.state = state
        self.functions = functions
        self.tcm = tcm
        self.version = version
        self.groups = BIAS_GROUPS if version >= FIRST_BIAS_GROUPS else 1

    # -- conversion ------------------------------------------------------------------------------------------
    def convert(self, operation: Operation, register: int, usr: int) -> None:
        """``cvt.X=acc(Rs)``: the newest entry of the conversion state."""
        if operation.floating and register >> 7 & 1 and self.version >= FIRST_BFLOAT:
            raise SimError("conversions to bfloat16 are not modelled")
        self._convert(operation, Choice.of_register(register, self.groups), usr)

    def convert_and_store(self, operation: Operation, registers: tuple[int, int], usr: int) -> int:
        """``mxmem(Rs,Rt):after.X=acc`` and its relatives; gives the bytes written."""
        self._convert(operation, Choice.of_store(operation), usr)
        return self.store(operation, registers)

    def _convert(self, operation: Operation, choice: Choice, usr: int) -> None:
        low, high = self.state.bias[choice.group]
        entries = self.state.next_conversion()
        if operation.floating:
            self._halves(choice, usr, low, high, entries)
        else:
            self._integers(operation, choice, low, high, entries)
        accumulators = self.state.accumulators(operation.floating)
        if not choice.retain:
            accumulators.clear(accumulators.current)
            accumulators.current ^= 1

    def _halves(self, choice: Choice, usr: int, low: np.ndarray, high: np.ndarray, entries: np.ndarray) -> None:
        accumulators = self.state.float
        skip = accumulators.current * accumulators.set_bytes
        self.functions.convert_hf(
            *(address + skip for address in accumulators.addresses), low.ctypes.data, high.ctypes.data,
            entries.ctypes.data, accumulators.least, bool(usr & IEEE), bool(usr & NAN_THROUGH), not choice.wrap,
            choice.maxnorm, choice.wide,
        )  # fmt: skip

    def _integers(
        self, operation: Operation, choice: Choice, low: np.ndarray, high: np.ndarray, entries: np.ndarray
    ) -> None:
        accumulators, bias = self.state.integer, high
        if operation.modes & {"sc0", "sc1"}:
            cells, bias = accumulators.part("sc1" in operation.modes), high & ~np.uint32(0xF)
        else:
            cells = accumulators.cells()
        operands = cells.ctypes.data, low.ctypes.data, bias.ctypes.data, entries.ctypes.data
        if operation.element == "ub":
            self.functions.convert_ub(*operands, not choice.wrap, choice.legacy)
        elif "2x2" in operation.modes:
            self.functions.convert_uh2(*operands, not choice.wrap, choice.legacy, choice.columns)
        else:
            self.functions.convert_uh(*operands, not choice.wrap, choice.legacy, choice.more)

    def negatives(self, register: int, usr: int) -> int:
        """How many results of ``cvt.hf=acc(Rs)`` would be below zero without its ReLU."""
        choice = replace(Choice.of_register(register, self.groups), wrap=True)
        entries = np.zeros((BYTE_ROWS, COLUMNS), np.int16)
        low, high = self.state.bias[choice.group]
        self._halves(choice, usr, low, high, entries)
        upper, lower = entries[1::2], entries[::2]
        return int(np.count_nonzero((upper & SIGN_OF_HALF != 0) & ((upper & ~SIGN_OF_HALF) | lower != 0)))

    # -- stores ----------------------------------------------------------------------------------------------
    def store(self, operation: Operation, registers: tuple[int, int]) -> int:
        """``mxmem(Rs,Rt)=cvt``, or the second half of a store that converts; gives the bytes written."""
        start, shape = registers
        layout = CHANNEL_MAJOR if "cm" in operation.modes else SPATIAL_MAJOR
        offset = start & layout.spatial
        base, distance = start & ~TILE_MASK, shape & ~TILE_MASK
        if not offset:
            if "before" not in operation.modes:
                _put_tile(self.tcm.target("result", base, TILE_BYTES), self._bytes(0), layout)
                return TILE_BYTES
            return 0
        written = 0
        previous = 2 if "deep" in operation.modes else 1
        for piece in placements(layout, shape & layout.spatial, offset):
            age = _age(operation, piece.age, piece.below)
            if age is None:
                continue
            tile = self.tcm.target("result", base + (distance if piece.below else 0), TILE_BYTES)
            tile[piece.places] = self._bytes(previous if age else 0)[piece.rows]
            written += piece.places.size
        return written

    def _bytes(self, age: int) -> np.ndarray:
        return (self.state.conversions[age] >> ENTRY_FRACTION).astype(np.uint8)

    # -- bias ------------------------------------------------------------------------------------------------
    def move_bias(self, operation: Operation, register: int) -> int:
        """``bias=mxmem(Rs)`` and its relatives; gives the bytes moved."""
        words = operation.bias_words
        nbytes = words * COLUMNS * WORD_BYTES
        group, address = register % BIAS_GROUPS % self.groups, register & -nbytes
        registers = self.state.bias[group, :words]
        if operation.kind is Kind.LOAD_BIAS:
            registers[:] = self.tcm.read("bias", address, nbytes).view(np.uint32).reshape(words, COLUMNS)
        else:
            self.tcm.target("bias", address, nbytes).view(np.uint32).reshape(words, COLUMNS)[:] = registers
        return nbytes


def _put_tile(tile: np.ndarray, values: np.ndarray, layout: Layout) -> None:
    if layout is CHANNEL_MAJOR:
        tile.reshape(BYTE_ROWS, COLUMNS)[:] = values
    else:
        rows = BYTE_ROWS // WORD_BYTES
        tile.reshape(rows, COLUMNS, WORD_BYTES)[:] = values.reshape(rows, WORD_BYTES, COLUMNS).transpose(0, 2, 1)


def _age(operation: Operation, age: int, below: bool) -> int | None:
    """From which conversion a piece of a store comes, or None if it is not stored.

    Stores of halfwords that convert are split by rows, the others by columns; a half that is stored is the newest.
    """
    if operation.kind is Kind.STORE:
        return age
    outside = below if operation.element == "uh" else bool(age)
    return 0 if outside == ("before" in operation.modes) else None
