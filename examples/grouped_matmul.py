"""Many matrix products of different sizes in one launch: programs walk over the tiles of all of them.

Run it: ``python examples/grouped_matmul.py``
"""

import torch
import triton
import triton.language as tl

from hexagon_mlir.frontend.triton import activate
from hexagon_mlir.report.check import report


@triton.jit
def grouped_matmul(addresses, sizes, groups, DTYPE: tl.constexpr, PROGRAMS: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """``addresses`` (groups, 3) holds where a, b and c are; ``sizes`` (groups, 3) holds M, N, K; all contiguous."""
    tile, done = tl.program_id(0), 0
    for g in range(groups):
        M, N, K = tl.load(sizes + 3 * g), tl.load(sizes + 3 * g + 1), tl.load(sizes + 3 * g + 2)
        n_tiles = tl.cdiv(N, BLOCK_N)
        count = tl.cdiv(M, BLOCK_M) * n_tiles
        while (tile >= done) & (tile < done + count):
            a = tl.load(addresses + 3 * g).to(tl.pointer_type(DTYPE))
            b = tl.load(addresses + 3 * g + 1).to(tl.pointer_type(DTYPE))
            c = tl.load(addresses + 3 * g + 2).to(tl.pointer_type(DTYPE))
            m = (tile - done) // n_tiles * BLOCK_M + tl.arange(0, BLOCK_M)
            n = (tile - done) % n_tiles * BLOCK_N + tl.arange(0, BLOCK_N)
            k = tl.arange(0, BLOCK_K)
            left, right = a + m[:, None] * K + k[None, :], b + k[:, None] * N + n[None, :]
            total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for start in range(0, K, BLOCK_K):
                x = tl.load(left, mask=(m[:, None] < M) & (k[None, :] < K - start), other=0.0)
                y = tl.load(right, mask=(k[:, None] < K - start) & (n[None, :] < N), other=0.0)
                total = tl.dot(x, y, total)
                left += BLOCK_K
                right += BLOCK_K * N
            tl.store(c + m[:, None] * N + n[None, :], total.to(DTYPE), mask=(m[:, None] < M) & (n[None, :] < N))
            tile += PROGRAMS
        done += count


def run(pairs: list[tuple[torch.Tensor, torch.Tensor]], programs: int = 4) -> list[torch.Tensor]:
    """a @ b for each pair (contiguous, all of one dtype)."""
    dtype = pairs[0][0].dtype
    results = [torch.empty(a.shape[0], b.shape[1], dtype=dtype) for a, b in pairs]
    addresses = torch.tensor([t.data_ptr() for (a, b), c in zip(pairs, results, strict=True) for t in (a, b, c)])
    sizes = torch.tensor([[a.shape[0], b.shape[1], a.shape[1]] for a, b in pairs], dtype=torch.int32)
    element = tl.float16 if dtype == torch.float16 else tl.float32
    grouped_matmul[(programs,)](addresses, sizes, len(pairs), DTYPE=element, PROGRAMS=programs, BLOCK_M=32, BLOCK_N=32,
                                BLOCK_K=32)
    return results


def main() -> None:
    """Compare with PyTorch."""
    activate()
    pairs = [(torch.randn(m, k), torch.randn(k, n)) for m, n, k in ((64, 32, 40), (17, 90, 33), (5, 5, 100))]
    for (a, b), c in zip(pairs, run(pairs), strict=True):
        report("grouped_matmul", c, a @ b)


if __name__ == "__main__":
    main()
