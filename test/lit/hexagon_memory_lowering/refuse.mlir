// An allocation with a layout map is an error at its place.
// RUN: not hexmlir-opt %s --hexagon-memory-lowering --split-input-file 2>&1 | filecheck %s
// CHECK: refuse.mlir:[[# @LINE + 4]]:8: error: hexagon-memory-lowering: allocation with a layout map
// CHECK-NEXT: memref.alloc() : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
// CHECK-NEXT: hint: allocate densely, then take a subview
func.func @layout() {
  %a = memref.alloc() : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
  memref.dealloc %a : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
  return
}

// -----
// A TCM slot of dynamic size.
func.func @unknown_size(%arena: memref<4096xi8, 1>, %at: index, %n: index) {
  // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: hexagon-memory-lowering: hexagon.tcm_slot on a memref.view of dynamic size
  %v = memref.view %arena[%at][%n] {hexagon.tcm_slot} : memref<4096xi8, 1> to memref<?xi8, 1>
  return
}

// -----
// Offsets that do not fit an index.
func.func @too_large() {
  // CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: hexagon-memory-lowering: a buffer of 2147483648 bytes: memref<536870912xf32>
  %a = memref.alloc() : memref<536870912xf32>
  memref.dealloc %a : memref<536870912xf32>
  return
}

// -----
// CHECK: :[[# @LINE + 1]]:{{[0-9]+}}: error: hexagon-memory-lowering: argument 1 of 17179869184 bytes: memref<65536x65536xf32>
func.func @too_large_for_a_caller(%i: index, %a: memref<65536x65536xf32>) {
  return
}
