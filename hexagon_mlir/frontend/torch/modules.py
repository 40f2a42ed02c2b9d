"""Which modules of a model a kernel computes: while a report is made, the locations of operations name them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torch.fx import Node

from hexagon_mlir.codegen.schedule import ModelSchedule
from hexagon_mlir.ir import ir
from hexagon_mlir.ir.order import nested_ops

_PREFIX = "module "
_NAME = re.compile(rf'"{_PREFIX}([^"\\]*)"\(')


def location_name(node: Node) -> str:
    """What names the locations of ``node``: the innermost module it is of; "" for none."""
    stack = list((node.meta.get("nn_module_stack") or {}).values())
    path = str(stack[-1][0]).removeprefix("L['self']").removeprefix(".") if stack else ""
    return _PREFIX + path if path else ""


def of_calls(module: ir.Module, entry: str) -> list[tuple[str, ...]]:
    """The modules of each call of ``entry``, in order."""
    functions = {ir.StringAttr(view.operation.attributes["sym_name"]).value: view.operation
                 for view in module.body.operations if view.operation.name == "func.func"}
    names = {name: _names(function) for name, function in functions.items() if name != entry}
    calls = [view.operation for view in functions[entry].regions[0].blocks[0].operations
             if view.operation.name == "func.call"]
    return [names[ir.FlatSymbolRefAttr(call.attributes["callee"]).value] for call in calls]


def of_kernels(calls: Sequence[tuple[str, ...]], schedule: ModelSchedule) -> dict[str, tuple[str, ...]]:
    """The modules of each kernel by its name, of all its calls."""
    found: dict[str, tuple[str, ...]] = {}
    for call, modules in zip(schedule.calls, calls, strict=True):
        name = schedule.kernels[call.kernel].name
        found[name] = tuple(dict.fromkeys((*found.get(name, ()), *modules)))
    return found


def _names(function: ir.Operation) -> tuple[str, ...]:
    texts = dict.fromkeys(str(op.location) for op in nested_ops(function))
    return tuple(dict.fromkeys(name for text in texts for name in _NAME.findall(text)))
