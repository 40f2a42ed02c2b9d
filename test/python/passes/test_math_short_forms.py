"""Shorter formulas for results of 16 bits, constant factors gathered, and NaN where the operands give it."""

import importlib
import sys

import numpy as np
import pytest
from host_vectors import LANES, arith_ops, compile_vector_function, function_text, run_pass, ulps
from support import ROOT

from hexagon_mlir.ir import PassManager
from hexagon_mlir.passes.math_library import fixed_point

sys.path.insert(0, str(ROOT))
SPECIAL = importlib.import_module("bench.maths").SPECIAL
PASS = "hexagon-math-expansion"
SAMPLES = 1 << 12
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def uniform(low, high, seed):
    return np.random.default_rng(seed).uniform(low, high, SAMPLES).astype(np.float32)


class TestGatheredFactors:
    """An exponential's argument is scaled; what is a constant in it already takes the factor in."""

    def ops(self, argument, level="fast"):
        flags = "fastmath<afn>" if level == "fast" else ""
        body = f"{argument}\n%e = math.exp %v {flags} : {{f32}}\n%r = arith.addf %e, %a0 : {{f32}}"
        module = run_pass(function_text(body, ["f32"], "f32"), PASS)
        with module.context:
            PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        return arith_ops(module)

    @pytest.mark.parametrize("argument", [
        "%v = arith.negf %a0 : {f32}",
        "%c = arith.constant dense<-2.0> : {f32}\n%v = arith.mulf %c, %a0 : {f32}",
        "%c = arith.constant dense<-2.0> : {f32}\n%w = arith.mulf %a0, %c : {f32}\n%v = arith.mulf %w, %c : {f32}"])
    def test_a_multiple_costs_nothing(self, argument):
        zero = "%c = arith.constant dense<0.0> : {f32}\n%v = arith.addf %a0, %c fastmath<nnan> : {f32}"
        assert self.ops(argument)["arith.mulf"] == self.ops(zero)["arith.mulf"]

    def test_a_polynomial_takes_it_in(self):
        argument = """%k = arith.constant dense<0.044715> : {f32}
%c = arith.constant dense<-1.6> : {f32}
%one = arith.constant dense<1.0> : {f32}
%s = arith.mulf %a0, %a0 : {f32}
%ks = arith.mulf %k, %s : {f32}
%k1 = arith.addf %ks, %one : {f32}
%ca = arith.mulf %c, %a0 : {f32}
%v = arith.mulf %ca, %k1 : {f32}"""
        plain = "%v = arith.mulf %a0, %a0 : {f32}"
        assert self.ops(argument)["arith.mulf"] == self.ops(plain)["arith.mulf"] + 1

    def test_nothing_is_lost_of_a_value_used_elsewhere(self):
        body = """%c = arith.constant dense<0.5> : {f32}
%v = arith.mulf %a0, %c : {f32}
%e = math.exp %v fastmath<afn> : {f32}
%r = arith.addf %e, %v : {f32}"""
        x = uniform(-20, 20, 41)
        actual = compile_vector_function(function_text(body, ["f32"], "f32"), ["f32"], "f32", PASS)(x)
        assert np.allclose(actual, np.exp(0.5 * x.astype(np.float64)) + 0.5 * x, rtol=1e-5, atol=1e-5)


QUOTIENT = """%one = arith.constant dense<1.0> : {f32}
%k = arith.constant dense<0.04> : {f32}
%s = arith.mulf %a0, %a0 : {f32}
VALUE
%e = math.exp %v : {f32}
%d = arith.addf %e, %one : {f32}
%r = arith.divf NUMERATOR, %d : {f32}
"""


class TestNanOfAQuotient:
    """n / (1 + exp(v)) needs no care for NaN where n is NaN whenever v is."""

    SAFE = ("%v = arith.negf %a0 : {f32}",
            "%ks = arith.mulf %s, %k : {f32}\n%k1 = arith.addf %ks, %one : {f32}\n%v = arith.mulf %k1, %a0 : {f32}",
            "%c = arith.mulf %s, %a0 : {f32}\n%v = arith.addf %c, %a0 : {f32}")
    UNSAFE = ("%v = arith.addf %a1, %k : {f32}", "%v = arith.mulf %a0, %a1 : {f32}",
              "%n = arith.negf %s : {f32}\n%v = arith.addf %n, %one : {f32}", "%v = arith.subf %a0, %a0 : {f32}")

    K = np.float32(0.04)
    VALUES = (lambda x, y: -x, lambda x, y: (TestNanOfAQuotient.K * (x * x) + 1) * x, lambda x, y: x * x * x + x,
              lambda x, y: y + TestNanOfAQuotient.K, lambda x, y: x * y, lambda x, y: 1 - x * x, lambda x, y: x - x)

    def text(self, value, numerator="%a0"):
        body = QUOTIENT.replace("VALUE", value).replace("NUMERATOR", numerator)
        return function_text(body, ["f32", "f32"], "f32")

    def cares(self, value, numerator="%a0"):
        """Comparisons of bit patterns: those for NaN. On v75 a product keeps none."""
        return str(run_pass(self.text(value, numerator), PASS, target="v79")).count("arith.cmpi sgt") > 0

    @pytest.mark.parametrize("value", SAFE)
    def test_powers_of_one_number_follow_it(self, value):
        assert not self.cares(value)
        assert self.cares(value, "%one") and self.cares(value, "%a1")

    @pytest.mark.parametrize("value", UNSAFE)
    def test_others_do_not(self, value):
        assert self.cares(value)

    @pytest.mark.parametrize(("value", "target"), [*((value, "v75") for value in (*SAFE, UNSAFE[0])),
                                                   *((value, "v79") for value in (*SAFE, *UNSAFE))])
    def test_every_pair_of_special_values(self, value, target):
        """On v75 as far as v is NaN where one number is; legacy qfloat makes no NaN of its own."""
        x, y = (g.ravel() for g in np.meshgrid(SPECIAL, SPECIAL))
        x, y = (np.concatenate([g, np.ones(-len(g) % LANES, np.float32)]) for g in (x, y))
        actual = compile_vector_function(self.text(value), ["f32", "f32"], "f32", PASS, target=target)(x, y)
        v = self.VALUES[(*self.SAFE, *self.UNSAFE).index(value)](x, y)
        expected = x / (1 + np.exp(v.astype(np.float32)))
        apart = ~(np.abs(v - 88) < 1)  # where the quotient is tiny, and 0 for us
        wrong = apart & (np.isnan(actual) != np.isnan(expected))
        assert not wrong.any(), [g[wrong][:3] for g in (x, y, v, actual, expected)]


class TestClassesOfAQuotient:
    """A product of legacy qfloat has neither infinity nor NaN: they come from the number that both operands are of."""

    X = np.resize(np.uint32([0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x40000000]).view(np.float32), LANES)

    @pytest.mark.parametrize("element", ["f32", "f16"])
    @pytest.mark.parametrize(("numerator", "value", "expected"), [
        ("%a0", "%v = arith.negf %a0 : {E}", [np.inf, np.nan, np.nan, np.nan]),
        ("%a0", "%v = arith.mulf %a0, %a0 : {E}", [np.nan] * 4),
        ("%n", "%v = arith.mulf %a0, %k : {E}", [np.nan, np.inf, np.nan, np.nan])])
    def test_they_are_decided_by_bits(self, element, numerator, value, expected):
        body = f"%n = arith.negf %a0 : {{E}}\n{QUOTIENT}".replace("VALUE", value).replace("NUMERATOR", numerator)
        body = body.replace("{E}", "{f32}").replace("{f32}", "{" + element + "}")
        text = function_text(body, [element], element)
        x = self.X.astype(np.float16 if element == "f16" else np.float32)
        actual = compile_vector_function(text, [element], element, PASS)(x)
        assert np.array_equal(actual[:4].astype(np.float32), np.float32(expected), equal_nan=True)


class TestComputedArguments:
    """Legacy qfloat has no infinity: one less a number is a negative pattern of NaN, and -infinity is meant."""

    X = np.resize(np.uint32([0xFF800001, 0xFFC00000, 0x7FC00000, 0x40000000]).view(np.float32), LANES)

    def exp(self, value, target):
        body = f"%z = arith.constant dense<0.0> : {{f32}}\n%v = {value} : {{f32}}\n%r = math.exp %v : {{f32}}"
        run = compile_vector_function(function_text(body, ["f32", "f32"], "f32"), ["f32", "f32"], "f32", PASS,
                                      target=target)
        return run(self.X, np.zeros(LANES, np.float32))[:4]

    def test_less_the_largest_of_a_row(self):
        assert np.array_equal(self.exp("arith.subf %a0, %a1", "v75"), np.float32([0, 0, np.nan, np.exp(2)]),
                              equal_nan=True)

    @pytest.mark.parametrize(("value", "target"), [("arith.subf %a0, %a1", "v79"), ("arith.addf %a0, %z", "v75"),
                                                   ("arith.maximumf %a0, %a0", "v75")])
    def test_others_are_nan(self, value, target):
        assert np.isnan(self.exp(value, target)).tolist() == [True, True, True, False]


class TestFixedPoint:
    """The corrections of `fixed_point`, for every fraction of 15 bits."""

    F = np.arange(1 << 15, dtype=np.int64)

    def corrected(self, coefficients, scale=1):
        def product(a, b):
            return (a * b + (1 << 14)) >> 15

        total = np.full_like(self.F, coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = product(self.F, total) + c
            assert np.abs(total).max() < 1 << 15
        return product(product(self.F, 0x7FFF - self.F), total) * (256 // scale) / 2.0**23

    def test_power_of_two(self):
        f = (self.F + 0.5) / 2.0**15  # the bits below count in the straight line only
        actual = 1 + f + self.corrected(fixed_point.EXP2_CORRECTION, 2)
        assert np.abs(actual / 2**f - 1).max() < 2.0**-15.7

    def test_reciprocal(self):
        f = (self.F + 0.5) / 2.0**15
        actual = 2 - f + self.corrected(fixed_point.RECIPROCAL_CORRECTION)
        assert np.abs(actual * (1 + f) / 2 - 1).max() < 2.0**-13.3


class TestRoundedResults:
    """f32 functions whose results are only rounded to 16 bits are those of 16 bits."""

    BODY = "%v = arith.extf %a0 : {{f16}} to {{f32}}\n%e = math.exp %v : {{f32}}\n{rest}\n"

    def count(self, rest):
        return sum(arith_ops(run_pass(function_text(self.BODY.format(rest=rest), ["f16"], "f16"), PASS)).values())

    def test_any_other_use_wants_all_of_it(self):
        short = self.count("%r = arith.truncf %e : {f32} to {f16}")
        two = self.count("%q = arith.truncf %e : {f32} to {bf16}\n%r = arith.truncf %e : {f32} to {f16}")
        whole = self.count("%s = arith.addf %e, %v : {f32}\n%r = arith.truncf %s : {f32} to {f16}")
        assert short != whole
        assert two == whole

    @pytest.mark.parametrize("element", ["f16", "f32"])
    def test_fast_quotients(self, element):
        wide = "%n = arith.extf %a0 : {f16} to {f32}\n%d = arith.extf %a1 : {f16} to {f32}\n" \
               "%q = arith.divf %n, %d fastmath<afn> : {f32}\n%r = arith.truncf %q : {f32} to {f16}"
        body = wide if element == "f32" else "%r = arith.divf %a0, %a1 fastmath<afn> : {f16}"
        divisors = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
        divisors = divisors[np.isfinite(divisors) & (np.abs(divisors) > 1e-7)]
        run = compile_vector_function(function_text(body, ["f16", "f16"], "f16"), ["f16", "f16"], "f16", PASS)
        for numerator in (1, -3.14, 60000):
            n = np.full(len(divisors) + -len(divisors) % LANES, numerator, np.float16)
            d = np.concatenate([divisors, np.ones(-len(divisors) % LANES, np.float16)])
            actual = run(n, d)
            assert ulps(actual, n.astype(np.float64) / d, "f16").max() <= 0.7

    @pytest.mark.parametrize("level", ["", "fastmath<afn>"])
    @pytest.mark.parametrize(("op", "reference"), [("exp", np.exp), ("tanh", np.tanh)])
    def test_every_number(self, op, reference, level):
        body = f"%v = arith.extf %a0 : {{f16}} to {{f32}}\n%e = math.{op} %v {level} : {{f32}}\n" \
               "%r = arith.truncf %e : {f32} to {f16}"
        x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
        x = x[np.isfinite(x)] if level else x
        x = np.concatenate([x, np.ones(-len(x) % LANES, np.float16)])
        actual = compile_vector_function(function_text(body, ["f16"], "f16"), ["f16"], "f16", PASS)(x)
        assert ulps(actual, reference(x.astype(np.float64)), "f16").max() <= 0.66
