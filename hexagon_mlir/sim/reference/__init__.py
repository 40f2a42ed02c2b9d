"""A second implementation of the instruction set: slow, in Python and numpy, without a JIT.

It shares the reader, the decoder and the memory layout with the translated simulator and nothing of the
semantics, so the two check each other (`python -m fuzz packets`). ``Interpreter(asm_text, target)`` runs whole
functions; ``execute`` runs one decoded packet. A `Model` says which HVX floats are computed.
"""

from hexagon_mlir.sim.reference import (
    scalar,
    scalar_bits,
    scalar_float,
    scalar_lanes,
    scalar_multiply,
    vector_chip_float,
    vector_extra,
    vector_float,
    vector_int,
    vector_multiply,
    vector_permute,
    vector_qfloat,
    vector_small_float,
    vector_sums,
)
from hexagon_mlir.sim.reference.arithmetic import NEWEST, Model, Vector, model
from hexagon_mlir.sim.reference.interpreter import Interpreter, Result
from hexagon_mlir.sim.reference.packet import Registers, execute
from hexagon_mlir.sim.reference.rules import depends, find, find_chip

RULES = (
    scalar, scalar_bits, scalar_float, scalar_lanes, scalar_multiply, vector_chip_float, vector_extra, vector_float,
    vector_int, vector_multiply, vector_permute, vector_qfloat, vector_small_float, vector_sums,
)  # fmt: skip
"""The modules whose import enters the rules."""

__all__ = [
    "NEWEST", "RULES", "Interpreter", "Model", "Registers", "Result", "Vector", "depends", "execute", "find",
    "find_chip", "model",
]  # fmt: skip
