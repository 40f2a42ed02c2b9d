// Look-ups that are not gathered.
// RUN: hexmlir-opt %s --form-gathers --remarks --split-input-file 2>&1 | filecheck %s

// CHECK-DAG: remark: form-gathers: no gather: HVX gathers elements of 2 and 4 bytes, not 1
// CHECK-DAG: remark: form-gathers: no gather: 7 reads of a table of 300 elements do not pay for its copy in TCM
// CHECK-DAG: remark: form-gathers: no gather: dynamic shape
// CHECK-DAG: remark: form-gathers: no gather: the op reduces

// 1. Bytes.
#map = affine_map<(d0) -> (d0)>
func.func @bytes(%t: tensor<300xi8>, %i: tensor<80xi32>, %y: tensor<80xi8>) -> tensor<80xi8> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<80xi32>) outs(%y : tensor<80xi8>) {
  ^bb0(%in: i32, %out: i8):
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %t[%1] : tensor<300xi8>
    linalg.yield %2 : i8
  } -> tensor<80xi8>
  return %0 : tensor<80xi8>
}

// -----
// 2. Few reads.
#map = affine_map<(d0) -> (d0)>
func.func @few(%t: tensor<300xf32>, %i: tensor<7xi32>, %y: tensor<7xf32>) -> tensor<7xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<7xi32>) outs(%y : tensor<7xf32>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %t[%1] : tensor<300xf32>
    linalg.yield %2 : f32
  } -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----
// 3. An unknown size.
#map = affine_map<(d0) -> (d0)>
func.func @dynamic(%t: tensor<300xf32>, %i: tensor<?xi32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<?xi32>) outs(%y : tensor<?xf32>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %t[%1] : tensor<300xf32>
    linalg.yield %2 : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----
// 4. A sum of elements.
#map = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @sum(%t: tensor<300xf32>, %i: tensor<80xi32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [#map, #none], iterator_types = ["reduction"]}
      ins(%i : tensor<80xi32>) outs(%y : tensor<f32>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %2 = tensor.extract %t[%1] : tensor<300xf32>
    %3 = arith.addf %2, %out : f32
    linalg.yield %3 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----
// 5. Rows of a table are vectors already.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: bufferization.alloc_tensor
#map0 = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
func.func @rows(%t: tensor<64x40xf32>, %i: tensor<80xi32>, %y: tensor<80x40xf32>) -> tensor<80x40xf32> {
  %0 = linalg.generic {indexing_maps = [#map0, #map1], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<80xi32>) outs(%y : tensor<80x40xf32>) {
  ^bb0(%in: i32, %out: f32):
    %1 = arith.index_cast %in : i32 to index
    %j = linalg.index 1 : index
    %2 = tensor.extract %t[%1, %j] : tensor<64x40xf32>
    linalg.yield %2 : f32
  } -> tensor<80x40xf32>
  return %0 : tensor<80x40xf32>
}

// -----
// 6. A table that fits the registers is looked up there.
// CHECK-LABEL: func.func @registers
// CHECK-NOT: bufferization.alloc_tensor
// CHECK: tensor.extract %arg0
#map = affine_map<(d0) -> (d0)>
func.func @registers(%t: tensor<256xf16>, %i: tensor<80xi8>, %y: tensor<80xf16>) -> tensor<80xf16> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<80xi8>) outs(%y : tensor<80xf16>) {
  ^bb0(%in: i8, %out: f16):
    %1 = arith.index_castui %in : i8 to index
    %2 = tensor.extract %t[%1] : tensor<256xf16>
    linalg.yield %2 : f16
  } -> tensor<80xf16>
  return %0 : tensor<80xf16>
}

// -----
// 7. Not where the loop has elements that no lane holds: the look-ups alone are taken out.
// CHECK-LABEL: func.func @long
// CHECK: bufferization.alloc_tensor
#map = affine_map<(d0) -> (d0)>
func.func @long(%t: tensor<64xf16>, %i: tensor<80xi64>, %y: tensor<80xf16>) -> tensor<80xf16> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : tensor<80xi64>) outs(%y : tensor<80xf16>) {
  ^bb0(%in: i64, %out: f16):
    %1 = arith.index_cast %in : i64 to index
    %2 = tensor.extract %t[%1] : tensor<64xf16>
    linalg.yield %2 : f16
  } -> tensor<80xf16>
  return %0 : tensor<80xf16>
}
