"""Kernels over pointers and masks in published styles: wrap-around, overlapping views, pointers that loops carry.

`CASES` are functions that launch one and give the tensors it wrote; `test_pointer_forms` compares them with Triton's
interpreter.
"""

import torch
import triton
import triton.language as tl

CASES = []


def case(function):
    """Adds ``function`` to `CASES`."""
    CASES.append(function)
    return function


def normal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def integers(low, high, *shape, seed=1, dtype=torch.int32):
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@triton.jit
def mm_mod_kernel(
    a, b, c, M, N, K, sam, sak, sbk, sbn, scm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, G: tl.constexpr
):
    pid = tl.program_id(0)
    nm = tl.cdiv(M, BM)
    nn = tl.cdiv(N, BN)
    ing = G * nn
    g = pid // ing
    first = g * G
    gs = min(nm - first, G)
    pm = first + ((pid % ing) % gs)
    pn = (pid % ing) // gs
    om = (pm * BM + tl.arange(0, BM)) % M
    on = (pn * BN + tl.arange(0, BN)) % N
    ok = tl.arange(0, BK)
    pa = a + (om[:, None] * sam + ok[None, :] * sak)
    pb = b + (ok[:, None] * sbk + on[None, :] * sbn)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=ok[None, :] < K - k * BK, other=0.0)
        y = tl.load(pb, mask=ok[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, y, acc)
        pa += BK * sak
        pb += BK * sbk
    om = pm * BM + tl.arange(0, BM)
    on = pn * BN + tl.arange(0, BN)
    tl.store(c + scm * om[:, None] + on[None, :], acc, mask=(om[:, None] < M) & (on[None, :] < N))


def product(a, b):
    M, K = a.shape
    N = b.shape[1]
    c = torch.zeros(M, N)
    mm_mod_kernel[(triton.cdiv(M, 16) * triton.cdiv(N, 16),)](
        a, b, c, M, N, K, *a.stride(), *b.stride(), N, BM=16, BN=16, BK=16, G=2
    )
    return [c]


@case
def mm_mod():
    return product(normal(37, 29), normal(29, 43))


@case
def mm_mod_t():
    return product(normal(29, 37).T, normal(43, 29).T)


@case
def mm_expanded():
    return product(normal(1, 29).expand(20, 29), normal(29, 43))


@triton.jit
def interleaved_rope_kernel(q, cos, sin, out, D: tl.constexpr):
    t = tl.program_id(0)
    i = tl.arange(0, D)
    x = tl.load(q + t * D + i)
    y = tl.load(q + t * D + (i ^ 1))
    y = tl.where(i % 2 == 0, -y, y)
    tl.store(out + t * D + i, x * tl.load(cos + t * D // 2 + i // 2) + y * tl.load(sin + t * D // 2 + i // 2))


@case
def rope_xor():
    out = torch.zeros(4, 32)
    interleaved_rope_kernel[(4,)](normal(4, 32), normal(4, 16), normal(4, 16, seed=3), out, D=32)
    return [out]


@triton.jit
def im2col_kernel(
    x,
    w,
    out,
    C,
    H,
    W,
    OH,
    OW,
    KH: tl.constexpr,
    KW: tl.constexpr,
    S: tl.constexpr,
    P: tl.constexpr,
    CHANNELS: tl.constexpr,
    BP: tl.constexpr,
    BK: tl.constexpr,
):
    p = tl.program_id(0) * BP + tl.arange(0, BP)
    oh, ow = p // OW, p % OW
    o = tl.arange(0, CHANNELS)
    acc = tl.zeros((BP, CHANNELS), tl.float32)
    for k0 in range(0, C * KH * KW, BK):
        k = k0 + tl.arange(0, BK)
        c, r = k // (KH * KW), k % (KH * KW)
        kh, kw = r // KW, r % KW
        h = oh[:, None] * S - P + kh[None, :]
        ww = ow[:, None] * S - P + kw[None, :]
        m = (h >= 0) & (h < H) & (ww >= 0) & (ww < W) & (k[None, :] < C * KH * KW) & (p[:, None] < OH * OW)
        xv = tl.load(x + c[None, :] * H * W + h * W + ww, mask=m, other=0.0)
        wv = tl.load(w + o[None, :] * (C * KH * KW) + k[:, None], mask=k[:, None] < C * KH * KW, other=0.0)
        acc += tl.dot(xv, wv)
    tl.store(out + o[None, :] * (OH * OW) + p[:, None], acc, mask=p[:, None] < OH * OW)


@case
def conv_implicit():
    out = torch.zeros(16, 4, 5)
    im2col_kernel[(2,)](
        normal(3, 7, 9), normal(16, 27), out, 3, 7, 9, 4, 5, KH=3, KW=3, S=2, P=1, CHANNELS=16, BP=16, BK=16
    )
    return [out]


@triton.jit
def transposed_conv_kernel(x, w, out, H, OH, S, P, K: tl.constexpr, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for k in range(K):
        n = o + P - k
        i = n // S
        acc += tl.load(x + i, mask=(n >= 0) & (n % S == 0) & (i < H) & (o < OH), other=0.0) * tl.load(w + k)
    tl.store(out + o, acc, mask=o < OH)


@case
def conv_transposed():
    out = torch.zeros(33)
    transposed_conv_kernel[(3,)](normal(17), normal(3), out, 17, 33, 2, 1, K=3, B=16)
    return [out]


@triton.jit
def roll_load_kernel(x, out, n, shift, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    s = i - shift
    s = tl.where(s < 0, s + n, s)
    tl.store(out + i, tl.load(x + s, mask=i < n), mask=i < n)


@case
def roll_where():
    out = torch.zeros(50)
    roll_load_kernel[(4,)](normal(50), out, 50, 13, B=16)
    return [out]


@triton.jit
def reflect_kernel(x, out, n, pad, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    i = o - pad
    i = tl.where(i < 0, -i, i)
    i = tl.where(i >= n, 2 * (n - 1) - i, i)
    tl.store(out + o, tl.load(x + i, mask=o < n + 2 * pad), mask=o < n + 2 * pad)


@case
def pad_reflect():
    out = torch.zeros(36)
    reflect_kernel[(3,)](normal(26), out, 26, 5, B=16)
    return [out]


@triton.jit
def replicate2d_kernel(x, out, H, W, P: tl.constexpr, BH: tl.constexpr, BW: tl.constexpr):
    h, w = tl.arange(0, BH)[:, None], tl.arange(0, BW)[None, :]
    ih = tl.minimum(tl.maximum(h - P, 0), H - 1)
    iw = tl.minimum(tl.maximum(w - P, 0), W - 1)
    m = (h < H + 2 * P) & (w < W + 2 * P)
    tl.store(out + h * (W + 2 * P) + w, tl.load(x + ih * W + iw, mask=m, other=0.0), mask=m)


@case
def pad_replicate():
    out = torch.zeros(11, 13)
    replicate2d_kernel[(1,)](normal(7, 9), out, 7, 9, P=2, BH=16, BW=16)
    return [out]


@triton.jit
def circular_kernel(x, out, pos, n, W: tl.constexpr, B: tl.constexpr):
    i = tl.arange(0, B)
    slot = (pos - 1 - i) % W
    slot = tl.where(slot < 0, slot + W, slot)
    tl.store(out + i, tl.load(x + slot, mask=i < n, other=-1.0))


@case
def ring_buffer():
    out = torch.zeros(32)
    circular_kernel[(1,)](normal(20), out, 7, 20, W=20, B=32)
    return [out]


@triton.jit
def neg_kernel(x, out, M, N, sm, sn, B: tl.constexpr):
    m, n = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    p = x + (M - 1) * sm + (N - 1) * sn
    v = tl.load(p - m * sm - n * sn, mask=(m < M) & (n < N), other=0.0)
    tl.store(out + m * B + n, v)


@case
def negative_strides():
    out = torch.zeros(16, 16)
    neg_kernel[(1,)](normal(11, 13), out, 11, 13, 13, 1, B=16)
    return [out]


@triton.jit
def mirrored_kernel(x, out, n, N: tl.constexpr, STRIDE: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + STRIDE * (N - 1 - i), mask=(i > 2) & (i < N - 5), other=7.0)
    tl.store(out + STRIDE * (N - 1 - i), v + tl.load(x + N - 1 - i, mask=i < n))
    rows, columns = tl.arange(0, 4)[:, None], tl.arange(0, N // 4)[None, :]
    upside_down = tl.load(x + (3 - rows) * (N // 4) + columns)
    tl.store(out + STRIDE * N + rows * (N // 4) + (N // 4 - 1 - columns), upside_down)


@case
def mirrored():
    results = []
    for size, stride in ((64, 1), (256, 3), (64, 2), (512, 5)):
        out = torch.zeros(size * (stride + 1))
        mirrored_kernel[(1,)](normal(size * stride), out, size // 2 + 1, N=size, STRIDE=stride)
        results.append(out)
    return results


@triton.jit
def copy2_kernel(x, out, M, N, sm, sn, om, on, B: tl.constexpr):
    m, n = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    tl.store(out + m * om + n * on, tl.load(x + m * sm + n * sn, mask=(m < M) & (n < N)) + 1, mask=(m < M) & (n < N))


@case
def copy_zero_stride():
    x = normal(11).expand(7, 11)
    out = torch.zeros(7, 11)
    copy2_kernel[(1,)](x, out, 7, 11, *x.stride(), *out.stride(), B=16)
    return [out]


@case
def copy_window():
    x = normal(30).as_strided((10, 8), (2, 1))
    out = torch.zeros(8, 10).T
    copy2_kernel[(1,)](x, out, 10, 8, *x.stride(), *out.stride(), B=16)
    return [out.contiguous()]


@case
def copy_inplace_transposed_view():
    x = normal(16, 16)
    copy2_kernel[(1,)](x, x.T, 16, 16, *x.stride(), *x.T.stride(), B=16)
    return [x]


@triton.jit
def ptr_loop2_kernel(x, out, n, s, B: tl.constexpr):
    p = x + tl.arange(0, B)[:, None] * s + tl.arange(0, B)[None, :]
    acc = tl.zeros((B, B), tl.float32)
    for i in range(n):
        acc += tl.load(p)
        if i % 2 == 0:
            p += 1
        else:
            p += s
    tl.store(out + tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :], acc)


@case
def pointer_zigzag():
    out = torch.zeros(8, 8)
    ptr_loop2_kernel[(1,)](normal(20, 20), out, 7, 20, B=8)
    return [out]


@triton.jit
def ptr_swap_kernel(x, y, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    p, q = x + i, y + i
    acc = tl.zeros((B,), tl.float32)
    for _ in range(n):
        acc = acc * 2 + tl.load(p) - tl.load(q)
        p, q = q + 1, p + 2
    tl.store(out + i, acc)


@case
def pointer_swap():
    out = torch.zeros(16)
    ptr_swap_kernel[(1,)](normal(40), normal(40, seed=4), out, 5, B=16)
    return [out]


@triton.jit
def linked_kernel(nxt, val, out, start, n, B: tl.constexpr):
    at = tl.load(start + tl.arange(0, B))
    acc = tl.zeros((B,), tl.float32)
    while tl.max(tl.where(at >= 0, 1, 0)) > 0:
        live = at >= 0
        acc += tl.load(val + at, mask=live, other=0.0)
        at = tl.load(nxt + at, mask=live, other=-1)
    tl.store(out + tl.arange(0, B), acc)


@case
def linked_list():
    nxt = torch.arange(19, -1, -1, dtype=torch.int32) - 3
    nxt = torch.where(torch.arange(20) > 0, torch.arange(20) // 2 - 1, -1).to(torch.int32)
    out = torch.zeros(8)
    linked_kernel[(1,)](nxt, normal(20), out, integers(0, 20, 8), 20, B=8)
    return [out]


@triton.jit
def band_kernel(x, out, n, W: tl.constexpr, B: tl.constexpr):
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    m = (tl.abs(i - j) <= W) & (i < n) & (j < n)
    tl.store(out + i * n + j, tl.load(x + i * n + j, mask=m, other=0.0), mask=(i < n) & (j < n))


@case
def banded():
    out = torch.zeros(13, 13)
    band_kernel[(1,)](normal(13, 13), out, 13, W=2, B=16)
    return [out]


@triton.jit
def triu_pack_kernel(x, out, n, B: tl.constexpr):
    i, j = tl.arange(0, B)[:, None], tl.arange(0, B)[None, :]
    m = (j >= i) & (j < n) & (i < n)
    tl.store(out + i * n - i * (i - 1) // 2 + (j - i), tl.load(x + i * n + j, mask=m), mask=m)


@case
def triu_pack():
    out = torch.zeros(13 * 14 // 2)
    triu_pack_kernel[(1,)](normal(13, 13), out, 13, B=16)
    return [out]


@triton.jit
def permute5_kernel(x, out, n, A, B_, C, D, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = o % D
    r = o // D
    b = r % B_
    r = r // B_
    c = r % C
    a = r // C
    tl.store(out + o, tl.load(x + ((a * B_ + b) * C + c) * D + d, mask=o < n, other=0.0), mask=o < n)


@case
def permute_divmod():
    out = torch.zeros(2, 4, 3, 5)
    permute5_kernel[(4,)](normal(2, 3, 4, 5), out, 120, 2, 3, 4, 5, BLOCK=32)
    return [out]


@triton.jit
def int4_kernel(qw, scale, out, K, N, GROUP: tl.constexpr, BK: tl.constexpr, BN: tl.constexpr):
    k, n = tl.arange(0, BK), tl.arange(0, BN)
    m = (k < K)[:, None] & (n < N)[None, :]
    w = tl.load(qw + (k[:, None] // 8) * N + n[None, :], mask=m, other=0)
    v = ((w >> ((k[:, None] % 8) * 4)) & 0xF).to(tl.float32) - 8.0
    s = tl.load(scale + (k[:, None] // GROUP) * N + n[None, :], mask=m, other=0.0)
    tl.store(out + k[:, None] * N + n[None, :], v * s, mask=m)


@case
def int4_dequant():
    out = torch.zeros(32, 13)
    int4_kernel[(1,)](integers(-(2**31), 2**31 - 1, 4, 13), normal(4, 13), out, 32, 13, GROUP=8, BK=32, BN=16)
    return [out]


@triton.jit
def or_mask_kernel(x, out, n, lo, hi, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = ((i < lo) | (i >= hi)) & (i < n)
    tl.store(out + i, tl.load(x + i, mask=m, other=5.0), mask=~((i < lo) & (i > 2)) & (i < n))


@case
def or_not_mask():
    out = torch.zeros(50)
    or_mask_kernel[(4,)](normal(50), out, 50, 10, 30, B=16)
    return [out]


@triton.jit
def seg_kernel(x, seg, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    s = tl.load(seg + i, mask=i < n, other=-1)
    prev = tl.load(seg + i - 1, mask=(i > 0) & (i < n), other=-2)
    nxt = tl.load(seg + i + 1, mask=i + 1 < n, other=-3)
    c = tl.cumsum(tl.load(x + i, mask=i < n, other=0.0), 0)
    tl.store(out + s * 2, c, mask=(i < n) & (nxt != s))
    tl.store(out + s * 2 + 1, i.to(tl.float32), mask=(i < n) & (prev != s))


@case
def segment_bounds():
    out = torch.zeros(8, 2)
    seg_kernel[(1,)](normal(20), integers(0, 8, 20).sort()[0].to(torch.int32), out, 20, B=32)
    return [out]


@triton.jit
def nd_kernel(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, sa, sb, sc):
    a, b, c = tl.arange(0, A)[:, None, None], tl.arange(0, B)[None, :, None], tl.arange(0, C)[None, None, :]
    v = tl.load(x + ((a + b) % A) * sa + ((b * 3 + c) % B) * sb + (c // 2) * sc, mask=(a + c < 9), other=-1.0)
    tl.store(out + (a * B + b) * C + c, tl.permute(v, (0, 1, 2)))


@case
def mixed_3d():
    out = torch.zeros(4, 8, 16)
    nd_kernel[(1,)](normal(4, 8, 16), out, A=4, B=8, C=16, sa=128, sb=16, sc=1)
    return [out]


@triton.jit
def gs_kernel(x, idx, out, n, S, B: tl.constexpr):
    """grid-stride loop with a gather inside"""
    for start in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        i = start + tl.arange(0, B)
        r = tl.load(idx + i % S, mask=i < n, other=0)
        tl.store(out + i, tl.load(x + r * S + i // S, mask=i < n, other=0.0), mask=i < n)


@case
def grid_stride_gather():
    out = torch.zeros(60)
    gs_kernel[(2,)](normal(20, 10), integers(0, 20, 10), out, 60, 10, B=8)
    return [out]


@triton.jit
def shl_kernel(x, out, B: tl.constexpr):
    i = tl.arange(0, B)
    at = ((i << 3) | (i >> 1)) & 63
    tl.store(out + i, tl.load(x + at) + tl.load(x + (i * 5 & 31)) + tl.load(x + (63 - i)))


@case
def bit_indices():
    out = torch.zeros(32)
    shl_kernel[(1,)](normal(64), out, B=32)
    return [out]


@triton.jit
def stride_overlap_kernel(x, out, n, HOP, F: tl.constexpr, W: tl.constexpr):
    f, w = tl.arange(0, F)[:, None], tl.arange(0, W)[None, :]
    v = tl.load(x + f * HOP + w, mask=f * HOP + w < n, other=0.0)
    tl.store(out + f, tl.sum(v * v, 1)[:, None])


@case
def stft_frames():
    out = torch.zeros(8)
    stride_overlap_kernel[(1,)](normal(40), out, 40, 5, F=8, W=16)
    return [out]
