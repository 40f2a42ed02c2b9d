"""Activations and weights of one pass as numbers, and their products in the accumulators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexagon_mlir.sim.reference.matrix_float import GROUP, FloatAccumulators, halves
from hexagon_mlir.sim.reference.matrix_integer import IntegerAccumulators
from hexagon_mlir.sim.reference.matrix_tile import Layout
from hexagon_mlir.sim.reference.matrix_walk import Pass
from hexagon_mlir.sim.reference.matrix_weights import (
    COLUMNS,
    KINDS,
    VECTOR_BYTES,
    Kind,
    bytes_as_halves,
    halves_of_weights,
    nibbles,
    widen,
)

NEGATED_BIT = 5
"""Of the weights' register: float weights change their sign."""
SIGN = 0x8000


@dataclass(frozen=True)
class Products:
    """Element types of a packet's operands, and the registers with their addresses."""

    activation: str
    weight: str
    activation_base: int
    weight_base: int

    @property
    def kind(self) -> Kind:
        return KINDS[self.weight]

    @property
    def start(self) -> int:
        """Address of the weights."""
        return self.weight_base & -VECTOR_BYTES

    @staticmethod
    def addresses(step: Pass, layout: Layout, channels: np.ndarray) -> np.ndarray:
        """Of the activations: (kept rows, 1 or 32 columns, channels)."""
        return step.addresses[step.kept][:, None, None] + layout.offsets()[0][channels.T]

    def add_integers(
        self, sums: IntegerAccumulators, step: Pass, sets: np.ndarray, memory: np.ndarray, layout: Layout
    ) -> None:
        addresses = self.addresses(step, layout, step.channels)
        factors = nibbles(self.weight, memory, self.start, step.stream, len(step.channels))
        sums.add(sets, step.rows[step.kept], memory[addresses], factors.transpose(0, 2, 1))

    def add_floats(
        self, sums: FloatAccumulators, step: Pass, sets: np.ndarray, memory: np.ndarray, layout: Layout, ieee: bool
    ) -> None:
        """Blocks of eight channels; those that are not in the step, or have another column's weight, count as 0."""
        read = halves_of_weights if self.weight == "hf" else bytes_as_halves
        weights = read(memory, self.start, step.stream, len(step.channels))
        if self.weight_base >> NEGATED_BIT & 1:
            weights = weights ^ SIGN
        for start in range(0, len(step.channels), GROUP):
            channels = step.channels[start : start + GROUP]
            filled = np.zeros((GROUP, COLUMNS), np.uint16)
            filled[channels % GROUP, np.arange(COLUMNS)] = weights[start : start + GROUP]
            block = channels[:1] // GROUP * GROUP + np.arange(GROUP)[:, None]
            activations = halves(self.patterns(memory, self.addresses(step, layout, block)), ieee)
            sums.add(sets, step.rows[step.kept], activations, halves(filled.T, ieee), ieee)

    def patterns(self, memory: np.ndarray, addresses: np.ndarray) -> np.ndarray:
        """f16 activations, or f8 ones widened: the even bytes, or the odd ones where the register's bit 0 is set."""
        if self.activation == "f8":
            return widen(memory[addresses + (self.activation_base & 1)])
        return memory[addresses] | memory[addresses + 1].astype(np.uint16) << 8
