"""Sums of two scaled bytes as integers, of which every one is what PyTorch computes where 32 bits can say it.

There are 65,536 pairs of bytes. PyTorch's byte for each of them limits the offset from both sides, for given factors;
factors and offset are exact where the largest lower limit is not above the least upper one. They are not where PyTorch
rounds many halves to even, as with scales that are powers of two: then they are those of the real sum, halves upwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import torch

from hexagon_mlir.frontend.torch.rewrites.schemes import Scheme

_WORD = 32
_LEAST_FRACTION_BITS = 10
"""With fewer, f32 is closer."""
_ROUNDING = 2.0**-30
"""Of f64: what is that little below a half is one."""
_STEPS = sorted(product(range(-2, 3), repeat=2), key=lambda steps: sum(map(abs, steps)))
"""What is added to the factors, nearest first."""


def addition(first: Scheme, second: Scheme, result: Scheme,
             limits: tuple[float, float] = (-math.inf, math.inf)) -> tuple[tuple[int, int], int, int] | None:
    """``floor((a * factors[0] + b * factors[1] + offset) / 2^right)``: the bytes of ``result`` for bytes a and b.

    The real sum is clamped to ``limits``. Returns factors, offset, ``right``. None where 32 bits are too few.
    """
    real = (first.scale / result.scale, second.scale / result.scale)
    shift = result.zero - first.zero * real[0] - second.zero * real[1]
    ends = [a * real[0] + b * real[1] + shift
            for a, b in product((first.low, first.high), (second.low, second.high))]
    most = max(map(abs, (*ends, *real)))
    if not 0 < most < 1 << _WORD:
        return None
    right = _WORD - 2 - math.frexp(most)[1]
    if right < _LEAST_FRACTION_BITS:
        return None
    nearest = (round(real[0] * 2.0**right), round(real[1] * 2.0**right))
    codes = [torch.arange(scheme.low, scheme.high + 1) for scheme in (first, second)]
    low, high = result.within(*limits)
    exact = (codes[0].double() * real[0]).unsqueeze(1) + codes[1].double() * real[1] + shift
    upwards = torch.floor(exact + 0.5 + _ROUNDING).clamp(low, high).to(torch.int64)
    for wanted in (_bytes_of_sums(codes, (first, second), result, limits), upwards):
        for step in _STEPS:
            factors = (nearest[0] + step[0], nearest[1] + step[1])
            sums = (codes[0] * factors[0]).unsqueeze(1) + codes[1] * factors[1]
            lower = ((wanted << right) - sums)[wanted > low]
            upper = (((wanted + 1) << right) - 1 - sums)[wanted < high]
            if lower.numel() and upper.numel() and lower.max() <= upper.min():
                return factors, int(lower.max() + upper.min()) // 2, right
    middle = [(scheme.low + scheme.high) / 2 for scheme in (first, second)]
    errors = sum(byte * (one - factor / 2.0**right) for byte, one, factor in zip(middle, real, nearest, strict=True))
    offset = math.floor((shift + errors + 0.5) * 2.0**right + 0.5)
    return (nearest, offset, right) if abs(offset) < 1 << _WORD - 1 else None


def _bytes_of_sums(codes: Sequence[torch.Tensor], given: tuple[Scheme, Scheme], result: Scheme,
                   limits: tuple[float, float]) -> torch.Tensor:
    """What PyTorch computes in f32 for each pair: i64 [bytes][bytes]."""
    a, b = ((code - scheme.zero).float() * scheme.scale for code, scheme in zip(codes, given, strict=True))
    real = (a.unsqueeze(1) + b).clamp(*limits)
    return (torch.round(real * (1.0 / result.scale)) + result.zero).clamp(result.low, result.high).to(torch.int64)
