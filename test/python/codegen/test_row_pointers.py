"""A row and its first element, loaded in a loop: LLVM's pipeliner loads the first row twice unless they are apart."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module, steps
from hexagon_mlir.codegen.compile import lower_module
from hexagon_mlir.codegen.llvm import Library
from hexagon_mlir.codegen.rewrites.row_pointers import scalar_loads_apart
from hexagon_mlir.codegen.steps import Program
from hexagon_mlir.codegen.variants import Variant
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse
from hexagon_mlir.llvmir import Module

HERE = Path(__file__).parent
TEXT = (HERE / "masked_rows.mlir").read_text()
LOOP = (HERE / "row_and_element.ll").read_text()


def inputs():
    rng, row = np.random.default_rng(0), np.arange(4).reshape(4, 1)
    masks = [row >= 0, row > 0, row == 0, row >= 1, row > 1, row == 1]
    return rng.normal(0, 1, (4, 3)).astype(np.float32), masks


def expected(a, masks):
    some, rest, first, others, later, second = masks
    column = np.where(some, a[:, :1], 0)
    factor = np.where(first, column[:1] * 2, np.where(rest, column, 0))
    b = a - factor * (factor * a).sum(0, keepdims=True)
    column = np.where(others, b[:, 1:2], 0)
    factor = np.where(second, column[1:2] * 2, np.where(later, column, 0))
    return (factor * b).sum(0)


def result(asm):
    a, masks = inputs()
    out = np.zeros(3, np.float32)
    launch(asm, "k", [a, *masks, out], target="v75")
    return out


def generated(left_out):
    """The kernel's assembly without one step."""
    chip = targets.get("v75")
    library = Library(chip.cpu, chip.features, "static", "kept")
    text, = lower_module(parse(TEXT), chip).modules
    program = Program(Module.parse(text), library)
    program = steps.apply((*steps.BEFORE_O3, steps.O3, *steps.AFTER_O3), program)
    program = replace(program, variant=Variant(realigned=False))
    program = steps.apply([step for step in steps.BY_VARIANT if step.name != left_out], program)
    return library.generate(program.text, program.variant, "assembly")


def test_values():
    np.testing.assert_allclose(result(compile_module(parse(TEXT), "v75").asm), expected(*inputs()), rtol=0, atol=1e-4)


def test_llvm_still_needs_it():
    """When this fails, LLVM is mended: the step can go."""
    wrong = result(generated("row-pointers"))
    assert np.abs(wrong - expected(*inputs())).max() > 0.1
    np.testing.assert_allclose(result(generated("")), expected(*inputs()), rtol=0, atol=1e-4)


def test_only_the_element_of_a_row_in_a_loop_is_apart():
    lines = scalar_loads_apart(Module.parse(LOOP)).text.splitlines()
    assert '  %element.first = call ptr asm "", "=r,0"(ptr %at)' in lines
    assert "  %first = load float, ptr %element.first, align 4" in lines
    assert "  %alone = load float, ptr %other, align 4" in lines
    assert "  %last = load float, ptr %p, align 4" in lines
    without = Module.parse(LOOP.replace("%row = load <32 x i32>, ptr %at", "%row = load <32 x i32>, ptr %other"))
    assert scalar_loads_apart(without).text.count("asm") == 1
