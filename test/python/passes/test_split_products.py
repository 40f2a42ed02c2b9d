"""`hexagon-split-products`: values within the stated bound, on the host for every form of product, and on the chip for
factors that are hard to split.
"""

import ml_dtypes
import numpy as np
import pytest
from batch import after, on_host

import hexagon_mlir as hx
from hexagon_mlir import targets
from hexagon_mlir.dialects.split_weights import FRACTION, ROUNDED, exponent_beside_weights, top_exponent
from hexagon_mlir.ir import ir, to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.lib import bf16_pieces
from hexagon_mlir.passes.lib.engine_cost import EngineCost
from hexagon_mlir.passes.lib.linalg_generic import generic
from hexagon_mlir.passes.lib.split_cost import bf16_pays, pays

pytestmark = pytest.mark.only_values

STEPS = [PassStep(registry.get("hexagon-split-products")(f32_split=True, always=True))]
TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}
LEFT, RIGHT = ("(i, k)", "(k, i)"), ("(k, j)", "(j, k)")


def text(m, k, n, kinds=("f32", "f32"), transposed=(False, False), batch=0, tail=""):
    """A product; ``tail``: operations on each result ``%v`` that give ``%w``."""
    sizes = {"i": m, "j": n, "k": k, "b": batch}
    maps = [LEFT[transposed[0]], RIGHT[transposed[1]], "(i, j)"]
    maps = [f"(b, {map_[1:]}" if batch else map_ for map_ in maps]
    loops = "b, i, j, k" if batch else "i, j, k"
    a, b, c = ("tensor<" + "".join(f"{sizes[dim]}x" for dim in map_[1:-1].split(", ")) + f"{kind}>"
               for map_, kind in zip(maps, (*kinds, "f32"), strict=True))
    kinds_of_loops = ", ".join([*['"parallel"'] * (2 + bool(batch)), '"reduction"'])
    widened = "".join(f"%w{number} = arith.extf %{name} : {kind} to f32\n" for number, (name, kind)
                      in enumerate(zip("xy", kinds, strict=True)) if kind != "f32")
    p, q = ("%w0" if kinds[0] != "f32" else "%x", "%w1" if kinds[1] != "f32" else "%y")
    same = f"affine_map<({loops[:-3]}) -> ({loops[:-3]})>"
    after_it = f"""%r = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds_of_loops[:-13]}]}}
        ins(%s : {c}) outs(%e : {c}) {{
      ^bb0(%v: f32, %o: f32):
        {tail}
        linalg.yield %w : f32
      }} -> {c}
      return %r : {c}""" if tail else f"return %s : {c}"
    return f"""func.func @f(%a: {a}, %b: {b}) -> {c} {{
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : {c}
      %z = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
      %s = linalg.generic {{indexing_maps = [{", ".join(f"affine_map<({loops}) -> {map_}>" for map_ in maps)}],
          iterator_types = [{kinds_of_loops}]}} ins(%a, %b : {a}, {b}) outs(%z : {c}) {{
      ^bb0(%x: {kinds[0]}, %y: {kinds[1]}, %old: f32):
        {widened}%m = arith.mulf {p}, {q} : f32
        %t = arith.addf %old, %m : f32
        linalg.yield %t : f32
      }} -> {c}
      {after_it}
    }}"""


def bound(a, b, sums=FRACTION):
    """The largest error that docs/engine_arithmetic.md states for ``a @ b`` of float64."""
    sizes = np.abs(a), np.abs(b)
    part = 2.0 ** -(23 + top_exponent(a.shape[-1], sums))
    rows = np.maximum(sizes[0].max(-1, keepdims=True), 2.0**-90) * sizes[1].sum(-2, keepdims=True)
    columns = sizes[0].sum(-1, keepdims=True) * np.maximum(sizes[1].max(-2, keepdims=True), 2.0**-90)
    return (2.0**-19 + 1.01 * a.shape[-1] * 2.0**-29) * (sizes[0] @ sizes[1]) + part * (rows + columns) + 2.0**-126


@pytest.mark.parametrize(("kinds", "transposed", "batch", "tail"), [
    (("f32", "f32"), (False, False), 0, ""), (("f32", "f32"), (True, True), 0, "%w = arith.negf %v : f32"),
    (("f32", "f32"), (False, True), 3, ""), (("bf16", "bf16"), (False, False), 0, ""),
    (("f32", "bf16"), (False, True), 0, ""), (("f16", "f32"), (True, False), 2, "%w = arith.addf %v, %v : f32")])
def test_values(kinds, transposed, batch, tail):
    rng = np.random.default_rng(len(tail) + batch)
    a, b = (rng.standard_normal((*([batch] if batch else []), *shape)).astype(TYPES[kind])
            for shape, kind in zip(((5, 39), (39, 7)), kinds, strict=True))
    module, _ = after(text(5, 39, 7, kinds, transposed, batch, tail), STEPS)
    assert "xf16>, tensor<" in to_text(module)
    given = [np.ascontiguousarray(np.swapaxes(one, -1, -2)) if turned else one
             for one, turned in zip((a, b), transposed, strict=True)]
    found, = on_host(module, ["f"])("f", given)
    wide = [one.astype(np.float64) for one in (a, b)]
    expected = wide[0] @ wide[1]
    factor = {"": 1, "%w = arith.negf %v : f32": -1, "%w = arith.addf %v, %v : f32": 2}[tail]
    assert (np.abs(found / factor - expected) <= bound(*wide)).all()


def factors(m, k, n):
    """Rows that are hard: wide ranges, cancellation, numbers at both ends of f32, infinities, NaN and zeros."""
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal(shape) for shape in ((m, k), (k, n)))
    a[0] *= 2.0 ** rng.integers(-40, 1, k)
    a[1, ::2] = -a[1, 1::2] * (1 + 2.0**-20)
    b[1::2] = b[::2]
    a[2] *= 2.0**120 / 8
    a[3] *= 2.0**-119
    a[4] = 0
    a[5] = np.where(np.arange(k) == 3, 2.0**20, 2.0**-10)
    a[6] = 2.0**-130
    a[7] = rng.integers(-2**11, 2**11, k)
    a[10], b[:, 5] = 0, 2.0**-15  # eight products at a time are less than the last place of the first one
    a[10, ::8], b[0, 5] = 255 * 2.0**-21, 1
    a[10, 0] = 1
    b[:, 0] *= 2.0**-100
    b[:, 1] *= 2.0**100
    b[:, 2] = 0
    b[:, 3] *= 2.0 ** rng.integers(-60, 61, k)
    a, b = a.astype(np.float32), b.astype(np.float32)
    a[8, 5], a[9, 6], b[7, 4] = np.nan, -np.inf, np.inf
    return a, b


@pytest.mark.full_except("v75-17-7680-33-f32", "v79-33-150-70-bf16")
@pytest.mark.parametrize(("target", "m", "k", "n", "kind"), [
    ("v75", 17, 512, 65, "f32"), ("v75", 17, 7680, 33, "f32"), ("v79", 33, 150, 70, "bf16"),
    *(pytest.param(*case, marks=pytest.mark.full) for case in (
        ("v79", 33, 150, 70, "f32"), ("v75", 17, 4096, 33, "f32"), ("v75", 17, 512, 65, "bf16")))])
def test_hard_factors_on_the_chip(target, m, k, n, kind, monkeypatch):
    for name in ("pays", "bf16_pays"):
        monkeypatch.setattr(f"hexagon_mlir.passes.hexagon_split_products.{name}", lambda *_: True)
    a, b = (one.astype(TYPES[kind]) for one in factors(m, k, n))
    kernel = hx.compile(text(m, k, n, (kind, kind)), f32_split=kind == "f32", target=target)
    assert "hexmlir_engine_hf_pieces" in kernel.asm
    found = kernel.run(a, b).outputs[0]
    a, b = a.astype(np.float32), b.astype(np.float32)
    special = ~np.isfinite(a).all(1)[:, None] | ~np.isfinite(b).all(0)[None]
    assert special.any()
    assert np.isnan(found[special]).all()
    wide = [np.where(np.isfinite(one), one, 0).astype(np.float64) for one in (a, b)]
    expected, limit = wide[0] @ wide[1], bound(*wide)
    too_large = ~special & (np.abs(expected) > np.finfo(np.float32).max)
    assert too_large.any()
    assert np.isnan(found[too_large]).all()
    rest = ~special & ~too_large
    assert (np.abs(found - expected) <= limit)[rest].all()
    assert (found[4][rest[4]] == 0).all()
    assert (found[:, 2][rest[:, 2]] == 0).all()


@pytest.mark.parametrize(("m", "k", "n"), [(17, 512, 65), (65, 40, 130)])
def test_results_of_bf16(m, k, n, monkeypatch):
    """Sums that become bf16 are rounded to f16 by the engine."""
    monkeypatch.setattr("hexagon_mlir.passes.hexagon_split_products.bf16_pays", lambda *_: True)
    a, b = (one.astype(TYPES["bf16"]) for one in factors(m, k, n))
    rounded = "%half = arith.truncf %v : f32 to bf16\n%w = arith.extf %half : bf16 to f32"
    kernel = hx.compile(text(m, k, n, ("bf16", "bf16"), tail=rounded))
    assert "hexmlir_engine_hf" in kernel.asm
    assert "hexmlir_engine_hf_pieces" not in kernel.asm
    found = kernel.run(a, b).outputs[0]
    a, b = a.astype(np.float32), b.astype(np.float32)
    special = ~np.isfinite(a).all(1)[:, None] | ~np.isfinite(b).all(0)[None]
    assert np.isnan(found[special]).all()
    wide = [np.where(np.isfinite(one), one, 0).astype(np.float64) for one in (a, b)]
    expected = wide[0] @ wide[1]
    limit = bound(*wide, ROUNDED) + (2.0**-8 + 2.0**-11) * np.abs(expected)
    too_large = ~special & (np.abs(expected) > np.finfo(np.float32).max)
    assert np.isnan(found[too_large]).all()
    rest = ~special & ~too_large
    assert (np.abs(found - expected) <= limit)[rest].all()
    assert (found[4][rest[4]] == 0).all()


@pytest.mark.parametrize("scales", [(3, -5), (-120, 60), (100, 40), (60, 40)])
def test_every_sum_of_f16(scales):
    """Each number of f16 times two to the power of two scales becomes the nearest one of bf16: what is below 2**-126
    zero, what is beyond bf16 NaN."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]
    found = rounded(halves, scales)
    with np.errstate(over="ignore"):
        exact = np.ldexp(halves.astype(np.float64), -sum(scales))
        expected = exact.astype(np.float32).astype(TYPES["bf16"]).astype(np.float32)
    expected[np.isinf(expected)] = np.nan
    expected[np.abs(exact) < 2.0**-126 * (1 - 2.0**-9)] = 0
    np.testing.assert_array_equal(found.astype(np.float32), expected)
    assert np.isnan(rounded(halves, (-256, 90)).astype(np.float32)).all()
    assert np.isnan(rounded(halves, (90, -256)).astype(np.float32)).all()


def rounded(halves, scales):
    """`bf16_pieces.rounded_back` of a vector of f16, on the host."""
    count = len(halves)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"""func.func @f(%h: tensor<{count}xf16>, %p: tensor<{count}xi32>,
            %q: tensor<{count}xi32>) -> tensor<{count}xbf16> {{
          %e = tensor.empty() : tensor<{count}xbf16>
          return %e : tensor<{count}xbf16>
        }}""")
        function, = module.body.operations
        block = function.regions[0].blocks[0]
        empty, end = block.operations
        same = [ir.AffineMap.get_identity(1)] * 4
        with ir.InsertionPoint(end):
            powers = [bf16_pieces.exponents(value) for value in block.arguments[1:]]
            end.operation.operands[0] = generic(
                [block.arguments[0], *powers], empty.operation.results[0], same, ["parallel"],
                lambda given: bf16_pieces.rounded_back(given[0], given[1:3]))
        given = [halves, *(np.full(count, scale, np.int32) for scale in scales)]
        return on_host(module, ["f"])("f", given)[0]


def test_only_where_asked_for():
    """Without the option products of f32 stay as they are, those of bf16 do not; and a chip without f32 results splits
    none."""
    program, bf16 = text(256, 256, 256), text(256, 256, 256, ("bf16", "bf16"))
    assert "hexmlir_engine_hf_pieces" in hx.compile(bf16).asm
    for settings in ({"matrix_engine": False}, {"target": "v73"}):
        assert "hexmlir_engine" not in hx.compile(bf16, **settings).asm
    for settings in ({}, {"f32_split": True, "matrix_engine": False}, {"f32_split": True, "target": "v73"}):
        assert "hexmlir_engine" not in hx.compile(program, **settings).asm


def test_sums_stay_below_what_pieces_hold():
    """Of all that is scaled: below 2**24; those that are rounded to f16 are finite there."""
    for reduction in (1, 2, 3, 32, 33, 512, 4095, 4096, 4097, 1 << 20):
        for sums in (FRACTION, ROUNDED):
            top = top_exponent(reduction, sums)
            assert reduction * 2.0 ** (2 * top) <= 2.0**sums
            assert reduction * 2.0 ** (2 * top + 2) > 2.0 ** (sums - 1)
            both = exponent_beside_weights(reduction, sums) + top_exponent(reduction, ROUNDED)
            assert reduction * 2.0**both <= 2.0**sums


def test_every_bf16():
    """All numbers of bf16 times one: exact from 2**-26 of the largest one on, cut below; none below 2**-126."""
    numbers = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    usable = numbers[np.isfinite(numbers.astype(np.float32))].astype(np.float64)
    for largest in (2.0**-80, 1.0, 2.0**127):
        a = np.zeros((9600, 8), ml_dtypes.bfloat16)
        chosen = usable[np.abs(usable) <= largest]
        a[:len(chosen) // 7, :7] = chosen[:len(chosen) // 7 * 7].reshape(-1, 7)
        a[:, 7] = largest
        module, _ = after(text(9600, 8, 1, ("bf16", "bf16")), STEPS)
        wide, top = a.astype(np.float64), 2.0 ** top_exponent(8)
        call = on_host(module, ["f"])
        for column in (0, 3, 7):
            b = np.zeros((8, 1), ml_dtypes.bfloat16)
            b[column] = 1
            found = call("f", [a, b])[0][:, 0]
            exact = np.abs(wide[:, column]) >= 2.0**-16 * largest / top
            size = np.where(exact, 2.0**-126, 2.0**-23 * largest / top)
            assert (np.abs(found - wide[:, column]) <= size).all()


def test_what_pays():
    """As measured on v75: 128 cubed takes 82,819 cycles and 54,513 on HVX, 256 cubed 195,184 and 402,280."""
    cost = EngineCost.of(targets.get("v75"))
    assert not pays(64, 64, 64, 3, cost)
    assert not pays(128, 128, 128, 3, cost)
    assert pays(256, 256, 256, 3, cost)
    assert pays(64, 768, 768, 3, cost)
    assert not pays(1, 4096, 4096, 3, cost)
    assert not bf16_pays(96, 33, 64, cost)  # 19,721 cycles, 17,537 on HVX
    assert bf16_pays(96, 96, 96, cost)  # 23,251, 32,727 on HVX
