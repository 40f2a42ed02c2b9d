"""One code for a kernel whose work is spread over threads, and for its programs that run in parallel."""

from __future__ import annotations

from hexagon_mlir.dialects import permissions
from hexagon_mlir.ir import arith, func, ir, scf

PROGRAM = ".program"
_MOST, _MOST_OF_LONG = 0.01, 0.03
"""Part of its cycles that a program may lose by running in the chunks that were meant for threads."""
_LONG = 30
"""Linalg operations from which on half the time of compilation is worth more: attention and its gradient."""


def sharing_pays(cycles: float, extra: float, operations: int) -> bool:
    """True where a program of ``cycles`` on one thread and so many linalg ``operations`` can bear ``extra`` cycles for
    its cut into chunks.
    """
    return extra <= (_MOST_OF_LONG if operations >= _LONG else _MOST) * cycles


def split_off(kernel: ir.Operation) -> ir.Operation:
    """Make ``kernel`` the private NAME.program, with an argument that says whether it may fork; gives the new NAME,
    which lets it."""
    name = ir.StringAttr(kernel.attributes["sym_name"]).value
    with kernel.location, ir.InsertionPoint.after(kernel):
        alone = func.FuncOp(name, ir.FunctionType(kernel.attributes["function_type"].value))
    if "arg_attrs" in kernel.attributes:
        alone.operation.attributes["arg_attrs"] = kernel.attributes["arg_attrs"]
    make_program(kernel)
    permissions.add(kernel)
    with kernel.location, ir.InsertionPoint(alone.add_entry_block()):
        _call(kernel, [*alone.entry_block.arguments, arith.constant(ir.IntegerType.get_signless(1), 1)])
        func.ReturnOp([])
    return alone.operation


def make_program(function: ir.Operation) -> None:
    """Rename ``function`` to what only NAME.grid and NAME call."""
    name = ir.StringAttr(function.attributes["sym_name"]).value
    function.attributes["sym_name"] = ir.StringAttr.get(name + PROGRAM)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")


def call(alone: ir.Operation, beside: ir.Operation, may_fork: ir.Value, arguments: list[ir.Value]) -> None:
    """Run a program at the current insertion point: ``alone`` where it may fork, else ``beside``; see `split_off`."""
    if permissions.of(beside) is not None:
        _call(beside, [*arguments, may_fork])
    elif alone == beside:
        _call(alone, arguments)
    else:
        branch = scf.IfOp(may_fork, has_else=True)
        for block, function in ((branch.then_block, alone), (branch.else_block, beside)):
            with ir.InsertionPoint(block):
                _call(function, arguments)
                scf.yield_([])


def _call(function: ir.Operation, arguments: list[ir.Value]) -> None:
    func.CallOp([], ir.FlatSymbolRefAttr.get(ir.StringAttr(function.attributes["sym_name"]).value), arguments)
