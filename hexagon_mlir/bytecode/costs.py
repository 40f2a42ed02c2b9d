"""Estimates of what a group costs the machine: they choose tiles and threads, nothing else."""

from __future__ import annotations

from hexagon_mlir.bytecode.lowering import Lowered
from hexagon_mlir.bytecode.tiles import Costs
from hexagon_mlir.targets import Target

_DISPATCH = 60
"""Cycles of an instruction besides its elements: decoding, a call, the start of a loop; seen on the simulator."""
_PACKETS = 4
"""Of an operation, for a vector; a mean over arithmetic and functions."""


def costs_of(target: Target, lowered: Lowered, transfers: int) -> Costs:
    """Of a group with so many ``transfers`` for each tile."""
    computed = len(lowered.code)
    vector = float(target.vector_bytes.value)
    shared = float(target.ddr_peak_bytes_per_cycle.value) / float(target.hvx_contexts.value)
    rate = min(shared, float(target.dma_bytes_per_cycle.value))
    return Costs(float(target.thread_create_cycles.value) + float(target.task_dispatch_cycles.value),
                 _DISPATCH * (computed + transfers) + float(target.dma_descriptor_cycles.value) * transfers,
                 vector * transfers / rate,
                 _PACKETS * float(target.hvx_issue_interval_cycles.value) * computed)
