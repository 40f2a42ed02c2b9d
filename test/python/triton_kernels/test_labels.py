"""Kernels over integers of 64 bits, PyTorch's labels and offsets."""

from itertools import pairwise

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim

F = torch.nn.functional


@triton.jit
def linear_cross_entropy(x, w, labels, loss, tokens, classes, width, ignore, BLOCK_M: tl.constexpr,
                         BLOCK_V: tl.constexpr, BLOCK_D: tl.constexpr):
    """The loss of a product with the vocabulary, which is never there as a whole."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    label = tl.load(labels + m, mask=m < tokens, other=ignore)
    largest, total = tl.full((BLOCK_M,), float("-inf"), tl.float32), tl.zeros((BLOCK_M,), tl.float32)
    chosen = tl.zeros((BLOCK_M,), tl.float32)
    for first in range(0, classes, BLOCK_V):
        v = first + tl.arange(0, BLOCK_V)
        scores = tl.zeros((BLOCK_M, BLOCK_V), tl.float32)
        for start in range(0, width, BLOCK_D):
            d = start + tl.arange(0, BLOCK_D)
            a = tl.load(x + m[:, None] * width + d[None, :], mask=(m[:, None] < tokens) & (d[None, :] < width), other=0)
            b = tl.load(w + v[None, :] * width + d[:, None], mask=(v[None, :] < classes) & (d[:, None] < width),
                        other=0)
            scores = tl.dot(a, b, scores)
        scores = tl.where(v[None, :] < classes, scores, float("-inf"))
        chosen += tl.sum(tl.where(v[None, :] == label[:, None], scores, 0.0), 1)
        new = tl.maximum(largest, tl.max(scores, 1))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(scores - new[:, None]), 1)
        largest = new
    tl.store(loss + m, tl.where(label == ignore, 0.0, largest + tl.log(total) - chosen), mask=m < tokens)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_linear_cross_entropy(dtype):
    x, w = torch.randn(21, 40).to(dtype), (torch.randn(75, 40) / 8).to(dtype)
    labels, loss = torch.randint(0, 75, (21,)), torch.empty(21)
    labels[3] = -100
    linear_cross_entropy[(2,)](x, w, labels, loss, 21, 75, 40, -100, BLOCK_M=16, BLOCK_V=32, BLOCK_D=32)
    expected = F.cross_entropy(x.float() @ w.float().T, labels, reduction="none")
    torch.testing.assert_close(loss, expected, rtol=1e-3, atol=1e-3)


@triton.jit
def label_gradient(logits, labels, sums, gradient, rows, classes, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (r[:, None] < rows) & (c[None, :] < classes)
    label = tl.load(labels + r, mask=r < rows, other=-1)
    x = tl.load(logits + r[:, None] * classes + c[None, :], mask=inside, other=0)
    share = tl.exp(x - tl.load(sums + r, mask=r < rows, other=0)[:, None])
    tl.store(gradient + r[:, None] * classes + c[None, :], share - (c[None, :] == label[:, None]), mask=inside)


def test_labels_of_64_bits_leave_vectors(monkeypatch):
    """PyTorch's labels are int64: the comparison with them took 80 times as many packets as the rest of the row."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    rows, classes = 21, 701
    x, labels = torch.randn(rows, classes), torch.randint(0, classes, (rows,))
    gradient = torch.empty_like(x)
    with sim.checking() as reports:
        label_gradient[(2, 3)](x, labels, x.logsumexp(-1), gradient, rows, classes, ROWS=16, BLOCK=256)
    torch.testing.assert_close(gradient, x.softmax(-1) - F.one_hot(labels, classes), rtol=1e-4, atol=1e-5)
    assert not reports
    run = sim.history[-1].result
    assert run.packets < 40_000  # 569,045 when elements were compared one by one
    assert run.hvx_packets > run.packets // 2


@triton.jit
def jagged_softmax(v, offsets, out, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Down the rows of each part of a jagged array, which start where 64-bit offsets say."""
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    start, end = tl.load(offsets + tl.program_id(0)), tl.load(offsets + tl.program_id(0) + 1)
    largest, total = tl.full((BLOCK,), float("-inf"), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for first in range(start, end, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row[:, None] < end) & (column[None, :] < width)
        x = tl.load(v + row[:, None] * width + column[None, :], mask=inside, other=float("-inf"))
        new = tl.maximum(largest, tl.max(x, 0))
        total = total * tl.where(largest == new, 1.0, tl.exp(largest - new))
        total += tl.sum(tl.where(row[:, None] < end, tl.exp(x - new[None, :]), 0.0), 0)
        largest = new
    for first in range(start, end, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row[:, None] < end) & (column[None, :] < width)
        x = tl.load(v + row[:, None] * width + column[None, :], mask=inside, other=0.0)
        tl.store(out + row[:, None] * width + column[None, :], tl.exp(x - largest[None, :]) / total[None, :],
                 mask=inside)


def test_jagged_softmax(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    offsets, width = torch.tensor([0, 3, 3, 43, 60]), 45
    v = torch.randn(60, width)
    out, expected = torch.empty_like(v), torch.empty_like(v)
    with sim.checking() as reports:
        jagged_softmax[(4, 2)](v, offsets, out, width, ROWS=16, BLOCK=32)
    for start, end in pairwise(offsets):
        expected[start:end] = v[start:end].softmax(0)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)
    assert not reports
    assert sim.history[-1].result.cycles < 60_000  # 419,900 when rows were compared with the end one by one


@triton.jit
def wide_sums(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr, AXIS: tl.constexpr, UNSIGNED: tl.constexpr):
    r, c = tl.arange(0, R), tl.arange(0, C)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    v = tl.load(x + r[:, None] * columns + c[None, :], mask=inside, other=0)
    i, n = (c, columns) if AXIS == 0 else (r, rows)
    word = v.to(tl.uint32, bitcast=True) if UNSIGNED else v
    tl.store(out + i, tl.sum(word.to(tl.int64), AXIS), mask=i < n)
    tl.store(out + n + i, tl.sum((v > 0).to(tl.int64), AXIS), mask=i < n)


@pytest.mark.each_value
@pytest.mark.parametrize(("dtype", "unsigned"), [(torch.int32, False), (torch.int32, True), (torch.int16, False),
                                                 (torch.int8, False), (torch.bool, False)])
@pytest.mark.parametrize(("axis", "shape"), [(0, (13, 45)), (1, (13, 45)), (1, (1, 5000))])
def test_sums_of_64_bits_are_made_of_words(monkeypatch, dtype, unsigned, axis, shape):
    """They took 3,365 to 32,959 packets when elements were added one by one."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    low, high = (0, 1) if dtype == torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    x = torch.randint(low, high + 1, shape).to(dtype)
    x.view(-1)[:20], x.view(-1)[200:] = low, high  # what overflows a word soonest
    out = torch.zeros(2, shape[1 - axis], dtype=torch.int64)
    with sim.checking() as reports:
        wide_sums[(1,)](x, out, *shape, *(triton.next_power_of_2(n) for n in shape), axis, unsigned)
    assert not reports
    assert torch.equal(out[0], (x.long() % 2**32 if unsigned else x.long()).sum(axis))
    assert torch.equal(out[1], (x > 0).long().sum(axis))
    assert sim.history[-1].result.packets < 2000
