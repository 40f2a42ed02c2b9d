"""Convolutions and pooling with channels last; plain 1x1 ones as matrix products, transposed ones as ordinary ones."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of
from hexagon_mlir.frontend.torch.kernels.convolution import Pair, convolution, max_pool, sum_pool
from hexagon_mlir.frontend.torch.rewrites.bytes import pools_bytes
from hexagon_mlir.frontend.torch.rewrites.integers import INTEGERS, converted, integer_operands, start_of_sums
from hexagon_mlir.frontend.torch.rewrites.transposed import Phases, TransposedConvolution

_aten = torch.ops.aten
_DIRECT = {_aten.conv1d.default: 1, _aten.conv2d.default: 2, _aten.convolution.default: 0,
           _aten.conv_transpose1d.default: 1, _aten.conv_transpose2d.input: 2}
_POOLS = {_aten.max_pool2d.default: max_pool, _aten.avg_pool2d.default: sum_pool}
_FLOATS = (torch.float32, torch.float16)
LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1)}
"""Permutations that put the channels last, by rank."""
FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2)}
"""And back."""


def channels_last(graph: TorchGraph) -> None:
    """Put a pair of permutations around each convolution and pooling; `layout` cancels those between them."""
    for node in list(graph.graph.nodes):
        if node.target in _DIRECT:
            _convolution(graph, node)
        elif node.target in _POOLS or (node.target == _aten.max_pool2d_with_indices.default and all(
                args_of(user)[1] == 0 for user in node.users) and len(node.users) == 1):
            _pool(graph, node)


def _pair(value: Any, default: Any, dims: int) -> tuple[int, int]:
    """An argument as (rows, columns); one-dimensional images have one row."""
    numbers = [value] if isinstance(value, int) else list(value) or [default]
    numbers = numbers * dims if len(numbers) == 1 else numbers
    return (int(numbers[0]), int(numbers[1])) if dims == 2 else (int(default), int(numbers[0]))


def _convolution(graph: TorchGraph, node: Node) -> None:
    given = arguments_of(node)
    x, weight, bias = given["input"], given["weight"], given.get("bias")
    rank = len(shape_of(x))
    if rank not in LAST or dtype_of(x) not in INTEGERS.union(_FLOATS) or not isinstance(weight, Node):
        return
    dims = rank - 2
    stride, padding = _pair(given.get("stride", 1), 1, dims), _pair(given.get("padding", 0), 0, dims)
    dilation, groups = _pair(given.get("dilation", 1), 1, dims), given.get("groups", 1)
    transposed = None
    if "transpose" in str(node.target) or given.get("transposed"):
        phases = _phases(node, x, weight, stride, padding, dilation)
        transposed = TransposedConvolution(graph, node, weight, phases, groups)
        weight, bias = transposed.weight(), bias and transposed.bias(bias)
        stride, padding, dilation = (1, 1), _pair([one.padding for one in phases], 0, 2), (1, 1)
    operands = None
    if dtype_of(x) in INTEGERS:
        operands = integer_operands(graph, node, x, weight, prod(shape_of(weight)[1:]))
        if operands is None:
            return
    window = (1, *shape_of(weight)[2:]) if dims == 1 else shape_of(weight)[2:]

    if window == (1, 1) and padding == (0, 0) and stride == (1, 1) and groups == 1:
        plain, operands = True, None
    else:
        plain = False

    def build(y: Node) -> Node:
        if plain:
            result = _product(graph, node, y, weight, bias)
        elif operands is not None:
            start = start_of_sums(graph, node, operands, list(range(1, rank)), shape_of(weight)[:1], bias)
            result = _direct(graph, node, y, operands.weight, start, stride, padding, dilation, groups, operands.zero)
        else:
            result = _direct(graph, node, y, weight, _float_bias(graph, node, weight, bias), stride, padding, dilation,
                             groups)
        return result if transposed is None else transposed.finished(result)

    _replace(graph, node, rank, build, operands.x if operands is not None else None)


def _phases(node: Node, x: Node, weight: Node, *arguments: tuple[int, int]) -> list[Phases]:
    """Of a transposed convolution, along rows and columns; ``arguments``: stride, padding, dilation."""
    image, window, result = ((1, 1, *shape_of(value)[2:])[-2:] for value in (x, weight, node))
    return [Phases.of(*numbers) for numbers in zip(image, window, *arguments, result, strict=True)]


def _float_bias(graph: TorchGraph, node: Node, weight: Node, bias: Node | None) -> Node:
    if bias is None:
        return graph.add_constant(torch.zeros(shape_of(weight)[0]), "no_bias")
    return converted(graph, node, bias, torch.float32)


def _replace(graph: TorchGraph, node: Node, rank: int, build: Any, x: Node | None = None) -> None:
    """``node`` becomes permute, four dimensions, ``build``, its own rank, permute back; of ``x`` if there is one."""
    x = x or arguments_of(node)["input" if "input" in arguments_of(node) else "self"]
    y = graph.insert(node, _aten.permute.default, x, list(LAST[rank]))
    if rank == 3:
        n, length, channels = shape_of(y)
        y = graph.insert(node, _aten.reshape.default, y, [n, 1, length, channels])
    y = build(y)
    if rank == 3:
        n, _, length, channels = shape_of(y)
        y = graph.insert(node, _aten.reshape.default, y, [n, length, channels])
    graph.replace(node, graph.insert(node, _aten.permute.default, y, list(FIRST[rank])))


def _four(graph: TorchGraph, node: Node, weight: Node) -> Node:
    """The weight with two window dimensions."""
    shape = shape_of(weight)
    return weight if len(shape) == 4 else graph.insert(node, _aten.unsqueeze.default, weight, 2)


def _direct(graph: TorchGraph, node: Node, y: Node, weight: Node, bias: Node, *arguments: Any) -> Node:
    """``arguments`` are those of `convolution` from the strides on."""
    packed = graph.insert(node, _aten.permute.default, _four(graph, node, weight), [2, 3, 1, 0])
    packed = graph.insert(node, _aten.clone.default, packed, memory_format=torch.contiguous_format)
    return converted(graph, node, graph.insert(node, convolution, y, packed, bias, *arguments), dtype_of(node))


def _product(graph: TorchGraph, node: Node, y: Node, weight: Node, bias: Node | None) -> Node:
    """A 1x1 convolution: rows are pixels."""
    outputs, inputs = shape_of(weight)[:2]
    rows = graph.insert(node, _aten.reshape.default, y, [prod(shape_of(y)[:3]), inputs])
    packed = graph.insert(node, _aten.reshape.default, weight, [outputs, inputs])
    packed = graph.insert(node, _aten.permute.default, packed, [1, 0])
    result = graph.insert(node, _aten.mm.default, rows, packed)
    if bias is not None:
        result = graph.insert(node, _aten.add.Tensor, result, bias)
    return graph.insert(node, _aten.reshape.default, result, [*shape_of(y)[:3], outputs])


def sum_windows(node: Node) -> tuple[Pair, Pair, Pair, int] | None:
    """Window, stride, padding and divisor of an average pooling whose windows all have one divisor."""
    given = arguments_of(node)
    window, stride, padding = _window(given)
    if given.get("ceil_mode", False) or (any(padding) and not given.get("count_include_pad", True)):
        return None
    return window, stride, padding, given.get("divisor_override") or prod(window)


def _window(given: Mapping[str, Any]) -> tuple[Pair, Pair, Pair]:
    """Window, stride and padding of a pooling."""
    window = _pair(given["kernel_size"], 1, 2)
    return window, _pair(given.get("stride") or window, 1, 2), _pair(given.get("padding", 0), 0, 2)


def _pool(graph: TorchGraph, node: Node) -> None:
    given = arguments_of(node)
    x = given["self"]
    if len(shape_of(x)) != 4 or not (dtype_of(x) in _FLOATS or pools_bytes(node)) or given.get("ceil_mode", False):
        return
    window, stride, padding = _window(given)
    if node.target == _aten.avg_pool2d.default:
        if (windows := sum_windows(node)) is not None:
            def average(y: Node) -> Node:
                total = graph.insert(node, sum_pool, y, window, stride, padding, (1, 1))
                return graph.insert(node, _aten.mul.Tensor, total, 1.0 / windows[-1])

            _replace(graph, node, 4, average)
        return
    dilation = _pair(given.get("dilation", 1), 1, 2)
    target = node
    if node.target == _aten.max_pool2d_with_indices.default:
        target = next(iter(node.users))
    y = graph.insert(node, _aten.permute.default, x, list(LAST[4]))
    y = graph.insert(node, max_pool, y, window, stride, padding, dilation)
    back = graph.insert(node, _aten.permute.default, y, list(FIRST[4]))
    graph.replace(target, back)
    if target is not node:
        graph.graph.erase_node(node)
