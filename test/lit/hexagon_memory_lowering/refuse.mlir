// An allocation with a layout map is an error at its place.
// RUN: not hexmlir-opt %s --hexagon-memory-lowering 2>&1 | filecheck %s
// CHECK: refuse.mlir:[[# @LINE + 4]]:8: error: hexagon-memory-lowering: allocation with a layout map
// CHECK-NEXT: memref.alloc() : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
// CHECK-NEXT: hint: allocate densely, then take a subview
func.func @layout() {
  %a = memref.alloc() : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
  memref.dealloc %a : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
  return
}
