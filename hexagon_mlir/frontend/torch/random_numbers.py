"""Decompositions of operations that draw random numbers, from the words of a generator that counts (`random_keys`)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from hexagon_mlir.frontend.torch.kernels.threefry import RANDOM_WORDS
from hexagon_mlir.frontend.torch.random_keys import KEY
from hexagon_mlir.frontend.torch.registry import decomposes
from hexagon_mlir.frontend.torch.scatters import sort
from hexagon_mlir.frontend.torch.special_functions import erfinv_of

_aten = torch.ops.aten
_numbers = itertools.count()  # only to differ
_BITS = 23
"""Bits of a random fraction: f32 has all their values."""
_NARROW = 1 << 15
"""How many values a random integer may have so that products of 32 bits draw it."""
_FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def _words(size: Sequence[int]) -> Tensor:
    if not math.prod(size):
        return torch.zeros(list(size), dtype=torch.int32)
    key = KEY(next(_numbers))
    return RANDOM_WORDS(key[0], key[1], math.prod(size)).reshape(list(size))


def _bits(size: Sequence[int], count: int) -> Tensor:
    """The highest ``count`` bits of words, below 31, as int32."""
    return (_words(size) >> (32 - count)) & ((1 << count) - 1)


def _uniform(size: Sequence[int]) -> Tensor:
    """Multiples of 2^-23 from 0 to below 1, f32, as the chip's product rounds them."""
    return _bits(size, _BITS).to(torch.float32) * 2.0 ** -_BITS


def _normal(size: Sequence[int]) -> Tensor:
    """Where the normal distribution reaches (2 k + 1) / 2^24, k of 23 bits: the inverse of its integral, f32."""
    odd, unit = 2 * _bits(size, _BITS) + (1 - (1 << _BITS)), 1 << _BITS
    above, below = ((one * 2.0 ** -_BITS) for one in ((unit + odd).to(torch.float32), (unit - odd).to(torch.float32)))
    return math.sqrt(2.0) * erfinv_of(odd.to(torch.float32) * 2.0 ** -_BITS, above * below)


def _exponential(size: Sequence[int]) -> Tensor:
    """-log(1 - u), f32."""
    return -torch.log(1.0 - _uniform(size))


def _is_served(dtype: torch.dtype | None, generator: Any = None) -> bool:
    return (dtype or torch.get_default_dtype()) in _FLOATS and generator is None


def _new(draw: Callable[[Sequence[int]], Tensor]) -> Callable[..., Tensor]:
    def function(size: Sequence[int], *, dtype: torch.dtype | None = None, generator: Any = None, **others: Any
                 ) -> Tensor:
        return draw(size).to(dtype or torch.get_default_dtype()) if _is_served(dtype, generator) else (
            NotImplemented)

    return function


def _like(draw: Callable[[Sequence[int]], Tensor]) -> Callable[..., Tensor]:
    def function(x: Tensor, *, dtype: torch.dtype | None = None, generator: Any = None, **others: Any) -> Tensor:
        dtype = dtype or x.dtype
        return draw(x.shape).to(dtype) if _is_served(dtype, generator) else NotImplemented

    return function


decomposes(_aten.rand.default, _aten.rand.generator)(_new(_uniform))
decomposes(_aten.randn.default, _aten.randn.generator)(_new(_normal))
decomposes(_aten.rand_like.default)(_like(_uniform))
decomposes(_aten.randn_like.default)(_like(_normal))


@decomposes(_aten.uniform.default)
def uniform(x: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Any = None) -> Tensor:
    """Between two numbers, the second one excluded but for rounding."""
    if not _is_served(x.dtype, generator):
        return NotImplemented
    return (_uniform(x.shape) * (high - low) + low).to(x.dtype)


@decomposes(_aten.normal_functional.default)
def normal(x: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Of mean and standard deviation."""
    return (_normal(x.shape) * std + mean).to(x.dtype) if _is_served(x.dtype, generator) else NotImplemented


@decomposes(_aten.normal.Tensor_Tensor, _aten.normal.Tensor_float, _aten.normal.float_Tensor)
def normal_of_tensors(mean: Any, std: Any = 1.0, *, generator: Any = None) -> Tensor:
    """One or both of them a tensor."""
    size = torch.broadcast_shapes(*(one.shape for one in (mean, std) if isinstance(one, Tensor)))
    dtype = mean.dtype if isinstance(mean, Tensor) else std.dtype
    return (_normal(size) * std + mean).to(dtype) if _is_served(dtype, generator) else NotImplemented


@decomposes(_aten.exponential.default)
def exponential(x: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Of rate ``lambd``."""
    if not _is_served(x.dtype, generator):
        return NotImplemented
    return (_exponential(x.shape) * (1.0 / lambd)).to(x.dtype)


def _happens(size: Sequence[int], p: Any) -> Tensor:
    """True with the probability ``p``: a number is compared in integers, which are exact on every chip."""
    if isinstance(p, Tensor):
        return _bits(size, _BITS).to(torch.float32) < p.to(torch.float32) * 2.0 ** _BITS
    return _bits(size, _BITS) < round(p * 2 ** _BITS)


@decomposes(_aten.bernoulli.default)
def bernoulli(x: Tensor, *, generator: Any = None) -> Tensor:
    """1 with the probability ``x``."""
    return _happens(x.shape, x).to(x.dtype) if _is_served(x.dtype, generator) else NotImplemented


@decomposes(_aten.bernoulli.p, _aten.bernoulli.Tensor)
def bernoulli_with(x: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """1 with the probability ``p``, in size and type of ``x``."""
    if x.dtype == torch.float64 or generator is not None:
        return NotImplemented
    return _happens(x.shape, p).to(x.dtype)


@decomposes(_aten.native_dropout.default)
def native_dropout(x: Tensor, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Elements become zero with the probability ``p``, others are divided by 1 - p; the second result tells which."""
    if train is False or not p:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    if not _is_served(x.dtype):
        return NotImplemented
    if p == 1.0:
        return torch.zeros_like(x), torch.zeros_like(x, dtype=torch.bool)
    kept = torch.logical_not(_happens(x.shape, p))
    return torch.where(kept, x * (1.0 / (1.0 - p)), 0.0), kept


@decomposes(_aten.rrelu_with_noise_functional.default)
def rrelu(x: Tensor, noise: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False,
          generator: Any = None) -> tuple[Tensor, Tensor]:
    """A slope for each negative element; the second result tells the slopes."""
    if not training:
        return torch.where(x > 0, x, x * ((lower + upper) / 2)), noise
    if not _is_served(x.dtype, generator):
        return NotImplemented
    slopes = torch.where(x > 0, 1.0, _uniform(x.shape) * (upper - lower) + lower).to(x.dtype)
    return x * slopes, slopes


@decomposes(_aten.randint.low)
def randint_from(low: int, high: int, size: Sequence[int], *, dtype: torch.dtype | None = torch.int64, **others: Any
                 ) -> Tensor:
    """``low`` + floor(word (high - low) / 2^32): the word is unsigned, the product has 64 bits."""
    count = high - low
    if not 0 < count < 1 << 31 or dtype == torch.float64 or others.get("generator") is not None:
        return NotImplemented
    words = _words(size)
    upper, lower = (words >> 16) & 0xFFFF, words & 0xFFFF
    if count > _NARROW:
        upper, lower = upper.to(torch.int64), lower.to(torch.int64)
    return ((upper * count + (lower * count >> 16)) >> 16).to(dtype or torch.int64) + low


@decomposes(_aten.randint.default)
def randint(high: int, size: Sequence[int], *, dtype: torch.dtype | None = torch.int64, **others: Any) -> Tensor:
    """From zero."""
    return randint_from(0, high, size, dtype=dtype)


@decomposes(_aten.randint_like.default)
def randint_like(x: Tensor, high: int, *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """In the size of another tensor."""
    return randint_from(0, high, x.shape, dtype=dtype or x.dtype)


@decomposes(_aten.randint_like.low_dtype)
def randint_like_from(x: Tensor, low: int, high: int, *, dtype: torch.dtype | None = None, **others: Any) -> Tensor:
    """The same between two numbers."""
    return randint_from(low, high, x.shape, dtype=dtype or x.dtype)


@decomposes(_aten.randperm.default)
def randperm(n: int, *, dtype: torch.dtype | None = torch.int64, **others: Any) -> Tensor:
    """The order of ``n`` words."""
    if n < 2:
        return torch.arange(n, dtype=dtype)
    return sort(_words([n]), 0, False)[1].to(dtype or torch.int64)


@decomposes(_aten.multinomial.default)
def multinomial(weights: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """The places of the largest quotients of weights and numbers with the exponential distribution.

    With replacement, each sample has numbers of its own.
    """
    if not _is_served(weights.dtype, generator) or not num_samples:
        return NotImplemented
    wide = weights.to(torch.float32)
    if not replacement or num_samples == 1:
        return torch.topk(wide / _positive(wide.shape), num_samples, -1)[1]
    again = wide.unsqueeze(-2).expand(*wide.shape[:-1], num_samples, wide.shape[-1])
    return (again / _positive(again.shape)).argmax(-1)


def _positive(size: Sequence[int]) -> Tensor:
    """As `_exponential`, without zero: a quotient with a weight of zero stays zero."""
    return -torch.log((2 * _bits(size, _BITS) + 1).to(torch.float32) * 2.0 ** (-_BITS - 1))
