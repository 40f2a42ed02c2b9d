"""Scans, sorting, searching, compaction, histograms, segments: kernels where the order of elements matters."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim


@triton.jit
def cumulative(x, out, rows, columns, KIND: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr,
               R: tl.constexpr, C: tl.constexpr):
    r, c = tl.arange(0, R)[:, None], tl.arange(0, C)[None, :]
    m = (r < rows) & (c < columns)
    at = r * columns + c
    if KIND == "sum":
        v = tl.cumsum(tl.load(x + at, mask=m, other=0), AXIS, reverse=REVERSE)
    else:
        v = tl.cumprod(tl.load(x + at, mask=m, other=1), AXIS, reverse=REVERSE)
    tl.store(out + at, v, mask=m)


@pytest.mark.parametrize("kind", ["sum", "prod"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
def test_cumulative(kind, axis, reverse, dtype):
    x = torch.randint(-3, 4, (5, 13)).to(dtype) if dtype == torch.int32 else torch.randn(5, 13)
    out = torch.empty_like(x)
    cumulative[(1,)](x, out, 5, 13, KIND=kind, AXIS=axis, REVERSE=reverse, R=8, C=16)
    flip = (lambda t: t.flip(axis)) if reverse else (lambda t: t)
    function = torch.cumsum if kind == "sum" else torch.cumprod
    torch.testing.assert_close(out, flip(function(flip(x), axis)).to(dtype), rtol=1e-5, atol=1e-5)


@triton.jit
def _recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def selective_scan(decay, x, h0, out, length, CHUNK: tl.constexpr, STATE: tl.constexpr):
    """h = decay * h + x along time, chunk after chunk, for several states."""
    s = tl.arange(0, STATE)
    h = tl.load(h0 + s)
    for start in range(0, length, CHUNK):
        t = start + tl.arange(0, CHUNK)
        at = t[:, None] * STATE + s[None, :]
        a = tl.load(decay + at, mask=t[:, None] < length, other=1.0)
        b = tl.load(x + at, mask=t[:, None] < length, other=0.0)
        product, local = tl.associative_scan((a, b), 0, _recurrence)
        value = local + product * h[None, :]
        tl.store(out + at, value, mask=t[:, None] < length)
        h = tl.sum(tl.where(tl.arange(0, CHUNK)[:, None] == CHUNK - 1, value, 0.0), 0)


def test_selective_scan():
    length, state = 37, 4
    a, b, h0 = torch.rand(length, state), torch.randn(length, state), torch.randn(state)
    out = torch.empty(length, state)
    selective_scan[(1,)](a, b, h0, out, length, CHUNK=16, STATE=state)
    h, rows = h0, []
    for t in range(length):
        h = a[t] * h + b[t]
        rows.append(h)
    torch.testing.assert_close(out, torch.stack(rows), rtol=1e-4, atol=1e-5)


@triton.jit
def _segmented(v1, f1, v2, f2):
    return tl.where(f2 != 0, v2, v1 + v2), f1 | f2


@triton.jit
def segmented_scan(x, heads, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    f = tl.load(heads + i, mask=i < n, other=0).to(tl.int32)
    total, _ = tl.associative_scan((v, f), 0, _segmented)
    tl.store(out + i, total, mask=i < n)


def test_segmented_scan():
    x, heads = torch.randn(60), torch.rand(60) < 0.2
    out = torch.empty(60)
    segmented_scan[(1,)](x, heads, out, 60, BLOCK=64)
    expected, total = [], 0.0
    for v, f in zip(x.tolist(), heads.tolist(), strict=True):
        total = v if f else total + v
        expected.append(total)
    torch.testing.assert_close(out, torch.tensor(expected), rtol=1e-4, atol=1e-5)


@triton.jit
def compact(x, out, count, n, threshold, BLOCK: tl.constexpr):
    """Positions of the elements above a threshold, in order: a prefix sum tells each where to go."""
    written = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        keep = tl.load(x + i, mask=i < n, other=-float("inf")) > threshold
        flag = keep.to(tl.int32)
        where = written + tl.cumsum(flag, 0) - flag
        tl.store(out + where, i, mask=keep)
        written += tl.sum(flag, 0)
    tl.store(count, written)


@pytest.mark.parametrize("threshold", [0.3, 100.0, -100.0])
def test_compact(threshold):
    x = torch.randn(75)
    out, count = torch.full((75,), -1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    compact[(1,)](x, out, count, 75, threshold, BLOCK=32)
    expected = (x > threshold).nonzero()[:, 0].int()
    assert count.item() == len(expected)
    assert torch.equal(out[: len(expected)], expected)
    assert (out[len(expected):] == -1).all()


@triton.jit
def compact_atomic(x, out, counter, n, BLOCK: tl.constexpr):
    """Programs reserve padded with one atomic each."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    keep = (v % 3 == 0) & (i < n)
    flag = keep.to(tl.int32)
    base = tl.atomic_add(counter, tl.sum(flag, 0))
    tl.store(out + base + tl.cumsum(flag, 0) - 1, v, mask=keep)


def test_compact_atomic():
    x = torch.randint(0, 1000, (100,), dtype=torch.int32)
    out, counter = torch.full((100,), -1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    compact_atomic[(4,)](x, out, counter, 100, BLOCK=32)
    expected = x[x % 3 == 0]
    assert counter.item() == len(expected)
    assert torch.equal(out[: len(expected)].sort()[0], expected.sort()[0])


@triton.jit
def sort_rows(x, out, R: tl.constexpr, C: tl.constexpr, DESCENDING: tl.constexpr):
    at = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), dim=1, descending=DESCENDING))


@pytest.mark.each_value
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.int64, torch.float16])
def test_sort_rows(descending, dtype):
    x = torch.randperm(64).reshape(4, 16).to(dtype) - 20
    out = torch.empty_like(x)
    sort_rows[(1,)](x, out, R=4, C=16, DESCENDING=descending)
    assert torch.equal(out, x.sort(1, descending=descending)[0])


@pytest.mark.full_except("dtype1")
@pytest.mark.parametrize("dtype", [torch.float32, torch.int8])
def test_short_rows_are_sorted_in_whole_vectors(dtype, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x = (torch.randn(32, 8) * 50).to(dtype)
    x[3], x[5, 2] = x[3, 0], 0
    out = torch.empty_like(x)
    with sim.checking() as faults:
        sort_rows[(1,)](x, out, R=32, C=8, DESCENDING=False)
    assert not faults
    assert torch.equal(out, x.sort(1)[0])
    assert sim.history[-1].result.cycles < 60 * x.numel()  # 1178 in dimensions of two elements each


@triton.jit
def top_k_with_indices(x, values, indices, columns, BLOCK: tl.constexpr, K: tl.constexpr):
    """Value and index packed into one 64-bit key; negative floats are flipped so that integers order them."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
    bits = v.to(tl.int32, bitcast=True)
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    key = (ordered.to(tl.int64) << 32) | (BLOCK - 1 - i).to(tl.int64)
    best = tl.topk(key, K)
    index = BLOCK - 1 - (best & 0xFFFFFFFF).to(tl.int32)
    ordered = (best >> 32).to(tl.int32)
    v = tl.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered).to(tl.float32, bitcast=True)
    k = tl.arange(0, K)
    tl.store(values + row * K + k, v)
    tl.store(indices + row * K + k, index)


def test_top_k_with_indices():
    x = torch.randn(3, 27)
    values, indices = torch.empty(3, 4), torch.empty(3, 4, dtype=torch.int32)
    top_k_with_indices[(3,)](x, values, indices, 27, BLOCK=32, K=4)
    expected, where = x.topk(4)
    assert torch.equal(values, expected)
    assert torch.equal(indices.long(), where)


@triton.jit
def arg_reduce(x, low, high, low_last, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0)
    small = tl.where(i < columns, v, 1000)
    tl.store(low + row, tl.argmin(small, 0))
    tl.store(high + row, tl.argmax(tl.where(i < columns, v, -1000), 0))
    tl.store(low_last + row, tl.min(small, 0))


def test_arg_reduce_takes_the_first():
    x = torch.randint(-3, 4, (6, 40), dtype=torch.int32)
    low, high, least = (torch.empty(6, dtype=torch.int32) for _ in range(3))
    arg_reduce[(6,)](x, low, high, least, 40, BLOCK=64)
    assert torch.equal(low.long(), x.argmin(1))
    assert torch.equal(high.long(), x.argmax(1))
    assert torch.equal(least, x.amin(1))


@triton.jit
def histogram_blocks(x, out, n, bins: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    h = tl.histogram(v, bins, mask=i < n)
    tl.atomic_add(out + tl.arange(0, bins), h)


@triton.jit
def histogram_atomic(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(out + v, tl.full((BLOCK,), 1, tl.int32), mask=i < n)


def test_histograms():
    x = torch.randint(0, 16, (150,), dtype=torch.int32)
    expected = torch.bincount(x, minlength=16).int()
    for kernel, extra in ((histogram_blocks, {"bins": 16}), (histogram_atomic, {})):
        out = torch.zeros(16, dtype=torch.int32)
        kernel[(3,)](x, out, 150, **extra, BLOCK=64)
        assert torch.equal(out, expected)


@triton.jit
def search_sorted(table, x, out, size, n, BLOCK: tl.constexpr):
    """A binary search per lane, all lanes in step."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    low = tl.zeros((BLOCK,), tl.int32)
    high = tl.full((BLOCK,), 0, tl.int32) + size
    while tl.max(high - low, 0) > 0:
        middle = (low + high) // 2
        active = low < high
        t = tl.load(table + middle, mask=active, other=0.0)
        right = active & (t < v)
        low = tl.where(right, middle + 1, low)
        high = tl.where(active & (t >= v), middle, high)
    tl.store(out + i, low, mask=i < n)


def test_search_sorted():
    table, x = torch.randn(37).sort()[0], torch.randn(50)
    x[:5] = table[[0, 36, 10, 11, 12]]
    out = torch.empty(50, dtype=torch.int32)
    search_sorted[(2,)](table, x, out, 37, 50, BLOCK=32)
    assert torch.equal(out.long(), torch.searchsorted(table, x))


@triton.jit
def segment_mean(x, offsets, out, width, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    """CSR segments of any length, the empty one included."""
    s = tl.program_id(0)
    first, last = tl.load(offsets + s), tl.load(offsets + s + 1)
    w = tl.arange(0, WIDTH)
    total = tl.zeros((WIDTH,), tl.float32)
    r = first
    while r < last:
        rows = r + tl.arange(0, BLOCK)
        valid = (rows[:, None] < last) & (w[None, :] < width)
        v = tl.load(x + rows[:, None] * width + w[None, :], mask=valid, other=0.0)
        total += tl.sum(v, 0)
        r += BLOCK
    count = tl.maximum(last - first, 1)
    tl.store(out + s * width + w, total / count, mask=w < width)


def test_segment_mean():
    offsets = torch.tensor([0, 3, 3, 20, 21], dtype=torch.int32)
    x, out = torch.randn(21, 10), torch.empty(4, 10)
    segment_mean[(4,)](x, offsets, out, 10, BLOCK=8, WIDTH=16)
    for s in range(4):
        rows = x[offsets[s]: offsets[s + 1]]
        expected = rows.mean(0) if len(rows) else torch.zeros(10)
        torch.testing.assert_close(out[s], expected, rtol=1e-5, atol=1e-6)


@triton.jit
def csr_spmv(values, columns, starts, x, out, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    first, last = tl.load(starts + row), tl.load(starts + row + 1)
    total = 0.0
    for j in range(first, last, BLOCK):
        i = j + tl.arange(0, BLOCK)
        m = i < last
        c = tl.load(columns + i, mask=m, other=0)
        total += tl.sum(tl.load(values + i, mask=m, other=0.0) * tl.load(x + c, mask=m, other=0.0), 0)
    tl.store(out + row, total)


def test_csr_spmv():
    dense = torch.randn(9, 30) * (torch.rand(9, 30) < 0.3)
    dense[4] = 0
    sparse = dense.to_sparse_csr()
    x, out = torch.randn(30), torch.empty(9)
    csr_spmv[(9,)](sparse.values(), sparse.col_indices(), sparse.crow_indices(), x, out, BLOCK=8)
    torch.testing.assert_close(out, dense @ x, rtol=1e-5, atol=1e-5)


@triton.jit
def unique_consecutive(x, out, counts, number, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    before = tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0)
    head = ((i == 0) | (v != before)) & (i < n)
    where = tl.cumsum(head.to(tl.int32), 0) - 1
    tl.store(out + where, v, mask=head)
    tl.atomic_add(counts + where, 1, mask=i < n)
    tl.store(number, tl.max(where, 0) + 1)


def test_unique_consecutive():
    x = torch.randint(0, 3, (50,), dtype=torch.int32)
    out, counts = torch.zeros(50, dtype=torch.int32), torch.zeros(50, dtype=torch.int32)
    number = torch.zeros(1, dtype=torch.int32)
    unique_consecutive[(1,)](x, out, counts, number, 50, BLOCK=64)
    expected, repeats = torch.unique_consecutive(x, return_counts=True)
    assert number.item() == len(expected)
    assert torch.equal(out[: len(expected)], expected)
    assert torch.equal(counts[: len(expected)].long(), repeats)


@triton.jit
def median_filter(x, out, n, BLOCK: tl.constexpr):
    """The middle of five neighbours by comparisons only; the edges repeat."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.arange(0, 8)
    at = tl.minimum(tl.maximum(i[:, None] + k[None, :] - 2, 0), n - 1)
    v = tl.load(x + at, mask=(i[:, None] < n) & (k[None, :] < 5), other=float("inf"))
    s = tl.sort(v, dim=1)
    tl.store(out + i, tl.sum(tl.where(k[None, :] == 2, s, 0.0), 1), mask=i < n)


def test_median_filter():
    x, out = torch.randn(45), torch.empty(45)
    median_filter[(2,)](x, out, 45, BLOCK=32)
    padded = torch.cat([x[:1], x[:1], x, x[-1:], x[-1:]])
    assert torch.equal(out, padded.unfold(0, 5, 1).median(1)[0])


@triton.jit
def flip_and_roll(x, out, rolled, n, shift, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, tl.flip(v))
    tl.store(rolled + (i + shift) % n, v, mask=i < n)


def test_flip_and_roll():
    x, out, rolled = torch.randn(32), torch.empty(32), torch.zeros(32)
    flip_and_roll[(1,)](x, out, rolled, 20, 7, BLOCK=32)
    assert torch.equal(out, x.flip(0))
    assert torch.equal(rolled[:20], x[:20].roll(7))


@triton.jit
def returns_early(out, n, SIZE: tl.constexpr):
    lane = tl.arange(0, SIZE)
    value = lane.to(tl.float32)
    if tl.program_id(0) + n != 1:
        return
    tl.store(out + tl.program_id(0) * SIZE + (SIZE - 1 - lane), value)


def test_nothing_is_stored_after_an_early_return():
    """What is stored is computed in front of the return, and may not be computed where it would go."""
    out = torch.full((64,), 7.0)
    returns_early[(2,)](out, 0, SIZE=32)
    assert torch.equal(out, torch.cat([torch.full((32,), 7.0), torch.arange(31.0, -1, -1)]))


@triton.jit
def narrow(x, out, SIZE: tl.constexpr):
    lane = tl.arange(0, SIZE)
    byte = (lane.to(tl.int8) * 5).to(tl.int32)
    tl.store(out + lane, tl.load(x + byte + 128, mask=lane.to(tl.int8) < 40, other=-1))


def test_offsets_and_masks_of_a_type_that_wraps():
    x, out, lane = torch.randn(256), torch.zeros(256), torch.arange(256)
    narrow[(1,)](x, out, SIZE=256)
    assert torch.equal(out, torch.where(lane.to(torch.int8) < 40, x[(lane.to(torch.int8) * 5).long() + 128], -1.0))


@triton.jit
def latest(a, b):
    return b


@triton.jit
def two_scans(x, last, total, skipped):
    i, j, k = tl.arange(0, 4)[:, None, None], tl.arange(0, 8)[None, :, None], tl.arange(0, 8)[None, None, :]
    v = tl.load(x + i * 64 + j * 8 + k).to(tl.float32)
    tl.store(total + i * 64 + j * 8 + k, tl.cumsum(v, 2))
    tl.store(last + i * 64 + (7 - j) * 8 + k, tl.associative_scan(v, 2, latest), mask=i != skipped)


@pytest.mark.only_values
@pytest.mark.ieee_arithmetic
def test_scans_of_one_tensor_copy_only_what_has_values(monkeypatch):
    """Both begin with the first column, in memory that is not written otherwise yet."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x, last, total = torch.randint(-9, 10, (4, 8, 8)).bfloat16(), torch.full((4, 8, 8), 99.0), torch.empty(4, 8, 8)
    with sim.checking() as reports:
        two_scans[(1,)](x, last, total, 1)
    assert reports == []
    assert torch.equal(last[[0, 2, 3]], x[[0, 2, 3]].float().flip(1))
    assert (last[1] == 99).all()
    assert torch.equal(total, x.float().cumsum(2))


@triton.jit
def compensated_sum(x, out, rows, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total, lost = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    for row in range(rows):
        y = tl.load(x + row * BLOCK + i) - lost
        new = total + y
        lost = (new - total) - y
        total = new
    tl.store(out + i, total)


def test_compensated_sum():
    """Kahan's: whoever reorders it, or keeps more digits for a while, gets other bits."""
    x, out = torch.randn(300, 64) * torch.logspace(-4, 4, 300)[:, None], torch.empty(64)
    compensated_sum[(1,)](x, out, 300, BLOCK=64)
    total, lost = torch.zeros(64), torch.zeros(64)
    for row in x:
        y = row - lost
        new = total + y
        lost = (new - total) - y
        total = new
    assert torch.equal(out, total)


@triton.jit
def _minimum(a, b):
    return tl.minimum(a, b)


@triton.jit
def edit_distance(a, b, out, rows, columns, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    before = j
    letters = tl.load(b + j - 1, mask=(j > 0) & (j <= columns), other=-1)
    for row in range(rows):
        other = (tl.load(a + row) != letters).to(tl.int32)
        best = tl.minimum(before + 1, tl.gather(before, tl.maximum(j - 1, 0), 0) + other)
        best = tl.where(j == 0, row + 1, best)
        before = tl.associative_scan(best - j, 0, _minimum) + j
    tl.store(out, tl.sum(tl.where(j == columns, before, 0), 0))


@pytest.mark.parametrize(("rows", "columns"), [(9, 14), (20, 17), (1, 3)])
def test_edit_distance(rows, columns):
    a, b = (torch.randint(0, 4, (size,), dtype=torch.int32) for size in (rows, columns))
    out = torch.zeros(1, dtype=torch.int32)
    edit_distance[(1,)](a, b, out, rows, columns, BLOCK=32)
    expected = list(range(columns + 1))
    for letter in a.tolist():
        row = [expected[0] + 1]
        for j, other in enumerate(b.tolist()):
            row.append(min(expected[j + 1] + 1, row[j] + 1, expected[j] + (letter != other)))
        expected = row
    assert out.item() == expected[-1]
