"""A kernel at three sizes becomes one for any sizes, with the same values; other code at another size is refused."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.codegen.generic_sizes.functions import generalize
from hexagon_mlir.codegen.generic_sizes.operations import Differs

SIZES = (5, 7, 11)
MEAN = """func.func @f(%x: tensor<{n}x8xf32>) -> tensor<8xf32> {{
  %z = arith.constant 0.0 : f32
  %count = arith.constant {count} : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce ins(%x : tensor<{n}x8xf32>) outs(%f : tensor<8xf32>) dimensions = [0]
    (%a: f32, %b: f32) {{
      %0 = arith.addf %a, %b : f32
      linalg.yield %0 : f32
    }}
  %r = linalg.generic {{indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
                       iterator_types = ["parallel"]}} ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) {{
    ^bb0(%a: f32, %o: f32):
      %0 = arith.{how} %a, %count : f32
      linalg.yield %0 : f32
  }} -> tensor<8xf32>
  return %r : tensor<8xf32>
}}
"""


@pytest.mark.parametrize(("how", "count"), [("divf", float), ("mulf", lambda n: float(np.float32(1 / n)))])
def test_floats_that_are_sizes(how, count):
    generic = generalize([MEAN.format(n=n, count=f"{count(n):.9e}", how=how) for n in SIZES])
    assert generic.sizes == (SIZES,)
    assert not generic.numbers
    kernel = hx.compile(generic.text)
    for n in (1, 2, 5, 33, 100):
        x = np.random.default_rng(n).standard_normal((n, 8)).astype(np.float32)
        np.testing.assert_allclose(kernel.run(x).outputs[0], x.mean(axis=0), rtol=1e-5, atol=1e-6)


def test_views_and_slices():
    """Rows in two dimensions, all but the first of them, and zeros around them."""
    text = """func.func @f(%x: tensor<{rows}x4xf32>) -> (tensor<{less}x4xf32>, tensor<{n}x3x4xf32>) {{
      %z = arith.constant dense<0.0> : tensor<{n}x3x4xf32>
      %a = tensor.expand_shape %x [[0, 1], [2]] output_shape [{n}, 3, 4] : tensor<{rows}x4xf32> into tensor<{n}x3x4xf32>
      %b = tensor.collapse_shape %a [[0, 1], [2]] : tensor<{n}x3x4xf32> into tensor<{rows}x4xf32>
      %c = tensor.extract_slice %b[1, 0] [{less}, 4] [1, 1] : tensor<{rows}x4xf32> to tensor<{less}x4xf32>
      %d = tensor.extract_slice %a[{last}, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<{n}x3x4xf32> to tensor<1x3x4xf32>
      %r = tensor.insert_slice %d into %z[{last}, 0, 0] [1, 3, 4] [1, 1, 1]
          : tensor<1x3x4xf32> into tensor<{n}x3x4xf32>
      return %c, %r : tensor<{less}x4xf32>, tensor<{n}x3x4xf32>
    }}"""
    generic = generalize([text.format(n=n, rows=3 * n, less=3 * n - 1, last=n - 1) for n in SIZES])
    assert generic.sizes == ((15, 21, 33), (14, 20, 32), SIZES)
    assert "arith.divui" in generic.text
    assert "tensor<?x3x4xf32>" in generic.text


def test_a_size_of_no_argument_is_an_argument():
    text = """func.func @f(%x: tensor<4xf32>) -> tensor<{n}x4xf32> {{
      %e = tensor.empty() : tensor<{n}x4xf32>
      %r = linalg.broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<{n}x4xf32>) dimensions = [0]
      return %r : tensor<{n}x4xf32>
    }}"""
    generic = generalize([text.format(n=n) for n in SIZES])
    assert generic.numbers == (SIZES,)
    assert ": index" in generic.text.split(") ->")[0]


TABLE = """func.func @f(%x: tensor<{n}xf32>) -> tensor<2xi32> {{
  %t = arith.constant dense<[1, {n}]> : tensor<2xi32>
  return %t : tensor<2xi32>
}}"""
STEP = """func.func @f(%x: tensor<{n}xf32>) -> f32 {{
  %c = arith.constant {value} : f32
  return %c : f32
}}"""


@pytest.mark.parametrize(("texts", "reason"), [
    ([TABLE.format(n=n) for n in SIZES], "a table depends on sizes"),
    ([STEP.format(n=n, value=f"{n}.25") for n in SIZES], "the number 5.25 depends on sizes"),
    ([STEP.format(n=n, value="1.0") for n in SIZES[:2]] + [TABLE.format(n=11)], "types f32"),
    ([MEAN.format(n=n, count="2.0", how=how) for n, how in zip(SIZES, ("divf", "divf", "mulf"), strict=True)],
     "other operations")])
def test_other_code_is_refused(texts, reason):
    with pytest.raises(Differs, match=reason):
        generalize(texts)


def test_other_operands_are_refused():
    text = """func.func @f(%x: tensor<{n}xf32>, %y: tensor<{n}xf32>) -> tensor<{n}xf32> {{
      %0 = arith.subf {order} : tensor<{n}xf32>
      return %0 : tensor<{n}xf32>
    }}"""
    with pytest.raises(Differs, match="other values"):
        generalize([text.format(n=n, order="%x, %y" if n < 11 else "%y, %x") for n in SIZES])
