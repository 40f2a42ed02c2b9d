"""Reads at computed indices (memref.load in the body of a linalg op): the loops they depend on, and the one along which
they are contiguous."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import has_vectors
from hexagon_mlir.passes.lib.look_ups import fits_registers, is_index_cast

LOAD = "memref.load"


@dataclass(frozen=True)
class Table:
    """The address of a read depends on ``loops``; it is contiguous along loop ``along``, if any, with stride -1 if
    ``backward``.
    """

    loops: frozenset[int]
    along: int | None
    backward: bool = False

    def uses(self, loop: int) -> bool:
        """True when the address depends on ``loop``."""
        return loop in self.loops or loop == self.along

    def contiguous_in(self, loop: int) -> bool:
        """True when stepping ``loop`` reads the next element."""
        return loop == self.along and loop not in self.loops


def read_tables(body: ir.Block, dims: Sequence[Sequence[int | None]]) -> tuple[Table, ...]:
    """The reads in ``body`` that are not look-ups; ``dims[i]`` are the loops that index the operand of block argument
    i."""
    return tuple(_table(op.operation, body, dims) for op in body.operations
                 if op.operation.name == LOAD and not is_lookup(op.operation))


def is_lookup(load: ir.Operation) -> bool:
    """True for a read of a table that fits the registers, at an index that is contiguous along no loop."""
    if load.name != LOAD or not fits_registers(ir.MemRefType(load.operands[0].type)):
        return False
    return _along(load.operands[1], load.block)[0] is None


def address_ops(body: ir.Block) -> list[ir.Operation]:
    """Operations of ``body`` that only compute indices of reads in scalar code, or widen those of look-ups."""
    found: list[ir.Operation] = []
    widening: list[ir.Operation] = []
    operations = [o.operation for o in body.operations]
    if not any(op.name == LOAD for op in operations):
        return found
    for op in reversed(operations):
        users = [(use.owner.operation, use.operand_number) for result in op.results for use in result.uses]
        looked_up = [user for user, number in users if (number > 0 and is_lookup(user)) or user in widening]
        if users and op.name != LOAD and all((user.name == LOAD and number > 0) or user in found
                                             for user, number in users) and (not looked_up or is_index_cast(op)):
            found.append(op)
            widening += [op] if looked_up else []
    return found[::-1]


def _table(load: ir.Operation, body: ir.Block, dims: Sequence[Sequence[int | None]]) -> Table:
    indices = list(load.operands)[1:]
    loops = {loop for value in indices[:-1] for loop in _loops(value, body, dims)}
    if not indices:
        return Table(frozenset(), None)
    along, others, backward = _along(indices[-1], body)
    loops |= {loop for value in others for loop in _loops(value, body, dims)}
    if along is not None and not has_vectors(ir.MemRefType(load.operands[0].type)):
        return Table(frozenset(loops | {along}), None)
    return Table(frozenset(loops), along, backward)


def runs_backward(load: ir.Operation) -> bool:
    """True for a read with stride -1."""
    return _along(load.operands[len(load.operands) - 1], load.block)[2]


def _along(value: ir.Value, body: ir.Block) -> tuple[int | None, list[ir.Value], bool]:
    """(loop, other terms, whether it is subtracted) of a sum with one plain loop index in it; (None, the value, False)
    when there is none.
    """
    if not isinstance(value.owner, ir.Block) and value.owner.operation.block == body:
        op = value.owner.operation
        if op.name == "linalg.index":
            return ir.IntegerAttr(op.attributes["dim"]).value, [], False
        if op.name in ("arith.addi", "arith.subi"):
            for mine, other in ((op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])):
                loop, terms, backward = _along(mine, body)
                if loop is not None:
                    turns = op.name == "arith.subi" and mine == op.operands[1]
                    return loop, [*terms, other], backward != turns
    return None, [value], False


def _loops(value: ir.Value, body: ir.Block, dims: Sequence[Sequence[int | None]]) -> set[int]:
    """The loops that ``value`` changes with."""
    if isinstance(value.owner, ir.Block):
        if value.owner != body:
            return set()
        return {d for d in dims[ir.BlockArgument(value).arg_number] if d is not None}
    op = value.owner.operation
    if op.block != body:
        return set()
    if op.name == "linalg.index":
        return {ir.IntegerAttr(op.attributes["dim"]).value}
    return {loop for operand in op.operands for loop in _loops(operand, body, dims)}
