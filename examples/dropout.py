"""Dropout whose mask is never stored: the random number of an element follows from the seed and its position.

Run it: ``python examples/dropout.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    """out[i] = x[i] / (1 - p) with probability 1 - p, else 0."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=valid) / (1 - p), 0.0), mask=valid)


def run(x: torch.Tensor, p: float, seed: int, block: int = 1024, **launch: str) -> torch.Tensor:
    """``x`` (contiguous) with elements dropped; the same seed drops the same ones, whatever the block."""
    out = torch.empty_like(x)
    dropout[(triton.cdiv(x.numel(), block),)](x, out, x.numel(), p, seed, BLOCK=block, **launch)
    return out


def main() -> None:
    """The backward pass is the same kernel on the gradient: compare with the mask seen in the forward pass."""
    activate()
    x, gradient = torch.rand(10_007) + 1, torch.randn(10_007)
    y = run(x, 0.3, seed=17)
    report("dropout", run(gradient, 0.3, seed=17), torch.where(y != 0, gradient / 0.7, 0.0))


if __name__ == "__main__":
    main()
