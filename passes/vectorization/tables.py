"""Reads at computed indices (memref.load in the body of a linalg op): by which loops, and along which one in rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import has_vectors

LOAD = "memref.load"


@dataclass(frozen=True)
class Table:
    """``loops`` decide on where a read is, ``along`` (if one does) steps from neighbour to neighbour in memory."""

    loops: frozenset[int]
    along: int | None

    def uses(self, loop: int) -> bool:
        """True when the read moves with ``loop``."""
        return loop in self.loops or loop == self.along

    def contiguous_in(self, loop: int) -> bool:
        """True when stepping ``loop`` reads the next element."""
        return loop == self.along and loop not in self.loops


def read_tables(body: ir.Block, dims: Sequence[Sequence[int | None]]) -> tuple[Table, ...]:
    """The reads in ``body``; ``dims[i]`` are the loops that index what its argument i is an element of."""
    return tuple(_table(op.operation, body, dims) for op in body.operations if op.operation.name == LOAD)


def address_ops(body: ir.Block) -> list[ir.Operation]:
    """Operations of ``body`` that only compute indices of reads."""
    found: list[ir.Operation] = []
    for op in reversed([o.operation for o in body.operations]):
        users = [(use.owner.operation, use.operand_number) for result in op.results for use in result.uses]
        if users and op.name != LOAD and all((user.name == LOAD and number > 0) or user in found
                                             for user, number in users):
            found.append(op)
    return found[::-1]


def _table(load: ir.Operation, body: ir.Block, dims: Sequence[Sequence[int | None]]) -> Table:
    indices = list(load.operands)[1:]
    loops = {loop for value in indices[:-1] for loop in _loops(value, body, dims)}
    if not indices:
        return Table(frozenset(), None)
    along, others = _along(indices[-1], body, dims)
    loops |= {loop for value in others for loop in _loops(value, body, dims)}
    if along is not None and not has_vectors(ir.MemRefType(load.operands[0].type)):
        return Table(frozenset(loops | {along}), None)
    return Table(frozenset(loops), along)


def _along(value: ir.Value, body: ir.Block, dims: Sequence[Sequence[int | None]]) -> tuple[int | None, list[ir.Value]]:
    """(loop, other terms) of a sum with one plain loop index in it; (None, the value) when there is none."""
    if not isinstance(value.owner, ir.Block) and value.owner.operation.block == body:
        op = value.owner.operation
        if op.name == "linalg.index":
            return ir.IntegerAttr(op.attributes["dim"]).value, []
        if op.name == "arith.addi":
            for mine, other in ((op.operands[0], op.operands[1]), (op.operands[1], op.operands[0])):
                loop, terms = _along(mine, body, dims)
                if loop is not None:
                    return loop, [*terms, other]
    return None, [value]


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
