"""Optimisers, losses, dropout and other kernels of training loops."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

F = torch.nn.functional


@triton.jit
def _decayed(average, value, beta):
    return average * beta + value * (1 - beta)


@triton.jit
def _adam(p, g, m, v, lr, beta1, beta2, eps, decay, correct1, correct2):
    p *= 1 - lr * decay
    m, v = _decayed(m, g, beta1), _decayed(v, g * g, beta2)
    p -= lr * (m / correct1) / (tl.sqrt(v / correct2) + eps)
    return p, m, v


@triton.jit
def adamw(weights, grads, first, second, n, lr, beta1, beta2, eps, decay, correct1, correct2, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    p, m, v = _adam(tl.load(weights + i, mask=valid), tl.load(grads + i, mask=valid), tl.load(first + i, mask=valid),
                    tl.load(second + i, mask=valid), lr, beta1, beta2, eps, decay, correct1, correct2)
    tl.store(weights + i, p, mask=valid)
    tl.store(first + i, m, mask=valid)
    tl.store(second + i, v, mask=valid)


def test_adamw():
    x = torch.randn(150)
    p = x.clone().requires_grad_()
    optimizer = torch.optim.AdamW([p], lr=0.1, weight_decay=0.05)
    m, v = torch.zeros(150), torch.zeros(150)
    for step in (1, 2, 3):
        g = torch.randn(150)
        p.grad = g
        optimizer.step()
        adamw[(3,)](x, g, m, v, 150, 0.1, 0.9, 0.999, 1e-8, 0.05, 1 - 0.9**step, 1 - 0.999**step, BLOCK=64)
    torch.testing.assert_close(x, p.detach(), rtol=1e-4, atol=1e-5)


@triton.jit
def lion(weights, grads, momentum, n, lr, beta1, beta2, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p, g = tl.load(weights + i, mask=i < n), tl.load(grads + i, mask=i < n)
    m = tl.load(momentum + i, mask=i < n)
    c = m * beta1 + g * (1 - beta1)
    sign = tl.where(c > 0, 1.0, tl.where(c < 0, -1.0, 0.0))
    tl.store(weights + i, p - lr * sign, mask=i < n)
    tl.store(momentum + i, m * beta2 + g * (1 - beta2), mask=i < n)


def test_lion():
    p, g, m = torch.randn(3, 100).unbind()
    g[:10], m[:10] = 0, 0
    expected = p - 0.01 * (m * 0.9 + g * (1 - 0.9)).sign(), m * 0.99 + g * (1 - 0.99)
    p, m = p.clone(), m.clone()
    lion[(2,)](p, g, m, 100, 0.01, 0.9, 0.99, BLOCK=64)
    torch.testing.assert_close(p, expected[0])
    torch.testing.assert_close(m, expected[1])


@triton.jit
def squared_norm(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(tl.program_id(0) * BLOCK, n, BLOCK * tl.num_programs(0)):
        i = start + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n, other=0.0)
        total += v * v
    tl.atomic_add(out, tl.sum(total))


@triton.jit
def clip_by_norm(x, norm, limit, n, BLOCK: tl.constexpr):
    scale = tl.minimum(limit / (tl.sqrt(tl.load(norm)) + 1e-6), 1.0)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * scale, mask=i < n)


@pytest.mark.parametrize("limit", [0.5, 1000.0])
def test_clip_gradients(limit):
    x = torch.randn(200)
    p = torch.zeros(200, requires_grad=True)
    p.grad = x.clone()
    torch.nn.utils.clip_grad_norm_([p], limit)
    norm = torch.zeros(1)
    squared_norm[(3,)](x, norm, 200, BLOCK=32)
    clip_by_norm[(4,)](x, norm, limit, 200, BLOCK=64)
    torch.testing.assert_close(x, p.grad, rtol=1e-5, atol=1e-6)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


def test_dropout():
    x = torch.randn(1000)
    runs = []
    for seed in (7, 7, 8):
        out = torch.empty(1000)
        dropout[(4,)](x, out, 1000, 0.3, seed, BLOCK=256)
        torch.testing.assert_close(out[out != 0], (x / 0.7)[out != 0])
        assert 0.6 < (out != 0).float().mean() < 0.8
        runs.append(out)
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def philox(seed, offsets):
    """Philox 4x32-10 as its authors publish it, counter (offset, 0, 0, 0)."""
    c = [offsets.astype(np.uint64), *(np.zeros_like(offsets, dtype=np.uint64) for _ in range(3))]
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)]
    mask = np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ key[0], b & mask, (a >> np.uint64(32)) ^ c[3] ^ key[1], a & mask]
        key = [(key[0] + np.uint64(0x9E3779B9)) & mask, (key[1] + np.uint64(0xBB67AE85)) & mask]
    return c


@triton.jit
def random_numbers(ints, uniform, normal, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(ints + i, tl.randint(seed, i))
    tl.store(uniform + i, tl.rand(seed, i))
    tl.store(normal + i, tl.randn(seed, i))


@pytest.mark.parametrize("seed", [0, 12345, 2**40 + 3])
def test_random_numbers(seed):
    n = 512
    ints, uniform, normal = torch.empty(n, dtype=torch.int32), torch.empty(n), torch.empty(n)
    random_numbers[(2,)](ints, uniform, normal, seed, BLOCK=256)
    expected = philox(seed, np.arange(n))[0].astype(np.uint32).view(np.int32)
    assert np.array_equal(ints.numpy(), expected)
    assert uniform.min() >= 0
    assert uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.05
    assert abs(normal.mean()) < 0.15
    assert abs(normal.std() - 1) < 0.12


@triton.jit
def losses(x, target, mse, huber, bce, n, delta, BLOCK: tl.constexpr):
    """Three losses summed over the grid by atomics."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    v, t = tl.load(x + i, mask=valid, other=0.0), tl.load(target + i, mask=valid, other=0.0)
    d = v - t
    tl.atomic_add(mse, tl.sum(tl.where(valid, d * d, 0.0)) / n)
    a = tl.abs(d)
    h = tl.where(a < delta, 0.5 * d * d, delta * (a - 0.5 * delta))
    tl.atomic_add(huber, tl.sum(tl.where(valid, h, 0.0)) / n)
    b = tl.maximum(v, 0.0) - v * t + tl.log(1 + tl.exp(-tl.abs(v)))
    tl.atomic_add(bce, tl.sum(tl.where(valid, b, 0.0)) / n)


def test_losses():
    x, t = torch.randn(100) * 2, torch.rand(100)
    mse, huber, bce = torch.zeros(1), torch.zeros(1), torch.zeros(1)
    losses[(2,)](x, t, mse, huber, bce, 100, 0.8, BLOCK=64)
    torch.testing.assert_close(mse[0], F.mse_loss(x, t), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(huber[0], F.huber_loss(x, t, delta=0.8), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(bce[0], F.binary_cross_entropy_with_logits(x, t), rtol=1e-5, atol=1e-6)


@triton.jit
def kl_divergence(logits, target, out, classes, BLOCK: tl.constexpr, LOG_TARGET: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < classes
    x = tl.load(logits + row * classes + i, mask=m, other=0.0)
    t = tl.load(target + row * classes + i, mask=m, other=0.0)
    v = tl.exp(t) * (t - x) if LOG_TARGET else t * (tl.log(tl.maximum(t, 1e-10)) - x)
    tl.store(out + row, tl.sum(tl.where(m, v, 0.0)))


@pytest.mark.parametrize("log_target", [False, True])
def test_kl_divergence(log_target):
    x, t = torch.log_softmax(torch.randn(4, 50), 1), torch.log_softmax(torch.randn(4, 50), 1)
    if not log_target:
        t = t.exp()
    out = torch.empty(4)
    kl_divergence[(4,)](x, t, out, 50, BLOCK=64, LOG_TARGET=log_target)
    expected = F.kl_div(x, t, reduction="none", log_target=log_target).sum(1)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)


@triton.jit
def layer_norm_backward(dx, dy, dw, db, x, w, mean, rstd, locks, columns, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows share GROUPS partial sums of the weight gradient, guarded by spin locks."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < columns
    v = tl.load(x + row * columns + i, mask=m, other=0.0)
    g = tl.load(dy + row * columns + i, mask=m, other=0.0)
    weight = tl.load(w + i, mask=m, other=0.0)
    average, scale = tl.load(mean + row), tl.load(rstd + row)
    normal = tl.where(m, (v - average) * scale, 0.0)
    wg = tl.where(m, weight * g, 0.0)
    c1, c2 = tl.sum(normal * wg, 0) / columns, tl.sum(wg, 0) / columns
    tl.store(dx + row * columns + i, (wg - (normal * c1 + c2)) * scale, mask=m)
    group = row % GROUPS
    lock, count = locks + group, locks + GROUPS + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    used = tl.load(count)
    pw, pb = g * normal, g
    if used == 0:
        tl.atomic_xchg(count, 1)
    else:
        pw += tl.load(dw + group * columns + i, mask=m)
        pb += tl.load(db + group * columns + i, mask=m)
    tl.store(dw + group * columns + i, pw, mask=m)
    tl.store(db + group * columns + i, pb, mask=m)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


def test_layer_norm_backward():
    rows, columns, groups = 7, 45, 3
    x, w, b = torch.randn(rows, columns, requires_grad=True), torch.randn(columns, requires_grad=True), torch.randn(
        columns, requires_grad=True)
    dy = torch.randn(rows, columns)
    F.layer_norm(x, (columns,), w, b).backward(dy)
    mean = x.detach().mean(1)
    rstd = 1 / (x.detach().var(1, unbiased=False) + 1e-5).sqrt()
    dx, dw, db = torch.empty(rows, columns), torch.zeros(groups, columns), torch.zeros(groups, columns)
    layer_norm_backward[(rows,)](dx, dy, dw, db, x.detach(), w.detach(), mean, rstd,
                                 torch.zeros(2 * groups, dtype=torch.int32), columns, GROUPS=groups, BLOCK=64)
    torch.testing.assert_close(dx, x.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(dw.sum(0), w.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(db.sum(0), b.grad, rtol=1e-4, atol=1e-5)


@triton.jit
def grouped_sum_of_tuples(x, y, out, n, BLOCK: tl.constexpr):
    """Tuples travel through helper functions and loops."""
    pointers = (x, y)
    total = (0.0, 0.0)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total = (total[0] + tl.sum(tl.load(pointers[0] + i, mask=i < n, other=0.0)),
                 total[1] + tl.sum(tl.load(pointers[1] + i, mask=i < n, other=0.0)))
    for k in tl.static_range(2):
        tl.store(out + k, total[k])


def test_tuples():
    x, y, out = torch.randn(50), torch.randn(50), torch.empty(2)
    grouped_sum_of_tuples[(1,)](x, y, out, 50, BLOCK=16)
    torch.testing.assert_close(out, torch.stack([x.sum(), y.sum()]), rtol=1e-5, atol=1e-5)
