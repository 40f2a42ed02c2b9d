// Constant factors of bytes become tiles; where all elements have 4 bits, two are in a byte. The factor that has signs takes
// the sums of the columns, times -128, too.
// RUN: hexmlir-opt %s --pack-constant-weights=always=true | filecheck %s

// CHECK-LABEL: func.func @nibbles
// CHECK-NOT: tensor<32x128xi8>
// CHECK: %[[SUMS:.*]] = arith.constant dense<-28672> : tensor<128xi32>
// CHECK: %[[TILES:.*]] = arith.constant dense<"0x7777{{[07]+}}"> : tensor<4x4x4x32x4xi8>
func.func @nibbles(%a: tensor<64x32xi8>) -> tensor<64x128xi32> {
// CHECK: %[[MATRIX:.*]] = "hexagon.weight_matrix"(%[[TILES]], %[[SUMS]]) : (tensor<4x4x4x32x4xi8>, tensor<128xi32>) -> tensor<32x128xi8>
// CHECK: linalg.matmul ins(%arg0, %[[MATRIX]] :
  %b = arith.constant dense<7> : tensor<32x128xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xi8>, tensor<32x128xi8>) outs(%sums : tensor<64x128xi32>) -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

// CHECK-LABEL: func.func @bytes_without_sign
// CHECK: %[[TILES:.*]] = arith.constant dense<8> : tensor<4x4x8x32x4xi8>
// CHECK: "hexagon.weight_matrix"(%[[TILES]]) : (tensor<4x4x8x32x4xi8>) -> tensor<128x128xi8>
func.func @bytes_without_sign(%a: tensor<64x128xi8>) -> tensor<64x128xi32> {
  %b = arith.constant dense<8> : tensor<128x128xi8>
  %zero = arith.constant 0 : i32
  %init = tensor.empty() : tensor<64x128xi32>
  %sums = linalg.fill ins(%zero : i32) outs(%init : tensor<64x128xi32>) -> tensor<64x128xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x128xi8>, tensor<128x128xi8>) outs(%sums : tensor<64x128xi32>) {
  ^bb0(%x: i8, %y: i8, %old: i32):
    %1 = arith.extui %x : i8 to i32
    %2 = arith.extsi %y : i8 to i32
    %3 = arith.muli %1, %2 : i32
    %4 = arith.addi %old, %3 : i32
    linalg.yield %4 : i32
  } -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}
