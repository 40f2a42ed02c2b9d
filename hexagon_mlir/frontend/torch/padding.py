"""Decompositions of padding of every kind, and of convolutions without a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_CONVOLUTIONS = {1: _aten.conv1d, 2: _aten.conv2d, 3: _aten.conv3d}
_TRANSPOSED = {1: _aten.conv_transpose1d.default, 2: _aten.conv_transpose2d.input, 3: _aten.conv_transpose3d.input}


def _unbatched(op: Any, rank: int) -> Callable[..., Tensor]:
    """``op`` with a batch of one where there is none."""
    def function(x: Tensor, weight: Tensor, *rest: Any, **keywords: Any) -> Tensor:
        if x.dim() != rank + 1:
            return NotImplemented
        return op(x.unsqueeze(0), weight, *rest, **keywords).squeeze(0)

    return function


def _named_padding(op: Any, rank: int) -> Callable[..., Tensor]:
    """Padding ``same`` or ``valid``: where it is uneven, the end gets one more, as in PyTorch."""
    def function(x: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Sequence[int] = (1,),
                 padding: str = "valid", dilation: Sequence[int] = (1,), groups: int = 1) -> Tensor:
        spread = list(dilation) * (rank if len(dilation) == 1 else 1)
        total = [d * (size - 1) if padding == "same" else 0 for d, size in zip(spread, weight.shape[2:], strict=True)]
        more = [t % 2 for t in total]
        if any(more):
            x = _aten.constant_pad_nd.default(x, [side for extra in reversed(more) for side in (0, extra)], 0.0)
        return op(x, weight, bias, list(stride), [t // 2 for t in total], list(dilation), groups)

    return function


for _rank, _packet in _CONVOLUTIONS.items():
    if _rank < max(_CONVOLUTIONS):  # `volumes` decomposes the others
        decomposes(_packet.default)(_unbatched(_packet.default, _rank))
    decomposes(_packet.padding)(_named_padding(_packet.default, _rank))
for _rank, _op in _TRANSPOSED.items():
    decomposes(_op)(_unbatched(_op, _rank))


def _cut(x: Tensor, pad: Sequence[int]) -> tuple[Tensor, list[int]]:
    """``x`` less its sides of negative width, and the widths of the others."""
    for number in range(len(pad) // 2):
        before, after = (max(0, -side) for side in pad[2 * number: 2 * number + 2])
        dim = x.dim() - 1 - number
        x = x.narrow(dim, before, x.shape[dim] - before - after)
    return x, [max(0, side) for side in pad]


@decomposes(_aten.constant_pad_nd.default)
def constant_pad_nd(x: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """Sides of negative width are cut off first."""
    if all(side >= 0 for side in pad):
        return NotImplemented
    x, wider = _cut(x, pad)
    return _aten.constant_pad_nd.default(x, wider, value) if any(wider) else x.clone()


@decomposes(_aten._pad_circular.default)
def pad_circular(x: Tensor, pad: Sequence[int]) -> Tensor:
    """Elements wrap around from one side to the other; sides of negative width are cut off."""
    for number in range(len(pad) // 2):
        before, after = pad[2 * number: 2 * number + 2]
        dim = x.dim() - 1 - number
        size = x.shape[dim]
        kept = x.narrow(dim, max(0, -before), size - max(0, -before) - max(0, -after))
        x = torch.cat([*([x.narrow(dim, size - before, before)] if before > 0 else []), kept,
                       *([x.narrow(dim, 0, after)] if after > 0 else [])], dim)
    return x


@decomposes(_aten.pad.default)
def pad(x: Tensor, sides: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """As they are called with a mode; the importer knows the others."""
    if mode == "circular":
        return pad_circular(x, sides)
    return constant_pad_nd(x, sides, value or 0) if mode == "constant" else NotImplemented


def _replicated(op: Any) -> Callable[..., Tensor]:
    def function(x: Tensor, sides: Sequence[int]) -> Tensor:
        """Sides of negative width are cut off after the others are there: the edge is that of the whole tensor."""
        if all(side >= 0 for side in sides):
            return NotImplemented
        wide = op(x, [max(0, side) for side in sides])
        return _cut(wide, [min(0, side) for side in sides])[0].clone()

    return function


for _op in (_aten.replication_pad1d.default, _aten.replication_pad2d.default, _aten.replication_pad3d.default):
    decomposes(_op)(_replicated(_op))
