"""Batch normalisation of a convolution's result, folded into its weights."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of

_aten = torch.ops.aten
_NORMS = frozenset({_aten._native_batch_norm_legit_no_training.default, _aten.batch_norm.default,
                    _aten.native_batch_norm.default, _aten.cudnn_batch_norm.default})
CONVOLUTIONS = frozenset({_aten.convolution.default, _aten.conv1d.default, _aten.conv2d.default,
                          _aten.conv1d.padding, _aten.conv2d.padding})


def fold_batch_norm(graph: TorchGraph) -> None:
    """Inference batch norm becomes ``x * scale + shift`` per channel; after a convolution both are folded into it."""
    for node in [n for n in graph.graph.nodes if n.op == "call_function" and n.target in _NORMS]:
        numbers = _numbers(graph, node)
        if numbers is None:
            _spell_out(graph, node)
            continue
        scale, shift = numbers
        x = args_of(node)[0]
        assert isinstance(x, Node)
        result = _into_convolution(graph, x, scale, shift) if _folds_into(graph, x) else _affine(
            graph, node, x, scale, shift)
        if node.target == _aten.batch_norm.default:
            graph.replace(node, result)
        else:
            _replace_first(graph, node, result)


def _spell_out(graph: TorchGraph, node: Node) -> None:
    """Decompose inference with computed statistics, or with statistics from the caller."""
    if node.target != _aten._native_batch_norm_legit_no_training.default:
        return
    x, weight, bias, mean, variance, _, epsilon = args_of(node)
    shape = [1, -1, *[1] * (x.meta["val"].dim() - 2)]

    def channels(value: Node) -> Node:
        return graph.insert(node, _aten.view.default, value, shape)

    scale = graph.insert(node, _aten.rsqrt.default, graph.insert(node, _aten.add.Scalar, variance, epsilon))
    if weight is not None:
        scale = graph.insert(node, _aten.mul.Tensor, scale, weight)
    result = graph.insert(node, _aten.mul.Tensor, graph.insert(node, _aten.sub.Tensor, x, channels(mean)),
                          channels(scale))
    if bias is not None:
        result = graph.insert(node, _aten.add.Tensor, result, channels(bias))
    _replace_first(graph, node, result)


def _replace_first(graph: TorchGraph, node: Node, result: Node) -> None:
    """``result`` for the first of the results of ``node``."""
    for user in list(node.users):
        if user.target is operator.getitem and args_of(user)[1] == 0:
            graph.replace(user, result)


def _numbers(graph: TorchGraph, node: Node) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Scale and shift per channel, or None when this is no inference with known statistics."""
    legit = node.target == _aten._native_batch_norm_legit_no_training.default
    weight, bias, mean, variance = args_of(node)[1:5]
    training, epsilon = (False, args_of(node)[6]) if legit else (args_of(node)[5], args_of(node)[7])
    if training or not graph.is_constant(mean) or not graph.is_constant(variance):
        return None
    if any(p is not None and not graph.is_constant(p) for p in (weight, bias)):
        return None
    scale = torch.rsqrt(graph.value(variance).double() + epsilon)
    if weight is not None:
        scale = scale * graph.value(weight)
    shift = -graph.value(mean) * scale
    if bias is not None:
        shift = shift + graph.value(bias)
    return scale, shift


def _folds_into(graph: TorchGraph, x: Node) -> bool:
    if x.target not in CONVOLUTIONS or len(x.users) != 1 or not graph.is_constant(args_of(x)[1]):
        return False
    bias = _bias(x)
    transposed = x.target == _aten.convolution.default and bool(args_of(x)[6])
    return not transposed and (bias is None or graph.is_constant(bias))


def _bias(convolution: Node) -> Any:
    return args_of(convolution)[2] if len(args_of(convolution)) > 2 else None


def _into_convolution(graph: TorchGraph, convolution: Node, scale: torch.Tensor, shift: torch.Tensor) -> Node:
    weight, bias = graph.value(args_of(convolution)[1]), _bias(convolution)
    dtype = weight.dtype
    folded = weight.double() * scale.reshape(-1, *[1] * (weight.dim() - 1))
    if bias is not None:
        shift = shift + graph.value(bias) * scale
    arguments = [*args_of(convolution), None][:max(len(args_of(convolution)), 3)]
    arguments[1] = graph.add_constant(folded.to(dtype), "conv_weight")
    arguments[2] = graph.add_constant(shift.to(dtype), "conv_bias")
    convolution.args = tuple(arguments)
    return convolution


def _affine(graph: TorchGraph, node: Node, x: Node, scale: torch.Tensor, shift: torch.Tensor) -> Node:
    rank = x.meta["val"].dim()
    shape = [1, -1, *[1] * (rank - 2)]
    factor = graph.add_constant(scale.to(dtype_of(x)).reshape(shape).contiguous(), "norm_scale")
    offset = graph.add_constant(shift.to(dtype_of(x)).reshape(shape).contiguous(), "norm_shift")
    return graph.insert(node, _aten.add.Tensor, graph.insert(node, _aten.mul.Tensor, x, factor), offset)
