// RUN: hexmlir-opt %s --extend-tcm-arguments | filecheck %s

// CHECK-LABEL: func.func @filled
// CHECK: %[[A:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [32, 64], strides: [64, 1]
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: linalg.exp ins(%[[A]] : memref<32x64xf16, 1>)
func.func @filled(%x: memref<1x30x64xf16, 1>, %y: memref<32x64xf16, 1>, %zero: f16)
    attributes {hexagon.in_tcm = array<i64: 0, 1>} {
  %a = memref.alloc() : memref<32x64xf16, 1>
  %rows = memref.collapse_shape %x [[0, 1], [2]] : memref<1x30x64xf16, 1> into memref<30x64xf16, 1>
  %head = memref.subview %a[0, 0] [30, 64] [1, 1] : memref<32x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  memref.copy %rows, %head : memref<30x64xf16, 1> to memref<30x64xf16, strided<[64, 1]>, 1>
  %tail = memref.subview %a[30, 0] [2, 64] [1, 1]
    : memref<32x64xf16, 1> to memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>
  linalg.fill ins(%zero : f16) outs(%tail : memref<2x64xf16, strided<[64, 1], offset: 1920>, 1>)
  linalg.exp ins(%a : memref<32x64xf16, 1>) outs(%y : memref<32x64xf16, 1>)
  memref.dealloc %a : memref<32x64xf16, 1>
  return
}
