"""A scalar store after a vector store to the same bytes: LLVM packed them together, and the vector store won."""

import numpy as np
import pytest
from text_rewrites import keep_stores_in_order, printed

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.codegen.rewrites.store_order import BARRIER
from hexagon_mlir.exec.sim import launch
from hexagon_mlir.ir import parse

FILL_THEN_STORE = """
func.func @f(%x: memref<64xf32>, %out: memref<{n}xf32>, %stride: i32) {{
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %fill = arith.constant 2.5 : f32
  %s = arith.index_cast %stride : i32 to index
  %all = memref.alloc() : memref<{n}xf32>
  linalg.fill ins(%fill : f32) outs(%all : memref<{n}xf32>)
  %a = memref.load %x[%k0] : memref<64xf32>
  memref.store %a, %all[%k0] : memref<{n}xf32>
  %b = memref.load %x[%s] : memref<64xf32>
  memref.store %b, %all[%k1] : memref<{n}xf32>
  linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%all : memref<{n}xf32>) outs(%out : memref<{n}xf32>) {{
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %v : f32
    linalg.yield %w : f32
  }}
  return
}}
"""


@pytest.mark.ieee_arithmetic
@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
@pytest.mark.parametrize("n", [4, 32, 77])
def test_the_later_store_wins(n, target):
    x = np.arange(1, 65, dtype=np.float32)
    out = np.full(n, 99, np.float32)
    compiled = compile_module(parse(FILL_THEN_STORE.format(n=n)), target)
    launch(compiled.asm, "f", [x, out, 17], None, target)
    np.testing.assert_array_equal(out, [2.0, 36.0, *[5.0] * (n - 2)])


FILL_THEN_LOOP = """
func.func @f(%x: memref<3xf32>, %out: memref<2x2xf32>) {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %fill = arith.constant -1.5 : f32
  %all = memref.alloc() : memref<2x2xf32>
  linalg.fill ins(%fill : f32) outs(%all : memref<2x2xf32>)
  scf.for %j = %k0 to %k2 step %k1 {
    %i = arith.addi %j, %k1 : index
    %a = memref.load %x[%j] : memref<3xf32>
    memref.store %a, %all[%k0, %j] : memref<2x2xf32>
    %b = memref.load %x[%i] : memref<3xf32>
    memref.store %b, %all[%k1, %j] : memref<2x2xf32>
  }
  memref.copy %all, %out : memref<2x2xf32> to memref<2x2xf32>
  return
}
"""


def test_the_first_stores_of_a_loop_win():
    x, out = np.float32([1, 2, 3]), np.full((2, 2), 99, np.float32)
    launch(compile_module(parse(FILL_THEN_LOOP)).asm, "f", [x, out], None, "v75")
    np.testing.assert_array_equal(out, [[1, 2], [2, 3]])


VECTOR = "  store <32 x float> %v, ptr %p, align 128"
MASKED = "  tail call void @llvm.masked.store.v32f32.p0(<32 x float> %v, ptr align 4 %p, <32 x i1> %m)"
SCALAR = "  store float %s, ptr %p, align 4"
FILL = "  call void @llvm.memset.p0.i32(ptr %p, i8 0, i32 8, i1 false)"


def places(*lines: str) -> list[int]:
    """Where `keep_stores_in_order` puts barriers into a function of these lines."""
    text = "\n".join(["define void @f() {", "a:", *lines, "}", *lines])
    ordered = keep_stores_in_order(text).split("\n")
    assert ordered[-len(lines):] == list(lines), "outside of functions nothing changes"
    assert [line for line in ordered if line != BARRIER] == printed(text).split("\n")
    return [number - 2 for number, line in enumerate(ordered) if line == BARRIER]


RETURN = "  ret void"


def test_barriers_between_vector_and_scalar():
    assert places(VECTOR, SCALAR, SCALAR, RETURN) == places(MASKED, FILL, RETURN) == [1]
    assert places(VECTOR, SCALAR, VECTOR, SCALAR, RETURN) == [1, 4]
    assert places(SCALAR, VECTOR, RETURN) == places(VECTOR, MASKED, RETURN) == places(SCALAR, SCALAR, RETURN) == []


def test_barriers_between_blocks():
    jump = "  br label %b"
    assert places(VECTOR, jump, "b:", SCALAR, RETURN) == [1]
    assert places(SCALAR, jump, "b:", VECTOR, RETURN) == []
    loop = ["c:", "  %i = phi i32 [ 0, %a ], [ 1, %c ]", VECTOR, "  br i1 %more, label %c, label %b"]
    assert places("  br label %c", *loop, "b:", "  %j = phi i32 [ 0, %c ]", SCALAR, RETURN) == [7]
    assert places("  br label %c", *loop, "b:", RETURN) == []
