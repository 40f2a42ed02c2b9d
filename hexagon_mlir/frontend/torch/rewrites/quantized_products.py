"""Linear layers and convolutions of bytes: sums in i32, which become bytes in fixed point, or numbers in f32."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, shape_of
from hexagon_mlir.frontend.torch.kernels.requantization import requantize
from hexagon_mlir.frontend.torch.rewrites.fixed_point import requantization
from hexagon_mlir.frontend.torch.rewrites.integers import converted
from hexagon_mlir.frontend.torch.rewrites.schemes import Scheme, dequantized, weights

_aten = torch.ops.aten
_COLUMNS = frozenset({_aten.mm.default, _aten.matmul.default, _aten.addmm.default})
"""Products whose weights have a column for each channel of the result."""
_CONVOLUTIONS = frozenset({_aten.conv1d.default, _aten.conv2d.default, _aten.convolution.default})
_LARGEST_WEIGHT = 128
PRODUCTS = _COLUMNS | _CONVOLUTIONS | {_aten.linear.default}


def product(graph: TorchGraph, layer: Node, result: tuple[Node, Scheme] | None = None,
            limits: tuple[float, float] = (0.0, 0.0)) -> bool:
    """Let ``layer``, of inputs and weights converted from bytes, multiply bytes; False where it cannot.

    ``result`` is the conversion of what it computes to bytes, clamped to ``limits`` before; None for a result in f32.
    """
    x, weight, bias = _operands(layer)
    given = dequantized(graph, x)
    factors = weights(graph, weight, 1 if layer.target in _COLUMNS else 0)
    if given is None or factors is None or arguments_of(layer).get("transposed") or _is_scaled(layer):
        return False
    if bias is not None and not (graph.is_constant(bias) and len(shape_of(bias)) == 1):
        return False
    (bytes_, scheme), (weight, scales) = given, factors
    channels = shape_of(layer)[1 if layer.target in _CONVOLUTIONS else -1]
    largest = prod(shape_of(weight)) // channels * scheme.largest * _LARGEST_WEIGHT
    if largest >= 1 << 31:  # the sums are words
        return False
    scales = scales.expand(channels) * scheme.scale
    offsets = torch.zeros(channels).double() if bias is None else graph.value(bias).double()
    wide = converted(graph, layer, bytes_, torch.int32)
    wide = graph.insert(layer, _aten.sub.Tensor, wide, scheme.zero) if scheme.zero else wide
    weight_sums = _sums_of(graph, layer, wide, converted(graph, layer, weight, torch.int32))
    shape = [1] * len(shape_of(layer))
    shape[1 if layer.target in _CONVOLUTIONS else -1] = channels
    if result is None:
        real = graph.insert(layer, _aten.mul.Tensor, converted(graph, layer, weight_sums, torch.float32),
                            graph.add_constant(scales.float().reshape(shape), "scales"))
        if bias is not None:
            real = graph.insert(layer, _aten.add.Tensor, real,
                                graph.add_constant(offsets.float().reshape(shape), "bias"))
        graph.replace(layer, real)
        return True
    node, wanted = result
    numbers = requantization(scales / wanted.scale, offsets / wanted.scale + wanted.zero, largest)
    if numbers is None:
        return False
    low, high = wanted.within(*limits)
    multipliers, starts = (graph.add_constant(values.reshape(shape), name)
                           for values, name in ((numbers.factors, "factors"), (numbers.offsets, "offsets")))
    graph.replace(node, graph.insert(node, requantize, weight_sums, multipliers, starts, numbers.left, numbers.right,
                                     low, high, wanted.dtype))
    return True


def _is_scaled(layer: Node) -> bool:
    """True for a sum with factors of its own, of the bias or of the product."""
    return layer.target == _aten.addmm.default and any(layer.kwargs.get(name, 1) != 1 for name in ("beta", "alpha"))


def _operands(layer: Node) -> tuple[Any, Any, Any]:
    """Image or rows, weights, bias."""
    arguments = args_of(layer)
    if layer.target == _aten.addmm.default:
        return arguments[1], arguments[2], arguments[0]
    bias = None if layer.target in _COLUMNS else arguments_of(layer).get("bias")
    return arguments[0], arguments[1], bias


def _sums_of(graph: TorchGraph, layer: Node, x: Node, weight: Node) -> Node:
    """``layer`` of integers, without its bias."""
    if layer.target == _aten.addmm.default:
        return graph.insert(layer, _aten.mm.default, x, weight)
    if layer.target in _COLUMNS:
        return graph.insert(layer, layer.target, x, weight)
    kept = {name: value for name, value in layer.kwargs.items() if name != "bias"}
    return graph.insert(layer, layer.target, x, weight, None, *layer.args[3:], **kept)
