"""Masks made of indices: one comparison of lanes in the size of what they select, with the values numpy gives."""

import itertools
import re

import numpy as np
import pytest
from batch import after, on_host, on_simulator, steps_until

ROWS, COLUMNS = 7, 203
FAR = [0, 5, -3, 202, 203, 2 ** 31 - 1, -2 ** 31]  # a bound per row: inside, at the ends, and as far as they come
ROW, COLUMN = np.arange(ROWS, dtype=np.int64)[:, None], np.arange(COLUMNS, dtype=np.int64)[None]
N = np.array(FAR, np.int64)[:, None]
HEAD = """%i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c0 = arith.constant 0 : i32
    %c9 = arith.constant 9 : index
    %i9 = arith.muli %i, %c9 : index
    %jw = arith.index_cast %j : index to i32
    %g = arith.cmpi sgt, %n, %c0 : i32
    """
MASKS = {
    "causal": ("%p = arith.cmpi sge, %i9, %j : index", 9 * ROW >= COLUMN),
    "after": ("%p = arith.cmpi slt, %i9, %j : index", 9 * ROW < COLUMN),
    "diagonal": ("%p = arith.cmpi eq, %j, %i9 : index", COLUMN == 9 * ROW),
    "beside": ("%p = arith.cmpi ne, %j, %i9 : index", COLUMN != 9 * ROW),
    "bound": ("%p = arith.cmpi slt, %jw, %n : i32", COLUMN < N),
    "up to": ("%p = arith.cmpi sle, %jw, %n : i32", COLUMN <= N),
    "behind": ("%p = arith.cmpi sgt, %jw, %n : i32", COLUMN > N),
    "band": ("""%k = arith.addi %j, %c9 : index
    %a0 = arith.cmpi sge, %i9, %j : index
    %a1 = arith.cmpi slt, %i9, %k : index
    %p = arith.andi %a0, %a1 : i1""", (9 * ROW >= COLUMN) & (9 * ROW < COLUMN + 9)),
    "either": ("""%a0 = arith.cmpi sge, %i9, %j : index
    %a1 = arith.cmpi sge, %jw, %n : i32
    %p = arith.ori %a0, %a1 : i1""", (9 * ROW >= COLUMN) | (COLUMN >= N)),
    "row too": ("""%a0 = arith.cmpi sge, %i9, %j : index
    %p = arith.andi %g, %a0 : i1""", (9 * ROW >= COLUMN) & (N > 0)),
    "or row": ("""%a0 = arith.cmpi slt, %i9, %j : index
    %p = arith.ori %a0, %g : i1""", (9 * ROW < COLUMN) | (N > 0)),
    "not row": ("""%a0 = arith.cmpi sge, %i9, %j : index
    %a1 = arith.ori %a0, %g : i1
    %p = arith.xori %a1, %g : i1""", ((9 * ROW >= COLUMN) | (N > 0)) ^ (N > 0)),
    "data too": ("""%s = arith.cmpTY PRED, %x, %z : TYPE
    %a0 = arith.cmpi sge, %i9, %j : index
    %p = arith.andi %s, %a0 : i1""", None),
    "unsigned": ("%p = arith.cmpi ult, %jw, %n : i32", COLUMN < N % 2 ** 32),
    "twice": ("""%k = arith.addi %j, %j : index
    %p = arith.cmpi sge, %i9, %k : index""", 9 * ROW >= 2 * COLUMN),
}
TYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "i32": np.int32}
CASES = list(itertools.product(MASKS, TYPES))


def program(name: str, mask: str, type_: str) -> str:
    float_ = type_[0] == "f"
    zero = "0.0" if float_ else "0"
    text = MASKS[mask][0].replace("TYPE", type_).replace("TY", "f" if float_ else "i").replace(
        "PRED", "olt" if float_ else "slt")
    return f"""
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @{name}(%a: tensor<{ROWS}x{COLUMNS}x{type_}>, %b: tensor<{ROWS}xi32>) -> tensor<{ROWS}x{COLUMNS}x{type_}> {{
  %z = arith.constant {zero} : {type_}
  %e = tensor.empty() : tensor<{ROWS}x{COLUMNS}x{type_}>
  %r = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%a, %b : tensor<{ROWS}x{COLUMNS}x{type_}>, tensor<{ROWS}xi32>) outs(%e : tensor<{ROWS}x{COLUMNS}x{type_}>) {{
  ^bb0(%x: {type_}, %n: i32, %o: {type_}):
    {HEAD}{text}
    %v = arith.select %p, %x, %z : {type_}
    linalg.yield %v : {type_}
  }} -> tensor<{ROWS}x{COLUMNS}x{type_}>
  return %r : tensor<{ROWS}x{COLUMNS}x{type_}>
}}
"""


def text(cases) -> str:
    return "".join(
        program(f"f{k}", *case).replace("#all", f"#all{k}").replace("#row", f"#row{k}") for k, case in cases)


def check(call, cases) -> None:
    rng = np.random.default_rng(0)
    for k, (mask, type_) in cases:
        x = rng.integers(-100, 100, (ROWS, COLUMNS)).astype(TYPES[type_])
        holds = MASKS[mask][1]
        holds = (x < 0) & (9 * ROW >= COLUMN) if holds is None else holds
        result = np.full_like(x, 99)
        call(f"f{k}", [x, np.array(FAR, np.int32), result])
        np.testing.assert_array_equal(result, np.where(holds, x, 0), err_msg=f"{mask} {type_}")


@pytest.mark.parametrize(("type_", "masks"), [
    ("f32", tuple(MASKS)), ("f16", ("causal", "beside", "row too", "data too")),
    ("i8", ("diagonal", "bound", "behind", "or row", "data too"))])
def test_masks_on_the_simulator(type_, masks):
    cases = [(k, case) for k, case in enumerate(CASES) if case[1] == type_ and case[0] in masks]
    call, asm = on_simulator(text(cases))
    check(call, cases)
    assert "vextract" not in asm  # no mask is taken apart


def test_masks_on_the_host():
    cases = list(enumerate(CASES))
    module, context = after(text(cases), steps_until("default", "hexagon-vectorization"))
    check(on_host(module, [f"f{k}" for k, _ in cases]), cases)
    assert not [entry.message for entry in context.log.entries if "not vectorized" in entry.message]


def test_a_condition_of_a_row_moves_the_bound():
    """A scalar decides on the bound: no mask is made of it, in f16 as little as in f32."""
    for type_, size in (("f32", "w"), ("f16", "h")):
        asm = on_simulator(program("f", "row too", type_))[1]
        assert re.search(rf"q\d = vcmp.gt\(v\d+\.{size}", asm) and not re.search(r"vcmp.eq|q\d = and\(", asm)
