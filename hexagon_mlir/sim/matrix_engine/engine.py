"""What the matrix engine's packets compute: `MatrixEngine`."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.isa.matrix import OPERATIONS, SHIFT_BITS, Kind, Operation
from hexagon_mlir.sim.matrix_engine.conversions import IEEE, Conversions
from hexagon_mlir.sim.matrix_engine.fields import TILE_BYTES, TILE_MASK
from hexagon_mlir.sim.matrix_engine.formats import exponent_range
from hexagon_mlir.sim.matrix_engine.functions import Functions
from hexagon_mlir.sim.matrix_engine.products import Products
from hexagon_mlir.sim.matrix_engine.state import State
from hexagon_mlir.sim.matrix_engine.tcm import Tcm
from hexagon_mlir.sim.matrix_engine.timing import Effect
from hexagon_mlir.sim.matrix_engine.walks import Pair
from hexagon_mlir.sim.memory_system.memory import Memory
from hexagon_mlir.sim.translation.cached import matrix_code
from hexagon_mlir.targets import Target

FIRST_WIDE_EXPONENT = 81
NARROW_EXPONENT, WIDE_EXPONENT = 7, 9
"""Bits of a float accumulator's exponent before and from that version on."""


@functools.cache
def _functions() -> Functions:
    """Of this process."""
    return Functions(matrix_code())


@dataclass(frozen=True, eq=False)
class Packet:
    """The matrix instructions of a packet: one, or activation and weight."""

    operation: Operation
    pair: Pair | None
    registers: int
    """How many it reads."""

    @classmethod
    def of(cls, keys: Sequence[str]) -> Packet:
        """Of the templates of its instructions, an activation before its weight."""
        operations = [OPERATIONS[key] for key in keys]
        registers = sum(source == "R" for operation in operations for source in operation.form.sources)
        return cls(operations[0], Pair(operations[0], operations[1]) if len(keys) > 1 else None, registers)


class MatrixEngine:
    """The unit's state and the values that its packets compute. Time is the business of `timing`."""

    def __init__(self, memory: Memory, target: Target) -> None:
        wide = target.version >= FIRST_WIDE_EXPONENT
        bits = WIDE_EXPONENT if wide else NARROW_EXPONENT
        self.state = State(exponent_range(bits)[0])
        self.tcm = Tcm(memory)
        loaded = _functions()
        self.products = Products(self.state, loaded, self.tcm, target.version, bits)
        self.conversions = Conversions(self.state, loaded, self.tcm, target.version)

    def execute(self, packet: Packet, registers: tuple[int, ...], usr: int) -> Effect:
        """Run ``packet`` with its registers, unsigned words in the order of its text.

        Raises `SimError` for an operand outside TCM and for what is not modelled.
        """
        operation = packet.operation
        kind = operation.kind
        accumulators = self.state.accumulators(operation.floating)
        current = accumulators.current
        if packet.pair is not None:
            first, second, third, fourth = registers
            work = self.products.run(packet.pair, (first, second, third, fourth), bool(usr & IEEE))
            columns = packet.pair.columns
            return Effect(kind, operation.floating, current, work.both, work.channels, columns, work.read_bytes,
                          activations=work.activations)
        read = written = 0
        if kind is Kind.CONVERT:
            self.conversions.convert(operation, registers[0], usr)
        elif kind is Kind.CONVERT_STORE:
            written = self.conversions.convert_and_store(operation, (registers[0], registers[1]), usr)
        elif kind is Kind.STORE:
            written = self.conversions.store(operation, (registers[0], registers[1]))
        elif kind is Kind.LOAD_BIAS:
            read = self.conversions.move_bias(operation, registers[0])
        elif kind is Kind.STORE_BIAS:
            written = self.conversions.move_bias(operation, registers[0])
        elif kind is Kind.CLEAR:
            accumulators.clear()
        elif kind is Kind.SWAP:
            accumulators.current ^= 1
        else:
            self.state.integer.shift(SHIFT_BITS)
        tile = registers[0] & ~TILE_MASK if written else 0
        return Effect(kind, operation.floating, current, read_bytes=read, written_bytes=written,
                      result=(tile, tile + TILE_BYTES))
