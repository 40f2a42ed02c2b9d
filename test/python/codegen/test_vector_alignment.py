"""LLVM's vector alignment (HexagonVectorCombine) joins loads into aligned ones: every stream keeps its lanes."""

import numpy as np
import pytest

import hexagon_mlir as hx
from hexagon_mlir.codegen import compile_module
from hexagon_mlir.ir import parse
from hexagon_mlir.sim import Machine


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize(("element", "dtype"), [("i8", np.int8), ("i16", np.int16), ("i32", np.int32),
                                                ("f32", np.float32)])
def test_neighbours_at_odd_offsets(element, dtype):
    """Four overlapping streams with masked tails, each at another distance from a vector's border."""
    add = "arith.addf" if element == "f32" else "arith.addi"
    offsets = (0, 1, 2, 33)
    views = "\n".join(
        f"  %v{i} = memref.subview %x[{o}] [%size] [1] : memref<400x{element}> to "
        f"memref<?x{element}, strided<[1], offset: {o}>>" for i, o in enumerate(offsets))
    types = ", ".join(f"memref<?x{element}, strided<[1], offset: {o}>>" for o in offsets)
    source = f"""
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: memref<400x{element}>, %out: memref<300x{element}>, %n: i32) {{
  %size = arith.index_cast %n : i32 to index
{views}
  %o = memref.subview %out[0] [%size] [1] : memref<300x{element}> to memref<?x{element}, strided<[1]>>
  linalg.generic {{indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}}
      ins(%v0, %v1, %v2, %v3 : {types}) outs(%o : memref<?x{element}, strided<[1]>>) {{
  ^bb0(%a: {element}, %b: {element}, %c: {element}, %d: {element}, %e: {element}):
    %0 = {add} %a, %b : {element}
    %1 = {add} %0, %c : {element}
    %2 = {add} %1, %d : {element}
    linalg.yield %2 : {element}
  }}
  return
}}
"""
    kernel = hx.compile(source)
    x = np.random.default_rng(5).integers(-30, 30, 400).astype(dtype)
    for n in (1, 5, 31, 32, 33, 63, 64, 65, 127, 129, 250, 300):
        out = np.full(300, 77, dtype)
        kernel.run(x, out, n)
        np.testing.assert_array_equal(out[:n], sum(x[o : o + n] for o in offsets).astype(dtype))
        assert (out[n:] == 77).all()


EMPTY_BLOCK = """func.func @f(%x: memref<1xf32>, %y: memref<32xf32>, %at: i32, %n: i32) {
  %offset = arith.index_cast %at : i32 to index
  %size = arith.index_cast %n : i32 to index
  %there = memref.reinterpret_cast %x to offset: [%offset], sizes: [32], strides: [1]
      : memref<1xf32> to memref<32xf32, strided<[1], offset: ?>>
  %from = memref.subview %there[0] [%size] [1]
      : memref<32xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  %to = memref.subview %y[0] [%size] [1] : memref<32xf32> to memref<?xf32, strided<[1]>>
  memref.copy %from, %to : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>>
  return
}
"""


@pytest.mark.parametrize(("at", "size"), [(0, 3), (1 << 20, 0)])
def test_an_empty_block_is_not_looked_at(at, size):
    machine = Machine(compile_module(parse(EMPTY_BLOCK)).asm, check=True)
    x, y = np.arange(32, dtype=np.float32) + 1, np.zeros(32, np.float32)
    addresses = [machine.alloc_ddr(array.nbytes) for array in (x, y)]
    for address, array in zip(addresses, (x, y), strict=True):
        machine.write(address, array.view(np.uint8))
    result = machine.run("f", [*addresses, at, size])
    assert not result.reports
    assert np.array_equal(machine.read(addresses[1], np.float32, 32), np.where(np.arange(32) < size, x, 0))
