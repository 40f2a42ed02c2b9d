"""RMS normalisation over rows, with a learned weight.

Run it: ``python examples/rms_norm.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def rms_norm(x, weight, out, columns, stride, eps, BLOCK: tl.constexpr):
    """out[row] = x[row] / sqrt(mean(x[row]^2) + eps) * weight."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    v = tl.load(x + row * stride + offsets, mask=mask, other=0.0).to(tl.float32)
    w = tl.load(weight + offsets, mask=mask, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(v * v, 0) / columns + eps)
    tl.store(out + row * columns + offsets, v * scale * w, mask=mask)


def run(x: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6, **launch: str) -> torch.Tensor:
    """The rows of ``x`` normalised and scaled by ``weight``; ``launch`` goes to the kernel launch."""
    rows, columns = x.shape
    out = torch.empty(rows, columns, dtype=x.dtype)
    rms_norm[(rows,)](x, weight, out, columns, x.stride(0), eps, BLOCK=triton.next_power_of_2(columns),
                     **launch)
    return out


def main() -> None:
    """Compare with PyTorch and print shape, largest error and cycles."""
    activate()
    x, weight = torch.randn(127, 513), torch.randn(513)
    report("rms_norm", run(x, weight), torch.nn.functional.rms_norm(x, (513,), weight, 1e-6))


if __name__ == "__main__":
    main()
