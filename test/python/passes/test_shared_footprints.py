"""Footprints of one array that interleave: which are shared, and the values of kernels that read them."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

import hexagon_mlir as hx
from hexagon_mlir.exec import sim
from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.passes.footprints.spans import Footprint, is_dense, shared_spans


def strided(first, size=32, stride=2):
    return Footprint(first, (size,), (stride,))


@pytest.mark.parametrize(("footprints", "groups"), [
    ([strided(0), strided(1)], [[0, 1]]),
    ([strided(1), strided(0)], [[0, 1]]),
    ([strided(0), strided(0)], []),  # twice the same: all elements between are twice as many
    ([strided(0), strided(100), strided(1), strided(101)], [[0, 2], [1, 3]]),
    ([strided(0, stride=3), strided(1, stride=3)], []),  # a third of what would be moved is not read
    ([strided(0, stride=1), strided(1, stride=1)], []),
    ([strided(0), strided(10, 100, 1)], [[0, 1]]),
    ([Footprint(at, (4, 8), (32, 2)) for at in (0, 1, 16, 17)], [[0, 1, 2, 3]]),
    ([Footprint(0, (), ())], []),
    ([], []),
])
def test_what_is_shared(footprints, groups):
    assert shared_spans(footprints) == groups


@pytest.mark.parametrize(("footprint", "dense"), [
    (Footprint(7, (64, 3), (3, 1)), True), (Footprint(0, (2, 5, 3), (15, 3, 1)), True),
    (Footprint(0, (64, 3), (4, 1)), False),
    (Footprint(0, (64, 8), (8, 1)), False), (Footprint(0, (64,), (1,)), False), (Footprint(0, (3, 64), (1, 3)), False),
])
def test_short_rows(footprint, dense):
    assert is_dense(footprint, 8) == dense


@triton.jit
def pairs(x, out, n, BLOCK: tl.constexpr):
    """In a loop, from a place known at run time on, backwards as well; every second block is masked."""
    for k in range(n):
        at = k * BLOCK + tl.arange(0, BLOCK)
        even, odd = tl.load(x + 2 * at), tl.load(x + 2 * at + 1)
        last = tl.load(x + 2 * at + 1, mask=tl.arange(0, BLOCK) < BLOCK - 3, other=7)
        tl.store(out + at, even * 2 + odd + last)


@triton.jit
def overwritten(x, BLOCK: tl.constexpr):
    """The second load reads what the store has written."""
    at = tl.arange(0, BLOCK)
    tl.store(x + 2 * at + 1, tl.load(x + 2 * at))
    tl.store(x + 2 * at, tl.load(x + 2 * at + 1) + 1)


@pytest.mark.each_value
@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8])
@pytest.mark.parametrize("block", [64, 1024])
def test_values(dtype, block):
    activate()
    x = torch.randint(-20, 20, (3 * 2 * block,)).to(dtype)
    out = torch.zeros(3 * block, dtype=dtype)
    with sim.checking() as reports:
        pairs[(1,)](x, out, 3, BLOCK=block)
    assert not reports
    last = x[1::2].reshape(3, block).clone()
    last[:, -3:] = 7
    assert torch.equal(out, x[::2] * 2 + x[1::2] + last.flatten())


@pytest.mark.ieee_arithmetic
def test_a_store_in_between():
    activate()
    x = torch.arange(256, dtype=torch.float32)
    overwritten[(1,)](x, BLOCK=128)
    assert torch.equal(x[1::2], torch.arange(0, 256, 2, dtype=torch.float32))
    assert torch.equal(x[::2], x[1::2] + 1)


@triton.jit
def pixels(x, scale, out, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, 4)[None, :]
    scaled = tl.load(x + 3 * i + j, mask=j < 3, other=5) * tl.load(scale + j, mask=j < 3, other=7)
    tl.store(out + 3 * i + j, scaled, mask=j < 3)


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("dtype", [torch.float32, torch.int8])
def test_short_rows_values(dtype):
    activate()
    x, scale = torch.randint(-9, 9, (64, 3)).to(dtype), torch.tensor([2, -3, 4]).to(dtype)
    out = torch.zeros(65, 3, dtype=dtype)
    with sim.checking() as reports:
        pixels[(1,)](x, scale, out, N=64)
    assert not reports
    assert torch.equal(out[:64], x * scale)
    assert not out[64].any()


@triton.jit
def halves(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + 2 * at) + tl.load(x + 2 * at + 1))


@pytest.mark.ieee_arithmetic
def test_an_array_is_read_once():
    """8192 pairs took 22,003 cycles when each half of them read every line, 9,378 now."""
    kernel = hx.compile(halves, signature={"x": "*fp32", "out": "*fp32"}, constants={"N": 8192})
    x, out = np.random.default_rng(1).normal(size=16384).astype(np.float32), np.zeros(8192, np.float32)
    run = kernel.run(x, out, grid=(1,))
    np.testing.assert_array_equal(out, x[::2] + x[1::2])
    assert run.cycles < 10_000
