// Look-ups of small tables get ops of their own.
// RUN: hexmlir-opt %s --form-gathers --split-input-file | filecheck %s

// 1. Indices in an input: the gather reads them, the remaining op reads the gathered elements.
// CHECK-LABEL: func.func @twice
// CHECK: %[[TABLE:.*]] = bufferization.alloc_tensor() copy(%arg0) {memory_space = 1 : i64} : tensor<300xf16>
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<80xi32>)
// CHECK: tensor.extract %[[TABLE]]
// CHECK-NEXT: linalg.yield
// CHECK: linalg.generic
// CHECK: arith.addf
#map = affine_map<(d0) -> (d0)>
func.func @twice(%t: tensor<300xf16>, %i: tensor<80xi32>, %y: tensor<80xf16>) -> tensor<80xf16> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<80xi32>) outs(%y : tensor<80xf16>) {
  ^bb0(%in: i32, %out: f16):
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %t[%1] : tensor<300xf16>
    %3 = arith.addf %2, %2 : f16
    linalg.yield %3 : f16
  } -> tensor<80xf16>
  return %0 : tensor<80xf16>
}

// -----
// 2. A table of two dimensions, one index is a loop index: one linear index for both.
// CHECK-LABEL: func.func @columns
// CHECK: tensor.collapse_shape %arg0 {{\[}}[0, 1]] : tensor<6x16xf32> into tensor<96xf32>
// CHECK: arith.muli
// CHECK-NEXT: arith.addi
// CHECK-NEXT: arith.index_cast {{.*}} : index to i32
// CHECK: tensor.extract {{.*}} : tensor<96xf32>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
func.func @columns(%t: tensor<6x16xf32>, %i: tensor<6x40xi8>, %y: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %0 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<6x40xi8>) outs(%y : tensor<6x40xf32>) {
  ^bb0(%in: i8, %out: f32):
    %1 = arith.index_castui %in : i8 to index
    %2 = linalg.index 0 : index
    %3 = tensor.extract %t[%2, %1] : tensor<6x16xf32>
    linalg.yield %3 : f32
  } -> tensor<6x40xf32>
  return %0 : tensor<6x40xf32>
}

// -----
// A table that is made in TCM is not copied again; an op that only gathers disappears.
// CHECK-LABEL: func.func @made_there
// CHECK-NOT: bufferization.alloc_tensor() copy
// CHECK: %[[TABLE:.*]] = bufferization.to_tensor
// CHECK: linalg.generic
// CHECK: arith.subi
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[AT:.*]]: i32, %{{.*}}: f32):
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %[[AT]]
// CHECK-NEXT: %[[V:.*]] = tensor.extract %[[TABLE]][%[[I]]]
// CHECK-NEXT: linalg.yield %[[V]]
// CHECK-NOT: linalg.generic
#map = affine_map<(d0) -> (d0)>
func.func @made_there(%first: i32, %i: tensor<80xi32>, %y: tensor<80xf32>) -> tensor<80xf32> {
  %memory = memref.alloc() : memref<300xf32, 1>
  %t = bufferization.to_tensor %memory restrict : memref<300xf32, 1> to tensor<300xf32>
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<80xi32>) outs(%y : tensor<80xf32>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.subi %in, %first : i32
    %2 = arith.index_cast %1 : i32 to index
    %3 = tensor.extract %t[%2] : tensor<300xf32>
    linalg.yield %3 : f32
  } -> tensor<80xf32>
  return %0 : tensor<80xf32>
}
