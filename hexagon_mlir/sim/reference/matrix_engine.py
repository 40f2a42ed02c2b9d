"""The matrix engine: its state, and what each of its instructions does to it and to memory.

`MatrixEngine` is the one engine of a chip; packets give it their operations in turn. What is not modelled raises
`Unmodelled`, an address outside TCM `SimError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hexagon_mlir.isa.matrix import SHIFT_BITS, Kind, Operation
from hexagon_mlir.sim.reference.matrix_bytes import (
    IntegerBias,
    IntegerOptions,
    to_bytes,
    to_halfwords,
    to_halfwords_of_pairs,
)
from hexagon_mlir.sim.reference.matrix_float import FloatAccumulators
from hexagon_mlir.sim.reference.matrix_half import HalfOptions, convert_set
from hexagon_mlir.sim.reference.matrix_integer import IntegerAccumulators
from hexagon_mlir.sim.reference.matrix_products import Products
from hexagon_mlir.sim.reference.matrix_store import Destination, pieces
from hexagon_mlir.sim.reference.matrix_tile import CHANNEL_MAJOR, HALVES, SPATIAL_MAJOR
from hexagon_mlir.sim.reference.matrix_walk import Operand, walk
from hexagon_mlir.sim.reference.matrix_weights import stream_length
from hexagon_mlir.sim.translation.program import SimError

COLUMNS = 32
GROUPS = 4
ENTRIES = (64, 32)
AGES = 3
FIRST_FLOAT, FIRST_GROUPS, FIRST_WIDE = 73, 75, 81
"""Versions: the first whose f16 sums are modelled, with four groups of bias registers, with 9 bits of exponent."""
IEEE_BIT, NAN_BIT = 20, 21
"""Of USR."""
BIAS_BYTES = 256


class Unmodelled(Exception):
    """The form, or a bit of its registers, has no known meaning."""


@dataclass(frozen=True)
class Issue:
    """An instruction with the values of its registers (0 where it has none)."""

    operation: Operation
    rs: int = 0
    rt: int = 0


class MatrixEngine:
    """State and instructions of the engine of chip ``version``; ``[low, high)`` are the addresses of its TCM."""

    def __init__(self, version: int, low: int, high: int) -> None:
        self.version, self.low, self.high = version, low, high
        self.reset()

    def reset(self) -> None:
        """Everything zero."""
        self.integers, self.floats = IntegerAccumulators(), FloatAccumulators(9 if self.version >= FIRST_WIDE else 7)
        self.current = {True: 0, False: 0}
        """The current accumulator set of the floats and of the integers."""
        self.bias = np.zeros((GROUPS, 2, COLUMNS), np.int64)
        """(group, low and high words, column)."""
        self.converted = [np.zeros(ENTRIES, np.int64) for _ in range(AGES)]
        """Results of 12 bits, those of the latest conversion first."""

    # -- packets -------------------------------------------------------------------------------------------
    def run(self, issues: list[Issue], usr: int, memory: np.ndarray) -> None:
        """What the engine's instructions of one packet do."""
        self.memory = memory
        self.ieee, self.nan_passes = bool(usr >> IEEE_BIT & 1), bool(usr >> NAN_BIT & 1)
        by_kind = {issue.operation.kind: issue for issue in issues}
        if Kind.ACTIVATION in by_kind:
            self.multiply(by_kind[Kind.ACTIVATION], by_kind[Kind.WEIGHT])
            return
        issue, = issues
        actions: dict[Kind, Callable[[Issue], None]] = {
            Kind.LOAD_BIAS: self.load_bias, Kind.STORE_BIAS: self.store_bias, Kind.CONVERT: self.convert_issue,
            Kind.STORE: self.store, Kind.CONVERT_STORE: self.convert_and_store, Kind.CLEAR: self.clear,
            Kind.SWAP: self.swap, Kind.SHIFT: self.shift,
        }  # fmt: skip
        actions[issue.operation.kind](issue)

    def checked(self, addresses: np.ndarray) -> np.ndarray:
        """The addresses, all in TCM."""
        if addresses.size and not (self.low <= addresses.min() and addresses.max() < self.high):
            raise SimError(f"the matrix engine reads or writes outside TCM at {int(addresses.flat[0]):#x}")
        return addresses

    def needs_float(self, operation: Operation) -> None:
        if operation.floating and self.version < FIRST_FLOAT:
            raise Unmodelled(f"f16 sums of v{self.version} are not modelled")

    # -- products ------------------------------------------------------------------------------------------
    def multiply(self, activation: Issue, weight: Issue) -> None:
        """Add the products of a packet to the accumulators."""
        a, w = activation.operation, weight.operation
        if a.floating != w.floating:
            raise Unmodelled(f"{a.element} activations with {w.element} weights")
        self.needs_float(a)
        if self.version >= FIRST_FLOAT and weight.rs >> 4 & 1:
            raise Unmodelled("compressed weights (weight Rs[4])")
        if self.version >= FIRST_WIDE and w.floating and weight.rs >> 6 & 1:
            raise Unmodelled("bfloat16 (weight Rs[6])")
        operands = Products(a.element, w.element + ":2x" * ("2x" in w.modes), activation.rs, weight.rs)
        layout = HALVES if a.floating else CHANNEL_MAJOR if "cm" in a.modes else SPATIAL_MAJOR
        entries, whole = stream_length(operands.kind, weight.rt), operands.kind.narrow
        first, second = Operand(activation.rs, activation.rt, _mode(a)), Operand(weight.rs, weight.rt, _mode(w))
        for step in walk(layout, first, second, entries, whole):
            self.checked(operands.addresses(step, layout, step.channels))
            sets = step.other[step.kept] ^ self.current[a.floating]
            if a.floating:
                operands.add_floats(self.floats, step, sets, self.memory, layout, self.ieee)
            else:
                operands.add_integers(self.integers, step, sets, self.memory, layout)

    # -- bias registers ------------------------------------------------------------------------------------
    def group(self, number: int) -> int:
        return number & GROUPS - 1 if self.version >= FIRST_GROUPS else 0

    def bias_bytes(self, issue: Issue) -> np.ndarray:
        """The bytes of memory that an instruction loads bias registers from, or stores them to."""
        size = BIAS_BYTES // 2 * issue.operation.bias_words
        start = issue.rs & -size
        self.checked(np.array([start, start + size - 1]))
        return self.memory[start : start + size]

    def load_bias(self, issue: Issue) -> None:
        words = self.bias_bytes(issue).view(np.uint32).reshape(-1, COLUMNS)
        self.bias[self.group(issue.rs), : len(words)] = words

    def store_bias(self, issue: Issue) -> None:
        words = self.bias[self.group(issue.rs), : issue.operation.bias_words].astype(np.uint32)
        self.bias_bytes(issue)[:] = words.view(np.uint8).reshape(-1)

    # -- conversions and stores ----------------------------------------------------------------------------
    def convert_issue(self, issue: Issue) -> None:
        """``cvt``."""
        operation, rs = issue.operation, issue.rs
        if operation.element == "f8":
            raise Unmodelled("results in f8")
        if rs >> 2 & 3:
            raise Unmodelled("feedback of the previous conversion (cvt Rs[3:2])")
        if operation.floating and self.version >= FIRST_WIDE and rs >> 7 & 1:
            raise Unmodelled("bfloat16 (cvt Rs[7])")
        group = self.group(rs >> 12)
        if operation.floating:
            half = HalfOptions(not rs >> 1 & 1, bool(rs >> 6 & 1), bool(rs >> 8 & 1), self.ieee, self.nan_passes)
            self.convert(operation, group, half, bool(rs & 1))
        else:
            integer = IntegerOptions(bool(rs >> 1 & 1), True, bool(rs >> 5 & 1), rs >> 9 & 3)
            self.convert(operation, group, integer, bool(rs & 1))

    def convert(
        self, operation: Operation, group: int, options: HalfOptions | IntegerOptions, retain: bool
    ) -> None:
        """Results of the current set become the newest; unless ``retain``, the set is cleared and the other one
        current."""
        self.needs_float(operation)
        low, high = self.bias[group]
        number = self.current[operation.floating]
        if isinstance(options, HalfOptions):
            floats = self.floats
            entries = convert_set(
                floats.significand[number], floats.exponent[number], floats.kind[number], low | high << 32, options
            )
        else:
            part = next((part for part in (0, 1) if f"sc{part}" in operation.modes), None)
            cells, bias = self.integers.cells(number, part), IntegerBias(low, high)
            if "2x1" in operation.modes:
                entries = to_halfwords(cells, bias, options)
            elif "2x2" in operation.modes:
                direct = operation.kind is Kind.CONVERT_STORE
                entries = to_halfwords_of_pairs(cells, bias, options, options.columns, direct)
            else:
                entries = to_bytes(cells, bias, options, part is not None)
        self.converted = [entries, *self.converted[: AGES - 1]]
        if not retain:
            self.accumulators(operation).clear(number)
            self.current[operation.floating] ^= 1

    def store(self, issue: Issue) -> None:
        """``=cvt``: a whole tile, columns left of the offset from an earlier conversion."""
        modes = issue.operation.modes
        if issue.operation.element == "f8":
            raise Unmodelled("stores of f8")
        layout = CHANNEL_MAJOR if "cm" in modes else SPATIAL_MAJOR
        earlier = self.converted[2 if "deep" in modes else 1]
        self.write(pieces(Destination(issue.rs, issue.rt, layout), self.converted[0], earlier))

    def convert_and_store(self, issue: Issue) -> None:
        """``=acc``: the part of the results inside the tile (``after``) or the part that leaves it (``before``): of
        halfwords below, of the others on the right."""
        operation, modes = issue.operation, issue.operation.modes
        options = (
            HalfOptions("pos" in modes, ieee=self.ieee, nan_passes=self.nan_passes)
            if operation.floating else IntegerOptions("sat" not in modes)
        )  # fmt: skip
        self.convert(operation, 0, options, "retain" in modes)
        to = Destination(issue.rs, issue.rt, CHANNEL_MAJOR if "cm" in modes else SPATIAL_MAJOR)
        newest, after = self.converted[0], "after" in modes
        if operation.element == "uh":
            self.write(pieces(to, newest, newest, below=not after))
        else:
            self.write(pieces(to, newest if after else None, None if after else newest))

    def write(self, parts: Iterator[tuple[np.ndarray, np.ndarray]]) -> None:
        for addresses, values in parts:
            self.memory[self.checked(addresses)] = values

    # -- accumulators --------------------------------------------------------------------------------------
    def accumulators(self, operation: Operation) -> FloatAccumulators | IntegerAccumulators:
        return self.floats if operation.floating else self.integers

    def clear(self, issue: Issue) -> None:
        for number in (0, 1):
            self.accumulators(issue.operation).clear(number)

    def swap(self, issue: Issue) -> None:
        self.current[issue.operation.floating] ^= 1

    def shift(self, _: Issue) -> None:
        self.integers.shift(self.current[False], SHIFT_BITS)


def _mode(operation: Operation) -> str:
    """The word that chooses taps, or ""."""
    words = operation.modes & {"deep", "above", "single", "dilate", "drop", "after"}
    return next(iter(words), "")
