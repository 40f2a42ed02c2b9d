"""`hexagon-layout-propagation` and `hexagon-pair-reduction`: attention whose scores stay in tiles against float64."""

import numpy as np
import pytest
from batch import after, on_host, on_simulator, steps_until

from hexagon_mlir.frontend.torch.kernels import attention_rows
from hexagon_mlir.frontend.torch.kernels.attention_blocks import plan
from hexagon_mlir.frontend.torch.kernels.attention_scores import Shape
from hexagon_mlir.ir import parse, to_text
from hexagon_mlir.ir.query import ops_named
from hexagon_mlir.pass_infra import PassStep, UpstreamStep, registry
from hexagon_mlir.passes.layout_propagation.row_values import row_values
from hexagon_mlir.passes.layout_propagation.sizes import chain_cost
from hexagon_mlir.passes.lib.engine_cost import pays
from hexagon_mlir.targets import get

pytestmark = pytest.mark.only_values

STEPS = [UpstreamStep("linalg-generalize-named-ops"),
         PassStep(registry.get("hexagon-layout-propagation")(always=True))]
ERROR = 5e-3
"""Of numbers of about 1: queries, scores and their sums with a mask are f16. A score of up to 8 is off by 2^-9 after
each rounding; so is its weight, relatively."""


def shape(heads, key_heads, queries, keys, depth, width=0, mask=(), hidden=(), causal=False, safe=True, cap=0.0):
    return Shape(heads, key_heads, queries, keys, depth, width or depth, mask, hidden, "f16", causal, depth**-0.5, safe,
                 False, cap)


SHAPES = {
    "whole": shape(2, 2, 64, 64, 32),
    "ragged_causal": shape(2, 1, 70, 77, 80, causal=True),
    "shared_mask": shape(1, 1, 65, 100, 64, 32, mask=(1, 1, 1, 100)),
    "masks_of_heads": shape(2, 2, 140, 50, 32, mask=(1, 2, 140, 50)),
    "hidden": shape(1, 1, 32, 40, 80, hidden=(1, 1, 32, 40)),
    "parts": shape(2, 1, 150, 150, 32, causal=True),
    "together": shape(1, 1, 140, 40, 32),
    "nan_of_nothing": shape(1, 1, 66, 70, 64, mask=(1, 1, 66, 70), safe=False, cap=2.0),
}


GENERIC = """
  func.func @f(%t: tensor<4x4xf16>, %r: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4x4xf16> {{
    %one = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<4x4xf16>
    %0 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
        affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
        ins(%t, %r, %s : tensor<4x4xf16>, tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf16>) {{
    ^bb0(%x: f16, %y: f32, %z: f32, %old: f16):
      {body}
      linalg.yield %o : f16
    }} -> tensor<4x4xf16>
    return %0 : tensor<4x4xf16>
  }}"""
OF_ELEMENTS = ["%w = arith.extf %x : f16 to f32", "%v = arith.mulf %w, %c : f32", "%o = arith.truncf %v : f32 to f16"]


@pytest.mark.parametrize(("of_rows", "count", "read"), [
    (["%a = arith.addf %y, %one : f32", "%b = arith.mulf %a, %z : f32", "%c = arith.mulf %b, %b : f32"], 3, 1),
    (["%a = arith.addf %y, %one : f32", "%c = arith.mulf %a, %z : f32"], 0, 0),
    (["%a = arith.addf %y, %one : f32", "%d = arith.cmpf oeq, %a, %one : f32", "%b = arith.mulf %a, %z : f32",
      "%p = arith.mulf %b, %b : f32", "%q = arith.mulf %p, %a : f32", "%u = arith.addf %q, %q : f32",
      "%c = arith.select %d, %u, %one : f32"], 5, 2),
    (["%c = arith.mulf %one, %one : f32"], 0, 0)], ids=["three", "two", "with_a_mask", "of_constants"])
def test_which_values_are_computed_once_a_row(of_rows, count, read):
    """More than twice as many operations as values that others read; no masks, and nothing that is in no row."""
    module = parse(GENERIC.format(body="\n".join([*of_rows, *OF_ELEMENTS])))
    body = ops_named(module, "linalg.generic")[0].regions[0].blocks[0]
    ops, values = row_values(body, list(body.arguments)[1:3])
    assert (len(ops), len(values)) == (count, read)


def arguments(s):
    rng = np.random.default_rng(s.queries)
    q, k, v = (rng.standard_normal(size).astype(np.float16) for size in (
        (s.heads, s.queries, s.depth), (s.key_heads, s.keys, s.depth), (s.key_heads, s.keys, s.width)))
    found = [q, k, v]
    if s.mask:
        mask = rng.standard_normal(s.mask).astype(np.float32)
        mask[rng.random(s.mask) < 0.3] = -np.inf
        mask[..., 1] = -3e38
        if s.mask[2] > 1:
            mask[..., 3, :] = -np.inf
        found.append(mask)
    if s.hidden:
        hidden = np.full(s.hidden, np.inf, np.float32)
        for number, value in enumerate((-np.inf, 0.0, 1.5, -1e30)):
            hidden[..., number, number::4] = value
        found.append(hidden)
    return found


def expected(s, q, k, v, *others):
    """In float64; a row that sees no key is zero or NaN."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, s.heads // s.key_heads, 0) for x in (k, v))
    scores = q @ k.transpose(0, 2, 1) * s.scale
    if s.cap:
        scores = np.tanh(scores) * s.cap
    if s.mask:
        scores = scores + np.broadcast_to(others[0][0], scores.shape)
    if s.hidden:
        hidden = np.broadcast_to(others[-1][0], scores.shape)
        scores = np.where(np.isposinf(hidden), scores, hidden)
    if s.causal:
        scores = np.where(np.tri(s.queries, s.keys, dtype=bool), scores, -np.inf)
    most = scores.max(-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - np.where(np.isinf(most), 0, most))
        result = weights / weights.sum(-1, keepdims=True) @ v
    return np.nan_to_num(result) if s.safe else result


def text(name, s):
    return attention_rows.function(s).replace("@kernel(", f"@{name}(")


def check(name, s, result, given):
    right = expected(s, *given)
    assert np.array_equal(np.isnan(result), np.isnan(right)), name
    assert np.nanmax(np.abs(result - right)) < ERROR, name


def test_on_the_host():
    """Every shape, by the pass alone."""
    module, context = after("".join(text(name, s) for name, s in SHAPES.items()), STEPS)
    kinds = ", ".join(['"parallel"'] * 5 + ['"reduction"'] * 3)
    plans = [plan(s) for s in SHAPES.values()]
    assert max(found.together for found in plans) == 2
    products = 2 * sum(found.together * len(found.parts) for found in plans)
    assert to_text(module).count(f"iterator_types = [{kinds}]") == products, context.log.entries
    call = on_host(module, list(SHAPES))
    for name, s in SHAPES.items():
        given = arguments(s)
        check(name, s, call(name, given)[0].astype(np.float64), given)


def test_on_the_simulator():
    """Compiled: what does not fill tiles, a mask that all queries share."""
    names = ["shared_mask", "parts"]
    call, asm = on_simulator("".join(text(name, SHAPES[name]) for name in names))
    assert "hexmlir_engine_" in asm
    for name in names:
        s = SHAPES[name]
        given = arguments(s)
        result = np.zeros((s.heads, s.queries, s.width), np.float16)
        call(name, [*given, result])
        check(name, s, result.astype(np.float64), given)


def hard_values(s):
    """A first key that all queries look at, whose value is zero, before many others: 2^-18 of its weight each; and
    weights that are all equal, of large values."""
    rng = np.random.default_rng(0)
    q, k, v = (np.zeros(size, np.float16) for size in (
        (s.heads, s.queries, s.depth), (s.key_heads, s.keys, s.depth), (s.key_heads, s.keys, s.width)))
    q[0], k[0, 0, :4] = 1, 18 * np.log(2) * s.depth**0.5 / 4
    v[0] = 100 * (1 + rng.random(v[0].shape))
    v[0, 0] = 0
    v[1] = 300 + 100 * rng.random(v[1].shape)
    return q, k, v


def test_small_weights_count_and_large_sums_are_finite():
    s = shape(2, 2, 32, 1000, 32)
    given = hard_values(s)
    right = expected(s, *given)
    assert right[0].min() > 0.2 and right[1].min() > 300
    found = [on_host(after(text("many", s), STEPS)[0], ["many"])("many", given)[0]]
    for last in ("form-engine-products", "lower-engine-products", "lower-engine-tiles"):  # the scale is in a table
        module, _ = after(text("many", s), steps_until("default", last))
        result = np.zeros((s.heads, s.queries, s.width), np.float16)
        on_host(module, ["many"])("many", [*given, result])
        found.append(result)
    call, asm = on_simulator(text("many", s))
    assert "hexmlir_engine_" in asm
    result = np.zeros((s.heads, s.queries, s.width), np.float16)
    call("many", [*given, result])
    for one in (*found, result):
        assert np.max(np.abs(one[0].astype(np.float64) / right[0] - 1)) < 0.02  # scores of 18 are off by 2^-7
        assert np.max(np.abs(one[1].astype(np.float64) / right[1] - 1)) < 2e-3


def test_keys_beyond_what_fits_are_left_to_the_running_softmax():
    assert attention_rows.takes(shape(1, 1, 64, 2048, 64))
    assert not attention_rows.takes(shape(1, 1, 64, 4096, 64))
    assert not attention_rows.takes(shape(1, 1, 7, 64, 64)), "few queries do not fill tiles"


def test_heads_of_models_pay_from_some_size_on():
    """64 keys of 64 elements take less time on the engine, 24 of 32 less on HVX."""
    cost = chain_cost(get("v75"), True)
    assert pays(64, 64, 64, cost) and not pays(24, 24, 32, cost)
