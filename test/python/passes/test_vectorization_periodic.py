"""Rows of a few elements to which a row of values is broadcast: decisions, and values on this machine and simulated."""

import numpy as np
import pytest
from batch import after, on_host, on_simulator, steps_until

from hexagon_mlir.ir import parse
from hexagon_mlir.ir.query import find_ops
from hexagon_mlir.passes.lib.loop_nests import read_nest
from hexagon_mlir.passes.vectorization.collapse import collapsed, loop_groups
from hexagon_mlir.passes.vectorization.periodic import choose_periodic_rows, period

pytestmark = pytest.mark.only_values

DTYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "i32": np.int32}
CASES = [((171, 3), "f32"), ((64, 10), "f32"), ((33, 20), "f32"), ((90, 3), "f16"), ((130, 10), "f16"),
         ((200, 3), "i8"), ((3, 5, 7, 6), "i32"), ((11, 48), "f32"), ((2, 3), "f32"), ((40, 13), "f32")]


def shaped(shape: tuple[int, ...] | str, element: str) -> str:
    return "tensor<" + "x".join(map(str, (*shape, element))) + ">"


def affine(name: str, shape: tuple, element: str, dynamic: bool = False) -> str:
    """``name(x, scale, bias) = x * scale + bias``, the last two along the last dimension."""
    dims = ", ".join(f"d{k}" for k in range(len(shape)))
    whole, row = f"affine_map<({dims}) -> ({dims})>", f"affine_map<({dims}) -> (d{len(shape) - 1})>"
    x, v = shaped(("?", *shape[1:]) if dynamic else shape, element), shaped(shape[-1:], element)
    kind = "f" if element[0] == "f" else "i"
    empty = (f"%c = arith.constant 0 : index\n  %n = tensor.dim %x, %c : {x}\n  %e = tensor.empty(%n) : {x}" if dynamic
             else f"%e = tensor.empty() : {x}")
    return f"""
func.func @{name}(%x: {x}, %s: {v}, %b: {v}) -> {x} {{
  {empty}
  %r = linalg.generic {{indexing_maps = [{whole}, {row}, {row}, {whole}],
                       iterator_types = [{", ".join(['"parallel"'] * len(shape))}]}}
      ins(%x, %s, %b : {x}, {v}, {v}) outs(%e : {x}) {{
    ^bb0(%a: {element}, %f: {element}, %g: {element}, %o: {element}):
      %m = arith.mul{kind} %a, %f : {element}
      %t = arith.add{kind} %m, %g : {element}
      linalg.yield %t : {element}
  }} -> {x}
  return %r : {x}
}}
"""


TEXT = "".join(affine(f"f{n}", *case) for n, case in enumerate(CASES))


def check(call) -> None:
    rng = np.random.default_rng(5)
    for n, (shape, element) in enumerate(CASES):
        x, scale, bias = (rng.integers(-8, 8, s).astype(DTYPES[element]) for s in (shape, shape[-1:], shape[-1:]))
        result = np.full_like(x, 99)
        call(f"f{n}", [x, scale, bias, result])
        np.testing.assert_array_equal(result, x * scale + bias, err_msg=str((shape, element)))


@pytest.mark.ieee_arithmetic
def test_rows_on_the_simulator():
    call, asm = on_simulator(TEXT)
    check(call)
    assert "vlut" in asm


def test_rows_on_the_host():
    module, _ = after(TEXT, steps_until("default", "hexagon-vectorization"))
    check(on_host(module, [f"f{n}" for n in range(len(CASES))]))


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("rows", [1, 31, 32, 96, 171])
def test_as_many_rows_as_there_are(rows):
    import hexagon_mlir as hx

    kernel = hx.compile(affine("f", (0, 3), "f32", dynamic=True))
    x = np.arange(3 * rows, dtype=np.float32).reshape(rows, 3)
    scale, bias = np.array([2, -1, 0.5], np.float32), np.array([1, 2, 3], np.float32)
    np.testing.assert_array_equal(kernel.run(x, scale, bias).outputs[0], x * scale + bias)


@pytest.mark.parametrize(("shape", "element", "lanes", "rows"), [
    ((171, 3), "f32", 32, (0, 1)), ((64, 20), "f32", 32, (0, 1)), ((64, 32), "f32", 32, None),  # whole vectors
    ((64, 13), "f32", 32, None), ((90, 6), "f16", 64, (0, 1)), ((10, 3), "f32", 32, None)])  # 26 to keep; too few rows
def test_which_rows_become_one_loop(shape, element, lanes, rows):
    text = affine("f", shape, element).replace("tensor", "memref").split("%r =")[1].split("} ->")[0]
    x, v = (shaped(s, element).replace("tensor", "memref") for s in (shape, shape[-1:]))
    module = parse(f"func.func @f(%x: {x}, %s: {v}, %b: {v}, %e: {x}) {{ {text} }} return }}")
    with module.context:
        own = read_nest(find_ops(module, lambda op: op.name == "linalg.generic")[0])
        assert choose_periodic_rows(collapsed(own, loop_groups(own)), lanes) == rows


def test_after_how_many_vectors_a_row_starts_at_a_vector():
    assert [period(extent, 32) for extent in (3, 8, 10, 20, 48, 33)] == [3, 1, 5, 5, 3, 33]
