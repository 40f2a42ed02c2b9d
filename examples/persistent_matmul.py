"""A matrix product by a fixed number of programs that read and write whole tiles through tensor descriptors.

Run it: ``python examples/persistent_matmul.py``
"""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def _tile(number, m_tiles, n_tiles, GROUP: tl.constexpr):
    """Tiles in groups of GROUP rows: neighbours in time share operands."""
    first = number // (GROUP * n_tiles) * GROUP
    rows = min(m_tiles - first, GROUP)
    within = number % (GROUP * n_tiles)
    return first + within % rows, within // rows


@triton.jit
def persistent_matmul(a, b, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
                      GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    """c = a b^T for descriptors of a (M, K), b (N, K), c (M, N); the edges need no masks."""
    m_tiles, n_tiles = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for number in tl.range(tl.program_id(0), m_tiles * n_tiles, PROGRAMS, flatten=True):
        i, j = _tile(number, m_tiles, n_tiles, GROUP)
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for k in range(tl.cdiv(K, BLOCK_K)):
            x = a.load([i * BLOCK_M, k * BLOCK_K])
            y = b.load([j * BLOCK_N, k * BLOCK_K])
            total = tl.dot(x, y.T, total)
        c.store([i * BLOCK_M, j * BLOCK_N], total.to(c.dtype))


def run(a: torch.Tensor, b: torch.Tensor, programs: int = 4, **launch: str) -> torch.Tensor:
    """a @ b.t() for a (M, K), b (N, K); rows must start at multiples of 16 bytes."""
    (M, K), N = a.shape, b.shape[0]
    pitch = 16 // a.element_size()
    c = torch.empty(M, -(-N // pitch) * pitch, dtype=a.dtype)[:, :N]
    described = (TensorDescriptor.from_tensor(t, [32, 32]) for t in (a, b, c))
    persistent_matmul[(programs,)](*described, M, N, K, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32, GROUP=4, PROGRAMS=programs,
                                   **launch)
    return c


def main() -> None:
    """Compare with PyTorch and print shape, largest error and cycles."""
    activate()
    for dtype in (torch.float32, torch.float16):
        a, b = torch.randn(100, 72).to(dtype), torch.randn(90, 72).to(dtype)
        report(f"persistent_matmul {dtype}", run(a, b), (a.float() @ b.float().t()).to(dtype))


if __name__ == "__main__":
    main()
