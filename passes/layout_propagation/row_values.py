"""Parts of an elementwise op on tiles that are the same in all columns: computed once for each row, not in each column
of tiles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.lib.pure_slices import clone
from hexagon_mlir.passes.lib.tcm_tensors import tcm_tensor
from hexagon_mlir.passes.lib.tile_layouts import ROWS, generic, shape_of

_LEAST_BYTES = 2
_MOST_LOADS = 2
"""Values of rows are computed apart where that is more than twice as many operations as values, which are loaded."""


def row_values(body: ir.Block, of_rows: Iterable[ir.Value]) -> tuple[list[ir.Operation], list[ir.Value]]:
    """The operations of ``body``, in order, that depend on its arguments ``of_rows`` alone, and those of their results
    that others read; nothing where that does not pay."""
    known, found = set(of_rows), list[ir.Operation]()
    for op in [view.operation for view in body.operations][:-1]:
        arguments = [value for value in op.operands if not _is_outside(value, body)]
        if arguments and all(value in known for value in arguments) and all(
                _is_number(value.type) for value in op.results):
            known.update(op.results)
            found.append(op)
    read = [value for op in found for value in op.results
            if any(use.owner.operation not in found for use in value.uses)]
    return (found, read) if len(found) > _MOST_LOADS * len(read) else ([], [])


def compute_row_values(op: ir.Operation, reads: Sequence[tuple[ir.Value, Sequence[int]]], rows: int
                       ) -> dict[ir.Value, ir.Value]:
    """What the body of ``op``, which reads ``reads`` and loops that index each of them, computes of numbers of rows
    alone: for each such value one number a row of ``rows``, at the insertion point."""
    body = op.regions[0].blocks[0]
    of_rows = [number for number, (_, loops) in enumerate(reads) if tuple(loops) == ROWS]
    arguments = [body.arguments[number] for number in of_rows]
    ops, values = row_values(body, arguments)

    def computed(elements: Sequence[ir.Value], value: ir.Value) -> ir.Value:
        mapping = dict(zip(arguments, elements, strict=False))
        for inner in ops:
            clone(inner, mapping)
        return mapping[value]

    return {value: generic([reads[number] for number in of_rows],
                           (tcm_tensor(shape_of(ROWS, rows, 1), value.type), ROWS), (),
                           lambda elements, value=value: computed(elements, value)) for value in values}


def _is_outside(value: ir.Value, body: ir.Block) -> bool:
    """Whether ``value`` is of an operation before the one whose body is ``body``."""
    return value.owner != body if isinstance(value.owner, ir.Block) else value.owner.operation.block != body


def _is_number(type_: ir.Type) -> bool:
    return isinstance(type_, ir.FloatType | ir.IntegerType) and element_bytes(type_) >= _LEAST_BYTES
