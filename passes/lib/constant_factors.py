"""Constants of a model that one kernel alone reads, once: they can be given to it in another layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hexagon_mlir.dialects.packed_weights import CONSTANTS, note, numbers
from hexagon_mlir.ir import erase_op, func, ir
from hexagon_mlir.ir.query import functions, ops_named


def models_of(module: ir.Module) -> Iterator[tuple[ir.Operation, list[tuple[ir.Operation, ir.Operation]]]]:
    """The functions of ``module`` that say which of their arguments are constants, each with the calls of kernels that
    are called once, and these kernels."""
    named = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in functions(module)}
    for function in [op for op in named.values() if CONSTANTS in op.attributes]:
        calls = ops_named(function, "func.call")
        callees = [ir.FlatSymbolRefAttr(call.attributes["callee"]).value for call in calls]
        yield function, [(call, named[name]) for call, name in zip(calls, callees, strict=True)
                         if callees.count(name) == 1 and name in named]


def constant_of(value: ir.Value, kernel: ir.Operation, call: ir.Operation,
                function: ir.Operation) -> ir.BlockArgument | None:
    """The constant of ``function`` that ``value`` of ``kernel`` is in its only ``call``, if nothing else reads it."""
    own = _only_argument(value, kernel)
    given = None if own is None else _only_argument(call.operands[own.arg_number], function)
    return given if given is not None and given.arg_number in numbers(function, CONSTANTS) else None


def _only_argument(value: ir.Value, function: ir.Operation) -> ir.BlockArgument | None:
    """``value`` as a tensor that ``function`` gets as its argument, if it has no other use."""
    if not isinstance(value.owner, ir.Block) or value.owner.owner.operation != function:
        return None
    type_ = value.type
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return ir.BlockArgument(value) if is_static and len(list(value.uses)) == 1 else None


def give_more(function: ir.Operation, kernel: ir.Operation, types: Sequence[ir.Type],
              location: ir.Location) -> list[tuple[ir.BlockArgument, ir.BlockArgument]]:
    """Further arguments of ``types`` of ``kernel``, and constants of ``function`` that its call is to get for them
    (`call_with`): pairs of both."""
    bodies = [op.regions[0].blocks[0] for op in (kernel, function)]
    made = [tuple(body.add_argument(type_, location) for body in bodies) for type_ in types]
    note(function, CONSTANTS, [*numbers(function, CONSTANTS), *(given.arg_number for _, given in made)])
    return [(own, given) for own, given in made]


def call_with(call: ir.Operation, added: Sequence[ir.Value], origin: str) -> None:
    """Replace ``call`` by one with further arguments ``added``."""
    with call.location, ir.InsertionPoint(call):
        again = func.CallOp([result.type for result in call.results],
                            ir.FlatSymbolRefAttr(call.attributes["callee"]), [*call.operands, *added])
    for old, new in zip(call.results, again.operation.results, strict=True):
        old.replace_all_uses_with(new)
    erase_op(call, origin)


def retype(function: ir.Operation) -> None:
    """Let the type of ``function`` be that of its arguments."""
    block = function.regions[0].blocks[0]
    results = list(block.operations)[-1].operation.operands
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
        [argument.type for argument in block.arguments], [result.type for result in results]))
