"""f32 vectors to f16: in memory order, whichever lanes the conversion takes from which operand; zeros, ends, ties."""

from dataclasses import replace

import numpy as np
import pytest
from text_rewrites import narrowings_as_instructions

import hexagon_mlir as hx
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.ir import parse
from hexagon_mlir.settings import Settings
from hexagon_mlir.sim import Arithmetic, Machine
from hexagon_mlir.targets import Disputed, get
from hexagon_mlir.targets.disputed import NarrowingOrder

LANES = (32, 40, 64, 96, 128, 200)
KERNEL = """
func.func @halves(%x: tensor<1000xf32>) -> tensor<1000xf16> {
  %empty = tensor.empty() : tensor<1000xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<1000xf32>) outs(%empty : tensor<1000xf16>) {
  ^bb0(%a: f32, %o: f16):
    %b = arith.mulf %a, %a : f32
    %h = arith.truncf %b : f32 to f16
    linalg.yield %h : f16
  } -> tensor<1000xf16>
  return %r : tensor<1000xf16>
}
"""


def chip(order):
    return replace(get("v79"), disputed=Disputed(narrowing_order=order))


def function(lanes, convert, element):
    return f"""define void @f{lanes}(ptr %p, ptr %o) {{
  %x = load <{lanes} x {element}>, ptr %p, align 128
  %h = {convert} <{lanes} x {element}> %x to <{lanes} x half>
  store <{lanes} x half> %h, ptr %o, align 128
  ret void
}}
"""


@pytest.mark.parametrize("order", NarrowingOrder)
@pytest.mark.parametrize("convert", ["fptrunc", "sitofp"])
def test_vectors(order, convert):
    """What LLVM meets as whole vectors, of every length; the code of one opinion is wrong on a chip of the other."""
    element = "float" if convert == "fptrunc" else "i32"
    text = emit("".join(function(lanes, convert, element) for lanes in LANES), chip(order), pipeline="scalar")
    x = np.arange(200, dtype=np.float32 if convert == "fptrunc" else np.int32)
    for truth in NarrowingOrder:
        machine = Machine(text, chip(truth), arithmetic=Arithmetic.CHIP)
        source, result = machine.alloc_ddr(1024), machine.alloc_ddr(1024)
        machine.write(source, x)
        for lanes in LANES:
            machine.run(f"f{lanes}", [source, result])
            same = machine.read(result, np.float16, lanes) == x[:lanes].astype(np.float16)
            assert same.all() == (truth is order or lanes == 32), lanes  # 32 lanes are both operands


@pytest.mark.parametrize("order", NarrowingOrder)
@pytest.mark.parametrize("pipeline", ["default", "scalar", "auto-vectorized"])
def test_kernel(order, pipeline):
    target = chip(order)
    machine = Machine(compile_module(parse(KERNEL), target, pipeline, settings=Settings()).asm, target,
                      arithmetic=Arithmetic.CHIP)
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    source, result = machine.alloc_ddr(4096), machine.alloc_ddr(4096)
    machine.write(source, x)
    machine.run("halves", [source, result])
    np.testing.assert_array_equal(machine.read(result, np.float16, 1000), (x * x).astype(np.float16))


def test_short_vectors_and_other_text_stay():
    text = function(16, "fptrunc", "float") + function(64, "fptrunc", "double")
    assert narrowings_as_instructions(text, NarrowingOrder.FIRST_EVEN) == text


ENDS = [0.0, 2.0**-26, 2.0**-24, 65504, 65519, 65520, 65536, 1e6, np.finfo(np.float32).max, np.inf]
"""f32 numbers; what comes out is the nearest f16 number, with the sign of what goes in."""


def narrowed(x, target):
    kernel = hx.compile(KERNEL.replace("truncf %b", "truncf %a"), target=target)
    return kernel.run(np.resize(x, 1000)).outputs[0][:len(x)]


@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
def test_zeros_and_ends(target):
    x = np.array([*ENDS, *(-x for x in ENDS), np.nan], np.float32)
    found = narrowed(x, target)
    with np.errstate(over="ignore"):
        want = x.astype(np.float16)
    np.testing.assert_array_equal(found, want)
    assert (np.signbit(found) == np.signbit(want))[~np.isnan(x)].all()


@pytest.mark.parametrize(("target", "to_even"), [("v75", False), ("v79", True)])
def test_ties(target, to_even):
    """Legacy qfloat writes no even significand: an exact tie is none any more, and both signs go away from zero."""
    odd = np.arange(2049, 2113, 2, dtype=np.float32)  # between two f16 numbers each
    found = narrowed(np.concatenate([odd, -odd]), target).astype(np.float32)
    want = odd.astype(np.float16).astype(np.float32) if to_even else odd + 1
    assert found.tolist() == [*want, *-want]
