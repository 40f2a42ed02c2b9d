// Tiles of the matrix engine that do not fit TCM are an error; other buffers are moved to DDR.
// RUN: not hexmlir-opt %s --hexagon-tcm-allocation='tcm-bytes=8192' 2>&1 | filecheck %s
// CHECK: engine_tiles.mlir:[[# @LINE + 6]]:10: error: hexagon-tcm-allocation: tiles of the matrix engine outside TCM: 2048 bytes do not fit together with the live buffers into 6144 bytes of TCM
// CHECK: hint: compile without the matrix engine, or give the function more TCM
func.func @too_many(%c: f16) {
  %t = memref.alloc() : memref<1x2x32xi32, 1>
  %a = memref.alloc() : memref<1x1x16x32x2xf16, 1>
  %w = memref.alloc() : memref<1x1x16x32x2xf16, 1>
  %out = memref.alloc() : memref<1x1x16x32x2xf16, 1>
  linalg.fill ins(%c : f16) outs(%a : memref<1x1x16x32x2xf16, 1>)
  linalg.fill ins(%c : f16) outs(%w : memref<1x1x16x32x2xf16, 1>)
  "hexagon.engine_product"(%a, %w, %t, %out) : (memref<1x1x16x32x2xf16, 1>, memref<1x1x16x32x2xf16, 1>,
      memref<1x2x32xi32, 1>, memref<1x1x16x32x2xf16, 1>) -> ()
  "hexagon.engine_wait"() : () -> ()
  memref.dealloc %a : memref<1x1x16x32x2xf16, 1>
  memref.dealloc %w : memref<1x1x16x32x2xf16, 1>
  memref.dealloc %out : memref<1x1x16x32x2xf16, 1>
  memref.dealloc %t : memref<1x2x32xi32, 1>
  return
}
