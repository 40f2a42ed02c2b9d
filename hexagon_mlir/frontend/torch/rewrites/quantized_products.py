"""Linear layers and convolutions of bytes: sums in i32, which become bytes in fixed point, or numbers in f32."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, arguments_of, dtype_of, shape_of, source_of
from hexagon_mlir.frontend.torch.kernels.engine_requantization import convert_sums
from hexagon_mlir.frontend.torch.kernels.requantization import requantize
from hexagon_mlir.frontend.torch.rewrites.constants import value_of
from hexagon_mlir.frontend.torch.rewrites.engine_scales import EngineScales, engine_scales
from hexagon_mlir.frontend.torch.rewrites.fixed_point import requantization
from hexagon_mlir.frontend.torch.rewrites.integers import converted
from hexagon_mlir.frontend.torch.rewrites.schemes import Scheme, dequantized, kind_of, weights
from hexagon_mlir.ir import Diagnostic, Place
from hexagon_mlir.settings import Requantization as Conversion

_aten = torch.ops.aten
_COLUMNS = frozenset({_aten.mm.default, _aten.matmul.default, _aten.addmm.default})
"""Products whose weights have a column for each channel of the result."""
_CONVOLUTIONS = frozenset({_aten.conv1d.default, _aten.conv2d.default, _aten.convolution.default})
PRODUCTS = _COLUMNS | _CONVOLUTIONS | {_aten.linear.default}
_BORDERS = (_aten.pad.default, _aten.constant_pad_nd.default)
_WORDS = 1 << 31
_BYTE = 255  # what a byte differs from a zero point by at most


@dataclass(frozen=True)
class _Sums:
    """``wide`` inputs less their zero points and ``numbers``, their weights, both i32: what ``layer`` multiplies.

    ``scales`` of the channels are f64, and so is ``bias``; no sum is larger than ``largest``, nor one of any weights
    of this size than ``largest_of_any``.
    """

    layer: Node
    wide: Node
    numbers: Node
    scales: torch.Tensor
    bias: torch.Tensor | None
    largest: int
    largest_of_any: int

    @property
    def dimension(self) -> int:
        """That of the channels in the result."""
        return 1 if self.layer.target in _CONVOLUTIONS else len(shape_of(self.layer)) - 1

    def along(self, values: torch.Tensor) -> torch.Tensor:
        """Numbers of the channels in the rank of the result."""
        return values.reshape([-1 if d == self.dimension else 1 for d in range(len(shape_of(self.layer)))])


def product(graph: TorchGraph, layer: Node, result: tuple[Node, Scheme] | None = None,
            limits: tuple[float, float] = (0.0, 0.0), conversion: Conversion | None = None) -> bool:
    """Let ``layer``, of inputs and weights converted from bytes, multiply bytes; False where it cannot.

    ``result`` is the conversion of what it computes to bytes, clamped to ``limits`` before; None for a result in f32.
    The layer may be the sum of a product and a constant. ``conversion``: what the matrix engine's own conversion of
    sums to bytes is used for; None where it is not.
    """
    inner, added = _with_sum(graph, layer)
    sums = _sums(graph, inner, added)
    if sums is None:
        return False
    if result is None:
        graph.replace(inner, _real(graph, sums))
        return True
    node, wanted = result
    offsets = torch.zeros(1).double() if sums.bias is None else sums.bias
    offsets = (offsets / wanted.scale + wanted.zero).expand(sums.scales.shape)
    numbers = requantization(sums.scales / wanted.scale, offsets, sums.largest, (wanted.low, wanted.high))
    if numbers is None:
        return False
    low, high = wanted.within(*limits)
    lowest = torch.iinfo(wanted.dtype).min
    given = None if conversion is None or _grouped(inner) else engine_scales(numbers, lowest, sums.largest_of_any)
    if conversion is not None:
        _remark(graph, inner, given, conversion)
    if given is not None and (conversion == Conversion.ENGINE or not given.differing):
        words, biases = (graph.add_constant(sums.along(values), name)
                         for values, name in ((given.words, "words"), (given.biases, "biases")))
        graph.replace(node, graph.insert(node, convert_sums, _multiplied(graph, sums), words, biases, low, high,
                                         wanted.dtype))
        return True
    multipliers, starts = (graph.add_constant(sums.along(values), name)
                           for values, name in ((numbers.factors, "factors"), (numbers.offsets, "offsets")))
    graph.replace(node, graph.insert(node, requantize, _multiplied(graph, sums), multipliers, starts, numbers.left,
                                     numbers.right, low, high, wanted.dtype, numbers.limit))
    return True


def _remark(graph: TorchGraph, layer: Node, given: EngineScales | None, conversion: Conversion) -> None:
    """Say why HVX converts the sums of ``layer`` to bytes, if it does; ``given``: what the engine would do."""
    if given is None:
        why = ("it is a convolution of groups" if _grouped(layer) else
               "the engine's conversion has too few bits for its scales")
    elif conversion == Conversion.EXACT and given.differing:
        why = f"the engine's conversion gives the next byte for {100 * given.differing:.1f} % of them"
    else:
        return
    hint = "" if given is None else 'scales that are powers of two are exact, requantization="engine" accepts others'
    graph.remarks.append(Diagnostic("remark", Place(source_of(layer)), "quantized-layers",
                                    f"HVX converts the sums of {layer.name} to bytes: {why}", hint=hint))


def computed_product(graph: TorchGraph, layer: Node) -> bool:
    """Let ``layer``, whose rows have a scale and a zero point that the model computes, multiply bytes.

    ``(bytes @ weights - zero * sums of columns) * scale * scales``: f32 of sums in i32.
    """
    x, weight, bias = _operands(layer)
    if layer.target in _CONVOLUTIONS or _is_scaled(layer) or kind_of(x) != "dequantize_per_tensor":
        return False
    values, scale, zero = args_of(x)[:3]
    factors = weights(graph, weight, 1 if layer.target in _COLUMNS else 0)
    if factors is None or dtype_of(x) != torch.float32 or not (isinstance(scale, Node) and isinstance(zero, Node)):
        return False
    channels, depth = shape_of(layer)[-1], shape_of(values)[-1]
    if depth * _BYTE * factors.largest >= _WORDS or dtype_of(values) not in (torch.uint8, torch.int8):
        return False
    numbers = converted(graph, layer, factors.numbers, torch.int32)
    sums = _called(graph, layer, converted(graph, layer, values, torch.int32), numbers)
    of_columns = graph.insert(layer, _aten.sum.dim_IntList, numbers, [1 if layer.target == _aten.linear.default else 0],
                              dtype=torch.int32)
    shift = graph.insert(layer, _aten.mul.Tensor, of_columns, converted(graph, layer, zero, torch.int32))
    real = converted(graph, layer, graph.insert(layer, _aten.sub.Tensor, sums, shift), torch.float32)
    constant = graph.add_constant(factors.scales.float().expand(channels).contiguous(), "scales")
    scales = graph.insert(layer, _aten.mul.Tensor, converted(graph, layer, scale, torch.float32), constant)
    real = graph.insert(layer, _aten.mul.Tensor, real, scales)
    graph.replace(layer, real if bias is None else graph.insert(layer, _aten.add.Tensor, real, bias))
    return True


def _sums(graph: TorchGraph, layer: Node, added: torch.Tensor | None) -> _Sums | None:
    """What ``layer`` multiplies, if it is a product of bytes whose sums are words; ``added`` is a bias of its own."""
    if layer.target not in PRODUCTS or arguments_of(layer).get("transposed") or _is_scaled(layer):
        return None
    x, weight, bias = _operands(layer)
    given = _inputs(graph, x)
    factors = None if given is None else weights(graph, weight, 1 if layer.target in _COLUMNS else 0)
    if given is None or factors is None:
        return None  # before the bias is read: code that depends on its value is made again when it changes
    offsets = added if bias is None else value_of(graph, bias)
    if bias is not None and (offsets is None or offsets.dim() != 1):
        return None
    (wide, scheme), dimension = given, 1 if layer.target in _CONVOLUTIONS else -1
    channels = shape_of(layer)[dimension]
    of_any = prod(shape_of(factors.numbers)) // channels * scheme.largest * factors.largest
    largest = factors.largest_sum(scheme)
    if largest >= _WORDS:
        return None
    scales = factors.scales.expand(channels) * scheme.scale
    return _Sums(layer, wide, converted(graph, layer, factors.numbers, torch.int32), scales,
                 None if offsets is None else offsets.double(), largest, of_any)


def _inputs(graph: TorchGraph, x: Any) -> tuple[Node, Scheme] | None:
    """The inputs ``x``, i32 less their zero point, which may have a border of zeros, and their scheme."""
    inner = _within_border(x)
    given = dequantized(graph, inner)
    if given is None:
        return None
    values, scheme = given
    if inner is not x:
        values = graph.insert(x, _aten.constant_pad_nd.default, values, x.args[1], scheme.zero)
    wide = converted(graph, x, values, torch.int32)
    return (graph.insert(x, _aten.sub.Tensor, wide, scheme.zero) if scheme.zero else wide), scheme


def _within_border(x: Any) -> Any:
    """What ``x`` puts a border of zeros around; ``x`` where it does not."""
    border = isinstance(x, Node) and x.target in _BORDERS and not any(
        arguments_of(x).get(name) for name in ("value", "mode") if arguments_of(x).get(name) != "constant")
    return args_of(x)[0] if border else x


def _with_sum(graph: TorchGraph, layer: Node) -> tuple[Node, torch.Tensor | None]:
    """The product of which ``layer`` is the sum with a constant row, that nothing else reads, and the row."""
    if layer.target != _aten.add.Tensor or layer.kwargs:
        return layer, None
    for inner, other in (layer.args, layer.args[::-1]):
        if isinstance(inner, Node) and inner.target in _COLUMNS | {_aten.linear.default} and len(inner.users) == 1:
            x, _, bias = _operands(inner)
            value = value_of(graph, other) if bias is None and kind_of(_within_border(x)) else None
            if value is not None and value.numel() == value.shape[-1:].numel():
                return inner, value.reshape(-1)
    return layer, None


def _real(graph: TorchGraph, sums: _Sums) -> Node:
    """The sums, scaled, and the bias: f32."""
    layer = sums.layer
    real = graph.insert(layer, _aten.mul.Tensor, converted(graph, layer, _multiplied(graph, sums), torch.float32),
                        graph.add_constant(sums.along(sums.scales.float()), "scales"))
    if sums.bias is None:
        return real
    return graph.insert(layer, _aten.add.Tensor, real, graph.add_constant(sums.along(sums.bias.float()), "bias"))


def _grouped(layer: Node) -> bool:
    """True for a convolution of groups of channels, whose sums the engine does not compute."""
    return arguments_of(layer).get("groups", 1) != 1


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


def _multiplied(graph: TorchGraph, sums: _Sums) -> Node:
    return _called(graph, sums.layer, sums.wide, sums.numbers)


def _called(graph: TorchGraph, layer: Node, x: Node, weight: Node) -> Node:
    """``layer`` of integers, without its bias."""
    if layer.target == _aten.addmm.default:
        return graph.insert(layer, _aten.mm.default, x, weight)
    if layer.target in _COLUMNS:
        return graph.insert(layer, layer.target, x, weight)
    kept = {name: value for name, value in layer.kwargs.items() if name != "bias"}
    return graph.insert(layer, layer.target, x, weight, None, *layer.args[3:], **kept)
