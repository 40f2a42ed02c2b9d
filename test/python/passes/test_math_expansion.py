"""hexagon-math-expansion: every function against numpy in double precision, over the whole range and special values."""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
import torch
from hexagon_packets import hexagon_code, run_on_simulator
from host_vectors import LANES, NUMPY, arith_ops, compile_vector_function, function_text, run_pass, ulps

PASS = "hexagon-math-expansion"
SAMPLES = 1 << 18
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1e-45, -1e-45,
                    1.1754942e-38, -1.1754942e-38, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 8388607.5, -8388607.5,
                    8388608, 4194304.5, 0.49999997, 88.72283, 88.72284, -87.33654, 127.99999, 128, -126], np.float32)
SMALLEST_NORMAL = 2.0**-126


@dataclass(frozen=True)
class Function:
    """A maths function: reference in float64, measured bounds in ulp, arithmetic operations, a range to sample."""

    reference: object
    max_ulp: float
    ops: int
    low: float
    high: float
    flushes: bool = False
    whole_range: bool = True


def torch_erf(x):
    return torch.erf(torch.from_numpy(x)).numpy()


def round_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


FUNCTIONS = {
    "exp": Function(np.exp, 1.0, 28, -90, 90, flushes=True),
    "exp2": Function(np.exp2, 1.1, 24, -130, 130, flushes=True),
    "expm1": Function(np.expm1, 1.7, 32, -20, 90),
    "log": Function(np.log, 1.2, 40, 0.4, 2.5),
    "log2": Function(np.log2, 1.4, 45, 0.4, 2.5),
    "log10": Function(np.log10, 1.3, 48, 0.4, 2.5),
    "log1p": Function(np.log1p, 1.8, 50, -1, 3),
    "tanh": Function(np.tanh, 2.0, 46, -10, 10),
    "erf": Function(torch_erf, 1.7, 45, -4, 4),
    "sqrt": Function(np.sqrt, 0.9, 27, 0, 100),
    "rsqrt": Function(lambda x: 1 / np.sqrt(x), 1.3, 27, 0, 100),
    "sin": Function(np.sin, 2.0, 40, -51000, 51000, whole_range=False),
    "cos": Function(np.cos, 2.0, 41, -51000, 51000, whole_range=False),
    "floor": Function(np.floor, 0, 10, -1e3, 1e3),
    "ceil": Function(np.ceil, 0, 11, -1e3, 1e3),
    "trunc": Function(np.trunc, 0, 10, -1e3, 1e3),
    "round": Function(round_away, 0, 11, -1e3, 1e3),
    "roundeven": Function(np.rint, 0, 7, -1e3, 1e3),
    "absf": Function(np.abs, 0, 1, -1e3, 1e3),
}


def text_of(name, element="f32", operands=1, lanes=LANES):
    op = "arith.divf" if name == "divf" else f"math.{name}"
    arguments = ", ".join(f"%a{i}" for i in range(operands))
    return function_text(f"%r = {op} {arguments} : {{{element}}}", [element] * operands, element, lanes)


@cache
def compiled(name, element="f32", operands=1):
    # The host has no bf16 conversions either.
    passes = (PASS, "hexagon-arith-legalization") if element == "bf16" else (PASS,)
    return compile_vector_function(text_of(name, element, operands), [element] * operands, element, *passes)


def random_bits(count, seed=0):
    return np.random.default_rng(seed).integers(0, 2**32, count, dtype=np.uint32).view(np.float32)


def uniform(low, high, seed=1):
    return np.random.default_rng(seed).uniform(low, high, SAMPLES).astype(np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
class TestF32:
    def test_accuracy(self, name):
        function = FUNCTIONS[name]
        x = np.concatenate([uniform(function.low, function.high), uniform(-1, 1, seed=2), uniform(-30, 30, seed=3),
                            *([random_bits(SAMPLES)] if function.whole_range else [])])
        expected = function.reference(x.astype(np.float64))
        if function.flushes:
            expected = np.where(np.abs(expected) < SMALLEST_NORMAL, 0.0, expected)
        error = ulps(compiled(name)(x), expected)
        worst = int(np.argmax(error))
        assert error[worst] <= function.max_ulp, f"{error[worst]:.3f} ulp at {x[worst]!r}"

    def test_special_values(self, name):
        function = FUNCTIONS[name]
        x = SPECIAL
        if name in ("sin", "cos"):
            x = np.where(np.abs(x) > 1e4, np.float32(np.inf), x)
        actual = compiled(name)(x)
        expected = function.reference(x.astype(np.float64))
        if function.flushes:
            expected = np.where(np.abs(expected) < SMALLEST_NORMAL, 0.0, expected)
        error = ulps(actual, expected)
        bad = error > max(function.max_ulp, 1)
        assert not bad.any(), list(zip(x[bad], actual[bad], expected[bad], strict=True))
        # The sign of zero; sin(-0) is +0, as documented.
        zero = (actual == 0) & (expected == 0) & ~((name == "sin") & (x == 0))
        assert np.array_equal(np.signbit(actual[zero]), np.signbit(expected[zero])), x[zero]

    def test_operation_count(self, name):
        counts = arith_ops(run_pass(text_of(name), PASS))
        assert sum(counts.values()) == FUNCTIONS[name].ops
        assert not any(op.startswith("math.") for op in counts)
        assert not {"arith.divf", "arith.fptosi", "arith.sitofp"} & set(counts)


@pytest.mark.parametrize("element", ["f16", "bf16"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_every_16_bit_value(name, element):
    """All 65,536 inputs; f32 arithmetic leaves the rounding to 16 bits (half an ulp), rarely a hair more."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    x = bits.view(NUMPY[element])
    wide = x.astype(np.float64)
    if name in ("sin", "cos"):
        x = np.where(np.abs(wide) > 51000, NUMPY[element](1), x)
        wide = x.astype(np.float64)
    expected = FUNCTIONS[name].reference(wide)
    if FUNCTIONS[name].flushes:
        expected = np.where(np.abs(expected) < SMALLEST_NORMAL, 0.0, expected)
    error = ulps(compiled(name, element)(x), expected, element)
    worst = int(np.argmax(error))
    assert error[worst] <= 0.51, f"{error[worst]:.4f} ulp at {x[worst]!r}: {expected[worst]}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
class TestDivision:
    def quotient_ulps(self, a, b, element="f32"):
        actual = compiled("divf", element, 2)(a, b)
        return ulps(actual, a.astype(np.float64) / b.astype(np.float64), element), actual

    def test_random_bits(self):
        error, _ = self.quotient_ulps(random_bits(1 << 20, 4), random_bits(1 << 20, 5))
        assert error.max() <= 2.1

    def test_moderate_numbers_of_both_signs(self):
        error, _ = self.quotient_ulps(uniform(-10, 10, 6), uniform(-10, 10, 7))
        assert error.max() <= 2.0

    def test_every_pair_of_special_values(self):
        values = np.concatenate([SPECIAL, np.float32([2.0**126, 2.0**127, -(2.0**125), 1e-40, -3e-44])])
        a, b = (v.ravel() for v in np.meshgrid(values, values))
        padding = np.ones(-len(a) % LANES, np.float32)
        a, b = np.concatenate([a, padding]), np.concatenate([b, padding])
        error, actual = self.quotient_ulps(a, b)
        assert error.max() <= 2.0, [(a[i], b[i], actual[i]) for i in np.flatnonzero(error > 2)]
        expected = a / b
        zero = expected == 0
        assert np.array_equal(np.signbit(actual[zero]), np.signbit(expected[zero]))

    @pytest.mark.parametrize("element", ["f16", "bf16"])
    def test_16_bits(self, element):
        a, b = (random_bits(1 << 20, seed).view(NUMPY[element])[: 1 << 20] for seed in (8, 9))
        error, _ = self.quotient_ulps(a, b, element)
        assert error.max() <= 0.51

    def test_operation_count(self):
        counts = arith_ops(run_pass(text_of("divf", operands=2), PASS))
        assert sum(counts.values()) == 22


POWERS = {2: (0.5, 1), 3: (1.5, 2), 4: (2.0, 2), -1: (2.0, 21), -2: (3.0, 22), 0.5: (0.9, 27), -0.5: (1.3, 27),
          1: (0, 0), 0: (0, 0)}


def power_text(exponent, element="f32"):
    constant = f"dense<{float(exponent)}> : {{{element}}}"
    return function_text(f"%e = arith.constant {constant}\n%r = math.powf %a0, %e : {{{element}}}", [element], element)


@pytest.mark.parametrize("exponent", POWERS)
def test_power_with_a_constant_exponent(exponent):
    limit, ops = POWERS[exponent]
    assert sum(arith_ops(run_pass(power_text(exponent), PASS)).values()) == ops
    x = np.abs(uniform(-30, 30, 15)) if exponent != int(exponent) else uniform(-30, 30, 15)
    actual = compile_vector_function(power_text(exponent), ["f32"], "f32", PASS)(x)
    assert ulps(actual, x.astype(np.float64) ** exponent).max() <= limit


def test_power_with_a_constant_exponent_in_half_precision():
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
    with np.errstate(all="ignore"):
        expected = SPECIAL.astype(np.float64) / np.float64(number)
    assert ulps(compile_vector_function(text, ["f32"], "f32", PASS)(SPECIAL), expected).max() <= 2


def test_copysign_takes_every_sign_and_magnitude():
    a, b = random_bits(1 << 16, 10), random_bits(1 << 16, 11)
    actual = compiled("copysign", operands=2)(a, b)
    assert np.array_equal(actual.view(np.uint32), np.copysign(a, b).view(np.uint32))


def test_fma_is_a_product_and_a_sum():
    a, b, c = uniform(-4, 4, 12), uniform(-4, 4, 13), uniform(-4, 4, 14)
    assert np.array_equal(compiled("fma", operands=3)(a, b, c), a * b + c)


def test_large_angles_are_nan_not_wrong():
    x = np.full(LANES, 2.0**22, np.float32)
    assert np.isnan(compiled("sin")(x)).all()
    assert np.isnan(compiled("cos")(-x)).all()


@pytest.mark.parametrize("lanes", [None, 32, "4x32", 7])
def test_any_shape(lanes):
    module = run_pass(text_of("exp", lanes=lanes), PASS)
    assert "math.exp" not in str(module)
    assert sum(arith_ops(module).values()) == FUNCTIONS["exp"].ops


@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("name", [*FUNCTIONS, "divf"])
def test_no_call_in_hexagon_code(name, target):
    operands = 2 if name == "divf" else 1
    code = hexagon_code(text_of(name, operands=operands), ["f32"] * operands, "f32", PASS, target=target)
    assert code.calls == ()
    ops = 22 if name == "divf" else FUNCTIONS[name].ops
    assert code.packets <= 1.7 * ops + 8


@pytest.mark.parametrize("target", ["v75", "v79"])
@pytest.mark.parametrize("name", [*FUNCTIONS, "divf"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_hexagon_code_computes_what_the_host_does(name, target):
    """Bit for bit but for NaN: what LLVM makes of the formulas keeps their meaning, special values included."""
    operands = 2 if name == "divf" else 1
    x = np.concatenate([SPECIAL, random_bits(2048, 20), uniform(-20, 20, 21)[:1024]])
    inputs = [x, np.concatenate([random_bits(1024, 22), x[7:-1024], x[:7]])][:operands]
    text = text_of(name, operands=operands)
    actual = run_on_simulator(text, ["f32"] * operands, "f32", PASS, arrays=inputs, target=target)
    expected = compiled(name, "f32", operands)(*inputs)
    same = (actual.view(np.uint32) == expected.view(np.uint32)) | (np.isnan(actual) & np.isnan(expected))
    assert same.all(), [tuple(v[~same][0] for v in inputs), actual[~same][0], expected[~same][0]]


def test_gelu_is_short():
    body = f"""%h = arith.constant dense<0.5> : {{f32}}
      %one = arith.constant dense<1.0> : {{f32}}
      %s = arith.constant dense<{math.sqrt(0.5)}> : {{f32}}
      %0 = arith.mulf %a0, %s : {{f32}}
      %1 = math.erf %0 : {{f32}}
      %2 = arith.addf %1, %one : {{f32}}
      %3 = arith.mulf %a0, %h : {{f32}}
      %r = arith.mulf %3, %2 : {{f32}}"""
    assert sum(arith_ops(run_pass(function_text(body, ["f32"], "f32"), PASS)).values()) == 49


def test_coefficients_are_exact_f32():
    from hexagon_mlir.passes.math_library import coefficients

    tables = {k: v for k, v in vars(coefficients).items() if isinstance(v, tuple)}
    assert len(tables) >= 8
    for name, table in tables.items():
        assert all(float(np.float32(c)) == c for c in table), name


