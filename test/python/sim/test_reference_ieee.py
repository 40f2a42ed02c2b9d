"""HVX IEEE forms of the reference: against numpy and rationals, orders of lanes, and where sources differ."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim.reference_floats import EXTENDED, LEGACY, bits_of, first, patterns, run

from hexagon_mlir.sim.reference import Model
from hexagon_mlir.sim.reference.exact import DOUBLE, HALF, SINGLE, is_infinite, is_nan, multiply_add, rounded, value

RNG = np.random.default_rng(20)
NUMPY = {"add": np.add, "sub": np.subtract, "mpy": np.multiply}
WORD, HALFWORD = st.integers(0, 2**32 - 1), st.integers(0, 2**16 - 1)
BYTES = np.arange(128, dtype=np.uint8)


def floats(kind):
    """A register of any patterns, one in four near one."""
    bits = np.dtype(kind).itemsize * 8
    lanes = RNG.integers(0, 1 << bits, 1024 // bits).astype(f"u{bits // 8}")
    near = RNG.standard_normal(lanes.size).astype(kind).view(lanes.dtype)
    return np.where(RNG.integers(0, 4, lanes.size) == 0, near, lanes)


def assert_same(got, want):
    """Equal patterns; NaN is the canonical one."""
    nan = (1 << want.itemsize * 8 - 1) - 1
    np.testing.assert_array_equal(got, np.where(np.isnan(want), nan, want.view(f"u{want.itemsize}")))


# -- numbers ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NUMPY)
@pytest.mark.parametrize(("suffix", "kind"), [("sf", np.float32), ("hf", np.float16)])
def test_arithmetic_is_numpy(suffix, kind, name):
    for _ in range(100):
        a, b = floats(kind), floats(kind)
        with np.errstate(all="ignore"):
            want = NUMPY[name](a.view(kind), b.view(kind))
        result = run(LEGACY, f"V.{suffix}=v{name}(V.{suffix},V.{suffix})", a, b)
        assert_same(patterns(result, np.dtype(kind).itemsize * 8), want)


@given(a=HALFWORD, b=HALFWORD, c=HALFWORD)
def test_updates_of_halves_round_once(a, b, c):
    want = multiply_add(a, b, c, HALF)
    got = first(run(LEGACY, "V.hf+=vmpy(V.hf,V.hf)", c, a, b), 16)
    assert got == (0x7FFF if is_nan(want, HALF) else want)


def widened(pattern, suffix):
    """The f32 pattern of a half or a bfloat16."""
    if suffix == "bf":
        return pattern << 16
    return int(np.uint16(pattern).view(np.float16).astype(np.float32).view(np.uint32))


@pytest.mark.parametrize("suffix", ["hf", "bf"])
@given(a=HALFWORD, b=HALFWORD, c=WORD)
def test_widening_updates_round_once(suffix, a, b, c):
    want = multiply_add(widened(a, suffix), widened(b, suffix), c, SINGLE)
    accumulator = run(LEGACY, "V.sf=vfneg(V.sf)", c ^ 0x80000000)
    low, high = run(LEGACY, f"VV.sf+=vmpy(V.{suffix},V.{suffix})", (accumulator, accumulator), a, b)
    want = 0x7FFFFFFF if is_nan(want, SINGLE) else want
    assert [int(half.view(np.uint32)[0]) for half in (low, high)] == [want, want]


def dot(a, b):
    """Of halves, exact; only of finite numbers."""
    return sum((value(x, HALF) * value(y, HALF) for x, y in zip(a, b, strict=True)), Fraction(0))


FINITE = HALFWORD.filter(lambda x: not is_nan(x, HALF) and not is_infinite(x, HALF))
PAIR = st.tuples(FINITE, FINITE)


@given(a=PAIR, b=PAIR, c=WORD.filter(lambda x: not is_nan(x, SINGLE) and not is_infinite(x, SINGLE)))
def test_dot_products_round_once_or_twice(a, b, c):
    plain = first(run(LEGACY, "V.sf=vdmpy(V.hf,V.hf)", list(a) * 32, list(b) * 32))
    assert plain & 0x7FFFFFFF == rounded(dot(a, b), SINGLE) & 0x7FFFFFFF
    separate, fused = (accumulated(which, a, b, c) for which in ("separate", "fused"))
    twice = rounded(value(plain, SINGLE) + value(c, SINGLE), SINGLE)
    assert separate & 0x7FFFFFFF == twice & 0x7FFFFFFF
    inner = rounded(dot(a, b), DOUBLE)
    outer = rounded(value(inner, DOUBLE) + value(c, SINGLE), DOUBLE)
    assert fused & 0x7FFFFFFF == rounded(value(outer, DOUBLE), SINGLE) & 0x7FFFFFFF


def accumulated(which, a, b, c):
    model = Model("chip", dot_accumulation=which)
    return first(run(model, "V.sf+=vdmpy(V.hf,V.hf)", c, list(a) * 32, list(b) * 32))


def test_a_fused_dot_product_keeps_what_cancels():
    """2**15 + 2**-14, less 2**15: too far apart for f32."""
    a, b = (0x7800, 0x0400), (0x3C00, 0x3C00)
    c = bits_of(-(2.0**15))
    assert accumulated("fused", a, b, c) == bits_of(2.0**-14)
    assert accumulated("separate", a, b, c) == 0


@pytest.mark.parametrize(("form", "kind", "limits"), [
    ("V.h=vcvt(V.hf)", np.rint, (-32768, 32767)), ("V.uh=vcvt(V.hf)", np.rint, (0, 65535)),
    ("V.h=V.hf", np.trunc, (-32768, 32767)), ("V.h=V.hf:rnd", np.rint, (-32768, 32767)),
])  # fmt: skip
def test_every_half_as_an_integer(form, kind, limits):
    every = np.arange(1 << 16, dtype=np.uint16).reshape(-1, 64)
    got = np.concatenate([patterns(run(EXTENDED, form, row), 16) for row in every])
    x = every.reshape(-1).view(np.float16).astype(np.float64)
    nan = limits[1] if "vcvt" in form else np.where(np.signbit(x), *limits)
    with np.errstate(all="ignore"):
        want = np.where(np.isnan(x), nan, np.clip(kind(np.nan_to_num(x, posinf=1e9, neginf=-1e9)), *limits))
    np.testing.assert_array_equal(got, want.astype(np.int64).astype(np.uint16))


# -- order -----------------------------------------------------------------------------------------------------
ORDER = [0xFFC00001, 0xFFC00000, 0xFFBFFFFF, 0xFF800001, 0xFF800000, 0xBF800000, 0x80000001, 0x80000000, 0, 1,
         0x3F800000, 0x7F800000, 0x7F800001, 0x7FC00000]  # fmt: skip


def test_extremes_follow_one_order_of_all_patterns():
    for i, low in enumerate(ORDER):
        for high in ORDER[i:]:
            for a, b in ((low, high), (high, low)):
                assert first(run(LEGACY, "V.sf=vmax(V.sf,V.sf)", a, b)) == high
                assert first(run(LEGACY, "V.sf=vmin(V.sf,V.sf)", a, b)) == low
            zeros = {low, high} <= {0, 0x80000000}
            greater = run(LEGACY, "Q=vcmp.gt(V.sf,V.sf)", high, low).data
            assert greater.all() == (low != high and not zeros)


def test_comparisons_with_nan_may_be_false():
    unordered = Model("chip", "extended", nan_order="ieee")
    nan, one = 0x7FC00000, bits_of(1.0)
    assert run(LEGACY, "Q=vcmp.gt(V.sf,V.sf)", nan, one).data.all()
    assert not run(unordered, "Q=vcmp.gt(V.sf,V.sf)", nan, one).data.any()
    assert run(unordered, "Q=vcmp.gt(V.sf,V.sf)", one, 0).data.all()
    extremes = {("vmax", nan, one): 0x7FFFFFFF, ("vmax", nan | 1 << 31, one): 0xFFFFFFFF,
                ("vmin", nan | 1 << 31, nan): 0xFFFFFFFF, ("vmax", nan | 1 << 31, nan): 0x7FFFFFFF}  # fmt: skip
    for (name, a, b), want in extremes.items():
        assert first(run(unordered, f"V.sf={name}(V.sf,V.sf)", a, b)) == want


@pytest.mark.parametrize("suffix", ["sf", "hf"])
def test_equality_is_of_numbers(suffix):
    width, nan, infinity = (32, 0x7FC00000, 0x7F800000) if suffix == "sf" else (16, 0x7E00, 0x7C00)
    for a, b, want in ((nan, nan, False), (infinity, infinity, True), (0, 1 << width - 1, True), (0, 1, False)):
        result = run(EXTENDED, f"Q=vcmp.eq(V.{suffix},V.{suffix})", a, b).data
        assert result.all() == want and result.any() == want


# -- lanes -----------------------------------------------------------------------------------------------------
def test_narrowing_takes_even_lanes_from_the_first_operand():
    u, v = np.full(32, bits_of(1.0)), np.full(32, bits_of(2.0))
    for form, one, two in (("V.hf=vcvt(V.sf,V.sf)", 0x3C00, 0x4000), ("V.bf=vcvt(V.sf,V.sf)", 0x3F80, 0x4000)):
        assert patterns(run(LEGACY, form, u, v), 16).tolist() == [one, two] * 32
        other = Model("chip", narrowing_order="first-odd")
        assert patterns(run(other, form, u, v), 16).tolist() == [two, one] * 32
    low = run(LEGACY, "V.qf32=vadd(V.sf,V.sf)", bits_of(1.0), 0)
    high = run(LEGACY, "V.qf32=vadd(V.sf,V.sf)", bits_of(2.0), 0)
    assert patterns(run(LEGACY, "V.hf=VV.qf32", (low, high)), 16).tolist() == [0x3C00, 0x4000] * 32


@pytest.mark.parametrize("suffix", ["b", "ub"])
def test_bytes_widen_by_pairs_or_by_parity(suffix):
    index = BYTES.reshape(-1, 4)
    for call, low, high in (("vcvt", [0, 1], [2, 3]), ("vcvt2", [0, 2], [1, 3])):
        halves = run(EXTENDED, f"VV.hf={call}(V.{suffix})", BYTES)
        for half, columns in zip(halves, (low, high), strict=True):
            np.testing.assert_array_equal(half.view(np.float16), index[:, columns].reshape(-1))


@pytest.mark.parametrize("suffix", ["b", "ub"])
def test_bytes_narrow_by_pairs_or_by_parity(suffix):
    u, v = np.arange(64, dtype=np.float16), np.arange(64, 128, dtype=np.float16)
    first_two, last_two = u.reshape(-1, 2), v.reshape(-1, 2)
    pairs = np.concatenate([first_two, last_two], axis=1)
    by_parity = pairs[:, [0, 2, 1, 3]]
    for call, want in (("vcvt", pairs), ("vcvt2", by_parity)):
        result = run(EXTENDED, f"V.{suffix}={call}(V.hf,V.hf)", *(x.view(np.uint16) for x in (u, v)))
        np.testing.assert_array_equal(patterns(result, 8), want.reshape(-1))
        back = run(EXTENDED, f"VV.hf={call}(V.{suffix})", patterns(result, 8))
        for half, source in zip(back, (u, v), strict=True):
            np.testing.assert_array_equal(half.view(np.float16), source)


def test_widening_puts_even_lanes_low():
    a = np.arange(64, dtype=np.float16).view(np.uint16)
    low, high = run(LEGACY, "VV.sf=vcvt(V.hf)", a)
    np.testing.assert_array_equal(low.view(np.float32), np.arange(0, 64, 2))
    np.testing.assert_array_equal(high.view(np.float32), np.arange(1, 64, 2))


# -- 8-bit floats ----------------------------------------------------------------------------------------------
EVERY = np.arange(256)
FIELDS, REST = EVERY >> 3 & 15, EVERY & 7
SIZES = np.where(FIELDS == 0, REST / 8 * 2.0**-7, (1 + REST / 8) * 2.0 ** (FIELDS - 8))
NUMBERS = np.where(EVERY == 0x80, np.nan, np.where(EVERY > 0x80, -SIZES, SIZES))


@pytest.mark.parametrize("name", NUMPY)
def test_eight_bit_arithmetic(name):
    for _ in range(30):
        a, b = (RNG.integers(0, 256, 128) for _ in "ab")
        low, high = run(EXTENDED, f"VV.hf=v{name}(V.f8,V.f8)", a, b)
        want = NUMPY[name](NUMBERS[a], NUMBERS[b]).astype(np.float16)
        assert_same(low.view(np.uint16), want[::2])
        assert_same(high.view(np.uint16), want[1::2])


def test_every_half_as_eight_bits():
    every = np.arange(1 << 16, dtype=np.uint16)
    x = every.view(np.float16).astype(np.float64)
    positive = SIZES[:128]
    size = np.abs(np.nan_to_num(x, posinf=1e6, neginf=-1e6))
    above = np.clip(np.searchsorted(positive, size), 0, 127)
    below = np.maximum(above - 1, 0)
    up, down = positive[above] - size, size - positive[below]
    near = np.where((up < down) | ((up == down) & (above % 2 == 0)), above, below)
    for which, last in (("nan", 0x80), ("largest", 0x7F)):
        over = size >= 248
        pattern = np.where(over, last, near)
        want = np.where((x < 0) & (pattern > 0), pattern | 0x80, pattern)
        want = np.where(np.isnan(x), 0x80, want)
        model = Model("chip", "extended", f8_overflow=which)
        got = [patterns(run(model, "V.f8=vcvt(V.hf,V.hf)", row, row), 8)[::2] for row in every.reshape(-1, 64)]
        np.testing.assert_array_equal(np.concatenate(got), want)


def test_eight_bit_halves_stand_by_parity():
    u, v = (np.full(64, np.float16(x).view(np.uint16)) for x in (1.0, 2.0))
    one, two = 8 << 3, 9 << 3
    assert patterns(run(EXTENDED, "V.f8=vcvt(V.hf,V.hf)", u, v), 8).tolist() == [one, two] * 64


def test_eight_bit_extremes_and_signs():
    a = np.repeat([0, 0x80, 1, 0x81, 0x7F, 0xFF, 0x40, 0xC0], 16)
    b = np.tile([0, 0x80, 1, 0x81, 0x7F, 0xFF, 9, 0x89], 16)
    x, y = NUMBERS[a], NUMBERS[b]
    for name, function in (("vfmax", np.maximum), ("vfmin", np.minimum)):
        want = function(x, y)
        got = NUMBERS[patterns(run(EXTENDED, f"V.f8={name}(V.f8,V.f8)", a, b), 8)]
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(NUMBERS[patterns(run(EXTENDED, "V.f8=vfneg(V.f8)", a), 8)], -x)
    np.testing.assert_array_equal(NUMBERS[patterns(run(EXTENDED, "V.f8=vabs(V.f8)", a), 8)], np.abs(x))
    assert first(run(EXTENDED, "V.f8=vfneg(V.f8)", 0), 8) == 0
