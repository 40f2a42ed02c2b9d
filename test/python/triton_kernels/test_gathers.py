"""Indices and masks from memory beside plain dimensions: embedding, routing, paged caches, gathered columns."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir import targets
from hexagon_mlir.exec.sim import checking, history
from hexagon_mlir.frontend.triton.kernel import from_kernel
from hexagon_mlir.ir import ir, parse
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.registry import get


@triton.jit
def embedding(ids, table, out, n, d, vocabulary, R: tl.constexpr, D: tl.constexpr):
    """Rows of ``table``; zeros for ids outside."""
    r, c = tl.program_id(0) * R + tl.arange(0, R), tl.arange(0, D)
    row = tl.load(ids + r, mask=r < n, other=-1)
    known = ((row >= 0) & (row < vocabulary))[:, None] & (c < d)[None, :]
    v = tl.load(table + row[:, None] * d + c[None, :], mask=known, other=0.0)
    tl.store(out + r[:, None] * d + c[None, :], v, mask=(r < n)[:, None] & (c < d)[None, :])


@pytest.mark.parametrize(("n", "d"), [(21, 50), (8, 64), (1, 3)])
def test_embedding_with_unknown_ids(n, d):
    ids, table, out = torch.randint(-3, 13, (n,), dtype=torch.int32), torch.randn(10, d), torch.full((n + 1, d), 9.0)
    embedding[(triton.cdiv(n, 8),)](ids, table, out, n, d, 10, R=8, D=64)
    inside = (ids >= 0) & (ids < 10)
    assert torch.equal(out[:n], torch.where(inside[:, None], table[ids.clamp(0, 9).long()], torch.tensor(0.0)))
    assert (out[n] == 9).all()


def test_rows_of_a_gather_are_copied_whole():
    types = {"ids": "*i32", "table": "*fp32", "out": "*fp32", "n": "i32", "d": "i32", "vocabulary": "i32"}
    module = parse(from_kernel(embedding, types, {"R": 8, "D": 64}))
    PassStep(get("triton-to-linalg")()).run(module, PassContext(targets.get()))
    row, = [copy for copy in find_ops(module, lambda op: op.name == "memref.copy")
            if copy.parent.operation.name == "scf.if"]
    assert not find_ops(module, lambda op: op.name == "memref.load")
    assert len(find_ops(module, lambda op: op.name == "scf.for")) == 1
    assert ir.MemRefType(row.operands[0].type).rank == 1


@triton.jit
def gather_columns(x, idx, keep, out, rows, stride, x_row, x_column, R: tl.constexpr, C: tl.constexpr):
    """out[r, c] = x[r, idx[c]] where keep[c]; ``x_row`` and ``x_column`` are the strides of ``x``."""
    r, c = tl.arange(0, R), tl.arange(0, C)
    at, wanted = tl.load(idx + c), tl.load(keep + c) != 0
    m = (r < rows)[:, None] & wanted[None, :]
    v = tl.load(x + r[:, None] * x_row + at[None, :] * x_column, mask=m, other=-1.0)
    tl.store(out + r[:, None] * stride + c[None, :], v, mask=(r < rows)[:, None])


@pytest.mark.parametrize("transposed", [False, True])
def test_gathered_columns(transposed):
    x, idx = torch.randn(13, 37), torch.randint(0, 37, (16,), dtype=torch.int32)
    keep, out = torch.arange(16, dtype=torch.int32) % 3, torch.full((14, 16), 9.0)
    source = x.T.contiguous().T if transposed else x
    gather_columns[(1,)](source, idx, keep, out, 13, 16, *source.stride(), R=16, C=16)
    assert torch.equal(out[:13], torch.where(keep != 0, x[:, idx.long()], torch.tensor(-1.0)))
    assert (out[13] == 9).all()


@triton.jit
def scatter_rows(x, to, keep, out, n, d, R: tl.constexpr, C: tl.constexpr):
    """out[to[r], c] = x[r, c] where keep[c]."""
    r, c = tl.arange(0, R), tl.arange(0, C)
    place, wanted = tl.load(to + r, mask=r < n, other=0), tl.load(keep + c, mask=c < d, other=0) != 0
    v = tl.load(x + r[:, None] * d + c[None, :], mask=(r < n)[:, None] & (c < d)[None, :])
    tl.store(out + place[:, None] * d + c[None, :], v, mask=(r < n)[:, None] & wanted[None, :])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8])
def test_scattered_rows_with_masked_columns(dtype):
    x = torch.randint(-9, 9, (6, 13)).to(dtype)
    to, keep = torch.tensor([7, 1, 0, 4, 9, 3], dtype=torch.int32), torch.arange(13, dtype=torch.int32) % 2
    out = torch.full((10, 13), 99).to(dtype)
    expected = out.clone()
    expected[to.long()] = torch.where(keep != 0, x, expected[to.long()])
    scatter_rows[(1,)](x, to, keep, out, 6, 13, R=8, C=16)
    assert torch.equal(out, expected)


@triton.jit
def paged_attention(q, keys, values, pages, lengths, out, scale, most_pages, D: tl.constexpr, PAGE: tl.constexpr,
                    N: tl.constexpr):
    """One query per sequence, whose keys and values are in pages anywhere; an online softmax over ``N`` at a time."""
    b, d = tl.program_id(0), tl.arange(0, D)
    length = tl.load(lengths + b)
    query = tl.load(q + b * D + d)
    top, total, acc = -float("inf"), 0.0, tl.zeros((D,), tl.float32)
    for start in range(0, length, N):
        t = start + tl.arange(0, N)
        page = tl.load(pages + b * most_pages + t // PAGE, mask=t < length, other=0)
        at = page[:, None] * (PAGE * D) + (t % PAGE)[:, None] * D + d[None, :]
        k = tl.load(keys + at, mask=(t < length)[:, None], other=0.0)
        s = tl.where(t < length, tl.sum(k * query[None, :], 1) * scale, -float("inf"))
        new = tl.maximum(top, tl.max(s, 0))
        p, alpha = tl.exp(s - new), tl.exp(top - new)
        acc = acc * alpha + tl.sum(p[:, None] * tl.load(values + at, mask=(t < length)[:, None], other=0.0), 0)
        top, total = new, total * alpha + tl.sum(p, 0)
    tl.store(out + b * D + d, acc / total)


def test_paged_attention():
    lengths, d, page = torch.tensor([37, 16, 1], dtype=torch.int32), 32, 8
    pages = torch.stack([torch.randperm(20)[:5] for _ in lengths]).to(torch.int32)
    q, keys, values, out = torch.randn(3, d), torch.randn(20, page, d), torch.randn(20, page, d), torch.empty(3, d)
    paged_attention[(3,)](q, keys, values, pages, lengths, out, d**-0.5, 5, D=d, PAGE=page, N=16)
    for b, length in enumerate(lengths):
        k, v = (t[pages[b].long()].reshape(-1, d)[:length] for t in (keys, values))
        torch.testing.assert_close(out[b], torch.softmax(k @ q[b] * d**-0.5, 0) @ v, rtol=1e-4, atol=1e-5)


@triton.jit
def selected(x, keep, out, n, STORES: tl.constexpr, BLOCK: tl.constexpr):
    """x where ``keep``, -1 elsewhere; with ``STORES`` nothing is written elsewhere."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    wanted = tl.load(keep + i, mask=i < n, other=0) != 0
    if STORES:
        tl.store(out + i, tl.load(x + i, mask=i < n), mask=wanted)
    else:
        tl.store(out + i, tl.load(x + i, mask=wanted, other=-1.0), mask=i < n)


@pytest.mark.parametrize("stores", [False, True])
def test_elements_under_a_mask_from_memory_do_not_wait_for_tcm(stores, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    n = 1000
    x, keep, out = torch.randn(n), torch.randint(0, 2, (n,), dtype=torch.int32), torch.full((n,), -1.0)
    selected[(1,)](x, keep, out, n, STORES=stores, BLOCK=1024)
    assert torch.equal(out, torch.where(keep != 0, x, torch.tensor(-1.0)))
    assert history[-1].result.cycles < 15 * n  # 42 when the mask's elements came from TCM one by one


@triton.jit
def dequantize(codes, table, scales, out, n, B: tl.constexpr):
    """Two codes a byte, a table of 16 floats in memory, a scale for each 32 bytes."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    code = tl.load(codes + i, mask=i < n, other=0)
    scale = tl.load(scales + i // 32, mask=i < n, other=0.0)
    tl.store(out + 2 * i, tl.load(table + (code & 15)) * scale, mask=i < n)
    tl.store(out + 2 * i + 1, tl.load(table + (code >> 4)) * scale, mask=i < n)


def test_codes_are_looked_up_in_a_table(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    n = 777
    codes, table, scales = torch.randint(0, 256, (n,), dtype=torch.uint8), torch.randn(16), torch.rand(25)
    out = torch.full((2 * n + 1,), 9.0)
    dequantize[(1,)](codes, table, scales, out, n, B=1024)
    both = torch.stack((codes & 15, codes >> 4), 1).flatten().long()
    torch.testing.assert_close(out[:-1], table[both] * scales.repeat_interleave(64)[: 2 * n])
    assert out[-1] == 9
    assert history[-1].result.cycles < 30 * n  # 160 with bytes and results in TCM, taken from there one by one


@triton.jit
def wide_indices(x, rows, out, n, d, R: tl.constexpr, D: tl.constexpr):
    """Indices of 64 bits, as PyTorch has them, in arithmetic of 64 bits."""
    r, c = tl.arange(0, R), tl.arange(0, D)
    row = tl.load(rows + r, mask=r < n, other=0).to(tl.int64) * d - 5 + 3
    v = tl.load(x + row[:, None] + 2 + c[None, :], mask=(r < n)[:, None] & (c < d)[None, :], other=0.0)
    tl.store(out + r[:, None] * d + c[None, :], v, mask=(r < n)[:, None] & (c < d)[None, :])


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.int16, torch.uint8])
def test_indices_of_any_width(dtype):
    x, rows, out = torch.randn(10, 29), torch.randint(0, 10, (13,)).to(dtype), torch.empty(13, 29)
    wide_indices[(1,)](x, rows, out, 13, 29, R=16, D=32)
    assert torch.equal(out, x[rows.long()])


@triton.jit
def looked_up(x, index, out, n, low, high, ROWS: tl.constexpr, B: tl.constexpr):
    """x[index[i]] where low <= index[i] < high, -1 elsewhere; with ``ROWS`` in two dimensions."""
    i = tl.program_id(0) * B + tl.arange(0, B)
    if ROWS > 1:
        i = tl.program_id(0) * B + tl.arange(0, ROWS)[:, None] * (B // ROWS) + tl.arange(0, B // ROWS)[None, :]
    j = tl.load(index + i, mask=i < n, other=2**31 - 1)
    v = tl.load(x + j, mask=(j >= low) & (j < high), other=-1)
    tl.store(out + i, v, mask=i < n)


def indices(n, low, high, wild):
    """``n`` of them, the last ones outside; with ``wild`` so are all of the second half."""
    found = torch.randint(low, high, (n,), dtype=torch.int32)
    found[-3:] = torch.tensor([-2**31, high, 2**31 - 1])
    found[n // 2:] = torch.where(torch.tensor(wild), high + 2**20, found[n // 2:])
    return found


@pytest.mark.full_except("dtype1-300-4-True", "dtype4-300-1-False", "dtype5-70000-4-False")
@pytest.mark.only_values
@pytest.mark.parametrize(("dtype", "size", "rows", "wild"), [
    (torch.float32, 300, 1, False), (torch.float16, 300, 4, True), (torch.int32, 1, 1, False),
    (torch.int16, 4000, 1, True), (torch.int8, 300, 1, False), (torch.float32, 70_000, 4, False)])
def test_what_lies_near_is_gathered_and_what_is_masked_off_is_not_read(dtype, size, rows, wild, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    n, before = 1300, size // 3
    memory = (torch.randn(size) * 50).to(dtype)
    if dtype.is_floating_point:
        memory[::7], memory[1::11] = float("nan"), float("-inf")
    index, out = indices(n, -before, size - before, wild), torch.full((n + 1,), 9).to(dtype)
    with checking() as reports:
        looked_up[(2,)](memory[before:], index, out, n, -before, size - before, ROWS=rows, B=1024)
    assert reports == []
    inside = (index >= -before) & (index < size - before)
    expected = torch.where(inside, memory[(index.long() + before).clamp(0, size - 1)], torch.tensor(-1).to(dtype))
    torch.testing.assert_close(out[:n], expected, rtol=0, atol=0, equal_nan=True)
    assert out[n] == 9


@pytest.mark.parametrize("executor", ["sim", "host"])
def test_indices_of_64_bits_are_masked_by_all_of_them_and_gather_by_their_lower_words(executor, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    n, memory, out = 1000, torch.randn(300), torch.full((1001,), 9.0)
    index = torch.randint(-100, 200, (n,))
    index[::9] = torch.tensor([2**32 + 5, -2**32 + 5, -2**63, 2**63 - 1, 2**40, 2**31, -2**33, 200, -101]).repeat(
        13)[:112]
    with checking() as reports:
        looked_up[(1,)](memory[100:], index, out, n, -100, 200, ROWS=1, B=1024)
    assert reports == []
    inside = (index >= -100) & (index < 200)
    assert inside.sum() == n - 112
    assert torch.equal(out[:n], torch.where(inside, memory[(index + 100).clamp(0, 299)], torch.tensor(-1.0)))
    assert out[n] == 9


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_near_addresses_are_read_many_at_a_time(dtype, monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x, index, out = torch.randn(4000), torch.randint(0, 4000, (4096,), dtype=dtype), torch.empty(4096)
    looked_up[(1,)](x, index, out, 4096, 0, 4000, ROWS=1, B=4096)
    assert torch.equal(out, x[index.long()])
    assert history[-1].result.cycles < 5 * 4096  # 29 one by one
