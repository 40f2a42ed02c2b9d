// Copies that stay: the difference would be observable.
// RUN: hexmlir-opt %s --hexagon-results-in-place --split-input-file | filecheck %s

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
