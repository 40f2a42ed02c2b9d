"""64-bit integers as words: the values of every operation, on vectors, run on the simulator."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir import pipelines, targets
from hexagon_mlir.ir import parse, set_index_bits
from hexagon_mlir.pass_infra import PassContext
from hexagon_mlir.pass_infra.runner import run_steps

pytestmark = pytest.mark.only_values

N = 77
WIDE, BYTES = f"memref<{N}xi64>", f"memref<{N}xi8>"
PREDICATES = {"eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater,
              "sge": np.greater_equal, "ult": np.less, "ule": np.less_equal, "ugt": np.greater,
              "uge": np.greater_equal}


def kernel(types, results, body):
    """A function over rows of `N` elements; ``body`` yields ``results`` values of the last types."""
    names = [f"%p{i}" for i in range(len(types))]
    inputs = len(types) - results
    buffers = [f"memref<{N}x{type_}>" for type_ in types]
    both = list(zip(names, buffers, strict=True))
    arguments = ", ".join(f"%{'xyzuv'[i] if i < inputs else f'o{i}'}: {type_}" for i, type_ in enumerate(types))
    return f"""
func.func @f({', '.join(f'{name}: {buffer}' for name, buffer in both)}, %s: i64) {{
  linalg.generic {{indexing_maps = [{', '.join(['affine_map<(i) -> (i)>'] * len(types))}],
                   iterator_types = ["parallel"]}}
      ins({', '.join(names[:inputs])} : {', '.join(buffers[:inputs])})
      outs({', '.join(names[inputs:])} : {', '.join(buffers[inputs:])}) {{
  ^bb0({arguments}):
{body}
  }}
  return
}}
"""


def numbers(seed):
    """Of all magnitudes, with those where words carry."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-(2**63), 2**63, N, dtype=np.int64) >> rng.integers(0, 63, N)
    values[:12] = (0, -1, 1, 2**31 - 1, -(2**31), 2**31, -(2**31) - 1, 2**32, -(2**32), 2**63 - 1, -(2**63), 2**32 - 1)
    return rng.permutation(values)


def vectorized(text):
    module, chip = parse(text), targets.get("v75")
    set_index_bits(module)
    context = PassContext(chip)
    run_steps(module, pipelines.get("default", chip), context, None)
    return not any("not vectorized" in entry.message for entry in context.log.entries)


@pytest.mark.parametrize("small", (False, True), ids=("wide", "extended"))
def test_comparisons(small):
    lines = ["    %a = arith.extsi %x : i32 to i64" if small else "    %a = arith.addi %x, %s : i64"]
    for name in PREDICATES:
        lines += [f"    %c{name} = arith.cmpi {name}, %a, %y : i64", f"    %b{name} = arith.extui %c{name} : i1 to i8"]
    lines += [f"    linalg.yield {', '.join(f'%b{name}' for name in PREDICATES)} : {', '.join(['i8'] * 10)}"]
    text = kernel(["i32" if small else "i64", "i64", *["i8"] * 10], 10, "\n".join(lines))
    x, y = numbers(1), numbers(2)
    x = x.astype(np.int32) if small else x
    y[::3] = x[::3].astype(np.int64) + (0 if small else 5)
    results = [np.zeros(N, np.int8) for _ in PREDICATES]
    hx.compile(text).run(x, y, *results, 5)
    left = x.astype(np.int64) + (0 if small else 5)
    for (name, compare), result in zip(PREDICATES.items(), results, strict=True):
        signed = (left, y) if name[0] != "u" else (left.view(np.uint64), y.view(np.uint64))
        np.testing.assert_array_equal(result, compare(*signed), name)
    assert vectorized(text)


def test_arithmetic():
    text = kernel(["i64", "i64", "i32", "i16", *["i64"] * 9], 9, """
    %three = arith.constant 3 : i64
    %far = arith.constant 37 : i64
    %wide = arith.extui %z : i32 to i64
    %near = arith.extsi %u : i16 to i64
    %sum = arith.addi %x, %wide : i64
    %difference = arith.subi %near, %y : i64
    %product = arith.muli %x, %y : i64
    %bits = arith.andi %x, %s : i64
    %either = arith.xori %bits, %y : i64
    %up = arith.shli %x, %three : i64
    %down = arith.shrsi %x, %three : i64
    %low = arith.shrui %x, %far : i64
    %high = arith.shli %y, %far : i64
    %sign = arith.shrsi %y, %far : i64
    %most = arith.maxsi %x, %y : i64
    %least = arith.minui %x, %y : i64
    %p = arith.cmpi sgt, %x, %y : i64
    %chosen = arith.select %p, %up, %sign : i64
    %all = arith.addi %low, %high : i64
    linalg.yield %sum, %difference, %product, %either, %down, %chosen, %all, %most, %least
        : i64, i64, i64, i64, i64, i64, i64, i64, i64""")
    x, y = numbers(3), numbers(4)
    z, u = numbers(5).astype(np.int32), numbers(6).astype(np.int16)
    results, scalar = [np.zeros(N, np.int64) for _ in range(9)], 0x5555_0000_FFFF_1234
    hx.compile(text).run(x, y, z, u, *results, scalar)
    unsigned = x.view(np.uint64)
    low = (unsigned >> np.uint64(37)).view(np.int64)
    least = np.minimum(unsigned, y.view(np.uint64)).view(np.int64)
    expected = (x + z.view(np.uint32).astype(np.int64), u.astype(np.int64) - y, x * y, (x & scalar) ^ y, x >> 3,
                np.where(x > y, x << 3, y >> 37), low + (y << 37), np.maximum(x, y), least)
    for number, (result, wanted) in enumerate(zip(results, expected, strict=True)):
        np.testing.assert_array_equal(result, wanted, f"result {number}")
    assert vectorized(text)


@pytest.mark.parametrize("target", ("v75", "v79"))
def test_conversions_to_floats_round_once(target):
    """Halfway between two floats, and just above and below, at every magnitude."""
    text = kernel(["i64", "i32", *["f32"] * 3, *["f16"] * 2], 5, """
    %near = arith.extsi %y : i32 to i64
    %a = arith.sitofp %x : i64 to f32
    %b = arith.uitofp %x : i64 to f32
    %c = arith.sitofp %near : i64 to f32
    %d = arith.sitofp %x : i64 to f16
    %e = arith.uitofp %x : i64 to f16
    linalg.yield %a, %b, %c, %d, %e : f32, f32, f32, f16, f16""")
    run = hx.compile(text, target=target).run
    for bits in (*range(0, 64, 6), 11, 13, 15, 16, 17, 25, 31, 32, 33, 44, 45, 46):
        x = numbers(bits)
        halfway = ((1 << bits) | (np.arange(14, 74) % 7 << bits >> 23) | (1 << bits >> 24)) + np.arange(60) % 5 - 2
        x[:60] = np.where(np.arange(60) % 3, 1, -1) * (halfway & (2**63 - 1))
        y, results = x.astype(np.int32), [np.zeros(N, np.float32 if n < 3 else np.float16) for n in range(5)]
        run(x, y, *results, 0, arithmetic="chip")
        with np.errstate(over="ignore"):
            expected = (x.astype(np.float32), x.view(np.uint64).astype(np.float32), y.astype(np.float32),
                        x.astype(np.float16), x.view(np.uint64).astype(np.float16))
        for result, wanted in zip(results, expected, strict=True):
            np.testing.assert_array_equal(result, wanted, f"{bits} bits")
    assert vectorized(text)


def test_parts_of_buffers_and_in_place():
    """Rows of a larger array that are read and written again, lower and upper words in the same loop."""
    text = """
#map = affine_map<(i, j) -> (i, j)>
func.func @f(%x: memref<6x80xi64>, %label: i64) {
  %v = memref.subview %x[2, 3] [4, 70] [1, 1] : memref<6x80xi64> to memref<4x70xi64, strided<[80, 1], offset: 163>>
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<4x70xi64, strided<[80, 1], offset: 163>>)
      outs(%v : memref<4x70xi64, strided<[80, 1], offset: 163>>) {
  ^bb0(%a: i64, %o: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %0 = arith.addi %a, %j : i64
    %1 = arith.addi %0, %a : i64
    %2 = arith.xori %1, %label : i64
    %3 = arith.addi %2, %a : i64
    %p = arith.cmpi ne, %3, %label : i64
    %4 = arith.select %p, %3, %a : i64
    linalg.yield %4 : i64
  }
  return
}
"""
    x = np.random.default_rng(7).integers(-(2**62), 2**62, (6, 80), dtype=np.int64)
    expected, part = x.copy(), x[2:, 3:73]
    expected[2:, 3:73] = ((part + np.arange(70) + part) ^ (2**40 + 7)) + part
    hx.compile(text).run(x, 2**40 + 7)
    np.testing.assert_array_equal(x, expected)
    assert vectorized(text)


@pytest.mark.parametrize("number", (0, -1, 1))
def test_fills(number):
    """Of whole buffers, rows of a larger one, and dynamic sizes; words that differ stay scalar."""
    text = f"""
func.func @f(%a: memref<5x70xi64>, %b: memref<3x90xi64>, %n: index) {{
  %c = arith.constant {number} : i64
  linalg.fill ins(%c : i64) outs(%a : memref<5x70xi64>)
  %v = memref.subview %b[1, 3] [2, %n] [1, 1] : memref<3x90xi64> to memref<2x?xi64, strided<[90, 1], offset: 93>>
  linalg.fill ins(%c : i64) outs(%v : memref<2x?xi64, strided<[90, 1], offset: 93>>)
  return
}}
"""
    a, b = np.full((5, 70), 7), np.full((3, 90), 7)
    hx.compile(text).run(a, b, 77)
    expected = np.full((3, 90), 7)
    expected[1:, 3:80] = number
    assert (a == number).all()
    np.testing.assert_array_equal(b, expected)
    assert vectorized(text) == (number != 1)
