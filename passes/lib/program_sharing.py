"""Shares the code of a kernel whose work is spread over threads with its programs that run in parallel."""

from __future__ import annotations

from hexagon_mlir.dialects import permissions
from hexagon_mlir.ir import arith, func, ir, scf

PROGRAM = ".program"
_MOST, _MOST_OF_LONG = 0.01, 0.03
"""Fraction of its cycles that a program may lose by running in chunks that are cut for threads."""
_LONG = 30
"""A program of so many linalg operations (attention and its gradient) may lose more, for half the compile time."""


def sharing_pays(cycles: float, extra: float, operations: int) -> bool:
    """True where ``extra`` cycles for the cut into chunks are small for a program of ``cycles`` on one thread and so
    many linalg ``operations``.
    """
    return extra <= (_MOST_OF_LONG if operations >= _LONG else _MOST) * cycles


def split_off(kernel: ir.Operation) -> ir.Operation:
    """Make ``kernel`` the private NAME.program with an argument for the fork permission; returns the new NAME, which
    calls it with permission."""
    name = ir.StringAttr(kernel.attributes["sym_name"]).value
    with kernel.location, ir.InsertionPoint.after(kernel):
        forking = func.FuncOp(name, ir.FunctionType(kernel.attributes["function_type"].value))
    if "arg_attrs" in kernel.attributes:
        forking.operation.attributes["arg_attrs"] = kernel.attributes["arg_attrs"]
    make_program(kernel)
    permissions.add(kernel)
    with kernel.location, ir.InsertionPoint(forking.add_entry_block()):
        _call(kernel, [*forking.entry_block.arguments, arith.constant(ir.IntegerType.get_signless(1), 1)])
        func.ReturnOp([])
    return forking.operation


def make_program(function: ir.Operation) -> None:
    """Rename ``function`` to NAME.program, which only NAME.grid and NAME call."""
    name = ir.StringAttr(function.attributes["sym_name"]).value
    function.attributes["sym_name"] = ir.StringAttr.get(name + PROGRAM)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")


def call(forking: ir.Operation, serial: ir.Operation, may_fork: ir.Value, arguments: list[ir.Value]) -> None:
    """Run a program at the current insertion point: ``forking`` where it may fork, else ``serial``; see `split_off`."""
    if permissions.of(serial) is not None:
        _call(serial, [*arguments, may_fork])
    elif forking == serial:
        _call(forking, arguments)
    else:
        branch = scf.IfOp(may_fork, has_else=True)
        for block, function in ((branch.then_block, forking), (branch.else_block, serial)):
            with ir.InsertionPoint(block):
                _call(function, arguments)
                scf.yield_([])


def _call(function: ir.Operation, arguments: list[ir.Value]) -> None:
    func.CallOp([], ir.FlatSymbolRefAttr.get(ir.StringAttr(function.attributes["sym_name"]).value), arguments)
