"""Discrete Fourier transforms as products with matrices of cosines and sines; large ones in two steps.

Real and imaginary parts are two tensors. Cooley and Tukey (1965) give the two steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.registry import decomposes

_aten = torch.ops.aten
_WHOLE = 256
"""Elements of a transform that is one product."""
_LARGEST = 4096
"""Elements without divisors that are one product: the matrix takes 64 MiB."""


def _cosines(rows: int, columns: int, period: int, quarters: int) -> Tensor:
    steps = torch.arange(rows, dtype=torch.int64)[:, None] * torch.arange(columns, dtype=torch.int64) % period
    angles = (4 * steps - quarters * period).to(torch.float64) * (math.pi / 2 / period)
    return torch.cos(angles).to(torch.float32)


_LIBRARY = torch.library.Library("hexagon_mlir", "FRAGMENT")  # `custom_op` wants a tensor among the arguments
_LIBRARY.define("cosines(int rows, int columns, int period, int quarters) -> Tensor")
_LIBRARY.impl("cosines", _cosines, "CompositeExplicitAutograd")
torch.library.register_fake("hexagon_mlir::cosines", lambda rows, columns, period, quarters: torch.empty(rows, columns),
                            lib=_LIBRARY)
COSINES = torch.ops.hexagon_mlir.cosines.default
"""COSINES(rows, columns, period, quarters): cos(2 pi (j k / period - quarters / 4)) in row j and column k, f32.

It has no input: constant folding computes it, however large it is.
"""


def _steps(size: int) -> tuple[int, int] | None:
    """The most equal factors of ``size``; None where one product serves."""
    if size <= _WHOLE:
        return None
    first = next(n for n in range(math.isqrt(size), 0, -1) if size % n == 0)
    return (first, size // first) if first > 1 else None


def transform(re: Tensor, im: Tensor | None, size: int, sign: int, columns: int | None = None) -> tuple[Tensor, Tensor]:
    """Sums of x[j] exp(sign 2 pi i j k / size) over the last dimension, of ``size``, for k below ``columns``."""
    kept = size if columns is None else columns
    steps = _steps(size)
    if steps is None:
        cos, sin = (COSINES(size, kept, size, quarters) for quarters in (0, 1))
        return _product(re, im, cos, sin * float(sign))
    first, second = steps  # j = j1 * second + j2, k = k1 + first * k2
    parts = [None if part is None else part.unflatten(-1, steps).transpose(-1, -2) for part in (re, im)]
    assert parts[0] is not None
    re, im = transform(parts[0], parts[1], first, sign)  # (..., j2, k1)
    cos, sin = (COSINES(second, first, size, quarters) for quarters in (0, 1))
    sin = sin * float(sign)
    re, im = re * cos - im * sin, re * sin + im * cos
    re, im = transform(re.transpose(-1, -2), im.transpose(-1, -2), second, sign)  # (..., k1, k2)
    re, im = (part.transpose(-1, -2).flatten(-2) for part in (re, im))
    return re[..., :kept], im[..., :kept]


def _product(re: Tensor, im: Tensor | None, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """The product of a row of complex numbers and the matrix ``cos + i sin``."""
    if im is None:
        return re @ cos, re @ sin
    return re @ cos - im @ sin, re @ sin + im @ cos


def _along(re: Tensor, im: Tensor | None, dim: int, sign: int, columns: int | None = None) -> tuple[Tensor, Tensor]:
    parts = [None if part is None else part.transpose(dim, -1) for part in (re, im)]
    assert parts[0] is not None
    re, im = transform(parts[0], parts[1], re.shape[dim], sign, columns)
    return re.transpose(dim, -1), im.transpose(dim, -1)


def _is_served(x: Tensor, sizes: Sequence[int]) -> bool:
    """True for f32 and transforms that products compute."""
    return (x.dtype in (torch.float32, torch.complex64) and x.numel() > 0
            and all(n <= _LARGEST or _steps(n) is not None for n in sizes))


def _scale(normalization: int, count: int) -> float:
    """0: none, 1: by the root of the number of elements, 2: by the number."""
    return (1.0, count ** -0.5, 1.0 / count)[normalization]


def _scaled(re: Tensor, im: Tensor, scale: float) -> Tensor:
    return torch.complex(re, im) if scale == 1.0 else torch.complex(re * scale, im * scale)


@decomposes(_aten._fft_r2c.default)
def real_to_complex(x: Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    """Of real numbers: the last of ``dim`` first, of which half of the results follow from the others."""
    sizes = [x.shape[d] for d in dim]
    if not _is_served(x, sizes):
        return NotImplemented
    *others, last = dim
    re, im = _along(x, None, last, -1, x.shape[last] // 2 + 1 if onesided else None)
    for d in others:
        re, im = _along(re, im, d, -1)
    return _scaled(re, im, _scale(normalization, math.prod(sizes)))


@decomposes(_aten._fft_c2c.default)
def complex_to_complex(x: Tensor, dim: Sequence[int], normalization: int, forward: bool) -> Tensor:
    """Of complex numbers, one dimension after the other."""
    sizes = [x.shape[d] for d in dim]
    if not _is_served(x, sizes):
        return NotImplemented
    re, im = torch.real(x), torch.imag(x)
    for d in dim:
        re, im = _along(re, im, d, -1 if forward else 1)
    return _scaled(re, im, _scale(normalization, math.prod(sizes)))


@decomposes(_aten._fft_c2r.default)
def complex_to_real(x: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int) -> Tensor:
    """Of half of a spectrum, whose other half is its conjugate, along the last of ``dim``."""
    *others, last = dim
    sizes = [*(x.shape[d] for d in others), last_dim_size]
    if not _is_served(x, sizes) or not last_dim_size:
        return NotImplemented
    re, im = torch.real(x), torch.imag(x)
    for d in others:
        re, im = _along(re, im, d, 1)
    half = last_dim_size // 2 + 1
    re, im = (part.transpose(last, -1)[..., :half] for part in (re, im))
    again = (last_dim_size - 1) // 2  # of the others, the conjugate is in the other half
    if _steps(last_dim_size) is None:
        twice = torch.ones(half, 1) + ((torch.arange(half) > 0) & (torch.arange(half) <= again))[:, None].float()
        cos, sin = (COSINES(half, last_dim_size, last_dim_size, quarters) * twice for quarters in (0, 1))
        y = re @ cos - im @ sin
    else:
        ends = torch.arange(half)
        im = torch.where((ends > 0) & (ends <= again), im, 0.0)
        re, im = (torch.cat([part, sign * part[..., 1 : again + 1].flip(-1)], -1) for part, sign in ((re, 1), (im, -1)))
        y = transform(re, im, last_dim_size, 1)[0]
    scale = _scale(normalization, math.prod(sizes))
    return (y if scale == 1.0 else y * scale).transpose(last, -1)
