"""GELU in its tanh form, with f32 arithmetic on f32 or f16 data.

Run it: ``python examples/gelu.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    """out[i] = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))), written with a sigmoid: no tanh needed."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    v = tl.load(x + offsets, mask=mask).to(tl.float32)
    inner = 1.5957691216057308 * (v + 0.044715 * v * v * v)  # 2 * sqrt(2 / pi)
    tl.store(out + offsets, v / (1.0 + tl.exp(-inner)), mask=mask)  # the store rounds to the type of out


def run(x: torch.Tensor, block: int = 16384, **launch: str) -> torch.Tensor:
    """GELU of every element of ``x`` (contiguous); ``launch`` goes to the kernel launch."""
    out = torch.empty_like(x)
    gelu[(triton.cdiv(x.numel(), block),)](x, out, x.numel(), BLOCK=block, **launch)
    return out


def main() -> None:
    """Compare with PyTorch and print shape, largest error and cycles."""
    activate()
    for dtype in (torch.float32, torch.float16):
        x = (torch.randn(100_003) * 4).to(dtype)
        expected = torch.nn.functional.gelu(x.float(), approximate="tanh").to(dtype)
        report(f"gelu {dtype}", run(x), expected)


if __name__ == "__main__":
    main()
