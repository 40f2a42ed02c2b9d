"""Look-ups of tables: decisions, values on this machine and on the simulator, the instruction."""

import ml_dtypes
import numpy as np
import pytest
from batch import after, on_host, on_simulator, steps_until

from hexagon_mlir.passes.lib.gathers import refusal

DTYPES = {"f32": np.float32, "i32": np.int32, "f16": np.float16, "i16": np.int16, "bf16": ml_dtypes.bfloat16,
          "i8": np.int8}


def lookup(name: str, count: int, rows: int, element: str, index: str) -> str:
    """``name(table, i) = table[i] or, where i is -1, one``: the index is clamped, so nothing else is read."""
    float_ = "f" in element
    one = "1.0" if float_ else "1"
    return f"""
func.func @{name}(%t: tensor<{rows}x{element}>, %i: tensor<{count}x{index}>) -> tensor<{count}x{element}> {{
  %e = tensor.empty() : tensor<{count}x{element}>
  %zero = arith.constant 0 : {index}
  %one = arith.constant {one} : {element}
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}}
      ins(%i : tensor<{count}x{index}>) outs(%e : tensor<{count}x{element}>) {{
    ^bb0(%a: {index}, %o: {element}):
      %c = arith.maxsi %a, %zero : {index}
      %x = arith.index_cast %c : {index} to index
      %v = tensor.extract %t[%x] : tensor<{rows}x{element}>
      %in = arith.cmpi sge, %a, %zero : {index}
      %s = arith.select %in, %v, %one : {element}
      linalg.yield %s : {element}
  }} -> tensor<{count}x{element}>
  return %r : tensor<{count}x{element}>
}}
"""


CASES = [(129, 70, "f16", "i32"), (64, 70, "bf16", "i16"), (300, 300, "i16", "i32"), (1, 3, "f32", "i32"),
         (31, 33, "i32", "i32"), (700, 5000, "f32", "i16"), (6000, 16384, "f32", "i32"), (40, 9, "i8", "i32")]
TEXT = "".join(lookup(f"f{n}", *case) for n, case in enumerate(CASES))


def check(call, number: int) -> None:
    count, rows, element, index = CASES[number]
    rng = np.random.default_rng(number)
    table = rng.integers(-100, 100, rows).astype(DTYPES[element])
    where = rng.integers(-1, rows, count).astype(DTYPES[index])
    where[-1] = rows - 1
    result = np.full(count, 99, DTYPES[element])
    call(f"f{number}", [table, where, result])
    np.testing.assert_array_equal(result, np.where(where < 0, 1, table[np.maximum(where, 0)]).astype(result.dtype))


@pytest.mark.parametrize("step", ["form-gathers", "hexagon-gather-lowering"])
def test_stages_on_the_host(step):
    module, _ = after(TEXT, steps_until("default", step))
    call = on_host(module, [f"f{n}" for n in range(len(CASES))])
    for number in range(len(CASES)):
        if step == "form-gathers":
            count, rows, element, index = CASES[number]
            rng = np.random.default_rng(number)
            table = rng.integers(-100, 100, rows).astype(DTYPES[element])
            where = rng.integers(-1, rows, count).astype(DTYPES[index])
            expected = np.where(where < 0, 1, table[np.maximum(where, 0)]).astype(DTYPES[element])
            np.testing.assert_array_equal(call(f"f{number}", [table, where])[0], expected)
        else:
            check(call, number)


def test_on_the_simulator():
    call, asm = on_simulator(TEXT)
    for number in range(len(CASES)):
        check(call, number)
    assert "call hexmlir_gather" not in asm
    assert "vtmp.w = vgather" in asm and "vtmp.h = vgather" in asm


@pytest.mark.ieee_arithmetic
def test_columns_of_a_matrix_and_a_chain_around_the_lookup():
    """Two indices, one of a loop; what computes the index and what follows are vector code."""
    call, asm = on_simulator("""
func.func @f(%t: tensor<5x37xf32>, %i: tensor<5x70xi32>, %y: tensor<5x70xf32>) -> tensor<5x70xf32> {
  %seven = arith.constant 7 : i32
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<5x70xi32>) outs(%y : tensor<5x70xf32>) {
    ^bb0(%a: i32, %o: f32):
      %b = arith.addi %a, %seven : i32
      %x = arith.index_cast %b : i32 to index
      %k = linalg.index 0 : index
      %v = tensor.extract %t[%k, %x] : tensor<5x37xf32>
      %s = arith.mulf %v, %o : f32
      linalg.yield %s : f32
  } -> tensor<5x70xf32>
  return %r : tensor<5x70xf32>
}
""")
    rng = np.random.default_rng(0)
    table, where = rng.normal(0, 1, (5, 37)).astype(np.float32), rng.integers(-7, 30, (5, 70)).astype(np.int32)
    scale, result = rng.normal(0, 1, (5, 70)).astype(np.float32), np.full((5, 70), 99, np.float32)
    call("f", [table, where, scale, result])
    np.testing.assert_array_equal(result, np.take_along_axis(table, where + 7, 1) * scale)
    assert "vgather" in asm


@pytest.mark.parametrize(("width", "elements", "lookups", "limit", "reason"), [
    (4, 16384, 5000, 65536, ""), (4, 16385, 5000, 65536, "at most 65536"), (2, 32768, 5000, 1 << 20, ""),
    (2, 32769, 5000, 1 << 20, "at most 65536"), (4, 100000, 20000, 1 << 20, ""), (1, 10, 10, 65536, "not 1"),
    (8, 10, 10, 65536, "not 8"), (4, 64, 8, 65536, ""), (4, 64, 7, 65536, "do not pay"),
    (4, 0, 5, 65536, "no elements"),
])
def test_when_a_table_is_brought_into_tcm(width, elements, lookups, limit, reason):
    found = refusal(width, elements, lookups, limit)
    assert (reason in found) if reason else found == ""
