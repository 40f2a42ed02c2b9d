"""Where tensors are converted between f32 and bytes if some layers of a model compute with bytes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import torch
from torch.fx import Graph, Node

from hexagon_mlir.quantization.quantizer import ALIKE, PRODUCTS, modules_of

_FOLDED = frozenset({torch.ops.aten.batch_norm.default, torch.ops.aten._native_batch_norm_legit_no_training.default})
"""Parts of the convolution before them, in a quantized program."""


@dataclass(frozen=True)
class Neighbours:
    """Of a layer that computes with bytes: its inputs need no conversion if all layers ``before`` do so too, its
    results need none if all layers ``after`` do; None: always one."""

    before: frozenset[str] | None
    after: frozenset[str] | None


def neighbours(graph: Graph, layers: Collection[str]) -> dict[str, Neighbours]:
    """The neighbours of ``layers``, modules of the exported ``graph``, through operations that keep bytes bytes."""
    sources: dict[Node, frozenset[str] | None] = {}
    before: dict[str, frozenset[str] | None] = {}
    after: dict[str, frozenset[str] | None] = {name: frozenset() for name in layers}
    for node in graph.nodes:
        name = _layer(node, layers)
        arguments = node.args[:1] if node.target in _FOLDED else node.all_input_nodes
        read = [sources.get(argument) for argument in arguments]
        if name is not None:
            x = sources.get(node.args[0])
            before[name] = _union(before.get(name, frozenset()), x)
            for source in x or ():
                after[source] = _union(after[source], frozenset({name}))
            sources[node] = frozenset({name})
        elif node.target in ALIKE | _FOLDED and None not in read:
            sources[node] = frozenset().union(*(names for names in read if names is not None)) or None
        else:
            sources[node] = None
            for source in {source for names in read for source in names or ()}:
                after[source] = None
    return {name: Neighbours(before[name], after[name]) for name in before}


def _layer(node: Node, layers: Collection[str]) -> str | None:
    if node.target not in PRODUCTS:
        return None
    return next((name for name in modules_of(node) if name in layers), None)


def _union(some: frozenset[str] | None, others: frozenset[str] | None) -> frozenset[str] | None:
    return None if some is None or others is None else some | others
