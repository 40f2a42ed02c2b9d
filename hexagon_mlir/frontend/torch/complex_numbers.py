"""Complex tensors as two real ones."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._functorch._aot_autograd.complex_decomposition import decompose_complex_in_graph
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg

from hexagon_mlir.frontend.torch.graph import args_of
from hexagon_mlir.frontend.torch.registry import OURS, decomposes

_aten = torch.ops.aten
_PARTS = 2
"""Numbers of a complex one, real and imaginary part, in the last dimension of ``view_as_real``."""


@decomposes(_aten.polar.default)
def polar(length: Tensor, angle: Tensor) -> Tensor:
    """Length and angle of complex numbers."""
    return torch.complex(length * torch.cos(angle), length * torch.sin(angle))


def in_real_numbers(module: GraphModule) -> GraphModule:
    """``module`` with real and imaginary parts as two tensors wherever it computes with complex ones.

    Complex inputs are taken apart with ``view_as_real``, complex results put together with ``complex``. With an
    operation for which PyTorch has no rule, ``module`` is returned as it is.
    """
    if not any(_is_complex(node.meta.get("val")) for node in module.graph.nodes):
        return module
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):  # the constants of the graph are real tensors
            values = [_like(node.meta["val"]) for node in inputs]
            made = decompose_complex_in_graph(module, values, OURS)
    except Exception:  # any, of a rule that does not fit
        return module
    for old, new in zip(inputs, [node for node in made.graph.nodes if node.op == "placeholder"], strict=True):
        new.name = new.target = old.name
    _fold_numbers(made)
    _take_apart(made)
    return made


def take_constants_apart(module: GraphModule, constants: dict[str, Tensor]) -> None:
    """Placeholders of complex ``constants`` become placeholders of their parts, in one tensor, where the graph takes
    them apart."""
    graph = module.graph
    for node in [n for n in graph.nodes if n.op == "placeholder" and n.name in constants]:
        users = [user for user in node.users if user.target is _aten.view_as_real.default]
        if not users:
            continue
        with graph.inserting_before(node):
            parts = graph.placeholder(f"{node.name}_parts")
        parts.meta["val"] = users[0].meta["val"]
        constants[parts.name] = torch.view_as_real(constants[node.name].resolve_conj())
        for user in users:
            user.replace_all_uses_with(parts)
            graph.erase_node(user)
        if not node.users:
            del constants[node.name]
            graph.erase_node(node)


def _is_complex(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_complex()


def _like(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype)


def _fold_numbers(module: GraphModule) -> None:
    """Computes what depends on complex constants of the graph alone, as numbers of an expression are."""
    for node in list(module.graph.nodes):
        sources = node.all_input_nodes
        if node.op != "call_function" or not sources or any(source.op != "get_attr" for source in sources):
            continue
        if not any(_is_complex(one.meta.get("val")) for one in (node, *sources)):
            continue
        args, kwargs = map_arg((node.args, node.kwargs), lambda source: getattr(module, str(source.target)))
        name = f"_folded_{node.name}"
        module.register_buffer(name, node.target(*args, **kwargs).clone())
        with module.graph.inserting_before(node):
            folded = module.graph.get_attr(name)
        folded.meta = dict(node.meta)
        node.replace_all_uses_with(folded)


def _take_apart(module: GraphModule) -> None:
    """What is put together and taken apart again stays two tensors."""
    graph = module.graph
    for node in list(graph.nodes):
        if node.target is _aten.view_as_real.default:
            whole = node.args[0]
            if whole.target is _aten.view_as_complex.default:
                node.replace_all_uses_with(whole.args[0])
            elif whole.target is _aten.complex.default:
                for user in list(node.users):
                    part = _part(user)
                    if part is not None:
                        user.replace_all_uses_with(whole.args[part])
    graph.eliminate_dead_code()
    module.recompile()


def _part(node: Node) -> int | None:
    """Which of a pair ``node`` selects."""
    if node.target is not _aten.select.int:
        return None
    pair, dim, place = args_of(node)
    last = pair.meta["val"].dim() - 1
    return int(place) % _PARTS if dim % (last + 1) == last else None
