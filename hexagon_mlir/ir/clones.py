"""Copies of operations, with other operands."""

from __future__ import annotations

from torch_mlir import ir

from hexagon_mlir.ir.order import nested_ops


def clone_into(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> None:
    """A copy of ``op`` at the insertion point, which reads what ``values`` has instead, in its regions too.

    ``values`` gets the results of the copy.
    """
    copy = op.clone().operation
    for inner in nested_ops(copy) if len(op.regions) else (copy,):
        for position, value in enumerate(inner.operands):
            if value in values:
                inner.operands[position] = values[value]
    values.update(zip(op.results, copy.results, strict=True))
