"""Normalisations: one or two passes over rows, Welford's update, statistics across strided dimensions."""

import pytest
import torch
import triton
import triton.language as tl

F = torch.nn.functional


@triton.jit
def _welford(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    count = count_a + count_b
    share = tl.where(count == 0, 0.0, count_b / count)
    delta = mean_b - mean_a
    return mean_a + delta * share, m2_a + m2_b + delta * delta * count_a * share, count


@triton.jit
def layer_norm_welford(x, weight, bias, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    mean = tl.zeros((BLOCK,), tl.float32)
    m2 = tl.zeros((BLOCK,), tl.float32)
    count = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        valid = i < columns
        v = tl.load(x + i, mask=valid, other=0.0).to(tl.float32)
        new_count = count + 1
        delta = v - mean
        new_mean = mean + delta / new_count
        m2 = tl.where(valid, m2 + delta * (v - new_mean), m2)
        mean = tl.where(valid, new_mean, mean)
        count = tl.where(valid, new_count, count)
    average, square, number = tl.reduce((mean, m2, count), 0, _welford)
    scale = 1.0 / tl.sqrt_rn(square / number + eps)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        valid = i < columns
        v = tl.load(x + i, mask=valid, other=0.0, eviction_policy="evict_first").to(tl.float32)
        w = tl.load(weight + i, mask=valid, eviction_policy="evict_last")
        b = tl.load(bias + i, mask=valid, eviction_policy="evict_last")
        tl.store(out + i, (v - average) * scale * w + b, mask=valid)


@pytest.mark.each_value
@pytest.mark.parametrize("columns", [1, 50, 128, 333])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_layer_norm_welford(columns, dtype):
    x = (torch.randn(4, columns) * 3 + 5).to(dtype)
    w, b = torch.randn(columns), torch.randn(columns)
    out = torch.empty_like(x)
    layer_norm_welford[(4,)](x, w, b, out, columns, 1e-5, BLOCK=64)
    expected = F.layer_norm(x.float(), (columns,), w, b).to(dtype)
    torch.testing.assert_close(out, expected, rtol=2e-3, atol=2e-3 if dtype == torch.float16 else 1e-4)


@triton.jit
def add_rms_norm(x, residual, weight, out, columns, stride, eps, BLOCK: tl.constexpr):
    """The residual is updated in place, as inference engines do."""
    row = tl.program_id(0).to(tl.int64)
    i = tl.arange(0, BLOCK)
    valid = i < columns
    v = tl.load(x + row * stride + i, mask=valid, other=0.0).to(tl.float32)
    r = tl.load(residual + row * stride + i, mask=valid, other=0.0).to(tl.float32)
    v += r
    tl.store(residual + row * stride + i, v.to(residual.dtype.element_ty), mask=valid)
    scale = tl.math.rsqrt(tl.sum(v * v) / columns + eps)
    w = tl.load(weight + i, mask=valid)
    tl.store(out + row * stride + i, (v * scale).to(out.dtype.element_ty) * w, mask=valid)


@pytest.mark.parametrize("columns", [64, 100])
def test_add_rms_norm(columns):
    x, residual, w = torch.randn(3, columns), torch.randn(3, columns), torch.randn(columns)
    total = x + residual
    out = torch.empty_like(x)
    add_rms_norm[(3,)](x, residual, w, out, columns, x.stride(0), 1e-6, BLOCK=128)
    torch.testing.assert_close(residual, total)
    torch.testing.assert_close(out, F.rms_norm(total, (columns,), w, 1e-6), rtol=1e-5, atol=1e-5)


@triton.jit
def group_norm(x, weight, bias, out, channels, pixels, groups, eps, BLOCK_C: tl.constexpr, BLOCK_P: tl.constexpr):
    """NCHW data; a program takes one group of one image, walked in tiles of channels x pixels."""
    image, group = tl.program_id(0), tl.program_id(1)
    size = channels // groups
    base = (image * channels + group * size) * pixels
    total = tl.zeros((BLOCK_C, BLOCK_P), tl.float32)
    squares = tl.zeros((BLOCK_C, BLOCK_P), tl.float32)
    for c0 in range(0, size, BLOCK_C):
        c = c0 + tl.arange(0, BLOCK_C)[:, None]
        for p0 in tl.range(0, pixels, BLOCK_P, num_stages=2):
            p = p0 + tl.arange(0, BLOCK_P)[None, :]
            v = tl.load(x + base + c * pixels + p, mask=(c < size) & (p < pixels), other=0.0)
            total += v
            squares += v * v
    n = size * pixels
    mean = tl.sum(tl.sum(total, 1), 0) / n
    variance = tl.sum(tl.sum(squares, 1), 0) / n - mean * mean
    scale = tl.rsqrt(variance + eps)
    for c0 in range(0, size, BLOCK_C):
        c = c0 + tl.arange(0, BLOCK_C)[:, None]
        w = tl.load(weight + group * size + c, mask=c < size)
        b = tl.load(bias + group * size + c, mask=c < size)
        for p0 in range(0, pixels, BLOCK_P):
            p = p0 + tl.arange(0, BLOCK_P)[None, :]
            valid = (c < size) & (p < pixels)
            v = tl.load(x + base + c * pixels + p, mask=valid)
            tl.store(out + base + c * pixels + p, (v - mean) * scale * w + b, mask=valid)


def test_group_norm():
    x, w, b = torch.randn(2, 12, 5, 7), torch.randn(12), torch.randn(12)
    out = torch.empty_like(x)
    group_norm[(2, 3)](x, w, b, out, 12, 35, 3, 1e-5, BLOCK_C=2, BLOCK_P=16)
    torch.testing.assert_close(out, F.group_norm(x, 3, w, b), rtol=1e-4, atol=1e-5)


@triton.jit
def batch_norm_train(x, weight, bias, out, running_mean, running_var, images, channels, pixels, momentum, eps,
                     BLOCK: tl.constexpr):
    """A program per channel; statistics over images and pixels; running averages in place."""
    c = tl.program_id(0)
    total, squares = 0.0, 0.0
    for n in range(images):
        for start in range(0, pixels, BLOCK):
            p = start + tl.arange(0, BLOCK)
            v = tl.load(x + (n * channels + c) * pixels + p, mask=p < pixels, other=0.0)
            total += tl.sum(v)
            squares += tl.sum(v * v)
    count = images * pixels
    mean = total / count
    variance = squares / count - mean * mean
    tl.store(running_mean + c, (1 - momentum) * tl.load(running_mean + c) + momentum * mean)
    tl.store(running_var + c, (1 - momentum) * tl.load(running_var + c) + momentum * variance * count / (count - 1))
    scale = tl.load(weight + c) * tl.rsqrt(variance + eps)
    shift = tl.load(bias + c) - mean * scale
    for n in range(images):
        for start in range(0, pixels, BLOCK):
            p = start + tl.arange(0, BLOCK)
            at = (n * channels + c) * pixels + p
            tl.store(out + at, tl.load(x + at, mask=p < pixels) * scale + shift, mask=p < pixels)


def test_batch_norm_train():
    x, w, b = torch.randn(3, 4, 5, 7) * 2 + 1, torch.randn(4), torch.randn(4)
    mean, var = torch.randn(4), torch.rand(4)
    expected_mean, expected_var = mean.clone(), var.clone()
    expected = F.batch_norm(x, expected_mean, expected_var, w, b, training=True, momentum=0.1)
    out = torch.empty_like(x)
    batch_norm_train[(4,)](x, w, b, out, mean, var, 3, 4, 35, 0.1, 1e-5, BLOCK=16)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(mean, expected_mean, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(var, expected_var, rtol=1e-4, atol=1e-4)


@triton.jit
def softmax_online(x, out, columns, stride, BLOCK: tl.constexpr):
    """Rows of any length: running maximum and sum, then a second pass."""
    row = tl.program_id(0)
    x_row = x + row * stride
    largest = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x_row + i, mask=i < columns, other=-float("inf"))
        new = tl.maximum(largest, tl.max(v, axis=0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(v - new), axis=0)
        largest = new
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x_row + i, mask=i < columns)
        tl.store(out + row * columns + i, tl.exp(v - largest) / total, mask=i < columns)


@pytest.mark.parametrize("columns", [1, 63, 200])
def test_softmax_online(columns):
    x = torch.randn(3, columns) * 10
    out = torch.empty_like(x)
    softmax_online[(3,)](x, out, columns, x.stride(0), BLOCK=64)
    torch.testing.assert_close(out, torch.softmax(x, 1), rtol=1e-5, atol=1e-7)


@triton.jit
def _merge_softmax(m_a, s_a, m_b, s_b):
    m = tl.maximum(m_a, m_b)
    return m, s_a * tl.exp(m_a - m) + s_b * tl.exp(m_b - m)


@triton.jit
def log_softmax_pairs(x, out, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    """A reduction over pairs (maximum, scaled sum), several rows per program."""
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)[:, None]
    c = tl.arange(0, BLOCK_C)[None, :]
    valid = (r < rows) & (c < columns)
    v = tl.load(x + r * columns + c, mask=valid, other=-1e30)
    m, s = tl.reduce((v, tl.full((BLOCK_R, BLOCK_C), 1.0, tl.float32)), 1, _merge_softmax)
    tl.store(out + r * columns + c, v - m[:, None] - tl.log(s)[:, None], mask=valid)


def test_log_softmax_pairs():
    x = torch.randn(7, 45) * 4
    out = torch.empty_like(x)
    log_softmax_pairs[(2,)](x, out, 7, 45, BLOCK_R=4, BLOCK_C=64)
    torch.testing.assert_close(out, torch.log_softmax(x, 1), rtol=1e-5, atol=1e-5)


@triton.jit
def l2_normalize_columns(x, out, rows, columns, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    """Normalises columns: the reduced dimension is the strided one."""
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    squares = tl.zeros((BLOCK_C,), tl.float32)
    for start in range(0, rows, BLOCK_R):
        r = start + tl.arange(0, BLOCK_R)
        v = tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns), other=0.0)
        squares += tl.sum(v * v, axis=0)
    norm = tl.sqrt(squares)
    for start in range(0, rows, BLOCK_R):
        r = start + tl.arange(0, BLOCK_R)
        at = r[:, None] * columns + c[None, :]
        valid = (r[:, None] < rows) & (c[None, :] < columns)
        tl.store(out + at, tl.load(x + at, mask=valid) / norm[None, :], mask=valid)


def test_l2_normalize_columns():
    x = torch.randn(21, 40)
    out = torch.empty_like(x)
    l2_normalize_columns[(3,)](x, out, 21, 40, BLOCK_R=8, BLOCK_C=16)
    torch.testing.assert_close(out, F.normalize(x, dim=0), rtol=1e-5, atol=1e-6)


@triton.jit
def instance_norm_nhwc(x, out, pixels, channels, eps, BLOCK_P: tl.constexpr, BLOCK_C: tl.constexpr):
    image = tl.program_id(0)
    p, c = tl.arange(0, BLOCK_P), tl.program_id(1) * BLOCK_C + tl.arange(0, BLOCK_C)
    valid = (p[:, None] < pixels) & (c[None, :] < channels)
    at = image * pixels * channels + p[:, None] * channels + c[None, :]
    v = tl.load(x + at, mask=valid, other=0.0)
    mean = tl.sum(v, 0, keep_dims=True) / pixels
    d = tl.where(valid, v - mean, 0.0)
    variance = tl.sum(d * d, 0, keep_dims=True) / pixels
    tl.store(out + at, d / tl.sqrt(variance + eps), mask=valid)


def test_instance_norm_nhwc():
    x = torch.randn(2, 6, 5, 10)
    out = torch.empty_like(x)
    instance_norm_nhwc[(2, 2)](x, out, 30, 10, 1e-5, BLOCK_P=32, BLOCK_C=8)
    expected = F.instance_norm(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)


@triton.jit
def softmax_backward(y, dy, dx, columns, stride_y, stride_dy, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    valid = i < columns
    p = tl.load(y + row * stride_y + i, mask=valid, other=0.0)
    g = tl.load(dy + row * stride_dy + i, mask=valid, other=0.0)
    tl.store(dx + row * columns + i, p * (g - tl.sum(p * g)), mask=valid)


def test_softmax_backward():
    x = torch.randn(5, 37, requires_grad=True)
    y = torch.softmax(x, 1)
    dy = torch.randn(5, 80)[:, :37]
    y.backward(dy)
    dx = torch.empty(5, 37)
    softmax_backward[(5,)](y.detach(), dy, dx, 37, 37, 80, BLOCK=64)
    torch.testing.assert_close(dx, x.grad, rtol=1e-5, atol=1e-6)


@triton.jit
def rms_norm_gradient(dy, x, weight, dx, dw, columns, eps, BLOCK: tl.constexpr):
    """A row per program; rows add their share of the weight's gradient atomically."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    valid = i < columns
    v = tl.load(x + row * columns + i, mask=valid, other=0.0).to(tl.float32)
    g = tl.load(dy + row * columns + i, mask=valid, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, axis=0) / columns + eps)
    normal = v * scale
    weighted = g * tl.load(weight + i, mask=valid, other=0.0).to(tl.float32)
    shared = tl.sum(weighted * normal, axis=0) / columns
    tl.store(dx + row * columns + i, (weighted - normal * shared) * scale, mask=valid)
    tl.atomic_add(dw + i, g * normal, mask=valid)


@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 1e-5), (torch.float16, 3e-3)])
def test_rms_norm_gradient(dtype, tolerance):
    x, dy, weight = torch.randn(7, 77).to(dtype), torch.randn(7, 77).to(dtype), torch.randn(77).to(dtype)
    dx, dw = torch.empty_like(x), torch.zeros(77)
    rms_norm_gradient[(7,)](dy, x, weight, dx, dw, 77, 1e-6, BLOCK=128)
    inputs = x.float().requires_grad_(), weight.float().requires_grad_()
    y = torch.nn.functional.rms_norm(inputs[0], (77,), inputs[1], 1e-6)
    expected = torch.autograd.grad(y, inputs, dy.float())
    torch.testing.assert_close(dx.float(), expected[0], rtol=tolerance, atol=tolerance)
    torch.testing.assert_close(dw, expected[1], rtol=1e-4, atol=1e-5)
