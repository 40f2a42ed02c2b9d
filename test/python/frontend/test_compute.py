"""Reductions, scans, dots and shape operations against torch."""

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

GENERATOR = torch.Generator().manual_seed(3)


def rand(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=GENERATOR).to(dtype)


@triton.jit
def reduce_rows(x, out, n, OP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.arange(0, BM), tl.arange(0, BN)
    v = tl.load(x + i[:, None] * BN + j[None, :])
    if OP == "sum":
        r = tl.sum(v, 1)
    elif OP == "max":
        r = tl.max(v, 1)
    elif OP == "min":
        r = tl.min(v, 1)
    elif OP == "xor":
        r = tl.xor_sum(v, 1)
    elif OP == "argmax":
        r = tl.argmax(v, 1)
    elif OP == "argmin":
        r = tl.argmin(v, 1)
    tl.store(out + i, r, mask=i < n)


REDUCE = {"sum": lambda x: x.sum(1), "max": lambda x: x.amax(1), "min": lambda x: x.amin(1),
          "argmax": lambda x: x.argmax(1).int(), "argmin": lambda x: x.argmin(1).int()}


@pytest.mark.parametrize("op", REDUCE)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (1, 64), (16, 1), (8, 32), (2, 1024)])
def test_reduce(op, m, n):
    x = rand(m, n)
    out = torch.zeros(m, dtype=torch.int32 if "arg" in op else torch.float32)
    reduce_rows[(1,)](x, out, m, OP=op, BM=m, BN=n)
    torch.testing.assert_close(out, REDUCE[op](x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("op", ["sum", "max", "min"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.int32, torch.int64, torch.float64])
def test_reduce_types(op, dtype):
    x = (rand(4, 64) * 100).to(dtype)
    out = torch.zeros(4, dtype=dtype)
    reduce_rows[(1,)](x, out, 4, OP=op, BM=4, BN=64)
    tolerance = {"rtol": 2e-2, "atol": 4.0} if dtype == torch.float16 else {"rtol": 1e-12, "atol": 1e-9}
    torch.testing.assert_close(out, REDUCE[op](x).to(dtype), **tolerance)


def test_xor_reduce():
    x = torch.randint(-2**31, 2**31, (4, 32), generator=GENERATOR).int()
    out = torch.zeros(4, dtype=torch.int32)
    reduce_rows[(1,)](x, out, 4, OP="xor", BM=4, BN=32)
    expected = []
    for row in x.tolist():
        total = 0
        for v in row:
            total ^= v
        expected.append(total)
    assert out.tolist() == expected


def test_reduce_with_infinities_and_nan():
    x = torch.tensor([[1.0, float("-inf"), 3.0, 2.0], [float("-inf")] * 4, [1.0, float("inf"), -1.0, 0.0],
                      [float("nan"), 1.0, 2.0, 3.0]])
    out = torch.zeros(4)
    reduce_rows[(1,)](x, out, 4, OP="max", BM=4, BN=4)
    assert out.tolist() == [3.0, float("-inf"), float("inf"), 3.0]  # max skips NaN unless asked to propagate


@pytest.mark.parametrize("n", [16, 128, 1024])
def test_reduce_of_nothing_but_nan(n):
    x, out = torch.full((2, n), float("nan")), torch.zeros(2)
    x[1, n - 3] = -7.0
    reduce_rows[(1,)](x, out, 2, OP="max", BM=2, BN=n)
    assert out[0].isnan()
    assert out[1] == -7.0


@triton.jit
def value_and_place(x, values, places, LARGEST: tl.constexpr, LEFT: tl.constexpr, AXIS: tl.constexpr,
                    BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.arange(0, BM), tl.arange(0, BN)
    v = tl.load(x + i[:, None] * BN + j[None, :])
    if LARGEST:
        best, place = tl.max(v, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    else:
        best, place = tl.min(v, AXIS, return_indices=True, return_indices_tie_break_left=LEFT)
    k = tl.arange(0, BN if AXIS == 0 else BM)
    tl.store(values + k, best)
    tl.store(places + k, place)


@pytest.mark.parametrize(("m", "n", "axis"), [(4, 1024, 1), (64, 32, 0), (32, 16, 1), (1, 64, 1), (64, 1, 1)])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32])
def test_values_and_places(dtype, largest, m, n, axis):
    """The first of equal ones; a NaN beats every number, as in PyTorch."""
    x = rand(m, n).mul(3).to(dtype)
    if dtype.is_floating_point:
        x.view(-1)[::7] = float("inf") if largest else float("-inf")
        x[-1, n // 2:] = float("nan")
    kept = n if axis == 0 else m
    values, places = torch.zeros(kept, dtype=dtype), torch.zeros(kept, dtype=torch.int32)
    value_and_place[(1,)](x, values, places, LARGEST=largest, LEFT=m > 4, AXIS=axis, BM=m, BN=n)
    numbers = x.numpy()
    expected = (numbers.argmax if largest else numbers.argmin)(axis=axis)
    assert places.tolist() == expected.tolist()
    assert torch.equal(values.nan_to_num(nan=123.0), (x.amax if largest else x.amin)(axis).nan_to_num(nan=123.0))


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def keep_larger_square(a, b):
    return tl.where(a * a > b * b, a, b)


@triton.jit
def custom_reduce(x, out, AXIS: tl.constexpr, KIND: tl.constexpr, B: tl.constexpr):
    i, j = tl.arange(0, B), tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + j[None, :])
    r = tl.reduce(v, AXIS, product) if KIND == "product" else tl.reduce(v, AXIS, keep_larger_square)
    tl.store(out + i, r)


@pytest.mark.parametrize("axis", [0, 1])
def test_custom_combiners(axis):
    x = rand(8, 8)
    out = torch.zeros(8)
    custom_reduce[(1,)](x, out, AXIS=axis, KIND="product", B=8)
    torch.testing.assert_close(out, x.prod(axis))
    custom_reduce[(1,)](x, out, AXIS=axis, KIND="square", B=8)
    expected = x.gather(axis, x.abs().argmax(axis, keepdim=True)).squeeze(axis)
    torch.testing.assert_close(out, expected, rtol=0, atol=0)


@triton.jit
def reduce_all(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(out, tl.sum(v))
    tl.store(out + 1, tl.sum(i))
    tl.store(out + 2, tl.max(tl.zeros((B,), tl.float32) + 5))
    centred = v - tl.sum(v, 1, keep_dims=True) / B
    tl.store(out + 3, tl.sum(tl.sum(centred * centred, 0), 0))


def test_reduce_all_and_of_indices():
    x = rand(16, 16)
    out = torch.zeros(4)
    reduce_all[(1,)](x, out, B=16)
    centred = x - x.mean(1, keepdim=True)
    torch.testing.assert_close(out, torch.tensor([x.sum(), 120.0, 5.0, (centred**2).sum()]))


@triton.jit
def scan_kernel(x, out, AXIS: tl.constexpr, REVERSE: tl.constexpr, KIND: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    v = tl.load(x + i)
    v = tl.cumsum(v, AXIS, reverse=REVERSE) if KIND == "sum" else tl.cumprod(v, AXIS, reverse=REVERSE)
    tl.store(out + i, v)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", ["sum", "prod"])
def test_scan(axis, reverse, kind):
    x = rand(8, 8)
    out = torch.zeros(8, 8)
    scan_kernel[(1,)](x, out, AXIS=axis, REVERSE=reverse, KIND=kind, B=8)
    function = torch.cumsum if kind == "sum" else torch.cumprod
    expected = function(x.flip(axis), axis).flip(axis) if reverse else function(x, axis)
    torch.testing.assert_close(out, expected)


@triton.jit
def scan_1d(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0))


@pytest.mark.parametrize("n", [1, 2, 256])
def test_scan_1d(n):
    x, out = torch.arange(n, dtype=torch.int32), torch.zeros(n, dtype=torch.int32)
    scan_1d[(1,)](x, out, B=n)
    assert torch.equal(out, x.cumsum(0).int())


@triton.jit
def dot_kernel(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TRANSPOSED: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    if TRANSPOSED:  # noqa: SIM108
        y = tl.trans(tl.load(b + j[:, None] * K + k[None, :]))
    else:
        y = tl.load(b + k[:, None] * N + j[None, :])
    where = i[:, None] * N + j[None, :]
    tl.store(c + where, tl.dot(x, y, acc=tl.load(c + where)))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("m", "n", "k"), [(16, 16, 16), (1, 32, 8), (32, 1, 16), (4, 8, 1)])
def test_dot(transposed, dtype, m, n, k):
    a, b, c = rand(m, k, dtype=dtype), rand(k, n, dtype=dtype), rand(m, n)
    expected = c + a.float() @ b.float()
    dot_kernel[(1,)](a, b.t().contiguous() if transposed else b, c, M=m, N=n, K=k, TRANSPOSED=transposed)
    torch.testing.assert_close(c, expected, rtol=1e-5, atol=1e-5)


def test_dot_of_bytes():
    a, b = (torch.randint(-128, 128, s, generator=GENERATOR).to(torch.int8) for s in ((16, 32), (32, 16)))
    c = torch.ones(16, 16, dtype=torch.int32)
    dot_kernel[(1,)](a, b, c, M=16, N=16, K=32, TRANSPOSED=False)
    assert torch.equal(c, 1 + a.int() @ b.int())


@triton.jit
def batched_dot(a, b, c, B: tl.constexpr, N: tl.constexpr):
    h, i, j = tl.arange(0, B)[:, None, None], tl.arange(0, N)[None, :, None], tl.arange(0, N)[None, None, :]
    where = h * N * N + i * N + j
    tl.store(c + where, tl.dot(tl.load(a + where), tl.load(b + where)))


def test_batched_dot():
    a, b, c = rand(4, 16, 16), rand(4, 16, 16), torch.zeros(4, 16, 16)
    batched_dot[(1,)](a, b, c, B=4, N=16)
    torch.testing.assert_close(c, a @ b, rtol=1e-5, atol=1e-5)


@triton.jit
def shape_kernel(x, out, KIND: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    flat = tl.arange(0, M * N)
    if KIND == "trans":
        tl.store(out + j[:, None] * M + i[None, :], tl.trans(v) + 0.5)
    elif KIND == "reshape":
        tl.store(out + flat, tl.reshape(v, (M * N,)) * 2)
    elif KIND == "split_dims":
        r = tl.reshape(v, (M, N // 4, 4))
        tl.store(out + tl.arange(0, M)[:, None] * (N // 4) + tl.arange(0, N // 4)[None, :], tl.sum(r, 2))
    elif KIND == "join":
        r = tl.reshape(tl.join(v, -v), (M, 2 * N))
        tl.store(out + i[:, None] * 2 * N + tl.arange(0, 2 * N)[None, :], r)
    elif KIND == "split":
        a, b = tl.split(tl.reshape(v, (M, N // 2, 2)))
        tl.store(out + i[:, None] * (N // 2) + tl.arange(0, N // 2)[None, :], a - b)
    elif KIND == "cat":
        a = tl.reshape(v, (M * N,))
        tl.store(out + tl.arange(0, 2 * M * N), tl.cat(a, a * 3, can_reorder=True))
    elif KIND == "permute":
        r = tl.permute(tl.reshape(v, (M, 2, N // 2)), (2, 0, 1))
        tl.store(out + flat, tl.reshape(r, (M * N,)))
    elif KIND == "flip":
        tl.store(out + i[:, None] * N + j[None, :], tl.flip(v, 1))
    elif KIND == "sort":
        tl.store(out + i[:, None] * N + j[None, :], tl.sort(v, 1))
    elif KIND == "where_index":
        tl.store(out + i[:, None] * N + j[None, :], tl.where(i[:, None] >= j[None, :], v, -1.0))


SHAPES = {
    "trans": lambda x: x.t() + 0.5,
    "reshape": lambda x: x.reshape(-1) * 2,
    "split_dims": lambda x: x.reshape(x.shape[0], -1, 4).sum(2),
    "join": lambda x: torch.stack([x, -x], -1),
    "split": lambda x: x[:, ::2] - x[:, 1::2],
    "cat": lambda x: torch.cat([x.reshape(-1), x.reshape(-1) * 3]),
    "permute": lambda x: x.reshape(x.shape[0], 2, -1).permute(2, 0, 1),
    "flip": lambda x: x.flip(1),
    "sort": lambda x: x.sort(1).values,
    "where_index": lambda x: torch.where(torch.arange(x.shape[0])[:, None] >= torch.arange(x.shape[1]), x, -1.0),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize(("m", "n"), [(4, 8), (1, 8), (8, 16)])
def test_shapes(kind, m, n):
    x = rand(m, n)
    expected = SHAPES[kind](x).contiguous()
    out = torch.zeros(expected.numel())
    shape_kernel[(1,)](x, out, KIND=kind, M=m, N=n)
    torch.testing.assert_close(out, expected.reshape(-1))


@triton.jit
def gather_rows(x, indices, out, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(indices + at), AXIS))


@pytest.mark.parametrize("axis", [0, 1])
def test_gather(axis):
    x = rand(8, 16)
    indices = torch.randint(0, (8, 16)[axis], (8, 16), generator=GENERATOR).int()
    out = torch.zeros(8, 16)
    gather_rows[(1,)](x, indices, out, AXIS=axis, M=8, N=16)
    assert torch.equal(out, x.gather(axis, indices.long()))


@triton.jit
def histogram_kernel(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + tl.arange(0, BINS), tl.histogram(v, BINS, mask=i < n))


@pytest.mark.parametrize(("size", "bins"), [(128, 16), (2048, 256), (1024, 128), (128, 32), (64, 512), (2048, 1),
                                            (32768, 2)])
def test_histogram(size, bins):
    """Values in no bin, negative ones too, and what the mask leaves out are not counted."""
    n = size - 28
    x = torch.randint(-bins // 2, 2 * bins, (size,), generator=GENERATOR).int()
    x[::size // 64] = 0  # more in some columns than in others
    out = torch.full((bins,), 99, dtype=torch.int32)
    histogram_kernel[(1,)](x, out, n, BLOCK=size, BINS=bins)
    kept = x[:n].long()
    assert torch.equal(out, torch.bincount(kept[(kept >= 0) & (kept < bins)], minlength=bins).int())


@triton.jit
def library_kernel(x, out, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if KIND == "tanh":
        v = libdevice.tanh(v)
    elif KIND == "atan2":
        v = libdevice.atan2(v, v + 1)
    elif KIND == "round":
        v = libdevice.rint(v * 4)
    elif KIND == "pow":
        v = libdevice.pow(tl.abs(v), 2.5)
    tl.store(out + i, v)


@pytest.mark.parametrize(("kind", "expected"), [
    ("tanh", torch.tanh), ("atan2", lambda x: torch.atan2(x, x + 1)), ("round", lambda x: torch.round(x * 4)),
    ("pow", lambda x: x.abs() ** 2.5)])
def test_libdevice(kind, expected):
    x, out = rand(64), torch.zeros(64)
    library_kernel[(1,)](x, out, KIND=kind, BLOCK=64)
    torch.testing.assert_close(out, expected(x), rtol=2e-6, atol=1e-7)
