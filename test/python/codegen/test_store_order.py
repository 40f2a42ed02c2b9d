"""A scalar store after a vector store to the same bytes: LLVM packed them together, and the vector store won."""

import numpy as np
import pytest

from hexagon_mlir.codegen import compile_module
from hexagon_mlir.codegen.store_order import BARRIER, keep_stores_in_order
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


@pytest.mark.parametrize("target", ["v68", "v75", "v79"])
@pytest.mark.parametrize("n", [4, 32, 77])
def test_the_later_store_wins(n, target):
    x = np.arange(1, 65, dtype=np.float32)
    out = np.full(n, 99, np.float32)
    compiled = compile_module(parse(FILL_THEN_STORE.format(n=n)), target)
    launch(compiled.asm, "f", [x, out, 17], None, target)
    np.testing.assert_array_equal(out, [2.0, 36.0, *[5.0] * (n - 2)])


def barriers(*lines: str) -> int:
    return keep_stores_in_order("\n".join(f"  {line}" for line in lines)).count(BARRIER)


VECTOR = "store <32 x float> %1, ptr %0, align 128"
MASKED = "tail call void @llvm.masked.store.v32f32.p0(<32 x float> %1, ptr align 4 %0, <32 x i1> %2)"
SCALAR = "store float %3, ptr %0, align 4"
FILL = "call void @llvm.memset.p0.i32(ptr %0, i8 0, i32 8, i1 false)"


def test_barriers_only_between_vector_and_scalar():
    assert barriers(VECTOR, SCALAR, SCALAR) == barriers(MASKED, SCALAR) == barriers(VECTOR, FILL) == 1
    assert barriers(SCALAR, VECTOR) == barriers(VECTOR, MASKED) == barriers(SCALAR, SCALAR) == 0
    assert barriers(VECTOR, SCALAR, VECTOR, SCALAR) == 2
    assert barriers(VECTOR, "br label %5", SCALAR) == 0
