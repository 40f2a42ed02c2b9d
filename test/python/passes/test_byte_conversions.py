"""Products of bytes that the matrix engine converts to bytes: every shape on the host and as Hexagon code."""

from __future__ import annotations

import numpy as np
import pytest
from batch import after, on_host
from linalg_programs import Program

from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.dialects.byte_conversions import BIAS, SUM, WORD, conversion_text, low_word
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.sim.reference.matrix_bytes import IntegerBias, IntegerOptions, to_bytes

pytestmark = pytest.mark.only_values

ALWAYS = PassStep(registry.get("hexagon-matrix-engine")(always=True))
SHAPES = [(64, 200, 96), (65, 129, 31), (130, 40, 290), (9, 256, 128), (200, 70, 130)]
END = {"": "linalg.yield %byte : i8", "flipped": """%z = arith.xori %byte, %sign : i8
            linalg.yield %z : i8""", "wide": """%u = arith.extui %byte : i8 to i32
            %z = arith.addi %u, %r : i32
            linalg.yield %z : i32"""}


def converted(sums, words, biases):
    """What ``cvt.ub`` stores, by the simulator's second implementation."""
    bias = IntegerBias(words.astype(np.int64) & 0xFFFFFFFF, biases.astype(np.int64) & 0xFFFFFFFF)
    return (to_bytes(sums.astype(np.int64), bias, IntegerOptions(wrap=False, sticky=True)) >> 4).astype(np.uint8)


def product(name, sizes, end="", start=False, left=np.int8):
    """Sums of m x k by k x n, maybe from a row, that a table for each column converts; ``end`` uses the bytes."""
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k)
    a = rng.integers(*((0, 256) if left is np.uint8 else (-128, 128)), (m, k)).astype(left)
    b = rng.integers(-128, 128, (k, n)).astype(np.int8)
    a[0], b[:, 0] = (255 if left is np.uint8 else -128), -128
    v = rng.integers(-9999, 9999, n).astype(np.int32)
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + (v if start else 0)
    shifts = np.clip(np.log2(np.abs(exact).max(0) / 4000).astype(int), 1, 18)
    words = np.array([low_word(int(rng.integers(2048, 4096)), int(shift)) for shift in shifts], np.int32)
    biases = rng.integers(-3000, 60_000, n).astype(np.int32)
    r = rng.integers(-99, 99, (m, n)).astype(np.int32)
    found = converted(exact, words, biases)
    expected = {"": found.view(np.int8), "flipped": (found ^ 128).view(np.int8), "wide": found + r}[end]
    element = "i32" if end == "wide" else "i8"
    begin = (f"%i = linalg.broadcast ins(%v : tensor<{n}xi32>) outs(%e : tensor<{m}x{n}xi32>) dimensions = [0]"
             if start else f"%i = linalg.fill ins(%zero : i32) outs(%e : tensor<{m}x{n}xi32>) -> tensor<{m}x{n}xi32>")
    wide = end == "wide"
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xi8>, %b: tensor<{k}x{n}xi8>, %v: tensor<{n}xi32>, %w: tensor<{n}xi32>,
          %c: tensor<{n}xi32>, %t: tensor<{m}x{n}xi32>) -> tensor<{m}x{n}x{element}> {{
        %zero = arith.constant 0 : i32
        %sign = arith.constant -128 : i8
        %e = tensor.empty() : tensor<{m}x{n}xi32>
        {begin}
        %0 = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
            affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
            ins(%a, %b : tensor<{m}x{k}xi8>, tensor<{k}x{n}xi8>) outs(%i : tensor<{m}x{n}xi32>) {{
          ^bb0(%x: i8, %y: i8, %old: i32):
            %p = arith.{"extui" if left is np.uint8 else "extsi"} %x : i8 to i32
            %q = arith.extsi %y : i8 to i32
            %m = arith.muli %p, %q : i32
            %s = arith.addi %old, %m : i32
            linalg.yield %s : i32
        }} -> tensor<{m}x{n}xi32>
        %f = tensor.empty() : tensor<{m}x{n}x{element}>
        %1 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
            affine_map<(m, n) -> (n)>{", affine_map<(m, n) -> (m, n)>" * (1 + wide)}],
            iterator_types = ["parallel", "parallel"]}}
            ins(%0, %w, %c{", %t" * wide} : tensor<{m}x{n}xi32>, tensor<{n}xi32>,
                tensor<{n}xi32>{f", tensor<{m}x{n}xi32>" * wide}) outs(%f : tensor<{m}x{n}x{element}>) {{
          ^bb0(%given: i32, %word: i32, %bias: i32{", %r: i32" * wide}, %none: {element}):
{conversion_text({SUM: "%given", WORD: "%word", BIAS: "%bias"}, "%byte")}            {END[end]}
        }} -> tensor<{m}x{n}x{element}>
        return %1 : tensor<{m}x{n}x{element}>
      }}"""
    return Program(name, text, [a, b, v, words, biases, r], expected, dtype=expected.dtype)


def programs():
    found = [product(f"plain_{'_'.join(map(str, shape))}", shape) for shape in SHAPES]
    found += [product("unsigned", (64, 128, 64), left=np.uint8), product("started", (70, 150, 64), start=True),
              product("flipped", (64, 128, 96), "flipped", True), product("wide", (66, 129, 96), "wide")]
    return found


def test_on_the_host():
    found = programs()
    module, context = after("".join(program.text for program in found), [ALWAYS])
    assert not context.log.entries
    assert "linalg.index" not in to_text(module)  # no planes
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])
        assert len(np.unique(program.expected)) > 50


@pytest.mark.parametrize("target", ["v75", "v79"])
def test_on_the_simulator(target, sample):
    found = [program for program in programs() if target == "v75" or program.name in ("flipped", "wide")]
    on_v75 = "plain_65_129_31", "unsigned", "started", "wide"
    found = sample(found, on_v75 if target == "v75" else ["flipped"])
    steps = list(pipelines.get("default", targets.get(target)))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    module, _ = after("".join(one.text for one in found), [*steps[:place], ALWAYS, *steps[place + 1:]], target)
    asm = emit(translate_to_llvm_ir(module), targets.get(target))
    for program in found:
        result = program.place()
        run = launch(asm, program.name, [*program.arguments, result], None, target)
        program.check(result)
        assert run.matrix is not None and run.matrix.macs > 0, program.name


CHANGES = {
    "another limit": ("arith.constant 255", "arith.constant 254"),
    "another shift": ("arith.constant 16 ", "arith.constant 15 "),
    "no sticky bit": ("%value = arith.ori %doubled", "%value = arith.xori %doubled"),
    "a table for each row": ("affine_map<(m, n) -> (n)>", "affine_map<(m, n) -> (m)>"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_not_the_engines_conversion_stays_on_hvx(change):
    text = product("f", (64, 64, 64)).text
    assert CHANGES[change][0] in text
    module, _ = after(text.replace(*CHANGES[change]), [ALWAYS])
    assert "linalg.index" in to_text(module)  # the engine gives planes


def test_sums_of_any_size_on_hvx():
    """As the engine converts them: sums whose product with a scale has more than 32 bits, too."""
    shifts = np.arange(1, 19).repeat(2)
    words = np.array([low_word((2048, 4095)[number % 2], int(shift)) for number, shift in enumerate(shifts)], np.int32)
    biases = np.tile(np.array([0, -70_000], np.int32), 18)
    ends = [sign * (1 << places) + more for places in range(31) for sign in (-1, 1) for more in (-1, 0, 1)]
    sums = np.repeat(np.array(ends, np.int32)[:, None], len(words), 1)
    shape, columns = "x".join(map(str, sums.shape)), f"tensor<{len(words)}xi32>"
    same, column = "affine_map<(m, n) -> (m, n)>", "affine_map<(m, n) -> (n)>"
    text = f"""
      func.func @f(%s: tensor<{shape}xi32>, %w: {columns}, %c: {columns}) -> tensor<{shape}xi8> {{
        %e = tensor.empty() : tensor<{shape}xi8>
        %0 = linalg.generic {{indexing_maps = [{same}, {column}, {column}, {same}],
            iterator_types = ["parallel", "parallel"]}} ins(%s, %w, %c : tensor<{shape}xi32>, {columns}, {columns})
            outs(%e : tensor<{shape}xi8>) {{
          ^bb0(%given: i32, %word: i32, %bias: i32, %none: i8):
{conversion_text({SUM: "%given", WORD: "%word", BIAS: "%bias"}, "%byte")}            linalg.yield %byte : i8
        }} -> tensor<{shape}xi8>
        return %0 : tensor<{shape}xi8>
      }}"""
    expected = converted(sums, words, biases).view(np.int8)
    found = Program("f", text, [sums, words, biases], expected, dtype=np.int8)
    module, _ = after(text, list(pipelines.get("default", targets.get())))
    result = found.place()
    launch(emit(translate_to_llvm_ir(module), targets.get()), "f", [*found.arguments, result])
    found.check(result)
