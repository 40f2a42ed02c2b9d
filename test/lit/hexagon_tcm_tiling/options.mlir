// The budget: an option, or the TCM of the target.
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tcm-bytes=65536 | filecheck %s --check-prefix=SMALL
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tcm-bytes=0x100000 | filecheck %s --check-prefix=LARGE
// RUN: hexmlir-opt %s --hexagon-tcm-tiling | filecheck %s --check-prefix=LARGE
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tcm-bytes=65536 --print-schedule | filecheck %s --check-prefix=SCHEDULE
// RUN: hexmlir-opt %s --hexagon-tcm-tiling=tile-sizes=4,512,0 | filecheck %s --check-prefix=TWO
// RUN: not hexmlir-opt %s --hexagon-tcm-tiling=tcm-bytes=many 2>&1 | filecheck %s --check-prefix=BAD
// BAD: error: hexagon-tcm-tiling: option 'tcm-bytes': 'many' is not an integer

// 64 KiB hold two tiles of 4 rows, input and output. In 1 MiB everything fits, but 4 tiles overlap with their
// transfers.
// SMALL-LABEL: func.func @rows
// SMALL: scf.for %{{.*}} = %c0 to %c96 step %c4
// SMALL: alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<4x1024xf32>
// LARGE-LABEL: func.func @rows
// LARGE: scf.for %{{.*}} = %c0 to %c96 step %c24
// LARGE: alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<24x1024xf32>
// SCHEDULE: transform.structured.fuse %{{.*}} tile_sizes [4, 0]
func.func @rows(%x: tensor<96x1024xf32>, %y: tensor<96x1024xf32>) -> tensor<96x1024xf32> {
  %0 = linalg.exp ins(%x : tensor<96x1024xf32>) outs(%y : tensor<96x1024xf32>) -> tensor<96x1024xf32>
  return %0 : tensor<96x1024xf32>
}

// A whole tile and a rest: no loop is left, and both are in TCM.
// TWO-LABEL: func.func @columns
// TWO: %[[W:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<160x512xf32>
// TWO: linalg.matmul ins(%{{.*}}, %[[W]] :
// TWO: %[[V:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 1 : i64} : tensor<160x448xf32>
// TWO: linalg.matmul ins(%{{.*}}, %[[V]] :
func.func @columns(%x: tensor<4x160xf32>, %w: tensor<160x960xf32>, %y: tensor<4x960xf32>) -> tensor<4x960xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x160xf32>, tensor<160x960xf32>) outs(%y : tensor<4x960xf32>)
    -> tensor<4x960xf32>
  return %0 : tensor<4x960xf32>
}
