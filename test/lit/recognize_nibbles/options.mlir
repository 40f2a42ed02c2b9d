// Without the engine, unpacking stays as it is.
// RUN: not hexmlir-opt %s --recognize-nibbles=always=true 2>&1 | filecheck %s --check-prefix=BAD
// RUN: hexmlir-opt %s --recognize-nibbles=matrix-engine=false | filecheck %s
// BAD: error: recognize-nibbles: unknown option 'always'
// BAD-NEXT: hint: options of recognize-nibbles: matrix-engine

// CHECK-LABEL: func.func @columns
// CHECK-COUNT-2: tensor.insert_slice
#same = affine_map<(i, j) -> (i, j)>
#stacked = affine_map<(i, j, h) -> (h, i, j)>
#third = affine_map<(i, j, h) -> (i, j, h)>
func.func @columns(%a: tensor<64x64xi8>, %b: tensor<64x64xi8>) -> tensor<64x128xi32> {
  %four = arith.constant 4 : i8
  %mask = arith.constant 15 : i8
  %eight = arith.constant 8 : i8
  %zero = arith.constant 0 : i32
  %none = tensor.empty() : tensor<64x64xi8>
  %low = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.andi %x, %mask : i8
    %1 = arith.subi %0, %eight : i8
    linalg.yield %1 : i8
  } -> tensor<64x64xi8>
  %high = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x64xi8>) outs(%none : tensor<64x64xi8>) {
  ^bb0(%x: i8, %old: i8):
    %0 = arith.shrui %x, %four : i8
    %1 = arith.subi %0, %eight : i8
    linalg.yield %1 : i8
  } -> tensor<64x64xi8>
  %both = tensor.empty() : tensor<2x64x64xi8>
  %one = tensor.insert_slice %low into %both[0, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<64x64xi8> into tensor<2x64x64xi8>
  %two = tensor.insert_slice %high into %one[1, 0, 0] [1, 64, 64] [1, 1, 1] : tensor<64x64xi8> into tensor<2x64x64xi8>
  %into = tensor.empty() : tensor<64x64x2xi8>
  %last = linalg.generic {indexing_maps = [#stacked, #third], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%two : tensor<2x64x64xi8>) outs(%into : tensor<64x64x2xi8>) {
  ^bb0(%x: i8, %old: i8):
    linalg.yield %x : i8
  } -> tensor<64x64x2xi8>
  %w = tensor.collapse_shape %last [[0], [1, 2]] : tensor<64x64x2xi8> into tensor<64x128xi8>
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %w : tensor<64x64xi8>, tensor<64x128xi8>) outs(%sums : tensor<64x128xi32>)
      -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}
