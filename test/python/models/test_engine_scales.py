"""Requantization by the matrix engine's conversion: the bytes it gives, and where they are those of the scheme."""

import numpy as np
import pytest
import torch

import hexagon_mlir as hx
from hexagon_mlir.dialects.byte_conversions import low_word
from hexagon_mlir.frontend.torch.kernels.engine_requantization import convert_sums
from hexagon_mlir.frontend.torch.kernels.requantization import requantize
from hexagon_mlir.frontend.torch.rewrites.engine_scales import engine_scales, engine_thresholds, thresholds
from hexagon_mlir.frontend.torch.rewrites.fixed_point import requantization
from hexagon_mlir.ir import HexError
from hexagon_mlir.sim.reference.matrix_bytes import IntegerBias, IntegerOptions, to_bytes

pytestmark = pytest.mark.only_values

LARGEST = 40_000


def by_reference(sums, words, biases):
    """What the simulator's second implementation stores of ``cvt.ub``, saturating."""
    bias = IntegerBias(words.numpy().astype(np.int64) & 0xFFFFFFFF, biases.numpy().astype(np.int64) & 0xFFFFFFFF)
    found = to_bytes(sums.numpy().astype(np.int64), bias, IntegerOptions(wrap=False, sticky=True))
    return torch.from_numpy(found >> 4).to(torch.uint8)


@pytest.mark.parametrize("shift", range(1, 19))
def test_the_conversion_is_that_of_the_engine(shift):
    """All scales at their ends and some between; all sums about the thresholds, and far beyond them."""
    generator = torch.Generator().manual_seed(shift)
    scales = torch.cat([torch.tensor([2048, 2049, 4094, 4095]), torch.randint(2048, 4096, (28,), generator=generator)])
    words = torch.tensor([low_word(scale, shift) for scale in scales.tolist()], dtype=torch.int32)
    reach = min(1 << 16 + shift, 1 << 29)
    biases = torch.randint(-(reach >> 3), reach >> 3, (32,), generator=generator, dtype=torch.int32)
    edges = engine_thresholds(scales, torch.full((32,), shift), biases.long()).T
    random = torch.randint(-reach, reach, (4000, 32), generator=generator)
    sums = torch.cat([edges - 1, edges, random])
    found = convert_sums(sums.to(torch.int32), words, biases, 0, 255, torch.uint8)
    assert torch.equal(found, by_reference(sums, words, biases))
    bytes_ = torch.arange(1, 256).reshape(-1, 1).expand(255, 32)
    assert torch.equal(found[:255].long() < bytes_, torch.ones(255, 32, dtype=torch.bool))  # one less is below
    assert torch.equal(found[255:510].long() >= bytes_, torch.ones(255, 32, dtype=torch.bool))


def numbers_of(factors, offsets):
    found = requantization(torch.tensor(factors).double(), torch.tensor(offsets).double(), LARGEST)
    assert found is not None
    return found


def all_bytes(factors, offsets, dtype=torch.uint8):
    """Of every sum: by the scheme and by the engine, and what `engine_scales` says."""
    numbers, lowest = numbers_of(factors, offsets), torch.iinfo(dtype).min
    given = engine_scales(numbers, lowest, LARGEST)
    assert given is not None
    sums = torch.arange(-LARGEST, LARGEST + 1, dtype=torch.int32).reshape(-1, 1)
    limits = lowest, torch.iinfo(dtype).max, dtype
    wanted = requantize(sums, numbers.factors, numbers.offsets, numbers.left, numbers.right, *limits)
    found = convert_sums(sums, given.words, given.biases, *limits)
    unsigned = convert_sums(sums, given.words, given.biases, 0, 255, torch.uint8)
    assert torch.equal(unsigned, by_reference(sums, given.words, given.biases))
    return wanted.int(), found.int(), given


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_powers_of_two_are_exact(dtype):
    factors = [2.0**-exponent for exponent in range(5, 13)] * 2
    offsets = [0.0, 128.0, -3.7, 17.25, 200.0, -40.0, 0.49, 1e-3, 5.0, 6.5, 7.0, 8.0, 9.0, 10.0, 11.0, 12.9]
    wanted, found, given = all_bytes(factors, offsets, dtype)
    assert torch.equal(wanted, found) and given.differing == 0.0


@pytest.mark.full_except("0-dtype0", "2-dtype0", "3-dtype0")
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
@pytest.mark.parametrize("seed", range(4))
def test_others_are_off_by_one_at_most_as_often_as_said(seed, dtype):
    generator = torch.Generator().manual_seed(seed)
    factors = torch.exp2(-5 - 6 * torch.rand(24, generator=generator)).tolist()
    offsets = (40 * torch.randn(24, generator=generator)).tolist()
    wanted, found, given = all_bytes(factors, offsets, dtype)
    assert (wanted - found).abs().max() == 1
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    between = ((wanted > low) & (wanted < high)).sum(0).clamp(min=1)
    shares = (wanted != found).sum(0) / between
    assert 0.005 < shares.mean() < 0.03 and shares.max() < 0.08
    assert shares.max() <= 1.1 * given.differing + 0.005


def test_thresholds_are_where_bytes_change():
    numbers = numbers_of([0.01, 0.003, 2.0**-9], [3.0, -100.2, 0.0])
    sums = torch.arange(-LARGEST, LARGEST + 1, dtype=torch.int32).reshape(-1, 1)
    found = requantize(sums, numbers.factors, numbers.offsets, numbers.left, numbers.right, 0, 255, torch.uint8)
    for column, edges in enumerate(thresholds(numbers, 0)):
        for byte in range(1, 256):
            first = (found[:, column].int() >= byte).nonzero()
            if len(first):
                assert sums[first[0]] == max(edges[byte - 1], -LARGEST)
            else:
                assert edges[byte - 1] > LARGEST


def test_what_has_too_few_bits():
    """Factors that no exponent of a table gives, none that is positive, sums of more than 32 bits with the bias."""
    large = numbers_of([0.3], [0.0])
    assert engine_scales(large, 0, LARGEST) is None
    assert engine_scales(numbers_of([2.0**-6, 0.0], [0.0, 0.0]), 0, LARGEST) is None
    small = numbers_of([2.0**-6], [0.0])
    assert engine_scales(small, 0, LARGEST) is not None
    assert engine_scales(small, 0, 1 << 30) is not None
    assert engine_scales(small, 0, (1 << 31) - 1) is None  # with the bias
    for scale, shift in ((2047, 5), (4096, 5), (2048, 0), (2048, 19)):
        with pytest.raises(ValueError, match=f"scale {scale} and shift {shift}"):
            low_word(scale, shift)


def test_an_unknown_requantization():
    with pytest.raises(HexError, match=r"unknown requantization 'fast'\s+hint: one of exact, engine"):
        hx.compile("func.func @f() { return }", requantization="fast")
