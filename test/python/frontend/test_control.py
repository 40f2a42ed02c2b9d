"""Loops, branches, early returns, and kernels of the usual kind."""

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def pointer_loop(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + i
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        total += tl.load(p, mask=start + i < n, other=0.0)
        p += BLOCK
    tl.store(out + i, total)


@pytest.mark.parametrize("n", [0, 1, 16, 17, 100])
def test_pointer_carried_by_a_loop(n):
    x, out = torch.arange(100, dtype=torch.float32), torch.full((16,), 5.0)
    pointer_loop[(1,)](x, out, n, BLOCK=16)
    expected = torch.zeros(112)
    expected[:n] = x[:n]
    assert torch.equal(out, expected.reshape(-1, 16).sum(0))


@triton.jit
def index_loop(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    while tl.min(i) < n:
        total += tl.load(x + i, mask=i < n, other=0.0)
        i += BLOCK
    tl.store(out + tl.arange(0, BLOCK), total)


@pytest.mark.parametrize("n", [0, 1, 17, 100])
def test_while_with_index_tensor(n):
    x, out = torch.arange(100, dtype=torch.float32), torch.full((16,), 5.0)
    index_loop[(1,)](x, out, n, BLOCK=16)
    expected = torch.zeros(112)
    expected[:n] = x[:n]
    assert torch.equal(out, expected.reshape(-1, 16).sum(0))


@triton.jit
def halved(x, out, turns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x + i)
    total = x + 1.0
    k = 0
    while k < turns:
        total = total * 0.5 + x
        k += 1
    tl.store(out + i, total)


@pytest.mark.parametrize("turns", [0, 3])
def test_while_carries_a_block_that_starts_in_tcm(turns):
    x, out = torch.arange(64, dtype=torch.float32), torch.full((64,), 5.0)
    halved[(1,)](x, out, turns, BLOCK=64)
    assert torch.equal(out, x + 1 if not turns else (x + 1) / 8 + x * 1.75)


@triton.jit
def start_is_stored(x, out, first, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    start = tl.load(x + i) * 2
    total = start
    for _ in range(2):
        total = total + start
    tl.store(out + i, total)
    tl.store(first + (BLOCK - 1 - i), start)


@pytest.mark.parametrize("block", [2, 64])
def test_what_a_loop_starts_from_is_there_behind_it(block):
    x, out, first = torch.arange(block), torch.zeros(block).int(), torch.zeros(block).int()
    start_is_stored[(1,)](x.int(), out, first, BLOCK=block)
    assert torch.equal(out, x.int() * 6)
    assert torch.equal(first, x.int().flip(0) * 2)


@triton.jit
def stride_changes(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    p = x + i
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(3):
        total += tl.load(p)
        p += i
    tl.store(out + i, total)


def test_pointer_whose_stride_changes():
    x, out = torch.arange(64, dtype=torch.float32), torch.zeros(16)
    stride_changes[(1,)](x, out, BLOCK=16)
    i = torch.arange(16)
    assert torch.equal(out, x[i] + x[2 * i] + x[3 * i])


@triton.jit
def ping_pong(a, b, n, steps, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    src = a
    dst = b
    for _ in range(steps):
        tl.store(dst + i, tl.load(src + i, mask=i < n) + 1.0, mask=i < n)
        src, dst = dst, src


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_pointers_swapped_by_a_loop(steps):
    a, b = torch.zeros(10), torch.zeros(10)
    ping_pong[(1,)](a, b, 10, steps, BLOCK=16)
    last, before = (a, b) if steps % 2 == 0 else (b, a)
    assert (last == steps).all()
    assert (before == max(steps - 1, 0)).all()


@triton.jit
def exchanged(x, out, steps, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = a + 1
    for _ in range(steps):
        a, b = b, a + b
    tl.store(out + i, a)
    c = b * 2
    for _ in range(steps):
        a, b, c = b, c, a
    tl.store(out + BLOCK + i, a * 100 + c)


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_tensors_exchanged_by_a_loop(steps):
    x, out = torch.arange(16.0), torch.zeros(2, 16)
    exchanged[(1,)](x, out, steps, BLOCK=16)
    a, b = x, x + 1
    for _ in range(steps):
        a, b = b, a + b
    assert torch.equal(out[0], a)
    c = b * 2
    for _ in range(steps):
        a, b, c = b, c, a
    assert torch.equal(out[1], a * 100 + c)


@triton.jit
def choose_pointer(a, b, out, pick, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if pick > 0:  # noqa: SIM108
        p = a + i
    else:
        p = b + i * 2
    tl.store(out + i, tl.load(p))


@pytest.mark.parametrize("pick", [0, 5])
def test_pointers_from_a_branch(pick):
    a, b, out = torch.arange(16.0), -torch.arange(32.0), torch.zeros(16)
    choose_pointer[(1,)](a, b, out, pick, BLOCK=16)
    assert torch.equal(out, a if pick > 0 else b[::2])


@triton.jit
def early_return(x, n, limit, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= limit:
        return
    i = pid * BLOCK + tl.arange(0, BLOCK)
    if pid == 1:
        tl.store(x + i, tl.zeros((BLOCK,), tl.float32) - 1.0, mask=i < n)
        return
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def test_early_return():
    x = torch.ones(40)
    early_return[(5,)](x, 40, 3, BLOCK=8)
    assert x.tolist() == [2.0] * 8 + [-1.0] * 8 + [2.0] * 8 + [1.0] * 16


@triton.jit
def nested_return(x, a, b):
    if a > 0:
        if b > 0:
            return
        tl.store(x, 1.0)
    tl.store(x + 1, 2.0)
    if a > 1:
        return
    tl.store(x + 2, 3.0)


@pytest.mark.parametrize(("a", "b", "expected"), [(0, 5, [0, 2, 3]), (1, 5, [0, 0, 0]), (1, 0, [1, 2, 3]),
                                                  (2, 0, [1, 2, 0])])
def test_paths_that_join_after_an_early_return(a, b, expected):
    x = torch.zeros(3)
    nested_return[(1,)](x, a, b)
    assert x.tolist() == expected


@triton.jit
def branch_values(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    s = 1.0
    if n > 4:
        v = v * 2
        s = 3.0
    elif n > 2:
        v = v - 1
    tl.store(out + i, v * s)


@pytest.mark.parametrize(("n", "expected"), [(9, 6.0), (3, 0.0), (0, 1.0)])
def test_values_from_branches(n, expected):
    out = torch.zeros(8)
    branch_values[(1,)](torch.ones(8), out, n, BLOCK=8)
    assert (out == expected).all()


@triton.jit
def grid_kernel(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny, nz = tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)
    tl.store(out + (z * ny + y) * nx + x, x * 10000 + y * 100 + z + nz * 1000000)


def test_three_dimensional_grid():
    out = torch.zeros(4, 3, 2, dtype=torch.int32)
    grid_kernel[(2, 3, 4)](out)
    z, y, x = torch.meshgrid(torch.arange(4), torch.arange(3), torch.arange(2), indexing="ij")
    assert torch.equal(out, (x * 10000 + y * 100 + z + 4000000).int())


@triton.jit
def nested_loops(x, out, m, n, B: tl.constexpr):
    i = tl.arange(0, B)
    row = x + i
    total = tl.zeros((B,), tl.float32)
    for _ in range(m):
        p = row
        for k in tl.range(0, n, 1):
            total += tl.load(p) * k
            p += B
        row += n * B
    tl.store(out + i, total)


def test_nested_loops():
    x, out = torch.randn(3, 5, 8), torch.zeros(8)
    nested_loops[(1,)](x, out, 3, 5, B=8)
    torch.testing.assert_close(out, (x * torch.arange(5.0)[None, :, None]).sum((0, 1)))


@triton.jit
def online_softmax(x, out, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    highest = -float("inf")
    total = 0.0
    for start in range(0, n, BLOCK):
        v = tl.load(x + row * stride + start + i, mask=start + i < n, other=-float("inf"))
        new = tl.maximum(highest, tl.max(v, 0))
        total = total * tl.exp(highest - new) + tl.sum(tl.exp(v - new), 0)
        highest = new
    for start in range(0, n, BLOCK):
        v = tl.load(x + row * stride + start + i, mask=start + i < n, other=-float("inf"))
        tl.store(out + row * stride + start + i, tl.exp(v - highest) / total, mask=start + i < n)


@pytest.mark.parametrize("n", [1, 31, 33, 200])
def test_online_softmax(n):
    x = torch.randn(4, n)
    out = torch.zeros(4, n)
    online_softmax[(4,)](x, out, n, n, BLOCK=32)
    torch.testing.assert_close(out, torch.softmax(x, 1), rtol=1e-5, atol=1e-7)


@triton.jit
def flash(q, k, v, out, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    query = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    highest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        j = start + tl.arange(0, BN)
        key = tl.load(k + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        score = tl.dot(query, tl.trans(key)) * scale
        keep = j[None, :] < n
        if CAUSAL:
            keep = keep & (i[:, None] >= j[None, :])
        score = tl.where(keep, score, -float("inf"))
        new = tl.maximum(highest, tl.max(score, 1))
        p = tl.exp(score - new[:, None])
        alpha = tl.exp(highest - new)
        total = total * alpha + tl.sum(p, 1)
        value = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        acc = tl.dot(p, value, acc=acc * alpha[:, None])
        highest = new
    tl.store(out + i[:, None] * D + d[None, :], acc / total[:, None], mask=i[:, None] < n)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [16, 50])
def test_flash_attention(n, causal):
    generator = torch.Generator().manual_seed(n)
    q, k, v = (torch.randn(n, 16, generator=generator) for _ in range(3))
    out = torch.zeros(n, 16)
    flash[(triton.cdiv(n, 16),)](q, k, v, out, n, 0.25, BM=16, BN=16, D=16, CAUSAL=causal)
    expected = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal, scale=0.25)
    torch.testing.assert_close(out, expected[0], rtol=1e-4, atol=1e-5)


@triton.jit
def flash_stage(query, acc, total, highest, k, v, i, first, last, n, scale, BN: tl.constexpr, D: tl.constexpr,
                DIAGONAL: tl.constexpr):
    d = tl.arange(0, D)
    for start in range(first, last, BN):
        j = start + tl.arange(0, BN)
        key = tl.load(k + j[None, :] * D + d[:, None], mask=j[None, :] < n, other=0.0)
        keep = j[None, :] < n
        if DIAGONAL:
            keep = keep & (i[:, None] >= j[None, :])
        score = tl.where(keep, tl.dot(query, key) * scale, -1.0e30)
        new = tl.maximum(highest, tl.max(score, 1))
        p = tl.math.exp2(score - new[:, None])
        alpha = tl.math.exp2(highest - new)
        value = tl.load(v + j[:, None] * D + d[None, :], mask=j[:, None] < n, other=0.0)
        acc = tl.dot(p.to(value.dtype), value, acc * alpha[:, None])
        total = total * alpha + tl.sum(p, 1)
        highest = new
    return acc, total, highest


@triton.jit
def flash_in_stages(q, k, v, out, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0) * BM
    i, d = start + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + i[:, None] * D + d[None, :], mask=i[:, None] < n, other=0.0)
    acc, total = tl.zeros((BM, D), tl.float32), tl.zeros((BM,), tl.float32)
    highest = tl.full((BM,), -1.0e30, tl.float32)
    acc, total, highest = flash_stage(query, acc, total, highest, k, v, i, 0, start, n, scale, BN, D, False)
    acc, total, highest = flash_stage(query, acc, total, highest, k, v, i, start, tl.minimum(start + BM, n), n, scale,
                                      BN, D, True)
    tl.store(out + i[:, None] * D + d[None, :], acc / total[:, None], mask=i[:, None] < n)


@pytest.mark.parametrize(("n", "dtype"), [(45, torch.float16), (90, torch.float32)])
def test_flash_attention_in_stages(n, dtype):
    """As most people write it: keys before the diagonal in a loop of their own, without the causal mask."""
    generator = torch.Generator().manual_seed(n)
    q, k, v = (torch.randn(n, 32, generator=generator).to(dtype) for _ in range(3))
    out = torch.zeros(n, 32)
    flash_in_stages[(triton.cdiv(n, 32),)](q, k, v, out, n, 0.25 * 1.4426950408889634, BM=32, BN=32, D=32)
    expected = torch.nn.functional.scaled_dot_product_attention(*(t[None].float() for t in (q, k, v)), is_causal=True,
                                                                scale=0.25)
    tolerance = 2e-2 if dtype == torch.float16 else 2e-5
    torch.testing.assert_close(out, expected[0], rtol=tolerance, atol=tolerance)
