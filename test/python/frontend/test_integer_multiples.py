"""Matrices of integers with scales are never told apart from themselves by a look at two columns; others are."""

import pytest
import torch

from hexagon_mlir.frontend.torch.integer_multiples import may_be_multiples


def columns(seed, depth, low, high, scale, dtype):
    """``depth`` x 3 integers from ``low`` to ``high`` times about ``scale``, an f16 number."""
    generator = torch.Generator().manual_seed(seed)
    integers = torch.randint(low, high + 1, (depth, 3), generator=generator).double()
    scales = ((torch.rand(3, generator=generator, dtype=torch.float64) + 0.5) * scale).half().double()
    return (integers * scales).to(dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("ends", [(-8, 7), (0, 15), (-128, 127), (0, 255), (-255, 0), (-3, -3), (0, 1), (0, 0)])
@pytest.mark.parametrize("depth", [1, 5, 32])
def test_multiples_pass(dtype, ends, depth):
    for seed in range(20):
        assert may_be_multiples(columns(seed, depth, *ends, 2.0**-8, dtype), 32)


def test_scales_that_are_rounded_pass():
    """Each weight is within 2^-10 of itself of a multiple, and what should be zero within that of the scale."""
    weight = columns(3, 32, -8, 7, 2.0**-6, torch.float64)
    signs = torch.where(torch.arange(32)[:, None] % 2 == 0, 1.0, -1.0)
    weight[weight == 0] = 2.0**-24
    assert may_be_multiples((weight * (1 + signs * 2.0**-11)).half(), 32)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_random_weights_do_not_pass(dtype):
    generator = torch.Generator().manual_seed(2)
    for _ in range(50):
        assert not may_be_multiples(torch.randn(40, 6, generator=generator).to(dtype), 32)


def test_one_column_that_is_none_is_enough():
    weight = columns(1, 32, -8, 7, 0.25, torch.float32)
    weight[20, 1] *= 1 + 2.0**-12
    assert not may_be_multiples(weight, 32)
    assert may_be_multiples(weight, 20)  # it is not among these rows
    assert may_be_multiples(weight[:, [0, 2]], 32)


@pytest.mark.parametrize("value", [torch.inf, -torch.inf, torch.nan])
def test_what_is_not_finite_is_left_to_the_search(value):
    weight = torch.randn(32, 2)
    weight[3, 0] = value
    assert may_be_multiples(weight, 32)


@pytest.mark.parametrize("shape", [(0, 4), (32, 0), (32, 1)])
def test_small_matrices(shape):
    assert may_be_multiples(torch.ones(shape), 32)
