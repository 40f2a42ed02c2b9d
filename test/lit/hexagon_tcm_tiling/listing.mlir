// The paper's GELU listing: 1,048,576 elements in tiles of 262,144, a tile vector given by the user.
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tile-sizes=262144 | filecheck %s
// RUN: not hexmlir-opt %s --hexagon-tcm-tiling=tile-sizes=-4 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --hexagon-tcm-tiling='tile-sizes=262144 tcm-bytes=4000000' --remarks 2>&1 >/dev/null | filecheck %s --check-prefix=LARGE
// BAD: error: hexagon-tcm-tiling: option 'tile-sizes': -4 is not one of
// LARGE: remark: hexagon-tcm-tiling: stays in DDR: the smallest tile exceeds the budget of 4000000 bytes

// CHECK-LABEL: func.func @gelu
// CHECK: scf.for %[[I:.*]] = %c0 to %c1048576 step %c262144
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %arg0[%[[I]]] [262144] [1]
// CHECK: %[[X:.*]] = bufferization.alloc_tensor() copy(%[[SLICE]]) {memory_space = 1 : i64} : tensor<262144xf32>
// CHECK: %[[Y:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<262144xf32>
// CHECK: %[[R:.*]] = linalg.exp ins(%[[X]] : {{.*}}) outs(%[[Y]] :
// CHECK: tensor.insert_slice %[[R]] into %{{.*}}[%[[I]]] [262144] [1]
func.func @gelu(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
  %y = tensor.empty() : tensor<1048576xf32>
  %0 = linalg.exp ins(%x : tensor<1048576xf32>) outs(%y : tensor<1048576xf32>) -> tensor<1048576xf32>
  return %0 : tensor<1048576xf32>
}
