"""Stencils, pooling, resampling, layout changes and gathers over images and volumes."""

import pytest
import torch
import triton
import triton.language as tl

from hexagon_mlir.exec import sim

F = torch.nn.functional


@triton.jit
def jacobi(x, out, H, W, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    i = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    j = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    inner = (i > 0) & (i < H - 1) & (j > 0) & (j < W - 1)
    at = x + i * W + j
    up, down = tl.load(at - W, mask=inner), tl.load(at + W, mask=inner)
    left, right = tl.load(at - 1, mask=inner), tl.load(at + 1, mask=inner)
    tl.store(out + i * W + j, 0.25 * (up + down + left + right), mask=inner)


def test_jacobi():
    x, out = torch.randn(21, 37), torch.zeros(21, 37)
    jacobi[(3, 3)](x, out, 21, 37, BLOCK_H=8, BLOCK_W=16)
    expected = torch.zeros(21, 37)
    expected[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
    torch.testing.assert_close(out, expected)


@triton.jit
def laplace_3d(x, out, D, H, W, B: tl.constexpr):
    d = tl.program_id(0)
    h = tl.program_id(1) * B + tl.arange(0, B)[:, None]
    w = tl.program_id(2) * B + tl.arange(0, B)[None, :]
    at = (d * H + h) * W + w
    valid = (h < H) & (w < W)
    center = tl.load(x + at, mask=valid)
    total = -6.0 * center
    total += tl.load(x + at - H * W, mask=valid & (d > 0), other=0.0)
    total += tl.load(x + at + H * W, mask=valid & (d < D - 1), other=0.0)
    total += tl.load(x + at - W, mask=valid & (h > 0), other=0.0)
    total += tl.load(x + at + W, mask=valid & (h < H - 1), other=0.0)
    total += tl.load(x + at - 1, mask=valid & (w > 0), other=0.0)
    total += tl.load(x + at + 1, mask=valid & (w < W - 1), other=0.0)
    tl.store(out + at, total, mask=valid)


def test_laplace_3d():
    x = torch.randn(4, 9, 10)
    out = torch.empty_like(x)
    laplace_3d[(4, 2, 2)](x, out, 4, 9, 10, B=8)
    k = torch.zeros(1, 1, 3, 3, 3)
    k[0, 0, 1, 1, :] = k[0, 0, 1, :, 1] = k[0, 0, :, 1, 1] = 1
    k[0, 0, 1, 1, 1] = -6
    torch.testing.assert_close(out, F.conv3d(x[None, None], k, padding=1)[0, 0], rtol=1e-5, atol=1e-5)


@triton.jit
def transpose_tiles(x, out, M, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i[:, None] * N + j[None, :], mask=(i[:, None] < M) & (j[None, :] < N))
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(v), mask=(j[:, None] < N) & (i[None, :] < M))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8, torch.int64])
def test_transpose(dtype):
    x = torch.randint(-99, 99, (23, 40)).to(dtype)
    out = torch.empty(40, 23, dtype=dtype)
    transpose_tiles[(2, 3)](x, out, 23, 40, BLOCK=16)
    assert torch.equal(out, x.t())


@triton.jit
def permute_4d(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    i = tl.arange(0, A * B * C * D)
    v = tl.reshape(tl.load(x + i), (A, B, C, D))
    tl.store(out + i, tl.reshape(tl.permute(v, (2, 0, 3, 1)), (A * B * C * D,)))


def test_permute_4d():
    x = torch.randn(2, 4, 8, 2)
    out = torch.empty(8, 2, 2, 4)
    permute_4d[(1,)](x, out, 2, 4, 8, 2)
    assert torch.equal(out, x.permute(2, 0, 3, 1))


@triton.jit
def max_pool(x, out, indices, H, W, OH, OW, K: tl.constexpr, S: tl.constexpr, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    y, z = p // OW, p % OW
    best = tl.full((BLOCK,), -float("inf"), tl.float32)
    where = tl.zeros((BLOCK,), tl.int64)
    for dy in range(K):
        for dx in range(K):
            at = (y * S + dy) * W + z * S + dx
            v = tl.load(x + plane * H * W + at, mask=p < OH * OW, other=-float("inf"))
            where = tl.where(v > best, at.to(tl.int64), where)
            best = tl.maximum(best, v)
    tl.store(out + plane * OH * OW + p, best, mask=p < OH * OW)
    tl.store(indices + plane * OH * OW + p, where, mask=p < OH * OW)


def test_max_pool():
    x = torch.randn(3, 11, 14)
    expected, where = F.max_pool2d(x, 3, 2, return_indices=True)
    out, indices = torch.empty_like(expected), torch.empty_like(where)
    max_pool[(3, 2)](x, out, indices, 11, 14, *expected.shape[1:], K=3, S=2, BLOCK=16)
    assert torch.equal(out, expected)
    assert torch.equal(indices, where)


@triton.jit
def bilinear(x, out, H, W, OH, OW, BLOCK: tl.constexpr):
    plane = tl.program_id(0)
    p = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    fy = tl.maximum((p // OW + 0.5) * H / OH - 0.5, 0.0)
    fx = tl.maximum((p % OW + 0.5) * W / OW - 0.5, 0.0)
    y0, x0 = fy.to(tl.int32), fx.to(tl.int32)
    y1, x1 = tl.minimum(y0 + 1, H - 1), tl.minimum(x0 + 1, W - 1)
    ly, lx = fy - y0, fx - x0
    m = p < OH * OW
    base = x + plane * H * W
    top = tl.load(base + y0 * W + x0, mask=m) * (1 - lx) + tl.load(base + y0 * W + x1, mask=m) * lx
    low = tl.load(base + y1 * W + x0, mask=m) * (1 - lx) + tl.load(base + y1 * W + x1, mask=m) * lx
    tl.store(out + plane * OH * OW + p, top * (1 - ly) + low * ly, mask=m)


def test_bilinear():
    x, out = torch.randn(2, 5, 6), torch.empty(2, 11, 9)
    bilinear[(2, 4)](x, out, 5, 6, 11, 9, BLOCK=32)
    expected = F.interpolate(x[None], (11, 9), mode="bilinear", align_corners=False)[0]
    torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-5)


@triton.jit
def sampled(x, places, out, channels, H, W, n, BLOCK: tl.constexpr):
    """Bilinear, at given places: four gathers a channel, whose masks are known before the loop over channels."""
    image, i = tl.program_id(1), tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    across = tl.load(places + (image * n + i) * 2, mask=i < n, other=0.0)
    down = tl.load(places + (image * n + i) * 2 + 1, mask=i < n, other=0.0)
    column, row = ((across + 1) * W - 1) * 0.5, ((down + 1) * H - 1) * 0.5
    left, top = tl.floor(column), tl.floor(row)
    right_share, bottom_share = column - left, row - top
    c, r = left.to(tl.int32), top.to(tl.int32)
    for channel in range(channels):
        plane = x + (image * channels + channel) * H * W
        total = tl.zeros((BLOCK,), tl.float32)
        for dy in tl.static_range(2):
            for dx in tl.static_range(2):
                inside = (i < n) & (c + dx >= 0) & (c + dx < W) & (r + dy >= 0) & (r + dy < H)
                value = tl.load(plane + (r + dy) * W + c + dx, mask=inside, other=0.0)
                total += value * (right_share if dx else 1 - right_share) * (bottom_share if dy else 1 - bottom_share)
        tl.store(out + (image * channels + channel) * n + i, total, mask=i < n)


def test_sampled(monkeypatch):
    monkeypatch.setenv("HEXMLIR_EXECUTOR", "sim")
    x, places, out = torch.randn(2, 3, 17, 23), torch.rand(2, 11, 19, 2) * 2.4 - 1.2, torch.empty(2, 3, 11, 19)
    with sim.checking() as reports:
        sampled[(1, 2)](x, places, out, 3, 17, 23, 209, BLOCK=256)
    torch.testing.assert_close(out, torch.nn.functional.grid_sample(x, places, align_corners=False), rtol=1e-4,
                               atol=1e-4)
    assert not reports
    assert sim.history[-1].result.cycles < 60_000  # 696,281 with the masks read element by element


@triton.jit
def pixel_shuffle(x, out, C, H, W, n, R: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column, row, channel = i % (W * R), i // (W * R) % (H * R), i // (W * R * H * R)
    source = channel * R * R + row % R * R + column % R
    tl.store(out + i, tl.load(x + (source * H + row // R) * W + column // R, mask=i < n), mask=i < n)


def test_pixel_shuffle():
    x, out = torch.randn(12, 3, 5), torch.empty(3, 6, 10)
    pixel_shuffle[(6,)](x, out, 3, 3, 5, 180, R=2, BLOCK=32)
    assert torch.equal(out, F.pixel_shuffle(x[None], 2)[0])


@triton.jit
def reflect_pad(x, out, H, W, P: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    i = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    j = tl.arange(0, BLOCK_W)[None, :]
    y, z = tl.abs(i - P), tl.abs(j - P)
    y = tl.where(y >= H, 2 * H - 2 - y, y)
    z = tl.where(z >= W, 2 * W - 2 - z, z)
    valid = (i < H + 2 * P) & (j < W + 2 * P)
    tl.store(out + i * (W + 2 * P) + j, tl.load(x + y * W + z, mask=valid), mask=valid)


def test_reflect_pad():
    x, out = torch.randn(9, 20), torch.empty(13, 24)
    reflect_pad[(2,)](x, out, 9, 20, P=2, BLOCK_H=8, BLOCK_W=32)
    assert torch.equal(out, F.pad(x[None], (2, 2, 2, 2), mode="reflect")[0])


@triton.jit
def index_select(x, index, out, count, rows, columns, AXIS: tl.constexpr, BLOCK_R: tl.constexpr,
                 BLOCK_C: tl.constexpr):
    r, c = tl.arange(0, BLOCK_R), tl.arange(0, BLOCK_C)
    if AXIS == 0:
        i = tl.load(index + r, mask=r < count, other=0)
        i = tl.where(i < 0, i + rows, i)
        valid = (r[:, None] < count) & (c[None, :] < columns)
        v = tl.load(x + i[:, None] * columns + c[None, :], mask=valid)
        tl.store(out + r[:, None] * columns + c[None, :], v, mask=valid)
    else:
        i = tl.load(index + c, mask=c < count, other=0)
        valid = (r[:, None] < rows) & (c[None, :] < count)
        v = tl.load(x + r[:, None] * columns + i[None, :], mask=valid)
        tl.store(out + r[:, None] * count + c[None, :], v, mask=valid)


def test_index_select():
    x = torch.randn(10, 12)
    index = torch.tensor([3, -1, 0, 9, 3])
    out = torch.empty(5, 12)
    index_select[(1,)](x, index, out, 5, 10, 12, AXIS=0, BLOCK_R=8, BLOCK_C=16)
    assert torch.equal(out, x[index])
    columns = torch.tensor([11, 0, 5], dtype=torch.int32)
    out = torch.empty(10, 3)
    index_select[(1,)](x, columns, out, 3, 10, 12, AXIS=1, BLOCK_R=16, BLOCK_C=4)
    assert torch.equal(out, x[:, columns.long()])


@triton.jit
def triangle(x, out, N, diagonal, UPPER: tl.constexpr, BLOCK: tl.constexpr):
    i, j = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :]
    keep = (j - i >= diagonal) if UPPER else (j - i <= diagonal)
    valid = (i < N) & (j < N)
    tl.store(out + i * N + j, tl.load(x + i * N + j, mask=valid & keep, other=0.0), mask=valid)


@pytest.mark.parametrize("diagonal", [-2, 0, 3])
def test_triangles(diagonal):
    x, out = torch.randn(13, 13), torch.empty(13, 13)
    triangle[(1,)](x, out, 13, diagonal, UPPER=True, BLOCK=16)
    assert torch.equal(out, x.triu(diagonal))
    triangle[(1,)](x, out, 13, diagonal, UPPER=False, BLOCK=16)
    assert torch.equal(out, x.tril(diagonal))


@triton.jit
def rotate_and_diagonal(x, rotated, diagonal, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tl.store(rotated + i * N + j, tl.load(x + j * N + (N - 1 - i)))
    k = tl.arange(0, N)
    tl.store(diagonal + k, tl.load(x + k * (N + 1)))


def test_rotate_and_diagonal():
    x, rotated, diagonal = torch.randn(16, 16), torch.empty(16, 16), torch.empty(16)
    rotate_and_diagonal[(1,)](x, rotated, diagonal, N=16)
    assert torch.equal(rotated, x.rot90())
    assert torch.equal(diagonal, x.diagonal())


@triton.jit
def overlapping_windows(x, out, n, hop, WINDOW: tl.constexpr, FRAMES: tl.constexpr):
    """Frames of a signal, each overlapping the next, weighted by a window computed in the kernel."""
    f, w = tl.arange(0, FRAMES)[:, None], tl.arange(0, WINDOW)[None, :]
    at = f * hop + w
    v = tl.load(x + at, mask=at < n, other=0.0)
    hann = 0.5 - 0.5 * tl.cos(w * (6.283185307179586 / WINDOW))
    tl.store(out + f * WINDOW + w, v * hann)


def test_overlapping_windows():
    x, out = torch.randn(60), torch.empty(8, 16)
    overlapping_windows[(1,)](x, out, 60, 7, WINDOW=16, FRAMES=8)
    padded = torch.cat([x, torch.zeros(16)])
    frames = torch.stack([padded[f * 7: f * 7 + 16] for f in range(8)])
    torch.testing.assert_close(out, frames * torch.hann_window(16), rtol=1e-5, atol=1e-6)


@triton.jit
def mandelbrot(out, W, H, LIMIT: tl.constexpr, BLOCK: tl.constexpr):
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    cx, cy = (p % W) * (3.0 / W) - 2.0, (p // W) * (2.0 / H) - 1.0
    x, y = tl.zeros((BLOCK,), tl.float32), tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.int32)
    step = 0
    inside = x * x + y * y <= 4.0
    while (step < LIMIT) & (tl.sum(inside.to(tl.int32), 0) > 0):
        nx = x * x - y * y + cx
        y = tl.where(inside, 2.0 * x * y + cy, y)
        x = tl.where(inside, nx, x)
        count += inside.to(tl.int32)
        inside = x * x + y * y <= 4.0
        step += 1
    tl.store(out + p, count, mask=p < W * H)


def test_mandelbrot():
    out = torch.empty(8, 12, dtype=torch.int32)
    mandelbrot[(3,)](out, 12, 8, LIMIT=20, BLOCK=32)
    p = torch.arange(96)
    c = torch.complex((p % 12) * (3.0 / 12) - 2.0, (p // 12) * (2.0 / 8) - 1.0)
    z, count = torch.zeros(96, dtype=torch.complex64), torch.zeros(96, dtype=torch.int32)
    for _ in range(20):
        inside = z.abs() <= 2
        count += inside
        z = torch.where(inside, z * z + c, z)
    assert (out.reshape(-1) - count).abs().max() <= 1
