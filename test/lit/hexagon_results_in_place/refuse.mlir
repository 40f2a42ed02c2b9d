// Copies that stay: the difference would be observable.
// RUN: not hexmlir-opt %s --hexagon-results-in-place --split-input-file 2>/dev/null | filecheck %s
// RUN: not hexmlir-opt %s --hexagon-results-in-place --split-input-file 2>&1 | filecheck %s --check-prefix=BAD

// 1. The buffer changes after the copy.
// CHECK-LABEL: func.func @later
// CHECK: memref.copy
func.func @later(%x: memref<4xf32>, %y: memref<1x4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.expand_shape %a [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  memref.copy %b, %y : memref<1x4xf32> to memref<1x4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  return
}

// -----
// 2. The argument is read before it is written.
// CHECK-LABEL: func.func @read
// CHECK: memref.copy
func.func @read(%x: memref<4xf32>, %y: memref<1x4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %z = memref.collapse_shape %y [[0, 1]] : memref<1x4xf32> into memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  linalg.add ins(%z, %z : memref<4xf32>, memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.expand_shape %a [[0, 1]] output_shape [1, 4] : memref<4xf32> into memref<1x4xf32>
  memref.copy %b, %y : memref<1x4xf32> to memref<1x4xf32>
  return
}

// -----
// 3. The buffer is in TCM.
// CHECK-LABEL: func.func @tcm
// CHECK: memref.copy
func.func @tcm(%x: memref<4xf32>, %y: memref<1x4xf32>) {
  %a = memref.alloc() : memref<4xf32, 1>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32, 1>)
  %b = memref.expand_shape %a [[0, 1]] output_shape [1, 4] : memref<4xf32, 1> into memref<1x4xf32, 1>
  memref.copy %b, %y : memref<1x4xf32, 1> to memref<1x4xf32>
  return
}

// -----
// 4. Numbers that no kernel has: no such argument, an argument of another type, a number too many, no numbers.
// BAD: error: hexagon-results-in-place: hexagon.in_place is array<i64: 7>
// BAD: error: hexagon-results-in-place: hexagon.in_place is array<i64: 0>
// BAD: error: hexagon-results-in-place: hexagon.in_place is array<i64: 0, -1, -1>
// BAD: error: hexagon-results-in-place: hexagon.in_place is 7 : i64, not array<i64: ...>
func.func @no_argument(%x: memref<4xf32>, %r: memref<4xf32>) attributes {hexagon.in_place = array<i64: 7>} {
  return
}

// -----
func.func @other_type(%x: memref<5xf32>, %r: memref<4xf32>) attributes {hexagon.in_place = array<i64: 0>} {
  return
}

// -----
func.func @too_many(%x: memref<4xf32>, %r: memref<4xf32>) attributes {hexagon.in_place = array<i64: 0, -1, -1>} {
  return
}

// -----
func.func @no_numbers(%x: memref<4xf32>, %r: memref<4xf32>) attributes {hexagon.in_place = 7} {
  return
}
