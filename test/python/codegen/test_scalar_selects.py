"""Selects between the operands of their own comparison: the choice for NaN is the comparison's, not sfmin's."""

import numpy as np
import pytest
from text_rewrites import scalar_selects_as_bits

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse

EDGES = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 3e38, 2.5], np.float64)
X, Y = (side.ravel() for side in np.meshgrid(EDGES, EDGES))
TEST = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
PREDICATES = [order + test for order in "ou" for test in TEST]


def chosen(predicate: str, swapped: bool) -> np.ndarray:
    holds = TEST[predicate[1:]](X, Y) | ((predicate[0] == "u") & (np.isnan(X) | np.isnan(Y)))
    return np.where(holds, Y, X) if swapped else np.where(holds, X, Y)


def kernel(element: str) -> str:
    """Every predicate, both ways round: result 2 i and 2 i + 1 of each pair."""
    body = []
    for number, (predicate, swapped) in enumerate((p, s) for p in PREDICATES for s in (False, True)):
        x, y = ("%y", "%x") if swapped else ("%x", "%y")
        body += [f"%k{number} = arith.constant {number} : index",
                 f"%c{number} = arith.cmpf {predicate}, %x, %y : {element}",
                 f"%r{number} = arith.select %c{number}, {x}, {y} : {element}",
                 f"memref.store %r{number}, %out[%i, %k{number}] : memref<{len(X)}x{2 * len(PREDICATES)}x{element}>"]
    lines = "\n".join(body)
    return f"""
func.func @f(%xs: memref<{len(X)}x{element}>, %ys: memref<{len(X)}x{element}>,
             %out: memref<{len(X)}x{2 * len(PREDICATES)}x{element}>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant {len(X)} : index
  scf.for %i = %zero to %end step %one {{
    %x = memref.load %xs[%i] : memref<{len(X)}x{element}>
    %y = memref.load %ys[%i] : memref<{len(X)}x{element}>
    {lines}
  }}
  return
}}"""


@pytest.mark.parametrize("pipeline", ["default", "scalar"])
@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f64", np.float64)])
def test_nan_is_chosen_as_the_comparison_says(element, dtype, pipeline):
    result = np.full((len(X), 2 * len(PREDICATES)), 99, dtype)
    arguments = [X.astype(dtype), Y.astype(dtype), result]
    launch(compile_module(parse(kernel(element)), "v75", pipeline).asm, "f", arguments, None, "v75")
    for number, (predicate, swapped) in enumerate((p, s) for p in PREDICATES for s in (False, True)):
        expected = chosen(predicate, swapped).astype(dtype)
        np.testing.assert_array_equal(result[:, number], expected, err_msg=f"{predicate}, swapped: {swapped}")
        ones = expected == 0
        np.testing.assert_array_equal(np.signbit(result[ones, number]), np.signbit(expected[ones]), err_msg=predicate)


TEXT = """define float @f(float %0, float %1) {{
  %3 = fcmp {flags}olt float %0, %1
  %4 = select i1 %3, float %0, float {other}
  ret float %4
}}
"""


def test_numbers_may_become_minima():
    for text in (TEXT.format(flags="nnan ", other="%1"), TEXT.format(flags="", other="0.0")):
        assert scalar_selects_as_bits(text) == text
    assert "select i1 %n3, i32" in scalar_selects_as_bits(TEXT.format(flags="", other="%1"))


def test_names_of_one_function_mean_nothing_in_another():
    other = "define float @g(float %0, float %1, i1 %3) {\n  %4 = select i1 %3, float %0, float %1\n  ret float %4\n}\n"
    text = TEXT.format(flags="", other="0.0") + other
    assert scalar_selects_as_bits(text) == text


def test_a_comparison_that_is_part_of_the_condition():
    """``x > y or x is NaN ? x : y``, PyTorch's maximum, of single elements: NaN when either is."""
    source = f"""
func.func @f(%xs: memref<{len(X)}xf32>, %ys: memref<{len(X)}xf32>, %out: memref<{len(X)}xf32>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant {len(X)} : index
  scf.for %i = %zero to %end step %one {{
    %x = memref.load %xs[%i] : memref<{len(X)}xf32>
    %y = memref.load %ys[%i] : memref<{len(X)}xf32>
    %greater = arith.cmpf ogt, %x, %y : f32
    %nan = arith.cmpf uno, %x, %x : f32
    %either = arith.ori %greater, %nan : i1
    %r = arith.select %either, %x, %y : f32
    memref.store %r, %out[%i] : memref<{len(X)}xf32>
  }}
  return
}}"""
    result = np.zeros(len(X), np.float32)
    launch(compile_module(parse(source), "v75", "default").asm, "f",
           [X.astype(np.float32), Y.astype(np.float32), result], None, "v75")
    np.testing.assert_array_equal(result, np.maximum(X, Y).astype(np.float32))
