"""The TCM buffers that are live during a loop."""

from __future__ import annotations

from hexagon_mlir.ir import ir
from hexagon_mlir.ir.buffers import allocation_bytes, uses_of_buffer
from hexagon_mlir.ir.query import in_tcm, ops_named

_ENDS = frozenset({"scf.yield", "scf.condition", "func.return", "func.call", "memref.extract_aligned_pointer_as_index"})
"""Operations that give a buffer another name."""


def live_bytes(loop: ir.Operation) -> int:
    """Bytes of the TCM buffers with data while ``loop`` runs, its own included.

    Lifetimes are ranges of operations in the function's body, as in `hexagon-tcm-allocation`, which is run after
    buffers have been hoisted out of loops.
    """
    function = loop
    while function.name != "func.func":
        function = function.parent.operation
    numbers = {op.operation: number for number, op in
               enumerate(op for block in function.regions[0].blocks for op in block.operations)}

    def number(op: ir.Operation) -> int:
        while op not in numbers:
            op = op.parent.operation
        return numbers[op]

    place, total = number(loop), 0
    for allocation in ops_named(function, "memref.alloc"):
        if not in_tcm(ir.MemRefType(allocation.results[0].type)):
            continue
        users = [use.owner.operation for use in uses_of_buffer(allocation.results[0])]
        uses = [number(user) for user in users] or [number(allocation)]
        last = len(numbers) if any(user.name in _ENDS for user in users) else max(uses)
        if min(uses) <= place <= last:
            total += allocation_bytes(allocation) or 0
    return total
