// How large a table may be that is copied into TCM.
// RUN: hexmlir-opt %s --form-gathers | filecheck %s
// RUN: hexmlir-opt %s --form-gathers=table-bytes=1199 --remarks 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not hexmlir-opt %s --form-gathers=size=1 2>&1 | filecheck %s --check-prefix=BAD
// CHECK: bufferization.alloc_tensor
// LARGE-NOT: bufferization.alloc_tensor
// LARGE: remark: form-gathers: no gather: a table of 1200 bytes; at most 1199 are copied into TCM
// BAD: error: form-gathers: unknown option 'size'
#map = affine_map<(d0) -> (d0)>
func.func @f(%t: tensor<300xf32>, %i: tensor<80xi32>, %y: tensor<80xf32>) -> tensor<80xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<80xi32>) outs(%y : tensor<80xf32>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %t[%1] : tensor<300xf32>
    linalg.yield %2 : f32
  } -> tensor<80xf32>
  return %0 : tensor<80xf32>
}
