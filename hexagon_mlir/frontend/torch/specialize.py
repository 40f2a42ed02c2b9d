"""Specializes a graph with symbolic sizes: sizes become constants, and computations on them are folded.

PyTorch computes numbers that depend on sizes, as what a mean is multiplied by, in tensors without dimensions:
arithmetic with such a tensor becomes arithmetic with a number, as in a program of known sizes.
"""

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
_aten = torch.ops.aten
_ARITHMETIC = frozenset({_aten.mul.Tensor, _aten.add.Tensor, _aten.sub.Tensor, _aten.div.Tensor})


def specialize(module: GraphModule, arguments: Sequence[Any]) -> GraphModule:
    """A copy of ``module`` for arguments like these, which takes the tensors among them; nodes keep their source lines.

    Node by node, because PyTorch's own way, to trace it again, changes modules for all threads of the process. Raises
    `HexError` for sizes that depend on values of tensors.
    """
    graph, mode = Graph(), FakeTensorMode()
    copies: dict[Node, Any] = {}
    known: dict[Node, torch.Tensor] = {}
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
            copies[node] = _copy(graph, node, copies, known, mode)
    for copy in reversed(known):
        if not copy.users:
            graph.erase_node(copy)
    return GraphModule(module, graph)


def _copy(graph: Graph, node: Node, copies: dict[Node, Any], known: dict[Node, torch.Tensor],
          mode: FakeTensorMode) -> Any:
    """The node that computes what ``node`` does, or the number that it computes; of those without dimensions that
    depend on numbers alone, ``known`` gets the values."""
    target: Any = node.target
    args, kwargs = map_arg((node.args, node.kwargs), copies.__getitem__)
    if target in _ARITHMETIC:
        args = tuple(_number(arg, other, known) for arg, other in zip(args, reversed(args[:2]), strict=False))
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
    if isinstance(value, torch.Tensor) and not value.dim() and _is_known(copy, known):
        known[copy] = target(*map_arg(args, known.__getitem__), **map_arg(kwargs, known.__getitem__))
    return copy


def _is_known(copy: Node, known: dict[Node, torch.Tensor]) -> bool:
    """True for an operation on numbers and known tensors that always gives the same."""
    target = copy.target
    same = isinstance(target, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded not in target.tags
    return same and all(one in known for one in copy.all_input_nodes)


def _number(arg: Any, other: Any, known: dict[Node, torch.Tensor]) -> Any:
    """``arg``, or the number in it where it is known and ``other`` is a tensor of floats."""
    if arg in known and other not in known and isinstance(other, Node) and known[arg].is_floating_point() \
            and other.meta["val"].is_floating_point():
        return known[arg].item()
    return arg
