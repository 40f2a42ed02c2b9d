"""Laws of the extended qfloat (v79, v81) in the reference interpreter: IEEE results, deferred rounding, zeros, NaNs."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sim.reference_floats import EXTENDED, bits_of, first, in_words, packed, patterns, run

from hexagon_mlir.sim.reference.arithmetic import DEFAULT_EXTENSION, Vector, qfloat_vector

SINGLES = st.one_of(
    st.integers(0, 2**32 - 1), st.floats(width=32).map(bits_of), st.floats(-4, 4, width=32).map(bits_of)
)
HALVES = st.one_of(st.integers(0, 2**16 - 1), st.floats(width=16).map(lambda x: int(np.float16(x).view(np.uint16))))
OPERATIONS = {"vadd": np.add, "vsub": np.subtract, "vmpy": np.multiply}
FRACTION, LEAST, MOST = 23, -255, 256


def number(word, extension):
    """(value, exponent) of a qf32 lane: S = T + R in units of 2**(exponent - 23)."""
    mantissa = (word ^ 0x80000000) - 0x80000000 >> 8
    last, increment, ninth = extension >> 3, extension >> 2 & 1, extension >> 1 & 1
    exponent = ((ninth << 8 | word & 0xFF) - 128 & 0x1FF) - 255
    return Fraction(2 * mantissa + last + increment) * Fraction(2) ** (exponent - FRACTION), exponent


def lane(vector):
    return first(vector), int(vector.extension[0])


def is_special(word, extension):
    return word in (0x7FFFFF7F, 0x8000007F) and extension in (
        {0xC, 0xD, 8, 9} if word == 0x7FFFFF7F else {0, 1, 4, 5})  # fmt: skip


LANES = st.tuples(
    st.one_of(st.integers(0, 2**32 - 1), st.builds(lambda m, e: m << 8 | 0x7F + e, st.integers(0, 2**24 - 1),
                                                   st.integers(-3, 3))),
    st.one_of(st.just(0xA), st.integers(0, 15)),
).filter(lambda x: not is_special(*x))  # fmt: skip


# -- IEEE results ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", OPERATIONS)
@given(a=SINGLES, b=SINGLES)
def test_one_operation_and_a_conversion_are_ieee(name, a, b):
    x, y = (np.uint32(p).view(np.float32) for p in (a, b))
    with np.errstate(all="ignore"):
        want = OPERATIONS[name](x, y)
    got = in_words(EXTENDED, name, a, b)
    if np.isnan(want):
        assert got & 0x7FFFFFFF == 0x7FFFFFFF
    elif name == "vmpy" and np.isfinite(want) and not (a & 0x7F800000 and b & 0x7F800000):
        exponent = sum(max(p >> 23 & 0xFF, 1) - 127 for p in (a, b))
        value = np.uint32(got).view(np.float32)  # an unnormalised factor: the low bits of the product are lost
        assert np.signbit(value) == np.signbit(want)
        assert abs(float(value) - float(x) * float(y)) <= 2.0 ** max(exponent - 23, -149)
    else:
        assert got == int(want.view(np.uint32))


@pytest.mark.parametrize("name", OPERATIONS)
def test_vectors_of_ordinary_numbers_are_ieee(name):
    rng = np.random.default_rng(5)
    for _ in range(200):
        x, y = (rng.standard_normal(32).astype(np.float32) * np.float32(2.0) ** rng.integers(-30, 30, 32) for _ in "xy")
        a, b = (v.astype(np.float32).view(np.uint32) for v in (x, y))
        got = patterns(run(EXTENDED, "V.sf=V.qf32", run(EXTENDED, f"V.qf32={name}(V.sf,V.sf)", a, b)))
        want = OPERATIONS[name](x.astype(np.float32), y.astype(np.float32)).view(np.uint32)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=HALVES, b=HALVES)
def test_halves_are_ieee_in_the_normal_range(name, a, b):
    x, y = (np.uint16(p).view(np.float16) for p in (a, b))
    with np.errstate(all="ignore"):
        want = OPERATIONS[name](x, y)
    got = first(run(EXTENDED, "V.hf=V.qf16", run(EXTENDED, f"V.qf16={name}(V.hf,V.hf)", a, b)), 16)
    denormal = name == "vmpy" and not (a & 0x7C00 and b & 0x7C00)
    if np.isnan(want):
        assert got & 0x7FFF == 0x7FFF
    elif abs(float(want)) >= 2.0**-14 and not denormal:
        assert got == int(want.view(np.uint16))
    else:
        assert bool(got >> 15) == bool(np.signbit(want))


def test_a_chain_of_normalised_numbers_is_ieee():
    """x * y + z without conversions between."""
    rng = np.random.default_rng(6)
    x, y, z = (rng.standard_normal(32 * 100).astype(np.float32) for _ in range(3))
    got = []
    for rows in zip(*(v.view(np.uint32).reshape(-1, 32) for v in (x, y, z)), strict=True):
        product = run(EXTENDED, "V.qf32=vmpy(V.sf,V.sf)", rows[0], rows[1])
        got.append(patterns(run(EXTENDED, "V.sf=V.qf32", run(EXTENDED, "V.qf32=vadd(V.qf32,V.sf)", product, rows[2]))))
    np.testing.assert_array_equal(np.concatenate(got), (x * y + z).view(np.uint32))


# -- rounding to the register ----------------------------------------------------------------------------------
def nearest_even(steps):
    low = steps.__floor__()
    rest = steps - low
    return low + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and low % 2 == 1))


def check_result(result, exact, exponent=0):
    """Nearest even in units of the exponent that the result has; R and Q tell what rounding did.

    ``exponent`` is what the operation came to: infinity beyond the last one, whatever the size.
    """
    word, extension = lane(result)
    if is_special(word, extension):
        assert extension == (9 if exact > 0 else 4)
        assert abs(exact) >= Fraction(2) ** MOST * (1 - Fraction(1, 1 << 25)) or exponent > MOST
        return
    value, exponent = number(word, extension)
    steps = exact / Fraction(2) ** (exponent - FRACTION)
    increment, quarter = extension >> 2 & 1, extension & 1
    if value == 0 and exact != 0 and exponent == LEAST:
        assert increment != quarter and increment == (exact < 0)
        return
    assert value / Fraction(2) ** (exponent - FRACTION) == nearest_even(steps)
    assert (increment != quarter) == (value != exact)
    if value != exact:
        assert increment == (value > exact)


@pytest.mark.parametrize("name", ["vadd", "vsub"])
@given(a=LANES, b=LANES)
def test_sums_round_to_nearest_even_once(name, a, b):
    (x, ea), (y, eb) = number(*a), number(*b)
    assume(abs(ea - eb) < 300)
    result = run(EXTENDED, f"V.qf32={name}(V.qf32,V.qf32)", packed(*a), packed(*b))
    check_result(result, x + y if name == "vadd" else x - y)


@given(a=LANES, b=LANES)
def test_products_round_to_nearest_even_once(a, b):
    (x, ea), (y, eb) = number(*a), number(*b)
    result = run(EXTENDED, "V.qf32=vmpy(V.qf32,V.qf32)", packed(*a), packed(*b))
    assume(ea + eb >= LEAST or x * y == 0)
    check_result(result, x * y, ea + eb)


@given(a=LANES, b=LANES)
def test_one_cancelled_bit_stays_normalised(a, b):
    """A result has at most as many empty bits as the larger exponent of the other operand forces on it."""
    (x, ea), (y, eb) = number(*a), number(*b)
    result = run(EXTENDED, "V.qf32=vadd(V.qf32,V.qf32)", packed(*a), packed(*b))
    assume(not is_special(*lane(result)) and x and y and x + y)
    value, exponent = number(*lane(result))
    size = abs(value) / Fraction(2) ** exponent
    assert size <= 2
    if 2 * abs(x + y) >= max(abs(x), abs(y)) and exponent > max(min(ea, eb), LEAST):
        assert size >= Fraction(1, 2)


# -- negation, zeros, specials ---------------------------------------------------------------------------------
@given(a=LANES)
def test_the_complement_negates(a):
    word, extension = a
    value, exponent = number(word, extension)
    other = number(word ^ 0xFFFFFF00, extension ^ 0b1101)
    assert other == (-value, exponent)


@given(a=LANES)
def test_v81_copies_normalise_and_keep_the_value(a):
    value, exponent = number(*a)
    for form, want in (("V.qf32=V.qf32", value), ("V.qf32=vneg(V.qf32)", -value), ("V.qf32=vabs(V.qf32)", abs(value))):
        result = run(EXTENDED, form, packed(*a))
        if is_special(*lane(result)):
            assert abs(value) >= 2**256
            continue
        got, new = number(*lane(result))
        assert got == want
        assert new <= exponent + 1 and (value == 0 or new == LEAST or abs(got) >= Fraction(2) ** new / 2)


@pytest.mark.parametrize(
    ("name", "a", "b", "want"),
    [
        ("vadd", np.inf, -np.inf, 0x7FFFFFFF), ("vsub", np.inf, np.inf, 0x7FFFFFFF), ("vadd", np.inf, 1, 0x7F800000),
        ("vmpy", np.inf, 0, 0x7FFFFFFF), ("vmpy", -np.inf, 0, 0xFFFFFFFF), ("vmpy", -np.inf, 2, 0xFF800000),
        ("vmpy", -0.0, 5, 0x80000000), ("vadd", -0.0, -0.0, 0x80000000), ("vadd", -0.0, 0.0, 0),
        ("vsub", 3, 3, 0), ("vadd", 3e38, 3e38, 0x7F800000), ("vmpy", 1e-30, 1e-30, 0),
        ("vmpy", -1e-30, 1e-30, 0x80000000),
    ],
)  # fmt: skip
def test_specials(name, a, b, want):
    assert in_words(EXTENDED, name, bits_of(a), bits_of(b)) == want


@pytest.mark.parametrize(("a", "b", "want"), [
    (0x7FC00000, 0xFFC00000, 0x7FFFFFFF), (0xFFC00000, 0x3F800000, 0xFFFFFFFF), (0xFFC00000, 0x7FC00000, 0x7FFFFFFF),
])  # fmt: skip
def test_a_positive_nan_goes_before_a_negative_one(a, b, want):
    assert in_words(EXTENDED, "vadd", a, b) == want


def test_the_words_of_specials_alone_are_numbers():
    infinity = run(EXTENDED, "V.qf32=vadd(V.sf,V.sf)", bits_of(np.inf), 0)
    assert lane(infinity) == (0x7FFFFF7F, 8)
    assert first(run(EXTENDED, "V.sf=V.qf32", infinity)) == 0x7F800000
    plain = Vector(infinity.data.copy())
    assert first(run(EXTENDED, "V.sf=V.qf32", plain)) == 0x3FFFFFFF


def test_what_rounding_lost_decides_ties_of_narrowing():
    """A number a little above or below a tie of f16 rounds away from it, though the register holds the tie."""
    tie = 0x3F801000
    for tiny, want in ((2.0**-30, 0x3C01), (-(2.0**-30), 0x3C00), (0.0, 0x3C00)):
        total = run(EXTENDED, "V.qf32=vadd(V.sf,V.sf)", tie, bits_of(tiny))
        assert number(*lane(total))[0] == Fraction(float(np.uint32(tie).view(np.float32)))
        assert first(run(EXTENDED, "V.hf=VV.qf32", (total, total)), 16) == want


def test_halfwords_keep_two_bits_each():
    total = run(EXTENDED, "V.qf16=vadd(V.hf,V.hf)", [0x3C00, 0x3C01], [0x1000, 0])
    assert isinstance(total, Vector) and total.extension.shape == (32,)
    again = qfloat_vector(total.data.view(np.uint16), total.extensions(16))
    np.testing.assert_array_equal(again.extension, total.extension)
    assert (DEFAULT_EXTENSION == 0b1010).all()


def test_scalars_multiply_lane_by_lane():
    """R.hf has a half for the even and one for the odd lanes; the same as that register in all words."""
    rng = np.random.default_rng(8)
    a = rng.integers(0, 2**32, 32, np.uint32)
    scalar = 0x3E00C100
    splat = np.full(32, scalar, np.uint32)
    for form, same in (
        ("V.qf16=vmpy(V.hf,R.hf)", "V.qf16=vmpy(V.hf,V.hf)"), ("V.qf16=vmpy(V.qf16,R.hf)", "V.qf16=vmpy(V.qf16,V.hf)"),
        ("V.qf32=vmpy(V.sf,R.sf)", "V.qf32=vmpy(V.sf,V.sf)"),
    ):  # fmt: skip
        left = Vector(a.view(np.uint8))
        got = run(EXTENDED, form, left, scalar)
        want = run(EXTENDED, same, left, Vector(splat.view(np.uint8)))
        np.testing.assert_array_equal(patterns(got), patterns(want))
        np.testing.assert_array_equal(got.extension, want.extension)

