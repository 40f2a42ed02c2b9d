"""Weights of 4 bits among constants: which are found, their places, and what they stand for."""

import numpy as np
import pytest
import torch

from hexagon_mlir.frontend.torch import narrow_weights
from hexagon_mlir.frontend.torch.narrow_weights import narrowed

LARGEST = 2.0**-10


def weights(depth, columns, low=-8, high=7, seed=0, group=32):
    """f16 weights, their multiples and f16 scales for each group of a column."""
    generator = torch.Generator().manual_seed(seed)
    multiples = torch.randint(low, high + 1, (depth, columns), generator=generator)
    scales = (torch.rand(-(-depth // group), columns, generator=generator) / 16 + 2.0**-10).half()
    spread = scales.double().repeat_interleave(group, 0)[:depth]
    return (multiples * spread).half(), multiples, scales


def decoded(packed):
    """The matrix of codes and scales, filled up, as f64: byte (j, p, c, k) has rows 8 j + k and 8 j + 4 + k of column
    2 c + p."""
    codes, scales = packed[0].view(torch.uint8).numpy(), packed[1].numpy().astype(np.float64)
    found = np.zeros((codes.shape[1] * 32, codes.shape[0] * 64))
    for tile, block, row, parity, byte, half in np.ndindex(*codes.shape[:4], 4, 2):
        numbers = (codes[tile, block, row, parity, :, byte] >> 4 * half & 15).astype(int) - 8
        found[block * 32 + row * 8 + half * 4 + byte, tile * 64 + parity:tile * 64 + 64:2] = (
            numbers * scales[tile, block, parity])
    return found


@pytest.mark.parametrize("shape", [(32, 32), (64, 96), (40, 70), (1, 1), (33, 5)])
@pytest.mark.parametrize("ends", [(-8, 7), (-7, 7), (-3, 2), (-8, -8), (0, 1)])
def test_values(shape, ends):
    """Scales of f16: the multiples of them, rounded, are the very weights. What fills columns up is zero."""
    matrix, _, _ = weights(*shape, *ends)
    packed = narrowed(matrix).blocks().packed()
    assert [tuple(part.shape) for part in packed] == [
        (-(-shape[1] // 64), -(-shape[0] // 32), 4, 2, 32, 4), (-(-shape[1] // 64), -(-shape[0] // 32), 2, 32)]
    assert [part.dtype for part in packed] == [torch.int8, torch.float16] and all(p.is_contiguous() for p in packed)
    found = decoded(packed)
    assert np.array_equal(found[:shape[0], :shape[1]].astype(np.float16), matrix.numpy())
    assert not found[:, shape[1]:].any()


@pytest.mark.parametrize("group", [64, 128, 4096])
def test_larger_groups(group):
    matrix, _, _ = weights(256, 40, group=group)
    assert np.array_equal(decoded(narrowed(matrix).blocks().packed())[:, :40].astype(np.float16), matrix.numpy())


def test_negative_and_zero_scales():
    matrix, _, scales = weights(64, 40)
    matrix[:, 3] *= -1
    matrix[32:, 5] = 0
    packed = narrowed(matrix).blocks().packed()
    assert np.array_equal(decoded(packed)[:, :40].astype(np.float16), matrix.numpy())
    assert packed[1][0, 1, 1, 2] == 0 and scales[1, 5] != 0


def test_scales_of_f32():
    """They are rounded, and so are the weights: each is within 2^-10 of itself."""
    _, multiples, _ = weights(64, 64)
    scales = torch.rand(2, 64, generator=torch.Generator().manual_seed(3)) / 16 + 2.0**-10
    matrix = (multiples * scales.repeat_interleave(32, 0)).half()
    exact = matrix.double().numpy()
    assert (np.abs(decoded(narrowed(matrix).blocks().packed()) - exact) <= LARGEST * np.abs(exact)).all()


@pytest.mark.parametrize("shape", [(64, 40), (40, 70)])
def test_weights_of_f32_are_found_where_they_are_exact(shape):
    _, multiples, scales = weights(*shape)
    matrix = (multiples * scales.double().repeat_interleave(32, 0)[:shape[0]]).float()
    found = narrowed(matrix)
    assert found.dtype == torch.float32 and found.depth == shape[0]
    spread = found.scales.double().repeat_interleave(32, 0)[:shape[0]]
    assert torch.equal(found.multiples.reshape(-1, shape[1])[:shape[0]] * spread, matrix.double())
    matrix[7, 3] = torch.nextafter(matrix[7, 3], torch.tensor(1e9))
    assert narrowed(matrix) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("part", [1, 100, 1 << 20])
def test_parts_of_columns_do_not_matter(monkeypatch, part, dtype):
    """Groups with -8 scales are found at once, others are searched for; groups of zeros are neither."""
    monkeypatch.setattr(narrow_weights, "_PART", part)
    generator = torch.Generator().manual_seed(5)
    multiples = torch.randint(-8, 8, (70, 50), generator=generator)
    multiples[:, 10:20] = multiples[:, 10:20].clamp(-3, 7)
    multiples[:32, 20:30] = 0
    scales = (torch.rand(3, 50, generator=generator) / 16 + 2.0**-10).half()
    matrix = (multiples * scales.float().repeat_interleave(32, 0)[:70]).to(dtype)
    found = narrowed(matrix)
    again = found.multiples.reshape(-1, 50)[:70] * found.scales.float().repeat_interleave(32, 0)[:70]
    assert torch.equal(again.to(dtype), matrix)
    assert not found.multiples[0, :, 20:30].any() and not found.scales[0, 20:30].any()
    assert not found.multiples[2, 6:].any()  # what fills the last group up


def nearly(change):
    matrix, _, _ = weights(64, 40)
    change(matrix)
    return matrix


OTHERS = {
    "random": torch.randn(64, 64, generator=torch.Generator().manual_seed(0)).half(),
    "one of another scale": nearly(lambda m: m.__setitem__((40, 30), 0.0123)),
    "5 bits": weights(64, 40, -16, 15)[0],
    "asymmetric": weights(64, 40, 0, 15)[0],
    "groups of 16": weights(64, 40, group=16)[0],
    "8 and -8 scales": nearly(lambda m: m.__setitem__((slice(0, 32), 0), torch.tensor([8, -8, 1] + [0] * 29) / 32)),
    "scales beyond f16": weights(64, 40)[0].float() * 1e8,
    "infinite": nearly(lambda m: m.__setitem__((0, 0), float("inf"))),
    "NaN": nearly(lambda m: m.__setitem__((63, 39), float("nan"))),
    "subnormal scales": (weights(64, 40)[1] * 2.0**-20).half(),
    "f32, rounded to f16": weights(64, 40)[0].float(),
    "three dimensions": weights(64, 40)[0].reshape(2, 32, 40),
    "empty": torch.zeros(0, 32, dtype=torch.float16),
}


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    assert narrowed(OTHERS[name]) is None
