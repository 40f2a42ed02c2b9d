"""A packet of activation and weight, executed on the accumulators."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hexagon_mlir.sim.matrix_engine import infinities
from hexagon_mlir.sim.matrix_engine.fields import CHANNEL_MAJOR, TILE_BYTES, TILE_MASK
from hexagon_mlir.sim.matrix_engine.formats import (
    ABSENT_EXPONENT,
    BYTE_GROUP,
    BYTE_ROWS,
    COLUMNS,
    GROUP,
    ROWS,
    TILE_VECTORS,
    VECTOR_BYTES,
    ZERO_EXPONENT,
    exponent_range,
)
from hexagon_mlir.sim.matrix_engine.functions import Functions
from hexagon_mlir.sim.matrix_engine.state import State
from hexagon_mlir.sim.matrix_engine.tcm import Tcm
from hexagon_mlir.sim.matrix_engine.walks import MOST_BYTES, MOST_HALVES, Pair, Step, Walk
from hexagon_mlir.sim.translation.program import SimError

COMPRESSED, NEGATE, BFLOAT = 1 << 4, 1 << 5, 1 << 6
"""Bits of a weight's first register; `NEGATE` is about floats."""
FIRST_COMPRESSED, FIRST_BFLOAT = 73, 81
SIGN = 0x8000


class Work(NamedTuple):
    """What a packet has the array do."""

    channels: int = 0
    """Channels times taps that it passes."""
    both: bool = False
    """Whether it adds to both sets of accumulators, or to the current one."""
    read_bytes: int = 0
    activations: tuple[int, int] = (0, 0)
    """Where they begin and end, without those of the tile below."""


def _address(array: np.ndarray) -> int:
    return int(array.ctypes.data)


class Products:
    """Executes products of chip ``version`` on ``state``, with accumulators of ``exponent_bits``."""

    def __init__(self, state: State, functions: Functions, tcm: Tcm, version: int, exponent_bits: int) -> None:
        self.version = version
        self.state = state
        self.functions = functions
        self.tcm = tcm
        self.least, self.greatest = exponent_range(exponent_bits)
        self.words = np.zeros((MOST_BYTES + 2 * COLUMNS, COLUMNS), np.int32)
        """Integer weights, a row for each channel."""
        self.halves = np.zeros((2, MOST_HALVES + 2 * COLUMNS, COLUMNS), np.int16)
        """Significands and exponents of half-precision weights."""
        self.spread_words = np.zeros((COLUMNS, COLUMNS), np.int32)
        self.spread_halves = np.zeros((2, COLUMNS, COLUMNS), np.int16)
        """The same for one step whose stream has not a row for each channel."""
        self.activations = np.zeros((2, 2 * BYTE_ROWS, COLUMNS), np.int32)
        """Of a tile and of the one below: bytes, or significands and exponents."""
        self._words, self._spread_words = _address(self.words), _address(self.spread_words)
        self._halves, self._spread_halves = ([_address(a) for a in pair] for pair in (self.halves, self.spread_halves))
        self._activations = [_address(a) for a in self.activations]

    def run(self, pair: Pair, registers: tuple[int, int, int, int], ieee: bool) -> Work:
        """``registers``: Rs and Rt of activation and weight, unsigned. ``ieee``: USR bit 20."""
        start, shape, place, length = registers
        if place & COMPRESSED and self.version >= FIRST_COMPRESSED:
            raise SimError("compressed weights are not modelled")
        if place & BFLOAT and pair.floating and self.version >= FIRST_BFLOAT:
            raise SimError("weights in bfloat16 are not modelled")
        if length >> 31:
            return Work()
        tiles = min((shape >> 11) + 1, pair.most) if pair.deep else 1
        rows = min(((length >> 7) + 1) * pair.rows_of_vector, pair.most)
        walk = pair.walk(start & TILE_MASK, shape & TILE_MASK, tiles, rows)
        if not walk.steps:
            return Work()
        vectors = -(-walk.stream // pair.rows_of_vector)
        self._unpack(pair, self.tcm.source("weight", place & -VECTOR_BYTES, vectors * VECTOR_BYTES), vectors, place)
        base, below = start & ~TILE_MASK, (start & ~TILE_MASK) + (shape & ~TILE_MASK)
        nbytes = (walk.steps[-1].tile + 1) * TILE_BYTES
        span = base, base + nbytes
        source = self.tcm.source("activation", base, nbytes)
        if walk.below:
            self._load(pair, self.tcm.source("activation", below, TILE_BYTES), 1)
            nbytes += TILE_BYTES
        loaded = -1
        for step in walk.steps:
            if step.tile != loaded:
                loaded = step.tile
                self._load(pair, source + loaded * TILE_BYTES, 0)
            if pair.floating:
                self._add_halves(walk, step, ieee)
            else:
                self._add_bytes(walk, step)
            if ieee and pair.floating:
                self._add_kinds(pair, walk, step, base, below, place)
        return Work(walk.channels, walk.both, vectors * VECTOR_BYTES + nbytes, span)

    # -- operands --------------------------------------------------------------------------------------------
    def _unpack(self, pair: Pair, source: int, vectors: int, place: int) -> None:
        """The weights of ``vectors`` at host address ``source``."""
        if pair.floating:
            self.functions.weights_hf(source, vectors, *self._halves, SIGN if place & NEGATE else 0)
        else:
            getattr(self.functions, f"weights_{pair.unpacking}")(source, vectors, self._words)

    def _load(self, pair: Pair, source: int, below: int) -> None:
        """The tile of activations at host address ``source``, or the one below it."""
        significands, exponents = (address + 4 * below * pair.layout.rows * COLUMNS for address in self._activations)
        if pair.floating:
            self.functions.activations_hf(source, TILE_VECTORS, significands, exponents)
        elif pair.layout is CHANNEL_MAJOR:
            self.functions.activations_cm(source, TILE_VECTORS, significands)
        else:
            self.functions.activations_ub(source, TILE_VECTORS, significands)

    # -- sums ------------------------------------------------------------------------------------------------
    def _add_halves(self, walk: Walk, step: Step, ieee: bool) -> None:
        accumulators = self.state.float
        weights = [address + 2 * step.stream * COLUMNS for address in self._halves]
        if walk.group or step.count % GROUP:
            for spread, stream, zero, absent in zip(
                self.spread_halves, self.halves, (0, ZERO_EXPONENT), (0, ABSENT_EXPONENT), strict=True
            ):
                _spread(spread, stream[step.stream : step.stream + step.count], walk.group, zero, absent)
            weights = self._spread_halves
        groups = COLUMNS // GROUP if walk.group else -(-step.count // GROUP)
        self.functions.products_hf(
            *accumulators.addresses, *self._activations, step.source.address,
            step.targets[accumulators.current].address, *weights, step.first, groups, self.least, self.greatest,
            not ieee,
        )  # fmt: skip

    def _add_bytes(self, walk: Walk, step: Step) -> None:
        accumulators = self.state.integer
        weights = self._words + 4 * step.stream * COLUMNS
        if walk.group or step.count % BYTE_GROUP:
            _spread(self.spread_words, self.words[step.stream : step.stream + step.count], walk.group, 0, 0)
            weights = self._spread_words
        groups = COLUMNS // BYTE_GROUP if walk.group else -(-step.count // BYTE_GROUP)
        self.functions.products_ub(
            *accumulators.addresses, self._activations[0], step.source.address,
            step.targets[accumulators.current].address, weights, step.first, groups,
        )  # fmt: skip

    def _add_kinds(self, pair: Pair, walk: Walk, step: Step, base: int, below: int, place: int) -> None:
        """Infinities and NaN of a step, straight from its operands in memory."""
        tiles = [base + step.tile * TILE_BYTES, *([below] if walk.below else [])]
        slots = np.concatenate([_activations(self.tcm, tile) for tile in tiles])
        vectors = -(-(step.stream + step.count) // pair.rows_of_vector)
        words = self.tcm.read("weight", place & -VECTOR_BYTES, vectors * VECTOR_BYTES).view(np.uint16)
        stream = words.reshape(vectors, COLUMNS, 2).transpose(0, 2, 1).reshape(-1, COLUMNS)
        weights = np.zeros((COLUMNS, COLUMNS), np.uint16)
        present = np.ones((COLUMNS, COLUMNS), np.int16)
        found = stream[step.stream : step.stream + step.count] ^ (SIGN if place & NEGATE else 0)
        if walk.group:
            _grouped(weights, found, walk.group, 0, 0)
            _grouped(present, np.ones_like(found, np.int16), walk.group, 1, 0)
        else:
            whole = -(-step.count // GROUP) * GROUP
            weights[step.first : step.first + step.count] = found
            present[: step.first] = present[step.first + whole :] = 0
        accumulators = self.state.float
        target = step.targets[accumulators.current].values
        goes = target >= 0
        a = infinities.classes(slots[step.source.values[goes]])
        new = infinities.kinds(a, infinities.classes(weights, present > 0))
        accumulators.kinds.reshape(-1, COLUMNS)[target[goes]] |= new


def _activations(tcm: Tcm, address: int) -> np.ndarray:
    """The halves of a tile, [slot][channel]."""
    halves = tcm.read("activation", address, TILE_BYTES).view(np.uint16)
    return halves.reshape(ROWS // 2, COLUMNS, 2).transpose(0, 2, 1).reshape(ROWS, COLUMNS)


def _spread(spread: np.ndarray, stream: np.ndarray, size: int, zero: int, absent: int) -> None:
    """The weights of a step with a row for each channel: of groups of ``size``, or filled up with ``zero``."""
    if size:
        _grouped(spread, stream, size, zero, absent)
    else:
        spread[:] = zero
        spread[: len(stream)] = stream


def _grouped(spread: np.ndarray, stream: np.ndarray, size: int, zero: int, absent: int) -> None:
    """Weights of groups of ``size`` channels as those of 32 channels: ``zero`` for channels of other groups.

    Blocks of 8 channels for which a column has no weights in ``stream`` are ``absent``.
    """
    channels, columns = np.arange(COLUMNS)[:, None], np.arange(COLUMNS)
    first = columns // size * size
    last = first + len(stream) - 1
    own = (channels // GROUP >= first // GROUP) & (channels // GROUP <= last // GROUP)
    spread[:] = np.where(own, zero, absent)
    for number, row in enumerate(stream):
        spread[columns // size * size + number, columns] = row
