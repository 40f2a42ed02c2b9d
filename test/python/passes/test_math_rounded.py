"""Functions of f32 whose results are only rounded to 16 bits: formulas of 16 bits on arguments of 32."""

import importlib

import numpy as np
import pytest

import hexagon_mlir as hx

pytestmark = pytest.mark.only_values

maths = importlib.import_module("bench.maths")
FUNCTIONS = [f for f in importlib.import_module("bench.corpus.math_functions").FUNCTIONS
             if set(f.ulp) >= {"f16", "bf16"} and f.result == "E"]
COUNT = 1 << 15
PAIRS = [(element, target) for element in ("f16", "bf16") for target in ("v75", "v79")]
CASES = [pytest.param(function, element, target, id=f"{function.name}-{element}-{target}",
                      marks=[pytest.mark.full] * (number % len(PAIRS) != pair))
         for number, function in enumerate(FUNCTIONS) for pair, (element, target) in enumerate(PAIRS)]
"""Each function rounded to one type for one target; the others of `PAIRS` are `full`."""


def text(function, element):
    letters = "abc"[:function.arity]
    body = function.body.replace("FLAGS", "").replace(": E", ": f32").replace("to E", "to f32")
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (function.arity + 1))
    wide, narrow = f"tensor<{COUNT}xf32>", f"tensor<{COUNT}x{element}>"
    return f"""func.func @f({", ".join(f"%x{c}: {wide}" for c in letters)}) -> {narrow} {{
  %out = tensor.empty() : {narrow}
  %res = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({", ".join(f"%x{c}" for c in letters)} : {", ".join([wide] * function.arity)}) outs(%out : {narrow}) {{
  ^bb0({", ".join(f"%{c}: f32" for c in letters)}, %o: {element}):
{body}
    %h = arith.truncf %r : f32 to {element}
    linalg.yield %h : {element}
  }} -> {narrow}
  return %res : {narrow}
}}"""


@pytest.mark.parametrize(("function", "element", "target"), CASES)
def test_rounded_functions(function, element, target):
    """Ranges, bit patterns and special values of f32; what rounds to a denormal number of bf16 may vanish on v75."""
    operands = [np.ascontiguousarray(x[-COUNT:]) for x in maths.samples(function, "f32", "accurate", 2 * COUNT)]
    with np.errstate(all="ignore"):
        expected = function.reference(*(x.astype(np.float64) for x in operands)).astype(np.float64)
    actual = hx.compile(text(function, element), target=target, threads=1).run(*operands).outputs[0]
    actual = actual.view(maths.NUMPY[element])
    error = maths.ulps(actual, expected, element)
    vanishing = max(function.flushes, function.legacy_flushes, 2.0**-118 if target == "v75" else 0)
    size = np.maximum(np.abs(expected), np.abs(actual.astype(np.float64)))
    error[size < vanishing] = 0
    worst = int(np.argmax(error))
    bound = max(maths.limit(function, element, "accurate", target), 0.5) + 0.01
    assert error[worst] <= bound, ([float(x[worst]) for x in operands], float(actual[worst]), expected[worst])
