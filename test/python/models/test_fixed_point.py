"""Requantization in integers against exact fractions."""

from fractions import Fraction
from math import floor

import pytest
import torch

from hexagon_mlir.frontend.torch.kernels.requantization import requantize
from hexagon_mlir.frontend.torch.rewrites.fixed_point import requantization

pytestmark = pytest.mark.only_values


@pytest.mark.each_value
@pytest.mark.parametrize(("most", "largest"), [
    (2**-9, 1 << 27), (0.0037, 1 << 18), (0.2, 9 * 255 * 127), (3e-6, 1 << 29)])
@pytest.mark.parametrize("limits", [None, (-128, 127)])
def test_factors(most, largest, limits):
    generator = torch.Generator().manual_seed(0)
    factors = most * torch.rand(50, generator=generator).double()
    factors[0], factors[1] = most, -most
    offsets = 40 * torch.randn(50, generator=generator).double()
    sums = torch.randint(-largest, largest + 1, (20, 50), generator=generator).to(torch.int32)
    sums[0], sums[1] = largest, -largest
    factors[2:], offsets[2:] = (factors[2:].abs() + most) / 2, offsets[2:]  # no channel with far larger sums
    numbers = requantization(factors, offsets, largest, limits)
    assert numbers is not None and int(numbers.factors.abs().max()) >= 1 << 30 and numbers.left >= 0
    assert numbers.right >= (17 if limits else 10) and (numbers.limit == 0 or limits)
    sums[2:6] = torch.round(offsets / -factors)  # results near 0, exact halves among them
    got = requantize(sums, numbers.factors[None], numbers.offsets[None], numbers.left, numbers.right, -128, 127,
                     torch.int8, numbers.limit)
    room = Fraction(5, 4 << numbers.right)
    for row, results in zip(sums.tolist(), got.tolist(), strict=True):
        for value, factor, offset, result in zip(row, factors.tolist(), offsets.tolist(), results, strict=True):
            real = value * Fraction(factor) + Fraction(offset) + Fraction(1, 2)
            limits = [max(-128, min(127, floor(real + part))) for part in (-room, room)]
            assert limits[0] <= result <= limits[1]


@pytest.mark.parametrize(("factor", "offset", "largest"), [
    (0.0, 0.0, 100), (float("inf"), 0.0, 100), (0.01, float("nan"), 100), (0.01, 0.0, 1 << 30), (0.01, 1e9, 100),
    (1e4, 0.0, 1 << 28), (9e7, 5.0, 1 << 28),
])
def test_what_does_not_fit(factor, offset, largest):
    for limits in (None, (0, 255)) if factor < 1e4 else (None,):
        assert requantization(torch.tensor([factor]).double(), torch.tensor([offset]).double(), largest, limits) is None


def test_limits_say_nothing_about_a_channel_without_a_factor():
    """A channel whose factor is 0 is its offset, whatever its sums."""
    numbers = requantization(torch.tensor([0.0, 2**-9]).double(), torch.tensor([3.0, 4.0]).double(), 1 << 22, (0, 255))
    assert numbers is not None and numbers.limit == 0
    sums = torch.tensor([[-(1 << 22), -(1 << 22)], [1 << 22, 1 << 22], [0, 512]], dtype=torch.int32)
    found = requantize(sums, numbers.factors[None], numbers.offsets[None], numbers.left, numbers.right, 0, 255,
                       torch.uint8, numbers.limit)
    assert found.tolist() == [[3, 0], [3, 255], [3, 5]]
