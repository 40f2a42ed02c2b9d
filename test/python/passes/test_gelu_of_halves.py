"""GELU by erf of f16 numbers, widened and rounded again: every one of them, against the exact function."""

import math

import numpy as np
import pytest

import hexagon_mlir as hx

COUNT = 1 << 16
GELU = f"""func.func @gelu(%x: tensor<{COUNT}xf16>) -> tensor<{COUNT}xf16> {{
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.707106769 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<{COUNT}xf16>
  %0 = linalg.generic {{indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
      iterator_types = ["parallel"]}} ins(%x : tensor<{COUNT}xf16>) outs(%e : tensor<{COUNT}xf16>) {{
    ^bb0(%a: f16, %old: f16):
      %w = arith.extf %a : f16 to f32
      %h = arith.mulf %w, %half : f32
      %u = arith.mulf %w, %root : f32
      %f = math.erf %u : f32
      %s = arith.addf %f, %one : f32
      %r = arith.mulf %h, %s : f32
      %t = arith.truncf %r : f32 to f16
      linalg.yield %t : f16
  }} -> tensor<{COUNT}xf16>
  return %0 : tensor<{COUNT}xf16>
}}"""


def _errors(got, x, factor=1.0):
    """Errors of ``factor`` GELU(x) in units in the last place, of all finite numbers."""
    finite = np.isfinite(x)
    exact = np.array([factor * v / 2 * math.erfc(-v / math.sqrt(2)) for v in x[finite].astype(float)])
    finite[finite] = np.abs(exact) < 65504
    exact = exact[np.abs(exact) < 65504]
    unit = 2.0 ** (np.floor(np.log2(np.maximum(np.abs(exact), 2.0**-14))) - 10)
    return np.abs(got[finite].astype(np.float64) - exact) / unit


@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
def test_every_number(target):
    """0.66 units in the last place at most; operation by operation the tail was wrong by thousands of them."""
    x = np.arange(COUNT, dtype=np.uint16).view(np.float16)
    got = hx.compile(GELU, target=target).run(x).outputs[0]
    assert (_errors(got, x) <= 0.66).all()
    assert got[x == np.inf] == np.inf
    assert np.isnan(got[(x == -np.inf) | np.isnan(x)]).all()
    finite = np.isfinite(x)
    assert (np.signbit(got) == np.signbit(x))[finite].all()


@pytest.mark.parametrize("target", ["v75", "v79"])
def test_half_of_gelu(target):
    """Half of GELU has no formula of its own: a quotient of exponentials."""
    x = np.arange(COUNT, dtype=np.uint16).view(np.float16)
    got = hx.compile(GELU.replace("0.5 : f32", "0.25 : f32"), target=target).run(x).outputs[0]
    assert (_errors(got, x, 0.5) <= 0.68).all()
    assert got[x == np.inf] == np.inf
    assert np.isnan(got[(x == -np.inf) | np.isnan(x)]).all()


def test_another_argument_of_erf_is_no_gelu():
    """x/2 (1 + erf(x)): the factor of the argument decides, too."""
    x = np.arange(COUNT, dtype=np.uint16).view(np.float16)
    got = hx.compile(GELU.replace("0.707106769", "1.0")).run(x).outputs[0]
    near = np.abs(x) < 4
    exact = np.array([v / 2 * math.erfc(-v) for v in x[near].astype(float)])
    assert np.allclose(got[near], exact, rtol=2e-3, atol=1e-7)


def test_cycles():
    """The formula takes 22 packets for 64 numbers, the quotient of exponentials 56."""
    x = np.zeros(COUNT, np.float16)
    ours, quotient = (hx.compile(text).run(x).cycles for text in (GELU, GELU.replace("0.5 : f32", "0.25 : f32")))
    assert ours < 0.6 * quotient
