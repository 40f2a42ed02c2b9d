"""`hexagon-matrix-engine`: biases and maxima that the engine computes while it reads its accumulators."""

import numpy as np
import pytest
from batch import after, on_host
from linalg_programs import Program

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.lib.engine_conversions import read_conversion
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_matmul

pytestmark = pytest.mark.only_values

ROUNDED = ("%r = arith.truncf %x : f32 to f16", "%s = arith.addf %r, %c : f16")
IN_F32 = ("%r = arith.extf %c : f16 to f32", "%s = arith.addf %r, %x : f32")
BODIES = {
    "bias": (*ROUNDED, "linalg.yield %s : f16"),
    "swapped": (ROUNDED[0], "%s = arith.addf %c, %r : f16", "linalg.yield %s : f16"),
    "relu": (*ROUNDED, "%t = arith.maximumf %s, %zero : f16", "linalg.yield %t : f16"),
    "selected": (*ROUNDED, "%g = arith.cmpf ogt, %s, %zero : f16", "%t = arith.select %g, %s, %zero : f16",
                 "linalg.yield %t : f16"),
    "only_relu": (ROUNDED[0], "%t = arith.maximumf %zero, %r : f16", "linalg.yield %t : f16"),
    "wide": (*IN_F32, "%t = arith.truncf %s : f32 to f16", "linalg.yield %t : f16"),
    "wide_relu": (*IN_F32, "%m = arith.maximumf %s, %none : f32", "%t = arith.truncf %m : f32 to f16",
                  "linalg.yield %t : f16"),
    "twice": (*ROUNDED, "%t = arith.mulf %s, %c : f16", "linalg.yield %t : f16"),
    "doubled": (*ROUNDED, "%t = arith.addf %s, %s : f16", "linalg.yield %t : f16"),
}
"""What is folded of each: the engine rounds once."""
ELSEWHERE = {
    "least": (*ROUNDED, "%g = arith.cmpf olt, %s, %zero : f16", "%t = arith.select %g, %s, %zero : f16",
              "linalg.yield %t : f16"),
    "read_twice": (ROUNDED[0], "%s = arith.addf %r, %c : f16", "%t = arith.mulf %s, %r : f16",
                   "linalg.yield %t : f16"),
    "scaled_before": (ROUNDED[0], "%q = arith.mulf %r, %c : f16", "%t = arith.maximumf %q, %zero : f16",
                      "linalg.yield %t : f16"),
}
SHAPE = 40, 70, 45


def layer(name: str, body: tuple[str, ...], shape: tuple[int, int, int] = SHAPE, bias: str = "(m, n) -> (n)",
          bias_type: str = "f16") -> Program:
    """``body`` on sums %x and biases %c; the expected values are exact, for what the names above say."""
    m, n, k = shape
    rng = np.random.default_rng(m + n + k)
    along = (m, n) if bias.endswith("(m, n)") else (m,) if bias.endswith("(m)") else (n,)
    left, right, offset = (rng.normal(0, 1, size).astype(np.float16) for size in ((m, k), (k, n), along))
    size = "x".join(map(str, along))
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>, %d: tensor<{size}x{bias_type}>)
          -> tensor<{m}x{n}xf16> {{
        %none = arith.constant 0.0 : f32
        %zero = arith.constant 0.0 : f16
        %e = tensor.empty() : tensor<{m}x{n}xf32>
        %h = tensor.empty() : tensor<{m}x{n}xf16>
        %i = linalg.fill ins(%none : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
        %0 = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        %1 = linalg.generic {{indexing_maps = [affine_map<{bias}>, affine_map<(m, n) -> (m, n)>,
            affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}}
            ins(%d, %0 : tensor<{size}x{bias_type}>, tensor<{m}x{n}xf32>) outs(%h : tensor<{m}x{n}xf16>) {{
          ^bb0(%c: {bias_type}, %x: f32, %old: f16):
            {chr(10).join(body)}
        }} -> tensor<{m}x{n}xf16>
        return %1 : tensor<{m}x{n}xf16>
      }}"""
    exact = left.astype(np.float64) @ right.astype(np.float64)
    added = exact + (offset[:, None] if along == (m,) else offset).astype(np.float64)
    expected = {"only_relu": np.maximum(exact, 0), "least": np.minimum(added, 0), "read_twice": added * exact,
                "scaled_before": np.maximum(exact * offset.astype(np.float64), 0) if along == (n,) else exact,
                "twice": added * offset.astype(np.float64) if along == (n,) else exact, "doubled": 2 * added}
    value = expected.get(name, np.maximum(added, 0) if name in ("relu", "selected", "wide_relu") else added)
    bound = 2.0**-11 * np.abs(value) + 2.0**-20 * (np.abs(left).astype(np.float64) @ np.abs(right)).max() + 2.0**-24
    if name == "twice":
        bound = 2 * bound
    if name in ELSEWHERE or along != (n,):
        bound = 2.0**-9 * (np.abs(value) + np.abs(exact) + 1) * 2
    return Program(name, text, [left, right, offset], value, bound, np.dtype(np.float16))


def programs() -> list[Program]:
    """All that is folded and all that is not, and other shapes."""
    found = [layer(name, body) for name, body in {**BODIES, **ELSEWHERE}.items()]
    found += [layer(f"bias_{'_'.join(map(str, shape))}", BODIES["bias"], shape)
              for shape in ((1, 1, 1), (33, 32, 64), (5, 7, 45))]
    return [*found, layer("of_rows", BODIES["bias"], bias="(m, n) -> (m)"),
            layer("of_all", BODIES["bias"], bias="(m, n) -> (m, n)")]


def conversions(text: str, tcm_bytes: int = 0) -> list[tuple[bool, bool]]:
    """Whether sums get a bias and a maximum, of each conversion of sums of ``text``."""
    module, _ = after(text, [PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes))])
    with module.context:
        found = [read_conversion(op) for op in ops_named(module, "linalg.generic")]
    return [(one.bias is not None, one.positive) for one in found if one is not None]


@pytest.mark.parametrize("name", BODIES)
def test_what_is_folded(name):
    """One conversion, with the bias and the maximum of the name."""
    assert conversions(layer(name, BODIES[name]).text) == [(name != "only_relu", "relu" in name or name == "selected")]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_not(name):
    """A minimum stays with HVX, as does a bias of a sum that is read without it."""
    assert conversions(layer(name, ELSEWHERE[name]).text) == [(name == "least", False)]


def test_biases_that_are_no_column_s():
    """Those of rows, of elements, and of f32, which the engine would cut to 16 bits: HVX adds them, and rounds."""
    assert conversions(layer("of_rows", BODIES["bias"], bias="(m, n) -> (m)").text) == [(False, False)]
    assert conversions(layer("of_all", BODIES["bias"], bias="(m, n) -> (m, n)").text) == [(False, False)]
    wide = ("%s = arith.addf %x, %c : f32", "%t = arith.truncf %s : f32 to f16", "linalg.yield %t : f16")
    assert conversions(layer("wide", wide, bias_type="f32").text) == [(False, False)]


def test_nothing_is_left_of_a_bias_and_a_maximum():
    """Neither do such sums count as f32, nor does anything follow their conversion."""
    module = parse(layer("wide_relu", BODIES["wide_relu"]).text)
    op, = ops_named(module, "linalg.matmul")
    with module.context:
        matmul, unfolded = read_matmul(op), read_matmul(op, folds=False)
    assert isinstance(matmul, Matmul)
    assert (matmul.in_f32, matmul.only_converts, matmul.epilogue_bytes) == (False, True, 0)
    assert isinstance(unfolded, Matmul)
    assert (unfolded.in_f32, unfolded.only_converts, unfolded.folding) == (True, False, None)


def test_large_biases_stay_with_hvx():
    """A bias with its tables, 14 bytes a column, must fit half the part of TCM that is left for such: here 1 KiB."""
    assert set(conversions(layer("bias", BODIES["bias"], (32, 73, 32)).text, 1 << 15)) == {(True, False)}
    assert set(conversions(layer("bias", BODIES["bias"], (32, 74, 32)).text, 1 << 15)) == {(False, False)}


def test_on_the_host():
    found = programs()
    module, context = after("".join(program.text for program in found),
                            [PassStep(registry.get("hexagon-matrix-engine")(always=True))])
    assert not context.log.entries
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])


@pytest.mark.full_except("v75")
@pytest.mark.parametrize("target", ["v73", "v75"])
def test_on_the_simulator(target):
    """Each element within one rounding of the exact sum with its bias. An infinite bias leaves no finite number but for
    a maximum with zero, and no other column is touched."""
    found = [program for program in programs() if target == "v75" or program.name in ("relu", "doubled")]
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    always = [*steps[:place], PassStep(registry.get("hexagon-matrix-engine")(always=True)), *steps[place + 1:]]
    module, _ = after("".join(program.text for program in found), always, target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    for program in found:
        result = program.place()
        launch(asm, program.name, [*program.arguments, result], None, target)
        program.check(result)
    relu = next(program for program in found if program.name == "relu")
    relu.arguments[2][[1, 2, 3]] = np.inf, -np.inf, np.nan
    result = relu.place()
    launch(asm, "relu", [*relu.arguments, result], None, target)
    assert not np.isfinite(result[:, [1, 3]]).any()
    assert (result[:, 2] == 0).all()
    kept = [column for column in range(SHAPE[1]) if column not in (1, 2, 3)]
    assert (np.abs(result - relu.expected) <= relu.error)[:, kept].all()
