"""Programs with integers of 4 bits: constants that become tiles of the engine, arguments with two in a byte."""

import numpy as np
import pytest
from batch import after, on_host, on_simulator
from linalg_programs import Program

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.codegen.artifacts.weights import LEAST_BYTES
from hexagon_mlir.codegen.emission import emit
from hexagon_mlir.codegen.translate import translate_to_llvm_ir
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry
from hexagon_mlir.passes.matrix_engine.constant_weights import estimated_cycles

pytestmark = pytest.mark.only_values

SHAPES = [(3, 45, 7), (65, 31, 129), (64, 96, 200), (70, 300, 150)]
"""Rows, steps and columns."""
SMALL = 1_000_000
"""Bytes of TCM in which the largest products of `given` are several blocks."""


def product(name: str, sizes: tuple[int, int, int], left: type, low: int = -8, given: bool = False,
            extended: bool = False) -> Program:
    """Weights from ``low`` to -``low`` - 1, the least ones in a column, the largest ones in another; all 255, or both
    limits, in rows of the left factor. ``given``: they are an argument, ``extended`` before the product."""
    m, k, n = sizes
    rng = np.random.default_rng(m + n + k)
    limits = np.iinfo(left)
    a = rng.integers(limits.min, limits.max + 1, (m, k)).astype(left)
    b = rng.integers(low, -low, (k, n)).astype(np.int8)
    a[0], a[-1], b[:, 0], b[:, -1] = limits.min, limits.max, low, -low - 1
    element = "i4" if low == -8 else "i8"
    weight = f"tensor<{k}x{n}x{element}>"
    factor, kind = ("%e", "i8") if extended else ("%w", element)
    text = f"""
      func.func @{name}(%a: tensor<{m}x{k}xi8>{f', %w: {weight}' if given else ''}) -> tensor<{m}x{n}xi32> {{
        {"" if given else f"%w = arith.constant dense<{b.tolist()}> : {weight}"}
        {f"%e = arith.extsi %w : {weight} to tensor<{k}x{n}xi8>" if extended else ""}
        %zero = arith.constant 0 : i32
        %i = tensor.empty() : tensor<{m}x{n}xi32>
        %f = linalg.fill ins(%zero : i32) outs(%i : tensor<{m}x{n}xi32>) -> tensor<{m}x{n}xi32>
        %0 = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
            affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
            ins(%a, {factor} : tensor<{m}x{k}xi8>, tensor<{k}x{n}x{kind}>) outs(%f : tensor<{m}x{n}xi32>) {{
          ^bb0(%x: i8, %y: {kind}, %old: i32):
            %p = arith.{'extsi' if left == np.int8 else 'extui'} %x : i8 to i32
            %q = arith.extsi %y : {kind} to i32
            %m = arith.muli %p, %q : i32
            %u = arith.addi %old, %m : i32
            linalg.yield %u : i32
        }} -> tensor<{m}x{n}xi32>
        return %0 : tensor<{m}x{n}xi32>
      }}"""
    arguments = [a, (b[:, ::2] & 15) | (b[:, 1::2] << 4)] if given else [a]
    exact = a.astype(np.int64) @ b.astype(np.int64)
    return Program(name, text, arguments, exact.astype(np.int32), dtype=np.dtype(np.int32))


def programs() -> list[Program]:
    return [*(product(f"signed_{'_'.join(map(str, shape))}", shape, np.int8) for shape in SHAPES),
            *(product(f"unsigned_{'_'.join(map(str, shape))}", shape, np.uint8, extended=True) for shape in SHAPES[2:]),
            product("bytes", (65, 70, 40), np.int8, low=-128)]


def test_on_the_host():
    """Where the engine multiplies the tiles, and where they are unpacked for HVX."""
    found = programs()
    text = "".join(program.text for program in found)
    packed = [PassStep(registry.get("widen-nibbles")()), PassStep(registry.get("pack-constant-weights")(always=True))]
    for engine in (True, False):
        module, _ = after(text, [*packed, PassStep(registry.get("hexagon-matrix-engine")(matrix_engine=engine))])
        call = on_host(module, [program.name for program in found])
        for program in found:
            program.check(call(program.name, program.arguments)[0])


def test_on_the_simulator():
    """As the compiler chooses: the larger ones on the engine, all of them right."""
    found = programs()
    _, asm = on_simulator("".join(program.text for program in found))
    on_engine = set()
    for program in found:
        result = program.place()
        run = launch(asm, program.name, [*program.arguments, result], None)
        program.check(result)
        on_engine |= {program.name} if run.matrix is not None and run.matrix.macs else set()
    assert "weight.n" in asm
    assert {"signed_70_300_150", "unsigned_70_300_150"} <= on_engine and "signed_3_45_7" not in on_engine


def given() -> list[Program]:
    shapes = [(3, 45, 6), (65, 31, 130), (64, 256, 200), (70, 300, 640)]
    return [*(product(f"signed_{'_'.join(map(str, shape))}", shape, np.int8, given=True) for shape in shapes),
            product("unsigned", (130, 100, 300), np.uint8, given=True, extended=True)]


@pytest.mark.parametrize(("tcm_bytes", "nibbles"), [(0, True), (SMALL, True), (SMALL // 2, False)])
def test_arguments_on_the_host(tcm_bytes, nibbles):
    """Columns of two weights in a byte to tiles of nibbles, in one block and in several; in loops they are bytes."""
    found = given()
    module, _ = after("".join(program.text for program in found), [
        PassStep(registry.get("widen-nibbles")()),
        PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=tcm_bytes))])
    products = to_text(module).count(", tensor<2xi8>)")
    assert products > len(found) if nibbles else products < len(found)
    call = on_host(module, [program.name for program in found])
    for program in found:
        program.check(call(program.name, program.arguments)[0])


def test_arguments_on_the_simulator():
    """Rows of one vector and of several, and of one and a half."""
    found = [program for program in given() if program.name not in ("signed_3_45_6", "signed_64_256_200")]
    steps = list(pipelines.get("default", targets.get()))
    place = [step.title for step in steps].index("hexagon-matrix-engine")
    made = PassStep(registry.get("hexagon-matrix-engine")(always=True, tcm_bytes=SMALL))
    module, _ = after("".join(program.text for program in found), [*steps[:place], made, *steps[place + 1:]])
    asm = emit(translate_to_llvm_ir(module), targets.get())
    assert "weight.n" in asm and "weight.b" not in asm
    for program in found:
        result = program.place()
        launch(asm, program.name, [*program.arguments, result], None)
        program.check(result)


@pytest.mark.parametrize(("old", "new"), [("shli", "shrui"), ("constant 4", "constant 3"), ("index 2", "index 1")])
def test_other_bits_are_no_nibbles(old, new):
    """Of a factor that is almost made so, bytes are packed."""
    program = product("given", (64, 32, 32), np.int8, given=True)
    module, _ = after(program.text, [PassStep(registry.get("widen-nibbles")())])
    texts = [to_text(module), to_text(module).replace(old, new, 1)]
    tiled = [to_text(after(text, [PassStep(registry.get("hexagon-matrix-engine")(always=True))])[0])
             for text in texts]
    assert ["x4x16x2x4xi8>" in text for text in tiled] == [True, False]


@pytest.mark.parametrize("pipeline", ["default", "scalar"])
def test_arguments_have_two_in_a_byte(pipeline):
    program = product("given", (5, 45, 38), np.int8, given=True)
    compiled = hx.compile(program.text, pipeline=pipeline)
    assert [kind.shape for kind in compiled.interface.arguments] == [(5, 45), (45, 19)]
    program.check(compiled.run(*program.arguments).outputs[0])


def test_large_constants_are_stored_as_tiles():
    """The weights of a program are those tiles, half a byte for each element."""
    program = product("large", (64, 256, 256), np.int8)
    compiled = hx.compile(program.text)
    assert compiled.weights is not None
    assert [tensor.shape for tensor in compiled.weights.tensors] == [(8, 8, 4, 32, 4)]
    assert compiled.weights.tensors[0].nbytes >= LEAST_BYTES
    program.check(compiled.run(*program.arguments).outputs[0])


def test_an_empty_reduction_stays():
    text = """func.func @empty(%a: tensor<4x0xi8>) -> tensor<4x8xi32> {
      %w = arith.constant dense<> : tensor<0x8xi4>
      %zero = arith.constant 0 : i32
      %i = tensor.empty() : tensor<4x8xi32>
      %f = linalg.fill ins(%zero : i32) outs(%i : tensor<4x8xi32>) -> tensor<4x8xi32>
      %0 = linalg.matmul ins(%a, %w : tensor<4x0xi8>, tensor<0x8xi4>) outs(%f : tensor<4x8xi32>) -> tensor<4x8xi32>
      return %0 : tensor<4x8xi32>
    }"""
    assert not hx.compile(text).run(np.zeros((4, 0), np.int8)).outputs[0].any()


def test_nibbles_take_less_time():
    target = targets.get()
    (of_nibbles, hvx), (of_bytes, same) = (
        estimated_cycles((64, 1024, 1024), nibbles, 8 << 20, target) for nibbles in (True, False))
    assert of_nibbles < 0.8 * of_bytes and hvx == same > of_bytes
    assert estimated_cycles((64, 1024, 1024), True, 4096, target) is None
