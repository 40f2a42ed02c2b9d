"""Tables of up to 256 elements, looked up in registers: values on this machine and on the simulator, instructions."""

import re

import ml_dtypes
import numpy as np
import pytest
from batch import after, on_host, on_simulator, steps_until

DTYPES = {"f32": np.float32, "i32": np.int32, "f16": np.float16, "i16": np.int16, "bf16": ml_dtypes.bfloat16,
          "i8": np.int8}
CASES = [(1, 1, "i8"), (129, 33, "i8"), (300, 256, "i8"), (127, 16, "f16"), (260, 65, "bf16"), (128, 129, "i16"),
         (40, 256, "f16"), (513, 16, "f32"), (131, 31, "i32"), (64, 256, "f32"), (90, 33, "f32")]
"""(indices, elements of the table, their type)"""


def codes(name: str, count: int, rows: int, element: str) -> str:
    """``name(table, i) = table[i]``, i unsigned bytes."""
    return f"""
func.func @{name}(%t: tensor<{rows}x{element}>, %i: tensor<{count}xi8>) -> tensor<{count}x{element}> {{
  %e = tensor.empty() : tensor<{count}x{element}>
  %r = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}}
      ins(%i : tensor<{count}xi8>) outs(%e : tensor<{count}x{element}>) {{
    ^bb0(%a: i8, %o: {element}):
      %x = arith.index_castui %a : i8 to index
      %v = tensor.extract %t[%x] : tensor<{rows}x{element}>
      linalg.yield %v : {element}
  }} -> tensor<{count}x{element}>
  return %r : tensor<{count}x{element}>
}}
"""


TEXT = "".join(codes(f"f{n}", *case) for n, case in enumerate(CASES))


def operands(number: int) -> tuple[np.ndarray, np.ndarray]:
    count, rows, element = CASES[number]
    rng = np.random.default_rng(number)
    bits = rng.integers(0, 256, rows * np.dtype(DTYPES[element]).itemsize, np.uint8)
    where = rng.integers(0, rows, count, np.uint8)
    where[-1] = rows - 1
    return bits.view(DTYPES[element]), where


@pytest.mark.parametrize("step", ["hexagon-vectorization", "lower-look-ups"])
def test_vectors_on_the_host(step):
    module, _ = after(TEXT, steps_until("default", step))
    call = on_host(module, [f"f{n}" for n in range(len(CASES))])
    for number, (count, _, element) in enumerate(CASES):
        table, where = operands(number)
        result = np.zeros(count, DTYPES[element])
        call(f"f{number}", [table, where.view(np.int8), result])
        assert result.tobytes() == table[where].tobytes(), CASES[number]


def test_on_the_simulator():
    """Bit by bit: NaNs are among the elements."""
    call, asm = on_simulator(TEXT)
    for number, (count, _, element) in enumerate(CASES):
        table, where = operands(number)
        result = np.zeros(count, DTYPES[element])
        call(f"f{number}", [table, where.view(np.int8), result])
        assert result.tobytes() == table[where].tobytes(), CASES[number]
    assert "vgather" not in asm


DEQUANTIZE = """
#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%t: tensor<16xf32>, %c: tensor<5x70xi8>, %s: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %four = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  %r = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%c, %s : tensor<5x70xi8>, tensor<5xf32>) outs(%y : tensor<5xf32>) {
    ^bb0(%a: i8, %b: f32, %o: f32):
      %h = arith.shrui %a, %four : i8
      %l = arith.andi %a, %mask : i8
      %hw = arith.extui %h : i8 to i32
      %hi = arith.index_cast %hw : i32 to index
      %li = arith.index_castui %l : i8 to index
      %vh = tensor.extract %t[%hi] : tensor<16xf32>
      %vl = tensor.extract %t[%li] : tensor<16xf32>
      %d = arith.subf %vh, %vl : f32
      %m = arith.mulf %d, %b : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
"""


def test_two_codes_in_a_byte_and_a_sum_of_what_they_mean():
    """A row's scale is not looked up; zeros of the last, masked vector are codes that must not count."""
    call, asm = on_simulator(DEQUANTIZE)
    rng = np.random.default_rng(3)
    table, codes_ = rng.normal(3, 1, 16).astype(np.float32), rng.integers(0, 256, (5, 70), np.uint8)
    scale, result = rng.normal(0, 1, 5).astype(np.float32), np.ones(5, np.float32)
    call("f", [table, codes_.view(np.int8), scale, np.ones(5, np.float32), result])
    expected = 1 + ((table[codes_ >> 4] - table[codes_ & 15]) * scale[:, None]).sum(1)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    assert len(re.findall(r"vlut16", asm)) >= 4


COMPUTED = """
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%t: tensor<100xf32>, %x: tensor<3x?xf32>, %k: tensor<3xi32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<3x?xf32>
  %e = tensor.empty(%n) : tensor<3x?xf32>
  %zero = arith.constant 0 : i32
  %top = arith.constant 99 : i32
  %r = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %k : tensor<3x?xf32>, tensor<3xi32>) outs(%e : tensor<3x?xf32>) {
    ^bb0(%a: f32, %b: i32, %o: f32):
      %i = arith.fptosi %a : f32 to i32
      %l = arith.maxsi %i, %zero : i32
      %u = arith.minsi %l, %top : i32
      %x1 = arith.index_cast %u : i32 to index
      %x2 = arith.index_cast %b : i32 to index
      %v = tensor.extract %t[%x1] : tensor<100xf32>
      %w = tensor.extract %t[%x2] : tensor<100xf32>
      %s = arith.addf %v, %w : f32
      linalg.yield %s : f32
  } -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
"""


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("columns", [1, 37, 128, 300])
def test_computed_and_clamped_indices_of_dynamic_rows(columns):
    """One index is a row's: that element is read once."""
    import hexagon_mlir as hx

    rng = np.random.default_rng(columns)
    table, x = rng.normal(0, 1, 100).astype(np.float32), rng.uniform(-50, 150, (3, columns)).astype(np.float32)
    rows = np.array([0, 99, 50], np.int32)
    kernel = hx.compile(COMPUTED)
    result = kernel.run(table, x, rows).outputs[0]
    np.testing.assert_array_equal(result, table[np.clip(x.astype(np.int32), 0, 99)] + table[rows][:, None])


def test_an_index_behind_the_table_reads_no_memory():
    """It finds zero, or what stands for it in the last piece's padding: never the memory behind the table."""
    call, _ = on_simulator(codes("f", 200, 40, "i8"))
    result = np.full(200, 99, np.int8)
    call("f", [np.arange(1, 41, dtype=np.int8), np.arange(200, dtype=np.uint8).view(np.int8), result])
    np.testing.assert_array_equal(result, [*range(1, 41), *[0] * 160])
