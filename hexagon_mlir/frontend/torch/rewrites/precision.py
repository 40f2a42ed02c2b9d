"""The element types in which a model is stored and computed, independent of its export."""

from __future__ import annotations

import math
import operator
from enum import StrEnum
from typing import Any

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, args_of, dtype_of
from hexagon_mlir.frontend.torch.kernels.attention import attention
from hexagon_mlir.frontend.torch.kernels.wide_product import wide_product
from hexagon_mlir.frontend.torch.rewrites.groups import ON_ENGINE
from hexagon_mlir.ir import HexError

_aten = torch.ops.aten


class Numerics(StrEnum):
    """``f32``: as exported. ``f32-split``: the same, with products in pieces of f16 (`Settings`). ``mixed``: weights,
    and operands and results of products and attention, are f16, but for products that are results of the model; sums
    and all other operations are f32, convolutions in groups among them where HVX takes less time for these than the
    matrix engine. ``f16``: the same, with these, sums
    and selections in f16 where nothing wider reads them, as between the convolutions of a ReLU network.
    """

    F32 = "f32"
    F32_SPLIT = "f32-split"
    MIXED = "mixed"
    F16 = "f16"


EXPORTED = (Numerics.F32, Numerics.F32_SPLIT)
"""Those that keep all types."""


def check_numerics(name: str) -> None:
    """Raises `HexError` unless ``name`` is one of `Numerics`."""
    if name not in tuple(Numerics):
        raise HexError.plain(f"unknown numerics '{name}'", hint=f"one of {', '.join(Numerics)}")


_STORED = frozenset({
    _aten.linear.default, _aten.mm.default, _aten.bmm.default, _aten.matmul.default, _aten.addmm.default,
    _aten.baddbmm.default, _aten.convolution.default, _aten.conv1d.default, _aten.conv2d.default,
    _aten.conv_transpose1d.default, _aten.conv_transpose2d.input, _aten.scaled_dot_product_attention.default,
    attention, _aten.embedding.default, wide_product,
})
"""Operations that read weights: products and the look-up of rows."""
_GROUPS = {_aten.convolution.default: 8, _aten.conv1d.default: 6, _aten.conv2d.default: 6,
           _aten.conv_transpose1d.default: 6, _aten.conv_transpose2d.input: 6}
"""Where convolutions have their number of groups."""
_MOVES = frozenset({
    _aten.view.default, _aten.reshape.default, _aten._unsafe_view.default, _aten.expand.default,
    _aten.permute.default, _aten.transpose.int, _aten.t.default, _aten.squeeze.dim, _aten.squeeze.dims,
    _aten.unsqueeze.default, _aten.slice.Tensor, _aten.select.int, _aten.cat.default, _aten.split.Tensor,
    _aten.split_with_sizes.default, _aten.unbind.int, _aten.clone.default, _aten.contiguous.default,
    _aten.index.Tensor, _aten.index_select.default, _aten.gather.default,
    _aten.flatten.using_ints, _aten.constant_pad_nd.default, _aten.repeat.default, _aten.flip.default,
    _aten.dropout.default, _aten.detach.default, _aten.alias.default, _aten.max_pool2d.default,
})
_CHOICES = frozenset({_aten.relu.default, _aten.relu6.default, _aten.hardtanh.default,
                      _aten.max_pool2d_with_indices.default})
"""Operations whose results are some of their operands' elements, or 0 or 6: of f16 numbers they are exact in f16."""
_SHORT = frozenset({
    _aten.add.Tensor, _aten.sub.Tensor, _aten.rsub.Scalar, _aten.mul.Tensor, _aten.add.Scalar, _aten.mul.Scalar,
    _aten.neg.default, _aten.abs.default, _aten.relu.default, _aten.where.self, _aten.where.ScalarOther,
    _aten.where.ScalarSelf, _aten.gt.Scalar, _aten.lt.Scalar, _aten.ge.Scalar, _aten.le.Scalar, _aten.gt.Tensor,
    _aten.lt.Tensor, _aten.maximum.default, _aten.minimum.default, _aten.amax.default, _aten.amin.default,
    _aten.max_pool2d_with_indices.default, _aten.leaky_relu.default,
})
"""Operations that `Numerics.F16` computes in f16; quotients, roots, exponentials and reductions are not among them."""
_MASKS = (3, 6, 8)  # attention's operands that are f32 always: masks, sinks


def lower_precision(graph: TorchGraph, numerics: str) -> None:
    """Cast operands and weights of f32 graphs by `Numerics`; inputs, results and written buffers keep their types.
    Attention must be recognized and batch norms folded before. Values that depend on weights alone stay f32 until
    used."""
    if numerics in EXPORTED:
        return
    pass_ = _Lowering(graph, Numerics(numerics))
    output = next(iter(reversed(graph.graph.nodes)))
    kept = [dtype_of(result) for result in output.args[0]]
    for node in list(graph.graph.nodes):
        if node.op == "call_function":
            pass_.retype(node)
    output.args = (tuple(pass_.cast(output, result, kind) if _is_float(result) else result
                         for result, kind in zip(output.args[0], kept, strict=True)),)


class _Lowering:
    def __init__(self, graph: TorchGraph, numerics: Numerics):
        self.graph, self.numerics = graph, numerics
        self.halves: dict[Node, Node] = {}
        self.known = {node for node in graph.graph.nodes if graph.is_constant(node)}
        """Nodes that depend on constants alone."""
        self.short: set[Node] = set()
        """Nodes computed in f16 that read no weights: squares in f16 would overflow before their sum is taken."""
        for node in reversed(graph.graph.nodes) if numerics == Numerics.F16 else ():
            if node.target in _SHORT | _MOVES and all(
                    user in self.short or user.target in _STORED or user.op == "output" for user in node.users):
                self.short.add(node)

    def retype(self, node: Node) -> None:
        """Cast the operands of ``node``, and compute its new type."""
        if node.target == _aten._to_copy.default and node.kwargs.get("dtype") == torch.float32 \
                and _is_float(args_of(node)[0]):
            node.kwargs = {**node.kwargs, "dtype": dtype_of(args_of(node)[0])}  # of f32 to f32, as exported
        if node.target in (_aten.view.default, _aten._unsafe_view.default):
            node.target = _aten.reshape.default  # attention's result has other strides than the op it stands for
        node.meta.pop("tensor_meta", None)  # of the old type
        wanted = self.computed_in(node)
        if wanted is not None:
            node.args = tuple(
                self.operand(node, value, torch.float32 if node.target is attention and place in _MASKS else wanted)
                for place, value in enumerate(node.args))
            node.kwargs = {name: self.operand(node, value, wanted) for name, value in node.kwargs.items()}
            if wanted == torch.float16:
                node.args = tuple(map(_bounded, node.args))
        values = torch.fx.map_arg((node.args, node.kwargs), lambda n: n.meta["val"])
        target: Any = node.target
        with self.graph.fake_mode:
            node.meta["val"] = target(*values[0], **values[1])
        if node.all_input_nodes and all(source in self.known for source in node.all_input_nodes):
            self.known.add(node)

    def computed_in(self, node: Node) -> torch.dtype | None:
        """The type that ``node``'s operands are cast to; None when they stay as they are."""
        kinds = {dtype_of(source) for source in node.all_input_nodes if _is_float(source)}
        if not kinds or node.target == _aten._to_copy.default:
            return None
        if node.target in _STORED:
            on_hvx = self.numerics == Numerics.MIXED and _groups(node) > 1 and ON_ENGINE not in node.meta
            return torch.float32 if on_hvx else torch.float16
        if node.target in _CHOICES and kinds == {torch.float16} and all(
                torch.tensor(bound).half() == bound for bound in node.args[1:3] if isinstance(bound, int | float)):
            return None
        if node.target in _MOVES or node.target is operator.getitem:
            return None if len(kinds) == 1 else torch.float16 if node in self.short else torch.float32
        short = node in self.short and not all(source in self.known for source in node.all_input_nodes)
        return torch.float16 if short else torch.float32

    def operand(self, at: Node, value: Any, wanted: torch.dtype) -> Any:
        """An argument, whatever it is made of, with its floating-point tensors in type ``wanted``."""
        return torch.fx.map_arg(value, lambda n: self.cast(at, n, wanted) if _is_float(n) else n)

    def cast(self, at: Node, value: Node, wanted: torch.dtype) -> Node:
        """``value`` in type ``wanted``; a weight is converted here, once."""
        if dtype_of(value) == wanted:
            return value
        if wanted != torch.float16 or not self.graph.is_constant(value):
            return self.graph.insert(at, _aten._to_copy.default, value, dtype=wanted)
        if value not in self.halves:
            self.halves[value] = self.graph.add_constant(_halved(self.graph.value(value)), "half")
            self.known.add(self.halves[value])
        return self.halves[value]


def _groups(node: Node) -> int:
    """Of a convolution; 1 for other products."""
    place: int | None = _GROUPS.get(node.target)  # type: ignore[call-overload]
    if place is None:
        return 1
    groups: Any = node.kwargs.get("groups", node.args[place] if len(node.args) > place else 1)
    return int(groups)


def _is_float(node: Any) -> bool:
    value = node.meta.get("val") if isinstance(node, Node) else None
    return isinstance(value, torch.Tensor) and value.dtype in (torch.float32, torch.float16)


def _halved(value: torch.Tensor) -> torch.Tensor:
    """In f16; finite numbers stay finite, or a mask's lowest number times 0 would be NaN."""
    half = value.to(torch.float16)
    if not bool(half.isinf().any()):
        return half
    largest = torch.finfo(torch.float16).max
    return torch.where(value.isfinite(), value.clamp(-largest, largest).to(torch.float16), half)


def _bounded(value: Any) -> Any:
    """Numbers within f16's range, as in `_halved`."""
    largest = torch.finfo(torch.float16).max
    if isinstance(value, float) and math.isfinite(value):
        return max(-largest, min(largest, value))
    return value
