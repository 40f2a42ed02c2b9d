"""Laws of the legacy qfloat (v68 to v75) in the reference interpreter, and an oracle in rationals beside it."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim.reference_floats import FIELDS, LEGACY, WIDTHS, bits_of, first, in_words, legacy_value, patterns, run

from hexagon_mlir.sim.reference import Model

WORDS = {kind: st.one_of(
    st.integers(0, (1 << WIDTHS[kind]) - 1),
    st.builds(lambda m, e, f=fields, k=kind: (m << f[0] | f[1] + e) & (1 << WIDTHS[k]) - 1,
              st.integers(-(1 << fields[2]), (1 << fields[2]) - 1), st.integers(-3, 3)),
    st.sampled_from([0, -1 << fields[0], 1 << fields[0], -1, (1 << WIDTHS[kind] - 1) - 1, 1 << WIDTHS[kind] - 1]).map(
        lambda x, k=kind: x & (1 << WIDTHS[k]) - 1),
) for kind, fields in FIELDS.items()}  # fmt: skip
"""Any pattern, near one, and zeros and ends."""
KINDS = pytest.mark.parametrize("kind", FIELDS)
NAN, INFINITY = 0x7FC00000, 0x7F800000


# -- numbers from the published simulators and the facts behind them -----------------------------------------
@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [
        ("vadd", 1.0, 0.0, 0x3F800001), ("vmpy", 2.0, 2.0, 0x40800001), ("vmpy", 1.5, 1.0, 0x3FC00001),
        ("vadd", 0.0, 0.0, 0), ("vadd", -0.0, -0.0, 0x80000000), ("vadd", 3e38, 3e38, 0x7FE1B1E5),
        ("vadd", np.inf, 1.0, 0x7F800001), ("vadd", np.inf, np.inf, 0x7FFFFFFF), ("vmpy", 0.0, np.inf, 0),
        ("vsub", np.inf, np.inf, 0), ("vadd", np.nan, 1.0, 0x7FC00001), ("vmpy", 1e-20, 1e-20, 0),
    ],
)  # fmt: skip
def test_examples(name, a, b, want):
    assert in_words(LEGACY, name, bits_of(a), bits_of(b)) == want


def test_numbers_four_apart_subtract_to_five():
    a, b = 0x3FC00004, 0x3FC00000
    assert np.uint32(in_words(LEGACY, "vsub", a, b)).view(np.float32) == 5 * 2.0**-23


def test_a_denormal_times_one_is_kept():
    assert in_words(LEGACY, "vmpy", 0x00012346, bits_of(1.0)) in (0x00012346, 0x00012347)


@pytest.mark.parametrize(("number", "want"), [(4, 5), (8, 9), (-128, -127), (0, 0), (1, 1), (3, 3)])
def test_magic_numbers_miss_multiples_of_four(number, want):
    """The bits of 1.5 * 2**23 + number, less 1.5 * 2**23."""
    magic = 0x4B400000
    assert np.uint32(in_words(LEGACY, "vsub", magic + number, magic)).view(np.float32) == want


@pytest.mark.parametrize(("number", "want"), [(70000.0, 0x7C46), (1e6, 0x7FFF), (-1e6, 0xFFFF), (65504.0, 0x7BFF)])
def test_narrowing_has_no_infinity(number, want):
    lifted = run(LEGACY, "V.qf32=vadd(V.sf,V.sf)", bits_of(number), 0)
    assert first(run(LEGACY, "V.hf=VV.qf32", (lifted, lifted)), 16) == want


def test_overflow_may_be_infinity():
    ieee = Model("chip", "legacy", conversion_overflow="infinity")
    assert in_words(ieee, "vadd", bits_of(3e38), bits_of(3e38)) == INFINITY
    assert in_words(ieee, "vsub", bits_of(-3e38), bits_of(3e38)) == INFINITY | 0x80000000


def test_a_quarter_changes_when_zero_is_added():
    x = np.random.default_rng(1).standard_normal(32 * 500).astype(np.float32).view(np.uint32)
    changed = [patterns(run(LEGACY, "V.sf=V.qf32", run(LEGACY, "V.qf32=vadd(V.sf,V.sf)", row, 0))) != row
               for row in x.reshape(-1, 32)]  # fmt: skip
    assert 0.24 < np.mean(changed) < 0.26


# -- the format ----------------------------------------------------------------------------------------------
def test_numbers_of_the_format():
    two = Fraction(2)
    assert legacy_value("qf32", 0) == two**-150 and legacy_value("qf32", 0xFFFFFF00) == -(two**-150)
    assert legacy_value("qf16", 0) == two**-25 and legacy_value("qf16", 0xFFE0) == -(two**-25)
    assert legacy_value("qf32", 0x7FFFFFFF) == (2**24 - 1) * two**105
    assert legacy_value("qf16", 0x7FFF) == 131008
    assert legacy_value("qf32", 0x4000007F) == 1 + two**-23


@KINDS
@given(data=st.data())
def test_the_complement_negates(kind, data):
    word = data.draw(WORDS[kind])
    other = word ^ ((1 << WIDTHS[kind]) - 1 ^ (1 << FIELDS[kind][0]) - 1)
    assert legacy_value(kind, other) == -legacy_value(kind, word)
    narrow = {"qf32": "V.sf=V.qf32", "qf16": "V.hf=V.qf16"}[kind]
    values = (first(run(LEGACY, narrow, w), WIDTHS[kind]) for w in (word, other))
    assert int.__xor__(*values) == 1 << WIDTHS[kind] - 1


@KINDS
@given(data=st.data())
def test_powers_of_two_multiply_by_an_integer_addition(kind, data):
    exponent_bits = FIELDS[kind][0]
    word = data.draw(WORDS[kind])
    field = word & (1 << exponent_bits) - 1
    power = data.draw(st.integers(-field, (1 << exponent_bits) - 1 - field))
    assert legacy_value(kind, word + power) == legacy_value(kind, word) * Fraction(2) ** power


@given(x=st.integers(0, 2**32 - 1))
def test_zero_added_twice_is_zero_added_once(x):
    once = in_words(LEGACY, "vadd", x, 0)
    assert in_words(LEGACY, "vadd", once, 0) == once


@given(x=st.integers(-(2**22), 2**22))
def test_taking_a_magic_number_off_is_exact(x):
    magic = 0x4B400000
    total = run(LEGACY, "V.qf32=vadd(V.sf,V.sf)", bits_of(float(x)), magic)
    rest = run(LEGACY, "V.qf32=vsub(V.qf32,V.sf)", total, magic)
    word, sum_word = first(rest), first(total)
    value, exact = legacy_value("qf32", word), legacy_value("qf32", sum_word) - 3 * 2**22
    assert value == exact or (exact % 4 == 0 and value == exact + 1)


# -- every sum and product against rationals -----------------------------------------------------------------
def oracle(kind, exact, exponent):
    """The word of ``exact`` at ``exponent``, by search among the numbers that can be written there."""
    exponent_bits, bias, fraction = FIELDS[kind]
    least, most = -bias, (1 << exponent_bits) - 1 - bias
    mask = (1 << WIDTHS[kind]) - 1
    if exact == 0:
        return 0
    unit = Fraction(2) ** (exponent - fraction)
    steps = exact / unit
    end = 1 << fraction + 1
    carry = steps >= end or steps < -end
    if exponent > most or (carry and exponent == most):
        return ((end // 2 - 1 if exact > 0 else -end // 2) << exponent_bits | most + bias) & mask
    if exponent < least - 1:
        return ((0 if exact > 0 else -1) << exponent_bits | 0) & mask
    only_odd = carry or exponent in (most, least - 1)
    if carry or exponent == least - 1:
        steps, exponent = steps / 2, exponent + 1
    near = range(steps.__floor__() - 3, steps.__floor__() + 5)
    written = [s for s in near if s % 4 in ((1, 3) if only_odd else (1, 2, 3))]
    best = steps.numerator + 1 if steps % 4 == 0 else min(written, key=lambda s: (abs(s - steps), s))
    mantissa, up = (best >> 1, 0) if best % 2 else (best >> 2, 1)
    return (mantissa << exponent_bits | exponent + up + bias) & mask


def exponent_of(kind, word):
    return (word & (1 << FIELDS[kind][0]) - 1) - FIELDS[kind][1]


def leading(value):
    """The exponent of the leading bit."""
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= size else exponent - 1


@KINDS
@pytest.mark.parametrize("name", ["vadd", "vsub"])
@given(data=st.data())
def test_sums(kind, name, data):
    a, b = (data.draw(WORDS[kind]) for _ in range(2))
    x, y = (legacy_value(kind, w) for w in (a, b))
    ea, eb = (exponent_of(kind, w) for w in (a, b))
    exponent = max(leading(x), eb) if ea > eb else max(leading(y), ea)
    want = oracle(kind, x + y if name == "vadd" else x - y, exponent)
    assert first(run(LEGACY, f"V.{kind}={name}(V.{kind},V.{kind})", a, b), WIDTHS[kind]) == want


@KINDS
@given(data=st.data())
def test_products(kind, data):
    a, b = (data.draw(WORDS[kind]) for _ in range(2))
    exact = legacy_value(kind, a) * legacy_value(kind, b)
    want = oracle(kind, exact, exponent_of(kind, a) + exponent_of(kind, b))
    assert first(run(LEGACY, f"V.{kind}=vmpy(V.{kind},V.{kind})", a, b), WIDTHS[kind]) == want


@given(a=WORDS["qf16"], b=WORDS["qf16"])
def test_widening_products(a, b):
    exact = legacy_value("qf16", a) * legacy_value("qf16", b)
    low, high = run(LEGACY, "VV.qf32=vmpy(V.qf16,V.qf16)", a, b)
    want = oracle("qf32", exact, exponent_of("qf16", a) + exponent_of("qf16", b))
    assert (first(low), first(high)) == (want, want)


@given(a=st.floats(width=32, allow_nan=False, allow_infinity=False), b=st.floats(
    width=32, allow_nan=False, allow_infinity=False))  # fmt: skip
def test_signs_of_ieee_factors_come_last(a, b):
    """The product of magnitudes, complemented where the signs differ."""
    plain = first(run(LEGACY, "V.qf32=vmpy(V.sf,V.sf)", bits_of(abs(a)), bits_of(abs(b))))
    signed = first(run(LEGACY, "V.qf32=vmpy(V.sf,V.sf)", bits_of(a), bits_of(b)))
    assert signed == (plain ^ 0xFFFFFF00 if np.signbit(a) != np.signbit(b) else plain)


@given(word=st.one_of(WORDS["qf32"], st.integers(0, 2**24 - 1).map(lambda m: m << 8 | 0x7E)))
def test_conversion_is_exact_in_the_normal_range(word):
    value = legacy_value("qf32", word)
    converted = np.uint32(first(run(LEGACY, "V.sf=V.qf32", word))).view(np.float32)
    if Fraction(2) ** -126 <= abs(value) < Fraction(2) ** 128:
        assert Fraction(float(converted)) == value
    elif abs(value) < Fraction(2) ** -126:
        assert abs(Fraction(float(converted)) - value) <= Fraction(2) ** -150
        assert bool(np.signbit(converted)) == (value < 0)
    else:
        assert np.isnan(converted) or np.isinf(converted)
