"""Passes the fork permission on to the functions with parallel loops that a kernel calls."""

from __future__ import annotations

from collections import defaultdict

from hexagon_mlir.dialects import permissions
from hexagon_mlir.ir import arith, func, ir
from hexagon_mlir.ir.query import functions, ops_named


def hand_down(module: ir.Module) -> None:
    """Add the argument of `permissions` to every function with an scf.forall that is called by a function which has it.

    A kernel's work may have been outlined into functions. Callers without the argument may fork. Raises ValueError as
    `permissions.of` does.
    """
    holders = {_name(op): op for op in functions(module)}
    if all(permissions.of(op) is None for op in holders.values()):
        return
    calls: dict[str, list[ir.Operation]] = defaultdict(list)  # by callee
    for call in ops_named(module, "func.call"):
        calls[ir.FlatSymbolRefAttr(call.attributes["callee"]).value].append(call)
    forking = _closure({name for name, op in holders.items() if ops_named(op, "scf.forall")},
                       {name: {_name(holder_of(call)) for call in made} for name, made in calls.items()})
    callees: dict[str, set[str]] = defaultdict(set)
    for name, made in calls.items():
        for call in made:
            callees[_name(holder_of(call))].add(name)
    permitted = {name for name, op in holders.items() if permissions.of(op) is not None}
    more = [name for name in holders if name in (_closure(permitted, callees) & forking) - permitted]
    for name in more:
        permissions.add(holders[name])
    for call in [call for name in more for call in calls[name]]:
        with call.location, ir.InsertionPoint(call):
            given = permissions.of(holder_of(call))
            given = arith.constant(ir.IntegerType.get_signless(1), 1) if given is None else given
            made = func.CallOp([result.type for result in call.results],
                               ir.FlatSymbolRefAttr(call.attributes["callee"]), [*call.operands, given])
        for old, new in zip(call.results, made.results, strict=True):
            old.replace_all_uses_with(new)
        call.erase()


def holder_of(op: ir.Operation) -> ir.Operation:
    """The function that ``op`` is in."""
    while op.name != "func.func":
        op = op.parent.operation
    return op


def _closure(names: set[str], following: dict[str, set[str]]) -> set[str]:
    """``names`` and all functions reachable from them."""
    found, todo = set(names), list(names)
    while todo:
        new = following.get(todo.pop(), set()) - found
        found |= new
        todo += new
    return found


def _name(function: ir.Operation) -> str:
    return ir.StringAttr(function.attributes["sym_name"]).value
