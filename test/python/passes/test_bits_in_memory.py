"""Conditions in memory, a byte each: read, made and carried on by vectors, run on the simulator."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps

ROWS, N = 3, 301


@pytest.mark.parametrize(("type_", "dtype"), [("f32", np.float32), ("f16", np.float16), ("i8", np.int8),
                                              ("i32", np.int32)])
def test_masks(type_, dtype):
    """Conditions of each element and of each row, read and written, some in a ragged last vector."""
    zero, compare = ("0.0", "cmpf ogt") if type_[0] == "f" else ("0", "cmpi sgt")
    text = f"""
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @f(%x: memref<{ROWS}x{N}x{type_}>, %m: memref<{ROWS}x{N}xi1>, %r: memref<{ROWS}xi1>,
             %y: memref<{ROWS}x{N}x{type_}>, %c: memref<{ROWS}x{N}xi1>) {{
  %zero = arith.constant {zero} : {type_}
  linalg.generic {{indexing_maps = [#all, #all, #row, #all, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %m, %r : memref<{ROWS}x{N}x{type_}>, memref<{ROWS}x{N}xi1>, memref<{ROWS}xi1>)
      outs(%y, %c : memref<{ROWS}x{N}x{type_}>, memref<{ROWS}x{N}xi1>) {{
  ^bb0(%a: {type_}, %p: i1, %q: i1, %o: {type_}, %old: i1):
    %both = arith.andi %p, %q : i1
    %0 = arith.select %both, %a, %zero : {type_}
    %1 = arith.{compare}, %a, %zero : {type_}
    %2 = arith.xori %1, %old : i1
    linalg.yield %0, %2 : {type_}, i1
  }}
  return
}}
"""
    rng = np.random.default_rng(0)
    x = (rng.normal(0, 20, (ROWS, N))).astype(dtype)
    mask, old = (rng.integers(0, 2, (ROWS, N)).astype(np.bool_) for _ in range(2))
    row, y, made = np.array([True, False, True]), np.ones_like(x), old.copy()
    hx.compile(text).run(x, mask, row, y, made)
    np.testing.assert_array_equal(y, np.where(mask & row[:, None], x, 0))
    np.testing.assert_array_equal(made, (x > 0) ^ old)
    module, chip = parse(text), targets.get("v75")
    set_index_bits(module)
    context = PassContext(chip)
    run_steps(module, pipelines.get("default", chip), context, None)
    assert not any("not vectorized" in entry.message for entry in context.log.entries)
