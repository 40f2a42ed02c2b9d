// Arguments that may alias are unchanged.
// RUN: hexmlir-opt %s --hexagon-argument-aliasing --split-input-file | filecheck %s

// 1. A memref that is read as one, and a pointer of a Triton kernel that is viewed in another shape.
// CHECK-LABEL: func.func @read(%arg0: memref<8xf32>, %arg1: memref<1xf32>) -> f32
func.func @read(%x: memref<8xf32>, %p: memref<1xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.reinterpret_cast %p to offset: [0], sizes: [8], strides: [1] : memref<1xf32> to memref<8xf32>
  %t = bufferization.to_tensor %v restrict : memref<8xf32> to tensor<8xf32>
  %a = memref.load %x[%c0] : memref<8xf32>
  return %a : f32
}

// -----
// 2. One use that is no restricted tensor is enough.
// CHECK-LABEL: func.func @twice(%arg0: memref<8xf32>)
func.func @twice(%x: memref<8xf32>) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %t = bufferization.to_tensor %x restrict : memref<8xf32> to tensor<8xf32>
  %a = memref.load %x[%c0] : memref<8xf32>
  return %t, %a : tensor<8xf32>, f32
}

// -----
// 3. Declarations have no body to look at.
// CHECK-LABEL: func.func private @elsewhere(tensor<8xf32>)
func.func private @elsewhere(tensor<8xf32>)
