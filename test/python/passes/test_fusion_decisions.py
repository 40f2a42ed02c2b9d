"""When `hexagon-fusion` computes a producer inside its consumer: pure functions."""

import pytest

from hexagon_mlir.ir import ir, make_context
from hexagon_mlir.passes.fusion.decide import (
    DUPLICATION_LIMIT,
    EXPENSIVE_COST,
    body_cost,
    recompute_factor,
    worth_fusing,
    worth_keeping,
)
from hexagon_mlir.passes.fusion.unused import rows_read


@pytest.mark.parametrize(("names", "cost"), [
    ([], 0),
    (["arith.addf", "arith.select", "math.absf"], 3),
    (["linalg.index", "arith.constant"], 0),
    (["math.exp"], EXPENSIVE_COST),
    (["arith.divf", "arith.remsi"], 2 * EXPENSIVE_COST),
    (["arith.mulf", "math.erf"], 1 + EXPENSIVE_COST),
    (["memref.load"], EXPENSIVE_COST),
])
def test_body_cost(names, cost):
    assert body_cost(names) == cost


@pytest.mark.parametrize(("extents", "used", "factor"), [
    ([8, 64], {0, 1}, 1),
    ([8, 64], {1}, 8),          # a row for every one of 8 rows
    ([8, 64], {0}, 1),          # one value per row: computed before the inner loop
    ([4, 8, 64], {2}, 32),
    ([None, 64], {1}, 2),       # unknown, so at least twice
    ([64], set(), 1),
])
def test_recompute_factor(extents, used, factor):
    assert recompute_factor(extents, used) == factor


def test_everything_with_one_reader_is_fused():
    assert worth_fusing(1000, 1, 1)


@pytest.mark.parametrize(("consumers", "recompute"), [(2, 1), (1, 2), (3, 8)])
def test_only_cheap_work_is_repeated(consumers, recompute):
    assert worth_fusing(DUPLICATION_LIMIT, consumers, recompute)
    assert not worth_fusing(DUPLICATION_LIMIT + 1, consumers, recompute)
    assert not worth_fusing(EXPENSIVE_COST, consumers, recompute)


@pytest.mark.parametrize(("text", "extents", "rows"), [
    ("d0 * 2 + d1", (1, 3), 3), ("d0 + d1", (1, 3), 3), ("d0 + d1", (5, 1), 5),
    ("d0 * 2 + d1", (2, 3), None), ("d0 + d1 * 2", (1, 3), None), ("d0", (1, 1), None), ("d0 * 2 + d1", (1, 1), None),
    ("d0 * 2 + d1", (1, None), None), ("d0 floordiv 2 + d1", (1, 3), None)])
def test_rows_of_a_single_window(text, extents, rows):
    with make_context():
        (expression,) = ir.AffineMapAttr(ir.Attribute.parse(f"affine_map<(d0, d1) -> ({text})>")).value.results
        assert rows_read(expression, extents) == rows


@pytest.mark.parametrize(("names", "kept"), [
    ([], False),
    (["arith.mulf"] * DUPLICATION_LIMIT, False),
    (["arith.mulf", "arith.subf"], True),
    (["arith.addf"], True),
    (["arith.addi", "arith.select"], False),
    (["math.exp"], True),
])
def test_what_is_kept_rather_than_computed_twice(names, kept):
    assert worth_keeping(names) == kept
