"""Nearest-neighbour interpolation as repeated slices or constant indices, with channels last where convolutions have
them."""

from __future__ import annotations

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, shape_of
from hexagon_mlir.frontend.torch.rewrites.convolution import FIRST, LAST

_aten = torch.ops.aten
_NEAREST = frozenset({getattr(getattr(_aten, name), overload)
                      for name in ("upsample_nearest1d", "upsample_nearest2d", "_upsample_nearest_exact1d",
                                   "_upsample_nearest_exact2d") for overload in ("default", "vec")})


def nearest_as_moves(graph: TorchGraph) -> None:
    """Put a pair of permutations around each interpolation; `layout` cancels pairs.

    Not where no other op is computed with channels last, because nothing would cancel.
    """
    last = any(node.target == _aten.permute.default and tuple(args_of(node)[1]) in LAST.values()
               for node in graph.graph.nodes)
    for node in list(graph.graph.nodes):
        if node.target not in _NEAREST or 0 in shape_of(node):
            continue
        positions = _positions(node)
        y, rank = args_of(node)[0], len(shape_of(node))
        assert isinstance(y, Node)
        if last:
            y = graph.insert(node, _aten.permute.default, y, list(LAST[rank]))
        for dim, sources in enumerate(positions, start=1 if last else 2):
            y = _take(graph, node, y, dim, sources)
        graph.replace(node, graph.insert(node, _aten.permute.default, y, list(FIRST[rank])) if last else y)


def _positions(node: Node) -> list[torch.Tensor]:
    """For each dimension but batch and channels, the source of each element of the result, from eager PyTorch."""
    image, *rest = args_of(node)
    sizes = shape_of(image)[2:]
    found = []
    for dim, size in enumerate(sizes):
        places = torch.arange(size, dtype=torch.float32).reshape([-1 if d == dim else 1 for d in range(len(sizes))])
        result = node.target(places.expand(sizes)[None, None], *rest, **node.kwargs)[0, 0]  # type: ignore[operator]
        found.append(result.movedim(dim, 0).reshape(result.shape[dim], -1)[:, 0].to(torch.int64))
    return found


def _take(graph: TorchGraph, node: Node, y: Node, dim: int, sources: torch.Tensor) -> Node:
    """``y`` with the slices ``sources`` of dimension ``dim``: as a broadcast when each comes equally often."""
    shape = list(shape_of(y))
    times, rest = divmod(len(sources), shape[dim])
    if not rest and torch.equal(sources, torch.arange(shape[dim]).repeat_interleave(times)):
        if times == 1:
            return y
        wide = graph.insert(node, _aten.unsqueeze.default, y, dim + 1)
        wide = graph.insert(node, _aten.expand.default, wide, [*shape[:dim + 1], times, *shape[dim + 1:]])
        return graph.insert(node, _aten.reshape.default, wide, [*shape[:dim], len(sources), *shape[dim + 1:]])
    indices = graph.add_constant(sources, "nearest")
    return graph.insert(node, _aten.index.Tensor, y, [*[None] * dim, indices])
