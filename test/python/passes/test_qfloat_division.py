"""Quotients on v75 as the chip computes: sums and products of legacy qfloat have neither infinity nor NaN."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import hexagon_mlir as hx
from bench.maths import ulps

NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
ROWS, COLUMNS = 64, 512
SPECIAL = {
    "f32": [0, 1, 3, 1e-45, 1.1754942e-38, 1.1754944e-38, 3.4028235e38, 1e-30, 1e30, 0.99999994, 1.0000001, 2**120,
            2**-120, 2**119, 2**-119, 2**121, np.inf, np.nan],
    "f16": [0, 1, 3, 6e-8, 6.1e-5, 65504, 0.1, 1000, np.inf, np.nan],
    "bf16": [0, 1, 3, 1e-40, 1.1754944e-38, 3.38e38, 1e-30, 1e30, np.inf, np.nan],
}
ULP = {"f32": 4.5, "f16": 0.75, "bf16": 0.51}  # of f16 the least numbers are widened with an error of 2^-13
ONE_EACH, ROW = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def kernel(element, divisor_map, divisors):
    matrix = f"memref<{ROWS}x{COLUMNS}x{element}>"
    return f"""func.func @f(%n: {matrix}, %d: memref<{divisors}x{element}>, %q: {matrix}) {{
  linalg.generic {{indexing_maps = [{ONE_EACH}, {divisor_map}, {ONE_EACH}], iterator_types = ["parallel", "parallel"]}}
      ins(%n, %d : {matrix}, memref<{divisors}x{element}>) outs(%q : {matrix}) {{
  ^bb0(%x: {element}, %y: {element}, %o: {element}):
    %r = arith.divf %x, %y : {element}
    linalg.yield %r : {element}
  }}
  return
}}"""


def numbers(element, shape, seed):
    """Special values of both signs first, then ordinary numbers, then all bit patterns."""
    rng, kind = np.random.default_rng(seed), np.dtype(NUMPY[element])
    special = np.array([sign * x for x in SPECIAL[element] for sign in (1, -1)]).astype(kind)
    bits = rng.integers(0, 2 ** (8 * kind.itemsize), shape, dtype=np.uint64)
    result = bits.astype(f"u{kind.itemsize}").view(kind)
    result[..., :shape[-1] // 2] = rng.uniform(-10, 10, (*shape[:-1], shape[-1] // 2)).astype(kind)
    result[..., :len(special)] = special
    return result


def quotients(element, divisor_map, n, d):
    result = np.zeros_like(n)
    hx.compile(kernel(element, divisor_map, "x".join(map(str, d.shape)))).run(n, d, result, arithmetic="chip")
    return result


@pytest.mark.parametrize("element", NUMPY)
def test_every_class(element):
    n = numbers(element, (ROWS, COLUMNS), 1)
    d = np.roll(numbers(element, (COLUMNS, ROWS), 2).T, 1, axis=0)  # each special value meets each
    d = np.ascontiguousarray(d)
    expected = n.astype(np.float64) / d.astype(np.float64)
    error = ulps(quotients(element, ONE_EACH, n, d), expected, element)
    if element == "f16":  # what is too large is the conversion's to say
        error[np.isfinite(expected) & (np.abs(expected) > 65504)] = 0
    worst = np.unravel_index(np.argmax(error), error.shape)
    assert error[worst] <= ULP[element], (n[worst], d[worst], error[worst])


@pytest.mark.parametrize("element", NUMPY)
def test_one_divisor_of_many(element):
    """Denormal results and dividends of f32 and bf16 are not exact there; infinities, NaN and signs are."""
    n, d = numbers(element, (ROWS, COLUMNS), 3), numbers(element, (ROWS,), 4)
    expected = n.astype(np.float64) / d.astype(np.float64)[:, None]
    actual = quotients(element, ROW, n, d)
    error = ulps(actual, expected, element)
    if element != "f16":
        tiny = (np.abs(expected) < 2.0**-126) & (np.abs(actual.astype(np.float64)) <= 2.0**-126)
        from_denormal = np.abs(n.astype(np.float64)) < 2.0**-126
        error[tiny | from_denormal & np.isfinite(error)] = 0
    worst = np.unravel_index(np.argmax(error), error.shape)
    assert error[worst] <= ULP[element], (n[worst], d[worst[0]], actual[worst], error[worst])
