"""Bitonic argsort as Triton libraries write it: the halves of each pair are sums of products with 0 and 1."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

import hexagon_mlir as hx
from hexagon_mlir.exec import sim


@triton.jit
def compare_and_swap(x, ids, flip, i: tl.constexpr, n_dims: tl.constexpr):
    n_outer: tl.constexpr = x.numel >> n_dims
    shape: tl.constexpr = [n_outer * 2**i, 2, 2 ** (n_dims - i - 1)]
    y = tl.reshape(x, shape)
    mask = tl.arange(0, 2)[None, :, None]
    left = tl.broadcast_to(tl.sum(y * (1 - mask), 1)[:, None, :], shape).to(x.dtype)
    right = tl.broadcast_to(tl.sum(y * mask, 1)[:, None, :], shape).to(x.dtype)
    left = tl.reshape(left, x.shape)
    right = tl.reshape(right, x.shape)
    y_ids = tl.reshape(ids, shape)
    left_ids = tl.broadcast_to(tl.sum(y_ids * (1 - mask), 1)[:, None, :], shape)
    right_ids = tl.broadcast_to(tl.sum(y_ids * mask, 1)[:, None, :], shape)
    left_ids = tl.reshape(left_ids, x.shape).to(ids.dtype)
    right_ids = tl.reshape(right_ids, x.shape).to(ids.dtype)
    idtype: tl.constexpr = tl.int64 if x.dtype.primitive_bitwidth == 64 else (
        tl.int32 if x.dtype.primitive_bitwidth == 32 else tl.int16)
    i_left = left.to(idtype, bitcast=True)
    i_right = right.to(idtype, bitcast=True)
    ix = x.to(idtype, bitcast=True)
    cond = (left > right) != flip
    ret = ix ^ tl.where(cond, i_left ^ i_right, tl.zeros_like(ix))
    new_ids = ids ^ tl.where(cond, left_ids ^ right_ids, tl.zeros_like(ids))
    return ret.to(x.dtype, bitcast=True), new_ids


@triton.jit
def merge(x, ids, stage: tl.constexpr, order: tl.constexpr, n_dims: tl.constexpr):
    n_outer: tl.constexpr = x.numel >> n_dims
    if order == 2:
        shape: tl.constexpr = [n_outer * 2 ** (n_dims - 1 - stage), 2, 2**stage]
        flip = tl.reshape(tl.broadcast_to(tl.arange(0, 2)[None, :, None], shape), x.shape).to(tl.int1)
    else:
        flip = tl.full(x.shape, order, tl.int1)
    for i in tl.static_range(stage):
        x, ids = compare_and_swap(x, ids, flip, i + (n_dims - stage), n_dims)
    return x, ids


@triton.jit
def argsort(x, ids, values, order, ROWS: tl.constexpr, N_DIMS: tl.constexpr, DESCENDING: tl.constexpr):
    C: tl.constexpr = 2**N_DIMS
    at = tl.arange(0, ROWS)[:, None] * C + tl.arange(0, C)[None, :]
    a, b = tl.load(x + at), tl.load(ids + at)
    for i in tl.static_range(1, N_DIMS + 1):
        a, b = merge(a, b, i, 2 if i < N_DIMS else DESCENDING, N_DIMS)
    tl.store(values + at, a)
    tl.store(order + at, b)


def network(keys, ids, descending):
    """What the algorithm gives for equal keys too: its steps on one row of Python numbers."""
    x, order, size = list(keys), list(ids), len(keys)
    stages = size.bit_length() - 1
    for stage in range(1, stages + 1):
        for step in (1 << k for k in reversed(range(stage))):
            for low in (k for k in range(size) if not k & step):
                flip = bool(low >> stage & 1) if stage < stages else bool(descending)
                if (x[low] > x[low + step]) != flip:
                    for row in (x, order):
                        row[low], row[low + step] = row[low + step], row[low]
    return x, order


def keys(rows, columns, dtype, generator):
    """Of all magnitudes, and many of them twice."""
    if dtype.is_floating_point:
        x = torch.randn(rows, columns, generator=generator, dtype=torch.float32).to(dtype)
        x[0, :4] = torch.tensor([float("inf"), -float("inf"), 0.1, -0.0])
    else:
        info = torch.iinfo(dtype)
        x = torch.randint(info.min, info.max, (rows, columns), dtype=dtype, generator=generator)
        x[0, :2] = torch.tensor([info.min, info.max])
    x[:, 5:] = torch.where(torch.rand(rows, columns - 5, generator=generator) < 0.3, x[:, :1], x[:, 5:])
    return x


@pytest.mark.only_values
@pytest.mark.parametrize(("dtype", "ids", "rows", "dims", "descending"), [
    (torch.int64, torch.int32, 4, 3, 1), (torch.int32, torch.int32, 4, 4, 1), (torch.int16, torch.int32, 1, 4, 1),
    (torch.float32, torch.int32, 2, 4, 0), (torch.float16, torch.int64, 1, 4, 1),
    *(pytest.param(*case, marks=pytest.mark.full) for case in (
        (torch.int64, torch.int64, 1, 4, 0), (torch.int64, torch.int64, 1, 5, 0), (torch.int32, torch.int64, 1, 5, 0),
        (torch.int32, torch.int64, 1, 6, 0), (torch.int32, torch.int32, 4, 4, 0), (torch.int16, torch.int32, 1, 5, 1),
        (torch.float32, torch.int32, 2, 4, 1), (torch.float16, torch.int64, 1, 5, 1)))])
def test_argsort(dtype, ids, rows, dims, descending, monkeypatch):
    """Floats come out as they went in: products with 1 are not exact in qfloat, and infinity times 0 is none. 16 keys
    take ten steps, of which one is of halves of the row; those of 32 take fifteen of the same kinds.
    """
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x = keys(rows, 2**dims, dtype, torch.Generator().manual_seed(dims))
    numbers = torch.arange(2**dims, dtype=ids).repeat(rows, 1) - 7
    values, order = torch.empty_like(x), torch.empty_like(numbers)
    with sim.checking() as faults:
        argsort[(1,)](x, numbers, values, order, ROWS=rows, N_DIMS=dims, DESCENDING=descending)
    assert not faults
    for row in range(rows):
        expected = network(x[row].tolist(), numbers[row].tolist(), descending)
        assert values[row].tolist() == expected[0]
        assert order[row].tolist() == expected[1]


def test_a_step_multiplies_and_sums_nothing():
    """It loads neighbours: of 512 elements the 45 steps took more than 100 s to compile."""
    types = dict.fromkeys(("x", "ids", "values", "order"), "*i64")
    kernel = hx.compile(argsort, signature=types, constants=dict(ROWS=1, N_DIMS=5, DESCENDING=0))
    imported = kernel.ir("triton-to-linalg")
    assert "arith.muli" not in imported and "linalg.reduce" not in imported
    assert imported.count("memref.alloc()") == 2 + 2 * 15
    x, n = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 32), np.arange(32)
    values, order = np.zeros_like(x), np.zeros_like(n)
    result = kernel.run(x, n, values, order, grid=(1,))
    assert (values == np.sort(x)).all() and (x[order] == values).all()
    assert result.cycles < 30_000  # 96,440 with products and sums


@triton.jit
def halves(x, first, second, neither, across, A: tl.constexpr, S: tl.constexpr):
    a, b, s = tl.arange(0, A)[:, None, None], tl.arange(0, 2)[None, :, None], tl.arange(0, S)[None, None, :]
    v = tl.load(x + a * 2 * S + b * S + s)
    at = tl.arange(0, A)[:, None] * S + tl.arange(0, S)[None, :]
    tl.store(first + at, tl.sum(v * (1 - b), 1))
    tl.store(second + at, tl.sum((v + 1) * b, 1))
    tl.store(neither + at, tl.sum(v * (1 + b), 1))
    tl.store(across + tl.arange(0, 2)[:, None] * S + tl.arange(0, S)[None, :], tl.sum(v * b, 0))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32])
def test_only_a_sum_along_the_axis_of_zero_and_one_is_a_half(dtype):
    a, s = 4, 8
    x = torch.randint(-99, 99, (a, 2, s)).to(dtype)
    first, second, neither = (torch.empty(a, s, dtype=dtype) for _ in range(3))
    across = torch.empty(2, s, dtype=dtype)
    halves[(1,)](x, first, second, neither, across, A=a, S=s)
    assert torch.equal(first, x[:, 0]) and torch.equal(second, x[:, 1] + 1)
    assert torch.equal(neither, x[:, 0] + 2 * x[:, 1])
    assert torch.equal(across, torch.stack([torch.zeros_like(x[0, 0]), x[:, 1].sum(0).to(dtype)]))
