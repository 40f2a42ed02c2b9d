"""Loads and stores: masks, strides, gathers, aliasing, against torch."""

import pytest
import torch
import triton
import triton.language as tl


def numbers(*shape):
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape) - 7


@triton.jit
def range_kernel(x, out, low, high, other, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=(i >= low) & (i < high), other=other)
    tl.store(out + i, v)


@pytest.mark.parametrize(("low", "high"), [(0, 64), (3, 50), (-5, 10), (60, 200), (40, 40), (50, 20), (64, 70), (0, -3),
                                           (-9, -2), (63, 64)])
def test_two_sided_mask(low, high):
    x, out = numbers(64), torch.zeros(64)
    range_kernel[(1,)](x, out, low, high, -1.5, BLOCK=64)
    i = torch.arange(64)
    assert torch.equal(out, torch.where((i >= low) & (i < high), x, torch.tensor(-1.5)))


@triton.jit
def store_range_kernel(x, out, low, high, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i), mask=(i > low) & (i <= high))


@pytest.mark.parametrize(("low", "high"), [(-1, 63), (3, 50), (-5, 10), (60, 200), (40, 40), (50, 20), (63, 70),
                                           (-9, -2)])
def test_two_sided_store(low, high):
    x, out = numbers(64), torch.full((64,), 99.0)
    store_range_kernel[(1,)](x, out, low, high, BLOCK=64)
    i = torch.arange(64)
    assert torch.equal(out, torch.where((i > low) & (i <= high), x, torch.tensor(99.0)))


@triton.jit
def compare_kernel(x, out, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if KIND == "flipped":
        mask = n > i
    elif KIND == "scaled":
        mask = 3 * i < n
    elif KIND == "scaled_ge":
        mask = i * 3 >= n
    elif KIND == "negated":
        mask = n - i > 0
    elif KIND == "negated_scaled":
        mask = -2 * i + n >= 5
    elif KIND == "equal":
        mask = i == n
    elif KIND == "not_equal":
        mask = i != n
    elif KIND == "or":
        mask = (i < n) | (i > 50)
    elif KIND == "odd":
        mask = (i % 2 == 1) & (i < n)
    elif KIND == "wide":
        mask = i.to(tl.int64) < n
    elif KIND == "scalar":
        mask = n > 10
    elif KIND == "not":
        mask = ~(i < n)
    elif KIND == "unsigned":
        mask = i.to(tl.uint32) < n.to(tl.uint32)
    tl.store(out + i, tl.load(x + i, mask=mask, other=5.0))
    tl.store(out + BLOCK + i, tl.load(x + i), mask=mask)


COMPARE = {
    "flipped": lambda i, n: n > i, "scaled": lambda i, n: 3 * i < n, "scaled_ge": lambda i, n: i * 3 >= n,
    "negated": lambda i, n: n - i > 0, "negated_scaled": lambda i, n: -2 * i + n >= 5, "equal": lambda i, n: i == n,
    "not_equal": lambda i, n: i != n, "or": lambda i, n: (i < n) | (i > 50), "wide": lambda i, n: i < n,
    "odd": lambda i, n: (i % 2 == 1) & (i < n), "scalar": lambda i, n: (i >= 0) & (n > 10),
    "not": lambda i, n: ~(i < n), "unsigned": lambda i, n: (i < n) | (n < 0),
}


@pytest.mark.parametrize("kind", COMPARE)
@pytest.mark.parametrize("n", [-4, 0, 2, 20, 63, 64, 190, 1000])
def test_mask_forms(kind, n):
    x, out = numbers(64), torch.full((128,), 99.0)
    compare_kernel[(1,)](x, out, n, KIND=kind, BLOCK=64)
    mask = COMPARE[kind](torch.arange(64), n)
    assert torch.equal(out[:64], torch.where(mask, x, torch.tensor(5.0)))
    assert torch.equal(out[64:], torch.where(mask, x, torch.tensor(99.0)))


@triton.jit
def copy_2d(x, out, m, n, xm, xn, om, on, BM: tl.constexpr, BN: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    mask = (i[:, None] < m) & (j[None, :] < n)
    v = tl.load(x + i[:, None] * xm + j[None, :] * xn, mask=mask, other=0)
    tl.store(out + i[:, None] * om + j[None, :] * on, v, mask=mask)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (16, 32), (33, 70), (5, 100), (100, 5)])
def test_2d_masks(m, n):
    x, out = numbers(m, n), torch.full((m + 1, n), 99.0)
    copy_2d[(triton.cdiv(m, 16), triton.cdiv(n, 32))](x, out, m, n, n, 1, n, 1, BM=16, BN=32)
    assert torch.equal(out[:m], x)
    assert (out[m] == 99).all()


@pytest.mark.parametrize("make", [lambda t: t.t(), lambda t: t[::2], lambda t: t[:, ::3], lambda t: t[2:, 1:],
                                  lambda t: t[:1].expand(40, -1), lambda t: t[:, :1].expand(-1, 30)],
                         ids=["transposed", "rows", "columns", "offset", "row", "column"])
def test_views(make):
    x = make(numbers(40, 50))
    out = torch.zeros(x.shape)
    m, n = x.shape
    copy_2d[(triton.cdiv(m, 16), triton.cdiv(n, 16))](x, out, m, n, *x.stride(), *out.stride(), BM=16, BN=16)
    assert torch.equal(out, x)


def test_store_into_a_view_leaves_the_rest():
    x, whole = numbers(10, 12), torch.full((20, 40), 999.0)
    out = whole[3:13, 5:29:2]
    copy_2d[(1, 1)](x, out, 10, 12, *x.stride(), *out.stride(), BM=16, BN=16)
    assert torch.equal(out, x)
    assert (whole == 999).sum() == 800 - 120


@triton.jit
def copy_3d(x, out, a, b, c, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, A)[:, None, None]
    j = tl.arange(0, B)[None, :, None]
    k = tl.arange(0, C)[None, None, :]
    mask = (i < a) & (j < b) & (k < c)
    tl.store(out + i * B * C + j * C + k, tl.load(x + (i * b + j) * c + k, mask=mask, other=-1.0))


def test_3d():
    x, out = numbers(3, 7, 5), torch.zeros(4, 8, 8)
    copy_3d[(1,)](x, out, 3, 7, 5, A=4, B=8, C=8)
    expected = torch.full((4, 8, 8), -1.0)
    expected[:3, :7, :5] = x
    assert torch.equal(out, expected)


@triton.jit
def reverse_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + (BLOCK - 1 - i)))
    tl.store(out + (2 * BLOCK - 1) - i, tl.load(x + i))


def test_negative_strides():
    x, out = numbers(32), torch.zeros(64)
    reverse_kernel[(1,)](x, out, BLOCK=32)
    assert torch.equal(out, torch.cat([x.flip(0), x.flip(0)]))


@triton.jit
def broadcast_kernel(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.arange(0, BM), tl.arange(0, BN)
    mask = (i[:, None] < m) & (j[None, :] < n)
    row = tl.load(x + j[None, :] + tl.zeros((BM, BN), tl.int32), mask=mask, other=-3.0)
    one = tl.load(x + 5 + tl.zeros((BM, BN), tl.int32), mask=mask, other=-4.0)
    where = i[:, None] * BN + j[None, :]
    tl.store(out + where, row)
    tl.store(out + BM * BN + where, one)


@pytest.mark.parametrize(("m", "n"), [(8, 16), (3, 10), (0, 10), (8, 0)])
def test_stride_zero_loads(m, n):
    x, out = numbers(16), torch.zeros(2, 8, 16)
    broadcast_kernel[(1,)](x, out, m, n, BM=8, BN=16)
    mask = (torch.arange(8)[:, None] < m) & (torch.arange(16)[None, :] < n)
    assert torch.equal(out[0], torch.where(mask, x.expand(8, 16), torch.tensor(-3.0)))
    assert torch.equal(out[1], torch.where(mask, x[5].expand(8, 16), torch.tensor(-4.0)))


@triton.jit
def same_address_store(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i * 0, tl.zeros((BLOCK,), tl.float32) + 4.0)


def test_all_elements_to_one_address():
    out = torch.zeros(4)
    same_address_store[(1,)](out, BLOCK=32)
    assert out.tolist() == [4.0, 0.0, 0.0, 0.0]


@triton.jit
def modulo_rows(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i = (tl.program_id(0) * BM + tl.arange(0, BM)) % m
    j = tl.arange(0, BN)
    v = tl.load(x + i[:, None] * n + j[None, :], mask=j[None, :] < n, other=0.0)
    where = (tl.program_id(0) * BM + tl.arange(0, BM))[:, None] * BN + j[None, :]
    tl.store(out + where, v)


def test_rows_modulo():
    x, out = numbers(5, 13), torch.zeros(16, 16)
    modulo_rows[(2,)](x, out, 5, 13, BM=8, BN=16)
    expected = torch.zeros(16, 16)
    expected[:, :13] = x[torch.arange(16) % 5]
    assert torch.equal(out, expected)


@triton.jit
def gather_kernel(table, indices, out, n, d, BLOCK: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(indices + i, mask=i < n, other=0)
    c = tl.arange(0, D)
    v = tl.load(table + row[:, None] * d + c[None, :], mask=(i[:, None] < n) & (c[None, :] < d), other=-1.0)
    tl.store(out + i[:, None] * d + c[None, :], v, mask=(i[:, None] < n) & (c[None, :] < d))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_embedding_rows(dtype):
    table = numbers(20, 30)
    indices = torch.tensor([3, 19, 0, 3, 7], dtype=dtype)
    out = torch.full((6, 30), 99.0)
    gather_kernel[(1,)](table, indices, out, 5, 30, BLOCK=8, D=32)
    assert torch.equal(out[:5], table[indices.long()])
    assert (out[5] == 99).all()


@triton.jit
def scatter_kernel(x, indices, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    where = tl.load(indices + i, mask=i < n, other=0)
    tl.store(out + where, tl.load(x + i, mask=i < n), mask=(i < n) & (where >= 0))


def test_scatter_with_a_mask_from_memory():
    x, out = numbers(6), torch.full((10,), 99.0)
    indices = torch.tensor([4, -1, 0, 9, -7, 2], dtype=torch.int32)
    scatter_kernel[(1,)](x, indices, out, 6, BLOCK=8)
    expected = torch.full((10,), 99.0)
    keep = indices >= 0
    expected[indices[keep].long()] = x[keep]
    assert torch.equal(out, expected)


@triton.jit
def gather_2d(x, indices, out, B: tl.constexpr):
    i = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    where = tl.load(indices + i)
    tl.store(out + i, tl.load(x + where, mask=where < 50, other=-2.0))


def test_gather_of_a_2d_index_tensor():
    x, out = numbers(64), torch.zeros(8, 8)
    indices = torch.randperm(64, generator=torch.Generator().manual_seed(0)).to(torch.int32).reshape(8, 8)
    gather_2d[(1,)](x, indices, out, B=8)
    assert torch.equal(out, torch.where(indices < 50, x[indices.long()], torch.tensor(-2.0)))


@triton.jit
def other_tensor_kernel(x, rest, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.arange(0, BM)[:, None], tl.arange(0, BN)[None, :]
    other = tl.load(rest + j)
    v = tl.load(x + i * BN + j, mask=(i < m) & (j < n), other=other)
    tl.store(out + i * BN + j, v)


def test_other_is_a_tensor():
    x, rest, out = numbers(8, 16), -numbers(16), torch.zeros(8, 16)
    other_tensor_kernel[(1,)](x, rest, out, 5, 9, BM=8, BN=16)
    expected = rest.expand(8, 16).clone()
    expected[:5, :9] = x[:5, :9]
    assert torch.equal(out, expected)


@triton.jit
def swap_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n)
    b = tl.load(y + i, mask=i < n)
    tl.store(x + i, b, mask=i < n)
    tl.store(y + i, a, mask=i < n)


def test_loads_complete_before_stores():
    x, y = numbers(20), -numbers(20)
    a, b = x.clone(), y.clone()
    swap_kernel[(1,)](a, b, 20, BLOCK=32)
    assert torch.equal(a, y)
    assert torch.equal(b, x)


@triton.jit
def shift_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(x + i + 1, v, mask=i < n)
    tl.store(x + BLOCK + 1 + i, v + tl.load(x + 1), mask=i < n)


def test_shift_in_place():
    x = numbers(80)
    expected = x.clone()
    shift_kernel[(1,)](x, 20, BLOCK=32)
    first = expected[:20].clone()
    expected[1:21] = first
    expected[33:53] = first + expected[1]
    assert torch.equal(x, expected)


def test_overlapping_arguments_share_memory():
    base = numbers(40)
    expected = base.clone()
    swap_kernel[(1,)](base, base[20:], 20, BLOCK=32)
    assert torch.equal(base, torch.cat([expected[20:], expected[:20]]))


@triton.jit
def scalar_kernel(x, out, flag, factor):
    v = tl.load(x + 3) * factor
    if flag:
        v = v + 1
    tl.store(out + 2, v)
    tl.store(out + 3, tl.load(x, mask=factor > 100.0, other=8.0))


@pytest.mark.parametrize("flag", [True, False])
def test_scalar_access_and_arguments(flag):
    x, out = numbers(8), torch.zeros(5)
    scalar_kernel[(1,)](x, out, flag, 2.5)
    assert out.tolist() == [0, 0, x[3].item() * 2.5 + flag, 8.0, 0]


@triton.jit
def wide_arguments(out, a, b, c):
    tl.store(out, a + b * c)


def test_64_bit_scalars():
    out = torch.zeros(1, dtype=torch.int64)
    wide_arguments[(1,)](out, 2**40 + 3, -5, 2**35)
    assert out.item() == 2**40 + 3 - 5 * 2**35


@triton.jit
def wide_offsets(x, out, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK).to(tl.int64)
    tl.store(out + row * stride + i, tl.load(x + row * stride + i, mask=i < n), mask=i < n)


def test_64_bit_offsets():
    x, out = numbers(3, 20), torch.zeros(3, 20)
    wide_offsets[(3,)](x, out, 20, 20, BLOCK=32)
    assert torch.equal(out, x)


def test_storage_before_the_pointer_is_visible():
    whole = numbers(64)
    out = torch.zeros(32)
    reverse_at_kernel[(1,)](whole[31:], out, BLOCK=32)
    assert torch.equal(out, whole[:32].flip(0))


@triton.jit
def reverse_at_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x - i))


@triton.jit
def atomic_kernel(out, values, keys, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    key = tl.load(keys + i, mask=mask)
    v = tl.load(values + i, mask=mask)
    if KIND == "add":
        tl.atomic_add(out + key, v, mask=mask)
    elif KIND == "max":
        tl.atomic_max(out + key, v, mask=mask)
    elif KIND == "xor":
        tl.atomic_xor(out + key, v, mask=mask)
    elif KIND == "xchg":
        tl.store(values + i, tl.atomic_xchg(out + key, v, mask=mask), mask=mask)


@pytest.mark.parametrize("kind", ["add", "max", "xor", "xchg"])
def test_atomics(kind):
    generator = torch.Generator().manual_seed(0)
    keys = torch.randint(0, 7, (50,), generator=generator).int()
    values = torch.randint(-100, 100, (50,), generator=generator).int()
    given = values.clone()
    out = torch.full((8,), 3, dtype=torch.int32)
    atomic_kernel[(2,)](out, values, keys, 50, KIND=kind, BLOCK=32)
    expected, old = [3] * 8, []
    for k, v in zip(keys.tolist(), given.tolist(), strict=True):
        old.append(expected[k])
        expected[k] = {"add": expected[k] + v, "max": max(expected[k], v), "xor": expected[k] ^ v, "xchg": v}[kind]
    assert out.tolist() == expected
    if kind == "xchg":
        assert values.tolist() == old


@triton.jit
def lock_kernel(state, out):
    old = tl.atomic_cas(state, 0.0, 5.0)
    tl.store(out + tl.program_id(0), old)
    tl.atomic_add(state + 1, 2.0)


def test_compare_and_swap_and_float_add():
    state, out = torch.zeros(2), torch.full((3,), 9.0)
    lock_kernel[(3,)](state, out)
    assert state.tolist() == [5.0, 6.0]
    assert out.tolist() == [0.0, 5.0, 5.0]


@triton.jit
def slanted_kernel(x, out, n, step, KIND: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    i = tl.arange(0, R)[:, None]
    j = tl.arange(0, C)[None, :]
    if KIND == "causal":
        mask = i >= j
    elif KIND == "upper":
        mask = j > i
    elif KIND == "diagonal":
        mask = j == i + n
    elif KIND == "band":
        mask = (j <= i + n) & (j > i - n) & (i < 13)
    elif KIND == "steep":
        mask = 3 * j < step * i + n
    elif KIND == "falling":
        mask = i + j < n
    elif KIND == "column":
        mask = (i >= j) & (tl.load(x + i) > 0)
    v = tl.load(x + i * C + j, mask=mask, other=-1.5)
    first = tl.load(x + j, mask=mask, other=-2.5)  # one row for all: what is masked off still differs
    tl.store(out + i * C + j, v + first)
    tl.store(out + (R + i) * C + j, v, mask=mask)


@pytest.mark.parametrize(("kind", "n"), [("causal", 0), ("upper", 0), ("diagonal", 5), ("diagonal", -3), ("band", 4),
                                         ("steep", 7), ("falling", 20), ("falling", -1), ("column", 0)])
def test_ranges_that_move_with_the_row(kind, n):
    rows, columns, step = 16, 32, 5
    x, out = numbers(rows, columns), torch.full((2 * rows, columns), 99.0)
    slanted_kernel[(1,)](x, out, n, step, KIND=kind, R=rows, C=columns)
    i, j = torch.arange(rows)[:, None], torch.arange(columns)[None]
    mask = {"causal": i >= j, "upper": j > i, "diagonal": j == i + n, "band": (j <= i + n) & (j > i - n) & (i < 13),
            "steep": 3 * j < step * i + n, "falling": i + j < n,
            "column": (i >= j) & (x.flatten()[:rows, None] > 0)}[kind]
    v = torch.where(mask, x, torch.tensor(-1.5))
    assert torch.equal(out[:rows], v + torch.where(mask, x[:1], torch.tensor(-2.5)))
    assert torch.equal(out[rows:], torch.where(mask, x, torch.tensor(99.0)))


@triton.jit
def columns_kernel(x, out, n, m, stride, R: tl.constexpr, C: tl.constexpr):
    i, j = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    mask = (i < n) & (j < m)
    v = tl.load(x + i + j * stride, mask=mask & (i >= j - 9), other=(i * 100 + j).to(tl.float32))
    tl.store(out + i + j * R, v, mask=mask)


@pytest.mark.parametrize(("n", "m"), [(16, 32), (7, 32), (16, 19), (0, 5), (20, 40)])
def test_columns_are_neighbours_in_memory(n, m):
    rows, columns, stride = 16, 32, 17
    x, out = numbers(columns, stride), torch.full((columns, rows), 99.0)
    columns_kernel[(1,)](x, out, n, m, stride, R=rows, C=columns)
    i, j = torch.arange(rows)[:, None], torch.arange(columns)[None]
    mask = (i < n) & (j < m)
    v = torch.where(mask & (i >= j - 9), x[:, :rows].T, i * 100.0 + j)
    assert torch.equal(out.T, torch.where(mask, v, torch.tensor(99.0)))
