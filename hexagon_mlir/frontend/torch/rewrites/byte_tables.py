"""A function of single bytes becomes a table of what PyTorch computes for each of the 256."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.rewrites.constants import value_of
from hexagon_mlir.frontend.torch.rewrites.integers import converted
from hexagon_mlir.frontend.torch.rewrites.schemes import CLAMPS, Scheme, dequantized

_aten = torch.ops.aten
_FUNCTIONS = frozenset({
    _aten.sigmoid.default, _aten.tanh.default, _aten.gelu.default, _aten.silu.default, _aten.hardswish.default,
    _aten.hardsigmoid.default, _aten.leaky_relu.default, _aten.elu.default, _aten.mish.default, _aten.where.self,
    _aten.where.ScalarSelf, _aten.where.ScalarOther, _aten.where.Scalar, *CLAMPS,
})
"""Functions of single elements that PyTorch does not tag as such."""
_BYTES = 256
_MOST_CALLS = 40


def table(graph: TorchGraph, node: Node, source: Node, scheme: Scheme) -> bool:
    """Replace the conversion ``node`` of ``source`` to bytes by ``scheme``, if all calls that make ``source`` are
    functions of single elements of one tensor of bytes."""
    calls: dict[Node, None] = {}
    values: dict[Node, torch.Tensor] = {}
    found = _origin(graph, source, shape_of(source), calls, values)
    if found is None or not calls:
        return False
    (origin,) = found
    bytes_, given = _of_bytes(graph, origin)
    codes = torch.arange(given.low, given.high + 1)
    values[origin] = (codes - given.zero).float() * given.scale
    with torch.no_grad():
        for call in calls:
            arguments = torch.fx.map_arg((args_of(call), call.kwargs), values.__getitem__)
            function: Any = call.target
            values[call] = function(*arguments[0], **arguments[1])
    reals = values[source].float()
    if not reals.isfinite().all():
        return False
    numbers = (torch.round(reals * (1.0 / scheme.scale)) + scheme.zero).clamp(scheme.low, scheme.high)
    results = torch.zeros(_BYTES, dtype=scheme.dtype)
    results[codes % _BYTES] = numbers.to(scheme.dtype)
    place = converted(graph, node, bytes_, torch.int32)
    if dtype_of(bytes_) == torch.int8:
        place = graph.insert(node, _aten.bitwise_and.Scalar, place, _BYTES - 1)
    place = converted(graph, node, place, torch.int64)
    graph.replace(node, graph.insert(node, _aten.index.Tensor, graph.add_constant(results, "table"), [place]))
    return True


def _of_bytes(graph: TorchGraph, node: Node) -> tuple[Node, Scheme]:
    found = dequantized(graph, node)
    assert found is not None
    return found


def _origin(graph: TorchGraph, node: Node, shape: tuple[int, ...], calls: dict[Node, None],
            numbers: dict[Node, torch.Tensor]) -> set[Node] | None:
    """The only conversion from bytes, of ``shape``, of which ``node`` is a function of single elements; ``calls`` gets
    those in between, in order, and ``numbers`` the constants of one element. None if it is no such function."""
    if node in calls:
        return set()
    if dequantized(graph, node) is not None:
        return {node} if shape_of(node) == shape else None
    if node.op != "call_function" or shape_of(node) != shape or len(calls) == _MOST_CALLS:
        return None
    if node.target not in _FUNCTIONS and torch.Tag.pointwise not in getattr(node.target, "tags", ()):
        return None
    found: set[Node] = set()
    for one in node.all_input_nodes:
        number = value_of(graph, one) if one.meta["val"].numel() == 1 else None
        if number is not None:
            numbers[one] = number.reshape(())
            continue
        inner = _origin(graph, one, shape, calls, numbers)
        if inner is None:
            return None
        found |= inner
    calls[node] = None
    return found if len(found) <= 1 else None
