"""Matrix products in their published forms: wrapped offsets, grouped, split K, persistent, batched, convolutions."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim

pytestmark = pytest.mark.only_values

F = torch.nn.functional


@triton.jit
def _grouped(pid, m_blocks, n_blocks, GROUP: tl.constexpr):
    width = GROUP * n_blocks
    first = pid // width * GROUP
    rows = min(m_blocks - first, GROUP)
    return first + pid % width % rows, pid % width // rows


@triton.jit
def leaky_relu(v):
    return tl.where(v >= 0, v, 0.01 * v)


@triton.jit
def matmul_wrapped(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
                   ACTIVATION: tl.constexpr):
    """Rows and columns wrap around instead of being masked; programs are ordered in groups."""
    pid_m, pid_n = _grouped(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    tl.assume(pid_m >= 0)
    tl.assume(stride_am > 0)
    m = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    left = a + (m[:, None] * stride_am + k[None, :] * stride_ak)
    right = b + (k[:, None] * stride_bk + n[None, :] * stride_bn)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for j in range(0, tl.cdiv(K, BLOCK_K)):
        x = tl.load(left, mask=k[None, :] < K - j * BLOCK_K, other=0.0)
        y = tl.load(right, mask=k[:, None] < K - j * BLOCK_K, other=0.0)
        total = tl.dot(x, y, total)
        left += BLOCK_K * stride_ak
        right += BLOCK_K * stride_bk
    if ACTIVATION is not None:
        total = ACTIVATION(total)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    out = c + stride_cm * rows[:, None] + stride_cn * columns[None, :]
    tl.store(out, total.to(c.dtype.element_ty), mask=(rows[:, None] < M) & (columns[None, :] < N))


@pytest.mark.each_value
@pytest.mark.parametrize(("M", "N", "K"), [(64, 64, 32), (33, 50, 70), (5, 3, 9), (100, 17, 16)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("transposed", [False, True])
def test_matmul_wrapped(M, N, K, dtype, transposed):
    a, b = torch.randn(M, K).to(dtype), torch.randn(K, N).to(dtype)
    if transposed:
        a, b = a.t().contiguous().t(), b.t().contiguous().t()
    c = torch.empty(M, N, dtype=dtype)
    grid = (triton.cdiv(M, 32) * triton.cdiv(N, 16),)
    matmul_wrapped[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BLOCK_M=32, BLOCK_N=16, BLOCK_K=16,
                         GROUP=2, ACTIVATION=leaky_relu, num_warps=4, num_stages=3)
    expected = F.leaky_relu(a.float() @ b.float()).to(dtype)
    torch.testing.assert_close(c, expected, rtol=1e-2 if dtype == torch.float16 else 1e-4, atol=1e-2)


@triton.jit
def matmul_clamped(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Offsets outside become zero, with hints about contiguity, as code generators write it."""
    m0, n0 = tl.program_id(0) * BLOCK_M, tl.program_id(1) * BLOCK_N
    m, n = m0 + tl.arange(0, BLOCK_M), n0 + tl.arange(0, BLOCK_N)
    m = tl.max_contiguous(tl.multiple_of(tl.where(m < M, m, 0), BLOCK_M), BLOCK_M)
    n = tl.max_contiguous(tl.multiple_of(tl.where(n < N, n, 0), BLOCK_N), BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for j in range(tl.cdiv(K, BLOCK_K)):
        kk = j * BLOCK_K + k
        x = tl.load(a + m[:, None] * K + kk[None, :], mask=kk[None, :] < K, other=0.0)
        y = tl.load(b + kk[:, None] * N + n[None, :], mask=kk[:, None] < K, other=0.0)
        total += tl.dot(x, y, input_precision="ieee")
    rows, columns = m0 + tl.arange(0, BLOCK_M), n0 + tl.arange(0, BLOCK_N)
    tl.store(c + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


def test_matmul_clamped():
    a, b, c = torch.randn(37, 45), torch.randn(45, 29), torch.empty(37, 29)
    matmul_clamped[(2, 2)](a, b, c, 37, 29, 45, BLOCK_M=32, BLOCK_N=16, BLOCK_K=16)
    torch.testing.assert_close(c, a @ b, rtol=1e-4, atol=1e-4)


@triton.jit
def matmul_split_k(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                   SPLIT: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.program_id(2) * BLOCK_K + tl.arange(0, BLOCK_K)
    left = a + m[:, None] * K + k[None, :]
    right = b + k[:, None] * N + n[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for j in range(tl.cdiv(K, BLOCK_K * SPLIT)):
        rest = K - j * BLOCK_K * SPLIT
        x = tl.load(left, mask=(m[:, None] < M) & (k[None, :] < rest), other=0.0)
        y = tl.load(right, mask=(k[:, None] < rest) & (n[None, :] < N), other=0.0)
        total += tl.dot(x, y)
        left += BLOCK_K * SPLIT
        right += BLOCK_K * SPLIT * N
    tl.atomic_add(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N), sem="release")


def test_matmul_split_k():
    a, b, c = torch.randn(20, 100), torch.randn(100, 18), torch.zeros(20, 18)
    matmul_split_k[(2, 2, 3)](a, b, c, 20, 18, 100, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16, SPLIT=3)
    torch.testing.assert_close(c, a @ b, rtol=1e-4, atol=1e-4)


@triton.jit
def matmul_persistent(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                      PROGRAMS: tl.constexpr):
    """A fixed number of programs; each walks over output tiles with stride, sums kept in one fused loop."""
    start = tl.program_id(0)
    m_tiles, n_tiles, k_tiles = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), tl.cdiv(K, BLOCK_K)
    k0 = tl.arange(0, BLOCK_K)
    for tile in tl.range(start, m_tiles * n_tiles, PROGRAMS, flatten=True):
        m = tile // n_tiles * BLOCK_M + tl.arange(0, BLOCK_M)
        n = tile % n_tiles * BLOCK_N + tl.arange(0, BLOCK_N)
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for j in range(k_tiles):
            k = j * BLOCK_K + k0
            x = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
            y = tl.load(b + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
            total = tl.dot(x, y, total)
        tl.store(c + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def test_matmul_persistent():
    a, b, c = torch.randn(50, 33), torch.randn(33, 41), torch.empty(50, 41)
    matmul_persistent[(3,)](a, b, c, 50, 41, 33, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16, PROGRAMS=3)
    torch.testing.assert_close(c, a @ b, rtol=1e-4, atol=1e-4)


@triton.jit
def batched_matmul(a, b, c, B, M, N, K, BATCH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
                   BLOCK_K: tl.constexpr):
    i = tl.program_id(2) * BATCH + tl.arange(0, BATCH)[:, None, None]
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    total = tl.zeros((BATCH, BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(a + i * M * K + m[None, :, None] * K + k[None, None, :],
                    mask=(i < B) & (m[None, :, None] < M) & (k[None, None, :] < K), other=0.0)
        y = tl.load(b + i * K * N + k[None, :, None] * N + n[None, None, :],
                    mask=(i < B) & (k[None, :, None] < K) & (n[None, None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + i * M * N + m[None, :, None] * N + n[None, None, :], total,
             mask=(i < B) & (m[None, :, None] < M) & (n[None, None, :] < N))


def test_batched_matmul():
    a, b, c = torch.randn(5, 20, 35), torch.randn(5, 35, 18), torch.empty(5, 20, 18)
    batched_matmul[(2, 2, 3)](a, b, c, 5, 20, 18, 35, BATCH=2, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
    torch.testing.assert_close(c, a @ b, rtol=1e-4, atol=1e-4)


@triton.jit
def gemv(a, x, y, M, K, BLOCK_M: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    total = tl.zeros((BLOCK_M, BLOCK_K), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        w = tl.load(a + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        v = tl.load(x + k, mask=k < K, other=0.0)
        total += w.to(tl.float32) * v[None, :].to(tl.float32)
    tl.store(y + m, tl.sum(total, 1), mask=m < M)


def test_gemv():
    a, x, y = torch.randn(21, 75).half(), torch.randn(75).half(), torch.empty(21)
    gemv[(3,)](a, x, y, 21, 75, BLOCK_M=8, BLOCK_K=32)
    torch.testing.assert_close(y, a.float() @ x.float(), rtol=1e-4, atol=1e-4)


@triton.jit
def lora(x, w, down, up, out, M, N, K, scale, RANK: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
         BLOCK_K: tl.constexpr):
    """x w + scale * (x down) up, both products in one loop."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    r = tl.arange(0, RANK)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    low = tl.zeros((BLOCK_M, RANK), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        a = tl.load(x + m[:, None] * K + k[None, :], mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(w + k[:, None] * N + n[None, :], mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        d = tl.load(down + k[:, None] * RANK + r[None, :], mask=k[:, None] < K, other=0.0)
        total = tl.dot(a, b, total)
        low = tl.dot(a, d, low)
    u = tl.load(up + r[:, None] * N + n[None, :], mask=n[None, :] < N, other=0.0)
    total += tl.dot(low, u) * scale
    tl.store(out + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def test_lora():
    x, w, down, up = torch.randn(9, 40), torch.randn(40, 20), torch.randn(40, 16), torch.randn(16, 20)
    out = torch.empty(9, 20)
    lora[(1, 2)](x, w, down, up, out, 9, 20, 40, 0.5, RANK=16, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
    torch.testing.assert_close(out, x @ w + 0.5 * (x @ down) @ up, rtol=1e-4, atol=1e-4)


@triton.jit
def conv2d_implicit(x, w, bias, out, C, H, W, OC, OH, OW, total_pixels, stride, padding, KH: tl.constexpr,
                    KW: tl.constexpr, BLOCK_P: tl.constexpr, BLOCK_O: tl.constexpr, BLOCK_K: tl.constexpr):
    """NCHW convolution as a matrix product over output pixels x (channels * taps); indices by division."""
    p = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    o = tl.program_id(1) * BLOCK_O + tl.arange(0, BLOCK_O)
    image, rest = p // (OH * OW), p % (OH * OW)
    y0, x0 = rest // OW * stride - padding, rest % OW * stride - padding
    depth = C * KH * KW
    total = tl.zeros((BLOCK_P, BLOCK_O), tl.float32)
    for start in range(0, depth, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        channel, tap = k // (KH * KW), k % (KH * KW)
        iy = y0[:, None] + (tap // KW)[None, :]
        ix = x0[:, None] + (tap % KW)[None, :]
        valid = (p[:, None] < total_pixels) & (k[None, :] < depth) & (iy >= 0) & (iy < H) & (ix >= 0) & (ix < W)
        v = tl.load(x + ((image[:, None] * C + channel[None, :]) * H + iy) * W + ix, mask=valid, other=0.0)
        f = tl.load(w + o[None, :] * depth + k[:, None], mask=(o[None, :] < OC) & (k[:, None] < depth), other=0.0)
        total = tl.dot(v, f, total)
    total += tl.load(bias + o, mask=o < OC, other=0.0)[None, :]
    at = image[:, None] * OC * OH * OW + o[None, :] * OH * OW + rest[:, None]
    tl.store(out + at, total, mask=(p[:, None] < total_pixels) & (o[None, :] < OC))


@pytest.mark.parametrize(("stride", "padding"), [(1, 1), (2, 0)])
def test_conv2d_implicit(stride, padding):
    x, w, b = torch.randn(2, 3, 9, 8), torch.randn(5, 3, 3, 3), torch.randn(5)
    expected = F.conv2d(x, w, b, stride=stride, padding=padding)
    n, oc, oh, ow = expected.shape
    out = torch.empty_like(expected)
    conv2d_implicit[(triton.cdiv(n * oh * ow, 16), 1)](x, w, b, out, 3, 9, 8, oc, oh, ow, n * oh * ow, stride, padding,
                                                       KH=3, KW=3, BLOCK_P=16, BLOCK_O=8, BLOCK_K=16)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)


@triton.jit
def depthwise_conv(x, w, out, H, W, K: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    channel = tl.program_id(0)
    i = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    j = tl.program_id(2) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    total = tl.zeros((BLOCK_H, BLOCK_W), tl.float32)
    for dy in tl.static_range(K):
        for dx in tl.static_range(K):
            y, z = i + dy - K // 2, j + dx - K // 2
            v = tl.load(x + (channel * H + y) * W + z, mask=(y >= 0) & (y < H) & (z >= 0) & (z < W), other=0.0)
            total += v * tl.load(w + (channel * K + dy) * K + dx)
    tl.store(out + (channel * H + i) * W + j, total, mask=(i < H) & (j < W))


def test_depthwise_conv():
    x, w = torch.randn(3, 11, 20), torch.randn(3, 3, 3)
    out = torch.empty_like(x)
    depthwise_conv[(3, 2, 2)](x, w, out, 11, 20, K=3, BLOCK_H=8, BLOCK_W=16)
    torch.testing.assert_close(out, F.conv2d(x[None], w[:, None], padding=1, groups=3)[0], rtol=1e-4, atol=1e-5)


@triton.jit
def causal_conv1d(x, w, bias, out, channels, length, WIDTH: tl.constexpr, BLOCK_C: tl.constexpr, BLOCK_T: tl.constexpr):
    """Channels last, SiLU after: the convolution of state-space models."""
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    t = tl.program_id(1) * BLOCK_T + tl.arange(0, BLOCK_T)
    total = tl.zeros((BLOCK_T, BLOCK_C), tl.float32) + tl.load(bias + c, mask=c < channels, other=0.0)[None, :]
    for k in tl.static_range(WIDTH):
        source = t + k - (WIDTH - 1)
        v = tl.load(x + source[:, None] * channels + c[None, :],
                    mask=(source[:, None] >= 0) & (source[:, None] < length) & (c[None, :] < channels), other=0.0)
        total += v * tl.load(w + c * WIDTH + k, mask=c < channels, other=0.0)[None, :]
    tl.store(out + t[:, None] * channels + c[None, :], total * tl.sigmoid(total),
             mask=(t[:, None] < length) & (c[None, :] < channels))


def test_causal_conv1d():
    x, w, b = torch.randn(30, 20), torch.randn(20, 4), torch.randn(20)
    out = torch.empty_like(x)
    causal_conv1d[(2, 2)](x, w, b, out, 20, 30, WIDTH=4, BLOCK_C=16, BLOCK_T=16)
    expected = F.silu(F.conv1d(F.pad(x.t(), (3, 0))[None], w[:, None], b, groups=20)[0].t())
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)


@triton.jit
def dot_types(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    tl.store(c + m[:, None] * N + n[None, :], tl.dot(x, y, out_dtype=OUT))


@pytest.mark.parametrize(("dtype", "out"), [(torch.float16, tl.float32), (torch.float16, tl.float16),
                                            (torch.bfloat16, tl.float32), (torch.int8, tl.int32),
                                            (torch.float64, tl.float64)])
def test_dot_types(dtype, out):
    a, b = (torch.randn(16, 32).mul(3 if dtype.is_floating_point else 40).to(dtype) for _ in range(2))
    b = b.reshape(32, 16)
    result = {tl.float32: torch.float32, tl.float16: torch.float16, tl.int32: torch.int32, tl.float64: torch.float64}
    c = torch.empty(16, 16, dtype=result[out])
    dot_types[(1,)](a, b, c, M=16, N=16, K=32, OUT=out)
    expected = (a.double() @ b.double()).to(result[out])
    rtol, atol = (1e-2, 0.5) if out == tl.float16 else (1e-4, 1e-3)
    torch.testing.assert_close(c, expected, rtol=rtol, atol=atol)


@triton.jit
def outer_and_trace(x, y, out, trace, N: tl.constexpr):
    i = tl.arange(0, N)
    o = tl.load(x + i)[:, None] * tl.load(y + i)[None, :]
    tl.store(out + i[:, None] * N + i[None, :], tl.trans(o))
    tl.store(trace, tl.sum(tl.where(i[:, None] == i[None, :], o, 0.0)))


def test_outer_and_trace():
    x, y, out, trace = torch.randn(16), torch.randn(16), torch.empty(16, 16), torch.empty(1)
    outer_and_trace[(1,)](x, y, out, trace, N=16)
    torch.testing.assert_close(out, torch.outer(y, x))
    torch.testing.assert_close(trace[0], x @ y)


@triton.jit
def rows_upwards(a, b, c, out, K: tl.constexpr):
    p, m, n, k = tl.program_id(0), tl.arange(0, 16)[:, None], tl.arange(0, 64), tl.arange(0, K)[None, :]
    x, y = tl.load(a + 7 * m + 0 * k), tl.load(b + 5 * n[:, None] - k + p * 320)
    start = (tl.load(c + 67 * m - 2 * n[None, :] + p) % 50).to(tl.float32)
    product = tl.dot(x.to(tl.float16), tl.permute(y, (1, 0)), acc=start)
    tl.store(out + (15 - m) * 64 + n[None, :] + p * 1024, product)


def test_rows_upwards(monkeypatch):
    """The product adds to what stands in rows that run backwards: no vector may be loaded from such a view."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    a, b, c = torch.randn(106), torch.randn(2 + 5 * 64).half(), torch.randint(0, 99, (1200,), dtype=torch.int16)
    out = torch.empty(16, 64)
    rows_upwards[(1,)](a, b[1:], c[128:], out, K=2)
    m, n = torch.arange(16)[:, None], torch.arange(64)
    right = b[1:][5 * n].float() + b[5 * n].float()
    expected = a.half().float()[7 * m] * right + c[128 + 67 * m - 2 * n].remainder(50)
    torch.testing.assert_close(out.flip(0), expected, rtol=1e-4, atol=1e-4)


@triton.jit
def stream_k(a, b, c, locks, M, N, K, share, total, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    done, last, steps = tl.program_id(0) * share, tl.minimum((tl.program_id(0) + 1) * share, total), tl.cdiv(K, BK)
    while done < last:
        tile, first = done // steps, done % steps
        end = tl.minimum(last, (tile + 1) * steps)
        rows = tile // tl.cdiv(N, BN) * BM + tl.arange(0, BM)[:, None]
        columns = tile % tl.cdiv(N, BN) * BN + tl.arange(0, BN)[None, :]
        sums = tl.zeros((BM, BN), tl.float32)
        for step in range(first, first + end - done):
            down, across = step * BK + tl.arange(0, BK)[:, None], step * BK + tl.arange(0, BK)[None, :]
            sums += tl.dot(tl.load(a + rows * K + across, mask=(rows < M) & (across < K), other=0.),
                           tl.load(b + down * N + columns, mask=(down < K) & (columns < N), other=0.))
        place, inside = c + rows * N + columns, (rows < M) & (columns < N)
        if first == 0:
            tl.store(place, sums, mask=inside)
            if end < (tile + 1) * steps:
                tl.atomic_xchg(locks + tile, 1)
        else:
            while tl.atomic_cas(locks + tile, 1, 1) != 1:
                pass
            tl.atomic_add(place, sums, mask=inside)
        done = end


def test_transfers_in_a_loop_carry_nothing_from_round_to_round(monkeypatch):
    """A transfer's tag had a stack slot that the first round of the outer loop read before anybody wrote it."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    a, b, c = torch.randn(33, 70), torch.randn(70, 40), torch.full((33, 40), 9.0)
    with sim.checking() as reports:
        stream_k[(6,)](a, b, c, torch.zeros(9, dtype=torch.int32), 33, 40, 70, 8, 45, BM=16, BN=16, BK=16)
    assert not reports, reports[0]
    torch.testing.assert_close(c, a @ b, rtol=1e-4, atol=1e-4)


@triton.jit
def added_and_kept(x, y, sums, kept, BLOCK: tl.constexpr):
    i, j = tl.arange(0, 16)[:, None], tl.arange(0, BLOCK)[None, :]
    a = tl.load(x + i * BLOCK + j)
    start = a.to(tl.float32)
    total = tl.dot(a, tl.load(y + tl.arange(0, BLOCK)[:, None] * BLOCK + j), acc=start)
    tl.store(sums + i * BLOCK + j, total)
    tl.store(kept + i * BLOCK + j, start, mask=(total > 0) & (j < 3))


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("executor", ["host", "sim"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_what_a_product_starts_from_is_read_behind_it(monkeypatch, executor, dtype):
    """Both would have been computed where the product is stored."""
    monkeypatch.setenv("HEXMLIR_EXECUTOR", executor)
    torch.manual_seed(0)
    x, y = (torch.randint(-9, 10, shape).to(dtype) for shape in ((16, 32), (32, 32)))
    sums, kept = torch.zeros(16, 32), torch.full((16, 32), 7.0)
    added_and_kept[(1,)](x, y, sums, kept, BLOCK=32)
    total = x.float() @ y.float() + x.float()
    assert torch.equal(sums, total)
    mask = (total > 0) & (torch.arange(32) < 3)
    assert torch.equal(kept, torch.where(mask, x.float(), 7.0))
