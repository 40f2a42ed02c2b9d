// Buffers and ops that stay in DDR, and the remark with the reason.
// RUN: hexmlir-opt %s --hexagon-tcm-placement=tcm-bytes=8192 --split-input-file --remarks 2>/dev/null | filecheck %s
// RUN: hexmlir-opt %s --hexagon-tcm-placement=tcm-bytes=8192 --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. A kernel's own buffers that do not fit together: they stay, and the op is tiled instead.
// CHECK-LABEL: func.func @own_buffers
// CHECK: memref.alloc() : memref<4096xf32>
// CHECK: scf.for
// CHECK: {memory_space = 1 : i64} : tensor<1024xf32>
// WHY: remark: hexagon-tcm-placement: the kernel's buffers take 32768 bytes, the budget is 8192: they stay in DDR and ops are tiled
func.func @own_buffers(%p: memref<4096xf32>, %out: memref<4096xf32>) {
  %a = memref.alloc() : memref<4096xf32>
  memref.copy %p, %a : memref<4096xf32> to memref<4096xf32>
  %t = bufferization.to_tensor %a restrict writable : memref<4096xf32> to tensor<4096xf32>
  %e = tensor.empty() : tensor<4096xf32>
  %0 = linalg.exp ins(%t : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}

// -----
// 2. Neither the buffers nor the smallest tile of a diagonal fit.
// CHECK-LABEL: func.func @diagonal
// CHECK: memref.alloc() : memref<32x32x32xf32>
// CHECK-NOT: memory_space
// WHY: remark: hexagon-tcm-placement: the kernel's buffers take
// WHY: remark: hexagon-tcm-placement: stays in DDR: the smallest tile exceeds the budget of 8192 bytes
func.func @diagonal(%p: memref<32x32x32xf32>, %out: memref<32xf32>) {
  %a = memref.alloc() : memref<32x32x32xf32>
  memref.copy %p, %a : memref<32x32x32xf32> to memref<32x32x32xf32>
  %t = bufferization.to_tensor %a restrict writable : memref<32x32x32xf32> to tensor<32x32x32xf32>
  %e = tensor.empty() : tensor<32xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0, d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%t : tensor<32x32x32xf32>) outs(%e : tensor<32xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
  } -> tensor<32xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<32xf32>, memref<32xf32>) -> ()
  return
}

// -----
// 3. A function on tensors has no buffers of its own: hexagon-tcm-tiling is for it.
// CHECK-LABEL: func.func @tensors
// CHECK-NEXT: linalg.exp
func.func @tensors(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%y : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
