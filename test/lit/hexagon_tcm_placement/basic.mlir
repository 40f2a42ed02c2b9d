// A kernel's own buffers are in TCM (memory space 1) where all of them fit.
// RUN: hexmlir-opt %s --hexagon-tcm-placement --split-input-file | filecheck %s

// 1. The buffers change their memory space; the load's copy now ends in TCM.
// CHECK-LABEL: func.func @own_buffers
// CHECK: %[[LOAD:.*]] = memref.alloc() : memref<1024xf32, 1>
// CHECK: memref.copy %arg0, %[[LOAD]] : memref<1024xf32> to memref<1024xf32, 1>
// CHECK: %[[NEW:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<1024xf32>
// CHECK: linalg.exp ins(%{{.*}}) outs(%[[NEW]] : tensor<1024xf32>)
// CHECK-NOT: alloc_tensor
func.func @own_buffers(%p: memref<1024xf32>, %out: memref<1024xf32>) {
  %a = memref.alloc() : memref<1024xf32>
  memref.copy %p, %a : memref<1024xf32> to memref<1024xf32>
  %t = bufferization.to_tensor %a restrict writable : memref<1024xf32> to tensor<1024xf32>
  %e = tensor.empty() : tensor<1024xf32>
  %0 = linalg.exp ins(%t : tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<1024xf32>, memref<1024xf32>) -> ()
  return
}

// -----
// 2. Scalar accesses are slow in TCM: buffers of elements extended to i64, or stored with gaps, stay in DDR.
// CHECK-LABEL: func.func @by_element
// CHECK: memref.alloc() : memref<1024xi8>
// CHECK: tensor.empty() : tensor<1024xi64>
// CHECK: memref.alloc() : memref<1024xf32>
func.func @by_element(%x: memref<1xi8>, %y: memref<1xf32>, %out: memref<1xf32>, %sum: memref<1xi64>) {
  %bytes = memref.alloc() : memref<1024xi8>
  %source = memref.reinterpret_cast %x to offset: [0], sizes: [1024], strides: [1] : memref<1xi8> to memref<1024xi8>
  memref.copy %source, %bytes : memref<1024xi8> to memref<1024xi8>
  %b = bufferization.to_tensor %bytes restrict writable : memref<1024xi8> to tensor<1024xi8>
  %e = tensor.empty() : tensor<1024xi64>
  %w = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%b : tensor<1024xi8>) outs(%e : tensor<1024xi64>) {
  ^bb0(%in: i8, %o: i64):
    %wide = arith.extsi %in : i8 to i64
    linalg.yield %wide : i64
  } -> tensor<1024xi64>
  %to = memref.reinterpret_cast %sum to offset: [0], sizes: [1024], strides: [1] : memref<1xi64> to memref<1024xi64>
  bufferization.materialize_in_destination %w in restrict writable %to : (tensor<1024xi64>, memref<1024xi64>) -> ()
  %buffer = memref.alloc() : memref<1024xf32>
  %floats = memref.reinterpret_cast %y to offset: [0], sizes: [1024], strides: [1] : memref<1xf32> to memref<1024xf32>
  memref.copy %floats, %buffer : memref<1024xf32> to memref<1024xf32>
  %v = bufferization.to_tensor %buffer restrict writable : memref<1024xf32> to tensor<1024xf32>
  %gaps = memref.reinterpret_cast %out to offset: [0], sizes: [1024], strides: [2] : memref<1xf32> to memref<1024xf32, strided<[2]>>
  bufferization.materialize_in_destination %v in restrict writable %gaps : (tensor<1024xf32>, memref<1024xf32, strided<[2]>>) -> ()
  return
}
