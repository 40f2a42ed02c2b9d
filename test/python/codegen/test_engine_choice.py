"""Products whose estimates are close are compiled with and without the matrix engine, and the faster program is taken.
"""

import numpy as np
import pytest

from hexagon_mlir import targets
from hexagon_mlir.codegen import compile_module, engine_choice
from hexagon_mlir.dialects.kernel_memory import IN_MODEL
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import ir, parse
from hexagon_mlir.ir.query import functions
from hexagon_mlir.passes.lib.close_estimates import Close
from hexagon_mlir.settings import Settings

CHIP = targets.get("v75")


def product(rows, steps, columns):
    """A product of f16 matrices."""
    left, right = f"tensor<{rows}x{steps}xf16>", f"tensor<{steps}x{columns}xf16>"
    result = f"tensor<{rows}x{columns}xf16>"
    return f"""func.func @f(%a: {left}, %b: {right}) -> {result} {{
      %zero = arith.constant 0.0 : f16
      %none = tensor.empty() : {result}
      %zeros = linalg.fill ins(%zero : f16) outs(%none : {result}) -> {result}
      %0 = linalg.matmul ins(%a, %b : {left}, {right}) outs(%zeros : {result}) -> {result}
      return %0 : {result}
    }}"""


def remarks(compiled):
    """Those of measurements."""
    return [entry.message for entry in compiled.remarks if "measured" in entry.message]


def run(compiled, rows, steps, columns):
    """Cycles; values are checked."""
    rng = np.random.default_rng(rows)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((rows, steps), (steps, columns)))
    out = np.zeros((rows, columns), np.float16)
    cycles = launch(compiled.asm, "f", [a, b, out], None).cycles
    np.testing.assert_allclose(out, a.astype(np.float32) @ b.astype(np.float32), rtol=0, atol=1e-4)
    return cycles


@pytest.mark.parametrize("sizes", [(9, 69, 8), (20, 24, 33)])
def test_the_faster_program_is_taken(sizes):
    compiled = compile_module(parse(product(*sizes)))
    taken = run(compiled, *sizes)
    without = run(compile_module(parse(product(*sizes)), settings=Settings(matrix_engine=False)), *sizes)
    numbers = [int(word) for word in remarks(compiled)[0].split() if word.isdigit()]
    assert numbers[1] == without
    assert taken == min(numbers)
    assert ("activation.hf" in compiled.asm) == (numbers[0] < numbers[1])


def test_a_choice_is_stored(monkeypatch):
    first = compile_module(parse(product(9, 69, 8)))
    monkeypatch.setattr(engine_choice, "_measured", lambda *_: pytest.fail("measured again"))
    assert remarks(compile_module(parse(product(9, 69, 8)))) == remarks(first)


def test_certain_products_are_not_measured(monkeypatch):
    monkeypatch.setattr(engine_choice, "_measured", lambda *_: pytest.fail("measured"))
    assert "activation.hf" in compile_module(parse(product(128, 128, 128))).asm
    assert "activation.hf" not in compile_module(parse(product(2, 9, 9))).asm


def test_a_fault_leaves_the_estimate():
    """Here: there is no function f."""
    module, without = parse(product(9, 69, 8)), "\t.text\n\t.globl g\ng:\n\t{\n\t\tjumpr r31\n\t}\n"
    choice = engine_choice.choose(module, CHIP, "default", Settings(tcm_bytes=1 << 20), lambda _: [without] * 2)
    assert choice.close is Close.ESTIMATED


def changed(text, **attributes):
    module = parse(text)
    with module.context:
        for name, value in attributes.items():
            functions(module)[0].attributes[name] = value()
    return module


def test_what_can_be_measured():
    def measurable(module):
        return engine_choice.measurable(module, CHIP)

    text = product(9, 69, 8)
    assert measurable(parse(text))
    assert not measurable(changed(text, **{IN_MODEL: lambda: ir.DenseI64ArrayAttr.get([])}))
    assert not measurable(parse(text.replace("tensor<9x", "tensor<?x").replace(
        "%none = tensor.empty()", "%n = arith.constant 9 : index\n %none = tensor.empty(%n)")))
    assert not measurable(parse(text + text.replace("@f", "@g")))
    assert not measurable(parse(product(4096, 4096, 4096)))
    assert not measurable(parse("func.func private @f(%a: tensor<9xf16>) -> tensor<9xf16>"))
    looped = text.replace("%0 =", """%c = arith.constant 1 : i1
      scf.while : () -> () { scf.condition(%c) } do { scf.yield }
      %0 =""")
    assert not measurable(parse(looped))
