"""Layers between bytes compute with bytes.

PyTorch exports a quantized layer as conversions from bytes to f32, the layer in f32, and a conversion back (the
operations of ``quantized_decomposed``). Here products, convolutions, sums of two tensors and means are exact sums of
integers, which become bytes in fixed point (`fixed_point`): the real value plus 1/2, rounded down. What moves or
compares elements does so with bytes, and a function of one element is a table of what PyTorch computes. ReLU and ReLU6
before a conversion to bytes are its clamp. Other layers compute in f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.requantization import add_bytes, requantize
from hexagon_mlir.frontend.torch.rewrites.fixed_point import addition, requantization
from hexagon_mlir.frontend.torch.rewrites.integers import converted
from hexagon_mlir.frontend.torch.rewrites.quantized_products import PRODUCTS, product
from hexagon_mlir.frontend.torch.rewrites.schemes import (
    CLAMPS,
    Scheme,
    before_clamps,
    dequantized,
    kind_of,
    scheme_of,
)

_aten = torch.ops.aten
_MOVES = frozenset({_aten.reshape.default, _aten.view.default, _aten._unsafe_view.default, _aten.permute.default,
                    _aten.transpose.int, _aten.t.default, _aten.expand.default, _aten.unsqueeze.default,
                    _aten.squeeze.dim, _aten.clone.default, _aten.slice.Tensor, _aten.select.int,
                    _aten.max_pool2d.default, _aten.alias.default, _aten.dropout.default})
"""Calls that commute with one increasing function of each element."""
_FUNCTIONS = frozenset({
    _aten.sigmoid.default, _aten.tanh.default, _aten.gelu.default, _aten.silu.default, _aten.hardswish.default,
    _aten.hardsigmoid.default, _aten.leaky_relu.default, _aten.elu.default, _aten.mish.default, *CLAMPS,
})
"""Functions of one element."""
_BYTES = 256


def quantized_layers(graph: TorchGraph) -> None:
    """Let layers between conversions compute with bytes, and expand the other conversions of tensors."""
    for node in list(graph.graph.nodes):
        if kind_of(node) == "quantize_per_tensor" and not graph.is_constant(args_of(node)[0]):
            _quantize(graph, node)
    for node in list(graph.graph.nodes):
        if node.target in PRODUCTS:
            product(graph, node)
        elif node.target == _aten.sum.dim_IntList:
            _sum(graph, node)
    for node in list(graph.graph.nodes):
        if kind_of(node) == "dequantize_per_tensor" and not graph.is_constant(args_of(node)[0]):
            _expand_dequantize(graph, node)
    graph.graph.eliminate_dead_code()


def _quantize(graph: TorchGraph, node: Node) -> None:
    """Replace the conversion to bytes ``node``, with what is before it where that can compute with bytes."""
    scheme, source = scheme_of(graph, node), args_of(node)[0]
    if scheme is None or dtype_of(source) != torch.float32:
        return
    if _moved(graph, node, source, scheme) or _table(graph, node, source, scheme):
        return
    layer, *limits = before_clamps(source)
    if layer is not source or len(layer.users) == 1:
        if layer.target in PRODUCTS and product(graph, layer, (node, scheme), (limits[0], limits[1])):
            return
        if layer.target == _aten.add.Tensor and _addition(graph, layer, node, scheme, limits):
            return
        if layer.target == _aten.mul.Tensor and _mean(graph, layer, node, scheme, limits):
            return
    _expand_quantize(graph, node, scheme)


def _moved(graph: TorchGraph, node: Node, source: Node, scheme: Scheme) -> bool:
    """A move between conversions by one scheme moves the bytes."""
    if source.target == _aten.cat.default:
        parts = [part for part in (dequantized(graph, one) for one in args_of(source)[0])
                 if part is not None and part[1] == scheme]
        if len(parts) < len(args_of(source)[0]):
            return False
        graph.replace(node, graph.insert(node, source.target, [part[0] for part in parts], *source.args[1:]))
        return True
    moves = source.target in _MOVES
    found = dequantized(graph, args_of(source)[0] if moves else source)
    if found is None or found[1] != scheme or (moves and arguments_of(source).get("ceil_mode")):
        return False
    graph.replace(node, graph.insert(node, source.target, found[0], *source.args[1:], **source.kwargs)
                  if moves else found[0])
    return True


def _table(graph: TorchGraph, node: Node, source: Node, scheme: Scheme) -> bool:
    """A function of single bytes becomes a table of what PyTorch computes for each."""
    found = dequantized(graph, args_of(source)[0]) if source.target in _FUNCTIONS else None
    if found is None:
        return False
    x, given = found
    function: Any = source.target
    codes = torch.arange(given.low, given.high + 1)
    with torch.no_grad():
        reals = function((codes - given.zero).float() * given.scale, *source.args[1:], **source.kwargs)
    numbers = (torch.round(reals * (1.0 / scheme.scale)) + scheme.zero).clamp(scheme.low, scheme.high)
    table = torch.zeros(_BYTES, dtype=scheme.dtype)
    table[codes % _BYTES] = numbers.to(scheme.dtype)
    place = converted(graph, node, x, torch.int32)
    if x.meta["val"].dtype == torch.int8:
        place = graph.insert(node, _aten.bitwise_and.Scalar, place, _BYTES - 1)
    place = converted(graph, node, place, torch.int64)
    graph.replace(node, graph.insert(node, _aten.index.Tensor, graph.add_constant(table, "table"), [place]))
    return True


def _addition(graph: TorchGraph, layer: Node, node: Node, scheme: Scheme, limits: Sequence[float]) -> bool:
    """The sum of two conversions from bytes of one shape, as bytes."""
    parts = [dequantized(graph, part) for part in layer.args]
    if layer.kwargs or len(parts) != 2 or parts[0] is None or parts[1] is None:
        return False
    if shape_of(parts[0][0]) != shape_of(parts[1][0]):
        return False
    (x, first), (y, second) = parts[0], parts[1]
    factors = (first.scale / scheme.scale, second.scale / scheme.scale)
    numbers = addition(factors, scheme.zero - first.zero * factors[0] - second.zero * factors[1])
    if numbers is None:
        return False
    low, high = scheme.within(*limits)
    graph.replace(node, graph.insert(node, add_bytes, x, y, *numbers, low, high, scheme.dtype))
    return True


def _mean(graph: TorchGraph, layer: Node, node: Node, scheme: Scheme, limits: Sequence[float]) -> bool:
    """A scaled sum of conversions from bytes, as bytes."""
    total, share = args_of(layer)[:2]
    if not isinstance(share, float) or share <= 0 or total.target != _aten.sum.dim_IntList or len(total.users) > 1:
        return False
    found = _sum_of_bytes(graph, total)
    if found is None:
        return False
    sums, given, count = found
    factor = given.scale * share / scheme.scale
    numbers = requantization(torch.tensor([factor]).double(), torch.tensor([float(scheme.zero)]).double(),
                             count * given.largest)
    if numbers is None:
        return False
    values = (int(numbers.factors), int(numbers.offsets))
    low, high = scheme.within(*limits)
    graph.replace(node, graph.insert(node, requantize, sums, *values, numbers.left, numbers.right, low, high,
                                     scheme.dtype))
    return True


def _sum(graph: TorchGraph, node: Node) -> None:
    """A sum of conversions from bytes: of integers, scaled."""
    found = _sum_of_bytes(graph, node)
    if found is not None:
        real = converted(graph, node, found[0], torch.float32)
        graph.replace(node, graph.insert(node, _aten.mul.Tensor, real, found[1].scale))


def _sum_of_bytes(graph: TorchGraph, node: Node) -> tuple[Node, Scheme, int] | None:
    """The sums of bytes less their zero points, i32; how many each has."""
    found = dequantized(graph, args_of(node)[0])
    if found is None or len(node.args) < 2 or not node.args[1] or not shape_of(node):
        return None
    x, scheme = found
    count = prod(shape_of(x)[d] for d in args_of(node)[1])
    if count * scheme.largest >= 1 << 31:
        return None
    total = graph.insert(node, node.target, converted(graph, node, x, torch.int32), *node.args[1:], dtype=torch.int32)
    if scheme.zero:
        total = graph.insert(node, _aten.sub.Tensor, total, count * scheme.zero)
    return total, scheme, count


def _expand_quantize(graph: TorchGraph, node: Node, scheme: Scheme) -> None:
    """Scaled, rounded to even, clamped: in f32."""
    steps = graph.insert(node, _aten.mul.Tensor, args_of(node)[0], 1.0 / scheme.scale)
    rounded = graph.insert(node, _aten.round.default, steps)
    clamped = graph.insert(node, _aten.clamp.default, rounded, scheme.low - scheme.zero, scheme.high - scheme.zero)
    whole = converted(graph, node, clamped, torch.int32)
    whole = graph.insert(node, _aten.add.Tensor, whole, scheme.zero) if scheme.zero else whole
    graph.replace(node, converted(graph, node, whole, scheme.dtype))


def _expand_dequantize(graph: TorchGraph, node: Node) -> None:
    """The distance from the zero point, scaled: in f32."""
    scheme = scheme_of(graph, node)
    if scheme is None:
        return
    wide = converted(graph, node, args_of(node)[0], torch.int32)
    wide = graph.insert(node, _aten.sub.Tensor, wide, scheme.zero) if scheme.zero else wide
    real = graph.insert(node, _aten.mul.Tensor, converted(graph, node, wide, torch.float32), scheme.scale)
    graph.replace(node, converted(graph, node, real, dtype_of(node)))
