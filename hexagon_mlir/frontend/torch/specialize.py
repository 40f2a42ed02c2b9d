"""Specializes a graph with symbolic sizes: sizes become constants, and computations on them are folded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import Graph, GraphModule, Node
from torch.fx.node import map_arg

from hexagon_mlir.frontend.torch.graph import origin_of, source_of
from hexagon_mlir.ir import HexError

_NUMBERS = (int, float, bool)


def specialize(module: GraphModule, arguments: Sequence[Any]) -> GraphModule:
    """A copy of ``module`` for arguments like these, which takes the tensors among them; nodes keep their source lines.

    Node by node, because PyTorch's own way, to trace it again, changes modules for all threads of the process. Raises
    `HexError` for sizes that depend on values of tensors.
    """
    graph, mode = Graph(), FakeTensorMode()
    copies: dict[Node, Any] = {}
    given = iter(arguments)
    for node in module.graph.nodes:
        if node.op == "placeholder":
            copies[node] = value = next(given)
            if isinstance(value, torch.Tensor):
                copies[node] = graph.placeholder(node.name)
                copies[node].meta = {"val": mode.from_tensor(value.detach(), static_shapes=True)}
        elif node.op == "get_attr":
            copies[node] = graph.get_attr(str(node.target))
            attribute = getattr(module, str(node.target))
            copies[node].meta = {"val": mode.from_tensor(attribute.detach(), static_shapes=True)}
        elif node.op == "output":
            graph.output(map_arg(node.args[0], copies.__getitem__))
        else:
            copies[node] = _copy(graph, node, copies, mode)
    return GraphModule(module, graph)


def _copy(graph: Graph, node: Node, copies: dict[Node, Any], mode: FakeTensorMode) -> Any:
    """The node that computes what ``node`` does, or the number that it computes."""
    target: Any = node.target
    args, kwargs = map_arg((node.args, node.kwargs), copies.__getitem__)
    fake_args, fake_kwargs = map_arg((args, kwargs), lambda n: n.meta["val"])
    try:
        with mode:
            value = target(*fake_args, **fake_kwargs)
    except RuntimeError as error:  # among others, values that fake tensors do not have
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise HexError.plain(f"'{target}' has no size here: {reason}", origin="torch-specialize",
                             file=source_of(node)) from None
    if isinstance(value, _NUMBERS):
        return value
    copy = graph.create_node("call_function", target, args, kwargs, node.name)
    copy.meta = {**origin_of(node), "val": value}
    return copy
