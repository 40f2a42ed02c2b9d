// Ops and buffers that stay in DDR, and the remark with the reason.
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tcm-bytes=8192 --split-input-file --remarks 2>/dev/null | filecheck %s
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tcm-bytes=8192 --split-input-file --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=WHY

// 1. Two loops of dynamic size: tiling one of them does not bound the tile.
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: linalg.exp ins(%arg0 : tensor<?x?xf32>) outs(%arg1 : tensor<?x?xf32>)
// WHY: refuse.mlir:[[# @LINE + 2]]:8: remark: hexagon-tcm-tiling: stays in DDR: dynamic shape
func.func @dynamic(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----
// 1b. A sum along such a loop is not tiled.
// CHECK-LABEL: func.func @dynamic_sum
// CHECK-NOT: memory_space
// WHY: remark: hexagon-tcm-tiling: stays in DDR: dynamic shape
func.func @dynamic_sum(%x: tensor<64x?xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<64x?xf32>) outs(%y : tensor<64xf32>) dimensions = [1]
  return %0 : tensor<64xf32>
}

// -----
// 2. The smallest tile of a diagonal is a square as wide as a vector, twice.
// CHECK-LABEL: func.func @diagonal
// CHECK-NOT: memory_space
// WHY: refuse.mlir:[[# @LINE + 2]]:8: remark: hexagon-tcm-tiling: stays in DDR: the smallest tile exceeds the budget of 8192 bytes
func.func @diagonal(%x: tensor<64x64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<64x64xf32>) outs(%y : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----
// 3. An index that is no window of one loop: two parallel loops.
// CHECK-LABEL: func.func @diagonals
// CHECK-NOT: memory_space
// WHY: remark: hexagon-tcm-tiling: stays in DDR: index expression d0 + d1 is neither a loop index nor a window
func.func @diagonals(%x: tensor<66xf32>, %y: tensor<64x3xf32>) -> tensor<64x3xf32> {
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<66xf32>) outs(%y : tensor<64x3xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<64x3xf32>
  return %1 : tensor<64x3xf32>
}

// -----
// 4. A kernel with buffers of its own is left to hexagon-tcm-placement.
// CHECK-LABEL: func.func @own_buffers
// CHECK-NOT: memory_space
func.func @own_buffers(%p: memref<4096xf32>, %out: memref<4096xf32>) {
  %a = memref.alloc() : memref<4096xf32>
  memref.copy %p, %a : memref<4096xf32> to memref<4096xf32>
  %t = bufferization.to_tensor %a restrict writable : memref<4096xf32> to tensor<4096xf32>
  %e = tensor.empty() : tensor<4096xf32>
  %0 = linalg.exp ins(%t : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  bufferization.materialize_in_destination %0 in restrict writable %out : (tensor<4096xf32>, memref<4096xf32>) -> ()
  return
}
