"""More modules of one op for `single_ops`: what models of torchvision, timm and transformers use beside its layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def _floats(*shape: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape))) * 3


def _bytes(*shape: int) -> Tensor:
    return torch.randint(0, 256, shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.uint8)


_NAN = torch.tensor([[1.0, 3.0, float("nan"), 9.0, float("inf")], [-0.0, 0.0, -2.0, float("-inf"), -1.0]])
_SIGNED = torch.tensor([0.0, -0.0, -3.0, float("-inf"), 5.0])
_IMAGE = _floats(2, 3, 8, 10)
MORE: dict[str, tuple[Callable[..., Any], tuple[Tensor, ...]]] = {
    "bicubic": (lambda x: F.interpolate(x, size=(11, 7), mode="bicubic"), (_IMAGE,)),
    "linear interpolation": (lambda x: F.interpolate(x, size=13, mode="linear"), (_floats(2, 6, 9),)),
    "trilinear": (lambda x: F.interpolate(x, size=(3, 5, 6), mode="trilinear"), (_floats(1, 2, 2, 3, 4),)),
    "nearest 3-D": (lambda x: F.interpolate(x, scale_factor=2), (_floats(1, 2, 2, 3, 4),)),
    "unfold 2-D": (lambda x: F.unfold(x, 3, padding=1, stride=2), (_IMAGE,)),
    "fold": (lambda x: F.fold(x, (6, 7), (3, 2)), (_floats(2, 18, 24),)),
    "pad circular": (lambda x: F.pad(x, (2, 1, 0, -2), mode="circular"), (_IMAGE,)),
    "pad negative": (lambda x: F.pad(x, (-1, 2, 0, -3), value=2.5), (_floats(5, 7),)),
    "conv2d same": (lambda x, w: F.conv2d(x, w, padding="same"), (_IMAGE, _floats(4, 3, 4, 3))),
    "conv1d same dilated": (lambda x, w, b: F.conv1d(x, w, b, padding="same", dilation=3),
                            (_floats(2, 3, 17), _floats(4, 3, 2), _floats(4))),
    "conv2d unbatched": (F.conv2d, (_floats(3, 7, 9), _floats(4, 3, 3, 3))),
    "conv transpose 1d unbatched": (F.conv_transpose1d, (_floats(3, 7), _floats(3, 4, 2))),
    "adaptive max pool": (lambda x: F.adaptive_max_pool2d(x, (3, 4), return_indices=True), (_IMAGE,)),
    "adaptive max pool 1d": (lambda x: F.adaptive_max_pool1d(x, 4), (_floats(2, 3, 9),)),
    "searchsorted": (lambda s, x: (torch.searchsorted(s, x), torch.searchsorted(s, x, right=True)),
                     (torch.tensor([[-1.0, 0, 0, 2], [1, 2, 3, 4]]),
                      torch.tensor([[0.0, float("nan"), -9], [4, 4.5, 1]]))),
    "bucketize": (lambda x: torch.bucketize(x, torch.tensor([-1.0, 0.0, 2.0])), (_NAN,)),
    "cummax": (lambda x: tuple(x.cummax(-1)), (_NAN,)),
    "cummin": (lambda x: tuple(x.cummin(0)), (torch.tensor([[3, 1], [3, 2], [-5, 1]]),)),
    "masked scatter": (lambda x, y: x.masked_scatter(x > 0, y), (_floats(3, 9), _floats(30))),
    "roll of all": (lambda x: x.roll(-4), (_floats(3, 7),)),
    "roll of two": (lambda x: x.roll((1, -2), (0, 1)), (_floats(3, 7),)),
    "signs": (lambda x: (torch.signbit(x), torch.copysign(x.flip(0), x), torch.copysign(x, -1.0)), (_SIGNED,)),
    "finite": (torch.isfinite, (_NAN,)),
    "distances": (torch.cdist, (_floats(2, 5, 4), _floats(2, 7, 4))),
    "cross product": (lambda x, y: torch.cross(x, y, dim=-1), (_floats(4, 3), _floats(1, 3))),
    "kron": (torch.kron, (_floats(2, 3), _floats(3, 2))),
    "tensordot": (lambda x, y: torch.tensordot(x, y, 2), (_floats(2, 3, 4), _floats(3, 4, 5))),
    "meshgrid": (lambda x, y: torch.meshgrid(x, y, indexing="xy"), (_floats(3), _floats(4))),
    "take": (lambda x, i: (x.take(i), torch.take_along_dim(x, i[None], 1)), (_floats(3, 9), torch.tensor([0, 8, 3]))),
    "sums without NaN": (lambda x: (x.nansum(-1), x.nanmean(-1)), (_NAN,)),
    "x log y": (torch.xlogy, (torch.tensor([0.0, 2, 0, 1]), torch.tensor([0.0, 3, float("nan"), 0.5]))),
    "sinc": (torch.sinc, (_floats(3, 9),)),
    "cross entropy": (F.cross_entropy, (_floats(4, 7), torch.tensor([0, 6, 3, 3]))),
    "smooth L1": (lambda x, y: (F.smooth_l1_loss(x, y), F.huber_loss(x, y)), (_floats(3, 9), _floats(9, 3).T)),
    "constants returned": (lambda x: (torch.zeros_like(x), x.new_full((2, 1), 2.5), x + 1), (_floats(3, 5),)),
    "only a constant": (torch.ones_like, (_floats(3, 5),)),
    "bytes over 3": (lambda x: (x / 3, x // 3, x % 7, torch.div(x, 3, rounding_mode="trunc")), (_bytes(3, 9),)),
    "bytes over bytes": (lambda x, y: (x / y.clamp(min=1), torch.div(x, y.clamp(min=1), rounding_mode="floor")),
                         (_bytes(3, 9), _bytes(1, 9))),
    "bytes and numbers": (lambda x: (x * 0.5, x + 200, 255 - x, x + torch.arange(9.0)), (_bytes(3, 9),)),
    "bytes compared": (lambda x: (x > 128, x.clamp(10, 200), torch.where(x > 100, x, 7)), (_bytes(3, 9),)),
    "bytes reduced": (lambda x: (x.sum(), x.amax(-1), *x.max(0), x.argmax(-1)), (_bytes(3, 9),)),
    "bytes shifted": (lambda x: (x >> 4, x << 2, x & 15, ~x), (_bytes(3, 9),)),
    "bytes of floats": (lambda x: (x.abs() * 20).to(torch.uint8), (_floats(3, 9),)),
    "one-hot bytes": (lambda x: F.one_hot((x % 5).long(), 5).to(torch.uint8), (_bytes(3, 4),)),
}
