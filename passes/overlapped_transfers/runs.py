"""Copies to TCM that follow each other: their transfers run at the same time."""

from __future__ import annotations

from hexagon_mlir.dialects.double_buffering import FETCH, STORE
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, root_buffer
from hexagon_mlir.ir.query import in_tcm
from hexagon_mlir.passes.lib.dma_transfers import Shape, plan_transfers

_BETWEEN = VIEWS | {"memref.alloc", "memref.dim", "arith.constant"}


def fetch_runs(block: ir.Block, field_bits: int) -> list[list[ir.Operation]]:
    """The copies of ``block`` from DDR to TCM, of static shape and one transfer each, to different buffers, in lists
    between whose members nothing happens."""
    runs: list[list[ir.Operation]] = [[]]
    for view in block.operations:
        op = view.operation
        if op.name in _BETWEEN:
            continue
        if not _is_fetch(op, field_bits):
            runs.append([])
        elif root_buffer(op.operands[1]) in [root_buffer(copy.operands[1]) for copy in runs[-1]]:
            runs.append([op])
        else:
            runs[-1].append(op)
    return [run for run in runs if run]


def _is_fetch(op: ir.Operation, field_bits: int) -> bool:
    if op.name != "memref.copy" or {FETCH, STORE} & set(op.attributes):
        return False
    source, target = (ir.MemRefType(value.type) for value in op.operands)
    if in_tcm(source) or not in_tcm(target) or not source.has_static_shape:
        return False
    return plan_transfers([op], field_bits) == ([Shape(0, 0)], 1)
