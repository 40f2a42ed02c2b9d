"""Single forms on the chip's arithmetic, in the translator and in the reference: values that sources define."""

import numpy as np
import pytest
from sim.chip_harness import results, words
from sim.forms_harness import function

from hexagon_mlir.sim import Machine, SimError
from hexagon_mlir.sim.reference.compare import check

CHIPS = ["v75", "v79", "v81"]
RNG = np.random.default_rng(31)


def halves(*values):
    """Words of f16 lanes."""
    return np.resize(np.array(values, np.float16), 64).view(np.uint32)


def pair(low, high):
    """A word of two 16-bit lanes."""
    return high << 16 | low


# -- integers --------------------------------------------------------------------------------------------------
NANS = pair(0x7E00, 0xFE00)


@pytest.mark.parametrize(("form", "want"), [
    ("v10.h = v0.hf:rnd", pair(0x7FFF, 0x8000)), ("v10.h = v0.hf", pair(0x7FFF, 0x8000)),
    ("v10.h = vcvt(v0.hf)", pair(0x7FFF, 0x7FFF)), ("v10.uh = vcvt(v0.hf)", pair(0xFFFF, 0xFFFF)),
])  # fmt: skip
def test_a_nan_as_an_integer(form, want):
    """By its sign where QEMU's conv_h_hf and conv_h_hf_rnd go by the sign, else the largest."""
    assert words("v81", [form], NANS) == [want] * 32
    signalling = words("v81", [form], pair(0x7C01, 0xFC01))
    assert signalling == [want] * 32


def test_a_word_of_nan():
    assert words("v75", ["v10.w = v0.sf"], 0x7FC00000) == [0x7FFFFFFF] * 32
    assert words("v75", ["v10.w = v0.sf"], 0xFFC00000) == [0x80000000] * 32


def test_halves_to_nearest_even():
    """1.5 and -1.5 as in the test of androm3da/qemu; plain ``V.h=V.hf`` truncates."""
    a = halves(1.5, -1.5, 2.5, -2.5, 0.5, 32767.0, -np.inf, 2.4)
    rounded = np.array(words("v81", ["v10.h = v0.hf:rnd"], a), np.uint32).view(np.int16)
    assert rounded[:8].tolist() == [2, -2, 2, -2, 0, 32767, -32768, 2]
    cut = np.array(words("v81", ["v10.h = v0.hf"], a), np.uint32).view(np.int16)
    assert cut[:8].tolist() == [1, -1, 2, -2, 0, 32767, -32768, 2]


# -- dot products ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("chip", CHIPS)
def test_dot_products_of_halves(chip):
    """Each word is the sum of both products, rounded once; the accumulator is added in a second rounding."""
    a, b = (RNG.standard_normal(64).astype(np.float16) for _ in "ab")
    c = RNG.standard_normal(32).astype(np.float32)
    products = a.astype(np.float64) * b.astype(np.float64)  # exact, as is their sum: exponents are near
    dot = (products[::2] + products[1::2]).astype(np.float32)
    lines = ["v10.sf = vdmpy(v0.hf,v1.hf)", "v11 = v2", "v11.sf += vdmpy(v0.hf,v1.hf)"]
    plain, accumulated = results(chip, lines, a.view(np.uint32), b.view(np.uint32), c).view(np.float32)
    np.testing.assert_array_equal(plain, dot)
    np.testing.assert_array_equal(accumulated, dot + c)


@pytest.mark.parametrize(("a", "b", "want"), [
    (pair(0x7C00, 0x7C00), pair(0x3C00, 0xBC00), 0x7FFFFFFF),  # inf - inf
    (pair(0x7C00, 0x3C00), pair(0, 0x3C00), 0x7FFFFFFF),  # inf * 0
    (pair(0xFE00, 0), pair(0x3C00, 0), 0x7FFFFFFF),  # any NaN is the one NaN
    (pair(0x7C00, 0x3C00), pair(0xBC00, 0x3C00), 0xFF800000),
    (pair(0x0001, 0x0001), pair(0x0001, 0), 0x27800000),  # denormals are kept: 2**-48
    (pair(0x8000, 0x8000), pair(0x3C00, 0x3C00), 0x80000000),
])  # fmt: skip
def test_dot_products_of_special_halves(a, b, want):
    assert words("v79", ["v10.sf = vdmpy(v0.hf,v1.hf)"], a, b) == [want] * 32


# -- order of lanes --------------------------------------------------------------------------------------------
U, V = np.arange(64, dtype=np.float16), np.arange(64, 128, dtype=np.float16)
BY_PAIRS = np.concatenate([U.reshape(-1, 2), V.reshape(-1, 2)], axis=1).reshape(-1)
BY_PARITY = np.stack([U, V], axis=1).reshape(-1)


@pytest.mark.parametrize(("call", "want"), [("vcvt", BY_PAIRS), ("vcvt2", BY_PARITY)])
@pytest.mark.parametrize("suffix", ["b", "ub"])
def test_order_of_narrowed_bytes(suffix, call, want):
    """``vcvt`` takes two lanes of each register in turn, ``vcvt2`` one."""
    found = results("v79", [f"v10.{suffix} = {call}(v0.hf,v1.hf)"], U.view(np.uint32), V.view(np.uint32))[0]
    np.testing.assert_array_equal(found.view(np.uint8), want)
    back = [f"v11:10.hf = {call}(v0.{suffix})"]
    low, high = results("v79", back, found).view(np.float16)
    np.testing.assert_array_equal(low, U)
    np.testing.assert_array_equal(high, V)


def test_order_of_eight_bit_floats():
    """Even bytes from the first register."""
    u, v = halves(1.0, 2.0), halves(-1.0, 0.5)
    found = results("v79", ["v10.f8 = vcvt(v0.hf,v1.hf)"], u, v)[0].view(np.uint8)
    assert found[:4].tolist() == [0x40, 0xC0, 0x48, 0x38]
    low, high = results("v79", ["v11:10.hf = vcvt(v0.f8)"], found).view(np.float16)
    assert low[:2].tolist() == [1.0, 2.0] and high[:2].tolist() == [-1.0, 0.5]


@pytest.mark.parametrize("chip", CHIPS)
def test_order_of_narrowed_qfloat(chip):
    """Even lanes from the low register."""
    lines = ["v2.qf32 = vadd(v0.sf,v2.sf)", "v3.qf32 = vadd(v1.sf,v3.sf)", "v10.hf = v3:2.qf32"]
    u, v = (np.arange(32, dtype=np.float32) * 2 + i for i in (1, 2))
    found = results(chip, lines, u, v, 0, 0)[0].view(np.float16)
    np.testing.assert_array_equal(found, np.arange(1, 65))


# -- v79 and v81 -----------------------------------------------------------------------------------------------
def test_words_aligned_by_bytes():
    """u << 8n | v >> (32 - 8n), n the lower two bits: QEMU's ext-v81.idef, and the table of its test."""
    for amount, want in enumerate((0x11223344, 0x22334455, 0x33445566, 0x44556677)):
        for scalar in (amount, amount | 4, amount | 0xFFFFFFFC):
            line = ["v10 = valign4(v0,v1,r2)"]
            assert words("v81", line, 0x11223344, 0x55667788, scalars=[scalar]) == [want] * 32


@pytest.mark.parametrize("factor", ["v0.hf", "v2.qf16"])
def test_the_halves_of_a_scalar_factor_take_turns(factor):
    """As LLVM has it: a factor in a register is that register splat word by word."""
    scalar = int(halves(2.0, -3.0)[0])
    lines = ["v2.qf16 = vadd(v0.hf,v1.hf)", f"v3.qf16 = vmpy({factor},r2.hf)", "v10.hf = v3.qf16"]
    a = np.arange(1, 65, dtype=np.float16)
    found = results("v79", lines, a.view(np.uint32), 0, scalars=[scalar])[0].view(np.float16)
    np.testing.assert_array_equal(found, a * np.tile(np.array([2, -3], np.float16), 32))


MASK = 0x01010101
NUMBER = ["v8.qf32 = vmpy(v0.sf,v1.sf)"]
"""(1 + 2**-23) * (1 + 2**-23): inexact, so that not all bits are those of a fresh word."""
ODD = 0x3F800001
RESETS = [
    ["v8 = vmem(r0+#0)"], ["v8 = vmemu(r0+#0)"], ["v8 = v0"], ["v8.w = vadd(v0.w,v1.w)"], ["v8 = vor(v8,v8)"],
    ["q0 = vcmp.gt(v0.w,v1.w)", "v8 = vmux(q0,v0,v8)"], ["v8 = vsplat(r2)"], ["v8 = vror(v8,r2)"],
    ["v9:8 = vcombine(v8,v8)"], ["v9:8 = vshuff(v8,v8,r2)"], ["v8 = valign(v8,v8,#4)"], ["v8.sf = v8.qf32"],
    ["p0 = cmp.eq(r2,r2)", "if (p0) v8 = v8"], ["v8.sf = vadd(v0.sf,v1.sf)"],
]  # fmt: skip


def extension(lines):
    """Extension bits of v8 after ``lines``, one word of bytes, the same in all lanes."""
    found = words("v79", [*lines, "v10 = vgetqfext(v8.x,r2)"], ODD, ODD, scalars=[MASK])
    assert len(set(found)) == 1
    return found[0]


def test_a_product_has_bits_of_its_own():
    assert extension(NUMBER) not in (0, 0x01000100)


@pytest.mark.parametrize("lines", RESETS, ids=lambda lines: lines[-1])
def test_other_writes_reset_extension_bits(lines):
    """L and E are set, R and Q clear, whatever stood there."""
    assert extension([*NUMBER, *lines]) == 0x01000100


def test_setting_extension_bits_clears_the_words():
    found = results("v79", ["v10.x = vsetqfext(v0,r2)", "v11 = vgetqfext(v10.x,r2)"], 0xFF00FF, scalars=[MASK])
    assert set(found[0].tolist()) == {0} and set(found[1].tolist()) == {0x00010001}
    merged = ["v8.x = vsetqfext(v0,r2)", "v10 = vmerge(v8.x,v1.w)", "v11 = vgetqfext(v10.x,r2)"]
    found = results("v79", merged, 0xFF00FF, 77, scalars=[MASK])
    assert set(found[0].tolist()) == {77} and set(found[1].tolist()) == {0x00010001}


# -- versions --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("line", "since", "too_old"), [
    ("v10.f8 = vcvt(v0.hf,v1.hf)", "v79", "v75"), ("v11:10.hf = vcvt2(v0.b)", "v79", "v75"),
    ("v10.qf32 = vmpy(v0.sf,r2.sf)", "v79", "v75"), ("v10 = vgetqfext(v0.x,r2)", "v79", "v75"),
    ("v10 = valign4(v0,v1,r2)", "v81", "v79"), ("v10.h = v0.hf:rnd", "v81", "v75"),
    ("v10.qf32 = vsub(v0.sf,v1.qf32)", "v81", "v79"), ("v10.w = vilog2(v0.sf)", "v81", "v79"),
    ("q0 = vcmp.eq(v0.sf,v1.sf)", "v81", "v79"), ("v10.w = v0.sf", "v73", "v68"),
    ("v10.bf = v1:0.qf32", "v81", "v75"),
])  # fmt: skip
def test_a_form_that_the_chip_lacks(line, since, too_old):
    text = function("f", [[line]])
    with pytest.raises(SimError) as error:
        Machine(text, too_old)
    assert str(error.value).endswith(f"'{line}' exists from {since} on, not on {too_old}")
    assert error.value.asm_line == text.split("\n").index(f"\t\t{line}") + 1
    Machine(text, since)


@pytest.mark.parametrize("chip", ["v79", "v81"])
def test_random_packets_of_these_forms(chip):
    forms = r"valign4|:rnd|R\.hf|vdmpy\(V\.hf|vcvt2?\(V\.hf|qfext|vmerge"
    found = check(150, 5, 1, forms, chip, "chip", quick=True)
    assert not found, "\n".join(map(str, found))
