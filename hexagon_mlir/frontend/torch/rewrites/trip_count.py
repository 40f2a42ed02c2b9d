"""How often a loop runs, where no input decides it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch.fx import GraphModule, Interpreter, Node

from hexagon_mlir.frontend.torch.graph import TorchGraph

_MOST = 1 << 16
"""Iterations that are counted."""
_MOST_ELEMENTS = 1024
"""Of a tensor that decides: counters are small."""


def trip_count(graph: TorchGraph, condition: GraphModule, body: GraphModule, carried: Sequence[Any]) -> int | None:
    """Iterations of a loop that runs while ``condition`` of what it carries holds; None if that depends on inputs, or
    takes more than 65,536."""
    deciding = _read(condition, _output(condition), len(carried))
    results = _output(body)
    while (more := deciding.union(*(_read(body, results[place], len(carried)) for place in deciding))) != deciding:
        deciding = more
    state: list[Any] = [None] * len(carried)
    for place in deciding:
        if place >= len(carried):
            return None
        state[place] = _constant(graph, carried[place])
        if state[place] is None:
            return None
    decide, advance = _part(condition, None), _part(body, deciding)
    for count in range(_MOST):
        if not bool(Interpreter(decide).run(*_given(condition, state))):
            return count
        found = Interpreter(advance).run(*_given(body, state))
        for place, value in zip(sorted(deciding), found, strict=True):
            state[place] = value
    return None


def _output(module: GraphModule) -> Any:
    return next(iter(reversed(module.graph.nodes))).args[0]


def _read(module: GraphModule, results: Any, carried: int) -> set[int]:
    """Places of the arguments of ``module`` that ``results`` depend on."""
    places = {node: place for place, node in enumerate(n for n in module.graph.nodes if n.op == "placeholder")}
    left: list[Node] = []
    torch.fx.map_arg(results, left.append)
    seen = set(left)
    while left:
        for source in left.pop().all_input_nodes:
            if source not in seen:
                seen.add(source)
                left.append(source)
    return {places[node] for node in seen if node in places}


def _part(module: GraphModule, kept: set[int] | None) -> GraphModule:
    """``module`` with only the results of these places, and what they need."""
    graph = torch.fx.Graph()
    results = graph.graph_copy(module.graph, {})
    if kept is not None:
        results = [results[place] for place in sorted(kept)]  # type: ignore[index]
    graph.output(results)
    found = GraphModule(module, graph)
    found.graph.eliminate_dead_code()
    return found


def _given(module: GraphModule, state: Sequence[Any]) -> list[Any]:
    number = sum(node.op == "placeholder" for node in module.graph.nodes)
    return [*state, *[None] * (number - len(state))]


def _constant(graph: TorchGraph, node: Any) -> torch.Tensor | None:
    """The value of ``node`` where it follows from constants."""
    if not isinstance(node, Node):
        return torch.as_tensor(node)
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or value.numel() > _MOST_ELEMENTS:
        return None
    if graph.is_constant(node):
        return graph.value(node)
    if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
        return None
    if torch.Tag.nondeterministic_seeded in node.target.tags:
        return None
    sources = {source: _constant(graph, source) for source in node.all_input_nodes}
    if any(source is None for source in sources.values()):
        return None
    args, kwargs = torch.fx.map_arg((node.args, node.kwargs), lambda source: sources[source])
    return node.target(*args, **kwargs)
