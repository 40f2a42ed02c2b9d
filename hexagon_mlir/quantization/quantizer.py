"""A quantizer for PyTorch's export flow (``prepare_pt2e``, ``convert_pt2e``): what the chip computes with bytes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import torch
from torch.fx import GraphModule, Node
from torchao.quantization.pt2e.observer import (
    HistogramObserver,
    MinMaxObserver,
    PerChannelMinMaxObserver,
    PlaceholderObserver,
)
from torchao.quantization.pt2e.quantizer import (
    QuantizationAnnotation,
    QuantizationSpec,
    Quantizer,
    SharedQuantizationSpec,
)

_aten = torch.ops.aten
_ANNOTATION = "quantization_annotation"
PRODUCTS = frozenset({_aten.linear.default, _aten.conv1d.default, _aten.conv2d.default})
"""Layers with weights."""
_CLAMPS = frozenset({_aten.relu.default, _aten.relu_.default, _aten.relu6.default, _aten.hardtanh.default,
                     _aten.hardtanh_.default, _aten.relu6_.default})
"""What the clamp of the requantization before it does."""
_SUMS = frozenset({_aten.add.Tensor, _aten.add_.Tensor})
_FUNCTIONS = frozenset({
    _aten.sigmoid.default, _aten.tanh.default, _aten.gelu.default, _aten.silu.default, _aten.silu_.default,
    _aten.hardswish.default, _aten.hardswish_.default, _aten.hardsigmoid.default, _aten.leaky_relu.default,
    _aten.elu.default, _aten.mish.default, *_CLAMPS,
})
"""Functions of one element: tables of 256 bytes."""
_MOVES = frozenset({
    _aten.max_pool2d.default, _aten.avg_pool2d.default, _aten.adaptive_avg_pool2d.default, _aten.mean.dim,
    _aten.flatten.using_ints, _aten.reshape.default, _aten.view.default, _aten.permute.default, _aten.transpose.int,
    _aten.squeeze.dim, _aten.unsqueeze.default, _aten.slice.Tensor, _aten.dropout.default, _aten.contiguous.default,
})
"""Calls whose result lies in the range of their first argument, in its scale."""
ALIKE = _SUMS | _FUNCTIONS | _MOVES | {_aten.cat.default}
"""Calls that compute with bytes where all that they read is bytes."""


_LIMITS = {8: (-127, 127), 4: (-8, 7)}
"""The least and the largest weight, by its bits."""


class _PowersOfTwo:
    """An observer whose scales are the next powers of two."""

    def calculate_qparams(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Scales and zero points."""
        scales, zeros = super().calculate_qparams()  # type: ignore[misc]
        larger = torch.exp2(torch.ceil(torch.log2(scales)))
        return larger, torch.round(zeros * scales / larger).to(zeros.dtype)


class _Histogram(_PowersOfTwo, HistogramObserver):
    """Of activations, by a histogram."""


class _MinMax(_PowersOfTwo, MinMaxObserver):
    """Of activations, by least and largest."""


class _Weights(_PowersOfTwo, PerChannelMinMaxObserver):
    """Of weights."""


_OF_POWERS: dict[Any, Any] = {HistogramObserver: _Histogram, MinMaxObserver: _MinMax,
                              PerChannelMinMaxObserver: _Weights}


class HexagonQuantizer(Quantizer):
    """Annotates a model for static or dynamic int8, in the standard way.

    Activations are bytes without sign, with one scale and zero point for each tensor; weights of linear layers and of
    convolutions are bytes with sign between -127 and 127, with ``weight_bits=4`` between -8 and 7, with a scale for
    each channel and no zero point; biases stay f32. Convolutions and linear layers, with the ReLU or ReLU6 after them,
    sums of two tensors and activation functions have scales of their own; poolings, reshapes, slices and concatenations
    keep the scale of their input. All else stays f32.

    ``dynamic``: inputs of linear layers get their scale in each run, from their least and largest element; their
    results and all other layers are f32. ``skip``: modules, by qualified name, that stay f32 with all within them.
    ``layers``: of linear layers and convolutions only these modules are quantized; other operations then compute with
    bytes only where all that they read is bytes. ``histogram``: scales of activations by the least squared error over
    a histogram, instead of by least and largest. ``powers_of_two``: scales are enlarged to powers of two, for up to a
    bit of activations and weights: the matrix engine converts sums to bytes exactly then (docs/engine_arithmetic.md).
    ``weight_bits``: 8 or 4; two weights of 4 bits are in one byte in memory where the matrix engine multiplies them.
    Raises `ValueError` for other numbers.
    """

    def __init__(self, *, dynamic: bool = False, skip: Collection[str] = (),
                 layers: Collection[str] | None = None, histogram: bool = True, powers_of_two: bool = False,
                 weight_bits: int = 8):
        super().__init__()
        if weight_bits not in _LIMITS:
            raise ValueError(f"weights have {' or '.join(map(str, _LIMITS))} bits, not {weight_bits}")
        self.dynamic, self.skip = dynamic, frozenset(skip)
        self.layers = None if layers is None else frozenset(layers)
        observer: Any = HistogramObserver if histogram else MinMaxObserver
        of_weights: Any = PerChannelMinMaxObserver
        if dynamic:
            observer = PlaceholderObserver
        elif powers_of_two:
            observer, of_weights = _OF_POWERS[observer], _OF_POWERS[of_weights]
        self._bytes = QuantizationSpec(torch.uint8, observer.with_args(eps=2**-12), 0, 255, torch.per_tensor_affine,
                                       is_dynamic=dynamic)
        self._weights = QuantizationSpec(torch.int8, of_weights.with_args(eps=2**-24), *_LIMITS[weight_bits],
                                         torch.per_channel_symmetric, ch_axis=0)

    def annotate(self, model: GraphModule) -> GraphModule:
        """``model``, whose nodes say what is quantized."""
        for node in model.graph.nodes:
            if node.op != "call_function" or _annotated(node) or self._skipped(node):
                continue
            if node.target in PRODUCTS and not (self.dynamic and node.target != _aten.linear.default):
                self._product(node)
            elif self.dynamic:
                continue
            elif node.target in _SUMS and all(_is_float(value) for value in node.args):
                self._scaled(node, node.args)
            elif node.target in _FUNCTIONS and _is_float(node.args[0]):
                self._scaled(node, node.args[:1])
            elif node.target in _MOVES and _annotated(node.args[0]):
                _share(node, node.args[0], self._bytes)
            elif node.target == _aten.cat.default and _all_annotated(node.args[0]):
                self._concatenation(node)
        return model

    def validate(self, model: GraphModule) -> None:
        """Nothing to check: each annotation is one that has code."""

    def _product(self, node: Node) -> None:
        x, weight = node.args[:2]
        if not (_is_float(x) and _is_float(weight)):
            return
        if self.layers is not None and not modules_of(node) & self.layers:
            return
        inputs = {x: self._bytes, weight: self._weights}
        self._finish(node, inputs)

    def _scaled(self, node: Node, inputs: Any) -> None:
        if self.layers is not None and not _all_annotated(inputs):
            return
        self._finish(node, {value: self._bytes for value in inputs})

    def _finish(self, node: Node, inputs: dict[Any, Any]) -> None:
        """The result of ``node``, or of the clamp after it, has a scale of its own."""
        users = list(node.users)
        clamp = users[0] if len(users) == 1 and users[0].target in _CLAMPS and node.target not in _FUNCTIONS else None
        if self.dynamic or (clamp is not None and not self._skipped(clamp)):
            _annotate(node, inputs, None)
            if clamp is not None and not self.dynamic:
                _annotate(clamp, {}, self._bytes)
            return
        _annotate(node, inputs, self._bytes)

    def _concatenation(self, node: Node) -> None:
        parts: Any = node.args[0]
        first, *others = parts
        shared = SharedQuantizationSpec((first, node))
        _annotate(node, {first: self._bytes, **{part: shared for part in others}}, shared)

    def _skipped(self, node: Node) -> bool:
        return bool(modules_of(node) & self.skip)


def modules_of(node: Node) -> set[str]:
    """Qualified names of the modules that ``node`` is in."""
    return {name for name, _ in node.meta.get("nn_module_stack", {}).values()}


def _annotated(node: Any) -> bool:
    return isinstance(node, Node) and _ANNOTATION in node.meta


def _all_annotated(parts: Any) -> bool:
    return all(_annotated(part) for part in parts)


def _is_float(node: Any) -> bool:
    return isinstance(node, Node) and getattr(node.meta.get("val"), "dtype", None) == torch.float32


def _share(node: Node, source: Any, spec: QuantizationSpec) -> None:
    _annotate(node, {source: spec}, SharedQuantizationSpec((source, node)))


def _annotate(node: Node, inputs: dict[Any, Any], output: Any) -> None:
    node.meta[_ANNOTATION] = QuantizationAnnotation(input_qspec_map=inputs, output_qspec=output, _annotated=True)
