"""Factors of a requantization as integers: how many bits they get, and when they do not fit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

_WORD = 32
_MOST_FRACTION_BITS = 20
"""Of a result below one step. Offsets of up to 2^9 steps have room for as many."""
_FRACTION_BITS = 17
"""With fewer, sums are clamped first to what a byte can say, which costs two instructions for each register of sums."""
_LEAST_FRACTION_BITS = 10
"""With fewer, f32 is closer."""


@dataclass(frozen=True)
class Requantization:
    """Arguments of `requantize`: ``factors`` and ``offsets`` are i32, one for each channel. Sums are clamped to
    ``limit`` in size first, unless it is 0."""

    factors: torch.Tensor
    offsets: torch.Tensor
    left: int
    right: int
    limit: int = 0


def requantization(factors: torch.Tensor, offsets: torch.Tensor, largest: int,
                   limits: tuple[int, int] | None = None) -> Requantization | None:
    """``floor(sum * factors + offsets + 1/2)`` in integers, for sums of at most ``largest`` in size.

    ``factors`` and ``offsets`` are f64, shape (channels,); ``limits``: the least and largest result that matter, which
    others may become. The largest factor has 31 bits, and all share its exponent. A result is off by at most
    ``5/4 * 2^-right`` steps before it is rounded down: 1/2 for the lower word of the product, 1/2 for the offset, 1/4
    for the factor. None where 32 bits are too few for 10 of them below one step.
    """
    most = float(factors.abs().max())
    if not (most > 0 and math.isfinite(most)) or not torch.isfinite(offsets).all() or largest >= 1 << 30:
        return None
    found = _with_most_bits(factors, offsets, largest)
    if limits is None or (found is not None and found.right >= _FRACTION_BITS):
        return found
    beyond = torch.maximum((limits[1] + 1 - offsets).abs(), (limits[0] - 1 - offsets).abs()) / factors.abs()
    limit = math.ceil(min(float(beyond.max()), largest))
    clamped = _with_most_bits(factors, offsets, limit)
    if clamped is None or (found is not None and clamped.right <= found.right):
        return found
    return replace(clamped, limit=limit)


def _with_most_bits(factors: torch.Tensor, offsets: torch.Tensor, largest: int) -> Requantization | None:
    """`requantization` with as many bits below one step as sums, products and offsets of 32 bits leave."""
    most = float(factors.abs().max())
    exponent = _WORD - 1 - math.frexp(most)[1]
    if round(most * 2.0**exponent) >= 1 << 31:
        exponent -= 1
    farthest = float(offsets.abs().max()) + 1
    for right in range(_MOST_FRACTION_BITS, _LEAST_FRACTION_BITS - 1, -1):
        left = max(0, right + _WORD - exponent)
        if largest << left < 1 << 31 and farthest * 2.0**right < 1 << 30:
            wanted = torch.round(factors * 2.0 ** (right + _WORD - left))
            steps = torch.floor((offsets + 0.5) * 2.0**right + 1.0)  # 1/2 for the lower word, 1/2 to round
            return Requantization(wanted.to(torch.int32), steps.to(torch.int32), left, right)
    return None
