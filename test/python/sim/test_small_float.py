"""Small float forms against values computed here: f8 (bias 8, one NaN), bf16, qf signs."""

import numpy as np
import pytest
from sim.forms_harness import Bench, random_vectors

FORMS = ("v11:10.hf = vcvt(v0.f8)", "v10.f8 = vcvt(v0.hf,v1.hf)", "v11:10.hf = vmpy(v0.f8,v1.f8)",
         "v11:10.hf = vadd(v0.f8,v1.f8)", "v10.f8 = vabs(v0.f8)", "v10.f8 = vfneg(v0.f8)",
         "v10.f8 = vfmax(v0.f8,v1.f8)", "q0 = vcmp.gt(v0.bf,v1.bf)", "v10.bf = vmax(v0.bf,v1.bf)",
         "v10.qf32 = vneg(v0.sf)", "v10.qf16 = vabs(v0.hf)", "v10.qf32 = vmpy(v0.sf,r2.sf)",
         "v11:10.w = v6mpy(v1:0.ub,v5:4.b,#0):h", "v11:10.w = v6mpy(v1:0.ub,v5:4.b,#3):v")  # fmt: skip


@pytest.fixture(scope="module")
def bench():
    return Bench(FORMS, [])


def f8_value(code):
    """The number an f8 code stands for."""
    if code == 0x80:
        return np.nan
    exponent, fraction = code >> 3 & 15, code & 7
    value = fraction * 2.0**-10 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 8)
    return -value if code & 0x80 else value


VALUES = np.array([f8_value(code) for code in range(256)])


def f8_code(value):
    """Nearest f8, ties to the even code; too large is NaN."""
    if np.isnan(value):
        return 0x80
    magnitudes = VALUES[:128]
    size = abs(value)
    if size >= 248:  # half way to the next number there would be
        return 0x80
    distance = np.abs(magnitudes - size)
    nearest = np.flatnonzero(distance == distance.min())
    code = int(min(nearest, key=lambda c: c % 2))
    return code | (0x80 if value < 0 and code else 0)


def inputs():
    vectors = [v.copy() for v in random_vectors()]
    vectors[0] = np.arange(128, dtype=np.uint8) * 2 + (np.arange(128) >= 64)
    return vectors


def test_every_f8_to_half(bench):
    for start in (0, 128):
        vectors = inputs()
        vectors[0] = np.arange(start, start + 128).astype(np.uint8)
        low, high, _, _ = bench.vector("v11:10.hf = vcvt(v0.f8)", vectors)
        expected = VALUES[start : start + 128].astype(np.float16)
        np.testing.assert_array_equal(low.view(np.float16), expected[0::2])
        np.testing.assert_array_equal(high.view(np.float16), expected[1::2])


def test_half_to_f8(bench):
    vectors = inputs()
    edge = np.array([0, -0.0, 240, 247.9, 248, 1e4, np.inf, -np.inf, np.nan, 2**-10, 2**-11, 3 * 2**-11, 2**-7,
                     -(2**-7), 0.9375, 1.0625, 1.1875, -239, -250, 2**-12, 6e-8, 17, 18, 19, 0.124,
                     0.126], np.float16)  # fmt: skip
    for index in (0, 1):
        values = np.resize(np.roll(edge, 3 * index), 64)
        vectors[index] = values.view(np.uint8)
    result = bench.vector("v10.f8 = vcvt(v0.hf,v1.hf)", vectors)[0]
    for index in (0, 1):
        want = [f8_code(float(v)) for v in vectors[index].view(np.float16)]
        assert result[index::2].tolist() == want


def test_f8_arithmetic(bench):
    vectors = inputs()
    a, b = VALUES[vectors[0]], VALUES[vectors[1]]
    for form, value in (("v11:10.hf = vmpy(v0.f8,v1.f8)", a * b), ("v11:10.hf = vadd(v0.f8,v1.f8)", a + b)):
        low, high, _, _ = bench.vector(form, vectors)
        with np.errstate(over="ignore"):
            expected = value.astype(np.float16)
        np.testing.assert_array_equal(low.view(np.float16), expected[0::2])
        np.testing.assert_array_equal(high.view(np.float16), expected[1::2])


def test_f8_signs_and_max(bench):
    vectors = inputs()
    codes = vectors[0]
    assert bench.vector("v10.f8 = vabs(v0.f8)", vectors)[0].tolist() == [c if c == 0x80 else c & 127 for c in codes]
    assert bench.vector("v10.f8 = vfneg(v0.f8)", vectors)[0].tolist() == [
        c if c & 127 == 0 else c ^ 0x80 for c in codes]  # fmt: skip
    result = bench.vector("v10.f8 = vfmax(v0.f8,v1.f8)", vectors)[0]
    np.testing.assert_array_equal(VALUES[result], np.fmax(VALUES[codes], VALUES[vectors[1]]))


def test_bf16(bench):
    vectors = inputs()
    for index in (0, 1):
        values = np.random.default_rng(index).standard_normal(64).astype(np.float32)
        vectors[index] = (values.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    a, b = ((v.view(np.uint16).astype(np.uint32) << 16).view(np.float32) for v in vectors[:2])
    q = bench.vector("q0 = vcmp.gt(v0.bf,v1.bf)", vectors)[2]
    np.testing.assert_array_equal(q != 0, np.repeat(a > b, 2))
    best = bench.vector("v10.bf = vmax(v0.bf,v1.bf)", vectors)[0].view(np.uint16)
    np.testing.assert_array_equal((best.astype(np.uint32) << 16).view(np.float32), np.maximum(a, b))


def test_qfloat_signs(bench):
    vectors = inputs()
    vectors[0] = np.linspace(-3, 5, 32, dtype=np.float32).view(np.uint8)
    negated = bench.vector("v10.qf32 = vneg(v0.sf)", vectors)[0]
    np.testing.assert_array_equal(negated.view(np.float32), -vectors[0].view(np.float32))
    factor = int(np.float32(-1.75).view(np.uint32))
    scaled = bench.vector("v10.qf32 = vmpy(v0.sf,r2.sf)", vectors, r2=factor)[0]
    np.testing.assert_array_equal(scaled.view(np.float32), vectors[0].view(np.float32) * np.float32(-1.75))
    vectors[0] = np.linspace(-3, 5, 64).astype(np.float16).view(np.uint8)
    absolute = bench.vector("v10.qf16 = vabs(v0.hf)", vectors)[0]
    np.testing.assert_array_equal(absolute.view(np.float16), np.abs(vectors[0].view(np.float16)))


def coefficients(vector):
    """[word, 3] signed 10-bit numbers."""
    words = vector.reshape(32, 4).astype(np.int64)
    raw = np.stack([(words[:, 3] >> 2 * i & 3) << 8 | words[:, i] for i in range(3)], 1)
    return np.where(raw >= 512, raw - 1024, raw)


def test_filter(bench):
    vectors = inputs()
    low_pixels, high_pixels = (v.reshape(32, 4).astype(np.int64) for v in vectors[:2])
    c0, c1 = coefficients(vectors[2]), coefficients(vectors[3])
    low, high, _, _ = bench.vector("v11:10.w = v6mpy(v1:0.ub,v5:4.b,#0):h", vectors)
    outer = np.stack([high_pixels[:, 3], high_pixels[:, 1], low_pixels[:, 3]], 1)
    inner = np.stack([high_pixels[:, 2], high_pixels[:, 0], low_pixels[:, 2]], 1)
    np.testing.assert_array_equal(low.view(np.int32), (inner * c1).sum(1))
    np.testing.assert_array_equal(high.view(np.int32), (outer * c1 + inner * c0).sum(1))
    low, high, _, _ = bench.vector("v11:10.w = v6mpy(v1:0.ub,v5:4.b,#3):v", vectors)
    outer = np.stack([low_pixels[:, 2], low_pixels[:, 3], high_pixels[:, 2]], 1)
    inner = np.stack([low_pixels[:, 0], low_pixels[:, 1], high_pixels[:, 0]], 1)
    np.testing.assert_array_equal(high.view(np.int32), (outer * c0).sum(1))
    np.testing.assert_array_equal(low.view(np.int32), (outer * c1 + inner * c0).sum(1))
