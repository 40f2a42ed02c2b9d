"""Layer normalisation with its gradient: rows forward; backward, rows share partial sums of the weights' gradients.

Run it: ``python examples/layer_norm.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def forward(x, out, weight, bias, mean, rstd, stride, columns, eps, BLOCK: tl.constexpr):
    """Row by row, in blocks: one pass for the mean, one for the variance, one to normalise."""
    row = tl.program_id(0)
    x += row * stride
    out += row * stride
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32)
    average = tl.sum(total, axis=0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.where(i < columns, tl.load(x + i, mask=i < columns, other=0.0).to(tl.float32) - average, 0.0)
        squares += d * d
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        valid = i < columns
        w, b = tl.load(weight + i, mask=valid), tl.load(bias + i, mask=valid)
        v = tl.load(x + i, mask=valid, other=0.0).to(tl.float32)
        tl.store(out + i, (v - average) * scale * w + b, mask=valid)


@triton.jit
def backward_rows(dx, dy, partial_w, partial_b, x, weight, mean, rstd, locks, stride, columns,
                  GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """The gradient of a row; its share of the weights' gradients joins one of GROUPS partial sums, under a lock."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    valid = i < columns
    v = tl.load(x + row * stride + i, mask=valid, other=0.0).to(tl.float32)
    g = tl.load(dy + row * stride + i, mask=valid, other=0.0).to(tl.float32)
    w = tl.load(weight + i, mask=valid).to(tl.float32)
    average, scale = tl.load(mean + row), tl.load(rstd + row)
    normal = tl.where(valid, (v - average) * scale, 0.0)
    weighted = tl.where(valid, w * g, 0.0)
    c1 = tl.sum(normal * weighted, axis=0) / columns
    c2 = tl.sum(weighted, axis=0) / columns
    tl.store(dx + row * stride + i, (weighted - normal * c1 - c2) * scale, mask=valid)
    sum_w, sum_b = g * normal, g
    group = row % GROUPS
    lock, used = locks + group, locks + GROUPS + group
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(used) == 0:
        tl.atomic_xchg(used, 1)
    else:
        sum_w += tl.load(partial_w + group * columns + i, mask=valid)
        sum_b += tl.load(partial_b + group * columns + i, mask=valid)
    tl.store(partial_w + group * columns + i, sum_w, mask=valid)
    tl.store(partial_b + group * columns + i, sum_b, mask=valid)
    tl.debug_barrier()  # all writes before the lock opens
    tl.atomic_xchg(lock, 0)


@triton.jit
def backward_weights(partial_w, partial_b, dw, db, groups, columns, BLOCK_G: tl.constexpr, BLOCK_C: tl.constexpr):
    """Adds up the partial sums, a block of columns per program."""
    c = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    w = tl.zeros((BLOCK_G, BLOCK_C), tl.float32)
    b = tl.zeros((BLOCK_G, BLOCK_C), tl.float32)
    for start in range(0, groups, BLOCK_G):
        r = start + tl.arange(0, BLOCK_G)
        valid = (r[:, None] < groups) & (c[None, :] < columns)
        at = r[:, None] * columns + c[None, :]
        w += tl.load(partial_w + at, mask=valid, other=0.0)
        b += tl.load(partial_b + at, mask=valid, other=0.0)
    tl.store(dw + c, tl.sum(w, axis=0), mask=c < columns)
    tl.store(db + c, tl.sum(b, axis=0), mask=c < columns)


class LayerNorm(torch.autograd.Function):
    """Differentiable: ``LayerNorm.apply(x, weight, bias, eps)`` for x (rows, columns), contiguous."""

    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        rows, columns = x.shape
        out, mean, rstd = torch.empty_like(x), torch.empty(rows), torch.empty(rows)
        forward[(rows,)](x, out, weight, bias, mean, rstd, x.stride(0), columns, eps,
                         BLOCK=min(1024, triton.next_power_of_2(columns)))
        ctx.save_for_backward(x, weight, mean, rstd)
        return out

    @staticmethod
    def backward(ctx, dy):
        x, weight, mean, rstd = ctx.saved_tensors
        rows, columns = x.shape
        groups = min(rows, 4)
        locks = torch.zeros(2 * groups, dtype=torch.int32)
        partial_w, partial_b = torch.zeros(groups, columns), torch.zeros(groups, columns)
        dx, dw, db = torch.empty_like(dy), torch.empty_like(weight), torch.empty_like(weight)
        backward_rows[(rows,)](dx, dy.contiguous(), partial_w, partial_b, x, weight, mean, rstd, locks, x.stride(0),
                               columns, GROUPS=groups, BLOCK=triton.next_power_of_2(columns))
        backward_weights[(triton.cdiv(columns, 64),)](partial_w, partial_b, dw, db, groups, columns,
                                                      BLOCK_G=4, BLOCK_C=64)
        return dx, dw, db, None


def run(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
    """Normalised rows of ``x``; gradients flow."""
    return LayerNorm.apply(x, weight, bias, eps)


def main() -> None:
    """Compare values and gradients with PyTorch."""
    activate()
    x, weight, bias = (torch.randn(shape, requires_grad=True) for shape in ((37, 300), (300,), (300,)))
    dy = torch.randn(37, 300)
    y = torch.nn.functional.layer_norm(x, (300,), weight, bias)
    expected = torch.autograd.grad(y, (x, weight, bias), dy)
    actual = run(x, weight, bias)
    report("layer_norm", actual.detach(), y.detach())
    gradients = torch.autograd.grad(actual, (x, weight, bias), dy)
    for name, a, b in zip(("dx", "dw", "db"), gradients, expected, strict=True):
        report(f"layer_norm {name}", a, b)


if __name__ == "__main__":
    main()
