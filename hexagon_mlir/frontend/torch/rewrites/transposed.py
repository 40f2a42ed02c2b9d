"""Transposed convolutions as ordinary ones, whose results have a pixel of each phase of the stride side by side.

Row ``s * q + a`` of a result of stride ``s``, before padding is cut off, sums rows ``q - t`` of the image times rows
``t * s + a`` of the window, for ``ceil(window / s)`` taps ``t``. So a convolution of stride 1 gives the results of all
phases ``a`` as channels of their own, and no zeros stand between the pixels of the image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import torch
from torch.fx import Node

from hexagon_mlir.frontend.torch.graph import TorchGraph, shape_of
from hexagon_mlir.frontend.torch.rewrites.constants import evaluated

_aten = torch.ops.aten


@dataclass(frozen=True)
class Phases:
    """Along one dimension: ``taps`` of the ordinary convolution, ``padding`` on both sides of its image, and the first
    element of its results, phase after phase, that is one of ``size`` of the transposed convolution.
    """

    stride: int
    dilation: int
    taps: int
    padding: int
    first: int
    size: int

    @staticmethod
    def of(image: int, window: int, stride: int, padding: int, dilation: int, size: int) -> Phases:
        """For ``image`` elements, a ``window`` and a result of ``size`` elements."""
        taps = -(-(dilation * (window - 1) + 1) // stride)
        before = taps - 1 - padding // stride
        after = (padding + size - 1) // stride - (image - 1)
        framed = max(before, after, 0)
        return Phases(stride, dilation, taps, framed, padding - stride * (taps - 1 - framed), size)


class TransposedConvolution:
    """What the ordinary convolution for ``node`` multiplies, and what becomes of its result.

    ``weight`` is (I, O / groups, [KH,] KW).
    """

    def __init__(self, graph: TorchGraph, node: Node, weight: Node, phases: Sequence[Phases], groups: int) -> None:
        self._graph, self._node, self._weight, self._groups = graph, node, weight, groups
        self._phases = list(phases)[-(len(shape_of(weight)) - 2):]

    def weight(self) -> Node:
        """(groups * phases * O / groups, I / groups, [taps,] taps)."""
        inputs, outputs, *window = shape_of(self._weight)
        result = self._weight
        for dim, (phases, size) in enumerate(zip(self._phases, window, strict=True), 2):
            result = self._filled(result, dim, size, phases)
        sizes = [size for phases in self._phases for size in (phases.taps, phases.stride)]
        dims = len(self._phases)
        result = self._insert(_aten.reshape.default, result,
                              [self._groups, inputs // self._groups, outputs, *sizes])
        result = self._insert(_aten.flip.default, result, [3 + 2 * dim for dim in range(dims)])
        result = self._insert(_aten.permute.default, result, [
            0, *(4 + 2 * dim for dim in range(dims)), 2, 1, *(3 + 2 * dim for dim in range(dims))])
        result = self._insert(_aten.reshape.default, result, [
            self._groups * self._count * outputs, inputs // self._groups, *(phases.taps for phases in self._phases)])
        return evaluated(self._graph, result)

    def bias(self, bias: Node) -> Node:
        """``bias``, (O,), for the channels of all phases."""
        outputs, = shape_of(bias)
        one = self._insert(_aten.reshape.default, bias, [self._groups, 1, outputs // self._groups])
        all_ = self._insert(_aten.expand.default, one, [self._groups, self._count, outputs // self._groups])
        return self._insert(_aten.reshape.default, all_, [outputs * self._count])

    def finished(self, y: Node) -> Node:
        """``y``, (N, H, W, groups * phases * O / groups), as (N, OH, OW, O): phases are neighbours."""
        n, *sizes, channels = shape_of(y)
        strides = [1] * (2 - len(self._phases)) + [phases.stride for phases in self._phases]
        own = channels // self._count // self._groups
        result = self._insert(_aten.reshape.default, y, [n, *sizes, self._groups, *strides, own])
        result = self._insert(_aten.permute.default, result, [0, 1, 4, 2, 5, 3, 6])
        result = self._insert(_aten.reshape.default, result, [
            n, *(size * stride for size, stride in zip(sizes, strides, strict=True)), own * self._groups])
        for dim, phases in enumerate(self._phases, 3 - len(self._phases)):
            if shape_of(result)[dim] != phases.size:
                result = self._insert(_aten.slice.Tensor, result, dim, phases.first, phases.first + phases.size)
        return result

    @property
    def _count(self) -> int:
        return prod(phases.stride for phases in self._phases)

    def _filled(self, weight: Node, dim: int, size: int, phases: Phases) -> Node:
        """``weight`` with dimension ``dim`` filled up to the taps of all phases, zeros between dilated ones."""
        shape, wanted = list(shape_of(weight)), phases.taps * phases.stride
        if phases.dilation > 1 and size > 1:
            weight = self._insert(_aten.unsqueeze.default, weight, dim + 1)
            weight = self._padded(weight, dim + 1, phases.dilation - 1)
            size *= phases.dilation
            weight = self._insert(_aten.reshape.default, weight, [*shape[:dim], size, *shape[dim + 1:]])
        if size > wanted:
            return self._insert(_aten.slice.Tensor, weight, dim, 0, wanted)
        return self._padded(weight, dim, wanted - size) if size < wanted else weight

    def _padded(self, value: Node, dim: int, count: int) -> Node:
        after = len(shape_of(value)) - 1 - dim
        return self._insert(_aten.constant_pad_nd.default, value, [0, 0] * after + [0, count])

    def _insert(self, *call: object) -> Node:
        return self._graph.insert(self._node, *call)
