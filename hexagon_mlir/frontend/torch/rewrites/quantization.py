"""Layers between bytes compute with bytes.

PyTorch exports a quantized layer as conversions from bytes to f32, the layer in f32, and a conversion back (the
operations of ``quantized_decomposed``). Here products, convolutions, sums of two tensors, means and average pooling are
exact sums of integers, which become bytes in fixed point (`fixed_point`): the real value plus 1/2, rounded down. What
moves or compares elements does so with bytes, and a function of single elements of one tensor is a table of what
PyTorch computes. ReLU and ReLU6 before a conversion to bytes are its clamp. Other layers compute in f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.convolution import sum_pool
from hexagon_mlir.frontend.torch.kernels.requantization import add_bytes, requantize
from hexagon_mlir.frontend.torch.rewrites.byte_sums import addition
from hexagon_mlir.frontend.torch.rewrites.byte_tables import table
from hexagon_mlir.frontend.torch.rewrites.constants import value_of
from hexagon_mlir.frontend.torch.rewrites.conversions import expand_dequantize, expand_quantize
from hexagon_mlir.frontend.torch.rewrites.convolution import FIRST, LAST, sum_windows
from hexagon_mlir.frontend.torch.rewrites.fixed_point import requantization
from hexagon_mlir.frontend.torch.rewrites.integers import converted
from hexagon_mlir.frontend.torch.rewrites.quantized_products import PRODUCTS, computed_product, product
from hexagon_mlir.frontend.torch.rewrites.schemes import (
    Scheme,
    before_clamps,
    dequantized,
    kind_of,
    scheme_of,
)
from hexagon_mlir.settings import Requantization as Conversion

_aten = torch.ops.aten
_MOVES = frozenset({_aten.reshape.default, _aten.view.default, _aten._unsafe_view.default, _aten.permute.default,
                    _aten.transpose.int, _aten.t.default, _aten.expand.default, _aten.unsqueeze.default,
                    _aten.squeeze.dim, _aten.clone.default, _aten.slice.Tensor, _aten.select.int,
                    _aten.max_pool2d.default, _aten.alias.default, _aten.dropout.default,
                    torch.ops.prims.collapse.default})
"""Calls that commute with one increasing function of each element."""


def quantized_layers(graph: TorchGraph, conversion: Conversion | None = None) -> None:
    """Let layers between conversions compute with bytes, and expand the other conversions of tensors. ``conversion``:
    what the matrix engine's own is used for; None where there is none."""
    for node in list(graph.graph.nodes):
        if kind_of(node) == "quantize_per_tensor" and value_of(graph, args_of(node)[0]) is None:
            _quantize(graph, node, conversion)
    for node in list(graph.graph.nodes):
        if node.target in PRODUCTS:
            if not product(graph, node):
                computed_product(graph, node)
        elif node.target == _aten.sum.dim_IntList:
            _sum(graph, node)
    for node in list(graph.graph.nodes):
        kind = kind_of(node)
        if kind in ("dequantize_per_tensor", "dequantize_per_channel") and value_of(graph, args_of(node)[0]) is None:
            expand_dequantize(graph, node)
    graph.graph.eliminate_dead_code()


def _quantize(graph: TorchGraph, node: Node, conversion: Conversion | None) -> None:
    """Replace the conversion to bytes ``node``, with what is before it where that can compute with bytes."""
    scheme, source = scheme_of(graph, node), args_of(node)[0]
    if dtype_of(source) != torch.float32:
        return
    if scheme is None:
        expand_quantize(graph, node, None)
        return
    if _moved(graph, node, source, scheme) or table(graph, node, source, scheme):
        return
    if source.target in _MOVES and len(source.users) == 1 and source.target != _aten.max_pool2d.default:
        inner = graph.insert(node, node.target, args_of(source)[0], *node.args[1:], **node.kwargs)
        graph.replace(node, graph.insert(node, source.target, inner, *source.args[1:], **source.kwargs))
        graph.graph.erase_node(source)
        _quantize(graph, inner, conversion)
        return
    layer, *limits = before_clamps(source)
    if layer is not source or len(layer.users) == 1:
        if product(graph, layer, (node, scheme), (limits[0], limits[1]), conversion):
            return
        if layer.target == _aten.add.Tensor and _addition(graph, layer, node, scheme, limits):
            return
        if layer.target == _aten.mul.Tensor and _mean(graph, layer, node, scheme, limits):
            return
        if layer.target == _aten.avg_pool2d.default and _average(graph, layer, node, scheme, limits):
            return
    expand_quantize(graph, node, scheme)


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


def _addition(graph: TorchGraph, layer: Node, node: Node, scheme: Scheme, limits: Sequence[float]) -> bool:
    """The sum of two conversions from bytes of one shape, as bytes."""
    parts = [dequantized(graph, part) for part in layer.args]
    if layer.kwargs or len(parts) != 2 or parts[0] is None or parts[1] is None:
        return False
    if shape_of(parts[0][0]) != shape_of(parts[1][0]):
        return False
    (x, first), (y, second) = parts[0], parts[1]
    numbers = addition(first, second, scheme, (limits[0], limits[1]))
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
    scaled = _scaled(graph, node, sums, given.scale * share, count * given.largest, scheme, limits)
    if scaled is not None:
        graph.replace(node, scaled)
    return scaled is not None


def _average(graph: TorchGraph, layer: Node, node: Node, scheme: Scheme, limits: Sequence[float]) -> bool:
    """The averages of windows of an image of bytes, as bytes."""
    given = arguments_of(layer)
    found, windows = dequantized(graph, given["self"]), sum_windows(layer)
    if found is None or windows is None or len(shape_of(found[0])) != len(LAST[4]):
        return False
    (x, of), (window, stride, padding, count) = found, windows
    if prod(window) * of.largest >= 1 << 31:
        return False
    zero = of.zero - (128 if dtype_of(x) == torch.uint8 else 0)
    image = graph.insert(node, _aten.permute.default, x, list(LAST[4]))
    sums = graph.insert(node, sum_pool, image, window, stride, padding, (1, 1), zero)
    if zero:
        sums = graph.insert(node, _aten.sub.Tensor, sums, prod(window) * zero)
    scaled = _scaled(graph, node, sums, of.scale / count, prod(window) * of.largest, scheme, limits)
    if scaled is not None:
        graph.replace(node, graph.insert(node, _aten.permute.default, scaled, list(FIRST[4])))
    return scaled is not None


def _scaled(graph: TorchGraph, node: Node, sums: Node, scale: float, largest: int, scheme: Scheme,
            limits: Sequence[float]) -> Node | None:
    """``sums`` of i32, at most ``largest``, times ``scale``, as bytes by ``scheme``; None where it takes more bits."""
    numbers = requantization(torch.tensor([scale / scheme.scale]).double(), torch.tensor([float(scheme.zero)]).double(),
                             largest, (scheme.low, scheme.high))
    if numbers is None:
        return None
    low, high = scheme.within(*limits)
    return graph.insert(node, requantize, sums, int(numbers.factors), int(numbers.offsets), numbers.left, numbers.right,
                        low, high, scheme.dtype, numbers.limit)


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

