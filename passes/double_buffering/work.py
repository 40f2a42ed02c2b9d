"""Outlines work that overlaps transfers: calls of the runtime in the same function would spill its registers."""

from __future__ import annotations

from hexagon_mlir.ir import func, ir
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.passes.lib.outlining import Outlined
from hexagon_mlir.passes.lib.pure_slices import clone, outside_operands

_LINALG = ("linalg.generic", "linalg.map", "linalg.reduce")  # structured ops with an explicit region
_TRANSFERS = frozenset({"memref.copy", "memref.dma_start", "memref.dma_wait"})
_LARGE = 16  # operations: fewer leave registers for the constants of both parts


def large_ops_in_transfer_loops(module: ir.Module) -> list[ir.Operation]:
    """The larger linalg ops in loops with transfers."""
    return [op for op in ops_named(module, *_LINALG) if _is_large(op) and _in_transfer_loop(op)]


def outline(op: ir.Operation) -> None:
    """Put ``op`` into a function of its own.

    The parts of a double-buffered loop call the runtime. LLVM hoists constants of their vector loops out of the tile
    loop and would spill them around those calls; a spilled qfloat constant makes the code of the whole function worse.
    """
    with op.location:
        function = op
        while function.name != "func.func":
            function = function.parent.operation
        symbols = ir.SymbolTable(function.parent.operation)
        outlined = Outlined(f"{ir.StringAttr(function.attributes['sym_name']).value}_tile",
                            [*op.operands, *(v for v in outside_operands(op) if v not in op.operands)], 0, op)
        symbols.insert(outlined.function.operation)  # makes the name unique
        with ir.InsertionPoint(op):
            outlined.call([])
        with outlined.body():
            end = func.ReturnOp([])
        with ir.InsertionPoint(end):
            clone(op, dict(outlined.inside))
        outlined.function.attributes["llvm.no_inline"] = ir.UnitAttr.get()
        op.erase()


def _is_large(op: ir.Operation) -> bool:
    """True for an op with enough arithmetic to fill the vector registers."""
    return (not len(op.results)
            and len(op.regions[0].blocks[0].operations) > _LARGE)


def _in_transfer_loop(op: ir.Operation) -> bool:
    """True in a loop with transfers."""
    holder, transfers = op.parent.operation, False
    while holder.name != "func.func":
        if holder.name == "scf.forall":
            return False  # becomes a function anyway
        transfers = transfers or (holder.name == "scf.for" and bool(ops_named(holder, *_TRANSFERS)))
        holder = holder.parent.operation
    return transfers
