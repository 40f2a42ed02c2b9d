"""hexagon-math-expansion: every function against double precision, within the bounds that docs/maths.md states."""

import importlib
import re
import sys

import ml_dtypes
import mpmath
import numpy as np
import pytest
from hexagon_packets import hexagon_code
from host_vectors import LANES, arith_ops, compile_vector_function, function_text, run_pass, ulps
from support import ROOT

import hexagon_mlir as hx

PASS = "hexagon-math-expansion"
SAMPLES = 1 << 17

sys.path.insert(0, str(ROOT))
maths = importlib.import_module("bench.maths")
BY_NAME = importlib.import_module("bench.corpus.math_functions").BY_NAME
FUNCTIONS = list(BY_NAME)
CASES = [(name, *variant) for name in FUNCTIONS for variant in maths.variants(BY_NAME[name])]
pytestmark = [pytest.mark.filterwarnings("ignore::RuntimeWarning"), pytest.mark.only_values]


SIMULATED = ("exp", "log1p", "sin", "atan2", "tanh", "erfc", "cbrt", "powf", "division", "fmod", "silu", "round",
             "isnan")
"""A sample: bench/maths.py does every function."""
TARGETS = ("v75", "v79", "v75+hvx-ieee-fp")
FEW, MANY = 1 << 16, 1_000_000


def with_counts():
    """Each function of f32 for v75 and v79 with few numbers, of f16 for one of the two and of bf16 for the other; for a
    sample of f32, the IEEE forms of v75, which compute what v79's do.

    The rest, and 10^6 numbers, is `full`.
    """
    for name, element, level in CASES:
        one = TARGETS[(FUNCTIONS.index(name) + (element == "bf16")) % 2]
        for target in TARGETS:
            if target != "v75+hvx-ieee-fp" or name in SIMULATED:
                few = element == "f32" or target == one
                yield pytest.param(name, element, level, target, FEW, marks=[] if few else pytest.mark.full)
            if target == "v75+hvx-ieee-fp" or element == "f32":
                yield pytest.param(name, element, level, target, MANY, marks=pytest.mark.full)


@pytest.mark.parametrize(("name", "element", "level", "target", "count"), list(with_counts()))
def test_error_is_within_its_bound(name, element, level, target, count):
    """Every f16 and bf16 number; f32 numbers: bit patterns, dense ranges and all special values.

    v75: compiled code in legacy qfloat, on the simulator, or with the IEEE forms of HVX; v79: its formulas in IEEE
    arithmetic, on the host.
    """
    function = BY_NAME[name]
    error, where = maths.worst(function, element, level, count, target)
    assert error <= maths.limit(function, element, level, target), f"{error:.3f} ulp at {where}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bounds_are_those_promised(name):
    ulp = BY_NAME[name].ulp
    assert all(ulp[element] <= 1 for element in ("f16", "bf16") if element in ulp)
    assert ulp["f32"] <= 2 or BY_NAME[name].notes, "f32: at most 2 ulp, or a reason"


class TestDocument:
    """docs/maths.md and the docstrings are written by bench/maths.py and bench/math_docstrings.py."""

    ROWS = maths.read(maths.DOCUMENT.read_text())

    def test_it_has_every_function(self):
        assert [(row.name, row.element, row.level) for row in self.ROWS] == CASES

    def test_its_errors_and_bounds_are_those_of_the_tests(self):
        for row in self.ROWS:
            legacy, ieee = (maths.LEGACY, row.error, row.bound), (maths.IEEE, row.ieee_error, row.ieee_bound)
            for target, error, bound in (legacy, ieee):
                assert bound == maths.limit(BY_NAME[row.name], row.element, row.level, target)
                assert error <= bound

    def test_docstrings_repeat_it(self):
        docstrings = importlib.import_module("bench.math_docstrings")
        assert {name for names in docstrings.FILES.values() for name in names} == set(FUNCTIONS)
        for name, functions in docstrings.FILES.items():
            source = (docstrings.LIBRARY / f"{name}.py").read_text()
            assert docstrings.with_table(source, docstrings.table(self.ROWS, functions)) == source, name


@pytest.mark.each_value
@pytest.mark.parametrize("target", ["v79", "v75+hvx-ieee-fp"])
@pytest.mark.parametrize("name", SIMULATED)
def test_code_of_ieee_forms_computes_what_the_host_does(name, target):
    """Bit for bit but for NaN, through the whole compiler, special values included; and without a call."""
    function = BY_NAME[name]
    operands = [np.ascontiguousarray(x[-4096:]) for x in maths.samples(function, "f32", "accurate", 1 << 14)]
    expected = maths.evaluate(function, "f32", "accurate", operands)
    actual = maths.evaluate_on_chip(function, "f32", "accurate", operands, target)
    same = (actual.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(actual) & np.isnan(expected))
    assert same.all(), [tuple(x[~same][0] for x in operands), actual[~same][0], expected[~same][0]]


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("element", ["f32", "f16"])
def test_nothing_is_left_of_it(name, element):
    module = run_pass(maths.kernel_text(BY_NAME[name], element, "accurate", 256), PASS)
    left = {op for op in arith_ops(module) if op.startswith("math.") or op in ("arith.divf", "arith.remf")}
    assert not left


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if BY_NAME[n].fast and n not in ("expm1",)])
def test_fast_is_shorter(name):
    def count(level, target):
        text = maths.kernel_text(BY_NAME[name], "f32", level, 256)
        return sum(arith_ops(run_pass(text, PASS, target=target)).values())

    assert count("fast", "v79") < count("accurate", "v79")
    assert count("fast", "v75") < count("accurate", "v75") or name == "cbrt"  # one formula


def text_of(name, element="f32", operands=1, lanes=LANES, flags=""):
    op = "arith.divf" if name == "divf" else f"math.{name}"
    arguments = ", ".join(f"%a{i}" for i in range(operands))
    return function_text(f"%r = {op} {arguments} {flags} : {{{element}}}", [element] * operands, element, lanes)


def count_of(text):
    return sum(arith_ops(run_pass(text, PASS)).values())


def random_bits(count, seed=0):
    return np.random.default_rng(seed).integers(0, 2**32, count, dtype=np.uint32).view(np.float32)


def uniform(low, high, seed=1):
    return np.random.default_rng(seed).uniform(low, high, SAMPLES).astype(np.float32)


class TestLargeAngles:
    """Against 300 bits: double precision's own reduction is not the oracle here."""

    X = np.concatenate([random_bits(3 * LANES, 7), np.float32([2.0**127, 3.4e38, 1e22, -1e22, 65537, 255.9, 256.1])])

    @pytest.mark.parametrize("name", ["sin", "cos", "tan"])
    def test_every_binade(self, name):
        x = self.X[np.isfinite(self.X)]
        x = np.concatenate([x, np.ones(-len(x) % LANES, np.float32)])
        with mpmath.workprec(300):
            expected = np.array([float(getattr(mpmath, name)(mpmath.mpf(float(v)))) for v in x])
        actual = compile_vector_function(text_of(name), ["f32"], "f32", PASS)(x)
        assert ulps(actual, expected).max() <= 1.6

    @pytest.mark.parametrize("target", ["v75", "v79"])
    def test_fast_next_to_a_multiple_of_a_right_angle(self, target):
        """What docs/maths.md says of the fast level: the reduced angle is within 2^-38."""
        x = (np.arange(1, 41722, 2) * (np.pi / 2)).astype(np.float32)
        expected = np.cos(x.astype(np.float64))
        small = np.abs(expected) < 2.0**-18  # the reduced angle, but for its sign
        actual = maths.evaluate(BY_NAME["cos"], "f32", "fast", [x], target)
        assert small.sum() > 100
        assert np.abs(actual - expected)[small].max() <= 2.0**-38

    def test_the_nearest_miss_of_a_multiple_of_a_right_angle(self):
        x = np.full(LANES, np.float32(16367173 * 2.0**72))
        with mpmath.workprec(300):
            expected = float(mpmath.cos(mpmath.mpf(float(x[0]))))
        actual = compile_vector_function(text_of("cos"), ["f32"], "f32", PASS)(x)
        assert abs(expected) < 1e-8
        assert ulps(actual, np.full(LANES, expected)).max() <= 1.6


POWERS = {2: (0.5, 1), 3: (1.5, 2), 4: (2.0, 2), 1: (0, 0), 0: (0, 0), -1: (2.0, None), -2: (3.0, None),
          0.5: (0.9, None), -0.5: (1.3, None), 17: (2.0, None), 1.75: (2.0, None)}


def power_text(exponent, element="f32"):
    constant = f"dense<{float(exponent)}> : {{{element}}}"
    return function_text(f"%e = arith.constant {constant}\n%r = math.powf %a0, %e : {{{element}}}", [element], element)


@pytest.mark.parametrize("exponent", POWERS)
def test_power_with_a_constant_exponent(exponent):
    limit, ops = POWERS[exponent]
    if ops is not None:
        assert count_of(power_text(exponent)) == ops
    x = np.abs(uniform(-30, 30, 15)) if exponent != int(exponent) else uniform(-30, 30, 15)
    actual = compile_vector_function(power_text(exponent), ["f32"], "f32", PASS, target="v79")(x)
    assert ulps(actual, x.astype(np.float64) ** exponent).max() <= limit


@pytest.mark.parametrize("exponent", [0, 3, -2, 40, -7])
def test_power_with_an_integer_exponent(exponent):
    body = f"%e = arith.constant dense<{exponent}> : {{i32}}\n%r = math.fpowi %a0, %e : {{f32}}, {{i32}}"
    x = uniform(-3, 3, 17)
    actual = compile_vector_function(function_text(body, ["f32"], "f32"), ["f32"], "f32", PASS)(x)
    assert ulps(actual, x.astype(np.float64) ** exponent).max() <= 2.5 + abs(exponent) / 2


def test_power_with_a_variable_integer_exponent():
    text = function_text("%r = math.fpowi %a0, %a1 : {f32}, {i32}", ["f32", "i32"], "f32")
    x, y = uniform(-3, 3, 18), np.random.default_rng(19).integers(-60, 60, SAMPLES).astype(np.int32)
    actual = compile_vector_function(text, ["f32", "i32"], "f32", PASS, target="v79")(x, y)
    assert ulps(actual, x.astype(np.float64) ** y).max() <= 2


def test_power_in_half_precision():
    x = np.arange(1 << 15, dtype=np.uint16).view(np.float16)
    actual = compile_vector_function(power_text(-0.5, "f16"), ["f16"], "f16", PASS)(x)
    with np.errstate(all="ignore"):
        assert ulps(actual, x.astype(np.float64) ** -0.5, "f16").max() <= 0.51


def test_division_by_a_constant_is_a_multiplication():
    text = function_text("%c = arith.constant dense<3.0> : {f32}\n%r = arith.divf %a0, %c : {f32}", ["f32"], "f32")
    assert arith_ops(run_pass(text, PASS)) == {"arith.mulf": 1}
    x = random_bits(1 << 18, 16)
    with np.errstate(all="ignore"):
        assert ulps(compile_vector_function(text, ["f32"], "f32", PASS)(x), x.astype(np.float64) / 3).max() <= 1.5


@pytest.mark.parametrize("divisor", ["0.0", "0x7F800000", "0x7FC00000", "1.0e-40"])
def test_division_by_an_extreme_constant(divisor):
    text = function_text(f"%c = arith.constant dense<{divisor}> : {{f32}}\n%r = arith.divf %a0, %c : {{f32}}",
                         ["f32"], "f32")
    number = np.uint32(int(divisor, 16)).view(np.float32) if "x" in divisor else np.float32(divisor)
    x = np.resize(maths.SPECIAL, 64)
    with np.errstate(all="ignore"):
        expected = x.astype(np.float64) / np.float64(number)
    assert ulps(compile_vector_function(text, ["f32"], "f32", PASS)(x), expected).max() <= 2


@pytest.mark.parametrize(("target", "limit"), [("v75", 4), ("v79", 2)])
class TestDivisorOfARow:
    """One divisor for many numbers: its reciprocal is made once per row, by a formula of its own."""

    TEXT = """func.func @f(%a: tensor<ROWSxCOLUMNSxf32>, %d: tensor<ROWSxf32>) -> tensor<ROWSxCOLUMNSxf32> {
  %e = tensor.empty() : tensor<ROWSxCOLUMNSxf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (WHICH)>,
                                        affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %d : tensor<ROWSxCOLUMNSxf32>, tensor<ROWSxf32>) outs(%e : tensor<ROWSxCOLUMNSxf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %n = arith.negf %y : f32
    %q = arith.divf %x, %n : f32
    linalg.yield %q : f32
  } -> tensor<ROWSxCOLUMNSxf32>
  return %r : tensor<ROWSxCOLUMNSxf32>
}
"""

    def run(self, numbers, divisors, target, which="i"):
        text = self.TEXT.replace("ROWS", str(len(divisors))).replace("COLUMNS", str(len(numbers)))
        a = np.ascontiguousarray(np.broadcast_to(numbers, (len(divisors), len(numbers))))
        return hx.compile(text.replace("WHICH", which), target=target, threads=1).run(a, divisors)

    def test_every_pair_of_special_values(self, target, limit):
        numbers = np.concatenate([maths.SPECIAL, random_bits(256 - len(maths.SPECIAL) % 32 - 7, 31)])
        divisors = np.concatenate([maths.SPECIAL, random_bits(30, 32)])
        with np.errstate(all="ignore"):
            expected = numbers.astype(np.float64) / -divisors[:, None].astype(np.float64)
        actual = self.run(numbers, divisors, target).outputs[0]
        exact = np.ones(expected.shape, bool)
        if target == "v75":  # the quotient is a product, which is 0 below the normal numbers there
            tiny, largest = np.finfo(np.float32).smallest_normal, np.finfo(np.float32).max
            denormal = (numbers != 0) & (np.abs(numbers) < tiny)
            small = (np.abs(expected) <= tiny) & (np.abs(actual) <= tiny)
            edge = np.isfinite(expected) & (np.abs(expected) > largest) & (np.abs(actual) == largest)
            exact = ~(denormal | small | edge)
            assert exact.mean() > 0.8
        assert ulps(actual[exact], expected[exact]).max() <= limit
        zero = (actual == 0) & (expected == 0)
        assert np.array_equal(np.signbit(actual[zero]), np.signbit(expected[zero]))

    def test_it_pays(self, target, limit):
        numbers, divisors = uniform(-4, 4, 33)[:512], uniform(1, 4, 34)[:512]
        by_row, by_element = (self.run(numbers, divisors, target, which) for which in "ij")
        assert by_row.profile.packets < 0.75 * by_element.profile.packets


def test_fma_is_a_product_and_a_sum():
    a, b, c = uniform(-4, 4, 12), uniform(-4, 4, 13), uniform(-4, 4, 14)
    actual = compile_vector_function(text_of("fma", operands=3), ["f32"] * 3, "f32", PASS)(a, b, c)
    assert np.array_equal(actual, a * b + c)


def test_sincos_is_both():
    text = ("func.func @f(%a0: vector<32xf32>) -> vector<32xf32> {\n%s, %c = math.sincos %a0 : vector<32xf32>\n"
            "%r = arith.subf %s, %c : vector<32xf32>\nreturn %r : vector<32xf32>\n}\n")
    x = uniform(-9, 9, 22)
    sine, cosine = (compile_vector_function(text_of(n), ["f32"], "f32", PASS)(x) for n in ("sin", "cos"))
    assert np.array_equal(compile_vector_function(text, ["f32"], "f32", PASS)(x), sine - cosine)


@pytest.mark.parametrize("lanes", [None, 32, "4x32", 7])
def test_any_shape(lanes):
    module = run_pass(text_of("exp", lanes=lanes), PASS)
    assert "math.exp" not in str(module)
    assert sum(arith_ops(module).values()) == count_of(text_of("exp"))


class TestFlags:
    def test_afn_asks_for_the_fast_formula(self):
        assert count_of(text_of("exp", flags="fastmath<afn>")) < count_of(text_of("exp", flags="fastmath<nnan>"))

    def test_nnan_leaves_nan_out(self):
        assert count_of(text_of("exp", flags="fastmath<nnan>")) == count_of(text_of("exp")) - 3

    def test_other_flags_change_nothing(self):
        assert count_of(text_of("exp", flags="fastmath<contract>")) == count_of(text_of("exp"))


SIGMOID = """%one = arith.constant dense<1.0> : {f32}
%n = arith.negf %a0 : {f32}
%e = math.exp %n : {f32}
%d = arith.addf %one, %e : {f32}
"""


class TestComposed:
    def alone(self, body):
        return count_of(function_text(body, ["f32"], "f32"))

    def test_times_a_sigmoid_is_one_quotient(self):
        long = SIGMOID + "%s = arith.divf %one, %d : {f32}\n%r = arith.mulf %s, %a0 : {f32}"
        assert self.alone(long) == self.alone(SIGMOID + "%r = arith.divf %a0, %d : {f32}")

    def test_an_exponential_used_twice_stays(self):
        twice = SIGMOID + "%q = arith.divf %a0, %d : {f32}\n%r = arith.addf %q, %e : {f32}"
        exponential_and_quotient = count_of(text_of("exp")) + count_of(text_of("divf", operands=2))
        assert self.alone(twice) == exponential_and_quotient + 3

    def test_a_sum_with_another_number_stays(self):
        other = SIGMOID.replace("dense<1.0>", "dense<2.0>") + "%r = arith.divf %a0, %d : {f32}"
        assert self.alone(other) > self.alone(SIGMOID + "%r = arith.divf %a0, %d : {f32}")

    def test_softplus_does_not_overflow(self):
        body = "%e = math.exp %a0 : {f32}\n%r = math.log1p %e : {f32}"
        x = np.resize(np.float32([1e4, 1e30, -1e4, 0, np.inf, -np.inf, np.nan]), LANES)
        actual = compile_vector_function(function_text(body, ["f32"], "f32"), ["f32"], "f32", PASS)(x)
        assert np.allclose(actual[:7], [1e4, 1e30, 0, np.log(2), np.inf, 0, np.nan], rtol=1e-7, atol=0, equal_nan=True)

    def test_only_with_every_function(self):
        text = function_text(SIGMOID + "%r = arith.divf %a0, %d : {f32}", ["f32"], "f32")
        assert "math.exp" in str(run_pass(text, PASS, options={PASS: "functions=divf"}))


SMALL = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}


@pytest.mark.parametrize("small", SMALL)
class TestSmallFloats:
    def test_every_value_widens(self, small):
        body = f"""%b = arith.bitcast %a0 : {{i8}} to vector<32x{small}>
          %r = arith.extf %b : vector<32x{small}> to {{f32}}"""
        bits = np.arange(256, dtype=np.uint8)
        actual = compile_vector_function(function_text(body, ["i8"], "f32"), ["i8"], "f32", PASS)(bits.view(np.int8))
        expected = bits.view(SMALL[small]).astype(np.float32)
        assert np.array_equal(actual, expected, equal_nan=True)
        assert np.array_equal(np.signbit(actual)[actual == 0], np.signbit(expected)[actual == 0])

    @pytest.mark.parametrize("wide", ["f32", "f16", "bf16"])
    def test_numbers_round_to_even(self, small, wide):
        body = f"""%b = arith.truncf %a0 : {{{wide}}} to vector<32x{small}>
          %r = arith.bitcast %b : vector<32x{small}> to {{i8}}"""
        # The host has no bf16 conversions either.
        passes = (PASS, "hexagon-arith-legalization") if wide == "bf16" else (PASS,)
        kind = maths.NUMPY[wide]
        if wide == "f32":
            halfway = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
            x = np.concatenate([halfway, random_bits(1 << 16, 23)])
        else:
            x = np.arange(1 << 16, dtype=np.uint16).view(kind)
        actual = compile_vector_function(function_text(body, [wide], "i8"), [wide], "i8", *passes)(x)
        result, expected = actual.view(SMALL[small]), x.astype(np.float32).astype(SMALL[small])
        same = (actual.view(np.uint8) == expected.view(np.uint8)) | (
            np.isnan(result.astype(np.float32)) & np.isnan(expected.astype(np.float32)))
        assert same.all(), (x[~same][:3], result[~same][:3], expected[~same][:3])


@pytest.mark.parametrize("target", ["v68", "v79"])
def test_one_vector_needs_no_call(target):
    for name in ("exp", "sin", "powf"):
        operands = 2 if name == "powf" else 1
        code = hexagon_code(text_of(name, operands=operands), ["f32"] * operands, "f32", PASS, target=target)
        assert code.calls == ()


def test_coefficients_are_exact_f32():
    from hexagon_mlir.passes.math_library import coefficients

    tables = {k: v for k, v in vars(coefficients).items() if isinstance(v, tuple)}
    assert len(tables) >= 8
    for name, table in tables.items():
        assert all(isinstance(c, int) or float(np.float32(c)) == c for c in table), name


def test_every_coefficient_is_used():
    folder = ROOT / "passes" / "math_library"
    names = re.findall(r"^([A-Z0-9_]+) =", (folder / "coefficients.py").read_text(), re.M)
    others = "".join(f.read_text() for f in folder.glob("*.py") if f.name != "coefficients.py")
    assert [n for n in names if not re.search(rf"\b{n}\b", others)] == []
