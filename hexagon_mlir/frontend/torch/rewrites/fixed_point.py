"""Factors of a requantization as integers: how many bits they get, and when they do not fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

_WORD = 32
_FRACTION_BITS = 16
"""Bits of the offset below one step of the result, where the sums leave room to shift them left: an offset is off by
at most 2^-17 of a step."""
_SUM_BITS = 20
"""Of factors of a byte, of which two and an offset are added in 32 bits."""


@dataclass(frozen=True)
class Requantization:
    """Arguments of `requantize`: ``factors`` and ``offsets`` are i32, one for each channel."""

    factors: torch.Tensor
    offsets: torch.Tensor
    left: int
    right: int


def requantization(factors: torch.Tensor, offsets: torch.Tensor, largest: int) -> Requantization | None:
    """``floor(sum * factors + offsets + 1/2)`` in integers, for sums of at most ``largest`` in size.

    ``factors`` and ``offsets`` are f64, shape (channels,). The largest factor has 31 bits, and all share its exponent;
    offsets have as many bits below the point as the products. None where 32 bits are too few.
    """
    most = float(factors.abs().max())
    if not (most > 0 and math.isfinite(most)) or not torch.isfinite(offsets).all() or largest >= 1 << 30:
        return None
    exponent = _WORD - 1 - math.frexp(most)[1]
    if round(most * 2.0**exponent) >= 1 << 31:
        exponent -= 1
    room = _WORD - 2 - max(largest, 1).bit_length()
    left = max(0, min(room, _FRACTION_BITS - (exponent - _WORD)))
    right = exponent + left - _WORD
    if not 0 < right < _WORD - 1:
        return None
    steps = torch.floor((offsets + 0.5) * 2.0**right + 0.5)
    if steps.abs().max() >= 1 << 30:
        return None
    return Requantization(torch.round(factors * 2.0**exponent).to(torch.int32), steps.to(torch.int32), left, right)


def addition(factors: tuple[float, float], offset: float) -> tuple[tuple[int, int], int, int] | None:
    """``floor(a * factors[0] + b * factors[1] + offset + 1/2)`` of bytes a and b: the factors and the offset times a
    power of two, and its exponent; None where 32 bits are too few."""
    most = max(abs(factors[0]), abs(factors[1]), abs(offset) / 512)
    if not (most > 0 and math.isfinite(most)):
        return None
    right = _SUM_BITS - max(0, math.frexp(most)[1])
    if right < 1:
        return None
    whole = (round(factors[0] * 2.0**right), round(factors[1] * 2.0**right))
    return whole, math.floor((offset + 0.5) * 2.0**right + 0.5), right
