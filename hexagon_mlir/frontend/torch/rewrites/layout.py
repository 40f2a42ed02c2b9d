"""Sinks permutations through layout-independent operations until two of them cancel."""

from __future__ import annotations

from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, shape_of
from hexagon_mlir.frontend.torch.kernels.engine_requantization import convert_sums
from hexagon_mlir.frontend.torch.kernels.requantization import add_bytes, requantize
from hexagon_mlir.frontend.torch.rewrites.convolution import FIRST, LAST

_aten = torch.ops.aten
_POINTWISE = frozenset({
    _aten.relu.default, _aten.hardtanh.default, _aten.sigmoid.default, _aten.tanh.default, _aten.silu.default,
    _aten.gelu.default, _aten.leaky_relu.default, _aten.elu.default, _aten.clamp.default, _aten.hardswish.default,
    _aten.hardsigmoid.default, _aten.neg.default, _aten.exp.default, _aten.erf.default, _aten.abs.default,
    _aten.sqrt.default, _aten.rsqrt.default, _aten.relu6.default, _aten.mul.Tensor, _aten.add.Tensor,
    _aten.sub.Tensor, _aten.div.Tensor, _aten.mul.Scalar, _aten.add.Scalar, _aten.maximum.default,
    _aten.minimum.default, _aten.round.default, _aten._to_copy.default, _aten.clone.default, _aten.dropout.default,
    _aten.softplus.default, _aten.mish.default, _aten.lt.Scalar, _aten.le.Scalar, _aten.gt.Scalar, _aten.ge.Scalar,
    _aten.lt.Tensor, _aten.gt.Tensor, _aten.where.self, _aten.where.ScalarSelf, _aten.where.ScalarOther,
    _aten.isnan.default, _aten.bitwise_or.Tensor, requantize, add_bytes, convert_sums,
})
_SUMS = frozenset({_aten.sum.dim_IntList, _aten.mean.dim, _aten.amax.default})


def sink_permutations(graph: TorchGraph) -> None:
    """One sweep from inputs to outputs: an op of channels-last operands is computed channels last."""
    for node in list(graph.graph.nodes):
        if node.op != "call_function":
            continue
        if node.target == _aten.permute.default and _cancels(graph, node):
            continue
        if node.target in _POINTWISE:
            _pointwise(graph, node)
        elif node.target == _aten.cat.default:
            _concatenation(graph, node)
        elif node.target in _SUMS:
            _sum(graph, node)
        elif node.target == _aten.prelu.default:
            _prelu(graph, node)


def _source(node: Any) -> Node | None:
    """The channels-last tensor that ``node`` permutes back, if it does."""
    if not isinstance(node, Node) or node.target != _aten.permute.default:
        return None
    rank = len(shape_of(node))
    if rank not in FIRST or [d % rank for d in args_of(node)[1]] != list(FIRST[rank]):
        return None
    source = args_of(node)[0]
    assert isinstance(source, Node)
    return source


def _cancels(graph: TorchGraph, node: Node) -> bool:
    source = _source(args_of(node)[0])
    rank = len(shape_of(node))
    if source is None or [d % rank for d in args_of(node)[1]] != list(LAST[rank]):
        return False
    graph.replace(node, source)
    return True


def _permuted_back(graph: TorchGraph, node: Node, result: Node) -> None:
    graph.replace(node, graph.insert(node, _aten.permute.default, result, list(FIRST[len(shape_of(result))])))


def _pointwise(graph: TorchGraph, node: Node) -> None:
    rank = len(shape_of(node))
    if rank not in LAST:
        return
    operands: list[Any] = []
    found = False
    for value in args_of(node):
        source = _source(value)
        if source is not None and len(shape_of(source)) == rank:
            found = True
            operands.append(source)
        elif not isinstance(value, Node):
            operands.append(value)
        elif graph.is_constant(value) and len(shape_of(value)) in (0, rank):
            constant = graph.value(value)
            operands.append(value if constant.dim() == 0 else
                            graph.add_constant(constant.permute(LAST[rank]).contiguous(), "channels_last"))
        elif len(shape_of(value)) == 0:
            operands.append(value)
        elif len(shape_of(value)) == rank and rank in LAST:
            operands.append(value)  # a tensor with channels first: permuted below when it pays
        else:
            return
    if not found:
        return
    for place, value in enumerate(operands):
        if value is args_of(node)[place] and isinstance(value, Node) and len(shape_of(value)) == rank:
            operands[place] = graph.insert(node, _aten.permute.default, value, list(LAST[rank]))
    _permuted_back(graph, node, graph.insert(node, node.target, *operands, **node.kwargs))


def _concatenation(graph: TorchGraph, node: Node) -> None:
    parts = args_of(node)[0]
    sources = [_source(part) for part in parts]
    rank = len(shape_of(node))
    if rank not in FIRST or any(source is None for source in sources):
        return
    dim = (args_of(node)[1] if len(node.args) > 1 else 0) % rank
    result = graph.insert(node, _aten.cat.default, sources, FIRST[rank][dim])
    _permuted_back(graph, node, result)


def _sum(graph: TorchGraph, node: Node) -> None:
    source = _source(args_of(node)[0])
    if source is None or len(node.args) < 2 or not args_of(node)[1]:
        return
    rank = len(shape_of(source))
    dims = {d % rank for d in args_of(node)[1]}
    if dims != set(range(2, rank)):
        return
    keep = bool(args_of(node)[2]) if len(node.args) > 2 else False
    result = graph.insert(node, node.target, source, list(range(1, rank - 1)), keep, **node.kwargs)
    if keep:
        _permuted_back(graph, node, result)
    else:
        graph.replace(node, result)


def _prelu(graph: TorchGraph, node: Node) -> None:
    """``prelu`` takes its weight along dimension 1: as where(x > 0, x, w x), along the last."""
    source, weight = _source(args_of(node)[0]), args_of(node)[1]
    if source is None:
        return
    zero = graph.insert(node, _aten.gt.Scalar, source, 0)
    scaled = graph.insert(node, _aten.mul.Tensor, source, weight)
    _permuted_back(graph, node, graph.insert(node, _aten.where.self, zero, source, scaled))
