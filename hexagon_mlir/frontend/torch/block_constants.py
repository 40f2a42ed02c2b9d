"""Weights of 4 or 8 bits in blocks among a model's constants, found by their values.

Where the weights of a block of a column are integers times one number, to a rounding of each, the integers and these
numbers can replace them. Integers of 4 or 8 bits count from 8 or 128, or from a zero point of their block.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F

from hexagon_mlir.frontend.torch.block_weights import BlockWeights
from hexagon_mlir.frontend.torch.integer_multiples import may_be_multiples

_TOLERANCES = {torch.float32: 2.0**-23, torch.float16: 2.0**-10.5}
"""Of a weight: its own rounding, and that of an f32 scale."""
_BITS = (4, 8)
_BLOCKS = (32, 64, 128)
"""Fewer weights are near multiples of a number too often."""
_SAMPLES = 2, 16
"""Columns and blocks that are looked at first: most matrices are no such weights, which the fewest tell."""
_NIBBLES = (8, 7, 15, 14, 13, 12, 11, 10, 9, 6, 5, 4, 3, 2, 1)
_NEAR = (0, -1, 1, -2, 2)
"""How far the integer may be from what the divisor says."""
_NOTHING = 0.4
"""Of the least step that a row can have."""
_SMALLEST = 2.0**-100  # a scale below it is next to subnormal numbers


def in_blocks(weight: torch.Tensor) -> BlockWeights | None:
    """What ``weight``, K x N of f16 or f32, is made of; None if its weights do not have 8 bits or less and a scale for
    32 of a column, or where K is less: a few numbers are always near multiples of another one. The fewest bits are
    taken, then the longest blocks."""
    if weight.dtype not in _TOLERANCES or weight.ndim != 2 or weight.shape[0] < _BLOCKS[0] or weight.shape[1] < 2:
        return None
    weight = weight.detach()
    if not may_be_multiples(weight, _BLOCKS[0]):
        return None
    for bits in _BITS:
        if not _may_be(weight, _BLOCKS[0], bits):
            continue
        for block in reversed(_BLOCKS):
            if _may_be(weight, block, bits):
                found = _found(weight, block, bits)
                if found is not None:
                    return found
    return None


def _may_be(weight: torch.Tensor, block: int, bits: int) -> bool:
    """False where a sample of ``weight`` is not made of such blocks and integers."""
    return all(_found(weight[:block * few, :few], block, bits) is not None for few in _SAMPLES)


def _found(weight: torch.Tensor, block: int, bits: int) -> BlockWeights | None:
    """``weight`` in blocks of ``block`` rows and integers of ``bits``, if it is made of them."""
    depth, columns = weight.shape
    count = -(-depth // block)
    wide = F.pad(weight.double(), (0, 0, 0, count * block - depth))
    if not bool(wide.isfinite().all()):
        return None
    rows = wide.reshape(count, block, columns).permute(0, 2, 1).reshape(-1, block)
    steps = _steps(rows, bits, _TOLERANCES[weight.dtype])
    if steps is None:
        return None
    numbers, scales = steps
    middle = 1 << bits - 1
    lowest, highest = numbers.amin(1), numbers.amax(1)
    zeros = torch.where((lowest >= -middle) & (highest < middle), middle, -lowest.clamp(max=0))
    codes = (numbers + zeros[:, None]).reshape(count, columns, block).permute(0, 2, 1).reshape(-1, columns)
    of_blocks = scales.reshape(count, columns).float()
    if bool((of_blocks.half().float() == of_blocks).all()):
        of_blocks = of_blocks.half()
    own = None if bool((zeros == middle).all()) else zeros.reshape(count, columns).to(torch.uint8)
    return BlockWeights(codes[:depth].to(torch.uint8), of_blocks, block, bits, own)


def _steps(rows: torch.Tensor, bits: int, tolerance: float) -> tuple[torch.Tensor, torch.Tensor] | None:
    """The integers, int32, that ``rows`` are times a number for each row, f64 of f32's precision; None if they are not.

    All integers of 4 bits are tried for the largest magnitude of a row; of more bits, the common divisor of the row
    tells which it is, or nearly so.
    """
    most = (1 << bits) - 1
    numbers = torch.zeros(rows.shape, dtype=torch.int32)
    scales = torch.ones(len(rows), dtype=torch.float64)
    largest = rows.abs().amax(1)
    left = largest.nonzero()[:, 0]
    candidates = [torch.full_like(largest, integer) for integer in _NIBBLES]
    if bits > _BITS[0]:
        divisors = _divisors(rows.abs(), largest / most * _NOTHING, bits).clamp(min=_SMALLEST)
        candidates = [torch.round(largest / divisors) + near for near in _NEAR]
    for integers in candidates:
        if not len(left):
            break
        chosen = rows[left]
        tried = torch.round(chosen * (integers[left] / largest[left])[:, None])
        scale = ((chosen * tried).sum(1) / (tried * tried).sum(1)).float().double()
        off = (tried * scale[:, None] - chosen).abs() - tolerance * chosen.abs()
        fits = (off <= 0).all(1) & (tried.amax(1) - tried.amin(1) <= most) & (scale > _SMALLEST)
        fits &= (tried.amax(1) <= most) & (tried.amin(1) >= -most)
        numbers[left[fits]], scales[left[fits]] = tried[fits].to(torch.int32), scale[fits]
        left = left[~fits]
    return None if len(left) else (numbers, scales)


def _divisors(values: torch.Tensor, nothing: torch.Tensor, bits: int) -> torch.Tensor:
    """About the greatest common divisor of each row of ``values``, none negative; what is less than ``nothing`` of its
    row is a rounding. Euclid's algorithm on halves of the rows, remainders to the nearest multiple."""
    while values.shape[1] > 1:
        high, low = values.chunk(2, 1)
        for _ in range(bits + 1):
            high, low = torch.maximum(high, low), torch.minimum(high, low)
            goes_on = low > nothing[:, None]
            if not bool(goes_on.any()):
                break
            rest = (high - torch.round(high / torch.where(goes_on, low, 1.0)) * low).abs()
            high, low = torch.where(goes_on, low, high), torch.where(goes_on, rest, 0.0)
        found, top = torch.maximum(high, low), torch.maximum(*values.chunk(2, 1))
        multiple = torch.round(top / found.clamp(min=_SMALLEST)).clamp(min=1)
        values = top / multiple  # as exact as the values are
    return values[:, 0]
