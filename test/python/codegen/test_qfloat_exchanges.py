"""Sums over lanes exchange qfloat values without a conversion, where sums alone read the result."""

import numpy as np
import pytest
from text_rewrites import exchanges_in_qfloat

from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module, emit
from hexagon_mlir.codegen.steps import AFTER_O3
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.sim import Machine

WORDS, PAIR = "<32 x i32>", "<64 x i32>"


def program(*ends):
    """The sums of a, b exchanged by 64 bytes; ``ends`` are lines that read %low, %high, %sum; %r is stored."""
    calls = {"vmpy.qf32.sf": (WORDS, (WORDS, WORDS)), "vconv.sf.qf32": (WORDS, (WORDS,)), "lo": (WORDS, (PAIR,)),
             "hi": (WORDS, (PAIR,)), "vshuffvdd": (PAIR, (WORDS, WORDS, "i32")), "vadd.sf": (WORDS, (WORDS, WORDS))}

    def call(result, name, *operands):
        type_, types = calls[name]
        arguments = ", ".join(f"{t} {o}" for t, o in zip(types, operands, strict=True))
        return f"  {result} = call {type_} @llvm.hexagon.V6.{name}.128B({arguments})"

    lines = [f"  %a = load {WORDS}, ptr %x, align 128", f"  %b = load {WORDS}, ptr %y, align 128",
             call("%p", "vmpy.qf32.sf", "%a", "%b"), call("%q", "vmpy.qf32.sf", "%b", "%b"),
             call("%c", "vconv.sf.qf32", "%p"), call("%d", "vconv.sf.qf32", "%q"),
             call("%pair", "vshuffvdd", "%c", "%d", "64"), call("%low", "lo", "%pair"), call("%high", "hi", "%pair"),
             call("%s", "vadd.sf", "%low", "%high"), call("%sum", "vconv.sf.qf32", "%s"), *ends,
             f"  store {WORDS} %r, ptr %out, align 128", "  ret void"]
    return "\n".join(["define void @f(ptr noalias %x, ptr noalias %y, ptr noalias %out) {", "entry:", *lines, "}", *(
        f"declare {type_} @llvm.hexagon.V6.{name}.128B({', '.join(types)})" for name, (type_, types) in calls.items())])


SUMMED = program(f"  %r = or {WORDS} %sum, zeroinitializer")


def run(text, left, right):
    machine = Machine(emit(text, targets.get("v75")).decode(), "v75")
    places = [machine.alloc_tcm(128) for _ in range(3)]
    machine.write(places[0], left.view(np.uint8))
    machine.write(places[1], right.view(np.uint8))
    machine.run("f", places)
    return machine.read(places[2], 128).view(np.float32)


def test_the_sum_is_of_qfloat_values():
    done = exchanges_in_qfloat(SUMMED)
    assert "vshuffvdd.128B(<32 x i32> %p, <32 x i32> %q, i32 64)" in done
    assert "%s = call <32 x i32> @llvm.hexagon.V6.vadd.qf32.128B(<32 x i32> %low, <32 x i32> %high)" in done


@pytest.mark.parametrize("other", ["%low", "%c"])
def test_other_readers_get_ieee_values(other):
    """A reader of the exchanged bits keeps the conversion before them; one of the converted value changes nothing."""
    text = program(f"  %r = xor {WORDS} %sum, {other}")
    assert (exchanges_in_qfloat(text) == text) == (other == "%low")


def test_a_chip_with_hidden_bits_keeps_the_conversions():
    step = next(step for step in AFTER_O3 if step.name == "qfloat-exchanges")

    class Extended:
        features, spills_lose = "+hvxv79,+hvx-qfloat", True

    assert not step.when(Extended())


@pytest.mark.parametrize("depth", [32, 100, 256])
@pytest.mark.parametrize("element", ["f32", "f16"])
def test_rows_times_rows(element, depth):
    """Values as with conversions: sums of products that cancel, zeros, ragged rows and columns."""
    rows, columns = 2, 70
    types = [f"tensor<{a}x{b}x{e}>" for a, b, e in ((rows, depth, element), (columns, depth, element),
                                                    (rows, columns, "f32"))]
    wide = "" if element == "f32" else "%a = arith.extf %l : f16 to f32\n%b = arith.extf %r : f16 to f32\n"
    names = ("%l", "%r") if element == "f32" else ("%a", "%b")
    source = f"""func.func @f(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : {types[2]}
      %start = linalg.fill ins(%zero : f32) outs(%empty : {types[2]}) -> {types[2]}
      %0 = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
          affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}}
          ins(%x, %y : {types[0]}, {types[1]}) outs(%start : {types[2]}) {{
      ^bb0(%l: {element}, %r: {element}, %old: f32):
        {wide}
        %p = arith.mulf {names[0]}, {names[1]} : f32
        %s = arith.addf %old, %p : f32
        linalg.yield %s : f32
      }} -> {types[2]}
      return %0 : {types[2]}
    }}"""
    rng = np.random.default_rng(depth)
    dtype = np.float32 if element == "f32" else np.float16
    x, y = (rng.normal(0, 3, (count, depth)).astype(dtype) for count in (rows, columns))
    y[5] = 0
    half = depth // 2
    x[:, half:2 * half] = x[:, :half]
    y[7, half:2 * half] = -y[7, :half]  # its sum is that of the last number, or zero
    result = np.zeros((rows, columns), np.float32)
    launch(compile_module(parse(source, file="rows.mlir"), "v75").asm, "f", [x, y, result], None, target="v75")
    exact = x.astype(np.float64) @ y.astype(np.float64).T
    size = np.abs(x.astype(np.float64)) @ np.abs(y.astype(np.float64)).T
    assert np.all(np.abs(result - exact) <= 1e-6 * size + 1e-37)
