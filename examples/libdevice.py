"""Mathematical functions beyond Triton's own, through ``triton.language.extra.libdevice``.

Run it: ``python examples/libdevice.py``
"""

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def arc_sine(x, out, n, BLOCK: tl.constexpr):
    """out[i] = asin(x[i])"""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(out + i, libdevice.asin(v), mask=i < n)


@triton.jit
def mixed(x, out, n, BLOCK: tl.constexpr):
    """out[i] = log1p(expm1(x)) + atan2(tanh(x), cosh(x)): several functions in one kernel."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    w = libdevice.log1p(libdevice.expm1(v)) + libdevice.atan2(libdevice.tanh(v), libdevice.cosh(v))
    tl.store(out + i, w, mask=i < n)


def run(x: torch.Tensor, block: int = 1024, **launch: str) -> tuple[torch.Tensor, torch.Tensor]:
    """asin of ``x`` (contiguous) and the mixed expression."""
    first, second = torch.empty_like(x), torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), block),)
    arc_sine[grid](x, first, x.numel(), BLOCK=block, **launch)
    mixed[grid](x, second, x.numel(), BLOCK=block, **launch)
    return first, second


def expected(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The same by PyTorch, in f64."""
    v = x.double()
    mixed = torch.log1p(torch.expm1(v)) + torch.atan2(torch.tanh(v), torch.cosh(v))
    return torch.asin(v).to(x.dtype), mixed.to(x.dtype)


def main() -> None:
    """Compare with PyTorch and print shape, largest error and cycles."""
    activate()
    x = torch.rand(9_973) * 2 - 1
    for actual, wanted in zip(run(x), expected(x), strict=True):
        report("libdevice", actual, wanted)


if __name__ == "__main__":
    main()
