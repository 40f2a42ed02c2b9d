"""Estimates of what a group costs the machine: they choose tiles and threads, nothing else."""

from __future__ import annotations

from hexagon_mlir.bytecode.lowering import Lowered
from hexagon_mlir.bytecode.operations import Kind
from hexagon_mlir.bytecode.tiles import Costs
from hexagon_mlir.targets import Target

_CYCLES = {"exp": 34, "log": 56, "sqrt": 37, "rsqrt": 42, "tanh": 81, "erf": 66, "sigmoid": 51, "reciprocal": 32,
           "gelu": 73, "silu": 53, "div": 35, "div_row": 35, "div_column": 35, "rdiv_number": 35, "rdiv_row": 35,
           "rdiv_column": 35}
"""Of an operation on a vector in TCM, measured on the simulator for v75."""
_OTHER_CYCLES = 6
"""Of one that the table lacks."""
_DISPATCH = 60
"""Of an instruction besides its elements: decoding, a call, the start of a loop."""
_BUS_SHARE = 2 / 3
"""Of the time of a descriptor, how long the memory interface is occupied."""


def costs_of(target: Target, lowered: Lowered, transfers: int) -> Costs:
    """Of a group with so many ``transfers`` for each tile."""
    descriptor = float(target.dma_descriptor_cycles.value)
    cycles = sum(_CYCLES.get(code.operation.name, _OTHER_CYCLES) for code in lowered.code if code.kind is Kind.TILE)
    return Costs(
        float(target.vector_bytes.value) * transfers / float(target.ddr_peak_bytes_per_cycle.value),
        _BUS_SHARE * descriptor * transfers, cycles, _DISPATCH * (len(lowered.code) + transfers))
