"""Sums of two bytes in integers against PyTorch's own, for all pairs of bytes."""

import math
import random

import pytest
import torch
from torch.ao.quantization.fx import _decomposed  # noqa: F401  (registers the operations)

from hexagon_mlir.frontend.torch.kernels.requantization import add_bytes
from hexagon_mlir.frontend.torch.rewrites.byte_sums import addition
from hexagon_mlir.frontend.torch.rewrites.schemes import Scheme

pytestmark = pytest.mark.only_values

_quantized = torch.ops.quantized_decomposed
UNSIGNED, SIGNED, NARROW = (0, 255, torch.uint8), (-128, 127, torch.int8), (-127, 127, torch.int8)


def both(first, second, result, limits=(-math.inf, math.inf)):
    """Bytes of all pairs: of PyTorch, of the integers."""
    x, y = (torch.arange(one.low, one.high + 1).to(one.dtype) for one in (first, second))
    x, y = (part.contiguous() for part in torch.broadcast_tensors(x.unsqueeze(1), y))
    real = [_quantized.dequantize_per_tensor.default(codes, *scheme_of(one))
            for codes, one in ((x, first), (y, second))]
    wanted = _quantized.quantize_per_tensor.default((real[0] + real[1]).clamp(*limits), *scheme_of(result))
    numbers = addition(first, second, result, limits)
    assert numbers is not None
    return wanted.int(), add_bytes(x, y, *numbers, *result.within(*limits), result.dtype).int()


def scheme_of(one):
    return one.scale, one.zero, one.low, one.high, one.dtype


@pytest.mark.parametrize("seed", range(12))
def test_all_pairs(seed):
    numbers = random.Random(seed)

    def scheme():
        low, high, dtype = numbers.choice([UNSIGNED, SIGNED, NARROW])
        return Scheme(0.1 * 4 ** numbers.random(), numbers.randint(low, high), low, high, dtype)

    limits = numbers.choice([(-math.inf, math.inf), (0.0, math.inf), (0.0, 6.0), (-3.21, 1.7)])
    wanted, found = both(scheme(), scheme(), scheme(), limits)
    assert torch.equal(wanted, found) and len(wanted.unique()) > 5


def test_halves_are_rounded_up():
    """All scales alike but for a factor of 2: each second sum is a half, which PyTorch rounds to even."""
    one, result = Scheme(0.5, 3, *UNSIGNED), Scheme(1.0, 100, *UNSIGNED)
    wanted, found = both(one, one, result)
    steps = (torch.arange(256).unsqueeze(1) + torch.arange(256) - 6) / 2
    assert torch.equal(found, (torch.floor(steps + 0.5).int() + 100).clamp(0, 255))
    apart = found - wanted
    assert set(apart.unique().tolist()) == {0, 1} and not apart[steps % 1 == 0].any()


def test_halves_of_scales_that_are_no_powers_of_two():
    """10/17 and 5/4 of a step: halves where a is a multiple of 17 and b - 2 one of 4, and f32 has none of the three."""
    first, second, result = Scheme(6 / 255, 0, *UNSIGNED), Scheme(0.05, 130, *UNSIGNED), Scheme(0.04, 60, *UNSIGNED)
    wanted, found = both(first, second, result)
    sums = torch.arange(256).unsqueeze(1) * 40 + (torch.arange(256) - 130) * 85  # in steps of 1/68
    assert torch.equal(found, (torch.div(sums + 34, 68, rounding_mode="floor") + 60).clamp(0, 255).int())
    assert not (found - wanted)[(sums + 34) % 68 != 0].any()


@pytest.mark.parametrize("scales", [(2.0**20, 1.0, 1.0), (1.0, 1.0, 2.0**-30), (200.0, 1.0, 1e-4)])
def test_what_does_not_fit(scales):
    first, second, result = (Scheme(scale, 0, *UNSIGNED) for scale in scales)
    assert addition(first, second, result) is None


def test_far_apart():
    """PyTorch rounds in f32, so that one within rounding of the middle of two bytes may be either."""
    wanted, found = both(Scheme(3.7, 0, *UNSIGNED), Scheme(1e-3, 255, *UNSIGNED), Scheme(1.1, 9, *SIGNED))
    real = (torch.arange(256).double().unsqueeze(1) * 3.7 + (torch.arange(256).double() - 255) * 1e-3) / 1.1
    middle = (real - real.floor() - 0.5).abs()
    assert (wanted - found).abs().max() <= 1 and bool((middle[wanted != found] < 2**-20).all())
    wanted, found = both(Scheme(200.0, 0, *SIGNED), Scheme(200.0, 7, *SIGNED), Scheme(1.0, 0, *SIGNED))
    assert torch.equal(wanted, found)
