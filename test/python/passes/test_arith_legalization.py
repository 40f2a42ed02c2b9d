"""hexagon-arith-legalization: values on the host, and code on Hexagon that is short and calls nothing."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from hexagon_packets import hexagon_code, run_on_simulator
from host_vectors import LANES, NUMPY, arith_ops, compile_vector_function, function_text, run_pass

from hexagon_mlir.exec.host import HostFunction
from hexagon_mlir.sim import Arithmetic

PASS = "hexagon-arith-legalization"
PREDICATES = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
EXTREMES = ("maximumf", "minimumf", "maxnumf", "minnumf")
NUMBERS = [0.0, -0.0, 1.0, -1.0, 1.5, -65504.0, 65504.0, 6e-8, -6e-8, np.inf, -np.inf]
NANS = [np.nan, -np.nan]
DIVISIONS = {"divsi": (np.trunc, True), "remsi": (None, True), "divui": (np.trunc, False), "remui": (None, False),
             "floordivsi": (np.floor, True), "ceildivsi": (np.ceil, True), "ceildivui": (np.ceil, False)}
UNSIGNED = {"i32": np.uint32, "i16": np.uint16, "i8": np.uint8}


def pad(*arrays):
    """Whole vectors: each array followed by ones."""
    return [np.concatenate([a, np.ones(-len(a) % LANES, a.dtype)]) for a in arrays]


def pairs(values, dtype):
    a, b = (v.ravel() for v in np.meshgrid(np.array(values, dtype), np.array(values, dtype)))
    return pad(a, b)


@cache
def compiled(body, operands, result, target="v75"):
    text = function_text(body, list(operands), result)
    return compile_vector_function(text, list(operands), result, PASS, target=target)


def random_integers(element, count, seed):
    """Every order of magnitude, both signs, and the ends of the range."""
    info = np.iinfo(NUMPY[element])
    rng = np.random.default_rng(seed)
    full = rng.integers(info.min, info.max, count, dtype=np.int64, endpoint=True)
    values = full >> rng.integers(0, info.bits, count)
    return values.astype(NUMPY[element])


def compare_body(predicate, element, flags=""):
    return (f"%c = arith.cmpf {predicate}, %a0, %a1 {flags} : {{{element}}}\n"
            f"%t = arith.constant dense<1> : {{i32}}\n%z = arith.constant dense<0> : {{i32}}\n"
            "%r = arith.select %c, %t, %z : {i1}, {i32}")


def expected_comparison(predicate, a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    unordered = np.isnan(a) | np.isnan(b)
    if predicate in ("ord", "uno"):
        return unordered == (predicate == "uno")
    relation = {"eq": np.equal, "ne": np.not_equal, "gt": np.greater, "ge": np.greater_equal, "lt": np.less,
                "le": np.less_equal}[predicate[1:]](a, b)
    return relation & ~unordered if predicate[0] == "o" else relation | unordered


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparison(predicate, element):
    a, b = pairs(NUMBERS + NANS, NUMPY[element])
    actual = compiled(compare_body(predicate, element), (element, element), "i32")(a, b)
    wrong = actual.astype(bool) != expected_comparison(predicate, a, b)
    assert not wrong.any(), list(zip(a[wrong], b[wrong], strict=True))


@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparison_without_nan_is_shorter_and_right_for_numbers(predicate):
    a, b = pairs(NUMBERS, np.float32)
    text = compare_body(predicate, "f32", "fastmath<nnan>")
    actual = compiled(text, ("f32", "f32"), "i32")(a, b)
    assert np.array_equal(actual.astype(bool), expected_comparison(predicate, a, b))

    def count(body):
        return arith_ops(run_pass(function_text(body, ["f32", "f32"], "i32"), PASS)).total()

    assert count(text) < count(compare_body(predicate, "f32"))


@pytest.mark.parametrize("value", ["true", "false"])
def test_constant_predicates(value):
    a, b = pairs(NUMBERS + NANS, np.float32)
    actual = compiled(compare_body(value, "f32"), ("f32", "f32"), "i32")(a, b)
    assert (actual.astype(bool) == (value == "true")).all()


@pytest.mark.parametrize("element", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_minimum_and_maximum(name, element):
    a, b = pairs(NUMBERS + NANS, NUMPY[element])
    actual = compiled(f"%r = arith.{name} %a0, %a1 : {{{element}}}", (element, element), element)(a, b)
    reference = {"maximumf": np.maximum, "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin}[name]
    expected = reference(a.astype(np.float32), b.astype(np.float32))
    assert np.array_equal(actual.astype(np.float32), expected, equal_nan=True)


@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("element", ["i32", "i16", "i8"])
@pytest.mark.parametrize("result", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("signed", [True, False])
def test_integer_to_float(element, result, signed, target):
    info = np.iinfo(NUMPY[element])
    edges = np.array([info.min, info.min + 1, -1, 0, 1, info.max - 1, info.max], NUMPY[element])
    x, = pad(np.concatenate([random_integers(element, 1 << 16, 1), edges]))
    name = "sitofp" if signed else "uitofp"
    actual = compiled(f"%r = arith.{name} %a0 : {{{element}}} to {{{result}}}", (element,), result, target)(x)
    wide = (x if signed else x.view(UNSIGNED[element])).astype(np.float64)
    with np.errstate(over="ignore"):
        # bf16 is rounded from f32: the reference takes the same way.
        expected = wide.astype(np.float32).astype(NUMPY[result]) if result == "bf16" else wide.astype(NUMPY[result])
    assert np.array_equal(actual, expected)


@pytest.mark.each_value
@pytest.mark.parametrize("name", ["sitofp", "uitofp"])
@pytest.mark.parametrize("element", ["i32", "i16", "i8"])
@pytest.mark.parametrize("result", ["f32", "f16", "bf16"])
def test_integer_to_float_on_the_chip(element, result, name):
    """Sums of legacy qfloat, exact ones too, are off by one unit: 4 became 5 by taking 1.5 * 2^23 from its bits."""
    info = np.iinfo(NUMPY[element])
    small = np.resize(np.arange(256).astype(NUMPY[element]), 256)
    ends = np.resize(np.array([info.min, info.min + 1, info.max - 1, info.max, -64, -128], NUMPY[element]), 128)
    x = np.concatenate([small, ends, random_integers(element, 1 << 13, 1)])
    text = function_text(unary(name, element, result)[0], [element], result, 128)
    actual = run_on_simulator(text, [element], result, PASS, arrays=[x], target="v75", lanes=128)
    wide = (x if name == "sitofp" else x.view(UNSIGNED[element])).astype(np.float64)
    with np.errstate(over="ignore"):
        assert np.array_equal(actual, wide.astype(np.float32).astype(NUMPY[result]))


@pytest.mark.parametrize("source", ["f32", "bf16"])
def test_unsigned_beyond_the_signed_range(source):
    """LLVM 22 ends at 2^31 - 1."""
    numbers = np.array([0, 0.75, 1.5, 2**31 - 2**24, 2**31, 3 * 2**30, 2**32 - 2**24, 5], NUMPY[source])
    body, operands, result = unary("fptoui", source, "i32")
    text = function_text(body, list(operands), result, 64)
    actual = run_on_simulator(text, list(operands), result, PASS, arrays=[np.resize(numbers, 64)], target="v75",
                              lanes=64)
    assert np.array_equal(actual.view(np.uint32), np.resize(numbers, 64).astype(np.float64).astype(np.uint32))


@pytest.mark.parametrize("name, one", [("uitofp", 1.0), ("sitofp", -1.0)])
def test_mask_to_float(name, one):
    a, b = pairs([1, 2, 3], np.int32)
    body = f"%c = arith.cmpi slt, %a0, %a1 : {{i32}}\n%r = arith.{name} %c : {{i1}} to {{f32}}"
    assert np.array_equal(compiled(body, ("i32", "i32"), "f32")(a, b), np.where(a < b, one, 0).astype(np.float32))


def test_every_bf16_widens():
    x = np.arange(1 << 16, dtype=np.uint16).view(NUMPY["bf16"])
    actual = compiled("%r = arith.extf %a0 : {bf16} to {f32}", ("bf16",), "f32")(x)
    assert np.array_equal(actual.view(np.uint32), x.view(np.uint16).astype(np.uint32) << 16)


def test_bf16_rounds_to_even_and_keeps_nan():
    bits = np.random.default_rng(2).integers(0, 2**32, 1 << 18, dtype=np.uint32)
    ties = (np.arange(1 << 16, dtype=np.uint32) << 16) | 0x8000
    hidden_nan = np.full(LANES, 0x7F800001, np.uint32)  # its payload lies in the half that is cut off
    x = np.concatenate([bits, ties, hidden_nan]).view(np.float32)
    actual = compiled("%r = arith.truncf %a0 : {f32} to {bf16}", ("f32",), "bf16")(x)
    nan = np.isnan(x)
    assert np.array_equal(np.isnan(actual.astype(np.float32)), nan)
    expected = x[~nan].astype(NUMPY["bf16"])
    assert np.array_equal(actual[~nan].view(np.uint16), expected.view(np.uint16))


@pytest.mark.parametrize("name", ["addf", "subf", "mulf"])
def test_bf16_arithmetic(name):
    a, b = (np.random.default_rng(seed).normal(size=1 << 16).astype(NUMPY["bf16"]) for seed in (3, 4))
    actual = compiled(f"%r = arith.{name} %a0, %a1 : {{bf16}}", ("bf16", "bf16"), "bf16")(a, b)
    operation = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply}[name]
    assert np.array_equal(actual, operation(a.astype(np.float32), b.astype(np.float32)).astype(NUMPY["bf16"]))


def test_bf16_negation_flips_the_sign_of_everything():
    x = np.arange(1 << 16, dtype=np.uint16)
    actual = compiled("%r = arith.negf %a0 : {bf16}", ("bf16",), "bf16")(x.view(NUMPY["bf16"]))
    assert np.array_equal(actual.view(np.uint16), x ^ 0x8000)


def expected_division(name, a, b):
    rounding, signed = DIVISIONS[name]
    if not signed:
        a, b = (v.view(UNSIGNED[f"i{v.dtype.itemsize * 8}"]) for v in (a, b))
    a, b = a.astype(np.int64), b.astype(np.int64)
    floor = a // b
    truncated = np.where((a % b != 0) & ((a < 0) != (b < 0)), floor + 1, floor)
    ceiling = floor + (a % b != 0)
    if rounding is None:
        return a - truncated * b
    return {np.trunc: truncated, np.floor: floor, np.ceil: ceiling}[rounding]


def near_multiples(element, count, unsigned):
    """Dividends that are, or are next to, multiples of the divisors, which reach the end of the range."""
    rng, bits = np.random.default_rng(9), np.iinfo(NUMPY[element]).bits - (not unsigned)
    d = np.maximum(rng.integers(0, 2**bits, count) >> rng.integers(0, bits, count), 1)
    n = np.clip(rng.integers(0, 2**bits, count) // d * d + rng.integers(-1, 2, count), 0, 2**bits - 1)
    return n.astype(UNSIGNED[element]).view(NUMPY[element]), d.astype(UNSIGNED[element]).view(NUMPY[element])


@pytest.mark.parametrize("element", ["i32", "i16"])
@pytest.mark.parametrize("name", ["divsi", "remsi", "divui", "remui"])
def test_division_on_the_chip(name, element):
    """Estimates in legacy qfloat, where no sum rounds to an integer: -8 / -1 gave 7."""
    info, unsigned = np.iinfo(NUMPY[element]), name.endswith("ui")
    ends = [info.min, info.min + 1, -2, -1, 1, 2, 3, 2**11, 2**14 - 1, info.max // 2, info.max - 1, info.max]
    a, b = (np.concatenate(parts) for parts in zip(
        [v.ravel().astype(NUMPY[element]) for v in np.meshgrid(ends, ends)], near_multiples(element, 1 << 14, unsigned),
        [random_integers(element, 1 << 14, seed) | 1 for seed in (5, 6)], strict=True))
    a, b = (np.concatenate([v, np.ones(-len(v) % 64, v.dtype)]) for v in (a, b))
    text = function_text(binary(name, element)[0], [element] * 2, element, 64)
    actual = run_on_simulator(text, [element] * 2, element, PASS, arrays=[a, b], target="v75", lanes=64)
    expected = expected_division(name, a, b).astype(np.uint64).astype(UNSIGNED[element]).view(NUMPY[element])
    wrong = np.flatnonzero(actual != expected)
    assert not len(wrong), [(a[i], b[i], actual[i], expected[i]) for i in wrong[:5]]


@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("element", ["i32", "i16", "i8"])
@pytest.mark.parametrize("name", DIVISIONS)
class TestDivision:
    def check(self, name, element, target, a, b):
        """The low bits agree: INT_MIN / -1 wraps."""
        a, b = pad(a, b)
        body = f"%r = arith.{name} %a0, %a1 : {{{element}}}"
        actual = compiled(body, (element, element), element, target)(a, b)
        expected = expected_division(name, a, b).astype(np.uint64).astype(UNSIGNED[element]).view(NUMPY[element])
        wrong = actual != expected
        assert not wrong.any(), [(a[i], b[i], actual[i], expected[i]) for i in np.flatnonzero(wrong)[:5]]

    @pytest.mark.each_value
    def test_random(self, name, element, target):
        a, b = random_integers(element, 1 << 20, 5), random_integers(element, 1 << 20, 6)
        self.check(name, element, target, a, np.where(b == 0, NUMPY[element](1), b))

    def test_near_multiples(self, name, element, target):
        """Quotients that are almost, or just, whole: where an estimate off by one shows."""
        q, d = random_integers(element, 1 << 18, 7), random_integers(element, 1 << 18, 8)
        d = np.where(d == 0, NUMPY[element](1), d)
        with np.errstate(over="ignore"):
            for offset in (-1, 0, 1):
                self.check(name, element, target, (q * d + NUMPY[element](offset)).astype(NUMPY[element]), d)

    def test_ends_of_the_range(self, name, element, target):
        info = np.iinfo(NUMPY[element])
        values = [info.min, info.min + 1, info.min // 2, -3, -2, -1, 0, 1, 2, 3, 7, info.max // 2, info.max - 1,
                  info.max]
        a, b = zip(*[(x, y) for x, y in itertools.product(values, values) if y != 0], strict=True)
        self.check(name, element, target, np.array(a, NUMPY[element]), np.array(b, NUMPY[element]))


def test_division_by_zero_does_not_trap():
    body = "%r = arith.divsi %a0, %a1 : {i32}"
    result = compiled(body, ("i32", "i32"), "i32")(np.arange(LANES, dtype=np.int32), np.zeros(LANES, np.int32))
    assert result.shape == (LANES,)


def test_division_by_a_constant_is_left_to_the_code_generator():
    body = "%c = arith.constant dense<7> : {i32}\n%r = arith.divsi %a0, %c : {i32}"
    assert arith_ops(run_pass(function_text(body, ["i32"], "i32"), PASS)) == {"arith.divsi": 1}


def test_single_integers_are_left_alone():
    text = function_text("%r = arith.divsi %a0, %a1 : i32", ["i32", "i32"], "i32", lanes=None)
    assert arith_ops(run_pass(text, PASS)) == {"arith.divsi": 1}


def over_elements(body, source, count):
    """A module that stores ``body``'s %r of every two elements of %x and %y to %z."""
    return run_pass(f"""func.func @f(%x: memref<{count}x{source}>, %y: memref<{count}x{source}>,
                                     %z: memref<{count}xf32>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {count} : index
      scf.for %i = %c0 to %n step %c1 {{
        %a = memref.load %x[%i] : memref<{count}x{source}>
        %b = memref.load %y[%i] : memref<{count}x{source}>
        {body}
        memref.store %r, %z[%i] : memref<{count}xf32>
      }}
      return
    }}""", PASS)


@pytest.mark.parametrize("name", EXTREMES)
def test_single_minimum_and_maximum(name):
    a, b = pairs(NUMBERS + NANS, np.float32)
    module = over_elements(f"%r = arith.{name} %a, %b : f32", "f32", len(a))
    assert f"arith.{name}" not in arith_ops(module)
    actual = np.empty_like(a)
    HostFunction(module, "f")([a, b, actual])
    expected = {"maximumf": np.maximum, "minimumf": np.minimum, "maxnumf": np.fmax, "minnumf": np.fmin}[name](a, b)
    assert np.array_equal(actual, expected, equal_nan=True)


def test_every_half_widens_without_a_call():
    halves, actual = np.arange(1 << 16, dtype=np.uint16).view(np.float16), np.empty(1 << 16, np.float32)
    module = over_elements("%r = arith.extf %a : f16 to f32", "f16", len(halves))
    assert "arith.extf" not in arith_ops(module)
    HostFunction(module, "f")([halves, halves, actual])
    assert np.array_equal(actual, halves.astype(np.float32), equal_nan=True)
    assert np.array_equal(np.signbit(actual), np.signbit(halves))


def unary(name, source, result):
    return f"%r = arith.{name} %a0 : {{{source}}} to {{{result}}}", (source,), result


def binary(name, element):
    return f"%r = arith.{name} %a0, %a1 : {{{element}}}", (element, element), element


def compare_select(predicate, element):
    body = (f"%c = arith.cmpf {predicate}, %a0, %a1 : {{{element}}}\n"
            f"%r = arith.select %c, %a0, %a1 : {{i1}}, {{{element}}}")
    return body, (element, element), element


PACKETS = {
    # name: (body, operands, result), lanes, most packets on v75 and v79, load and store included
    "cmpf-ogt": (compare_select("ogt", "f32"), 32, 7),
    "cmpf-oeq": (compare_select("oeq", "f32"), 32, 8),
    "cmpf-une": (compare_select("une", "f32"), 32, 8),
    "cmpf-ule": (compare_select("ule", "f32"), 32, 8),
    "cmpf-uno": (compare_select("uno", "f32"), 32, 7),
    "cmpf-ogt-f16": (compare_select("ogt", "f16"), 64, 7),
    "maximumf": (binary("maximumf", "f32"), 32, 7),
    "maxnumf": (binary("maxnumf", "f32"), 32, 7),
    "maxnumf-f16": (binary("maxnumf", "f16"), 64, 7),
    "sitofp": (unary("sitofp", "i32", "f32"), 32, 9),
    "uitofp": (unary("uitofp", "i32", "f32"), 32, 9),
    "sitofp-i16": (unary("sitofp", "i16", "f32"), 64, 9),
    "sitofp-i8": (unary("sitofp", "i8", "f32"), 128, 15),
    "uitofp-i8": (unary("uitofp", "i8", "f32"), 128, 15),
    "sitofp-i8-f16": (unary("sitofp", "i8", "f16"), 128, 8),
    "uitofp-i8-f16": (unary("uitofp", "i8", "f16"), 128, 8),
    "extf-bf16": (unary("extf", "bf16", "f32"), 64, 6),
    "truncf-bf16": (unary("truncf", "f32", "bf16"), 64, 13),
    "addf-bf16": (binary("addf", "bf16"), 64, 22),
    "divsi": (binary("divsi", "i32"), 32, 70),
    "divui": (binary("divui", "i32"), 32, 70),
    "remsi": (binary("remsi", "i32"), 32, 70),
    "divsi-i16": (binary("divsi", "i16"), 64, 58),
    "divui-i8": (binary("divui", "i8"), 128, 80),
    "divsi-i8": (binary("divsi", "i8"), 128, 88),
}


@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("name", PACKETS)
def test_code_is_short_and_calls_nothing(name, target):
    (body, operands, result), lanes, limit = PACKETS[name]
    text = function_text(body, list(operands), result, lanes)
    code = hexagon_code(text, list(operands), result, PASS, target=target, lanes=lanes)
    assert code.calls == ()
    assert code.packets <= limit


def sample(element, seed, count=4096):
    """Integers of every size, or floats: every pair of special values, then random bits."""
    if element.startswith("i"):
        return random_integers(element, count, seed)
    special = pairs(NUMBERS + NANS, NUMPY[element])[seed]
    bits = np.random.default_rng(seed).integers(0, 2**32, count - len(special), dtype=np.uint32)
    return np.concatenate([special, bits.view(np.float32).astype(NUMPY[element])])


@pytest.mark.each_value
@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("name", PACKETS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_hexagon_code_computes_what_the_host_does(name, target):
    (body, operands, result), lanes, _ = PACKETS[name]
    inputs = [sample(element, seed) for seed, element in enumerate(operands)]
    if "div" in name or "rem" in name:
        inputs[1] = np.where(inputs[1] == 0, NUMPY[operands[1]](1), inputs[1])
    text = function_text(body, list(operands), result, lanes)
    # A sum of floats is that of the host in IEEE arithmetic only: it is the code that is tested.
    arithmetic = Arithmetic.IEEE if name.startswith("addf") else Arithmetic.CHIP
    actual = run_on_simulator(text, list(operands), result, PASS, arrays=inputs, target=target, lanes=lanes,
                              arithmetic=arithmetic)
    expected = compiled(body, operands, result, target)(*inputs)
    if result.startswith("i"):
        assert np.array_equal(actual, expected)
    else:  # the sign of zero is free in a minimum or maximum
        assert np.array_equal(actual.astype(np.float32), expected.astype(np.float32), equal_nan=True)


def test_choice_between_masks():
    a, b = pairs(NUMBERS, np.float32)
    body = ("%z = arith.constant dense<0.0> : {f32}\n%o = arith.constant dense<1.0> : {f32}\n"
            "%c = arith.cmpf ogt, %a0, %z : {f32}\n%x = arith.cmpf ogt, %a0, %a1 : {f32}\n"
            "%y = arith.cmpf ogt, %a1, %o : {f32}\n%s = arith.select %c, %x, %y : {i1}, {i1}\n"
            "%t = arith.constant dense<1> : {i32}\n%n = arith.constant dense<0> : {i32}\n"
            "%r = arith.select %s, %t, %n : {i1}, {i32}")
    assert np.array_equal(compiled(body, ("f32", "f32"), "i32")(a, b), np.where(a > 0, a > b, b > 1))
