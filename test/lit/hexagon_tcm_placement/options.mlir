// The budget: an option, or the TCM of the target; programs that may run in parallel share it.
// RUN: hexmlir-opt %s --hexagon-tcm-placement | filecheck %s --check-prefix=LARGE
// RUN: hexmlir-opt %s --hexagon-tcm-placement=tcm-bytes=32768 | filecheck %s --check-prefix=LARGE
// RUN: hexmlir-opt %s --hexagon-tcm-placement=tcm-bytes=16384 | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --hexagon-tcm-placement='tcm-bytes=32768 threads=4' | filecheck %s --check-prefix=LARGE
// RUN: not hexmlir-opt %s --hexagon-tcm-placement=tcm-bytes=many 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error: hexagon-tcm-placement: option 'tcm-bytes': 'many' is not an integer

// LARGE: memref.alloc() : memref<4096xf32, 1>
// SMALL: memref.alloc() : memref<4096xf32>
// SMALL: scf.for
func.func @own_buffers(%p: memref<4096xf32>, %out: memref<4096xf32>) {
  %a = memref.alloc() : memref<4096xf32>
  memref.copy %p, %a : memref<4096xf32> to memref<4096xf32>
  %t = bufferization.to_tensor %a restrict writable : memref<4096xf32> to tensor<4096xf32>
  %e = tensor.empty() : tensor<4096xf32>
  %0 = linalg.exp ins(%t : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}
