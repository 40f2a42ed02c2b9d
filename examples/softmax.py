"""Softmax over rows: one program per row, the row padded to a power of two with -inf.

Run it: ``python examples/softmax.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    """out[row] = exp(x[row] - max(x[row])), divided by its sum."""
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    v = tl.load(x + row * stride + offsets, mask=mask, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + offsets, e / tl.sum(e, 0), mask=mask)


def run(x: torch.Tensor, **launch: str) -> torch.Tensor:
    """Softmax of the rows of ``x`` (rows may be strided); ``launch`` goes to the kernel launch."""
    rows, columns = x.shape
    out = torch.empty(rows, columns, dtype=x.dtype)
    softmax[(rows,)](x, out, columns, x.stride(0), BLOCK=triton.next_power_of_2(columns), **launch)
    return out


def main() -> None:
    """Compare with PyTorch and print shape, largest error and cycles."""
    activate()
    x = torch.randn(128, 781) * 5
    report("softmax", run(x), torch.softmax(x, 1))


if __name__ == "__main__":
    main()
