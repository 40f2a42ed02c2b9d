"""What products in Triton kernels need not do: their buffers are in TCM (`hexagon-tcm-placement`), and a factor from
outside a loop is packed there.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from hexagon_mlir.dialects.programs import has_order
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.query import input_count

_BOUNDS = 3
"""Operands of scf.for before the values that it carries."""


def in_program(op: ir.Operation) -> bool:
    """True for an operation of a Triton kernel."""
    while op.name != "func.func":
        op = op.parent.operation
    return has_order(op)


def is_local(value: ir.Value) -> bool:
    """True for a tensor of a Triton kernel that is loaded to a buffer of the kernel, the result of a linalg op or of a
    loop that writes to a tensor of its own, and a part of these."""
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.operation
    if op.name == "tensor.extract_slice":
        return is_local(op.operands[0])
    if op.name == "bufferization.to_tensor":
        source = op.operands[0].owner
        return not isinstance(source, ir.Block) and source.operation.name == "memref.alloc"
    return op.name.startswith("linalg.") or (op.name == "scf.for" and _is_empty(_start(value, op)))


def _start(value: ir.Value, loop: ir.Operation) -> ir.Value:
    """What ``value``, a result of scf.for ``loop``, is before the first iteration."""
    return loop.operands[_BOUNDS + ir.OpResult(value).result_number]


def _is_empty(value: ir.Value) -> bool:
    """True for the result of tensor.empty."""
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == "tensor.empty"


def before_loops(op: ir.Operation, value: ir.Value) -> AbstractContextManager[object]:
    """The place before the outermost loop around ``op`` that ``value`` is from outside of, if there is one."""
    place: AbstractContextManager[object] = nullcontext()
    block = value.owner if isinstance(value.owner, ir.Block) else value.owner.operation.block
    while op.block != block:
        op = op.parent.operation
        if op.name != "scf.for":
            return place
        place = ir.InsertionPoint(op)
    return place


def is_only_read(value: ir.Value) -> bool:
    """True for a tensor that linalg ops alone use, and only as an input."""
    return all(use.owner.operation.name.startswith("linalg.")
               and use.operand_number < input_count(use.owner.operation) for use in value.uses)
