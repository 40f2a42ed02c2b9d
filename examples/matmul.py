"""Matrix multiplication: a block of the result per program, a loop over K, every edge masked.

Run it: ``python examples/matmul.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def matmul(a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """c = a b for a (M, K), b (K, N) with any strides; sums in f32."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    left = a + m[:, None] * a_row + k[None, :] * a_column
    right = b + k[:, None] * b_row + n[None, :] * b_column
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(left, mask=(m[:, None] < M) & (k[None, :] < K - start), other=0.0)
        y = tl.load(right, mask=(k[:, None] < K - start) & (n[None, :] < N), other=0.0)
        total = tl.dot(x, y, acc=total)
        left += BLOCK_K * a_column
        right += BLOCK_K * b_row
    tl.store(c + m[:, None] * c_row + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


def run(a: torch.Tensor, b: torch.Tensor, **launch: str) -> torch.Tensor:
    """a @ b in f32; ``launch`` goes to the kernel launch."""
    (rows, depth), columns = a.shape, b.shape[1]
    c = torch.empty(rows, columns)
    grid = (triton.cdiv(rows, 32), triton.cdiv(columns, 64))
    matmul[grid](a, b, c, rows, columns, depth, *a.stride(), *b.stride(), c.stride(0),
                 BLOCK_M=32, BLOCK_N=64, BLOCK_K=64, **launch)
    return c


def main() -> None:
    """Compare with PyTorch and print shape, largest error and cycles."""
    activate()
    for dtype in (torch.float32, torch.float16):
        a, b = torch.randn(123, 200).to(dtype), torch.randn(200, 77).to(dtype)
        report(f"matmul {dtype}", run(a, b), a.float() @ b.float())


if __name__ == "__main__":
    main()
