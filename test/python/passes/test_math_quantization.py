"""Values that are rounded, clamped and converted to integers: as numpy computes them, and how short the code is."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.ir import parse, to_text
from hexagon_mlir.pass_infra import PassContext, PassStep
from hexagon_mlir.pass_infra.runner import run_steps
from hexagon_mlir.passes.hexagon_math_expansion import HexagonMathExpansionPass
from hexagon_mlir.targets import get

pytestmark = pytest.mark.only_values

KERNEL = """
func.func @f(%x: tensor<{n}x{source}>, %out: tensor<{n}x{result}>) -> tensor<{n}x{result}> {{
  %r = linalg.generic
      {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%x : tensor<{n}x{source}>) outs(%out : tensor<{n}x{result}>) {{
  ^bb0(%a: {source}, %o: {result}):
    %low = arith.constant {low} : {source}
    %high = arith.constant {high} : {source}
    {body}
    %i = arith.{convert} %d : {source} to {result}
    linalg.yield %i : {result}
  }} -> tensor<{n}x{result}>
  return %r : tensor<{n}x{result}>
}}
"""
ROUND_FIRST = "%b = math.roundeven %a : {t}\n %c = arith.{lower} %b, %low : {t}\n %d = arith.{upper} %c, %high : {t}"
ROUND_LAST = "%b = arith.{upper} %a, %high : {t}\n %c = arith.{lower} %b, %low : {t}\n %d = math.roundeven %c : {t}"
SELECTS = """%b = math.roundeven %a : {t}
    %p = arith.cmpf ult, %b, %low : {t}
    %c = arith.select %p, %low, %b : {t}
    %q = arith.cmpf ugt, %c, %high : {t}
    %d = arith.select %q, %high, %c : {t}"""  # torch.clamp
KEEP, DROP = {"lower": "maximumf", "upper": "minimumf"}, {"lower": "maxnumf", "upper": "minnumf"}
VALUES = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49999997, 126.5, 127.5, 128.5, 254.5, 255.5, -127.5, -128.5, 1e30,
          -1e30, np.inf, -np.inf, 8388609.0, 40000.0]


def text(source: str, result: str, low: float, high: float, body: str, names: dict[str, str], n: int = 0) -> str:
    """The kernel; ``n`` elements, those of `values` when 0."""
    convert = "fptoui" if low == 0 else "fptosi"
    return KERNEL.format(n=n or len(values(source)), source=source, result=result, low=low, high=high, convert=convert,
                         body=body.format(t=source, **names))


def values(source: str) -> np.ndarray:
    """Ties, what lies beyond the bounds, and numbers between; no NaN."""
    numbers = np.concatenate([VALUES, np.random.default_rng(0).normal(0, 100, 100)])
    with np.errstate(over="ignore"):
        return numbers.astype(np.float32 if source == "f32" else np.float16)


@pytest.mark.each_value
@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
@pytest.mark.parametrize(("source", "result", "low", "high", "body", "names"), [
    ("f32", "i8", -128.0, 127.0, ROUND_FIRST, KEEP), ("f32", "i8", 0.0, 255.0, ROUND_LAST, DROP),
    ("f32", "i32", -4194304.0, 4194304.0, ROUND_FIRST, KEEP), ("f16", "i16", -3.0, 1000.0, ROUND_LAST, KEEP),
    ("f32", "i8", -128.0, 127.0, SELECTS, DROP), ("f16", "i8", 0.0, 255.0, SELECTS, DROP)])
def test_values(target, source, result, low, high, body, names):
    x = values(source)
    if names is DROP:
        x[5::40] = np.nan  # the bound that meets it first
    dtype = np.dtype(f"{'u' if low == 0 else ''}int{result[1:]}")
    out = hx.compile(text(source, result, low, high, body, names), target=target).run(
        x, np.zeros(x.shape, dtype.name.removeprefix("u"))).outputs[-1]
    first = low if body is SELECTS else high
    expected = np.clip(np.rint(np.where(np.isnan(x), first, x).astype(np.float64)), low, high)
    np.testing.assert_array_equal(out.view(dtype), expected.astype(dtype))


@pytest.mark.only_values(False)
@pytest.mark.parametrize(("target", "body", "packets"), [
    ("v75", ROUND_FIRST, 15), ("v75", SELECTS, 16), ("v79", ROUND_FIRST, 9), ("v79", SELECTS, 10)])
def test_packets_of_four_vectors_of_f32(target, body, packets):
    run = hx.compile(text("f32", "i8", -128.0, 127.0, body, KEEP, 4096), target=target, threads=1).run(
        np.zeros(4096, np.float32), np.zeros(4096, np.int8))
    assert run.profile.packets < packets * 32


@pytest.mark.parametrize(("low", "high", "body"), [
    (-128.5, 127.0, ROUND_FIRST), (5.0, -5.0, ROUND_FIRST), (-128.0, 8388608.0, ROUND_FIRST),
    (-128.0, 127.0, ROUND_FIRST.replace("math.roundeven", "math.absf")),
    (-128.0, 127.0, SELECTS.replace("%low, %b", "%b, %low"))])
def test_other_clamps_are_left_alone(low, high, body):
    module = parse(text("f32", "i32", low, high, body, KEEP))
    run_steps(module, [PassStep(HexagonMathExpansionPass())], PassContext(get("v75")))
    assert "arith.fptosi" in to_text(module)


def test_the_bounds_of_pytorch_are_tensors_of_one_element():
    module = parse("""
#one = affine_map<(i) -> ()>
#all = affine_map<(i) -> (i)>
func.func @f(%x: tensor<64xf32>, %out: tensor<64xi8>) -> tensor<64xi8> {
  %lows = arith.constant dense<-128.0> : tensor<f32>
  %highs = arith.constant dense<127.0> : tensor<f32>
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %r = linalg.generic {indexing_maps = [#one, #one, #all, #all], iterator_types = ["parallel"]}
      ins(%lows, %highs, %x : tensor<f32>, tensor<f32>, tensor<64xf32>) outs(%out : tensor<64xi8>) {
  ^bb0(%l: f32, %h: f32, %a: f32, %o: i8):
    %b = math.roundeven %a : f32
    %p = arith.cmpf olt, %b, %low : f32
    %c = arith.select %p, %l, %b : f32
    %q = arith.cmpf ogt, %c, %high : f32
    %d = arith.select %q, %h, %c : f32
    %i = arith.fptosi %d : f32 to i8
    linalg.yield %i : i8
  } -> tensor<64xi8>
  return %r : tensor<64xi8>
}
""")
    run_steps(module, [PassStep(HexagonMathExpansionPass())], PassContext(get("v79")))
    assert "arith.fptosi" not in to_text(module)
