"""Conversions between f32 and bytes as single steps: those that no layer of bytes has absorbed."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.rewrites.integers import converted
from hexagon_mlir.frontend.torch.rewrites.schemes import Scheme, kind_of, scheme_of

_aten = torch.ops.aten
_BYTES = (torch.int8, torch.uint8)


def expand_quantize(graph: TorchGraph, node: Node, scheme: Scheme | None) -> None:
    """Scaled, rounded to even, clamped: in f32. Without ``scheme``, scale and zero point are tensors."""
    x, scale, zero, low, high, dtype = args_of(node)[:6]
    if scheme is not None:
        steps = graph.insert(node, _aten.mul.Tensor, x, 1.0 / scheme.scale)
        rounded = graph.insert(node, _aten.round.default, steps)
        clamped = graph.insert(node, _aten.clamp.default, rounded, scheme.low - scheme.zero, scheme.high - scheme.zero)
        whole = converted(graph, node, clamped, torch.int32)
        whole = graph.insert(node, _aten.add.Tensor, whole, scheme.zero) if scheme.zero else whole
    elif isinstance(scale, Node) and isinstance(zero, Node) and dtype in _BYTES:
        inverse = graph.insert(node, _aten.reciprocal.default, converted(graph, node, scale, torch.float32))
        steps = graph.insert(node, _aten.round.default, graph.insert(node, _aten.mul.Tensor, x, inverse))
        steps = graph.insert(node, _aten.clamp.default, steps, low - high, high - low)  # floats are rounded once
        moved = graph.insert(node, _aten.add.Tensor, converted(graph, node, steps, torch.int32),
                             converted(graph, node, zero, torch.int32))
        whole = graph.insert(node, _aten.clamp.default, moved, low, high)
    else:
        return
    graph.replace(node, converted(graph, node, whole, dtype))


def expand_dequantize(graph: TorchGraph, node: Node) -> None:
    """The distance from the zero point, scaled: in f32. Numbers of channels lie along their dimension."""
    x, scale, zero = args_of(node)[:3]
    scheme = scheme_of(graph, node) if kind_of(node) == "dequantize_per_tensor" else None
    difference: Any = zero if scheme is None else scheme.zero
    factor: Any = scale if scheme is None else scheme.scale
    wide = converted(graph, node, x, torch.int32)
    if scheme is None:
        if not isinstance(scale, Node):
            return
        shape = [1] * len(shape_of(x))
        if kind_of(node) == "dequantize_per_channel":
            shape[args_of(node)[3]] = -1
        factor = _along(graph, node, scale, torch.float32, shape)
        difference = zero if zero is None else _along(graph, node, zero, torch.int32, shape)
    if difference is not None and difference != 0:
        wide = graph.insert(node, _aten.sub.Tensor, wide, difference)
    real = graph.insert(node, _aten.mul.Tensor, converted(graph, node, wide, torch.float32), factor)
    graph.replace(node, converted(graph, node, real, dtype_of(node)))


def _along(graph: TorchGraph, node: Node, value: Node, kind: torch.dtype, shape: list[int]) -> Node:
    """``value`` of type ``kind`` in ``shape``."""
    return graph.insert(node, _aten.reshape.default, converted(graph, node, value, kind), shape)
