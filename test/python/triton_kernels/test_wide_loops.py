"""Loops whose bounds take 64 bits: the variable keeps them, on a machine whose addresses are words."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir import targets
from hexagon_mlir.frontend.triton.kernel import from_kernel
from hexagon_mlir.ir import HexError, parse
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.registry import get


@pytest.fixture(autouse=True)
def simulated(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")


@triton.jit
def constant_bounds(out):
    total = tl.full((), 0, tl.int64)
    for i in range(2**35, 2**35 + 20, 2):
        total += i
    tl.store(out, total)


def test_constant_bounds():
    out = torch.zeros(1, dtype=torch.int64)
    constant_bounds[(1,)](out)
    assert out.item() == sum(range(2**35, 2**35 + 20, 2)) == 343_597_383_770


@triton.jit
def given_bounds(out, low, high, step):
    total, passes = tl.full((), 0, tl.int64), 0
    for i in range(low, high, step):
        total += i
        passes += 1
    tl.store(out, total)
    tl.store(out + 1, passes)


@pytest.mark.parametrize(("low", "high", "step"), [
    (2**35, 2**35 + 20, 2), (-2**40, -2**40 + 7, 3), (-2**33, 2**33, 2**31), (2**35, 5, 1), (3, 2**32 + 3, 2**31),
    (-2**63, 2**63 - 1, 2**61), (2**33, 2**33, 1), (2**31 - 3, 2**31 + 3, 4)])
def test_given_bounds(low, high, step):
    out = torch.zeros(2, dtype=torch.int64)
    given_bounds[(1,)](out, low, high, step)
    expected = range(low, high, step)
    assert out.tolist() == [(sum(expected) + 2**63) % 2**64 - 2**63, len(expected)]


@triton.jit
def rows_from_afar(x, out, first, count, BLOCK: tl.constexpr):
    """Addresses and masks of a variable that no word holds; it goes down."""
    k = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(first + count - 1, first - 1, -1):
        at = (i - first) * BLOCK + k
        total = total * 0.5 + tl.load(x + at, mask=i + k < first + count + 3, other=0.0)
    tl.store(out + k, total)


def test_addresses_and_masks_of_a_wide_variable():
    first, count, block = 2**34 + 5, 6, 64
    x, out = torch.randn(count, block), torch.zeros(block)
    rows_from_afar[(1,)](x, out, first, count, BLOCK=block)
    expected = torch.zeros(block)
    for i in range(count - 1, -1, -1):
        expected = expected * 0.5 + torch.where(i + torch.arange(block) < count + 3, x[i], 0)
    torch.testing.assert_close(out, expected)


@triton.jit
def extended(x, out, n, BLOCK: tl.constexpr):
    k = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(0, tl.cdiv(n.to(tl.int64), BLOCK)):
        total += tl.load(x + i * BLOCK + k, mask=i * BLOCK + k < n, other=0.0)
    tl.store(out + k, total)


def test_bounds_that_are_seen_to_fit_a_word_are_counted_in_words():
    text = from_kernel(extended, {"x": "*fp32", "out": "*fp32", "n": "i32"}, {"BLOCK": 64})
    module = parse(text)
    PassStep(get("triton-to-linalg")()).run(module, PassContext(targets.get()))
    assert "assert_failed" not in str(module)
    x, out = torch.randn(1000), torch.zeros(64)
    extended[(1,)](x, out, 1000, BLOCK=64)
    torch.testing.assert_close(out, torch.nn.functional.pad(x, (0, 24)).reshape(-1, 64).sum(0))


@triton.jit
def endless(out):
    total = tl.full((), 0, tl.int64)
    for i in range(0, 2**40):
        total += i
    tl.store(out, total)


def test_more_passes_than_a_word_counts_are_refused():
    with pytest.raises(HexError, match="passes"):
        endless[(1,)](torch.zeros(1, dtype=torch.int64))
    with pytest.raises(HexError, match="assertion failed: a loop of more than 2147483647 passes"):
        given_bounds[(1,)](torch.zeros(2, dtype=torch.int64), 0, 2**40, 2)
