"""Quantised data: int8 and int4 to and from floats, packed weights, scaled matrix products, codebooks, 8-bit floats."""

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def quantize_rows(x, out, scales, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0)
    scale = tl.maximum(tl.max(tl.abs(v)), 1e-8) / 127.0
    q = libdevice.rint(v / scale)
    q = tl.clamp(q, -128.0, 127.0).to(tl.int8)
    tl.store(out + row * columns + i, q, mask=i < columns)
    tl.store(scales + row, scale)


def test_quantize_rows():
    x = torch.randn(5, 100) * torch.tensor([1e-3, 1.0, 50.0, 0.0, 7.0])[:, None]
    out, scales = torch.empty(5, 100, dtype=torch.int8), torch.empty(5)
    quantize_rows[(5,)](x, out, scales, 100, BLOCK=128)
    expected = x.abs().amax(1).clamp(min=1e-8) / 127
    torch.testing.assert_close(scales, expected)
    assert torch.equal(out, (x / expected[:, None]).round().clamp(-128, 127).to(torch.int8))


@triton.jit
def quantize_asymmetric(x, out, scales, zeros, n, GROUP: tl.constexpr):
    g = tl.program_id(0)
    i = g * GROUP + tl.arange(0, GROUP)
    v = tl.load(x + i, mask=i < n, other=0.0)
    low, high = tl.minimum(tl.min(v, 0), 0.0), tl.maximum(tl.max(v, 0), 0.0)
    scale = tl.math.div_rn(high - low, 255.0)
    zero = libdevice.round(-low / scale)
    q = libdevice.round(v / scale) + zero
    tl.store(out + i, tl.minimum(tl.maximum(q, 0.0), 255.0).to(tl.uint8), mask=i < n)
    tl.store(scales + g, scale)
    tl.store(zeros + g, zero.to(tl.int32))


def test_quantize_asymmetric():
    x = torch.randn(150)
    out, scales, zeros = torch.empty(150, dtype=torch.uint8), torch.empty(3), torch.empty(3, dtype=torch.int32)
    quantize_asymmetric[(3,)](x, out, scales, zeros, 150, GROUP=64)
    group = torch.arange(150) // 64
    back = (out.float() - zeros[group]) * scales[group]
    assert (back - x).abs().max() <= scales.max() * 0.51


@triton.jit
def pack_int4(x, out, n, BLOCK: tl.constexpr):
    """Two values in -8 .. 7 per byte, the first in the low half."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    low = tl.load(x + 2 * i, mask=2 * i < n, other=0)
    high = tl.load(x + 2 * i + 1, mask=2 * i + 1 < n, other=0)
    tl.store(out + i, (low & 0xF) | (high << 4), mask=2 * i < n)


@triton.jit
def unpack_int4(packed, scales, out, n, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    byte = tl.load(packed + i, mask=2 * i < n, other=0)
    low = (byte << 4) >> 4
    high = byte >> 4
    both = tl.interleave(low, high).to(tl.float32)
    j = tl.program_id(0) * 2 * BLOCK + tl.arange(0, 2 * BLOCK)
    scale = tl.load(scales + j // GROUP, mask=j < n, other=0.0)
    tl.store(out + j, both * scale, mask=j < n)


@pytest.mark.parametrize("n", [128, 101, 1])
def test_int4(n):
    x = torch.randint(-8, 8, (n,), dtype=torch.int8)
    packed = torch.zeros((n + 1) // 2, dtype=torch.int8)
    pack_int4[(2,)](x, packed, n, BLOCK=32)
    halves = torch.cat([x, torch.zeros(n % 2, dtype=torch.int8)]).reshape(-1, 2)
    assert torch.equal(packed, (halves[:, 0] & 15) | (halves[:, 1] << 4))
    scales, out = torch.rand((n + 31) // 32), torch.empty(n)
    unpack_int4[(2,)](packed, scales, out, n, GROUP=32, BLOCK=32)
    assert torch.equal(out, x.float() * scales[torch.arange(n) // 32])


@triton.jit
def weight_only_int4(a, packed, scales, zeros, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                     BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """Eight 4-bit weights along K in an int32; scales and packed zero points per group of K."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    shift = (k % 8) * 4
    zero_shift = (n % 8) * 4
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(a + m[:, None] * K + start + k[None, :], mask=m[:, None] < M, other=0.0)
        words = tl.load(packed + ((start + k[:, None]) // 8) * N + n[None, :], mask=n[None, :] < N, other=0)
        group = start // GROUP
        scale = tl.load(scales + group * N + n, mask=n < N, other=0.0)
        zero = tl.load(zeros + group * (N // 8) + n // 8, mask=n < N, other=0)
        zero = (zero >> zero_shift) & 0xF
        w = ((words >> shift[:, None]) & 0xF) - zero[None, :]
        total = tl.dot(x, w.to(tl.float32) * scale[None, :], total)
    tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def _packed(values):
    words = torch.zeros(values.shape[0] // 8, values.shape[1], dtype=torch.int64)
    for i in range(8):
        words |= values[i::8].long() << (4 * i)
    return torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)


def test_weight_only_int4():
    M, N, K, group = 9, 24, 64, 32
    a, w = torch.randn(M, K), torch.randint(0, 16, (K, N))
    scales, zeros = torch.rand(K // group, N), torch.randint(0, 16, (K // group, N))
    c = torch.empty(M, N)
    weight_only_int4[(1, 2)](a, _packed(w), scales, _packed(zeros.t()).t().contiguous(), c, M, N, K,
                             BLOCK_M=16, BLOCK_N=16, BLOCK_K=32, GROUP=group)
    wide = (w - zeros.repeat_interleave(group, 0)) * scales.repeat_interleave(group, 0)
    torch.testing.assert_close(c, a @ wide, rtol=1e-4, atol=1e-4)


@triton.jit
def int8_matmul(a, b, a_scale, b_scale, bias, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    for start in range(0, K, BLOCK_K):
        left = k[None, :] + start
        x = tl.load(a + m[:, None] * K + left, mask=(m[:, None] < M) & (left < K), other=0)
        y = tl.load(b + n[None, :] * K + start + k[:, None], mask=(n[None, :] < N) & (start + k[:, None] < K), other=0)
        total = tl.dot(x, y, acc=total, out_dtype=tl.int32)
    scaled = total.to(tl.float32) * tl.load(a_scale + m, mask=m < M)[:, None]
    scaled *= tl.load(b_scale + n, mask=n < N)[None, :]
    scaled += tl.load(bias + n, mask=n < N)[None, :]
    tl.store(c + m[:, None] * N + n[None, :], scaled, mask=(m[:, None] < M) & (n[None, :] < N))


def test_int8_matmul():
    M, N, K = 19, 21, 70
    a = torch.randint(-128, 128, (M, K), dtype=torch.int8)
    b = torch.randint(-128, 128, (N, K), dtype=torch.int8)
    sa, sb, bias = torch.rand(M), torch.rand(N), torch.randn(N)
    c = torch.empty(M, N)
    int8_matmul[(2, 2)](a, b, sa, sb, bias, c, M, N, K, BLOCK_M=16, BLOCK_N=16, BLOCK_K=32)
    expected = (a.int() @ b.int().t()).float() * sa[:, None] * sb + bias
    torch.testing.assert_close(c, expected, rtol=1e-6, atol=1e-3)


@triton.jit
def codebook(packed, book, absmax, out, n, BLOCK: tl.constexpr, GROUP: tl.constexpr):
    """4-bit indices into a table of 16 floats (NF4), a scale per group."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    byte = tl.load(packed + i // 2, mask=i < n, other=0)
    index = tl.where(i % 2 == 0, byte >> 4, byte & 0xF)
    table = tl.load(book + tl.arange(0, 16))
    value = tl.gather(table, index.to(tl.int32), 0)
    tl.store(out + i, value * tl.load(absmax + i // GROUP, mask=i < n), mask=i < n)


def test_codebook():
    n = 90
    packed = torch.randint(0, 256, (45,), dtype=torch.uint8)
    book, absmax, out = torch.randn(16), torch.rand(3), torch.empty(n)
    codebook[(2,)](packed, book, absmax, out, n, BLOCK=64, GROUP=32)
    index = torch.stack([packed >> 4, packed & 15], 1).reshape(-1).long()
    assert torch.equal(out, book[index] * absmax[torch.arange(n) // 32])


@triton.jit
def cast_fp8(x, out, back, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    q = v.to(out.dtype.element_ty)
    tl.store(out + i, q, mask=i < n)
    tl.store(back + i, q.to(tl.float32), mask=i < n)


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_cast_fp8(dtype):
    limit = torch.finfo(dtype).max
    special = [0.0, -0.0, 1e-7, -3e-5, limit, -limit, 0.0078, 2.0**-9, 1.5 * 2.0**-9]
    x = torch.cat([torch.randn(60), torch.tensor(special)])
    out, back = torch.empty(69).to(dtype), torch.empty(69)
    cast_fp8[(1,)](x, out, back, 69, BLOCK=128)
    assert torch.equal(out.view(torch.uint8), x.to(dtype).view(torch.uint8))
    assert torch.equal(back, x.to(dtype).float())


@pytest.mark.parametrize("dtype", [torch.float8_e5m2, torch.float8_e4m3fn])
def test_every_fp8(dtype):
    x = torch.arange(256).to(torch.uint8).view(dtype)
    out, back = torch.empty(256).to(dtype), torch.empty(256)
    cast_fp8[(1,)](x, out, back, 256, BLOCK=256)
    torch.testing.assert_close(back, x.float(), rtol=0, atol=0, equal_nan=True)


@triton.jit
def fp8_block_matmul(a, b, a_scale, b_scale, c, M, N, K, BLOCK: tl.constexpr):
    """A scale for every BLOCK values of a's rows and for every BLOCK x BLOCK tile of b."""
    m = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    n = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    blocks = tl.cdiv(K, BLOCK)
    for j in range(0, blocks):
        k = j * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + n[None, :] * K + k[:, None], mask=(n[None, :] < N) & (k[:, None] < K), other=0.0)
        s = tl.load(a_scale + m * blocks + j, mask=m < M, other=0.0)
        t = tl.load(b_scale + tl.program_id(1) * blocks + j)
        total += tl.dot(x, y) * s[:, None] * t
    tl.store(c + m[:, None] * N + n[None, :], total.to(c.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


def test_fp8_block_matmul():
    M, N, K, block = 20, 30, 70, 16
    a, b = torch.randn(M, K).to(torch.float8_e4m3fn), torch.randn(N, K).to(torch.float8_e4m3fn)
    blocks = -(-K // block)
    sa, sb = torch.rand(M, blocks), torch.rand(-(-N // block), blocks)
    c = torch.empty(M, N, dtype=torch.bfloat16)
    fp8_block_matmul[(2, 2)](a, b, sa, sb, c, M, N, K, BLOCK=block)
    wide_a = a.float() * sa.repeat_interleave(block, 1)[:, :K]
    wide_b = b.float() * sb.repeat_interleave(block, 0)[:N].repeat_interleave(block, 1)[:, :K]
    torch.testing.assert_close(c, (wide_a @ wide_b.t()).bfloat16(), rtol=1e-2, atol=1e-2)


@triton.jit
def scaled_dot(a, b, a_scale, b_scale, c, FORMAT: tl.constexpr, PACK: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
               K: tl.constexpr):
    """Microscaling: a scale 2^(s - 127) for every 32 values along K."""
    m, n, k, s = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // PACK), tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * (K // PACK) + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    xs = tl.load(a_scale + m[:, None] * (K // 32) + s[None, :])
    ys = tl.load(b_scale + n[:, None] * (K // 32) + s[None, :])
    total = tl.dot_scaled(x, xs, FORMAT, y, ys, FORMAT)
    tl.store(c + m[:, None] * N + n[None, :], total)


_E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


@pytest.mark.parametrize("format", ["e4m3", "e5m2", "e2m1"])
def test_scaled_dot(format):
    M, N, K = 16, 32, 64
    sa = torch.randint(120, 134, (M, K // 32), dtype=torch.uint8)
    sb = torch.randint(120, 134, (N, K // 32), dtype=torch.uint8)
    if format == "e2m1":
        a = torch.randint(0, 256, (M, K // 2), dtype=torch.uint8)
        b = torch.randint(0, 256, (K // 2, N), dtype=torch.uint8)
        wide_a = _E2M1[torch.stack([a & 15, a >> 4], 2).reshape(M, K).long()]
        wide_b = _E2M1[torch.stack([b & 15, b >> 4], 1).reshape(K, N).long()]
    else:
        dtype = torch.float8_e4m3fn if format == "e4m3" else torch.float8_e5m2
        a, b = torch.randn(M, K).to(dtype), torch.randn(K, N).to(dtype)
        wide_a, wide_b = a.float(), b.float()
    c = torch.empty(M, N)
    scaled_dot[(1,)](a, b, sa, sb, c, FORMAT=format, PACK=2 if format == "e2m1" else 1, M=M, N=N, K=K)
    wide_a = wide_a * torch.exp2(sa.float() - 127).repeat_interleave(32, 1)
    wide_b = wide_b * torch.exp2(sb.float() - 127).repeat_interleave(32, 1).t()
    torch.testing.assert_close(c, wide_a @ wide_b, rtol=1e-4, atol=1e-3)


@triton.jit
def scaled_dot_batches(a, b, a_scale, b_scale, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Two numbers of a's rows to a byte, two of b's summed dimension."""
    i = tl.arange(0, B)[:, None, None]
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K // 2)
    s = tl.arange(0, K // 32)
    x = tl.load(a + i * (M // 2 * K) + tl.arange(0, M // 2)[None, :, None] * K + tl.arange(0, K)[None, None, :])
    y = tl.load(b + i * (K // 2 * N) + k[None, :, None] * N + n[None, None, :])
    xs = tl.load(a_scale + i * (M * K // 32) + m[None, :, None] * (K // 32) + s[None, None, :])
    ys = tl.load(b_scale + i * (N * K // 32) + n[None, :, None] * (K // 32) + s[None, None, :])
    total = tl.dot_scaled(x, xs, "e2m1", y, ys, "e2m1", lhs_k_pack=False)
    tl.store(c + i * (M * N) + m[None, :, None] * N + n[None, None, :], total)


def test_scaled_dot_in_batches():
    B, M, N, K = 2, 4, 8, 64
    sa, sb = (torch.randint(125, 129, (B, rows, K // 32), dtype=torch.uint8) for rows in (M, N))
    a = torch.randint(0, 256, (B, M // 2, K), dtype=torch.uint8)
    b = torch.randint(0, 256, (B, K // 2, N), dtype=torch.uint8)
    wide_a = _E2M1[torch.stack([a & 15, a >> 4], 2).reshape(B, M, K).long()]
    wide_b = _E2M1[torch.stack([b & 15, b >> 4], 2).reshape(B, K, N).long()]
    c = torch.empty(B, M, N)
    scaled_dot_batches[(1,)](a, b, sa, sb, c, B=B, M=M, N=N, K=K)
    wide_a = wide_a * torch.exp2(sa.float() - 127).repeat_interleave(32, 2)
    wide_b = wide_b * torch.exp2(sb.float() - 127).repeat_interleave(32, 2).transpose(1, 2)
    assert torch.equal(c, wide_a @ wide_b)  # every sum is exact


@triton.jit
def scaled_dot_columns(a, b, a_scale, b_scale, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Two numbers of a's summed dimension to a byte, two of b's columns."""
    m, n, k, s = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K), tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * (K // 2) + tl.arange(0, K // 2)[None, :])
    y = tl.load(b + k[:, None] * (N // 2) + tl.arange(0, N // 2)[None, :])
    xs = tl.load(a_scale + m[:, None] * (K // 32) + s[None, :])
    ys = tl.load(b_scale + n[:, None] * (K // 32) + s[None, :])
    total = tl.dot_scaled(x, xs, "e2m1", y, ys, "e2m1", rhs_k_pack=False)
    tl.store(c + m[:, None] * N + n[None, :], total)


@pytest.mark.parametrize("sizes", [(4, 8, 64), (32, 64, 128)])
def test_scaled_dot_of_columns_in_a_byte(sizes):
    M, N, K = sizes
    sa, sb = (torch.randint(125, 129, (rows, K // 32), dtype=torch.uint8) for rows in (M, N))
    a = torch.randint(0, 256, (M, K // 2), dtype=torch.uint8)
    b = torch.randint(0, 256, (K, N // 2), dtype=torch.uint8)
    wide_a = _E2M1[torch.stack([a & 15, a >> 4], 2).reshape(M, K).long()]
    wide_b = _E2M1[torch.stack([b & 15, b >> 4], 2).reshape(K, N).long()]
    c = torch.empty(M, N)
    scaled_dot_columns[(1,)](a, b, sa, sb, c, M=M, N=N, K=K)
    wide_a = wide_a * torch.exp2(sa.float() - 127).repeat_interleave(32, 1)
    wide_b = wide_b * torch.exp2(sb.float() - 127).repeat_interleave(32, 1).T
    assert torch.equal(c, wide_a @ wide_b)  # every sum is exact


@triton.jit
def grouped_int4_matmul(x, words, scales, out, M, N, K, GROUP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                        BK: tl.constexpr):
    """x @ w, w in words of eight 4-bit numbers along k, with a scale for each GROUP of k and column."""
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        valid = (k[:, None] < K) & (n[None, :] < N)
        a = tl.load(x + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        word = tl.load(words + (k[:, None] // 8) * N + n[None, :], mask=valid, other=0)
        scale = tl.load(scales + (k[:, None] // GROUP) * N + n[None, :], mask=valid, other=0.0)
        w = (((word >> (k[:, None] % 8 * 4)) & 15) - 8).to(tl.float32) * scale.to(tl.float32)
        total += tl.dot(a, w.to(a.dtype))
    tl.store(out + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_grouped_int4_matmul(dtype):
    M, N, K = 19, 35, 72
    x, numbers, scales = torch.randn(M, K).to(dtype), torch.randint(0, 16, (K, N)), torch.rand(3, N).to(dtype)
    shifts = 4 * torch.arange(8)[None, :, None]
    words = (numbers.view(K // 8, 8, N) << shifts).sum(1).to(torch.int32)
    out = torch.empty(M, N)
    grouped_int4_matmul[(2, 2)](x, words, scales, out, M, N, K, GROUP=32, BM=16, BN=32, BK=32)
    weights = ((numbers - 8) * scales.float().repeat_interleave(32, 0)[:K]).to(dtype)
    torch.testing.assert_close(out, x.float() @ weights.float(), rtol=1e-4, atol=1e-4)
