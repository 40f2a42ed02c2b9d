"""The initial value of a contraction's sums: a number or a bias that an op before it writes into the output.

Blocks of accumulators start from it in registers, and the output is written once.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import VIEWS, root_buffer
from hexagon_mlir.ir.query import input_count, yields_input
from hexagon_mlir.passes.lib.contractions import Contraction, access_of, runs_backwards


@dataclass(frozen=True)
class Start:
    """``op`` writes ``value``, a number or a buffer, into the output; ``dims`` are the contraction's loops that index
    the buffer."""

    op: ir.Operation
    value: ir.Value
    dims: tuple[int, ...]


def find_start(op: ir.Operation, contraction: Contraction, loop: int) -> Start | None:
    """The op before ``op`` that initializes its output, if it only broadcasts a value whose vectors are along ``loop``.

    Only views and arithmetic may stand between the two.
    """
    output = op.operands[len(op.operands) - 1]
    if any(root_buffer(value) == root_buffer(output) for value in list(op.operands)[:-1]
           if isinstance(value.type, ir.MemRefType)):
        return None
    before = _before(op)
    while before is not None and (before.name in VIEWS or before.name.startswith(("arith.", "affine."))):
        before = _before(before)
    if before is None or before.name != "linalg.generic" or len(before.operands) != 2:
        return None
    value, target = before.operands
    if target != output or input_count(before) != 1 or not yields_input(before):
        return None
    if not isinstance(value.type, ir.MemRefType):
        return Start(before, value, ())
    if root_buffer(value) == root_buffer(output) or runs_backwards(value):
        return None
    read, written = (ir.AffineMapAttr(a).value for a in before.attributes["indexing_maps"])
    own = contraction.output.indices
    if len({index.plain for index in own} - {None}) < len(own):
        return None  # an element would have no sum, or several
    source, goal = access_of(value, read), access_of(target, written)
    loops = {index.plain: own[place].plain for place, index in enumerate(goal.indices)}
    dims = [loops.get(index.plain) for index in source.indices]
    if None in loops or None in dims or (loop in dims and not (dims[-1] == loop and source.dense)):
        return None
    return Start(before, value, tuple(d for d in dims if d is not None))


def _before(op: ir.Operation) -> ir.Operation | None:
    found = None
    for view in op.block.operations:
        if view.operation == op:
            return found
        found = view.operation
    return None
