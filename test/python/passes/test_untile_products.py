"""`untile-products` keeps values: on the host, blocks of whole and transposed factors, and a loop in other steps."""

import numpy as np
import pytest
from batch import after, on_host

from hexagon_mlir.ir import to_text
from hexagon_mlir.pass_infra import PassStep, registry

STEPS = [PassStep(registry.get("untile-products")(always=True))]


def text(rows, columns, block, first, end, step, depth, transposed):
    """Sums over blocks of ``block`` from ``first`` on in steps of ``step``."""
    left = f"tensor<{rows}x{depth}xf16>"
    right = f"tensor<{columns}x{depth}xf16>" if transposed else f"tensor<{depth}x{columns}xf16>"
    part = f"tensor<{rows}x{block}xf16>"
    other = f"tensor<{columns}x{block}xf16>" if transposed else f"tensor<{block}x{columns}xf16>"
    cut = f"0, %k] [{columns}, {block}]" if transposed else f"%k, 0] [{block}, {columns}]"
    sums, result = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}x{columns}xf16>"
    same = "affine_map<(i, j) -> (i, j)>"
    return f"""
      func.func @f(%a: {left}, %b: {right}) -> {result} {{
        %first = arith.constant {first} : index
        %end = arith.constant {end} : index
        %step = arith.constant {step} : index
        %zero = arith.constant 0.0 : f32
        %none = tensor.empty() : {sums}
        %zeros = linalg.fill ins(%zero : f32) outs(%none : {sums}) -> {sums}
        %sums = scf.for %k = %first to %end step %step iter_args(%old = %zeros) -> ({sums}) {{
          %x = tensor.extract_slice %a[0, %k] [{rows}, {block}] [1, 1] : {left} to {part}
          %y = tensor.extract_slice %b[{cut} [1, 1] : {right} to {other}
          %new = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
              affine_map<(i, j, k) -> ({"j, k" if transposed else "k, j"})>, affine_map<(i, j, k) -> (i, j)>],
              iterator_types = ["parallel", "parallel", "reduction"]}}
              ins(%x, %y : {part}, {other}) outs(%old : {sums}) {{
          ^bb0(%p: f16, %q: f16, %s: f32):
            %v = arith.extf %p : f16 to f32
            %w = arith.extf %q : f16 to f32
            %m = arith.mulf %v, %w : f32
            %t = arith.addf %s, %m : f32
            linalg.yield %t : f32
          }} -> {sums}
          scf.yield %new : {sums}
        }}
        %half = tensor.empty() : {result}
        %result = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel", "parallel"]}}
            ins(%sums : {sums}) outs(%half : {result}) {{
        ^bb0(%s: f32, %o: f16):
          %h = arith.truncf %s : f32 to f16
          linalg.yield %h : f16
        }} -> {result}
        return %result : {result}
      }}"""


@pytest.mark.parametrize(("rows", "columns", "block", "first", "end", "step", "transposed"), [
    (5, 7, 4, 0, 12, 4, False), (5, 7, 4, 0, 12, 4, True), (3, 2, 4, 1, 10, 5, False), (6, 3, 2, 3, 9, 4, True)])
def test_values(rows, columns, block, first, end, step, transposed):
    depth = 16
    rng = np.random.default_rng(rows)
    a = rng.standard_normal((rows, depth)).astype(np.float16)
    b = rng.standard_normal((depth, columns)).astype(np.float16)
    module, _ = after(text(rows, columns, block, first, end, step, depth, transposed), STEPS)
    assert "tensor.insert_slice" in to_text(module)
    found, = on_host(module, ["f"])("f", [a, np.ascontiguousarray(b.T) if transposed else b])
    parts = [slice(at, at + block) for at in range(first, end, step)]
    expected = sum(a[:, part].astype(np.float64) @ b[part].astype(np.float64) for part in parts)
    np.testing.assert_allclose(found.astype(np.float64), expected, atol=2e-3, rtol=2e-3)


def test_a_factor_from_outside_the_loop():
    """It is the same in each iteration."""
    program = text(5, 7, 4, 0, 12, 4, 16, False)
    line = next(line for line in program.splitlines() if "%x = " in line)
    program = program.replace(f"{line}\n", "").replace("%sums = scf.for", f"{line.strip()}\n%sums = scf.for").replace(
        "%a[0, %k]", "%a[0, 3]")
    module, _ = after(program, STEPS)
    assert to_text(module).count("tensor.insert_slice") == 2
    rng = np.random.default_rng(2)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((5, 16), (16, 7)))
    found, = on_host(module, ["f"])("f", [a, b])
    expected = a[:, 3:7].astype(np.float64) @ b[:12].reshape(3, 4, 7).astype(np.float64).sum(0)
    np.testing.assert_allclose(found.astype(np.float64), expected, atol=4e-3, rtol=2e-3)


@pytest.mark.parametrize("transposed", [False, True])
def test_bytes(transposed):
    """Sums of i32, of the least bytes too."""
    program = text(5, 7, 4, 0, 12, 4, 16, transposed).replace("arith.constant 0.0 : f32", "arith.constant 0 : i32")
    for float_, integer in (("mulf", "muli"), ("addf", "addi"), ("arith.extf", "arith.extsi"), ("xf16", "xi8"),
                            ("f16", "i8"), ("f32", "i32"), ("truncf", "trunci")):
        program = program.replace(float_, integer)
    module, _ = after(program, STEPS)
    assert "tensor.insert_slice" in to_text(module)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((5, 16), (16, 7)))
    a[0], b[:, 0] = -128, -128
    found, = on_host(module, ["f"])("f", [a, np.ascontiguousarray(b.T) if transposed else b])
    np.testing.assert_array_equal(found, (a[:, :12].astype(np.int32) @ b[:12]).astype(np.int8))
