"""Requantization by the matrix engine's conversion to bytes: its numbers, and how far it is from the scheme's result.

The scheme's result and the engine's both increase with the sum. So each is 255 thresholds: the least sum whose byte is
1 or more, 2 or more, and so on. Two of them agree for all sums if their thresholds do.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from hexagon_mlir.dialects.byte_conversions import (
    LEAST_SHIFT,
    MOST_SHIFT,
    RESULT_SHIFT,
    SCALE_BITS,
    low_word,
)
from hexagon_mlir.frontend.torch.rewrites.fixed_point import Requantization

_WORD = 32


@dataclass(frozen=True)
class EngineScales:
    """Words and biases of the engine's tables, i32 with one for each channel.

    ``differing``: the share of the sums between the least and the largest byte whose byte is another one than the
    scheme's, at most; 0.0 where all bytes are the scheme's. Those that differ do by one.
    """

    words: torch.Tensor
    biases: torch.Tensor
    differing: float


def thresholds(numbers: Requantization, lowest: int) -> torch.Tensor:
    """The least sums whose byte is ``lowest`` + 1 and more, to ``lowest`` + 255: i64 [channels][255]."""
    factors = numbers.factors.to(torch.int64).reshape(-1, 1)
    steps = (lowest + torch.arange(1, 256, dtype=torch.int64)) << numbers.right
    reached = steps - numbers.offsets.to(torch.int64).reshape(-1, 1)
    places = _WORD - numbers.left
    whole = torch.div(reached, factors, rounding_mode="floor")
    rest = (reached - whole * factors) << places
    return (whole << places) + torch.div(rest + factors - 1, factors, rounding_mode="floor")


def engine_thresholds(scales: torch.Tensor, shifts: torch.Tensor, biases: torch.Tensor) -> torch.Tensor:
    """The same of the engine's conversion, for bytes from 0 on: i64 [channels][255]."""
    bytes_, scales = torch.arange(1, 256, dtype=torch.int64) << RESULT_SHIFT, scales.reshape(-1, 1)
    values = torch.div(bytes_ + scales - 1, scales, rounding_mode="floor") >> 1
    return (values << shifts.reshape(-1, 1)) - biases.reshape(-1, 1)


def engine_scales(numbers: Requantization, lowest: int, largest: int) -> EngineScales | None:
    """The closest conversion of the engine to ``numbers``, for sums of at most ``largest`` in size and bytes from
    ``lowest`` on; None where the engine's numbers have too few bits for it.
    """
    factors = numbers.factors.double() * 2.0 ** (numbers.left - _WORD - numbers.right)
    if not bool((factors > 0).all()):
        return None
    wanted = thresholds(numbers, lowest)
    shifts = SCALE_BITS - RESULT_SHIFT - torch.floor(torch.log2(factors)).to(torch.int64)
    nearest = torch.round(factors * torch.pow(2.0, RESULT_SHIFT - 1 + shifts.double())).to(torch.int64)
    best: tuple[torch.Tensor, ...] | None = None
    for step in (0, -1, 1):
        scales = nearest + step
        over = scales >= 1 << SCALE_BITS
        here, scales = torch.where(over, shifts - 1, shifts), torch.where(over, scales >> 1, scales)
        scales = scales.clamp(min=1 << SCALE_BITS - 1)
        apart = engine_thresholds(scales, here, torch.zeros_like(here)) - wanted
        biases = apart.median(dim=1).values
        off = (apart - biases.reshape(-1, 1)).abs().sum(dim=1)
        found = scales, here, biases, off
        best = found if best is None else tuple(
            torch.where(off < best[-1], new, old) for new, old in zip(found, best, strict=True))
    assert best is not None
    scales, shifts, biases, _ = best
    if not bool(((shifts >= LEAST_SHIFT) & (shifts <= MOST_SHIFT)).all()):
        return None
    differing = _share(wanted, engine_thresholds(scales, shifts, biases), largest)
    if differing is None or not bool((biases.abs() + largest < 1 << _WORD - 1).all()):
        return None
    words = [low_word(scale, shift) for scale, shift in zip(scales.tolist(), shifts.tolist(), strict=True)]
    return EngineScales(torch.tensor(words, dtype=torch.int32), biases.to(torch.int32), differing)


def _share(wanted: torch.Tensor, given: torch.Tensor, largest: int) -> float | None:
    """`EngineScales.differing` of two tables of thresholds; None where bytes differ by more than one."""
    wanted, given = wanted.clamp(-largest, largest + 1), given.clamp(-largest, largest + 1)
    if bool((given[:, 1:] < wanted[:, :-1]).any() | (given[:, :-1] > wanted[:, 1:]).any()):
        return None
    sums = (wanted[:, -1] - wanted[:, 0]).clamp(min=1)
    return float(((given - wanted).abs().sum(dim=1) / sums).max())
