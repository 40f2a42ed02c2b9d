"""Sums of the matrix engine in f32, of factors that lose most: within the bound of docs/engine_arithmetic.md."""

import numpy as np
import pytest

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

GROUP = 8
"""Steps of the reduction that are summed at a time."""


def product(rows, reduction, columns):
    a, b, c = (f"tensor<{m}x{n}x{kind}>" for m, n, kind in
               ((rows, reduction, "f16"), (reduction, columns, "f16"), (rows, columns, "f32")))
    return f"""func.func @f(%a: {a}, %b: {b}) -> {c} {{
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {c}
      %z = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
      %s = linalg.matmul ins(%a, %b : {a}, {b}) outs(%z : {c}) -> {c}
      return %s : {c}
    }}"""


def bound(a, b):
    """Of ``a @ b``, in float64: alignment, one step after the other, two numbers of f16, their sum on HVX."""
    size, exact = np.abs(a) @ np.abs(b), np.abs(a @ b)
    return (10 * 2.0**-24 + a.shape[1] * 2.0**-29) * size + 2.5 * 2.0**-22 * exact + 2.0**-28


def hard(reduction):
    """Factors of a reduction of so many steps, a row each: tiny products after a large one, one in each group and all;
    products in each group that are cut where they are aligned to a large one; what is left of large ones that cancel;
    products of all magnitudes; ordinary ones."""
    rng = np.random.default_rng(reduction)
    rows = np.zeros((6, reduction))
    rows[0, GROUP::GROUP] = 0.998 * 2.0**-28
    rows[1, GROUP:] = 0.998 * 2.0**-31
    rows[0, 0], rows[1, 0] = 1, 1 + 2.0**-10
    rows[2] = 1.99 * 2.0**-24
    rows[2, ::GROUP] = 1
    rows[3] = rng.standard_normal(reduction) * 2.0**-12
    rows[3, 0], rows[3, GROUP] = 1024, -1024
    rows[4] = rng.standard_normal(reduction) * 2.0 ** rng.integers(-26, 1, reduction)
    rows[5] = rng.standard_normal(reduction)
    share = np.where(np.abs(rows) < 2.0**-12, 2.0**-14, 1)  # the right factor has it: the left one is f16
    a = np.repeat((rows / share).astype(np.float16), 6, axis=0)[:32]
    b = np.ones((reduction, 33))
    b[:, :6] = share.T
    return a, b.astype(np.float16)


@pytest.mark.parametrize(("reduction", "target"), [(150, "v79"), (4096, "v75"), (8192, "v75")])
def test_hard_sums(reduction, target):
    a, b = hard(reduction)
    kernel = hx.compile(product(len(a), reduction, b.shape[1]), target=target)
    assert "hexmlir_engine_hf_pieces" in kernel.asm
    found = kernel.run(a, b).outputs[0]
    wide = [one.astype(np.float64) for one in (a, b)]
    error, limit = np.abs(found - wide[0] @ wide[1]), bound(*wide)
    assert (error <= limit).all()
    if reduction > 512:  # what comes after the first product is lost: far more than the two numbers of f16 lack
        assert error[0, 0] > 0.75 * reduction / GROUP * 2.0**-28 > 2.0**-20
