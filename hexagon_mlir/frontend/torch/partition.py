"""Splits a graph around the nodes that cannot be compiled: they run in eager PyTorch, all others on the chip."""

from __future__ import annotations

import math
import operator
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torch.fx.node import map_arg
from torch.fx.passes.utils.fuser_utils import fuse_by_partitions
from torch.utils.flop_counter import flop_registry

from hexagon_mlir.frontend.torch.capture import effect_of, from_aot, has_effect, is_token
from hexagon_mlir.frontend.torch.graph import source_of
from hexagon_mlir.frontend.torch.importer import to_linalg
from hexagon_mlir.frontend.torch.lowerings import alone, type_key
from hexagon_mlir.frontend.torch.passes import run_passes
from hexagon_mlir.ir import HexError
from hexagon_mlir.ir.diagnostics import internal_error

_SHOWN = 4  # reasons in a warning
PART = "compiled_"
"""The names of submodules to compile begin with this."""


FAILURES = 16
"""Parts of one graph whose compilation may fail before what fails runs in eager PyTorch without being halved."""


@dataclass(frozen=True)
class Refusal:
    """An operation that runs in eager PyTorch: ``file:line``, the reason, and its `work`."""

    source: str
    reason: str
    work: int

    @classmethod
    def of(cls, node: Node, error: HexError) -> Refusal:
        """``node``, which ``error`` is about."""
        reason, name = error.diagnostics[0].message, str(node.target)
        return cls(source_of(node), reason if name in reason else f"'{name}': {reason}", work(node))


@dataclass
class EagerPart:
    """What of a graph of ``operations`` and ``work`` runs in eager PyTorch; as text, the sentence that tells it."""

    operations: int
    work: int
    refusals: list[Refusal] = field(default_factory=list)
    failures: int = 0
    known: dict[str, HexError | None] = field(default_factory=dict)
    """Why there is no code for an operation with certain types, None where there is."""

    @classmethod
    def of(cls, module: GraphModule) -> EagerPart:
        """Nothing yet of ``module``."""
        counted = [node for node in _operations(computing(module)) if not is_token(node)]
        return cls(len(counted), sum(map(work, computing(module))))

    def take_from(self, module: GraphModule, error: HexError, numerics: str) -> GraphModule:
        """``module``, whose compilation ended with ``error``, with submodules to compile (`split`).

        Nodes that cannot be compiled alone are refused; where every node can, the graph is halved.
        """
        self.failures += 1
        eager = self._refused(module, numerics)
        groups = between(module, eager) if eager else halves(module)
        if not eager and (len(groups) == 1 or self.failures > FAILURES):
            eager, groups = dict.fromkeys(_operations(computing(module)), error), []
        self.refusals += [Refusal.of(node, reason) for node, reason in eager.items() if not is_token(node)]
        return split(module, groups)

    def _refused(self, module: GraphModule, numerics: str) -> dict[Node, HexError]:
        """The nodes of ``module`` that have no code, each tried alone as far as linalg."""
        found = {}
        for node in _operations(computing(module)):
            key = type_key(node)
            if key not in self.known:
                self.known[key] = _refusal(node, numerics)
            error = self.known[key]
            if error is not None:
                found[node] = error
        return found

    def __str__(self) -> str:
        share = sum(one.work for one in self.refusals) / max(self.work, 1)
        reasons = list(dict.fromkeys(f"{one.source}: {one.reason}" for one in self.refusals))
        shown = "; ".join(reasons[:_SHOWN]) + (f"; and {len(reasons) - _SHOWN} more" if reasons[_SHOWN:] else "")
        return (f"{len(self.refusals)} of {self.operations} operations run in eager PyTorch, {share:.1%} of the work: "
                f"{shown}")


def _refusal(node: Node, numerics: str) -> HexError | None:
    if has_effect(node):
        return HexError.plain(f"'{effect_of(node)}' has an effect beside its results")
    try:
        graph = from_aot(GraphModule(node.graph.owning_module or torch.nn.Module(), alone(node)), {})
        run_passes(graph, numerics)
        to_linalg(graph)
    except HexError as error:
        return error
    except Exception as error:
        return internal_error(error)
    return None


def halves(module: GraphModule) -> list[set[Node]]:
    """The nodes of ``module`` as two groups, what depends on what in this order: one group where there is one node."""
    nodes = computing(module)
    middle = len(nodes) // 2
    while middle and nodes[middle].target is operator.getitem:
        middle -= 1  # stays with the operation whose result it takes
    return [set(group) for group in (nodes[:middle], nodes[middle:]) if group]


def between(module: GraphModule, eager: Mapping[Node, Any]) -> list[set[Node]]:
    """The nodes of ``module`` but ``eager``, in as few groups as can run one after the other.

    A node is in group n when n nodes of ``eager`` at most follow each other on a path to it. Views alone are left out:
    they cost nothing in eager PyTorch.
    """
    groups: dict[int, set[Node]] = defaultdict(set)
    depth: dict[Node, int] = {}
    follows = set(eager)
    for node in computing(module):
        if any(source in follows and not isinstance(source.meta.get("val"), torch.Tensor)
               for source in node.all_input_nodes):
            follows.add(node)  # a part of an eager result, or it takes a number
        inputs = [source for source in node.all_input_nodes if source in depth]
        depth[node] = max((depth[source] + (source in follows and node not in follows) for source in inputs), default=0)
        if node not in follows:
            groups[depth[node]].add(node)
    return [group for _, group in sorted(groups.items()) if not all(map(_is_view, group))]


def split(module: GraphModule, groups: list[set[Node]]) -> GraphModule:
    """``module``, changed: each of ``groups`` is a submodule whose name begins with `PART` and whose result is a tuple.

    Each user of a constant gets a node of its own for it, so that constants stay constants of their groups.
    """
    for constant in [node for node in module.graph.nodes if node.op == "get_attr"]:
        for group in groups:
            users = [user for user in constant.users if user in group]
            if users:
                with module.graph.inserting_after(constant):
                    own = module.graph.node_copy(constant)
                for user in users:
                    user.replace_input_with(constant, own)
                group.add(own)
        if not constant.users:
            module.graph.erase_node(constant)
    order = {node: number for number, node in enumerate(module.graph.nodes)}
    partitions: list[dict[Node, int | None]] = [dict.fromkeys(sorted(group, key=order.__getitem__))
                                                for group in groups]
    made = fuse_by_partitions(module, partitions, PART, always_return_tuple=True)
    made.recompile()
    return made


def computing(module: GraphModule) -> list[Node]:
    """The nodes of ``module`` that compute something, in order."""
    return [node for node in module.graph.nodes if node.op == "call_function"]


def _operations(nodes: list[Node]) -> list[Node]:
    """Those of ``nodes`` that are no part of another one's result."""
    return [node for node in nodes if node.target is not operator.getitem]


def work(node: Node) -> int:
    """Multiplications and additions of products, as PyTorch counts them; elements of the results otherwise."""
    packet = getattr(node.target, "overloadpacket", None)
    results = node.meta.get("val")
    count = flop_registry.get(packet)
    if count is not None:
        args, kwargs = map_arg((node.args, node.kwargs), lambda source: source.meta["val"])
        return int(count(*args, **kwargs, out_val=results))
    if _is_view(node):
        return 0
    return sum(math.prod(one.shape) for one in (results if isinstance(results, tuple | list) else [results])
               if isinstance(one, torch.Tensor))


def _is_view(node: Node) -> bool:
    return node.target is operator.getitem or node.op == "get_attr" or getattr(node.target, "is_view", False)
