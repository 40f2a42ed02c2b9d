"""Sums of 64-bit integers as sums of half words."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps

pytestmark = pytest.mark.only_values


def kernel(sizes, axes, element="i64", body="", value="%a", known=True):
    """Adds to a result the sum along ``axes`` of what ``body`` makes of each element of a buffer."""
    dims, kept = range(len(sizes)), [k for k in range(len(sizes)) if k not in axes]
    row = "x".join([*(str(n) if known else "?" for n in sizes), element])
    out = "x".join([*(str(sizes[k]) if known else "?" for k in kept), "i64"])
    names = ", ".join(f"d{k}" for k in dims)
    loops = ", ".join('"reduction"' if k in axes else '"parallel"' for k in dims)
    return f"""
func.func @f(%x: memref<{row}>, %o: memref<{out}>) {{
  linalg.generic {{indexing_maps = [affine_map<({names}) -> ({names})>,
      affine_map<({names}) -> ({', '.join(f'd{k}' for k in kept)})>], iterator_types = [{loops}]}}
      ins(%x : memref<{row}>) outs(%o : memref<{out}>) {{
  ^bb0(%a: {element}, %c: i64):
    {body}
    %r = arith.addi {value}, %c : i64
    linalg.yield %r : i64
  }}
  return
}}
"""


def remarks(text):
    module, chip = parse(text), targets.get("v75")
    set_index_bits(module)
    context = PassContext(chip)
    run_steps(module, pipelines.get("default", chip), context, None)
    return [entry.message for entry in context.log.entries]


@pytest.mark.each_value
@pytest.mark.parametrize("extreme", (None, -1, 2**63 - 1, -(2**63), 2**32 - 1))
@pytest.mark.parametrize(("sizes", "axes", "known"), [
    ((4099,), (0,), True), ((5, 130), (1,), True), ((300, 70), (0,), True), ((6, 7, 40), (0, 2), True),
    ((140_000,), (0,), True), ((70_001,), (0,), False), ((3, 65_537), (1,), True)])
def test_sums_wrap(sizes, axes, known, extreme):
    """Of any 64 bits: half words of ones fill a word's sum in 65,536 elements."""
    x = np.random.default_rng(1).integers(-(2**63), 2**63, sizes, dtype=np.int64)
    if extreme is not None:
        x[...] = extreme
    text = kernel(sizes, axes, known=known)
    result = np.full([n for k, n in enumerate(sizes) if k not in axes], 2**62)
    expected = result + x.sum(axes)
    hx.compile(text).run(x, result)
    np.testing.assert_array_equal(result, expected)
    assert not [message for message in remarks(text) if "not vectorized" in message]


@pytest.mark.each_value
@pytest.mark.parametrize("extend", ("extsi", "extui"))
@pytest.mark.parametrize("element", ("i32", "i16", "i8"))
def test_sums_of_narrower_elements(element, extend):
    dtype = np.dtype(f"int{element[1:]}")
    info = np.iinfo(dtype)
    text = kernel((66_000,), (0,), element, f"%w = arith.{extend} %a : {element} to i64", "%w")
    run = hx.compile(text).run
    for low, high in ((info.min, info.max), (info.max, info.max), (info.min, info.min), (-1, -1)):
        x = np.random.default_rng(2).integers(low, high, 66_000, dtype=dtype, endpoint=True)
        result = np.zeros((), np.int64)
        run(x, result)
        assert result == (x if extend == "extsi" else x.view(f"u{dtype}")).astype(np.int64).sum()


@pytest.mark.each_value
@pytest.mark.parametrize("extend", ("extsi", "extui"))
@pytest.mark.parametrize("element", ("i32", "i8"))
@pytest.mark.parametrize("sizes", ((4, 5), (70, 300)))
def test_sums_of_rows_of_narrower_elements(element, extend, sizes):
    dtype = np.dtype(f"int{element[1:]}")
    x = np.random.default_rng(2).integers(np.iinfo(dtype).min, np.iinfo(dtype).max, sizes, dtype=dtype, endpoint=True)
    result = np.full(sizes[0], -3)
    hx.compile(kernel(sizes, (1,), element, f"%w = arith.{extend} %a : {element} to i64", "%w")).run(x, result)
    np.testing.assert_array_equal(result, (x if extend == "extsi" else x.view(f"u{dtype}")).astype(np.int64).sum(1) - 3)


def test_what_is_summed_may_be_computed():
    body = """%three = arith.constant 3 : i64
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %p = arith.muli %a, %a : i64
    %q = arith.divsi %p, %three : i64
    %s = arith.addi %q, %j : i64"""
    x = np.random.default_rng(3).integers(-(2**31), 2**31, (9, 100))
    result = np.zeros(9, np.int64)
    text = kernel((9, 100), (1,), body=body, value="%s")
    hx.compile(text).run(x, result)
    np.testing.assert_array_equal(result, (x * x // 3 + np.arange(100)).sum(1))
    assert not [message for message in remarks(text) if "not vectorized" in message]


def test_other_sums_stay():
    """Rows at a distance that nobody knows, and what is not a sum alone."""
    assert any("rows at an unknown distance" in m for m in remarks(kernel((4, 5), (1,), known=False)))
    twice = kernel((64,), (0,), body="%t = arith.addi %a, %c : i64", value="%t")
    assert any("a reduction to them other than a sum" in m for m in remarks(twice))
    x, result = np.arange(20).reshape(4, 5), np.zeros(4, np.int64)
    hx.compile(kernel((4, 5), (1,), known=False)).run(x, result)
    np.testing.assert_array_equal(result, x.sum(1))


@pytest.mark.only_values(False)
def test_vector_code_takes_fewer_packets():
    """A scalar loop takes 3 packets an element."""
    x, result = np.arange(4096), np.zeros((), np.int64)
    run = hx.compile(kernel((4096,), (0,))).run(x, result)
    assert result == x.sum() and run.profile.packets < 0.4 * len(x)
