"""tl.dot_scaled on the matrix engine: values of every format, and scales far apart and of NaN."""

import functools

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

import hexagon_mlir as hx
from hexagon_mlir.dialects.split_weights import top_exponent

M, N, K = 128, 64, 128
HALF = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


@triton.jit
def product(a, b, a_scale, b_scale, c, FORMAT: tl.constexpr, PACK: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
            K: tl.constexpr):
    m, k, s = tl.arange(0, M), tl.arange(0, K // PACK), tl.arange(0, K // 32)
    n = tl.arange(0, N)
    x = tl.load(a + m[:, None] * (K // PACK) + k[None, :])
    y = tl.load(b + k[:, None] * N + n[None, :])
    xs = tl.load(a_scale + m[:, None] * (K // 32) + s[None, :])
    ys = tl.load(b_scale + n[:, None] * (K // 32) + s[None, :])
    tl.store(c + m[:, None] * N + n[None, :], tl.dot_scaled(x, xs, FORMAT, y, ys, FORMAT))


def operands(kind, rng):
    """Both operands as bytes, and their values without scales."""
    if kind == "e2m1":
        a, b = (rng.integers(0, 256, shape).astype(np.uint8) for shape in ((M, K // 2), (K // 2, N)))
        table = np.array([*HALF, *(-number for number in HALF)])
        return (a, b), (table[np.stack([a & 15, a >> 4], 2).reshape(M, K)],
                        table[np.stack([b & 15, b >> 4], 1).reshape(K, N)])
    dtype = torch.float8_e4m3fn if kind == "e4m3" else torch.float8_e5m2
    values = [torch.from_numpy(rng.standard_normal(shape)).to(dtype) for shape in ((M, K), (K, N))]
    return tuple(one.view(torch.uint8).numpy() for one in values), tuple(one.double().numpy() for one in values)


@functools.cache
def compiled(kind, matrix_engine=True):
    type_ = {"e4m3": "*fp8e4nv", "e5m2": "*fp8e5", "e2m1": "*u8"}[kind]
    return hx.compile(product, signature={"a": type_, "b": type_, "a_scale": "*u8", "b_scale": "*u8", "c": "*fp32"},
                      constants={"FORMAT": kind, "PACK": 2 if kind == "e2m1" else 1, "M": M, "N": N, "K": K},
                      matrix_engine=matrix_engine)


@pytest.mark.parametrize("kind", ["e4m3", pytest.param("e5m2", marks=pytest.mark.full), "e2m1"])
def test_formats(kind):
    rng = np.random.default_rng(3)
    (a, b), values = operands(kind, rng)
    scales = [rng.integers(90, 160, (rows, K // 32)).astype(np.uint8) for rows in (M, N)]
    scales[0][5, 1] = 255
    kernel = compiled(kind)
    assert "hexmlir_engine_hf_pieces" in kernel.asm
    result = np.zeros((M, N), np.float32)
    kernel.run(*(one.view(np.int8) for one in (a, b, *scales)), result, grid=(1,))
    factors = [np.repeat(2.0 ** (scale.astype(np.float64) - 127), 32, 1) for scale in scales]
    left, right = values[0] * factors[0], values[1] * factors[1].T
    assert np.isnan(result[5]).all()
    sizes = np.abs(left), np.abs(right)
    lost = sizes[0].max(1, keepdims=True) * sizes[1].sum(0) + sizes[0].sum(1, keepdims=True) * sizes[1].max(0)
    limit = 2.0**-19 * (sizes[0] @ sizes[1]) + 2.0 ** -(23 + top_exponent(K)) * lost
    rest = np.arange(M) != 5
    assert (np.abs(result - left @ right) <= limit)[rest].all()


def test_numbers_of_4_bits_take_little_longer_than_bytes():
    """They were taken out of their bytes one by one: five times as long."""
    cycles = {}
    for kind in ("e4m3", "e2m1"):
        given, _ = operands(kind, np.random.default_rng(3))
        scales = [np.full((rows, K // 32), 127, np.int8) for rows in (M, N)]
        result = np.zeros((M, N), np.float32)
        run = compiled(kind).run(*(one.view(np.int8) for one in given), *scales, result, grid=(1,))
        cycles[kind] = run.cycles
    assert cycles["e2m1"] < 1.25 * cycles["e4m3"]


@pytest.mark.parametrize("kind", [pytest.param("e4m3", marks=pytest.mark.full), "e2m1"])
def test_products_are_of_f32_without_the_engine(kind):
    """HVX multiplies bf16 in more time than f32."""
    assert "xbf16>" in compiled(kind).ir("triton-to-linalg")
    assert "xbf16>" not in compiled(kind, matrix_engine=False).ir("triton-to-linalg")


@triton.jit
def of_halves(a, b, b_scale, c, FORMAT: tl.constexpr, SWAPPED: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
              K: tl.constexpr):
    """f16 rows without scales times numbers of 8 bits with scales; ``SWAPPED`` the transposes of both."""
    m, k, n, s = tl.arange(0, M), tl.arange(0, K), tl.arange(0, N), tl.arange(0, K // 32)
    x = tl.load(a + m[:, None] * K + k[None, :])
    y = tl.load(b + n[:, None] * K + k[None, :])
    ys = tl.load(b_scale + n[:, None] * (K // 32) + s[None, :])
    if SWAPPED:
        result = tl.trans(tl.dot_scaled(y, ys, FORMAT, tl.trans(x), None, "fp16"))
    else:
        result = tl.dot_scaled(x, None, "fp16", tl.trans(y), ys, FORMAT)
    tl.store(c + m[:, None] * N + n[None, :], result)


@pytest.mark.parametrize("swapped", [False, True])
def test_rows_of_f16(swapped):
    """Exact factors of f16 down to subnormal numbers, in rows of magnitudes far apart; a row with a NaN is all NaN."""
    rng = np.random.default_rng(4)
    a = (rng.standard_normal((M, K)) * np.exp2(rng.integers(-20, 10, (M, 1)))).astype(np.float16)
    a[7, 3] = np.nan
    values = torch.from_numpy(rng.standard_normal((N, K))).to(torch.float8_e4m3fn)
    scales = rng.integers(100, 150, (N, K // 32)).astype(np.uint8)
    kernel = hx.compile(of_halves, signature={"a": "*fp16", "b": "*fp8e4nv", "b_scale": "*u8", "c": "*fp32"},
                        constants={"FORMAT": "e4m3", "SWAPPED": swapped, "M": M, "N": N, "K": K})
    assert "hexmlir_engine_hf_pieces" in kernel.asm
    result = np.zeros((M, N), np.float32)
    kernel.run(a, values.view(torch.int8).numpy(), scales.view(np.int8), result, grid=(1,))
    left = a.astype(np.float64)
    right = values.double().numpy().T * np.repeat(2.0 ** (scales.astype(np.float64) - 127), 32, 1).T
    assert np.isnan(result[7]).all()
    sizes = np.abs(left), np.abs(right)
    lost = sizes[0].max(1, keepdims=True) * sizes[1].sum(0) + sizes[0].sum(1, keepdims=True) * sizes[1].max(0)
    limit = 2.0**-19 * (sizes[0] @ sizes[1]) + 2.0 ** -(23 + top_exponent(K)) * lost
    rest = np.arange(M) != 7
    assert (np.abs(result - left @ right) <= limit)[rest].all()
