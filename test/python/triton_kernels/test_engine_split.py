"""tl.dot of bf16 along a loop on the matrix engine, as numbers of f16 after scaling."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

import hexagon_mlir as hx

SIZE, BLOCK = 256, 64


@triton.jit
def product(a, b, c, N: tl.constexpr, K: tl.constexpr):
    row, step = tl.arange(0, N), tl.arange(0, K)
    sums = tl.zeros((N, N), tl.float32)
    for start in range(0, N, K):
        x = tl.load(a + row[:, None] * N + (start + step)[None, :])
        y = tl.load(b + (start + step)[:, None] * N + row[None, :])
        sums = tl.dot(x, y, sums)
    tl.store(c + row[:, None] * N + row[None, :], sums)


def test_dot_of_bf16():
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((SIZE, SIZE)).astype(ml_dtypes.bfloat16) for _ in range(2))
    cycles = []
    for on_engine in (False, True):
        kernel = hx.compile(product, signature={"a": "*bf16", "b": "*bf16", "c": "*fp32"},
                            constants={"N": SIZE, "K": BLOCK}, matrix_engine=on_engine)
        assert ("hexmlir_engine_hf_pieces" in kernel.asm) == on_engine
        result = np.zeros((SIZE, SIZE), np.float32)
        run = kernel.run(a, b, result, grid=(1,))
        cycles.append(run.result.cycles)
        wide = [one.astype(np.float64) for one in (a, b)]
        error = np.abs(result - wide[0] @ wide[1]) / (np.abs(wide[0]) @ np.abs(wide[1]))
        assert error.max() <= (2**-22 if on_engine else 2**-20)
    assert cycles[1] < 0.25 * cycles[0]
