"""Kernels that choose between pointers, or take them from memory; `CASES` as in `pointer_forms`."""

import torch
import triton
import triton.language as tl
from pointer_forms import integers, normal

CASES = []


def case(function):
    """Adds ``function`` to `CASES`."""
    CASES.append(function)
    return function


@triton.jit
def concatenate_kernel(p, q, out, np, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(tl.where(i < np, p + i, q + (i - np)), mask=i < n, other=0.0), mask=i < n)


@case
def concatenated_by_where():
    out = torch.full((60,), 7.0)
    concatenate_kernel[(4,)](normal(23), normal(30, seed=1), out, 23, 53, BLOCK=16)
    return [out]


@triton.jit
def split_kernel(x, p, q, np, n, R, RP: tl.constexpr, BLOCK: tl.constexpr):
    """Columns of a matrix to two matrices, one of them after the middle range."""
    i, r = tl.arange(0, BLOCK)[None, :], tl.arange(0, RP)[:, None]
    v = tl.load(x + r * n + i, mask=(i < n) & (r < R), other=0.0)
    inside = (i >= 5) & (i < np)
    tl.store(tl.where(inside, p + r * 40, q + r * n) + i, v * 2, mask=(i < n) & (r < R))


@case
def split_by_where():
    p, q = torch.full((3, 40), 7.0), torch.full((3, 29), 8.0)
    split_kernel[(1,)](normal(3, 29), p, q, 17, 29, 3, RP=4, BLOCK=32)
    return [p, q]


@triton.jit
def mixed_rows_kernel(p, q, which, rows, out, n, N: tl.constexpr, R: tl.constexpr):
    """Each row of the result is from one of two tables; memory says which."""
    r, i = tl.arange(0, R), tl.arange(0, N)
    first = tl.load(which + r) != 0
    row = tl.load(rows + r)
    at = tl.where(first[:, None], p, q) + row[:, None] * n + i[None, :]
    tl.store(out + r[:, None] * n + i[None, :], tl.load(at, mask=i[None, :] < n, other=0.0), mask=i[None, :] < n)


@case
def rows_of_two_tables():
    out = torch.full((8, 13), 7.0)
    mixed_rows_kernel[(1,)](normal(5, 13), normal(5, 13, seed=1), integers(0, 2, 8), integers(0, 5, 8, seed=2), out,
                            13, N=16, R=8)
    return [out]


@triton.jit
def shifted_kernel(x, which, out, n, N: tl.constexpr):
    """One table, two places: memory says which."""
    i = tl.arange(0, N)
    there = tl.load(which + i, mask=i < n, other=0) > 0
    three = tl.where(i % 3 == 0, x, x + 40)
    v = tl.load(tl.where(there, x + i, x + 64 + 2 * i), mask=i < n, other=0.0)
    tl.store(out + i, v + tl.load(three + i, mask=i < n, other=0.0), mask=i < n)


@case
def two_places_of_one_table():
    out = torch.full((16,), 7.0)
    shifted_kernel[(1,)](normal(128), integers(0, 2, 13), out, 13, N=16)
    return [out]


@triton.jit
def three_way_kernel(p, q, r, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.where(i < 7, p + i, tl.where(i < 15, q + (i - 7), r + (i - 15)))
    for k in range(3):
        tl.store(out + k * n + i, tl.load(at, mask=i < n, other=-1.0), mask=i < n)
        at += 20


@case
def three_tables_in_a_loop():
    out = torch.full((3, 27), 7.0)
    three_way_kernel[(1,)](normal(60), normal(60, seed=1), normal(60, seed=2), out, 27, BLOCK=32)
    return [out]


@triton.jit
def branch_kernel(p, q, out, n, s, BLOCK: tl.constexpr):
    """Either side of a branch gives pointers: tensors of them with steps of their own, and scalars."""
    pid = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    if pid % 2 == 0:
        at = p + pid * 3 + i
        step = 1
        start = p + pid
    else:
        at = q + i * s
        step = s
        start = q + 2
    v = tl.load(at, mask=i < n, other=0.0)
    v += tl.load(start + i * step, mask=i < n, other=0.0)
    tl.store(out + pid * n + i, v, mask=i < n)


@case
def pointers_out_of_a_branch():
    out = torch.full((3, 13), 7.0)
    branch_kernel[(3,)](normal(80), normal(80, seed=1), out, 13, 3, BLOCK=16)
    return [out]


@triton.jit
def branch_same_steps_kernel(p, q, out, flag, R: tl.constexpr, C: tl.constexpr, M, N):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    at = r * N + c
    if flag > 0:  # noqa: SIM108
        source = p + at
    else:
        source = q + at + 5
    tl.store(out + at, tl.load(source, mask=(r < M) & (c < N), other=0.0), mask=(r < M) & (c < N))


@case
def tiles_out_of_a_branch():
    outs = [torch.full((5, 13), 7.0) for _ in range(2)]
    for flag, out in enumerate(outs):
        branch_same_steps_kernel[(1,)](normal(5, 13), normal(6, 13, seed=1), out, flag, R=8, C=16, M=5, N=13)
    return outs


@triton.jit
def turns_kernel(p, q, out, n, BLOCK: tl.constexpr):
    """Two pointers that change places in a loop."""
    i = tl.arange(0, BLOCK)
    a, b = p + i, q + 2 * i
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(5):
        total += tl.load(a, mask=i < n, other=0.0) * (k + 1)
        a, b = b + 1, a
    tl.store(out + i, total, mask=i < n)


@case
def pointers_that_change_places():
    out = torch.full((13,), 7.0)
    turns_kernel[(1,)](normal(40), normal(40, seed=1), out, 13, BLOCK=16)
    return [out]


@triton.jit
def while_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at, to, left = x + i, out + i, n
    while left > 0:
        tl.store(to, tl.load(at, mask=i < left, other=0.0) + left, mask=i < left)
        at += BLOCK
        to += BLOCK
        left -= BLOCK


@case
def pointers_through_while():
    out = torch.full((50,), 7.0)
    while_kernel[(1,)](normal(50), out, 45, BLOCK=16)
    return [out]


@triton.jit
def tables_kernel(addresses, sizes, out, G: tl.constexpr, BLOCK: tl.constexpr):
    """A tile whose rows are tensors of their own: their addresses are in memory."""
    g, i = tl.arange(0, G), tl.arange(0, BLOCK)
    rows = tl.load(addresses + g).to(tl.pointer_type(tl.float32))
    inside = i[None, :] < tl.load(sizes + g)[:, None]
    v = tl.load(rows[:, None] + i[None, :], mask=inside, other=0.0)
    tl.store(out + g, tl.sum(v, 1))
    tl.store(rows[:, None] + i[None, :], v * 2, mask=inside)


@case
def rows_by_address():
    rows = [normal(n, seed=n) for n in (5, 16, 1, 9)]
    out = torch.full((4,), 7.0)
    tables_kernel[(1,)](torch.tensor([r.data_ptr() for r in rows]), torch.tensor([5, 16, 1, 9], dtype=torch.int32), out,
                        G=4, BLOCK=16)
    return [out, *rows]


@triton.jit
def grouped_kernel(addresses, shapes, out, G: tl.constexpr, B: tl.constexpr):
    """One product for each group, operands and result by address."""
    g = tl.program_id(0)
    m, n, k = tl.load(shapes + 3 * g), tl.load(shapes + 3 * g + 1), tl.load(shapes + 3 * g + 2)
    a = tl.load(addresses + 3 * g).to(tl.pointer_type(tl.float32))
    b = tl.load(addresses + 3 * g + 1).to(tl.pointer_type(tl.float32))
    c = tl.load(addresses + 3 * g + 2).to(tl.pointer_type(tl.float32))
    i, j, at = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :], tl.arange(0, B)
    x = tl.load(a + i * k + at[None, :], mask=(i < m) & (at[None, :] < k), other=0.0)
    y = tl.load(b + at[:, None] * n + j, mask=(at[:, None] < k) & (j < n), other=0.0)
    tl.store(c + i * n + j, tl.dot(x, y, input_precision="ieee"), mask=(i < m) & (j < n))


@case
def grouped_by_address():
    sizes = ((5, 7, 16), (16, 1, 3), (13, 16, 9))
    groups = [(normal(m, k, seed=m), normal(k, n, seed=n), torch.full((m, n), 7.0)) for m, n, k in sizes]
    grouped_kernel[(3,)](torch.tensor([t.data_ptr() for group in groups for t in group]),
                         torch.tensor(sizes, dtype=torch.int32), torch.zeros(1), G=3, B=16)
    return [group[2] for group in groups]


@triton.jit
def by_integer_kernel(x, out, n, BLOCK: tl.constexpr):
    """Pointers as integers and back, with steps in bytes."""
    i = tl.arange(0, BLOCK)
    at = (x.to(tl.int64) + i * 8).to(tl.pointer_type(tl.float32))
    odd = ((x + i).to(tl.int64) + (i // 3) * 4).to(tl.pointer_type(tl.float32))
    tl.store(out + i, tl.load(at, mask=i < n, other=0.0) - tl.load(odd, mask=i < n, other=0.0), mask=i < n)


@case
def steps_in_bytes():
    out = torch.full((16,), 7.0)
    by_integer_kernel[(1,)](normal(40), out, 13, BLOCK=16)
    return [out]


@triton.jit
def atomic_kernel(p, q, values, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.where(i % 2 == 0, p + i // 4, q + i // 8)
    tl.atomic_add(at, tl.load(values + i, mask=i < n, other=0), mask=i < n)


@case
def atomics_on_two_tables():
    p, q = torch.zeros(8, dtype=torch.int32), torch.zeros(8, dtype=torch.int32)
    atomic_kernel[(2,)](p, q, integers(0, 9, 27), 27, BLOCK=32)
    return [p, q]


@triton.jit
def handed_out_kernel(p, q, addresses, out, flag, BLOCK: tl.constexpr):
    """A branch gives pointers chosen element by element on one side, made of integers on the other."""
    i = tl.arange(0, BLOCK)
    if flag > 0:  # noqa: SIM108
        at = tl.where(i < 5, p + i, q + i)
    else:
        at = tl.load(addresses + i).to(tl.pointer_type(tl.float32))
    tl.store(out + i, tl.load(at + 1))


@case
def different_pointers_out_of_a_branch():
    p, q = normal(20), normal(20, seed=1)
    addresses = torch.tensor([(p, q)[i % 2].data_ptr() + 8 * i for i in range(8)])
    outs = [torch.full((8,), 7.0) for _ in range(2)]
    for flag, out in enumerate(outs):
        handed_out_kernel[(1,)](p, q, addresses, out, flag, BLOCK=8)
    return outs
