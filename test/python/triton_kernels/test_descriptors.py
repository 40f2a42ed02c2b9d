"""Tensor descriptors: made in the kernel or on the host, clipped at every edge."""

import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from hexagon_mlir.ir import HexError


@triton.jit
def copy_blocks(x, out, M, N, PAD: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[R, C], padding_option=PAD)
    target = tl.make_tensor_descriptor(out, shape=[M + 2, N + 3], strides=[N + 3, 1], block_shape=[R, C])
    row, column = tl.program_id(0) * R, tl.program_id(1) * C
    target.store([row, column], source.load([row - 2, column - 3]))


@pytest.mark.parametrize("padding", ["zero", "nan"])
@pytest.mark.parametrize(("M", "N"), [(16, 32), (13, 37), (1, 4)])
def test_edges_on_all_sides(M, N, padding):
    x, out = torch.randn(M, N), torch.full((M + 2, N + 3), 5.0)
    grid = (triton.cdiv(M + 2, 8), triton.cdiv(N + 3, 16))
    copy_blocks[grid](x, out, M, N, PAD=padding, R=8, C=16)
    expected = torch.full((M + 2, N + 3), 0.0 if padding == "zero" else float("nan"))
    expected[2:, 3:] = x
    torch.testing.assert_close(out, expected, rtol=0, atol=0, equal_nan=True)


@triton.jit
def ranks(x, out, A, B, C, D, RANK: tl.constexpr):
    if RANK == 1:
        d = tl.make_tensor_descriptor(x, [A], [1], [16])
        e = tl.make_tensor_descriptor(out, [A], [1], [16])
        e.store([4], d.load([4]) + 1)
    elif RANK == 3:
        d = tl.make_tensor_descriptor(x, [A, B, C], [B * C, C, 1], [2, 1, 8])
        e = tl.make_tensor_descriptor(out, [A, B, C], [B * C, C, 1], [2, 1, 8])
        for b in range(0, B):
            e.store([1, b, 2], d.load([1, b, 2]) + 1)
    else:
        d = tl.make_tensor_descriptor(x, [A, B, C, D], [B * C * D, C * D, D, 1], [1, 2, 2, 4])
        e = tl.make_tensor_descriptor(out, [A, B, C, D], [B * C * D, C * D, D, 1], [1, 2, 2, 4])
        v = d.load([1, 1, 0, 1])
        e.store([1, 1, 0, 1], v.reshape(2, 8).reshape(1, 2, 2, 4) + 1)


def test_ranks():
    x, out = torch.randn(13), torch.zeros(13)
    ranks[(1,)](x, out, 13, 0, 0, 0, RANK=1)
    assert torch.equal(out[4:], x[4:] + 1)
    assert (out[:4] == 0).all()
    x, out = torch.randn(3, 5, 7), torch.zeros(3, 5, 7)
    ranks[(1,)](x, out, 3, 5, 7, 0, RANK=3)
    assert torch.equal(out[1:, :, 2:], x[1:, :, 2:] + 1)
    assert (out[0] == 0).all()
    assert (out[:, :, :2] == 0).all()
    x, out = torch.randn(2, 3, 3, 6), torch.zeros(2, 3, 3, 6)
    ranks[(1,)](x, out, 2, 3, 3, 6, RANK=4)
    expected = torch.zeros(2, 3, 3, 6)
    expected[1, 1:3, 0:2, 1:5] = x[1, 1:3, 0:2, 1:5] + 1
    assert torch.equal(out, expected)


@triton.jit
def gather_scatter(x, rows, out, M, N, W: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, W])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [1, W])
    i = tl.load(rows + tl.arange(0, 8))
    target.scatter(source.gather(i, 5) + 1, 7 - i, 3)


def test_gather_scatter():
    x, out = torch.randn(8, 20), torch.zeros(8, 20)
    rows = torch.tensor([3, 0, 7, 9, 1, -2, 6, 2], dtype=torch.int32)
    gather_scatter[(1,)](x, rows, out, 8, 20, W=16)
    expected = torch.zeros(8, 20)
    for i in rows.tolist():
        row = torch.zeros(16)
        if 0 <= i < 8:
            row[:15] = x[i, 5:20]
        if 0 <= 7 - i < 8:
            expected[7 - i, 3:19] = row + 1
    assert torch.equal(out, expected)


@triton.jit
def combine(x, out, M, N, KIND: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    v = tl.make_tensor_descriptor(x, [M, N], [N, 1], [R, C]).load([0, 0])
    d = tl.make_tensor_descriptor(out, [M, N], [N, 1], [R, C])
    if KIND == "add":
        d.atomic_add([1, 2], v)
    elif KIND == "max":
        d.atomic_max([1, 2], v)
    elif KIND == "min":
        d.atomic_min([1, 2], v)
    else:
        d.atomic_xor([1, 2], v)


@pytest.mark.parametrize(("kind", "dtype"), [("add", torch.float32), ("add", torch.int32), ("max", torch.int32),
                                             ("min", torch.int32), ("xor", torch.int32), ("max", torch.uint32)])
def test_combine(kind, dtype):
    M, N = 6, 12
    x, out = torch.randint(-9, 9, (M, N)).to(dtype), torch.randint(-9, 9, (M, N)).to(dtype)
    function = {"add": torch.add, "max": torch.maximum, "min": torch.minimum, "xor": torch.bitwise_xor}[kind]
    wide = (lambda t: t.to(torch.int64)) if dtype == torch.uint32 else (lambda t: t)
    expected = wide(out).clone()
    expected[1:, 2:] = function(wide(out)[1:, 2:], wide(x)[: M - 1, : N - 2])
    combine[(1,)](x, out, M, N, KIND=kind, R=8, C=16)
    assert torch.equal(wide(out), expected)


@triton.jit
def matmul_host(a, b, c, K, BLOCK: tl.constexpr):
    m, n = tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        total = tl.dot(a.load([m, k]), b.load([n, k]).T, total)
    c.store([m, n], total.to(c.dtype))


def test_host_descriptors():
    a, b, c = torch.randn(20, 40), torch.randn(36, 40), torch.empty(20, 36)
    described = [TensorDescriptor.from_tensor(t, [16, 16]) for t in (a, b, c)]
    matmul_host[(2, 3)](*described, 40, BLOCK=16)
    torch.testing.assert_close(c, a @ b.t(), rtol=1e-4, atol=1e-4)


def test_host_descriptor_of_a_view():
    whole = torch.randn(12, 40)
    part, out = whole[2:10, 4:24], torch.empty(8, 20)
    matmul_identity[(1,)](TensorDescriptor.from_tensor(part, [8, 32]), TensorDescriptor.from_tensor(out, [8, 32]))
    assert torch.equal(out, part)


@triton.jit
def matmul_identity(source, target):
    target.store([0, 0], source.load([0, 0]))


def test_nan_padding_on_the_host_is_refused():
    x = torch.randn(8, 32)
    with pytest.raises(HexError, match="padding 'nan'"):
        matmul_identity[(1,)](TensorDescriptor.from_tensor(x, [8, 32], padding="nan"),
                              TensorDescriptor.from_tensor(x, [8, 32]))


@triton.jit
def chosen(x, y, out, flag, N: tl.constexpr):
    """A descriptor chosen by a condition, and one carried through a loop."""
    d = tl.make_tensor_descriptor(x, [N, N], [N, 1], [4, N])
    e = tl.make_tensor_descriptor(y, [N, N], [N, 1], [4, N])
    if flag > 0:
        d = e
    target = tl.make_tensor_descriptor(out, [N, N], [N, 1], [4, N])
    for i in range(0, N, 4):
        target.store([i, 0], d.load([i, 0]))
        if i == 4:
            d = e


@pytest.mark.parametrize("flag", [0, 1])
def test_descriptors_through_control_flow(flag):
    x, y, out = torch.randn(16, 16), torch.randn(16, 16), torch.empty(16, 16)
    chosen[(1,)](x, y, out, flag, N=16)
    assert torch.equal(out, y if flag else torch.cat([x[:8], y[8:]]))


@triton.jit
def rows_of_one(x, out, r):
    source = tl.make_tensor_descriptor(x, [2, 17], [32, 1], [1, 16])
    target = tl.make_tensor_descriptor(out + 32, [1, 17], [32, 1], [1, 16])
    target.store([0, 0], source.load([r, 0]) + 1)
    target.store([-1, 0], source.load([0, 0]))
    target.store([r, 0], source.load([0, 0]))


@pytest.mark.parametrize("row", [1, 2, -1])
def test_block_of_one_row_outside_the_tensor(row):
    x, out = torch.randn(64), torch.full((96,), 7.0)
    rows_of_one[(1,)](x, out, row)
    expected = torch.full((96,), 7.0)
    expected[32:48] = x[32:48] + 1 if row == 1 else 1.0
    assert torch.equal(out, expected)
