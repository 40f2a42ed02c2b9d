"""Which operations on tiles are what a routine does for a column of tiles, or for several of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.bounds import constant_value
from hexagon_mlir.ir.engine_operations import ENGINE_CONVERT, ENGINE_STORE, IN_SCOPE
from hexagon_mlir.ir.query import element_bytes
from hexagon_mlir.passes.engine_lowering.addresses import Address
from hexagon_mlir.passes.engine_lowering.routines import TILE_BYTES, Routine, routine_of, step
from hexagon_mlir.passes.lib.pure_slices import is_pure


@dataclass(frozen=True)
class Columns:
    """``number`` columns of result tiles by ``routine``. ``reduction`` are the tiles of a sum, in ``runs`` that are
    ``distance`` tiles apart."""

    routine: Routine
    operations: tuple[ir.Operation, ...]
    activations: Address
    weights: Address
    results: Address
    tables: Address
    reduction: int
    runs: int
    distance: int
    column_bytes: int
    """Of weights."""
    number: int = 1

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The routine's arguments, its tables last."""
        return self.activations, self.weights, self.results, self.tables


def columns_of(block: ir.Block) -> tuple[list[Columns], ir.Operation | None]:
    """The columns that the operations on tiles of ``block`` compute, in order; and the first one of them that no
    routine does, with those that follow it."""
    operations = [view.operation for view in block.operations if view.operation.name in IN_SCOPE]
    found: list[Columns] = []
    while operations:
        one = _column(operations)
        if one is None:
            return found, operations[0]
        found.append(one)
        operations = operations[len(one.operations):]
    return found, None


def all_of_loop(columns: Columns, block: ir.Block) -> Columns | None:
    """All the columns of the loop whose body is ``block``, which computes ``columns`` in each iteration; None if the
    routine goes another way from one to the next."""
    count = _iterations(block.owner.operation)
    others = [view.operation for view in block.operations if view.operation not in columns.operations]
    if count is None or not all(is_pure(op) for op in others[:-1]):
        return None
    variable: ir.Value = block.arguments[0]
    stores = sum(op.name == ENGINE_STORE for op in columns.operations)
    steps = 0, columns.column_bytes, stores * TILE_BYTES, columns.routine.table_step
    if [address.terms.get(variable, 0) for address in columns.addresses] != list(steps):
        return None
    first, *rest = (address.without(variable) for address in columns.addresses)
    return replace(columns, activations=first, weights=rest[0], results=rest[1], tables=rest[2], number=count)


def _iterations(loop: ir.Operation) -> int | None:
    """Of an scf.for from 0 in steps of 1 that carries no values."""
    if loop.name != "scf.for" or len(loop.operands) != 3:
        return None
    low, high, step = map(constant_value, loop.operands)
    return high if (low, step) == (0, 1) and high is not None and high > 0 else None


def _column(operations: Sequence[ir.Operation]) -> Columns | None:
    """The column that the first of ``operations`` compute."""
    first = operations[0]
    if len(first.operands) != 2:
        return None
    runs, distance = _runs(ir.MemRefType(first.operands[0].type))
    routine = routine_of([step(op) for op in operations], runs > 1)
    if routine is None or distance % TILE_BYTES:
        return None
    own = tuple(operations[:len(routine.steps)])
    stores = [Address.of(op.operands[0]) for op in own if op.name == ENGINE_STORE]
    tables = [Address.of(op.operands[0]) for op in own if op.name == ENGINE_CONVERT]
    arguments = tables[0].moved(-routine.tables[0])
    steps = [store.after(stores[0]) for store in stores], [table.after(arguments) for table in tables]
    if steps != ([TILE_BYTES * number for number in range(len(stores))], list(routine.tables)):
        return None
    subtracted = [op for op in own[1:] if len(op.operands) == 2]
    if any((Address.of(op.operands[0]).after(stores[0]), Address.of(op.operands[1]).after(arguments)) != (0, 0)
           for op in subtracted):
        return None
    weights = ir.MemRefType(first.operands[1].type)
    tiles = _bytes(ir.MemRefType(first.operands[0].type)) // TILE_BYTES
    return Columns(routine, own, Address.of(first.operands[0]), Address.of(first.operands[1]), stores[0], arguments,
                   tiles, runs, distance // TILE_BYTES, _bytes(weights))


def _bytes(type_: ir.MemRefType) -> int:
    return prod(type_.shape) * element_bytes(type_.element_type)


def _runs(activations: ir.MemRefType) -> tuple[int, int]:
    """How many runs of tiles ``activations`` are, and the bytes from one to the next: 1 and 0 of one run."""
    count, *inner = activations.shape
    distance = activations.get_strides_and_offset()[0][0]
    if count == 1 or distance == prod(inner):
        return 1, 0
    return count, distance * element_bytes(activations.element_type)
