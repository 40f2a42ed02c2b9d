// RUN: hexmlir-opt %s --hexagon-argument-spaces | filecheck %s

// Views of the argument are in TCM, too, and aligned; other arguments stay in DDR.
// CHECK-LABEL: func.func @f(%arg0: memref<2x64xf32, 1>, %arg1: memref<128xf32>, %arg2: i32)
// CHECK: %[[A:.*]] = memref.assume_alignment %arg0, 128
// CHECK: memref.collapse_shape %[[A]] {{.*}} : memref<2x64xf32, 1> into memref<128xf32, 1>
// CHECK: linalg.exp ins(%{{.*}} : memref<128xf32, 1>) outs(%arg1 : memref<128xf32>)
func.func @f(%x: memref<2x64xf32>, %y: memref<128xf32>, %n: i32) attributes {hexagon.in_tcm = array<i64: 0>} {
  %v = memref.collapse_shape %x [[0, 1]] : memref<2x64xf32> into memref<128xf32>
  linalg.exp ins(%v : memref<128xf32>) outs(%y : memref<128xf32>)
  return
}

// CHECK-LABEL: func.func @unmarked(%arg0: memref<64xf32>)
func.func @unmarked(%x: memref<64xf32>) {
  return
}
