"""`hexagon-matrix-engine`: a bias for each column, added to sums of f32 that are not rounded."""

import numpy as np
import pytest
from batch import after

import hexagon_mlir as hx
from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import input_count, ops_named
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.lib.engine_pieces import adds_pieces
from hexagon_mlir.passes.matrix_engine.read import Matmul, read_matmul

pytestmark = pytest.mark.only_values

PIECES = 2
ADD = "%s = arith.addf %x, %c : f32"
WIDENED = ("%w = arith.extf %c : f16 to f32", "%s = arith.addf %w, %x : f32")
BODIES = {
    "bias": ("f32", (ADD, "linalg.yield %s : f32")),
    "widened": ("f16", (*WIDENED, "linalg.yield %s : f32")),
    "residual": ("f32", (ADD, "%t = arith.addf %s, %h : f32", "linalg.yield %t : f32")),
    "negated": ("f32", (ADD, "%t = arith.negf %s : f32", "linalg.yield %t : f32")),
}
ELSEWHERE = {
    "scaled": ("f32", ("%s = arith.mulf %x, %c : f32", "linalg.yield %s : f32")),
    "read_twice": ("f32", (ADD, "%t = arith.mulf %s, %x : f32", "linalg.yield %t : f32")),
    "residual_alone": ("f32", ("%s = arith.addf %x, %h : f32", "linalg.yield %s : f32")),
}


def layer(kind, body, shape, along="(m, n) -> (n)"):
    m, n, k = shape
    size = m if along.endswith("(m)") else n
    same = "affine_map<(m, n) -> (m, n)>"
    return f"""
      func.func @f(%a: tensor<{m}x{k}xf16>, %b: tensor<{k}x{n}xf16>, %d: tensor<{size}x{kind}>, %r: tensor<{m}x{n}xf32>)
          -> tensor<{m}x{n}xf32> {{
        %none = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<{m}x{n}xf32>
        %i = linalg.fill ins(%none : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
        %0 = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf16>, tensor<{k}x{n}xf16>) outs(%i : tensor<{m}x{n}xf32>)
            -> tensor<{m}x{n}xf32>
        %1 = linalg.generic {{indexing_maps = [{same}, affine_map<{along}>, {same}, {same}],
            iterator_types = ["parallel", "parallel"]}} ins(%0, %d, %r : tensor<{m}x{n}xf32>, tensor<{size}x{kind}>,
            tensor<{m}x{n}xf32>) outs(%e : tensor<{m}x{n}xf32>) {{
          ^bb0(%x: f32, %c: {kind}, %h: f32, %old: f32):
            {chr(10).join(body)}
        }} -> tensor<{m}x{n}xf32>
        return %1 : tensor<{m}x{n}xf32>
      }}"""


def biases(text):
    """How many biases each op adds that puts pieces together."""
    module, _ = after(text, [PassStep(registry.get("hexagon-matrix-engine")(always=True))])
    with module.context:
        return [input_count(op) - PIECES for op in ops_named(module, "linalg.generic") if adds_pieces(op)]


@pytest.mark.parametrize("name", BODIES)
def test_what_is_added_to_pieces(name):
    kind, body = BODIES[name]
    assert biases(layer(kind, body, (40, 70, 45))) == [1]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_is_not(name):
    kind, body = ELSEWHERE[name]
    assert biases(layer(kind, body, (40, 70, 45))) == [0]


def test_a_bias_of_rows_is_no_bias_of_columns():
    assert biases(layer("f32", BODIES["bias"][1], (40, 70, 45), "(m, n) -> (m)")) == [0]


def test_such_sums_stay_f32():
    """4 bytes more than f16 for each element; of the epilogue nothing is left, or the residual."""
    for name, left in (("bias", 0), ("residual", 8)):
        module = parse(layer(*BODIES[name], (40, 70, 45)))
        op, = ops_named(module, "linalg.matmul")
        with module.context:
            matmul = read_matmul(op)
            assert isinstance(matmul, Matmul)
            assert matmul.in_f32
            assert matmul.only_converts == (not left)
            assert matmul.epilogue_bytes == 4 + left


@pytest.mark.parametrize(("name", "shape", "tcm_bytes"), [
    ("bias", (40, 70, 45), 0), ("widened", (33, 37, 64), 0), ("residual", (65, 200, 96), 0),
    ("bias", (100, 1000, 64), 0),  # blocks of columns, the last one ragged
    ("residual", (70, 333, 128), 1 << 18),  # loops over blocks
])
def test_values(name, shape, tcm_bytes):
    """Within the engine's bound for sums in f32, and 2^-22 of the sums for each addition by HVX."""
    m, n, k = shape
    kind, body = BODIES[name]
    rng = np.random.default_rng(m)
    a, b = (rng.standard_normal(size).astype(np.float16) for size in ((m, k), (k, n)))
    d = (8 * rng.standard_normal(n)).astype(np.float16 if kind == "f16" else np.float32)
    d[0], d[-1] = 1000, -1000
    r = rng.standard_normal((m, n)).astype(np.float32)
    kernel = hx.compile(layer(kind, body, shape), tcm_bytes=tcm_bytes)
    assert "hexmlir_engine_hf_pieces" in kernel.asm
    found = kernel.run(a, b, d, r).outputs[0]
    wide = [one.astype(np.float64) for one in (a, b)]
    size = np.abs(wide[0]) @ np.abs(wide[1])
    exact = wide[0] @ wide[1] + d.astype(np.float64) + (r if name == "residual" else 0)
    bound = (10 * 2.0**-24 + k * 2.0**-29) * size + 2.0**-21 * (size + np.abs(d) + np.abs(exact))
    assert (np.abs(found - exact) <= bound).all()
    assert np.abs(found - exact).max() < 2e-4 * 2.0**-11 * 1000 + 1e-4  # far below a unit of f16 at 1000
