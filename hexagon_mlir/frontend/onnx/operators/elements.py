"""Operators on elements, rows and running sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from hexagon_mlir.frontend.onnx.operators.registry import operator

_ONE_AXIS = 13
"""Since this version softmax and its relatives work along one axis."""


@operator("Clip", numbers=(1, 2))
def clip(x: Tensor, low: Tensor | float | None = None, high: Tensor | float | None = None, *, min: float | None = None,
         max: float | None = None) -> Tensor:
    """Between bounds, of which either may be missing; attributes until version 6, inputs since."""
    low, high = (low if min is None else min), (high if max is None else max)
    if not isinstance(low, Tensor) and not isinstance(high, Tensor):
        return x.clone() if low is None and high is None else torch.clamp(x, low, high)
    bounds = [(torch.maximum, low), (torch.minimum, high)]
    for extreme, bound in bounds:
        x = x if bound is None else extreme(x, torch.as_tensor(bound, dtype=x.dtype))
    return x


operator("HardSwish")(F.hardswish)


@operator("Swish")
def swish(x: Tensor, *, alpha: float = 1.0) -> Tensor:
    """``x`` times a sigmoid."""
    return x * torch.sigmoid(x if alpha == 1 else alpha * x)


def _along(function: Callable[[Tensor, int], Tensor]) -> Callable[..., Tensor]:
    """``function`` along one axis; until version 12 over all dimensions from ``axis``, by default the second, on."""
    def along(x: Tensor, *, axis: int | None = None, version: int) -> Tensor:
        if version >= _ONE_AXIS:
            return function(x, -1 if axis is None else axis)
        return function(x.flatten((1 if axis is None else axis) % x.dim()), -1).reshape(x.shape)

    return along


def _hardmax(x: Tensor, axis: int) -> Tensor:
    """One at the first of the largest, zero elsewhere."""
    places = torch.arange(x.shape[axis]).reshape([-1 if d == axis % x.dim() else 1 for d in range(x.dim())])
    return (places == x.argmax(axis, keepdim=True)).to(x.dtype)


operator("Hardmax")(_along(_hardmax))
operator("Softmax")(_along(torch.softmax))
operator("LogSoftmax")(_along(torch.log_softmax))
operator("GreaterOrEqual")(lambda x, y: x >= y)
operator("LessOrEqual")(lambda x, y: x <= y)
operator("Softsign")(F.softsign)


def _number(value: Any) -> int:
    """Of a scalar, or of the only element of a list."""
    return int(value[0] if isinstance(value, list) else value)


@operator("OneHot", known=(1,))
def one_hot(indices: Tensor, depth: Any, values: Tensor, *, axis: int = -1) -> Tensor:
    """``values[1]`` where ``indices`` say, ``values[0]`` elsewhere and for indices out of range."""
    count = _number(depth)
    axis %= indices.dim() + 1
    wide = indices.to(torch.int64).unsqueeze(axis)
    places = torch.arange(count).reshape([-1 if d == axis else 1 for d in range(wide.dim())])
    return torch.where(torch.where(wide < 0, wide + count, wide) == places, values[1], values[0])


@operator("ReduceSum", known=(1,))
def reduce_sum(x: Tensor, inputs: Sequence[int] | None = None, *, axes: Sequence[int] | None = None, keepdims: int = 1,
               noop_with_empty_axes: int = 0) -> Tensor:
    """Over ``axes``, an attribute until version 12; over all without any, or over none."""
    chosen = list(inputs or axes or (() if noop_with_empty_axes else range(x.dim())))
    return x.sum(chosen, bool(keepdims), dtype=x.dtype) if chosen else x.clone()


@operator("EyeLike")
def eye_like(x: Tensor, *, dtype: int | None = None, k: int = 0) -> Tensor:
    """Ones on a diagonal, in the type of ``x`` unless another is named."""
    from hexagon_mlir.frontend.onnx.tensors import DTYPES

    rows, columns = (torch.arange(size) for size in x.shape)
    return (rows[:, None] + k == columns).to(x.dtype if dtype is None else DTYPES[dtype])


@operator("LpNormalization")
def lp_normalization(x: Tensor, *, axis: int = -1, p: int = 2) -> Tensor:
    """Divided by the norm along ``axis``; zero where that is."""
    norm = x.abs().sum(axis, keepdim=True) if p == 1 else (x * x).sum(axis, keepdim=True).sqrt()
    return torch.where(norm == 0, 0.0, x / norm)


@operator("RMSNormalization")
def rms_normalization(x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
                      ) -> Tensor:
    """Scaled to a mean square of one from ``axis`` on."""
    return F.rms_norm(x, x.shape[axis % x.dim():], None, epsilon) * scale


def _running(total: Callable[..., Tensor], first: float) -> Callable[..., Tensor]:
    def function(x: Tensor, axis: Any, *, exclusive: int = 0, reverse: int = 0) -> Tensor:
        dim = _number(axis)
        y = x.flip(dim) if reverse else x
        y = total(y, dim, dtype=x.dtype)
        if exclusive:
            start = torch.full_like(y.narrow(dim, 0, 1), first)
            y = torch.cat([start, y.narrow(dim, 0, y.shape[dim] - 1)], dim)
        return y.flip(dim) if reverse else y

    return function


operator("CumSum", known=(1,))(_running(torch.cumsum, 0))
operator("CumProd", known=(1,))(_running(torch.cumprod, 1))


@operator("Dropout")
def dropout(x: Tensor, ratio: Tensor | None = None, training: Tensor | None = None, **_: float) -> list[Tensor]:
    """Off; everything was kept."""
    return [x, torch.ones_like(x, dtype=torch.bool)]


@operator("GridSample")
def grid_sample(x: Tensor, grid: Tensor, *, mode: str = "linear", padding_mode: str = "zeros", align_corners: int = 0
                ) -> Tensor:
    """Samples between pixels; modes have other names in PyTorch."""
    name = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    return F.grid_sample(x, grid, name, padding_mode, bool(align_corners))


@operator("MeanVarianceNormalization")
def mean_variance_normalization(x: Tensor, *, axes: Sequence[int] = (0, 2, 3)) -> Tensor:
    """Centred, divided by the deviation and a little more."""
    centred = x - x.mean(list(axes), keepdim=True)
    return centred / ((centred * centred).mean(list(axes), keepdim=True).sqrt() + 1e-9)


@operator("SwiGLU")
def swiglu(x: Tensor, gate: Tensor | None = None, *, alpha: float = 1.0) -> Tensor:
    """A product with a swish."""
    left, right = x.chunk(2, -1) if gate is None else (x, gate)
    return swish(left, alpha=alpha) * right


@operator("NegativeLogLikelihoodLoss")
def negative_log_likelihood(x: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int | None = None,
                            reduction: str = "mean") -> Tensor:
    """Of classes in dimension 1; ``target`` names one at each place."""
    target = target.to(torch.int64)
    kept = torch.ones_like(target, dtype=x.dtype) if ignore_index is None else (target != ignore_index).to(x.dtype)
    chosen = torch.where(kept > 0, target, 0)
    share = kept if weight is None else kept * weight[chosen]
    loss = -x.gather(1, chosen.unsqueeze(1)).squeeze(1) * share
    return loss if reduction == "none" else loss.sum() if reduction == "sum" else loss.sum() / share.sum()
