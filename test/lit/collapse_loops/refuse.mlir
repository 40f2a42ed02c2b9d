// Loops that stay as they are.
// RUN: hexmlir-opt %s --collapse-loops --split-input-file | filecheck %s

// 1. A row that all rows read.
// CHECK-LABEL: func.func @broadcast
// CHECK-NOT: collapse_shape
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @broadcast(%x: tensor<?x33xf32>, %b: tensor<33xf32>, %y: tensor<?x33xf32>) -> tensor<?x33xf32> {
  %0 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d1)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x33xf32>, tensor<33xf32>) outs(%y : tensor<?x33xf32>) {
    ^bb0(%a: f32, %c: f32, %o: f32):
      %1 = arith.addf %a, %c : f32
      linalg.yield %1 : f32
  } -> tensor<?x33xf32>
  return %0 : tensor<?x33xf32>
}

// -----
// 2. An operand that is transposed.
// CHECK-LABEL: func.func @transposed
// CHECK-NOT: collapse_shape
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @transposed(%x: tensor<33x33xf32>, %y: tensor<33x33xf32>) -> tensor<33x33xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<33x33xf32>) outs(%y : tensor<33x33xf32>) {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<33x33xf32>
  return %0 : tensor<33x33xf32>
}

// -----
// 3. A tensor that is a slice of another one: its rows do not follow each other.
// CHECK-LABEL: func.func @slice
// CHECK-NOT: collapse_shape
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @slice(%x: tensor<64x40xf32>, %y: tensor<64x33xf32>) -> tensor<64x33xf32> {
  %s = tensor.extract_slice %x[0, 2] [64, 33] [1, 1] : tensor<64x40xf32> to tensor<64x33xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<64x33xf32>) outs(%y : tensor<64x33xf32>) {
    ^bb0(%a: f32, %o: f32):
      %1 = arith.addf %a, %a : f32
      linalg.yield %1 : f32
  } -> tensor<64x33xf32>
  return %0 : tensor<64x33xf32>
}

// -----
// 4. The body asks where it is.
// CHECK-LABEL: func.func @index
// CHECK-NOT: collapse_shape
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @index(%y: tensor<64x33xi32>) -> tensor<64x33xi32> {
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%y : tensor<64x33xi32>) {
    ^bb0(%o: i32):
      %i = linalg.index 1 : index
      %1 = arith.index_cast %i : index to i32
      linalg.yield %1 : i32
  } -> tensor<64x33xi32>
  return %0 : tensor<64x33xi32>
}

// -----
// 5. Rows of which the later op reduces the columns.
// CHECK-LABEL: func.func @reduced
// CHECK-NOT: collapse_shape
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @reduced(%x: tensor<64x33xf32>, %y: tensor<64x33xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x33xf32>) outs(%y : tensor<64x33xf32>) {
    ^bb0(%a: f32, %o: f32):
      %1 = math.exp %a : f32
      linalg.yield %1 : f32
  } -> tensor<64x33xf32>
  %2 = linalg.generic {indexing_maps = [#id, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<64x33xf32>) outs(%z : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %3 = arith.addf %a, %o : f32
      linalg.yield %3 : f32
  } -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// -----
// 6. An op that another pass has marked.
// CHECK-LABEL: func.func @marked
// CHECK-NOT: collapse_shape
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @marked(%x: tensor<64x33xf32>, %y: tensor<64x33xf32>) -> tensor<64x33xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x33xf32>) outs(%y : tensor<64x33xf32>) attrs = {hexagon.mark} {
    ^bb0(%a: f32, %o: f32):
      linalg.yield %a : f32
  } -> tensor<64x33xf32>
  return %0 : tensor<64x33xf32>
}

// -----
// 7. No elements, which is known.
// CHECK-LABEL: func.func @empty
// CHECK-NOT: collapse_shape
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @empty(%x: i16, %y: tensor<0x?xi16>) -> tensor<0x?xi16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> ()>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : i16) outs(%y : tensor<0x?xi16>) {
    ^bb0(%a: i16, %o: i16):
      linalg.yield %a : i16
  } -> tensor<0x?xi16>
  return %0 : tensor<0x?xi16>
}
