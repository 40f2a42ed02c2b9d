"""`collapse-loops`: which pairs are tied together, values of what is collapsed, and cycles."""

import functools

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.passes.loop_collapsing.pairs import Nest, collapsed_pairs, groups_of

pytestmark = pytest.mark.only_values

MATRIX, ROWS = (0, 1), (0,)


def _pairs(nests, fixed=(), pays=lambda tensor, dim, with_next: True):
    return {pair for pair in collapsed_pairs(nests, fixed, pays) if pair[0] == "op"}


def test_operands_must_be_contiguous():
    parallel = (True, True)
    plain = Nest((0, 1, 2), (MATRIX, MATRIX, MATRIX), parallel)
    assert _pairs([plain]) == {("op", 0, 0, 1)}
    assert not _pairs([Nest((0, 1, 2), (MATRIX, ROWS, MATRIX), parallel)])  # one number for each row
    assert not _pairs([Nest((0, 1, 2), (MATRIX, (1, 0), MATRIX), parallel)])  # transposed
    assert _pairs([Nest((None, 1, 2), ((), MATRIX, MATRIX), parallel)]) == {("op", 0, 0, 1)}  # a scalar
    assert not _pairs([Nest((0, 1, 2), (MATRIX, ROWS, ROWS), (True, False))])  # columns are reduced
    assert _pairs([Nest((0, 1, 2), (MATRIX, (), ()), (False, False))]) == {("op", 0, 0, 1)}  # both are


def test_ops_that_share_a_tensor_are_collapsed_together():
    parallel = (True, True)
    first, second = Nest((0, 1, 2), (MATRIX, MATRIX, MATRIX), parallel), Nest((2, 3, 4), (MATRIX,) * 3, parallel)
    assert len(_pairs([first, second])) == 2
    assert not _pairs([first, second], fixed=[4])
    assert not _pairs([first, Nest((2, 5, 4), (MATRIX, ROWS, ROWS), (True, False))])
    assert len(_pairs([first, Nest((5, 6, 7), (MATRIX,) * 3, parallel)], fixed=[6])) == 1


def test_outer_loops_follow_inner_ones():
    nest = Nest((0, 1, 2), ((0, 1, 2),) * 3, (True,) * 3)
    assert len(_pairs([nest], pays=lambda tensor, dim, with_next: dim == 1 or with_next)) == 2
    assert not _pairs([nest], pays=lambda tensor, dim, with_next: with_next)
    assert groups_of(3, [(0, 1), (1, 2)]) == [[0, 1, 2]]


CHAIN = """func.func @f(%x: tensor<SHAPE>, %b: tensor<ROWS>) -> (tensor<SHAPE>, tensor<ROWS>) {
  DIMS
  %e = tensor.empty(SIZES) : tensor<SHAPE>
  %d = linalg.broadcast ins(%b : tensor<ROWS>) outs(%e : tensor<SHAPE>) dimensions = [2]
  %0 = arith.mulf %x, %d : tensor<SHAPE>
  %1 = math.tanh %0 : tensor<SHAPE>
  %z = arith.constant 0.0 : f32
  %s = tensor.empty(OUTER) : tensor<ROWS>
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<ROWS>) -> tensor<ROWS>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<SHAPE>) outs(%f : tensor<ROWS>) dimensions = [2]
  return %1, %2 : tensor<SHAPE>, tensor<ROWS>
}
"""


def _chain(shape, names):
    dims = "\n  ".join(f"%i{i} = arith.constant {i} : index\n  %n{i} = tensor.dim %x, %i{i} : tensor<SHAPE>"
                       for i, name in enumerate(names) if name == "?")
    sizes = [f"%n{i}" for i, name in enumerate(names) if name == "?"]
    outer = [f"%n{i}" for i, name in enumerate(names[:2]) if name == "?"]
    return (CHAIN.replace("DIMS", dims).replace("SIZES", ", ".join(sizes)).replace("OUTER", ", ".join(outer))
            .replace("SHAPE", "x".join([*names, "f32"])).replace("ROWS", "x".join([*names[:2], "f32"])))


@functools.cache
def compiled(text):
    return hx.compile(text)


@pytest.mark.parametrize(("shape", "known"), [
    pytest.param(shape, known, marks=[pytest.mark.full] * (known.count(False) == 1 and shape != (2, 33, 100)))
    for shape in ((3, 5, 7), (1, 1, 1), (2, 33, 100), (0, 4, 9), (4, 3, 0))
    for known in ((True, True, True), (False, True, True), (True, False, True), (False, False, False))])
def test_values(shape, known):
    names = [str(size) if static else "?" for size, static in zip(shape, known, strict=True)]
    rng = np.random.default_rng(1)
    x, b = rng.standard_normal(shape).astype(np.float32), rng.standard_normal(shape[:2]).astype(np.float32)
    if x.size:
        x.flat[0], x.flat[-1] = -1e30, 1e30
    kernel = compiled(_chain(shape, names))
    all_, sums = kernel.run(x, b).outputs
    expected = np.tanh(x.astype(np.float64) * b[..., None])
    np.testing.assert_allclose(all_, expected, atol=1e-6)
    np.testing.assert_allclose(sums, expected.sum(axis=2), atol=1e-4)


@pytest.mark.only_values(False)
def test_ragged_rows_are_as_fast_as_one_row():
    """GELU of 123 rows of 1,000 took 175,729 cycles where one row of as many elements takes 103,161."""
    text = """func.func @f(%x: tensor<SHAPE>) -> tensor<SHAPE> {
      %e = tensor.empty() : tensor<SHAPE>
      %0 = linalg.erf ins(%x : tensor<SHAPE>) outs(%e : tensor<SHAPE>) -> tensor<SHAPE>
      return %0 : tensor<SHAPE>
    }"""
    x = np.random.default_rng(2).standard_normal(123_000).astype(np.float32)
    flat = hx.compile(text.replace("SHAPE", "123000xf32")).run(x)
    rows = hx.compile(text.replace("SHAPE", "123x1000xf32")).run(x.reshape(123, 1000))
    np.testing.assert_array_equal(rows.outputs[0].ravel(), flat.outputs[0])
    assert rows.cycles <= 1.02 * flat.cycles
