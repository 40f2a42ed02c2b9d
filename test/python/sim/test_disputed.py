"""Both sides of every switch of `targets.disputed`, in the translator and in the reference."""

from dataclasses import fields, replace

import pytest
from sim.chip_harness import words

from hexagon_mlir import targets
from hexagon_mlir.sim.reference.compare import check
from hexagon_mlir.targets.disputed import (
    ConversionOverflow,
    Disputed,
    DotAccumulation,
    NanOrder,
    NarrowingOrder,
)

ONE, TWO, HUGE, NAN, MINUS_NAN = 0x3F800000, 0x40000000, 0x7F000000, 0x7FC00000, 0xFFC00000
"""sf: 1, 2, 2**127, NaN of either sign."""


def chip(side, name="v75"):
    """The target that takes ``side`` and the defaults otherwise."""
    field = next(f.name for f in fields(Disputed) if type(getattr(Disputed(), f.name)) is type(side))
    return replace(targets.get(name), disputed=Disputed(**{field: side}))


def test_every_switch_has_a_test():
    tested = {ConversionOverflow, DotAccumulation, NarrowingOrder, NanOrder}
    assert {type(getattr(Disputed(), f.name)) for f in fields(Disputed)} == tested


@pytest.mark.parametrize(("side", "want", "half"), [
    (ConversionOverflow.PATTERN, 0x7F800001, 0x7FFF), (ConversionOverflow.INFINITY, 0x7F800000, 0x7C00),
])  # fmt: skip
def test_conversions_beyond_the_range(side, want, half):
    """2**127 + 2**127 = 2**128 (1 + 2**-23) in qf32."""
    both = ["v2.qf32 = vadd(v0.sf,v0.sf)", "v10.sf = v2.qf32"]
    assert words(chip(side), both, HUGE) == [want] * 32
    narrow = ["v2.qf32 = vadd(v0.sf,v0.sf)", "v3 = v2", "v10.hf = v3:2.qf32"]
    assert words(chip(side), narrow, HUGE) == [half << 16 | half] * 32
    assert words(chip(side), both, ONE) == [0x40000001] * 32


@pytest.mark.parametrize(("side", "want"), [(DotAccumulation.SEPARATE, 0), (DotAccumulation.FUSED, 0x38800000)])
@pytest.mark.parametrize("name", ["v75", "v79"])
def test_a_dot_product_that_cancels(name, side, want):
    """2**15 + 2**-14 rounds to 2**15 alone; with -2**15 added before rounding 2**-14 is left."""
    line = ["v10 = v2", "v10.sf += vdmpy(v0.hf,v1.hf)"]
    assert words(chip(side, name), line, 0x04007800, 0x3C003C00, 0xC7000000) == [want] * 32
    assert words(chip(side, name), line, 0x3C003C00, 0x3C004000, ONE) == [0x40800000] * 32  # 1 + 1 * 2 + 1 * 1


@pytest.mark.parametrize(("side", "even"), [(NarrowingOrder.FIRST_EVEN, True), (NarrowingOrder.FIRST_ODD, False)])
@pytest.mark.parametrize(("suffix", "one", "two"), [("hf", 0x3C00, 0x4000), ("bf", 0x3F80, 0x4000)])
def test_lanes_of_narrowing(side, even, suffix, one, two):
    want = two << 16 | one if even else one << 16 | two
    assert words(chip(side), [f"v10.{suffix} = vcvt(v0.sf,v1.sf)"], ONE, TWO) == [want] * 32


ORDERED = {
    # (call, a, b): by the total order, unordered
    ("vmax", NAN, ONE): (NAN, 0x7FFFFFFF), ("vmax", MINUS_NAN, ONE): (ONE, 0xFFFFFFFF),
    ("vmin", NAN, ONE): (ONE, 0x7FFFFFFF), ("vmin", MINUS_NAN, ONE): (MINUS_NAN, 0xFFFFFFFF),
    ("vmax", MINUS_NAN, NAN): (NAN, 0x7FFFFFFF), ("vmin", NAN, MINUS_NAN): (MINUS_NAN, 0xFFFFFFFF),
    ("vmax", ONE, TWO): (TWO, TWO), ("vmin", 0, 1 << 31): (1 << 31, 1 << 31),
}  # fmt: skip


@pytest.mark.parametrize("side", NanOrder)
@pytest.mark.parametrize(("name", "unordered"), [("v75", False), ("v79", True), ("v81", True)])
def test_order_of_nan(side, name, unordered):
    """To v75 all sources agree on the total order."""
    unordered = unordered and side is NanOrder.IEEE
    for (call, a, b), want in ORDERED.items():
        for x, y in ((a, b), (b, a)):
            line = f"v10.sf = {call}(v0.sf,v1.sf)"
            assert words(chip(side, name), [line], x, y) == [want[unordered]] * 32
    compare = ["q0 = vcmp.gt(v0.sf,v1.sf)", "v10 = vand(q0,r2)"]
    for a, b, want in ((NAN, ONE, not unordered), (ONE, MINUS_NAN, not unordered), (TWO, ONE, True), (ONE, NAN, False)):
        ones = words(chip(side, name), ["r2 = #-1", *compare], a, b)
        assert ones == [0xFFFFFFFF if want else 0] * 32


OTHER = Disputed(ConversionOverflow.INFINITY, DotAccumulation.FUSED, NarrowingOrder.FIRST_ODD, NanOrder.IEEE)


@pytest.mark.parametrize("name", ["v75", "v79"])
def test_random_packets_on_the_other_sides(name):
    forms = r"qf(16|32)$|=V+\.qf32|vdmpy\(V\.hf|vcvt|v(max|min|cmp.gt)\(V\.([sh]f|bf)"
    target = replace(targets.get(name), disputed=OTHER)
    found = check(200, 3, 1, forms, target, "chip", quick=True)
    assert not found, "\n".join(map(str, found))
