"""What the operations of ``quantized_decomposed`` say: scales, zero points, the limits of bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of
from hexagon_mlir.frontend.torch.rewrites.constants import value_of

_aten = torch.ops.aten
_BYTES = (torch.int8, torch.uint8)
CLAMPS = frozenset({_aten.relu.default, _aten.relu6.default, _aten.hardtanh.default, _aten.clamp.default})
_TRANSPOSITIONS = (_aten.permute.default, _aten.t.default, _aten.transpose.int)
_FAR = 1e6  # beyond any byte


@dataclass(frozen=True)
class Scheme:
    """``(value - zero) * scale`` is the number that a byte between ``low`` and ``high`` stands for."""

    scale: float
    zero: int
    low: int
    high: int
    dtype: torch.dtype

    @property
    def largest(self) -> int:
        """The largest distance of a byte from the zero point."""
        return max(self.high - self.zero, self.zero - self.low)

    def within(self, least: float, most: float) -> tuple[int, int]:
        """The limits of the bytes for numbers between two; rounding increases, so it may come before a clamp."""
        low, high = max(self.low, self._byte(least)), min(self.high, self._byte(most))
        return min(low, self.high), max(high, self.low)

    def _byte(self, number: float) -> int:
        steps = torch.tensor(number, dtype=torch.float32) * (1.0 / self.scale)  # as PyTorch converts it
        return int(torch.round(steps.clamp(-_FAR, _FAR))) + self.zero


def kind_of(node: Any) -> str:
    """The name of a ``quantized_decomposed`` operation that a node calls, without its overload; else the empty text."""
    target = getattr(node, "target", None)
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "quantized_decomposed":
        return ""
    return target._schema.name.partition("::")[2]


def scheme_of(graph: TorchGraph, node: Node) -> Scheme | None:
    """Of a conversion per tensor from or to bytes, whose scale and zero point are known."""
    _, scale, zero, low, high, dtype = args_of(node)[:6]
    scale, zero = (value_of(graph, number) if isinstance(number, Node) else number for number in (scale, zero))
    if scale is None or zero is None:
        return None
    return Scheme(float(scale), int(zero), int(low), int(high), dtype) if dtype in _BYTES and scale > 0 else None


def dequantized(graph: TorchGraph, node: Any) -> tuple[Node, Scheme] | None:
    """The bytes that ``node`` converts to f32, and how."""
    if kind_of(node) != "dequantize_per_tensor" or dtype_of(node) != torch.float32:
        return None
    scheme = scheme_of(graph, node)
    return None if scheme is None else (args_of(node)[0], scheme)


@dataclass(frozen=True)
class Weights:
    """Constant integers less their zero points, none larger than ``largest``, and the scales of their channels, f64,
    or their only scale. ``positive``, ``negative``: sums of those above and below 0 of each channel, i64."""

    numbers: Node
    scales: torch.Tensor
    largest: int
    positive: torch.Tensor
    negative: torch.Tensor

    def largest_sum(self, scheme: Scheme) -> int:
        """No sum of products with bytes of ``scheme``, less their zero point, is larger in size."""
        low, high = min(scheme.low - scheme.zero, 0), max(scheme.high - scheme.zero, 0)
        upper, lower = self.positive * high + self.negative * low, self.positive * low + self.negative * high
        return int(torch.maximum(upper, -lower).max())


def weights(graph: TorchGraph, node: Any, channels: int) -> Weights | None:
    """What ``node`` converts to f32, with numbers for each channel (dimension ``channels``) or for all.

    None for other conversions. Of a permuted matrix, the integers are permuted.
    """
    if isinstance(node, Node) and node.target in _TRANSPOSITIONS:
        inner = weights(graph, args_of(node)[0], 1 - channels) if node.meta["val"].dim() == 2 else None
        return inner and replace(inner, numbers=graph.insert(node, node.target, inner.numbers, *node.args[1:]))
    kind = kind_of(node)
    if kind not in ("dequantize_per_tensor", "dequantize_per_channel") or dtype_of(node) != torch.float32:
        return None
    if kind == "dequantize_per_channel" and args_of(node)[3] % node.meta["val"].dim() != channels:
        return None
    source, *scheme = args_of(node)[:3]
    values = value_of(graph, source)
    scale, zero = (value_of(graph, one) if isinstance(one, Node) else torch.tensor(one or 0) for one in scheme)
    if values is None or values.dtype not in _BYTES or scale is None or zero is None or not values.numel():
        return None
    zero = zero.reshape([-1 if zero.numel() > 1 and d == channels else 1 for d in range(values.dim())])
    numbers = values.to(torch.int32) - zero.to(torch.int32)
    low, high = int(numbers.min()), int(numbers.max())
    limits = torch.iinfo(torch.int8)
    if graph.is_constant(source) and values.dtype == torch.int8 and not zero.any():
        made = source
    else:
        narrow = torch.int8 if limits.min <= low and high <= limits.max else torch.int16
        made = graph.add_constant(numbers.to(narrow), "integers")
    rows = numbers.to(torch.int64).movedim(channels, 0).flatten(1)
    positive, negative = rows.clamp(min=0).sum(1), rows.clamp(max=0).sum(1)
    return Weights(made, scale.double().reshape(-1), max(high, -low), positive, negative)


def before_clamps(node: Node) -> tuple[Node, float, float]:
    """What ``node`` clamps, once or several times, that nothing else reads, and the limits; ``node`` itself if none."""
    least, most = -math.inf, math.inf
    while True:
        found = _clamp(node)
        if found is None:
            return node, least, most
        source, low, high = found
        # the clamp before gives numbers that those after it clamp again
        least, most = min(max(low, least), most), max(min(high, most), least)
        node = source


def _clamp(node: Node) -> tuple[Node, float, float] | None:
    """The source and the limits of one clamp, the only reader of its source."""
    if node.target == _aten.where.ScalarSelf:
        return _selected(node)
    if node.target not in CLAMPS or not isinstance(node.args[0], Node) or len(node.args[0].users) > 1:
        return None
    limits: tuple[float | None, float | None]
    given = arguments_of(node)
    if node.target == _aten.clamp.default:
        limits = (given.get("min"), given.get("max"))
    elif node.target == _aten.hardtanh.default:
        limits = (given.get("min_val", -1.0), given.get("max_val", 1.0))
    else:
        limits = (0.0, 6.0 if node.target == _aten.relu6.default else None)
    return node.args[0], -math.inf if limits[0] is None else limits[0], math.inf if limits[1] is None else limits[1]


def _selected(node: Node) -> tuple[Node, float, float] | None:
    """``where(x < low, low, x)`` or ``where(x > high, high, x)``."""
    condition, bound, source = args_of(node)
    if not isinstance(condition, Node) or not isinstance(source, Node) or not isinstance(bound, (int, float)):
        return None
    if condition.target not in (_aten.lt.Scalar, _aten.gt.Scalar) or args_of(condition) != (source, bound):
        return None
    if set(source.users) != {condition, node}:
        return None
    return (source, bound, math.inf) if condition.target == _aten.lt.Scalar else (source, -math.inf, bound)
