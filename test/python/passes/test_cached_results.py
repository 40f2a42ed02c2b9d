"""Results that loops store to DDR: the same values wherever the caller's memory begins, and nothing beside it."""

import numpy as np
import pytest

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.ir import parse
from hexagon_mlir.sim import Machine

ROWS, COLUMNS, DEPTH = 160, 128, 64
_GUARD, _LINE = 256, 128


def product(cast: bool) -> str:
    """A product of f16 matrices, as f16 or, ``cast``, as f32."""
    sums, left, right = (f"tensor<{a}x{b}x" for a, b in ((ROWS, COLUMNS), (ROWS, DEPTH), (DEPTH, COLUMNS)))
    result = f"{sums}{'f32' if cast else 'f16'}>"
    same = "affine_map<(m, n) -> (m, n)>"
    return f"""
        func.func @kernel(%x: {left}f16>, %w: {right}f16>) -> {result} {{
          %zero = arith.constant 0.0 : f32
          %e = tensor.empty() : {sums}f32>
          %start = linalg.fill ins(%zero : f32) outs(%e : {sums}f32>) -> {sums}f32>
          %s = linalg.matmul ins(%x, %w : {left}f16>, {right}f16>) outs(%start : {sums}f32>) -> {sums}f32>
          %h = tensor.empty() : {result}
          %r = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel", "parallel"]}}
              ins(%s : {sums}f32>) outs(%h : {result}) {{
            ^bb0(%a: f32, %b: {'f32' if cast else 'f16'}):
              %c = arith.truncf %a : f32 to f16
              {'%d = arith.extf %c : f16 to f32' if cast else ''}
              linalg.yield {'%d : f32' if cast else '%c : f16'}
          }} -> {result}
          return %r : {result}
        }}"""


def doubled() -> str:
    """Twice each number of a vector of f32."""
    numbers = f"tensor<{ROWS * COLUMNS}xf32>"
    return f"""
        func.func @kernel(%x: {numbers}) -> {numbers} {{
          %e = tensor.empty() : {numbers}
          %r = linalg.add ins(%x, %x : {numbers}, {numbers}) outs(%e : {numbers}) -> {numbers}
          return %r : {numbers}
        }}"""


def exponentials(count: int) -> str:
    """e to each of ``count`` numbers of f32: enough work for threads."""
    numbers = f"tensor<{count}xf32>"
    return f"""
        func.func @kernel(%x: {numbers}) -> {numbers} {{
          %e = tensor.empty() : {numbers}
          %r = linalg.exp ins(%x : {numbers}) outs(%e : {numbers}) -> {numbers}
          return %r : {numbers}
        }}"""


def _run(asm: str, operands: list[np.ndarray], result: np.dtype, beyond: int,
         count: int = ROWS * COLUMNS) -> tuple[np.ndarray, int, int]:
    """The result of ``count`` elements, ``beyond`` a line, its cycles, and the bytes that were written around it."""
    machine = Machine(asm, "v75", check=True)
    addresses = []
    for operand in operands:
        addresses.append(machine.alloc_ddr(operand.nbytes + _GUARD))
        machine.view(addresses[-1], operand.nbytes)[:] = operand.view(np.uint8).ravel()
    nbytes = count * result.itemsize
    around = machine.alloc_ddr(nbytes + 2 * _GUARD)
    memory = machine.view(around, nbytes + 2 * _GUARD)
    memory[:] = 0xA5
    start = _GUARD + (beyond - (around + _GUARD)) % _LINE
    run = machine.run("kernel", [*addresses, around + start])
    assert not run.reports
    got = memory[start:start + nbytes].copy().view(result)
    return got, run.cycles, int((memory[:start] != 0xA5).sum() + (memory[start + nbytes:] != 0xA5).sum())


@pytest.mark.parametrize("kind", ["f16", "f32", "doubled"])
def test_values_wherever_the_result_begins(kind):
    """As where it begins a line; which takes less time than to copy it."""
    rng = np.random.default_rng(0)
    result = np.dtype(np.float16 if kind == "f16" else np.float32)
    if kind == "doubled":
        text, operands = doubled(), [rng.standard_normal(ROWS * COLUMNS).astype(np.float32)]
        expected = 2 * operands[0]
    else:
        text = product(kind == "f32")
        operands = [rng.standard_normal(shape).astype(np.float16) for shape in ((ROWS, DEPTH), (DEPTH, COLUMNS))]
        expected = (operands[0].astype(np.float32) @ operands[1].astype(np.float32)).ravel()
    compiled = compile_module(parse(text, file="kernel.mlir"))
    aligned, cycles, written = _run(compiled.asm, operands, result, 0)
    np.testing.assert_allclose(aligned.astype(np.float32), expected, rtol=2e-3, atol=1e-2)
    assert not written
    for beyond in (result.itemsize, 64, 120):
        got, more, written = _run(compiled.asm, operands, result, beyond)
        np.testing.assert_array_equal(got, aligned)
        assert not written
        if kind != "doubled":
            assert more > 1.05 * cycles


@pytest.mark.parametrize("count", [20_517, 4_096 + 1])
def test_a_result_that_ends_within_a_line(count):
    """Each task begins a line, and nothing is written behind the last element; it takes less time than a copy."""
    values = np.linspace(-20, 20, count, dtype=np.float32)
    values[[0, 1, -2, -1]] = np.inf, np.nan, -np.inf, 0
    compiled = compile_module(parse(exponentials(count), file="kernel.mlir"))
    aligned, cycles, written = _run(compiled.asm, [values], np.dtype(np.float32), 0, count)
    np.testing.assert_allclose(aligned, np.exp(values.astype(np.float64)), rtol=2e-6)
    assert not written
    for beyond in (4, 64):
        got, more, written = _run(compiled.asm, [values], np.dtype(np.float32), beyond, count)
        np.testing.assert_array_equal(got, aligned)
        assert not written and more > 1.05 * cycles
