"""Requantization in integers against exact fractions."""

from fractions import Fraction
from math import floor

import pytest
import torch

from hexagon_mlir.frontend.torch.kernels.requantization import requantize
from hexagon_mlir.frontend.torch.rewrites.fixed_point import addition, requantization


@pytest.mark.parametrize(("most", "largest"), [
    (2**-9, 1 << 27), (0.0037, 1 << 18), (0.2, 9 * 255 * 127), (3e-6, 1 << 29)])
def test_factors(most, largest):
    generator = torch.Generator().manual_seed(0)
    factors = most * torch.rand(50, generator=generator).double()
    factors[0], factors[1] = most, -most
    offsets = 40 * torch.randn(50, generator=generator).double()
    sums = torch.randint(-largest, largest + 1, (20, 50), generator=generator).to(torch.int32)
    sums[0], sums[1] = largest, -largest
    numbers = requantization(factors, offsets, largest)
    assert numbers is not None and int(numbers.factors.abs().max()) >= 1 << 30 and numbers.left >= 0
    got = requantize(sums, numbers.factors[None], numbers.offsets[None], numbers.left, numbers.right, -128, 127,
                     torch.int8)
    room = Fraction(1, 1 << numbers.right) + largest * Fraction(1, 1 << 30) * Fraction(most)
    for row, results in zip(sums.tolist(), got.tolist(), strict=True):
        for value, factor, offset, result in zip(row, factors.tolist(), offsets.tolist(), results, strict=True):
            real = value * Fraction(factor) + Fraction(offset) + Fraction(1, 2)
            limits = [max(-128, min(127, floor(real + part))) for part in (-room, room)]
            assert limits[0] <= result <= limits[1]


@pytest.mark.parametrize(("factor", "offset", "largest"), [
    (0.0, 0.0, 100), (float("inf"), 0.0, 100), (0.01, float("nan"), 100), (0.01, 0.0, 1 << 30), (0.01, 1e9, 100),
    (1e4, 0.0, 1 << 28),
])
def test_what_does_not_fit(factor, offset, largest):
    assert requantization(torch.tensor([factor]).double(), torch.tensor([offset]).double(), largest) is None


@pytest.mark.parametrize("factors", [(1.0, 1.0), (0.51, 1.9), (3.7, 1e-3), (200.0, 200.0)])
def test_sums_of_two(factors):
    numbers = addition(factors, -100.0)
    assert numbers is not None
    (first, second), offset, right = numbers
    assert 255 * (abs(first) + abs(second)) + abs(offset) < 1 << 31
    for a, b in [(0, 0), (255, 255), (255, 0), (13, 200)]:
        real = a * Fraction(factors[0]) + b * Fraction(factors[1]) - 100 + Fraction(1, 2)
        assert abs((a * first + b * second + offset) / Fraction(1 << right) - real) < Fraction(512, 1 << right)
    assert addition((2.0**20, 1.0), 0.0) is None
    assert addition((0.0, 0.0), 0.0) is None
