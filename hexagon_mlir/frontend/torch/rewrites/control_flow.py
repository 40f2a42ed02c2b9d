"""PyTorch's control flow (`cond`, `map`, `scan`, `while_loop`) as operations of the graph, or as loops of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import getitem
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.node import map_arg

from hexagon_mlir.frontend.torch.decompositions import decompositions
from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, shape_of, source_of
from hexagon_mlir.frontend.torch.kernels.loop import ELEMENTS, loop
from hexagon_mlir.frontend.torch.rewrites.trip_count import trip_count
from hexagon_mlir.ir import HexError

_aten = torch.ops.aten
_hop = torch.ops.higher_order
_MOST_CALLS = 128
"""Steps that have more calls than this in all are a loop."""
_MOST_UNROLLED = 4096
"""Calls that the steps of a loop may become."""


def expand_control_flow(graph: TorchGraph) -> None:
    """Replace every operation that calls another graph.

    Both branches of a ``cond`` are computed and one is selected; a ``map`` is its function of all elements at once; a
    ``scan``, and a ``while_loop`` whose number of iterations does not depend on inputs, are their steps one after the
    other, or a loop. Raises `HexError` for other loops.
    """
    while (node := next((n for n in graph.graph.nodes if n.target in _EXPANSIONS), None)) is not None:
        results = _EXPANSIONS[node.target](graph, node)
        for user in list(node.users):
            graph.replace(user, results[user.args[1]])
        graph.graph.erase_node(node)
    for node in [n for n in graph.graph.nodes if n.op == "get_attr" and not n.users]:
        graph.graph.erase_node(node)


def _cond(graph: TorchGraph, node: Node) -> list[Node]:
    predicate, *bodies, operands = args_of(node)
    branches = [_inlined(graph, node, _body(graph, body), operands) for body in bodies]
    if not isinstance(predicate, Node):
        return branches[0 if predicate else 1]
    predicate = graph.insert(node, _aten.reshape.default, predicate, [])
    return [graph.insert(node, _aten.where.self, predicate, *pair) for pair in zip(*branches, strict=True)]


def _map(graph: TorchGraph, node: Node) -> list[Node]:
    body, mapped, others = args_of(node)
    function = _body(graph, body)
    arguments = [*mapped, *others]
    values = [argument.meta["val"] if isinstance(argument, Node) else argument for argument in arguments]
    batched = torch.vmap(function, in_dims=(*[0] * len(mapped), *[None] * len(others)))
    with graph.fake_mode:
        traced = make_fx(batched, decomposition_table=decompositions())(*values)
    return _inlined(graph, node, traced, arguments)


def _scan(graph: TorchGraph, node: Node) -> list[Node]:
    body, carried, scanned, others = args_of(node)
    return _steps(graph, node, body, shape_of(scanned[0])[0], carried, scanned, others)


def _while(graph: TorchGraph, node: Node) -> list[Node]:
    condition, body, carried, others = args_of(node)
    count = trip_count(graph, _body(graph, condition), _body(graph, body), carried)
    if count is None:
        raise HexError.plain("the number of iterations of a while_loop depends on the values of inputs",
                             origin="torch-passes", file=source_of(node),
                             hint="torch.where in a loop of a fixed length computes the same")
    return _steps(graph, node, body, count, carried, [], others)


def _steps(graph: TorchGraph, node: Node, body: Node, count: int, carried: Sequence[Node], scanned: Sequence[Node],
           others: Sequence[Node]) -> list[Node]:
    """What ``count`` steps carry on, then what they give, step by step, along a new first dimension."""
    function = _body(graph, body)
    if count * len(function.graph.nodes) > _MOST_CALLS and _is_simple(function, [*carried, *scanned, *others]):
        return _loop(graph, node, str(body.target), count, [list(carried), list(scanned), list(others)])
    if count * len(function.graph.nodes) > _MOST_UNROLLED:
        raise HexError.plain(f"a loop of {count:,} steps that are no kernel", origin="torch-passes",
                             file=source_of(node), hint="between steps, tensors of f32, f16 or int32 with a dimension")
    state, given = list(carried), list[list[Node]]()
    for step in range(count):
        elements = [graph.insert(node, _aten.select.int, one, 0, step) for one in scanned]
        results = _inlined(graph, node, function, [*state, *elements, *others])
        state = results[:len(carried)]
        given.append([graph.insert(node, _aten.unsqueeze.default, one, 0) for one in results[len(carried):]])
    return [*state, *(graph.insert(node, _aten.cat.default, list(rows)) for rows in zip(*given, strict=True))]


def _loop(graph: TorchGraph, node: Node, body: str, count: int, operands: list[list[Node]]) -> list[Node]:
    with graph.graph.inserting_before(node):
        found = graph.graph.call_function(loop, (body, count, *operands))
        found.meta = {**node.meta, "val": tuple(node.meta["val"])}
        results = []
        for place, value in enumerate(found.meta["val"]):
            result = graph.graph.call_function(getitem, (found, place))
            result.meta = {**node.meta, "val": value}
            results.append(result)
    return results


def _is_simple(function: GraphModule, operands: Sequence[Any]) -> bool:
    """Whether a loop can hold the calls of ``function``: no graphs or tensors of its own, and between steps tensors of
    `ELEMENTS` with a dimension."""
    def fits(value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value.dtype in ELEMENTS and value.dim() > 0

    output = next(iter(reversed(function.graph.nodes)))
    return (all(isinstance(one, Node) and fits(one.meta["val"]) for one in (*operands, *output.all_input_nodes))
            and all(node.op != "get_attr" for node in function.graph.nodes))


def _inlined(graph: TorchGraph, before: Node, body: GraphModule, arguments: Sequence[Any]) -> list[Any]:
    """The results of ``body`` for ``arguments``, as calls before ``before``."""
    own = [node for node in body.graph.nodes if node.op == "placeholder"]
    values: dict[Node, Any] = dict(zip(own, arguments, strict=True))
    for node in body.graph.nodes:
        if node.op == "output":
            results = node.args[0]
            return [values.get(one, one) for one in (results if isinstance(results, list | tuple) else [results])]
        if node.op == "get_attr":
            values[node] = _attribute(graph, before, getattr(body, str(node.target)), str(node.target))
        elif node.op == "call_function":
            args, kwargs = map_arg((node.args, node.kwargs), values.__getitem__)
            if node.target in _EXPANSIONS or node.target is getitem:
                with graph.graph.inserting_before(before):
                    values[node] = graph.graph.call_function(node.target, args, kwargs)
                values[node].meta = {**before.meta, "val": node.meta["val"]}
            else:
                values[node] = graph.insert(before, node.target, *args, **kwargs)
    raise AssertionError("a graph without output")


def _attribute(graph: TorchGraph, before: Node, value: Any, name: str) -> Node:
    """A tensor or a graph that a body holds, held by ``graph``."""
    if isinstance(value, torch.Tensor):
        return graph.add_constant(value.detach(), "attribute")
    name = f"{name}_{len(graph.module._modules)}"
    graph.module.add_submodule(name, value)
    with graph.graph.inserting_before(before):
        return graph.graph.get_attr(name)


def _body(graph: TorchGraph, node: Node) -> GraphModule:
    return graph.module.get_submodule(str(node.target))  # type: ignore[return-value]


_EXPANSIONS: dict[Any, Callable[[TorchGraph, Node], list[Node]]] = {
    _hop.cond: _cond, _hop.map_impl: _map, _hop.scan: _scan, _hop.while_loop: _while}
