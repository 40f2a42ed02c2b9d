"""The matrix engine of the reference interpreter: laws, ends of ranges, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim.forms_harness import function

from hexagon_mlir.isa.matrix import operation
from hexagon_mlir.sim import Machine, SimError
from hexagon_mlir.sim.reference import Interpreter
from hexagon_mlir.sim.reference.matrix_engine import Issue, MatrixEngine, Unmodelled
from hexagon_mlir.sim.reference.matrix_float import SIGNIFICAND_BITS, anticipated, halves, sticky_shift
from hexagon_mlir.sim.reference.matrix_tile import CHANNEL_MAJOR, HALVES, SPATIAL_MAJOR
from hexagon_mlir.sim.reference.matrix_walk import Operand, group_size, walk
from hexagon_mlir.sim.reference.matrix_weights import KINDS, nibbles, stream_length

TCM = 1 << 16
ACTIVATION, WEIGHT, BIAS, RESULT = 0, 0x2000, 0x6000, 0x7000
IDENTITY_HF, IDENTITY_UB = 0x3C00, 24 << 10
"""Low words of bias registers: scale 1; scale 2**11 and exponent 24, which make the result the sum."""


class Bench:
    """An engine with 64 KiB of memory, driven by text of forms."""

    def __init__(self, version=75, usr=0):
        self.engine, self.memory, self.usr = MatrixEngine(version, 0, TCM), np.zeros(TCM, np.uint8), usr

    def run(self, *issues):
        self.engine.run([Issue(operation(key), *registers) for key, *registers in issues], self.usr, self.memory)

    def put(self, at, values):
        raw = np.ascontiguousarray(values).view(np.uint8).reshape(-1)
        self.memory[at : at + raw.size] = raw

    def bias(self, low, high=0, group=0):
        self.put(BIAS, np.array([low] * 32 + [high] * 32, np.uint32))
        self.run(("bias=mxmem2(R)", BIAS | group))

    def bytes(self, tile=RESULT, layout=SPATIAL_MAJOR):
        return self.memory[tile + layout.offsets()]

    def halves(self, tile=RESULT):
        return self.memory[tile : tile + 2048].view(np.uint16)[HALVES.offsets() // 2]


def product(bench, kind="b", mode="", activation=(ACTIVATION, 0x7FF), weight=(WEIGHT, 0x3FF)):
    element = "hf" if kind == "hf" else "ub"
    bench.run((f"activation.{element}=mxmem(R,R)", *activation), (f"weight.{kind}=mxmem(R,R){mode}", *weight))


# -- walking -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("first", "last", "size"), [
    (1, 0, 1), (2, 1, 2), (4, 3, 4), (8, 7, 8), (16, 15, 16), (3, 2, 1), (31, 0, 1), (16, 0, 16)])  # fmt: skip
def test_group_sizes(first, last, size):
    assert group_size(first, last) == size


@pytest.mark.parametrize(("first", "second", "taps"), [
    ("", "", 9), ("above", "", 6 * 3), ("single", "", 3), ("dilate", "dilate", 4), ("", "after", 3 * 6),
    ("", "single", 3), ("", "drop", 9), ("", "deep", 3 * 2)])  # fmt: skip
def test_taps_of_a_filter_of_three_by_three(first, second, taps):
    steps = list(walk(SPATIAL_MAJOR, Operand(0x202, 0x77C, first), Operand(0, 0xFFFF, second), 2048, False))
    assert len(steps) == taps
    assert [step.stream for step in steps] == list(range(0, 32 * taps, 32))


def test_rows_below_and_columns_on_the_right():
    step = list(walk(SPATIAL_MAJOR, Operand(0x10000 | 0x202, 0x177C), Operand(0, 0xFFFF), 2048, False))[-1]
    assert step.addresses[0] == 0x10000 + SPATIAL_MAJOR.offsets()[16, 0]  # (0, 0) reads (2, 0)
    assert step.addresses[6 * 8] == 0x11000 + SPATIAL_MAJOR.offsets()[0, 0]  # (6, 0) reads row 0 of the tile below
    assert step.rows[:8].tolist() == [2, 3, 4, 5, 6, 7, 0, 1]
    assert step.other[:8].tolist() == [False] * 6 + [True] * 2


@pytest.mark.parametrize(("extent", "entries"), [(0x3FF, 32), (0x37F, 28), (0, 4), (0xFFFFFFFF, 0), (1 << 20, 2048)])
def test_stream_lengths(extent, entries):
    assert stream_length(KINDS["b"], extent) == entries


@pytest.mark.parametrize(("layout", "first", "last", "begin", "channels"), [
    (HALVES, 0, 31, 0, 32), (HALVES, 5, 18, 0, 20), (HALVES, 28, 28, 24, 8), (SPATIAL_MAJOR, 5, 18, 4, 16),
    (SPATIAL_MAJOR, 28, 28, 28, 4)])  # fmt: skip
def test_ragged_channels(layout, first, last, begin, channels):
    step, = walk(layout, Operand(first << 2, 0x783 | last << 2), Operand(0, 0xFFFF), 1024, False)
    assert len(step.channels) == channels and step.channels[0, 0] == begin


def test_deep_begins_and_ends_inside_tiles():
    steps = list(walk(HALVES, Operand(8 << 2, 2 * 2048 | 0x783 | 11 << 2, "deep"), Operand(0, 0xFFFF), 1024, False))
    assert [len(step.channels) for step in steps] == [24, 32, 12]
    assert [int(step.addresses[0]) for step in steps] == [0, 2048, 4096]


def test_work_beyond_the_limit_is_dropped():
    steps = walk(HALVES, Operand(0, 40 * 2048 - 1, "deep"), Operand(0, 0x7FFFFFFF),
                 stream_length(KINDS["hf"], 0x7FFFFFFF), False)  # fmt: skip
    assert sum(len(step.channels) for step in steps) == 1024


# -- integers ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("kind", "low", "high"), [
    ("b", -128, 127), ("sm", -128, 127), ("n", -8, 7), ("c", -2, 1), ("sc", -2, 2), ("ubit", 0, 1), ("sbit", -1, 1)])
def test_range_of_weights(kind, low, high):
    memory = np.random.default_rng(1).integers(0, 256, 4096, np.uint8)
    parts = nibbles(kind, memory, 0, 0, 32 * KINDS[kind].entries)
    values = parts[0] + 16 * parts[1]
    assert (values.min(), values.max()) == (low, high)
    assert parts[0].min() >= -8 and parts[0].max() <= 7 and (kind in ("b", "sm") or not parts[1].any())


def test_products_of_bytes_are_a_matrix_product():
    bench, random = Bench(), np.random.default_rng(2)
    a, w = random.integers(0, 256, (64, 32)), random.integers(-128, 128, (32, 32))
    bench.memory[SPATIAL_MAJOR.offsets()] = a
    k, n = np.indices((32, 32))
    bench.memory[WEIGHT + (k >> 2) * 128 + n * 4 + (k & 3)] = w.astype(np.int8).view(np.uint8)
    product(bench)
    np.testing.assert_array_equal(bench.engine.integers.cells(0), a @ w)


def test_grouped_channels_stay_apart():
    """Depthwise: a weight for each column, whose channel is the column's."""
    bench, random = Bench(), np.random.default_rng(3)
    a, w = random.integers(0, 256, (64, 32)), random.integers(-128, 128, 32)
    bench.memory[SPATIAL_MAJOR.offsets()] = a
    bench.memory[WEIGHT + 4 * np.arange(32)] = w.astype(np.int8).view(np.uint8)
    product(bench, activation=(1 << 2, 0x700), weight=(WEIGHT, 127))
    np.testing.assert_array_equal(bench.engine.integers.cells(0), a * w)


def test_sums_wrap():
    bench = Bench()
    bench.engine.integers.parts[0, 0] = (1 << 31) - 1
    bench.memory[SPATIAL_MAJOR.offsets()[:, 0]] = 1
    bench.memory[WEIGHT + 4 * np.arange(32)] = 1
    product(bench)
    assert set(bench.engine.integers.cells(0).reshape(-1).tolist()) == {-(1 << 31)}


def test_shift_and_sets():
    bench = Bench()
    bench.engine.integers.parts[0] = np.array([0x12345, -1])[:, None, None]
    bench.run(("mxswapacc",))
    bench.run(("acc=mxshl(acc,I)",))
    assert bench.engine.integers.cells(0)[0, 0] == 0x12345 and bench.engine.integers.cells(1)[0, 0] == -0x10000
    bench.run(("mxclracc",))
    assert not bench.engine.integers.parts.any()


@pytest.mark.parametrize(("cell", "wrap", "saturated"), [
    (0, 0, 0), (200, 200, 200), (255, 255, 255), (256, 0, 255), (-1, 255, 0), (-300, 212, 0)])  # fmt: skip
def test_bytes_of_sums(cell, wrap, saturated):
    for rs, expected in ((3, wrap), (1, saturated)):
        bench = Bench()
        bench.engine.integers.parts[0, 0] = cell
        bench.bias(IDENTITY_UB)
        bench.run(("cvt.ub=acc(R)", rs))
        bench.run(("mxmem(R,R)=cvt", RESULT, 0))
        assert set(bench.bytes().reshape(-1).tolist()) == {expected}


def plain_byte(cell, low, high, wrap):
    """``cvt.ub`` of one cell in Python's integers, from the list of steps of the conversion."""
    scale = (~low >> 16 & 1) << 11 | (low & 0x3FF) << 1 | low >> 31
    shifted = (cell + (high ^ 1 << 31) - (1 << 31)) << (low >> 10 & 31)
    if not -(1 << 34) <= shifted < 1 << 34:  # the integer bits become 01x, or of a negative sum 10x
        shifted = shifted % (1 << 33) + (1 << 33 if shifted > 0 else -1 << 34)
    value, shape = shifted >> 20, low >> 17 & 3 | low >> 13 & 4
    below = value < 0
    value = {0: value, 1: value if below else 0, 2: 0 if below else value, 3: ~value if below else value}[shape & 3]
    if shape & 4 and not (shape & 3 == 1 and not below) and not (shape & 3 == 2 and below):
        value = ~value
    value = 2 * value + (cell + (high ^ 1 << 31) - (1 << 31) != 0)
    result = scale * value + ((low >> 19 & 0xFFF) << 12) >> 12
    return (result & 0xFFF if wrap else max(0, min(0xFFF, result))) >> 4


@pytest.mark.parametrize("wrap", [False, True])
def test_conversions_of_any_sum_with_any_bias(wrap):
    bench, random = Bench(), np.random.default_rng(4)
    cells = random.integers(-(1 << 31), 1 << 31, (64, 32)) >> random.integers(0, 32, (64, 32))
    words = random.integers(0, 1 << 32, (2, 32)).astype(np.uint32)
    words[1] = (words[1].view(np.int32) >> random.integers(0, 32, 32).astype(np.int32)).view(np.uint32)
    bench.put(BIAS, words)
    bench.run(("bias=mxmem2(R)", BIAS))
    bench.engine.integers.parts[0, 0] = cells
    bench.run(("cvt.ub=acc(R)", 2 * wrap))
    bench.run(("mxmem(R,R)=cvt", RESULT, 0))
    expected = [[plain_byte(int(cells[m, n]), *words[:, n].tolist(), wrap) for n in range(32)] for m in range(64)]
    np.testing.assert_array_equal(bench.bytes(), expected)


def test_a_conversion_clears_and_switches_unless_it_retains():
    bench = Bench()
    bench.engine.integers.parts[0, 0] = 5
    bench.run(("cvt.ub=acc(R)", 1))
    assert bench.engine.current[False] == 0 and bench.engine.integers.parts[0, 0].all()
    bench.run(("cvt.ub=acc(R)", 0))
    assert bench.engine.current[False] == 1 and not bench.engine.integers.parts.any()


@pytest.mark.parametrize(("chosen", "column", "sum_"), [
    (0, 1, 0x0A0B), (1, 1, 0x0A0B), (2, 0, 0x0C0D), (3, 1, 0x0A0B + 0x0C)])  # fmt: skip
def test_columns_of_2x2(chosen, column, sum_):
    """Rows 2m + 1 and 2m are 0x0A00 and 0x0B00 in odd columns, 0x0C00 and 0x0D00 in even ones: high and low bytes."""
    bench, cells = Bench(), np.array([[0x0D00, 0x0B00], [0x0C00, 0x0A00]])
    bench.engine.integers.parts[0, 0] = np.tile(cells, (32, 16))
    bench.bias(16 << 10)  # scale 2**21 of 22 bits: the sum, and that of 2**24 / 2**32 times two
    bench.run(("cvt.uh=acc(R):2x2", 1 | chosen << 9))
    bench.run(("mxmem(R,R)=cvt", RESULT, 0))
    assert set(bench.halves()[:, 1 - column].tolist()) == {0}
    assert set(bench.halves()[:, column].tolist()) == {sum_}


# -- stores ------------------------------------------------------------------------------------------------
def numbered(bench):
    """Conversions whose entries are 1, 2, 3 in turn: the oldest first."""
    bench.bias(IDENTITY_UB)
    for value in (1, 2, 3):
        bench.engine.integers.parts[0, bench.engine.current[False]] = value
        bench.run(("cvt.ub=acc(R)", 0))


@pytest.mark.parametrize(("key", "earlier"), [("mxmem(R,R)=cvt", 2), ("mxmem(R,R):deep=cvt", 1)])
def test_columns_left_of_the_offset_are_of_an_earlier_conversion(key, earlier):
    bench = Bench(79)
    numbered(bench)
    bench.run((key, RESULT | 0x03, 0x700))
    tile = bench.bytes().reshape(8, 8, 32)
    assert (tile[:, :3] == earlier).all() and (tile[:, 3:] == 3).all()


def test_rows_that_leave_go_to_the_tile_below():
    bench = Bench(79)
    numbered(bench)
    bench.run(("mxmem(R,R)=cvt", RESULT | 0x200, 0x800 | 0x700))
    upper, lower = (bench.bytes(tile).reshape(8, 8, 32) for tile in (RESULT, RESULT + 0x800))
    assert not upper[:2].any() and (upper[2:] == 3).all()
    assert (lower[:2] == 3).all() and not lower[2:].any()


@pytest.mark.parametrize(("split", "inside"), [("after", True), ("before", False)])
def test_a_split_store_writes_its_part_alone(split, inside):
    bench = Bench()
    bench.bias(IDENTITY_UB)
    bench.engine.integers.parts[0, 0] = 9
    bench.run((f"mxmem(R,R):{split}:sat.ub=acc", RESULT | 0x02, 0x700))
    tile = bench.bytes().reshape(8, 8, 32)
    assert (tile[:, 2:] == (9 if inside else 0)).all() and (tile[:, :2] == (0 if inside else 9)).all()


def test_channel_major_stores():
    bench = Bench()
    bench.bias(IDENTITY_UB)
    bench.engine.integers.parts[0, 0] = np.arange(64)[:, None]
    bench.run(("cvt.ub=acc(R)", 0))
    bench.run(("mxmem(R,R):cm=cvt", RESULT, 0))
    np.testing.assert_array_equal(bench.bytes(RESULT, CHANNEL_MAJOR), np.repeat(np.arange(64), 32).reshape(64, 32))


# -- bias registers ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("version", "groups"), [(73, 1), (75, 4), (81, 4)])
def test_groups_of_bias_registers(version, groups):
    bench = Bench(version)
    for group in range(4):
        bench.bias(group + 1, group + 11, group)
    assert [int(words[0, 0]) for words in bench.engine.bias] == ([1, 2, 3, 4] if groups == 4 else [4, 0, 0, 0])
    bench.run(("mxmem2(R)=bias", RESULT | 3))
    assert bench.memory[RESULT : RESULT + 256].view(np.uint32).tolist() == [4] * 32 + [14] * 32


def test_low_words_alone():
    bench = Bench()
    bench.bias(1, 2)
    bench.put(BIAS, np.full(64, 7, np.uint32))
    bench.run(("bias=mxmem(R)", BIAS))
    assert set(bench.engine.bias[0, 0].tolist()) == {7} and set(bench.engine.bias[0, 1].tolist()) == {2}
    bench.run(("mxmem(R)=bias", RESULT))
    assert bench.memory[RESULT : RESULT + 256].view(np.uint32).tolist() == [7] * 32 + [0] * 32


# -- floats ------------------------------------------------------------------------------------------------
SIGNIFICAND = st.integers(-(1 << SIGNIFICAND_BITS - 1), (1 << SIGNIFICAND_BITS - 1) - 1)


@given(a=SIGNIFICAND, b=st.one_of(SIGNIFICAND, st.integers(-9, 9)), near=st.booleans())
def test_anticipated_leading_ones(a, b, near):
    """Never below the sum's leading one, and at most one place above."""
    if near:
        b = max(-(1 << 29), min((1 << 29) - 1, b - a))
    leading = int(anticipated(np.array(a), np.array(b), SIGNIFICAND_BITS + 1)).bit_length()
    exact = (a + b if a + b >= 0 else ~(a + b)).bit_length()
    assert exact <= leading <= exact + 1


@given(value=st.integers(-(1 << 30), 1 << 30), places=st.integers(0, 64))
def test_sticky_shifts_tell_every_lost_bit(value, places):
    moved = int(sticky_shift(np.array(value), places))
    exact = Fraction(value, 1 << places)
    assert moved == exact or (abs(moved - exact) < 1 and moved % 2 == 1)


@pytest.mark.parametrize("ieee", [False, True])
def test_operands(ieee):
    found = halves(np.array([0x0001, 0x83FF, 0x3C00, 0x7C00, 0xFFFF], np.uint16), ieee)
    values = found.significand * 2.0 ** (found.exponent - 10)
    assert values[:3].tolist() == [2.0**-24, -(2.0**-14 - 2.0**-24), 1.0]
    assert found.infinite.tolist() == [False] * 3 + [ieee, False]
    assert found.nan.tolist() == [False] * 4 + [ieee]
    if not ieee:
        assert values[3:].tolist() == [65536.0, -131008.0]


def converted(values, usr=0, rs=2, low=IDENTITY_HF, high=0, version=75):
    """f16 patterns of a column of products value * 1."""
    bench = Bench(version, usr)
    bench.bias(low, high)
    patterns = np.resize(np.array(values, np.uint16), 32)
    bench.memory[ACTIVATION : ACTIVATION + 2048].view(np.uint16)[HALVES.offsets()[:, 0] // 2] = patterns
    bench.memory[WEIGHT : WEIGHT + 128].view(np.uint16)[::2] = 0x3C00
    product(bench, "hf", weight=(WEIGHT, 0x7FF))
    bench.run(("cvt.hf=acc(R)", rs))
    bench.run(("mxmem(R,R)=cvt", RESULT, 0))
    return bench.halves()[: len(values), 0].tolist()


@pytest.mark.parametrize(("usr", "rs", "patterns", "expected"), [
    (0, 2, [0x0001, 0x8001, 0x3555, 0x8000, 0x7FFF, 0xFC00], [0x0001, 0x8001, 0x3555, 0, 0x7FFF, 0xFC00]),
    (0, 0, [0x0001, 0x8001, 0xBC00, 0xFC00], [0x0001, 0, 0, 0]),
    (1 << 20, 2, [0x7C00, 0xFC00, 0x7E00, 0xFD00], [0x7C00, 0xFC00, 0xFFFF, 0xFFFF]),
    (1 << 20, 0x42, [0x7C00, 0xFC00], [0x7BFF, 0xFBFF]),
    (1 << 20, 0, [0x7C00, 0xFC00, 0x7E00], [0x7C00, 0, 0]),
    (3 << 20, 0, [0x7E00, 0xFE00], [0xFFFF, 0xFFFF]),
])
def test_conversions_of_special_values(usr, rs, patterns, expected):
    assert converted(patterns, usr, rs) == expected


@pytest.mark.parametrize(("usr", "rs", "expected"), [(0, 2, 0x7FFF), (0, 0x42, 0x7BFF), (1 << 20, 2, 0x7C00)])
def test_overflow(usr, rs, expected):
    assert converted([0x7BFF], usr, rs, low=0x7800) == [expected]


@pytest.mark.parametrize(("high", "expected"), [
    (0x000, [0x4000, 0xC000]), (0x100, [0, 0xC000]), (0x200, [0x4000, 0]), (0x300, [0x4000, 0x4000]),
    (0x400, [0xC000, 0x4000]), (0x700, [0xC000, 0xC000])])  # fmt: skip
def test_shapes(high, expected):
    assert converted([0x4000, 0xC000], high=high) == expected


# -- refusals ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("version", "issues", "message"), [
    (68, [("cvt.hf=acc(R)", 2)], "v68"), (75, [("cvt.ub=acc(R)", 4)], "feedback"),
    (81, [("cvt.f8=acc(R)", 0)], "f8"), (81, [("mxmem(R,R).f8=cvt", RESULT, 0)], "f8"),
    (81, [("cvt.hf=acc(R)", 0x82)], "bfloat16"),
    (75, [("activation.ub=mxmem(R,R)", 0, 0x7FF), ("weight.b=mxmem(R,R)", WEIGHT | 16, 0x3FF)], "compressed"),
    (81, [("activation.hf=mxmem(R,R)", 0, 0x7FF), ("weight.hf=mxmem(R,R)", WEIGHT | 64, 0x7FF)], "bfloat16"),
    (75, [("activation.ub=mxmem(R,R)", 0, 0x7FF), ("weight.hf=mxmem(R,R)", WEIGHT, 0x7FF)], "ub activations"),
])
def test_refusals(version, issues, message):
    with pytest.raises(Unmodelled, match=message):
        Bench(version).run(*issues)


def test_a_program_is_told_where():
    with pytest.raises(SimError, match=r"feedback.*cvt.ub.*in function 'f'"):
        Interpreter(function("f", [["r7 = #4"], ["cvt.ub = acc(r7)"]])).run("f")
    with pytest.raises(SimError, match="outside TCM at 0x0"):
        Interpreter(function("f", [["r0 = #0"], ["bias = mxmem2(r0)"]])).run("f")


@pytest.mark.parametrize("make", [Machine, Interpreter])
@pytest.mark.parametrize(("chip", "bits", "message"), [("v73", 16, "compressed weights"), ("v81", 64, "bfloat16|bf16")])
def test_programs_with_weights_of_unknown_formats(make, chip, bits, message):
    packets = [["r0 = ##0xD8000000"], ["r1 = ##0x7FF"], [f"r2 = ##{0xD8002000 | bits:#x}"],
               ["activation.hf = mxmem(r0,r1)", "weight.hf = mxmem(r2,r1)"]]  # fmt: skip
    with pytest.raises(SimError, match=message):
        make(function("f", packets), chip).run("f")
