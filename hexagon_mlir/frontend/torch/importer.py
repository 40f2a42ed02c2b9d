"""A `TorchGraph` as a module of linalg on tensors, with our own kernels as calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.fx import Node
from torch.fx.node import map_arg

from hexagon_mlir.codegen.compile import is_explaining
from hexagon_mlir.frontend.torch.extremes import split_extremes
from hexagon_mlir.frontend.torch.graph import TorchGraph
from hexagon_mlir.frontend.torch.lowerings import without_lowering
from hexagon_mlir.frontend.torch.modules import location_name
from hexagon_mlir.frontend.torch.softmax_maxima import skip_nan_in_softmax
from hexagon_mlir.ir import HexError, arith, error_at, func, ir
from hexagon_mlir.ir.order import nested_ops, sort
from hexagon_mlir.ir.query import find_ops, ops_named
from hexagon_mlir.ir.torch_import import import_graph

ENTRY = "main"
Builder = Callable[[Node], str]
BUILDERS: dict[Any, Builder] = {}
"""Our own operations (call targets of the graph) -> the text of a function that computes one of their nodes."""

INLINED: set[Any] = set()
"""Those whose functions are put in place, so that what follows can join their kernel."""


def to_linalg(graph: TorchGraph) -> ir.Module:
    """Function ``main`` takes the graph's placeholders in order. Raises `HexError`, naming the model's source line."""
    flat, nodes = _without_kernels(graph)
    try:
        module = import_graph(flat, ENTRY, location_name if is_explaining() else None)
    except HexError as error:
        raise without_lowering(flat, error) from None
    with module.context, ir.Location.unknown():
        for op in ops_named(module, "cf.assert"):
            op.erase()  # bounds of indices, which only eager PyTorch checks
        foreign = find_ops(module, lambda op: op.name.startswith("tm_tensor.") and op.name != "tm_tensor.yield")
        if foreign:
            raise error_at(foreign[0], "torch-import", f"no lowering for '{foreign[0].name}'",
                           "it is one of PyTorch's sorts, scans or scatters")
        _round_constants(module)
        _compare_unwidened(module)
        split_extremes(module)
        skip_nan_in_softmax(module)
        if nodes:
            _insert_calls(module, nodes)
    return module


def _without_kernels(graph: TorchGraph) -> tuple[torch.fx.Graph, list[Node]]:
    """A copy of the graph in which results of each own operation are arguments, and its operands are results."""
    nodes = [n for n in graph.graph.nodes if n.op == "call_function" and n.target in BUILDERS]
    copy = torch.fx.Graph()
    values: dict[Node, Node] = {}
    for node in graph.graph.nodes:
        if node.op == "placeholder":
            values[node] = copy.node_copy(node, values.__getitem__)
    for number, node in enumerate(nodes):
        for place, result in _results_of(node):
            values[result] = copy.placeholder(f"kernel_{number}_{place}")
            values[result].meta = dict(result.meta)
    results: list[Any] = []
    for node in graph.graph.nodes:
        if node.op == "output":
            results = [values[r] for r in node.args[0]]
        elif node not in values and node not in nodes:
            values[node] = copy.node_copy(node, values.__getitem__)
    for node in nodes:
        results += [values[source] for source in _operands(node)]
    copy.output(tuple(results))
    return copy, nodes


def _results_of(node: Node) -> list[tuple[int, Node]]:
    """Numbers of the results of an own operation, and the nodes that stand for them."""
    if isinstance(node.meta["val"], torch.Tensor):
        return [(0, node)]
    return [(int(str(user.args[1])), user) for user in node.users]


def _operands(node: Node) -> list[Node]:
    """The tensors that ``node`` takes, in order: one that stands at two places (keys that are values too) twice."""
    found: list[Node] = []
    map_arg((node.args, node.kwargs), found.append)
    return found


def _round_constants(module: ir.Module) -> None:
    """Scalars arrive as f64 constants that the code rounds: MLIR folds only those that need no rounding."""
    for op in ops_named(module, "arith.truncf"):
        source = op.operands[0].owner
        if isinstance(source, ir.OpView) and source.operation.name == "arith.constant":
            value = source.operation.attributes["value"]
            if isinstance(value, ir.FloatAttr) and isinstance(op.results[0].type, ir.F32Type):
                with op.location, ir.InsertionPoint(op):
                    rounded = arith.constant(op.results[0].type, float(np.float32(value.value)))
                op.results[0].replace_all_uses_with(rounded)
                op.erase()


def _compare_unwidened(module: ir.Module) -> None:
    """A tensor is compared with a scalar of its own type, as in PyTorch: in f64 and i64 nothing would be vectorized."""
    for op in find_ops(module, lambda op: op.name == "arith.cmpi" or (
            op.name == "arith.cmpf" and isinstance(op.operands[0].type, ir.F64Type))):
        wide, scalar = (operand.owner for operand in op.operands)
        if not all(isinstance(owner, ir.OpView) for owner in (wide, scalar)):
            continue
        if (wide.operation.name, scalar.operation.name) in (("arith.extf", "arith.constant"),
                                                            ("arith.extsi", "arith.constant")):
            narrow, value = wide.operands[0], scalar.operation.attributes["value"].value
            if not _fits(value, narrow.type):
                continue
            with op.location, ir.InsertionPoint(op):
                rounded = arith.constant(narrow.type, value)
                op.operands[0], op.operands[1] = narrow, rounded
            if not list(wide.results[0].uses):
                wide.erase()


def _fits(value: float, type_: ir.Type) -> bool:
    """True for a float, which is rounded, and for an integer that has the same value in ``type_``."""
    if not isinstance(type_, ir.IntegerType):
        return True
    limit = 1 << (type_.width - 1)
    return type_.width > 1 and -limit <= value < limit


def _insert_calls(module: ir.Module, nodes: list[Node]) -> None:
    """Replace the last arguments of ``main`` by calls of the kernels that compute them from its last results."""
    main = next(o.operation for o in module.body.operations if o.operation.name == "func.func")
    block = main.regions[0].blocks[0]
    ops = [o.operation for o in block.operations]
    end = ops.pop()
    kept = len(end.operands) - sum(len(_operands(n)) for n in nodes)
    results = [_results_of(node) for node in nodes]
    first = argument = len(block.arguments) - sum(map(len, results))
    names: dict[str, str] = {}
    used = kept
    for number, node in enumerate(nodes):
        target: Any = node.target
        text = BUILDERS[target](node)
        name = names.get(text) or _add_function(module, main, text, f"{_short_name(target)}_{len(names)}")
        names[text] = name
        count = len(_operands(node))
        with end.location, ir.InsertionPoint(end):
            call = func.CallOp(_result_types(module, name), ir.FlatSymbolRefAttr.get(name),
                               list(end.operands)[used: used + count])  # read again: the last call changed them
        used += count
        for place, _ in results[number]:
            block.arguments[argument].replace_all_uses_with(call.results[place])
            argument += 1
        ops += _inline(module, call.operation, name) if target in INLINED else [call.operation]
    with end.location, ir.InsertionPoint(end):
        new_end = func.ReturnOp([end.operands[i] for i in range(kept)]).operation
    end.erase()
    for _ in range(first, argument):
        block.erase_argument(first)
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(
        [a.type for a in block.arguments], [o.type for o in new_end.operands]))
    sort(ops, new_end)
    inlined = {name for name in names.values() if name.split("_")[0] in {t.__name__.split("_")[0] for t in INLINED}}
    for op in [o.operation for o in module.body.operations if o.operation.name == "func.func"]:
        if ir.StringAttr(op.attributes["sym_name"]).value in inlined:
            op.erase()


def _function(module: ir.Module, name: str) -> ir.Operation:
    return next(o.operation for o in module.body.operations if o.operation.name == "func.func"
                and ir.StringAttr(o.operation.attributes["sym_name"]).value == name)


def _result_types(module: ir.Module, name: str) -> list[ir.Type]:
    return list(ir.FunctionType(ir.TypeAttr(_function(module, name).attributes["function_type"]).value).results)


def _short_name(target: Any) -> str:
    """Of a function, or an operation (without its overload)."""
    return target.__name__.partition(".")[0]


def _inline(module: ir.Module, call: ir.Operation, name: str) -> list[ir.Operation]:
    """Replace ``call`` by the body of function ``name``; returns its operations."""
    body = _function(module, name).regions[0].blocks[0]
    values: dict[ir.Value, ir.Value] = dict(zip(body.arguments, call.operands, strict=True))
    clones = []
    for view in body.operations:
        op = view.operation
        if op.name == "func.return":
            call.results[0].replace_all_uses_with(values[op.operands[0]])
            break
        clone = op.clone(ip=ir.InsertionPoint(call)).operation
        for inner in nested_ops(clone):
            for position, value in enumerate(inner.operands):
                if value in values:
                    inner.operands[position] = values[value]
        values |= dict(zip(op.results, clone.results, strict=True))
        clones.append(clone)
    call.erase()
    return clones


def _add_function(module: ir.Module, main: ir.Operation, text: str, name: str) -> str:
    """Put the function that ``text`` holds before ``main``, as private function ``name``."""
    parsed = ir.Module.parse(text.replace("@kernel(", f"@{name}(", 1))
    function = parsed.body.operations[0].operation
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")
    function.clone(ip=ir.InsertionPoint(main))
    return name
