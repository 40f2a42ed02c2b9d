// Arguments that alias nothing.
// RUN: hexmlir-opt %s --hexagon-argument-aliasing --split-input-file | filecheck %s

// 1. Tensors are values, which a kernel does not write.
// CHECK-LABEL: func.func @tensors(%arg0: tensor<8xf32> {bufferization.writable = false, llvm.noalias}, %arg1: f32)
func.func @tensors(%x: tensor<8xf32>, %s: f32) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// -----
// 2. A buffer that the program declares restrict, through an assertion of alignment too.
// CHECK-LABEL: func.func @restricted(%arg0: memref<8xf32> {llvm.noalias}, %arg1: memref<8xf32> {llvm.noalias})
func.func @restricted(%x: memref<8xf32>, %y: memref<8xf32>) {
  %a = memref.assume_alignment %x, 128 : memref<8xf32>
  %t = bufferization.to_tensor %a restrict : memref<8xf32> to tensor<8xf32>
  bufferization.materialize_in_destination %t in restrict writable %y : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----
// 3. Writable arguments stay writable; a private function's callers are known.
// CHECK-LABEL: func.func @writable(%arg0: tensor<8xf32> {bufferization.writable = true, llvm.noalias})
func.func @writable(%x: tensor<8xf32> {bufferization.writable = true}) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
// CHECK-LABEL: func.func private @part(%arg0: tensor<8xf32> {llvm.noalias})
func.func private @part(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
