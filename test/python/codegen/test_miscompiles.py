"""Known faults of LLVM 22 for Hexagon, each met by a small kernel: the default pipeline must give the right values,
and the assembly must not show the signs of scalarised or miscompiled code."""

import re

import numpy as np
import pytest
from batch import on_simulator

from hexagon_mlir import targets
from hexagon_mlir.codegen.backend import optimize_and_emit
from hexagon_mlir.sim import Machine

N = 70  # two vectors of 32 lanes and a masked tail
EDGES = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 3e38, -3e38, 1e-40, 2.5], np.float32)
LIBRARY = re.compile(r"call (\w*(?:expf?|logf|fmaxf?|fminf?|sqrtf|roundevenf|floorf|powf|__hexagon_divs?f?\w*))\b")


def kernel(body: str, element: str = "f32", result: str = "f32", inputs: int = 2) -> str:
    names = [f"%x{i}" for i in range(inputs)]
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (inputs + 1))
    given = ", ".join([f"tensor<{N}x{element}>"] * inputs)
    return (f"func.func @f({', '.join(f'{n}: tensor<{N}x{element}>' for n in names)}) -> tensor<{N}x{result}> {{\n"
            f"  %e = tensor.empty() : tensor<{N}x{result}>\n"
            f"  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [\"parallel\"]}}\n"
            f"    ins({', '.join(names)} : {given}) outs(%e : tensor<{N}x{result}>) {{\n"
            f"    ^bb0({', '.join(f'%a{i}: {element}' for i in range(inputs))}, %o: {result}):\n{body}\n"
            f"      linalg.yield %v : {result}\n  }} -> tensor<{N}x{result}>\n  return %r : tensor<{N}x{result}>\n}}\n")


def run(text: str, arguments: list[np.ndarray], dtype) -> np.ndarray:
    call, asm = on_simulator(text)
    assert LIBRARY.search(asm) is None, f"per-lane call: {LIBRARY.search(asm)}"
    assert not re.search(r"= and\(r30,#-128\)", asm), "frame realigned through the frame pointer (llvm #184531)"
    result = np.full(N, 99, dtype)
    call("f", [*[a.copy() for a in arguments], result])
    return result


def pairs() -> list[np.ndarray]:
    x, y = np.meshgrid(EDGES, EDGES)
    return [np.resize(x.ravel()[::2], N).astype(np.float32), np.resize(y.ravel()[::2], N).astype(np.float32)]


COMPARES = {"oeq": np.equal, "une": np.not_equal, "ogt": np.greater, "oge": np.greater_equal, "olt": np.less,
            "ole": np.less_equal}


@pytest.mark.parametrize("predicate", [*COMPARES, "uno", "ord", "ult", "ugt", "ueq", "one"])
def test_compares_with_nan_and_signed_zero(predicate):
    x, y = pairs()
    unordered = np.isnan(x) | np.isnan(y)
    expected = {"uno": unordered, "ord": ~unordered, "ult": unordered | (x < y), "ugt": unordered | (x > y),
                "ueq": unordered | (x == y), "one": ~unordered & (x != y)}.get(predicate)
    if expected is None:
        expected = COMPARES[predicate](x, y)
    body = (f"      %c = arith.cmpf {predicate}, %a0, %a1 : f32\n      %v = arith.extui %c : i1 to i32")
    np.testing.assert_array_equal(run(kernel(body, result="i32"), [x, y], np.int32), expected.astype(np.int32))


@pytest.mark.parametrize("type_", ["f32", "f16"])
def test_equality_with_the_own_magnitude(type_):
    """LLVM makes a comparison with 0.0 of it, and of that one of bits: -0.0 equals |-0.0| all the same."""
    x = np.resize(EDGES[:8], N).astype(np.float32 if type_ == "f32" else np.float16)
    body = (f"      %m = math.absf %a0 : {type_}\n      %c = arith.cmpf oeq, %a0, %m : {type_}\n"
            "      %v = arith.extui %c : i1 to i32")
    expected = (x == np.abs(x)).astype(np.int32)
    np.testing.assert_array_equal(run(kernel(body, type_, "i32", 1), [x], np.int32), expected)


@pytest.mark.parametrize("target", ["v75", "v79"])
def test_every_small_integer_as_f16(target):
    """LLVM loses the carry of 8190 into the exponent on v75, and leaves even and odd bytes apart on v79."""
    numbers = {"i8": np.arange(-128, 128).astype(np.int8), "i16": np.arange(-32768, 32768).astype(np.int16)}
    call, _ = on_simulator("".join(
        f"func.func @{op}_{type_}(%x: tensor<{x.size}x{type_}>) -> tensor<{x.size}xf16> {{\n"
        f"  %0 = arith.{op} %x : tensor<{x.size}x{type_}> to tensor<{x.size}xf16>\n"
        f"  return %0 : tensor<{x.size}xf16>\n}}\n"
        for op in ("sitofp", "uitofp") for type_, x in numbers.items()), target=target)
    for op in ("sitofp", "uitofp"):
        for type_, x in numbers.items():
            result = np.full(x.size, 99, np.float16)
            call(f"{op}_{type_}", [x, result])
            wanted = x if op == "sitofp" else x.view(f"u{x.dtype.name}")
            with np.errstate(over="ignore"):  # 65535
                np.testing.assert_array_equal(result, wanted.astype(np.float16))


@pytest.mark.parametrize("form", ["odd", "truncated"])
@pytest.mark.parametrize("type_", ["i8", "i16", "i32", "i64"])
def test_the_lowest_bit_chooses_whole_lanes(type_, form):
    """LLVM makes a truncation to i1 of it, and of that a test of every byte of a lane."""
    info = np.iinfo(f"int{type_[1:]}")
    x = np.resize(np.array([0, 1, -1, 2, -2, 85, -86, info.max, info.min, info.min + 1, info.max - 1], info.dtype), N)
    y = np.resize(np.array([-1, 0, 1, 127, -128, 2, info.min, info.max], info.dtype), N)
    odd = {"odd": f"      %one = arith.constant 1 : {type_}\n      %zero = arith.constant 0 : {type_}\n"
                  f"      %b = arith.andi %a0, %one : {type_}\n      %c = arith.cmpi ne, %b, %zero : {type_}\n",
           "truncated": f"      %c = arith.trunci %a0 : {type_} to i1\n"}[form]
    body = (odd + f"      %g = arith.cmpi sgt, %a0, %a1 : {type_}\n      %d = arith.xori %c, %g : i1\n"
            f"      %v = arith.select %d, %a0, %a1 : {type_}")
    got = run(kernel(body, type_, type_), [x, y], info.dtype)
    np.testing.assert_array_equal(got, np.where((x % 2 != 0) ^ (x > y), x, y))


@pytest.mark.parametrize(("op", "reference"), [("maximumf", np.maximum), ("minimumf", np.minimum),
                                               ("maxnumf", np.fmax), ("minnumf", np.fmin)])
def test_extremes_with_nan(op, reference):
    x, y = pairs()
    got = run(kernel(f"      %v = arith.{op} %a0, %a1 : f32"), [x, y], np.float32)
    np.testing.assert_array_equal(got, reference(x, y))


def test_division_keeps_extreme_exponents():
    x = np.resize(np.array([-3e38, 3e38, 1.0, 7.0, -1.0, 1e30, 6.0], np.float32), N)
    y = np.resize(np.array([1.0, -2.0, 3.0, 7.0, 0.5, 1e-5, 1e30, 2.0, -9.0], np.float32), N)
    got = run(kernel("      %v = arith.divf %a0, %a1 : f32"), [x, y], np.float32)
    np.testing.assert_allclose(got, x / y, rtol=3e-7)


def test_integers_to_floats_and_back():
    x = np.resize(np.array([0, 1, -1, 2**24 + 1, -(2**31), 2**31 - 1, 12345], np.int32), N)
    got = run(kernel("      %v = arith.sitofp %a0 : i32 to f32", "i32", inputs=1), [x], np.float32)
    np.testing.assert_array_equal(got, x.astype(np.float32))
    f = np.resize(np.array([0.9, -0.9, 2.5, -2.5, 1e6, -1e6, 16777216.0], np.float32), N)
    got = run(kernel("      %v = arith.fptosi %a0 : f32 to i32", result="i32", inputs=1), [f], np.int32)
    np.testing.assert_array_equal(got, np.trunc(f).astype(np.int32))


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "floor", "roundeven"])
def test_functions_are_not_called_lane_by_lane(name):
    x = np.linspace(0.1, 9.5, N, dtype=np.float32)
    reference = {"roundeven": np.rint}.get(name) or getattr(np, name)
    got = run(kernel(f"      %v = math.{name} %a0 : f32", inputs=1), [x], np.float32)
    np.testing.assert_allclose(got, reference(x.astype(np.float64)), rtol=1e-6, atol=1e-6)


def test_integer_division():
    x = np.resize(np.array([7, -7, 100, -(2**31), 2**31 - 1, 0], np.int32), N)
    y = np.resize(np.array([2, 3, -5, 7, -9], np.int32), N)
    got = run(kernel("      %v = arith.divsi %a0, %a1 : i32", "i32", "i32"), [x, y], np.int32)
    np.testing.assert_array_equal(got, np.trunc(x.astype(np.float64) / y).astype(np.int32))


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("n", [1, 31, 33, 65])
def test_a_tail_writes_nothing_behind_the_end(n):
    text = (f"func.func @f(%x: memref<{n}xf32>, %y: memref<{n}xf32>) {{\n"
            f"  linalg.mul ins(%x, %x : memref<{n}xf32>, memref<{n}xf32>) outs(%y : memref<{n}xf32>)\n  return\n}}\n")
    call, _ = on_simulator(text)
    whole = np.full(n + 64, 7, np.float32)
    x = np.arange(n, dtype=np.float32)
    call("f", [x, whole[:n]])
    np.testing.assert_array_equal(whole, np.concatenate([x * x, np.full(64, 7, np.float32)]))


@pytest.mark.parametrize(("lanes", "element"), [(16, "i32"), (32, "i32"), (128, "i32"), (64, "i16"), (256, "i8")])
def test_selects_between_masks_that_llvm_makes(lanes, element):
    """"Cannot select": the backend has no form for them; what is not chosen may be poison."""
    chip, dtype = targets.get("v75"), np.dtype(f"int{element[1:]}")
    type_ = f"<{lanes} x {element}>"
    machine = Machine(optimize_and_emit(f"""define void @f(ptr align 128 %p, ptr align 128 %q, ptr align 128 %out) {{
  %x = load {type_}, ptr %p, align 128
  %y = load {type_}, ptr %q, align 128
  %a = icmp sgt {type_} %x, %y
  %b = icmp eq {type_} %x, splat ({element} 7)
  %c = icmp slt {type_} %y, splat ({element} 9)
  %m = select <{lanes} x i1> %a, <{lanes} x i1> %b, <{lanes} x i1> %c
  %r = select <{lanes} x i1> %m, {type_} %x, {type_} %y
  store {type_} %r, ptr %out, align 128
  ret void
}}""", chip.cpu, chip.features, "asm").decode())
    rng = np.random.default_rng(lanes)
    x, y = (rng.integers(5, 12, lanes).astype(dtype) for _ in range(2))
    places = [machine.alloc_ddr(max(x.nbytes, 128)) for _ in range(3)]
    machine.write(places[0], x)
    machine.write(places[1], y)
    machine.run("f", places)
    np.testing.assert_array_equal(machine.read(places[2], dtype, lanes), np.where(np.where(x > y, x == 7, y < 9), x, y))
