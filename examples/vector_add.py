"""Vector addition: one program per block, the last block ragged; and the same over a matrix.

Run it: ``python examples/vector_add.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    """out[i] = x[i] + y[i] for i < n."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask)
    tl.store(out + offsets, total, mask=mask)


@triton.jit
def matrix_add(x, y, out, rows, columns, stride, BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr):
    """The same for (rows, columns) matrices whose rows are ``stride`` elements apart."""
    i = tl.program_id(0) * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)[:, None]
    j = tl.program_id(1) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)[None, :]
    mask = (i < rows) & (j < columns)
    at = i * stride + j
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


def run(x: torch.Tensor, y: torch.Tensor, block: int = 16384, **launch: str) -> torch.Tensor:
    """x + y for vectors or matrices; ``launch`` goes to the kernel launch (``pipeline="scalar"``)."""
    out = torch.empty_like(x)
    if x.dim() == 1:
        vector_add[(triton.cdiv(x.numel(), block),)](x, y, out, x.numel(), BLOCK=block, **launch)
    else:
        rows, columns = x.shape
        block_rows, block_columns = 4, min(16384, triton.next_power_of_2(columns))
        grid = (triton.cdiv(rows, block_rows), triton.cdiv(columns, block_columns))
        matrix_add[grid](x, y, out, rows, columns, x.stride(0),
                         BLOCK_ROWS=block_rows, BLOCK_COLUMNS=block_columns, **launch)
    return out


def main() -> None:
    """Compare with PyTorch and print shape, largest error and cycles."""
    activate()
    for shape in ((100_003,), (64, 16384)):
        x, y = torch.randn(shape), torch.randn(shape)
        report("vector_add", run(x, y), x + y)


if __name__ == "__main__":
    main()
